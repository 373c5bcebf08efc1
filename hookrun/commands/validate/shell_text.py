"""Shell source -> text in which patterns can look for commands: no comments, no here-documents, one command
a line. Every line stays where it was: a line that goes on ends in a vertical tab instead of a newline."""

from __future__ import annotations

import re

JOINT = "\v"


def commands_of(text: str) -> str:
    """Return *text* with comments and the bodies of here-documents blanked and continued lines joined."""
    lines: list[str] = []
    waiting: list[str] = []  # the words that end the here-documents being read
    for line in text.splitlines():
        if waiting:
            if line.strip() == waiting[0]:
                waiting.pop(0)
            lines.append("")
            continue
        bare, words = _bare(line)
        waiting += words
        lines.append(bare)
    joined = "\n".join(lines) + "\n"
    joined = re.sub(r"\\\n", f" {JOINT}", joined)
    return re.sub(r"(\|\||&&|(?<!\|)\|)([ \t]*)\n", rf"\1\2{JOINT}", joined)


def line_at(commands: str, place: int) -> int:
    """Return the line, from 1, of an offset in what `commands_of` returned."""
    return commands.count("\n", 0, place) + commands.count(JOINT, 0, place) + 1


def substitution_end(commands: str, start: int) -> int:
    """Return the offset of the bracket that closes the `$(` before *start*, or of the line's end."""
    depth, quote, place = 1, "", start
    while place < len(commands):
        sign = commands[place]
        if sign == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if not depth:
                return place
        elif sign == "\n":
            return place
        place += 1
    return place


def _bare(line: str) -> tuple[str, list[str]]:
    """Return *line* without its comment, and the words that end the here-documents that it begins.

    Quotes that span lines are not followed: what is lost then is a finding, never a hook.
    """
    words: list[str] = []
    if "#" not in line and "<<" not in line:
        return line.rstrip(), words
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and line[place - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#" and (place == 0 or line[place - 1] in " \t;(&|"):
            return line[:place].rstrip(), words
        elif sign == "<" and line[place - 1 : place] != "<":
            found = re.compile(r"<<-?\s*[\"'\\]?(\w+)").match(line, place)
            words += [found[1]] if found else []
    return line.rstrip(), words

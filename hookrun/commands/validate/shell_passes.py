"""Silent passes of shell guards: lines that end in success where the guard could not look."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.script_file import ScriptFile
from hookrun.commands.validate.shell_text import commands_of, line_at, substitution_end
from hookrun.programs.interpreters import is_shell

# All patterns are bounded, so that the search stays linear whatever a file holds.
_REDIRECTED = r"(?:\s*(?:\d?>{1,2}&?|&>{1,2})\s*[\w/.\-$\"{}]+)*\s*"
_TOOL = r"\b(?:command\s+-p?[vV]|(?:which|type|hash)(?:\s+-\w+)*)\s+(?P<tool>[\w./+\-\"'${}]+)"
_PATH = r"(?:\"[^\"\n]{1,200}\"|[^\s\];]{1,200})"
_FILE = rf"(?:\[\[?|test)\s+-x\s+(?P<file>{_PATH})(?:\s*\]\]?)?"
_NO_FILE = rf"\[\[?\s+!\s+-x\s+(?P<no_file>{_PATH})\s*\]\]?"
_READ = r"(?P<read>\bread(?:\s+-\w+(?:\s+(?:''|\"\"))?)*?\s+-\w*t\s*[\d.$][^|;&\n]{0,120}?)"
_CONDITION = rf"(?:{_TOOL}|{_FILE}|{_READ}){_REDIRECTED}"
_EXIT = r"(?:exit|return)\s+0\b"
_PASS = rf"(?:{_EXIT}|\{{(?:(?![\s;]\}})[\s\S]){{0,400}}?[;\s]\s*{_EXIT})"
_THEN_PASS = rf"[;\s]\s*then\b(?:(?!\b(?:fi|else|elif)\b)[\s\S]){{0,400}}?[;\s]{_EXIT}"
_PASSES = (
    re.compile(rf"{_CONDITION}(?P<no_file>)\|\|\s*{_PASS}"),
    re.compile(rf"(?:!\s*{_CONDITION}|{_NO_FILE}\s*)(?:&&\s*{_PASS}|{_THEN_PASS})"),
)
_TRAP = re.compile(r"\btrap\s+(?P<body>'[^'\n]*'|\"[^\"\n]*\")\s+(?P<signals>[\w \t]+)")
_ASSIGNED = re.compile(r"\b\w+=\"?\$\(")
_NOTHING_INSIDE = re.compile(r"\|\|\s*(?:true|:|(?:echo|printf)(?:\s+(?:\"\"|''))?)\s*$")
_NOTHING_AFTER = re.compile(rf"\"?\s*\|\|\s*(?:true\b|:(?=[\s;]|$)|{_EXIT}|\w+=(?:\"\"|'')?(?=[\s;]|$))")
_LAST = re.compile(rf"\|\|\s*(?:true|:|{_EXIT})\s*;?\s*$")
_LETS_THROUGH = "the guard then lets everything through"
_FAIL_HINT = "exit 2 there, or let it fail: a guard that fails denies"


def find_shell_passes(script: ScriptFile) -> Iterator[Finding]:
    """Yield the silent passes of a guard that a shell runs."""
    if not script.is_guard or not is_shell(script.interpreter):
        return
    commands = commands_of(script.text)
    yield from _conditions(script, commands)
    for found in _TRAP.finditer(commands):
        signals = set(found["signals"].split())
        if re.search(_EXIT, found["body"]) and signals & {"ERR", "EXIT", "0"}:
            signal = "ERR" if "ERR" in signals else "EXIT"
            message = f"a trap on {signal} ends in exit 0: whatever goes wrong, {_LETS_THROUGH}"
            yield script.finding(message, line_at(commands, found.start()), hint=_FAIL_HINT)
    for place in _emptied_by_jq(commands):
        message = f"when jq fails the value is empty: {_LETS_THROUGH}"
        hint = "leave out the ||, use set -e, and name jq in the header: # hookrun: needs=jq"
        yield script.finding(message, line_at(commands, place), hint=hint)
    yield from _last_command(script, commands)


def _conditions(script: ScriptFile, commands: str) -> Iterator[Finding]:
    for found in (found for pattern in _PASSES for found in pattern.finditer(commands)):
        line = line_at(commands, found.start())
        if found["read"]:
            message = f"when no line comes in time it ends in success: {_LETS_THROUGH}"
            yield script.finding(message, line, hint=_FAIL_HINT)
            continue
        tool = (found["tool"] or found["file"] or found["no_file"]).strip("\"'")
        if tool not in script.needs:
            message = f"without {tool} it ends in success: {_LETS_THROUGH}"
            named = f"name it in the header instead: # hookrun: needs={tool}"
            yield script.finding(message, line, hint=_FAIL_HINT if set(tool) & set("$/") else named)


def _emptied_by_jq(commands: str) -> Iterator[int]:
    """Yield the offsets of `x=$(... jq ... || echo "")` and `x=$(... jq ...) || true`."""
    place = 0
    while found := _ASSIGNED.search(commands, place):
        end = substitution_end(commands, found.end())
        inner = commands[found.end() : end]
        is_emptied = _NOTHING_INSIDE.search(inner) or _NOTHING_AFTER.match(commands, end + 1)
        if is_emptied and re.search(r"\bjq\b", inner):
            yield found.start()
        place = end


def _last_command(script: ScriptFile, commands: str) -> Iterator[Finding]:
    body = commands.rstrip()
    start = body.rfind("\n") + 1
    last = body[start:]
    found = _LAST.search(last)
    # Where something else of the line denies, || true only keeps the exit code clean.
    if not found or re.search(r"\bexit\s+[1-9]|^\s*(?:echo|printf|cat|rm|kill|wait|trap)\b", last):
        return
    if any(pattern.search(last) for pattern in _PASSES) or any(True for _ in _emptied_by_jq(last)):
        return
    message = f"its last command ends in {found[0].strip()!r}: when that command denies or fails, {_LETS_THROUGH}"
    yield script.finding(message, line_at(commands, start), hint="leave the || out")

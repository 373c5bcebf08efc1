"""What a script answers in vain: exit codes that do not deny, refusals in another agent's spelling, text that
nothing shows. Found in the text alone; the agent's own reader says what it ignores."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hookrun.agents import protocol_of
from hookrun.agents.answer_format import HandlerOutput, only_object
from hookrun.agents.settings import NOBODY, settings_of
from hookrun.answers.shapes import is_foreign_refusal, read_opinion
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.shell_text import commands_of, line_at
from hookrun.commands.validate.subject import ScriptFile
from hookrun.model.events import is_guarded as is_guarded_event
from hookrun.model.frozen import Frozen
from hookrun.model.json_objects import find_documents
from hookrun.model.values import Event, Hook
from hookrun.programs.interpreters import is_python, is_shell
from hookrun.programs.python_text import python_tree

# Bounded, so that the search stays linear whatever a file holds.
_REFUSES = re.compile(
    r"(?:>&\s*2|1>&2|>\s*/dev/stderr)[^\n;]{0,300}(?:;|\n|&&)[\s\v]{0,80}"
    r"(?:exit|return)[ \t]+(?P<code>[12])\b"
)
_SPEAKS = re.compile(r"(?m)(?:^|[;&{]|\bthen|\belse|\bdo)[ \t]*(?:echo|printf)[ \t]+(?P<text>[^\n]{1,300})")
_JSON = re.compile(r"hookSpecificOutput|permissionDecision|[\"']decision|additionalContext|systemMessage|\{ *\\?\"")
_SILENT_EXIT = re.compile(r"(?m)(?:^|[;&{]|\bthen|\belse|\bdo)[ \t]*exit[ \t]+2\b")
_PRINTS = re.compile(r"\b(?:echo|printf|cat|tee|awk|sed|python3?|node|jq)\b|>&\s*2|/dev/stderr")
_PRINTED_BEFORE = re.compile(r"[\"'](?P<text>[^\"'{%\\]*[A-Za-z][^\"'{%\\]*)$")
_DECIDING = ("decision", "permissionDecision", "permission")
_MOST_LINES = 2_000  # of one script
_LONGEST_SHOWN = 60  # characters of an answer


class Spelling(Frozen):
    """A refusal as some agents spell it, which others do not read."""

    shown: str
    pattern: re.Pattern[str]  # how a script has it
    answers: tuple[Mapping[str, Any], ...]  # it at each place where an agent may read it


def _permission(word: str) -> tuple[Mapping[str, Any], ...]:
    said = {"permissionDecision": word, "permissionDecisionReason": "no"}
    return (said, {"hookSpecificOutput": said})


_SPELLINGS = (
    Spelling(
        shown='"decision": "deny"',
        pattern=re.compile(r"""(?<![A-Za-z_])\\?["']?decision\\?["']?\s*:\s*\\?["']deny\b"""),
        answers=({"decision": "deny", "reason": "no"},),
    ),
    Spelling(
        shown="permissionDecision deny",
        pattern=re.compile(r"""\\?["']?permissionDecision\\?["']?\s*:\s*\\?["']deny\b"""),
        answers=_permission("deny"),
    ),
    Spelling(
        shown="permissionDecision ask",
        pattern=re.compile(r"""\\?["']?permissionDecision\\?["']?\s*:\s*\\?["']ask\b"""),
        answers=_permission("ask"),
    ),
)


class Trap(Frozen):
    """Something that a script says in vain."""

    message: str
    line: int
    hint: str  # what to write instead


def find_traps(text: str, interpreter: str, hook: Hook) -> Iterator[Trap]:
    """Yield what a script of *hook*, run by *interpreter*, says in vain to the agent of its settings."""
    events = [trigger.event for trigger in hook.triggers]
    is_guarded = any(map(is_guarded_event, events))
    if is_guarded:
        yield from _passing_exits(text, interpreter, hook)
        yield from _ignored_refusals(text, hook)
    if is_shell(interpreter) and events and all(_is_silent(hook.dialect, event) for event in events):
        yield from _unseen(text, settings_of(hook.dialect).title, is_guarded=is_guarded)


def _passing_exits(text: str, interpreter: str, hook: Hook) -> Iterator[Trap]:
    settings = settings_of(hook.dialect)
    passing = settings.codes_that_pass() if hook.on_failure is None else ()
    for line, code in _refusals(text, interpreter) if passing else ():
        if code in passing:
            message = f"exit {code} with text on stderr does not deny: {settings.title} goes on"
            yield Trap(message=message, line=line, hint=f"{settings.way_to_refuse()} denies")
    silent = _SILENT_EXIT.search(commands_of(text)) if is_shell(interpreter) and not _PRINTS.search(text) else None
    if silent and not _reads(hook, "", exit_code=2):
        message = f"exit 2 without text on stderr does not deny: {settings.title} goes on"
        yield Trap(message=message, line=line_at(text, silent.start()), hint="say why on stderr")


def _ignored_refusals(text: str, hook: Hook) -> Iterator[Trap]:
    settings = settings_of(hook.dialect)
    hint = f"to deny, {settings.refusal_hint or settings.way_to_refuse()}"
    found: dict[int, str] = {}
    for spelling in _SPELLINGS:
        place = spelling.pattern.search(text)
        if place and not any(_is_read(answer, hook) for answer in spelling.answers):
            found.setdefault(text.count("\n", 0, place.start()) + 1, spelling.shown)
    for line, answer in _ignored_answers(text, hook):
        found.setdefault(line, answer)
    for line, shown in found.items():
        yield Trap(message=f"{shown} is ignored: {settings.title} goes on", line=line, hint=hint)


def _ignored_answers(text: str, hook: Hook) -> Iterator[tuple[int, str]]:
    """Yield (line, answer) of each JSON object in *text* that refuses in hookrun's or some agent's spelling,
    and in which the agent of *hook* reads no refusal."""
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], 1):
        start = max(line.find("{"), 0)
        for answer in find_documents(line[start:].replace('\\"', '"')).documents:
            meant, is_read = read_opinion(answer), _is_read(answer, hook, as_it_is=True)
            before = _PRINTED_BEFORE.search(line[:start])
            if is_read and before and _loses_text_before(hook.dialect):
                yield number, f"an answer behind {before['text'].strip()[:_LONGEST_SHOWN]!r}"
            elif (meant.is_strict or meant.foreign) and not is_read:
                yield number, json.dumps(answer)[:_LONGEST_SHOWN]


def _is_read(answer: Mapping[str, Any], hook: Hook, *, as_it_is: bool = False) -> bool:
    """Say whether the agent of *hook* reads *answer* as a refusal; also when it has no reader."""
    inner = answer.get("hookSpecificOutput")
    if isinstance(inner, dict) and not as_it_is:
        answer = {"hookSpecificOutput": {"hookEventName": json.loads(hook.entry)["event"], **inner}}
    return _reads(hook, json.dumps(answer)) and not _words_of(answer) & _lost_words(hook.dialect)


def _reads(hook: Hook, stdout: str, *, exit_code: int = 0) -> bool:
    """Say whether the agent of *hook* reads a refusal in such an end of it; also when it has no reader."""
    reader = protocol_of(hook.dialect).read_answer
    if reader is None:
        return True
    own_event = json.loads(hook.entry)["event"]
    output = HandlerOutput(exit_code=exit_code, stdout=stdout, stderr="", own_event=own_event)
    events = [Event(event=trigger.event, dialect=hook.dialect) for trigger in hook.triggers]
    return any(reader(output, event).opinion.is_strict for event in events)


def _loses_text_before(agent: str) -> bool:
    """Say whether *agent* ignores an answer that other text precedes."""
    return any(
        effect.is_trap and effect.what.startswith("text ") and effect.what.endswith(" the JSON")
        for effect in settings_of(agent).effects_at("PreToolUse")
    )


@lru_cache(maxsize=32)
def _lost_words(agent: str) -> frozenset[tuple[str, str]]:
    """Return the decisions, as (key, word), that *agent* loses though hookrun, to be safe, reads them."""
    lost: set[tuple[str, str]] = set()
    heard: set[tuple[str, str]] = set()
    for effect in settings_of(agent).effects_at("PreToolUse"):
        for _, stdout, _ in effect.examples:
            words = _words_of(only_object(stdout) or {})
            lost, heard = (lost | words, heard) if effect.is_trap else (lost, heard | words)
    return frozenset(lost - heard)


def _words_of(answer: Mapping[str, Any]) -> set[tuple[str, str]]:
    inner = answer.get("hookSpecificOutput")
    pairs = [*answer.items(), *(inner.items() if isinstance(inner, dict) else ())]
    return {(key, word) for key, word in pairs if key in _DECIDING and isinstance(word, str)}


def _is_silent(agent: str, event: str) -> bool:
    """Say whether *agent* shows plain text of a hook for *event* to neither user nor model."""
    return any(
        effect.what in ("other text", "any output") and effect.becomes.startswith(NOBODY)
        for effect in settings_of(agent).effects_at(event)
    )


def _refusals(text: str, interpreter: str) -> Iterator[tuple[int, int]]:
    """Yield (line, exit code) of each exit with 1 or 2 after a text on stderr."""
    if is_python(interpreter):
        yield from _python_refusals(text)
    elif is_shell(interpreter):
        commands = commands_of(text)
        for found in _REFUSES.finditer(commands):
            yield line_at(commands, found.end() - 1), int(found["code"])


def _unseen(text: str, title: str, *, is_guarded: bool) -> Iterator[Trap]:
    """Yield the first plain text that a script prints, where it prints nothing that is an answer."""
    commands = commands_of(text)
    if _JSON.search(text):
        return
    for found in _SPEAKS.finditer(commands):
        rest = found["text"]
        if not re.search(r"[|>`]|\$\(|\)\s*$", rest) and not rest.lstrip("\"'").startswith("{"):
            hint = "to stderr, with exit 2, it is the reason" if is_guarded else "answer with JSON, or leave it out"
            message = f"what it prints is not shown: {title} ignores it"
            yield Trap(message=message, line=line_at(commands, found.start("text")), hint=hint)
            return


def _python_refusals(text: str) -> Iterator[tuple[int, int]]:
    """Yield exits with 1 or 2 after a text on stderr, and sys.exit("text"), which is both."""
    tree = python_tree(text)
    for node in ast.walk(tree) if tree else ():
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                yield from _in_block(block)


def _in_block(block: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
    for before, statement in zip((None, *block), block, strict=False):
        call = _exit_of(statement)
        if call is None or not call.args:
            continue
        argument = call.args[0]
        is_text = isinstance(argument, ast.JoinedStr) or (
            isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        )
        code = argument.value if isinstance(argument, ast.Constant) and type(argument.value) is int else 0
        if is_text:
            yield statement.lineno, 1
        elif code in (1, 2) and before is not None and "stderr" in ast.unparse(before):
            yield statement.lineno, code


def _exit_of(statement: ast.stmt) -> ast.Call | None:
    value = statement.value if isinstance(statement, ast.Expr) else None
    value = statement.exc if isinstance(statement, ast.Raise) else value
    is_exit = isinstance(value, ast.Call) and ast.unparse(value.func) in ("sys.exit", "exit", "SystemExit")
    return value if is_exit and isinstance(value, ast.Call) else None


# A key and a value as JSON or a mapping of Python has them, in a text or not; all bounded.
_PAIR = re.compile(
    r"""\\?["'](?P<key>[A-Za-z][\w -]{1,40})\\?["']\s*:\s*"""
    r"""(?:\\?["'](?P<word>[A-Za-z]{2,20})\\?["']|(?P<flag>[Tt]rue|[Ff]alse)\b)"""
)
_BARE_KEY = re.compile(
    r"""[{,]\s*(?P<key>[A-Za-z]\w{1,40})\s*:\s*(?:["'](?P<word>[A-Za-z]{2,20})["']|(?P<flag>true|false)\b)"""
)
_SAYS_NO = re.compile(
    r"""\b(?:exit|exitCode\s*=|return)\s*\(?\s*2\b|["']?(?:decision|permissionDecision)\\?["']?\s*:|\bhook_result\b"""
)
_COMMENT = re.compile(r"(?m)^\s*(?:#|//).*$")
_JAVASCRIPT = ("node", "nodejs", "bun", "deno")
_HINT = 'print {"decision": "deny", "reason": "..."}, or exit with 2'


def find_foreign_words(script: ScriptFile) -> Iterator[Finding]:
    """Yield the refusals of a guard that are spelled as hookrun does not read them, when it has no other."""
    if not script.is_guard or script.agent:
        return
    text = _COMMENT.sub("", script.text)  # the number of lines stays
    if _SAYS_NO.search(text):
        return
    patterns = (_PAIR, _BARE_KEY) if script.interpreter in _JAVASCRIPT else (_PAIR,)
    for found in (found for pattern in patterns for found in pattern.finditer(text)):
        value = found["word"] or found["flag"].lower() == "true"
        if is_foreign_refusal(found["key"], value):
            said = " ".join(found[0].replace("\\", "").strip("{, ").split())
            message = f"{said} is not a decision here: the guard fails instead of denying"
            yield script.finding(message, text.count("\n", 0, found.start("key")) + 1, hint=_HINT)

"""Words of a script that one agent does not hear: an exit code that it takes for a mishap, a decision in
another agent's spelling, text that nobody sees. Found in the text alone; data by agent."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence

from hookrun.agents import protocol_of
from hookrun.agents.answer_format import HandlerOutput
from hookrun.agents.settings import ASK, DENY_AT_THE_TOP, PERMISSION, settings_of
from hookrun.answers.shapes import read_opinion
from hookrun.commands.validate.shell_text import commands_of, line_at
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.json_objects import find_documents
from hookrun.model.values import Event, Hook
from hookrun.programs.interpreters import is_python, is_shell

# By the words for no that an agent may not read.
_PATTERNS = {
    DENY_AT_THE_TOP: re.compile(r"""(?<![A-Za-z_])\\?["']?decision\\?["']?\s*:\s*\\?["']deny\b"""),
    PERMISSION: re.compile(r"""\\?["']?permissionDecision\\?["']?\s*:\s*\\?["'](?:deny|ask)\b"""),
    ASK: re.compile(r"""\\?["']?permissionDecision\\?["']?\s*:\s*\\?["']ask\b"""),
}
# Bounded, so that the search stays linear whatever a file holds.
_REFUSES = re.compile(
    r"(?:>&\s*2|1>&2|>\s*/dev/stderr)[^\n;]{0,300}(?:;|\n|&&)[\s\v]{0,80}"
    r"(?:exit|return)[ \t]+(?P<code>[12])\b"
)
_SPEAKS = re.compile(r"(?m)(?:^|[;&{]|\bthen|\belse|\bdo)[ \t]*(?:echo|printf)[ \t]+(?P<text>[^\n]{1,300})")
_JSON = re.compile(r"hookSpecificOutput|permissionDecision|[\"']decision|additionalContext|systemMessage|\{ *\\?\"")


_MOST_LINES = 2_000  # of one script
_LONGEST_SHOWN = 60  # characters of an answer


class Trap(Frozen):
    """What is lost, in which line of the text, and what to write instead."""

    message: str
    line: int
    hint: str


def find_traps(text: str, interpreter: str, hook: Hook) -> Iterator[Trap]:
    """Yield what a script of *hook*, run by *interpreter*, says in vain to the agent of its settings."""
    events = [trigger.event for trigger in hook.triggers]
    title = settings_of(hook.dialect).title
    is_guarded = any(EVENTS[event].guarded for event in events if event in EVENTS)
    passing = settings_of(hook.dialect).codes_that_pass() if is_guarded and hook.on_failure is None else ()
    for line, code in _refusals(text, interpreter) if passing else ():
        if code in passing:
            yield Trap(
                message=f"exit {code} after a text on stderr refuses nothing: {title} goes on",
                line=line,
                hint=f"{settings_of(hook.dialect).way_to_refuse()} refuses",
            )
    told: set[int] = set()
    for word in settings_of(hook.dialect).lost_words if is_guarded else ():
        found = _PATTERNS[word.pattern].search(text)
        if found:
            told.add(_line(text, found.start()))
            message = f"{word.what} at the top of an answer is not heard: {title} goes on"
            if word.pattern != DENY_AT_THE_TOP:
                message = f"{word.what} is not heard: {title} goes on"
            yield Trap(message=message, line=_line(text, found.start()), hint=f"write {word.instead}")
    for line, answer in _unheard_refusals(text, hook) if is_guarded else ():
        if line not in told:
            message = f"{answer} is not heard: {title} goes on"
            yield Trap(message=message, line=line, hint=f"to refuse, {settings_of(hook.dialect).refusal_hint}")
    if is_shell(interpreter) and events and all(_is_silent(hook.dialect, event) for event in events):
        yield from _unseen(text, title, is_guarded=is_guarded)


def _unheard_refusals(text: str, hook: Hook) -> Iterator[tuple[int, str]]:
    """Yield (line, answer) of each JSON object in *text* that refuses in hookrun's words or some agent's, and
    in which the agent of *hook* reads no refusal."""
    reader = protocol_of(hook.dialect).read_answer
    own_event = json.loads(hook.entry)["event"]
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], 1):
        for answer in find_documents(line[_start_of_object(line) :].replace('\\"', '"')).documents:
            meant = read_opinion(answer)
            if not reader or not (meant.is_strict or meant.foreign):
                continue
            output = HandlerOutput(exit_code=0, stdout=json.dumps(answer), stderr="", own_event=own_event)
            events = [Event(event=each.event, dialect=hook.dialect) for each in hook.triggers]
            if not any(reader(output, event).opinion.is_strict for event in events):
                yield number, json.dumps(answer)[:_LONGEST_SHOWN]


def _start_of_object(line: str) -> int:
    return max(line.find("{"), 0)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _is_silent(agent: str, event: str) -> bool:
    """Say whether *agent* shows plain text of a hook for *event* to nobody."""
    return any(
        effect.what in ("other text", "any output") and effect.becomes.startswith("nobody")
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
            message = f"what it prints is seen by nobody: {title} passes it over"
            yield Trap(message=message, line=line_at(commands, found.start("text")), hint=hint)
            return


def _python_refusals(text: str) -> Iterator[tuple[int, int]]:
    """Yield exits with 1 or 2 after a text on stderr, and sys.exit("text"), which is both."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
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

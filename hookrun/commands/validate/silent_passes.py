"""Silent passes of shell guards: lines that end in success where the guard could not look."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.shell_text import commands_of, line_at, substitution_end
from hookrun.commands.validate.subject import ScriptFile
from hookrun.programs.interpreters import is_python, is_shell
from hookrun.programs.python_text import python_tree

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


_BROAD = ("Exception", "BaseException")
_EXITS = ("exit", "quit", "sys.exit", "os._exit", "SystemExit")
_READS = ("json.load", "json.loads", "load", "loads")
_HINT = "let it fail: a guard that fails denies; or print why and sys.exit(2)"


def find_python_passes(script: ScriptFile) -> Iterator[Finding]:
    """Yield the silent passes of a guard that Python runs: at its top level and in a function called main."""
    tree = python_tree(script.text) if script.is_guard and is_python(script.interpreter) else None
    if tree is None:
        return
    for node, block, is_main in _outer_statements(tree.body):
        if isinstance(node, ast.Try | ast.TryStar):
            is_all = node is block[-1] or _reads_payload(node.body)
            for handler in node.handlers:
                caught = _caught(handler, node.body)
                if caught and _ends_in_success(handler.body, is_main=is_main, is_all=is_all):
                    message = f"{caught} ends in success: an error in the guard lets everything through"
                    yield script.finding(message, handler.lineno, hint=_HINT)
        elif isinstance(node, ast.With) and any(_suppresses(item.context_expr) for item in node.items):
            message = "suppresses every exception: an error in the guard lets everything through"
            yield script.finding(message, node.lineno, hint=_HINT)


def _outer_statements(
    block: Sequence[ast.stmt], is_main: bool = False
) -> Iterator[tuple[ast.stmt, Sequence[ast.stmt], bool]]:
    """Yield the statements that run whenever the program does, with their block and whether it is main()."""
    for node in block:
        yield node, block, is_main
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "main":
            yield from _outer_statements(node.body, True)
        elif isinstance(node, ast.If):
            yield from _outer_statements(node.body, is_main)
            yield from _outer_statements(node.orelse, is_main)
        elif isinstance(node, ast.With | ast.Try | ast.TryStar):
            yield from _outer_statements(node.body, is_main)


def _caught(handler: ast.ExceptHandler, body: Sequence[ast.stmt]) -> str:
    """Say what *handler* catches when that is too much: everything, or what reading the payload raises."""
    if not _calls(body):
        return ""
    if handler.type is None:
        return "a bare except"
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    named = [_name(type_) for type_ in types]
    if any(name in _BROAD for name in named):
        return f"except {', '.join(named)}"
    if _reads_payload(body) and any(_is_decoding(name) for name in named):
        return f"except {', '.join(named)} around reading the payload"
    return ""


def _reads_payload(body: Sequence[ast.stmt]) -> bool:
    return any(_name(call.func) in _READS for call in _calls(body))


def _calls(body: Sequence[ast.stmt]) -> list[ast.Call]:
    return [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)]


def _is_decoding(name: str) -> bool:
    return name in ("ValueError", "KeyError", "JSONDecodeError", "json.JSONDecodeError", "json.decoder.JSONDecodeError")


def _ends_in_success(body: Sequence[ast.stmt], *, is_main: bool, is_all: bool) -> bool:
    """Say whether a handler passes: by an exit with 0, or by doing nothing about all of the program."""
    last = body[-1]
    if any(isinstance(node, ast.Raise) and not _is_success(node.exc) for node in ast.walk(ast.Module([*body], []))):
        return False
    if isinstance(last, ast.Pass):
        return is_all
    if isinstance(last, ast.Expr | ast.Raise):
        return _is_success(last.value if isinstance(last, ast.Expr) else last.exc)
    return is_main and isinstance(last, ast.Return) and _is_zero(last.value)


def _is_success(node: ast.expr | None) -> bool:
    """Say whether *node* is an exit with 0: sys.exit(0), exit(), SystemExit(0), os._exit(0)."""
    if not isinstance(node, ast.Call) or _name(node.func) not in _EXITS:
        return False
    return _is_zero(node.args[0] if node.args else None)


def _is_zero(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value in (0, None))


def _suppresses(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and _name(node.func) in ("suppress", "contextlib.suppress")
        and any(_name(argument) in _BROAD for argument in node.args)
    )


def _name(node: ast.AST) -> str:
    """Return a dotted name as text, "" for any other expression."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""

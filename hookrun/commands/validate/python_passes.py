"""Silent passes of Python guards: handlers around the whole program that end in success."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.script_file import ScriptFile
from hookrun.commands.validate.syntax import python_tree
from hookrun.programs.interpreters import is_python

_BROAD = ("Exception", "BaseException")
_EXITS = ("exit", "quit", "sys.exit", "os._exit", "SystemExit")
_READS = ("json.load", "json.loads", "load", "loads")
_HINT = "let it fail: a guard that fails denies; or print why and sys.exit(2)"


def find_python_passes(script: ScriptFile) -> Iterator[Finding]:
    """Yield the silent passes of a guard that Python runs: at its top level and in a function called main."""
    tree = python_tree(script) if script.is_guard and is_python(script.interpreter) else None
    if not isinstance(tree, ast.Module):
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

"""The text of a file -> whether it is a hook module: a factory for handlers, which does nothing by itself.

Run as a program, a module defines functions and exits with 0: a guard that is silently off.
"""

from __future__ import annotations

import os
import re

from hookrun.config.files import read_regular
from hookrun.model.frozen import Frozen
from hookrun.programs.python_text import python_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

TYPESCRIPT_SUFFIXES = (".ts", ".mts", ".cts", ".tsx")
JAVASCRIPT_SUFFIXES = (".js", ".mjs", ".cjs")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_PYTHON, _JAVASCRIPT, _TYPESCRIPT = "Python", "JavaScript", "TypeScript"
_LANGUAGE_BY_SUFFIX = {
    ".py": _PYTHON,
    **dict.fromkeys(JAVASCRIPT_SUFFIXES, _JAVASCRIPT),
    **dict.fromkeys(TYPESCRIPT_SUFFIXES, _TYPESCRIPT),
}
_LANGUAGE_BY_INTERPRETER = (
    (_PYTHON, ("python", "pypy", "uv")),
    (_TYPESCRIPT, ("tsx", "ts-node", "deno")),
    (_JAVASCRIPT, ("node", "bun")),
)
_IN_PYTHON = "write it in Python, in .hookrun/hooks, or as a program, in hooks/pre"
_ENTRIES = ("hook", "default", "activate")  # the last is how other systems of plugins call it
_WITH_NAMES_OF_THEIR_OWN = frozenset(
    (*("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda"), *("ListComp", "SetComp", "DictComp", "GeneratorExp"))
)
_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")
# What only a program does at the top level: it reads its event, or ends with a verdict.
_WORDS_OF_A_PROGRAM = frozenset(("stdin", "argv", "parse_args", "input", "exit", "_exit", "quit", "SystemExit"))
_TEXTS_OF_A_PROGRAM = ("/dev/stdin", "XBOT_TOOL", "HOOKRUN_TOOL", "HOOKRUN_COMMAND", "HOOKRUN_PATHS")
_READERS = ("open", "read", "fdopen")  # of descriptor 0
# What a factory does with the API that it is given.
_METHODS_OF_THE_API = frozenset(
    (
        *("on", "on_pre_tool_use", "on_post_tool_use", "on_event", "on_global_event", "on_all_tool_use"),
        *("on_error", "register_command", "register_message_renderer"),
    )
)
# Comments, texts and regular expressions of JavaScript; an expression never follows a value.
_NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
    r"|(?:(?<=[(,=:\[!&|?{};+])|(?<=\breturn))\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/",
    re.DOTALL,
)
_A_FACTORY = re.compile(
    r"\bexport\s+(?:async\s+)?(?:function|const|let)\s+activate\b|\bexports\s*\.\s*activate\s*=(?![=>])|"
    r"\bmodule\s*\.\s*exports\s*=(?![=>])(?!\s*\{(?![^}]*\bdefault\b))|\bexports\s*\.\s*default\s*=(?![=>])"
    r"|\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b|\bexport\s*=(?![=>])"
)
_A_PROGRAM = re.compile(
    r"\bprocess\s*\.\s*(?:stdin|exit|exitCode|argv|env\s*\.\s*(?:XBOT|HOOKRUN|CLAUDE)_)|\breadFileSync\s*\(\s*0\b"
    r"|\bDeno\s*\.\s*(?:stdin|exit|args)|\bBun\s*\.\s*(?:stdin|argv)"
)
_A_MAIN_PART = re.compile(
    r"\brequire\s*\.\s*main\b|\bimport\s*\.\s*meta\s*\.\s*main\b"
    r"|\bimport\s*\.\s*meta\s*\.\s*url\s*[=!]==?|==\s*import\s*\.\s*meta\s*\.\s*url\b"
)
_READS_STDIN = re.compile(r"""["']/dev/stdin["']""")
_EXPORTS = re.compile(r"\bexports?\b")
_SUBSCRIBES = re.compile(r"""\.\s*on\s*\(\s*["'`](?:tool_|session|context\b|before_agent|agent_|turn_|auto_)""")


class ModuleText(Frozen):
    """A hook module that is not run where it is."""

    language: str
    cause: str
    hint: str


def found_among_scripts(path: str, beginning: bytes) -> ModuleText | None:
    """Return what is wrong with the script at *path* when it is a hook module in a folder of scripts, else
    None. *beginning* are its first bytes."""
    language = _language(path, beginning)
    if not language or path.endswith(_DECLARATIONS):
        return None
    has_shebang = _shebang(beginning) != ""
    if language == _TYPESCRIPT and not has_shebang:
        return _typescript(path)
    try:
        text = read_regular(path)
    except OSError:
        return None
    if language == _PYTHON:
        return _python_among_scripts(path, text) if is_python_factory(text) else None
    if not is_javascript_factory(text.decode("utf-8", "replace")):
        return None
    return _typescript(path) if language == _TYPESCRIPT else _javascript(path)


def found_among_modules(path: str) -> ModuleText | None:
    """Return why the file at *path*, among modules, cannot be loaded when it is one in JavaScript or
    TypeScript, else None. A program, TypeScript with a shebang, is none."""
    if path.endswith(_DECLARATIONS):
        return None
    is_typescript = path.endswith(TYPESCRIPT_SUFFIXES)
    try:
        text = read_regular(path)
    except OSError:
        return _typescript(path) if is_typescript and not os.path.isdir(path) else None
    if is_javascript_factory(text.decode("utf-8", "replace")):
        return _typescript(path) if is_typescript else _javascript(path)
    return _typescript(path) if is_typescript and not _shebang(text) else None


def is_python_factory(text: bytes) -> bool:
    """Say whether a Python file binds `hook`, `default` or `activate` (or may, by a star import) and does
    nothing by itself: no `__main__` part, nothing read, nothing called. One that uses its API always is."""
    if not re.search(rb"\b(?:hook|default|activate)\b|import\s*\*", text):
        return False
    tree = python_tree(text)
    if tree is None or (b"__main__" in text and _has_main_part(tree)):
        return False
    names = _bound(tree)
    if names.isdisjoint((*_ENTRIES, "*")):
        return False
    return _uses_an_api(tree) or not any(_acts(node, names) for node in _outside_of_functions(tree))


def is_javascript_factory(text: str) -> bool:
    """Say whether *text*, JavaScript or TypeScript, exports a factory and is not a program. Comments and strings do not
    count."""
    if "export" not in text:
        return False
    code = _NO_CODE.sub(_without_text, text)
    spoken = _NO_CODE.sub(_without_comment, text)
    subscribes = bool(_SUBSCRIBES.search(spoken)) and bool(_EXPORTS.search(code))
    if _A_MAIN_PART.search(code) or not (subscribes or _A_FACTORY.search(code)):
        return False
    return subscribes or not (_A_PROGRAM.search(code) or _READS_STDIN.search(spoken))


def top_names(text: bytes) -> set[str] | None:
    """Return the names that a Python file binds outside of functions and classes, `*` among them for a star
    import; None when it cannot be read as Python."""
    tree = python_tree(text)
    return None if tree is None else _bound(tree)


def _python_among_scripts(path: str, text: bytes) -> ModuleText:
    names = top_names(text) or set()
    renamed = "" if names & {"hook", "default", "*"} else "call its function `hook` instead of `activate`, and "
    return ModuleText(
        language=_PYTHON,
        cause=f"{os.path.basename(path)} is a hook module; run as a program it would do nothing",
        hint=f"{renamed}put it into .hookrun/hooks: hooks/pre and hooks/post run programs",
    )


def _javascript(path: str) -> ModuleText:
    return ModuleText(
        language=_JAVASCRIPT,
        cause=f"{os.path.basename(path)} is a hook module in JavaScript, and this version runs none",
        hint=_IN_PYTHON,
    )


def _typescript(path: str) -> ModuleText:
    return ModuleText(
        language=_TYPESCRIPT,
        cause=f"{os.path.basename(path)}: TypeScript modules are not run by this version",
        hint=_IN_PYTHON,
    )


def _language(path: str, beginning: bytes) -> str:
    for name in (path, os.path.realpath(path)) if os.path.islink(path) else (path,):
        if found := _LANGUAGE_BY_SUFFIX.get(os.path.splitext(name)[1]):
            return found
    words = {os.path.basename(word).rstrip("0123456789.") for word in _shebang(beginning).split()}
    return next((name for name, programs in _LANGUAGE_BY_INTERPRETER if words & set(programs)), "")


def _shebang(beginning: bytes) -> str:
    line = beginning.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return line[2:].decode("utf-8", "replace").strip() if line.startswith(b"#!") else ""


def _without_text(found: re.Match[str]) -> str:
    """Return the quotes of a text, so that the code around it stays what it is."""
    sign = found[0][:1]
    return sign * 2 if sign in "\"'`" else " "


def _without_comment(found: re.Match[str]) -> str:
    return " " if found[0].startswith(("//", "/*")) else found[0]


def _has_main_part(tree: Any) -> bool:
    """Say whether a part is for the file run as a program; one that does nothing is none."""
    parts = [node for node in tree.body if not _does_nothing(node)]
    nodes = (node for part in parts for node in (part, *_all_below(part)))
    return any(getattr(node, "value", None) == "__main__" for node in nodes)


def _does_nothing(node: Any) -> bool:
    if type(node).__name__ != "If" or node.orelse:
        return False
    return all(
        type(line).__name__ == "Pass" or (type(line).__name__ == "Expr" and type(line.value).__name__ == "Constant")
        for line in node.body
    )


def _bound(tree: Any) -> set[str]:
    return {name for node in _outside_of_functions(tree) for name in _names_of(node)}


def _outside_of_functions(tree: Any) -> Iterator[Any]:
    """Yield the nodes outside of functions and classes, and those that define them. Nodes are recognised by name, as
    importing ast is slow."""
    unread: list[Any] = list(tree.body)
    while unread:
        node = unread.pop()
        yield node
        if type(node).__name__ not in _WITH_NAMES_OF_THEIR_OWN:
            unread += _parts_of(node)


def _names_of(node: Any) -> Iterator[str]:
    kind = type(node).__name__
    if kind in (*_FUNCTIONS, "ClassDef"):
        yield node.name
    elif kind in ("Import", "ImportFrom"):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif kind == "Name" and type(node.ctx).__name__ == "Store":
        yield node.id


def _acts(node: Any, names: Iterable[str]) -> bool:
    """Say whether *node*, outside of functions, is what a program does: it calls the entry, calls a function
    for what that does, reads its event, ends."""
    kind = type(node).__name__
    if kind == "Attribute":
        return node.attr in _WORDS_OF_A_PROGRAM
    if kind == "Name":
        return node.id in _WORDS_OF_A_PROGRAM
    if kind == "Constant":
        return isinstance(node.value, str) and node.value.startswith(_TEXTS_OF_A_PROGRAM)
    if kind == "Call":
        return _name(node.func) in _ENTRIES or _reads_descriptor_0(node)
    if kind == "Expr":
        return any(
            type(part).__name__ == "Call" and (_name(part.func) in names or "*" in names)
            for part in (node.value, *_all_below(node.value))
        )
    return False


def _reads_descriptor_0(call: Any) -> bool:
    name = _name(call.func) or getattr(call.func, "attr", "")
    first = call.args[0] if call.args else None
    value = getattr(first, "value", None)
    return name in _READERS and type(value) is int and value == 0


def _uses_an_api(tree: Any) -> bool:
    """Say whether an entry calls a method of a hook module's API on its first parameter."""
    for node in _outside_of_functions(tree):
        if type(node).__name__ in _FUNCTIONS and node.name in _ENTRIES:
            first = next((part.arg for part in (*node.args.posonlyargs, *node.args.args)), "")
            if first and any(_is_method_of(first, part) for part in _all_below(node)):
                return True
    return False


def _is_method_of(name: str, node: Any) -> bool:
    return type(node).__name__ == "Attribute" and node.attr in _METHODS_OF_THE_API and _name(node.value) == name


def _name(node: Any) -> str:
    return node.id if type(node).__name__ == "Name" else ""


def _all_below(node: Any) -> Iterator[Any]:
    unread = list(_parts_of(node))
    while unread:
        part = unread.pop()
        yield part
        unread += _parts_of(part)


def _parts_of(node: Any) -> Iterator[Any]:
    for field in getattr(node, "_fields", ()):
        value = getattr(node, field, None)
        yield from value if isinstance(value, list) else (value,)

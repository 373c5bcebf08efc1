"""Python source -> its tree, or what is wrong with its syntax, without what importing ast costs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ONLY_A_TREE = 0x400  # ast.PyCF_ONLY_AST


def python_tree(text: str | bytes, path: str = "") -> Any | None:
    """Return the tree of Python source, an ast.Module; None for anything else."""
    try:
        return _parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def python_flaw(text: str | bytes, path: str) -> tuple[str, int]:
    """Return (what is wrong, line) with the syntax of Python source; "" when nothing is."""
    try:
        _parse(text, path)
    except SyntaxError as error:
        return error.msg, error.lineno or 0
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "it is nested too deeply", 0
    return "", 0


def _parse(text: str | bytes, path: str) -> Any:
    import warnings

    with warnings.catch_warnings():  # a "\\d" in a script is no reason to warn at every event
        warnings.simplefilter("ignore")
        return compile(text, path, "exec", _ONLY_A_TREE, dont_inherit=True)

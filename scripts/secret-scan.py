#!/usr/bin/env python3
"""Deny writes that would put keys, tokens or passwords into a file. Prints no secret."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

from secret_patterns import PRIVATE_KEY, secrets  # noqa: E402
from tool_call import answer, read_call, written_texts  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tool_call import Call, Verdict

ADVICE = "Read it from the environment or a secret store, and write a placeholder such as <token>."


def main() -> int:
    return answer(judged(read_call()))


def judged(call: Call) -> Verdict:
    """Return ("deny", where and what kind) when *call* writes a secret, else None."""
    found = [
        f"{kind} in {call.relative(path)}, line {line} of the new text{start}"
        for path, text in written_texts(call)
        for line, kind, start in sorted(set(_secrets(text)))
    ]
    if not found:
        return None
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return "deny", f"{'; '.join(found[:3])}{more}. {ADVICE}"


def _secrets(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and at most four characters of each secret in *text*."""
    for kind, start, _ in secrets(text):
        is_token = kind != PRIVATE_KEY and not kind.startswith("password")
        begins = f" ({text[start : start + 4]}...)" if is_token else ""
        yield text.count("\n", 0, start) + 1, kind, begins


if __name__ == "__main__":
    sys.exit(main())

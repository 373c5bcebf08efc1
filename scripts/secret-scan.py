#!/usr/bin/env python3
"""Deny writes that would put keys, tokens or passwords into a file. Prints no secret."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import re  # noqa: E402

from tool_call import answer, read_call, writes  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tool_call import Call, Verdict

TOKENS = (
    ("AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ("GitHub token", r"\bgithub_pat_\w{40,}"),
    ("GitLab token", r"\bglpat-[\w-]{20,}"),
    ("Slack token", r"\bxox[abeoprs]-[\w-]{10,}"),
    ("Slack webhook", r"https://hooks\.slack\.com/services/T\w+/B\w+/\w{16,}"),
    ("Stripe key", r"\b[sr]k_live_[0-9A-Za-z]{16,}"),
    ("Google API key", r"\bAIza[\w-]{35}"),
    ("Anthropic key", r"\bsk-ant-[\w-]{20,}"),
    ("OpenAI key", r"\bsk-(?!ant-)(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-AgE[\w-]{50,}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{34,}"),
    ("SendGrid key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    ("JSON web token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}"),
)
# Values that are secrets only when they look random: the last group is the value.
NAMES = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api_?key|access_?key|auth_?key|private_?key|credentials?)"
)
VALUES = (
    ("password", rf"""(?i){NAMES}[\w-]*["']?\s*(?::=|=>|[:=])\s*["']([^"'\s]{{12,}})["']"""),
    ("password", rf"(?m)^\s*(?:export +)?[A-Z0-9_]*{NAMES.upper()}[A-Z0-9_]*=([\w+/=!@#%^&*-]{{16,}})\s*$"),
    ("password in an address", r"\b[a-z][a-z0-9+]+://[^\s:/@]+:([^\s@/]{8,})@"),
)
PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|fake|placeholder|change.?me|replace|redacted|your[-_ ]|x{4}|\*{3}|\.{3}|"
    r"<[^>]+>|\$\{|\$\(|\{\{|%\(|^\$\w+$|^[\w.]*(?:environ|getenv|process\.env|secrets?\.)"
)
ADVICE = "Read it from the environment or a secret store, and write a placeholder such as <token>."


def main() -> int:
    return answer(judged(read_call()))


def judged(call: Call) -> Verdict:
    """Return ("deny", where and what kind) when *call* writes a secret, else None."""
    found = [
        f"{kind} in {call.relative(write.path)}, line {line} of the new text{start}"
        for write in writes(call)
        for line, kind, start in sorted(set(_secrets(write.new)))
    ]
    if not found:
        return None
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return "deny", f"{'; '.join(found[:3])}{more}. {ADVICE}"


def _secrets(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and at most four characters of each secret in *text*."""
    for kind, pattern in TOKENS:
        for match in re.finditer(pattern, text):
            if kind == "private key" or not PLACEHOLDER.search(match.group()):
                start = "" if kind == "private key" else f" ({match.group()[:4]}...)"
                yield text.count("\n", 0, match.start()) + 1, kind, start
    for kind, pattern in VALUES:
        for match in re.finditer(pattern, text):
            if _looks_random(match.group(1)) and not re.search("(?i)hash|digest", match.group()):
                yield text.count("\n", 0, match.start(1)) + 1, kind, ""


def _looks_random(value: str) -> bool:
    """Whether *value* has letters and digits and at least 3.2 bits of entropy a character."""
    if PLACEHOLDER.search(value) or "://" in value or value[:1] in "/.":
        return False
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    import math

    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares) >= 3.2


if __name__ == "__main__":
    sys.exit(main())

"""What keys, tokens and passwords look like, and where they are in a text."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PRIVATE_KEY = "private key"
_KEY_NAME = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?"
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
    # Up to its end, or as many lines as look like it where that was cut off; line ends may be spelled out.
    (
        PRIVATE_KEY,
        rf"-----BEGIN {_KEY_NAME}-----(?:(?:(?!-----)[\s\S]){{0,16000}}-----END {_KEY_NAME}-----|"
        r"(?:(?:\s|\\[rn])+(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]+: [^\n\\]*))*)",
    ),
    ("JSON web token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}"),
)
# Values that are secrets only when they look random: the last group is the value.
NAMES = r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api_?key|access_?key|auth_?key|private_?key|credentials?)"
VALUES = (
    ("password", rf"""(?i){NAMES}[\w-]*["']?\s*(?::=|=>|[:=])\s*["']([^"'\s]{{12,}})["']"""),
    ("password", rf"(?m)^\s*(?:export +)?[A-Z0-9_]*{NAMES.upper()}[A-Z0-9_]*=([\w+/=!@#%^&*-]{{16,}})\s*$"),
    ("password in an address", r"\b[a-z][a-z0-9+]+://[^\s:/@]+:([^\s@/]{8,})@"),
)
PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|fake|placeholder|change.?me|replace|redacted|your[-_ ]|x{4}|\*{3}|\.{3}|"
    r"<[^>]+>|\$\{|\$\(|\{\{|%\(|^\$\w+$|^[\w.]*(?:environ|getenv|process\.env|secrets?\.)"
)


def secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of each secret in *text*; they may overlap."""
    for kind, pattern in TOKENS:
        for match in re.finditer(pattern, text):
            if kind == PRIVATE_KEY or not PLACEHOLDER.search(match.group()):
                yield kind, match.start(), match.end()
    for kind, pattern in VALUES:
        for match in re.finditer(pattern, text):
            if _looks_random(match.group(1)) and not re.search("(?i)hash|digest", match.group()):
                yield kind, match.start(1), match.end(1)


def _looks_random(value: str) -> bool:
    """Whether *value* has letters and digits and at least 3.2 bits of entropy a character."""
    if PLACEHOLDER.search(value) or "://" in value or value[:1] in "/.":
        return False
    if not (re.search("[0-9]", value) and re.search("[A-Za-z]", value)):
        return False
    import math

    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares) >= 3.2

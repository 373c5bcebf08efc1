"""Texts: the word that was probably meant, colours of a terminal, secrets masked, names of variables."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST_WORD = 100  # characters; comparing costs their product


def nearest(word: str, words: Iterable[str], *, similarity: float = 0.6) -> str:
    """Return the closest of *words* to *word*, ignoring case, "" where none reaches *similarity* (0 to 1)."""
    from difflib import get_close_matches

    word_by_folded: dict[str, str] = {}
    for candidate in words:
        word_by_folded.setdefault(candidate.lower(), candidate)
    found = get_close_matches(word.lower()[:_LONGEST_WORD], word_by_folded, n=1, cutoff=similarity)
    return word_by_folded[found[0]] if found else ""


def did_you_mean(word: str, words: Iterable[str], otherwise: str = "") -> str:
    """Return the hint for an unknown *word*: the nearest of *words*, else *otherwise*, else all of *words*."""
    known = list(words)
    near = nearest(word, known)
    return f"did you mean {near}?" if near else otherwise or f"known: {', '.join(known)}"


# ECMA-48, select graphic rendition; the first eight colours are the reader's own palette.
_CODE_BY_STYLE = {"dim": "2", "ok": "32", "warn": "33", "err": "31", "info": "36", "accent": "35"}
RESET = "\x1b[0m"


def painted(text: str, style: str) -> str:
    """Return *text* for a terminal in *style*, unchanged where the style is empty or unknown."""
    code = _CODE_BY_STYLE.get(style)
    return f"\x1b[{code}m{text}{RESET}" if code and text else text


def painted_parts(text: str) -> list[str]:
    """Return *text* split at the colours of ``painted``: every second part is such a colour."""
    if "\x1b[" not in text:
        return [text]
    return re.split(f"(\x1b\\[(?:0|{'|'.join(_CODE_BY_STYLE.values())})m)", text)


# Parts of a name, as in API_KEY, apiKey and X-Auth-Token; MONKEY, KEYBOARD and AUTHOR have none of them.
_PARTS = frozenset(
    "KEY KEYS TOKEN SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS PWD CREDENTIAL CREDENTIALS "
    "CREDS AUTH OAUTH AUTHORIZATION PAT DSN COOKIE COOKIES PRIVATE SIGNATURE SIG BEARER JWT".split()
)
# Words that are written into others, as in PGPASSWORD and SSHPASS.
_ENDINGS = ("PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIALS", "APIKEY", "ACCESSKEY", "SSHPASS")
_FOLDERS = ("PWD", "OLDPWD")
MASK = "***"

_VALUE = r"""(?:(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\&;|])+|["'][^\n]*)"""
_SIGN = r"(?:=|\s?:(?!//)\s?)"
_ASSIGNED = rf"""(?P<name>-{{0,2}}[A-Za-z_][\w.-]*)(?P<sign>["']?{_SIGN}){_VALUE}"""
_QUOTED = rf"""(?<=(?P<quote>["']))(?P<name>-{{0,2}}[A-Za-z_][\w.-]*)(?P<sign>{_SIGN})(?:(?!(?P=quote)).)+"""
_OPTION = rf"""(?P<name>(?<![\w-])--?[A-Za-z][\w-]*)(?P<sign>["']?,?\s+(?!["']?-)){_VALUE}"""
_SCHEME = r"(?i)\b(bearer|basic|digest)(\s+)[\w.~+/=:-]{3,}"
_IN_ADDRESS = r"(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@'\"]+@"


def looks_secret(name: str) -> bool:
    """Say whether a variable, an option or a field of this name holds a secret."""
    if name in _FOLDERS:
        return False
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", " ", name).upper().split()
    plain = [part.rstrip("0123456789") for part in parts]
    return any(part in _PARTS or part.endswith(_ENDINGS) for part in plain)


def without_secrets(text: str) -> str:
    """Return a command or a value with ``***`` for what its own words say is secret.

    These are ``NAME=value``, ``--token value``, ``Api-Key: value``, ``Bearer value``, and the user of a URL.
    """
    if text.isalnum():
        return text
    text = re.sub(_SCHEME, rf"\1\2{MASK}", text)
    text = re.sub(_IN_ADDRESS, rf"\1{MASK}@", text)
    text = re.sub(_QUOTED, _masked, text)
    text = re.sub(_ASSIGNED, _masked, text)
    return re.sub(_OPTION, _masked, text)


def _masked(found: re.Match[str]) -> str:
    if not looks_secret(found["name"]):
        return found[0]
    return f"{found['name']}{found['sign']}{MASK}"


# Without these hardly any program runs, so no list has to name them.
ALWAYS_PASSED = ("PATH", "HOME", "TMPDIR", "LANG", "LC_*")
WANTED = 'names of variables, such as ["AWS_REGION", "NPM_*"]'


def is_pattern(text: object) -> bool:
    """Say whether *text* is a variable's name: letters, digits, ``_``, and ``*`` for any run of them."""
    if not isinstance(text, str) or not text.isascii() or text[:1].isdigit():
        return False
    return text.replace("*", "a").replace("_", "a").isalnum()

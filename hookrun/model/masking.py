"""What looks like a key by its name, and text without the values of such names: neither is ever printed."""

from __future__ import annotations

import re

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
    """Say whether a variable, an option or a field of this name holds what nobody else should see."""
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

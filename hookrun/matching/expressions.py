"""JavaScript's, Go's and Rust's regular expressions as Python's; what cannot be translated is said. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

JAVASCRIPT = "JavaScript"
GO = "Go"
RUST = "Rust"

# Python's engine may try every way through a repetition within a repetition: of such an expression only
# short texts are tried, of any other those that are no longer than a name or a command can be.
MOST_CHARACTERS = 4096
MOST_CHARACTERS_NESTED = 20
_POSIX = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "A-Za-z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "word": r"\w",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
}


class Expression:
    """A compiled expression. ``is_risky`` says that it repeats a repetition, so that only texts of
    MOST_CHARACTERS_NESTED are tried."""

    __slots__ = ("_pattern", "is_risky")

    def __init__(self, text: str, language: str, *, is_anchored: bool = False) -> None:
        """Raises ValueError, which says what *language* or Python cannot read in *text*."""
        import re
        import warnings

        translation = _Translation(text, language)
        self.is_risky = translation.is_risky
        translated = f"(?:{translation.text})\\Z" if is_anchored else translation.text
        flags = re.ASCII if language != RUST else re.NOFLAG
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                compiled = re.compile(translated, flags)
        except (re.error, RecursionError, OverflowError, Warning) as error:
            raise ValueError(str(error)) from None
        self._pattern = compiled.match if is_anchored else compiled.search

    def accepts(self, text: str) -> bool | None:
        """Say whether the expression is found in *text*; None where that would take too long to find out."""
        if len(text) > (MOST_CHARACTERS_NESTED if self.is_risky else MOST_CHARACTERS):
            return None
        return self._pattern(text) is not None


@lru_cache(maxsize=1024)
def compile_expression(text: str, language: str, *, is_anchored: bool = False) -> Expression:
    """Return *text* compiled as *language* reads it; found anywhere in a name, or *is_anchored* the whole.

    Raises ValueError, which says what cannot be read or translated.
    """
    return Expression(text, language, is_anchored=is_anchored)


class _Translation:
    """One pass over an expression: what Python calls the same, and whether repetitions are nested."""

    def __init__(self, text: str, language: str) -> None:
        self.is_risky = False
        self._source = text
        self._language = language
        self._place = 0
        self._parts: list[str] = []
        self._groups: list[bool] = [False]  # of each open group: whether it repeats or has alternatives
        self._closed = False  # what was closed last, a group, repeats or has alternatives
        self._may_repeat = False
        while self._place < len(text):
            self._step(text[self._place])
        self.text = "".join(self._parts)

    def _step(self, sign: str) -> None:
        handler: Callable[[], None] | None = {
            "\\": self._escape,
            "[": self._class,
            "(": self._open,
            ")": self._close,
        }.get(sign)
        if handler:
            handler()
        elif sign in "*+?{" and self._quantifier():
            pass
        else:
            self._plain(sign)

    def _plain(self, sign: str) -> None:
        if sign == "|":
            self._groups[-1] = True
        written = {"$": r"\Z", ".": r"[^\n\r\u2028\u2029]", "{": r"\{"}.get(sign, sign)
        if sign == "." and self._language != JAVASCRIPT:
            written = "."
        self._put(written, 1, may_repeat=sign not in "|^")

    def _put(self, written: str, consumed: int, *, may_repeat: bool = True, closed: bool = False) -> None:
        self._parts.append(written)
        self._place += consumed
        self._may_repeat = may_repeat
        self._closed = closed

    def _quantifier(self) -> bool:
        import re

        found = re.compile(r"[*+?]|\{\d+(,\d*)?\}").match(self._source, self._place)
        if not found:
            return False  # a brace that stands for itself
        if not self._may_repeat:
            raise ValueError(f"nothing to repeat at position {self._place}")
        quantifier = found[0]
        is_unbounded = quantifier in "*+" or quantifier.endswith(",}")
        self.is_risky |= is_unbounded and self._closed
        if is_unbounded:
            self._groups[-1] = True
        end = found.end()
        if self._source.startswith("?", end):
            quantifier += "?"
        self._put(quantifier, len(quantifier), may_repeat=False)
        return True

    def _open(self) -> None:
        rest = self._source[self._place : self._place + 4]
        opening = "("
        written = "("
        if rest.startswith("(?"):
            opening, written = self._special_group(rest)
        self._groups.append(False)
        self._put(written, len(opening), may_repeat=False)

    def _special_group(self, rest: str) -> tuple[str, str]:
        if rest.startswith("(?:"):
            return "(?:", "(?:"
        if rest.startswith(("(?=", "(?!", "(?<=", "(?<!")):
            if self._language != JAVASCRIPT:
                raise ValueError(f"{self._language} has no lookaround")
            opening = rest if rest.startswith("(?<") else rest[:3]
            return opening, opening
        if rest.startswith("(?P<") and self._language != JAVASCRIPT:
            return "(?P<", "(?P<"
        if rest.startswith("(?<"):
            return "(?<", "(?P<"
        if self._language != JAVASCRIPT and rest[2:3].isalpha() and rest[2:3] != "P":
            return "(?", "(?"  # flags, which Python knows in one place only, and says so
        raise ValueError(f"{self._language} knows no group {rest!r}")

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise ValueError(f"unbalanced parenthesis at position {self._place}")
        repeats = self._groups.pop()
        self._groups[-1] |= repeats
        self._put(")", 1, closed=repeats)

    def _escape(self) -> None:
        written, consumed = self._escaped(self._source[self._place + 1 : self._place + 2])
        self._put(written, consumed, may_repeat=written not in (r"\b", r"\B"))

    def _escaped(self, sign: str) -> tuple[str, int]:
        is_javascript = self._language == JAVASCRIPT
        if not sign:
            raise ValueError("it ends with a backslash")
        if sign.isdigit() and sign != "0" and not is_javascript:
            raise ValueError(f"{self._language} has no backreferences")
        if sign == "k" and is_javascript and self._source.startswith("<", self._place + 2):
            name = self._source[self._place + 3 :].partition(">")[0]
            return f"(?P={name})", len(name) + 4
        if sign in "pPucCQEXG":
            return self._of_letters(sign)
        return self._of_one_sign(sign, is_javascript=is_javascript), 2

    def _of_one_sign(self, sign: str, *, is_javascript: bool) -> str:
        if sign in "zA" and not is_javascript:
            return r"\Z" if sign == "z" else r"\A"
        if sign == "0":
            return r"\x00"
        if sign.isascii() and sign.isalpha() and sign not in "dDwWsSbBnrtfvx":
            if not is_javascript and sign != "a":
                raise ValueError(f"{self._language} knows no \\{sign}")
            return sign if is_javascript else r"\a"
        return f"\\{sign}"

    def _of_letters(self, sign: str) -> tuple[str, int]:
        """What has a meaning of its own: only ``\\uXXXX`` is Python's as well."""
        digits = self._source[self._place + 2 : self._place + 6]
        is_hex = len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
        if sign == "u" and is_hex and self._language == JAVASCRIPT:
            return f"\\u{digits}", 6
        raise ValueError(f"\\{sign} of {self._language} cannot be translated")

    def _class(self) -> None:
        start = self._place
        place = start + 1
        negated = self._source.startswith("^", place)
        place += negated
        parts = ["[^" if negated else "["]
        if self._language != JAVASCRIPT and self._source.startswith("]", place):
            parts.append(r"\]")
            place += 1
        while not self._source.startswith("]", place):
            if place >= len(self._source):
                raise ValueError(f"unterminated character set at position {start}")
            written, place = self._in_class(place)
            parts.append(written)
        if len(parts) == 1:  # [] is nothing, [^] anything
            self._put(r"[\s\S]" if negated else r"(?!)", place + 1 - start)
        else:
            self._put("".join(parts) + "]", place + 1 - start)

    def _in_class(self, place: int) -> tuple[str, int]:
        sign = self._source[place]
        if sign == "\\":
            self._place, before = place, self._place
            written, consumed = self._escaped(self._source[place + 1 : place + 2])
            self._place = before
            return (r"\b" if written == r"\b" else written), place + consumed
        if self._source.startswith("[:", place) and self._language != JAVASCRIPT:
            name, _, _ = self._source[place + 2 :].partition(":]")
            if name not in _POSIX:
                raise ValueError(f"{self._language} knows no [:{name[:20]}:]")
            return _POSIX[name], place + len(name) + 4
        return (f"\\{sign}" if sign in "[&~|" else sign), place + 1

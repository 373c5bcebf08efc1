"""The word that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST_WORD = 100  # characters; comparing costs their product


def nearest(word: str, words: Iterable[str], *, similarity: float = 0.6) -> str:
    """Return the one of *words* that is most like *word*, without regard to case; "" when none is near.

    *similarity*, from 0 to 1, is how like it must be.
    """
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

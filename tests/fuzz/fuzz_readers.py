"""Fuzz what reads manifests, settings and answers: `fuzz_readers.py TARGET FOLDER SECONDS`.

The seeds are in corpus/TARGET; what is found in FOLDER: inputs that reach new code in TARGET/, one that
breaks a promise as TARGET-crash-... (put it into the corpus when it is mended: tests read it for good).
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import atheris

_WATCHED = ("config", "matching", "agents", "programs", "events", "sources", "answers", "pipeline")
# All of it now: what is imported only where it is needed would come too late to be watched.
with atheris.instrument_imports(include=["hookrun", "yaml", "tomllib"]):
    import tomllib  # noqa: F401

    import yaml  # noqa: F401

    import hookrun

    for _module in pkgutil.walk_packages(hookrun.__path__, "hookrun."):
        if _module.name.split(".")[1] in _WATCHED:
            importlib.import_module(_module.name)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from fuzz.targets import TARGETS, VOCABULARY, prepare  # noqa: E402

_SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
_LONGEST_INPUT = 2048  # bytes
_SLOWEST = 10  # seconds that one input may take
_MEMORY = 2048  # MiB


def main(target: str, folder: str, seconds: str) -> None:
    """Fuzz *target* for *seconds*; ends the process, with 0 when nothing was found."""
    found = os.path.join(folder, target)
    os.makedirs(found, exist_ok=True)
    vocabulary = os.path.join(folder, f"{target}.dict")
    with open(vocabulary, "w", encoding="utf-8") as file:
        file.writelines(f'"{word}"\n' for word in dict.fromkeys(VOCABULARY[target]))
    place = os.path.join(folder, f"{target}-files")
    prepare(place)
    check = TARGETS[target]
    options = {
        "max_total_time": seconds,
        "max_len": _LONGEST_INPUT,
        "len_control": 20,  # how slowly inputs grow
        "timeout": _SLOWEST,
        "rss_limit_mb": _MEMORY,
        "dict": vocabulary,
        "artifact_prefix": os.path.join(folder, f"{target}-"),
        "print_final_stats": 1,
    }
    words = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *words, found, os.path.join(_SEEDS, target)], lambda data: check(data, place))
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])

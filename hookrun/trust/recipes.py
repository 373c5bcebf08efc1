"""What commands and scripts run that is not beside them: recipes of `make`, `npm` and the like, and files
by their path from the project."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookrun.config.paths import is_inside
from hookrun.trust.stat_cache import Look

# In which files programs look up what their arguments mean.
_RECIPES = {
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
    **dict.fromkeys(("npm", "npx", "yarn", "pnpm", "bun"), ("package.json", ".npmrc")),
    **dict.fromkeys(("poetry", "pdm", "hatch", "uv"), ("pyproject.toml",)),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    "rake": ("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"),
    "deno": ("deno.json", "deno.jsonc"),
    "composer": ("composer.json",),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg"),
    "nox": ("noxfile.py",),
}


def recipes(words: tuple[str, ...], folders: tuple[str, ...], top: str, look: Look) -> list[str]:
    """Return the files in *folders* in which the programs of a command look up what to run."""
    programs = [_RECIPES[name] for name in map(os.path.basename, words) if name in _RECIPES]
    places = [os.path.join(folder, name) for folder in folders for names in programs for name in names]
    return [place for place in dict.fromkeys(places) if is_inside(place, top) and look.is_file(place)]


def run_from_top(text: str, top: str, look: Look) -> Iterator[tuple[str, bool]]:
    """Yield the files that a text names by a path from the project's folder, and whether it runs them: else a
    variable stands before the path, and a guard may only compare it."""
    import re

    starter = r"(?<![\w./-])(?=(?:\.|source|exec|\w*sh|python3?|node|perl|ruby)\s+(?:-\S+\s+)*"
    runs = starter + r"[\"']?([\w@+-][\w./@+-]*|\./[\w./@+-]+))"
    after_variable = r"(?:\$\w+|[})])[\"']?/([\w.@+-]+(?:/[\w.@+-]+)*)"
    for pattern, is_run in ((runs, True), (after_variable, False)):
        for token in dict.fromkeys(re.findall(pattern, text)):
            place = os.path.normpath(os.path.join(top, token))
            if is_inside(place, top) and look.is_file(place):
                yield place, is_run

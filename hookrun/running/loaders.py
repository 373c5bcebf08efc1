"""Variables that make interpreters load files: a repository may have set them, and none may bring its own.

What hooks and guards run by is the user's to choose. An agent takes variables from a project's settings, and
one of these would put the project's code into every guard.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from hookrun.config.config import Config
from hookrun.config.paths import differs_by_process, is_inside
from hookrun.model.values import Problem

_LIST, _LIBRARIES, _FILE, _OPTIONS, _NEVER = "list", "libraries", "file", "options", "never"
_WARNINGS = "warnings"
LOADERS = {
    **dict.fromkeys(
        "PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONSTARTUP PYTHONEXECUTABLE NODE_PATH PERL5LIB PERLLIB "
        "RUBYLIB GEM_HOME GEM_PATH GIT_EXEC_PATH FPATH ZDOTDIR LD_LIBRARY_PATH DYLD_LIBRARY_PATH "
        "DYLD_FRAMEWORK_PATH DYLD_FALLBACK_LIBRARY_PATH DYLD_FALLBACK_FRAMEWORK_PATH GCONV_PATH "
        "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM".split(),
        _LIST,
    ),
    **dict.fromkeys("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES".split(), _LIBRARIES),
    **dict.fromkeys("BASH_ENV ENV".split(), _FILE),
    **dict.fromkeys("NODE_OPTIONS PERL5OPT RUBYOPT".split(), _OPTIONS),
    "PYTHONWARNINGS": _WARNINGS,
    # SHELLOPTS=noexec has bash read a guard and run nothing of it, which would end with 0; so has MAKEFLAGS=n
    # make. PYTHONINSPECT has Python go on with its input, PERL5DB is code.
    **dict.fromkeys(
        "SHELLOPTS BASHOPTS PERL_USE_UNSAFE_INC PERL5DB PYTHONINSPECT MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES".split(),
        _NEVER,
    ),
}
FUNCTIONS = "BASH_FUNC_"  # a function that bash takes from its environment can stand in for any command
_LOADING = (
    "-r", "--require", "--import", "--loader", "--experimental-loader", "--experimental-config-file",
    "--env-file", "--env-file-if-exists", "-I", "-Mlib", "-mlib",
)  # fmt: skip


def without_loaders(variables: dict[str, str], config: Config) -> list[Problem]:
    """Take out of *variables* what would load files of the project, or files by a path that depends on where
    an agent happens to be; lists keep their other entries. Return a Problem for each variable."""
    problems = []
    for name in LOADERS.keys() & variables.keys():
        value = variables[name]
        kept, dropped = _sifted(LOADERS[name], value, config)
        if kept == value:
            continue
        if kept:
            variables[name] = kept
        else:
            del variables[name]
        problems.append(_problem(name, dropped))
    return sorted(problems, key=lambda problem: problem.where)


def is_in_project(path: str, config: Config) -> bool:
    """Say whether *path* (absolute) lies in the project, also by way of links. The home folder and what is
    above it are the user's own, even where they are taken for a project's root."""
    real, home = os.path.realpath(path), os.path.realpath(config.home) if config.home else ""
    for level in config.levels or (config.root,):
        folder = os.path.realpath(level)
        if folder == "/" or (home and is_inside(home, folder)):
            continue
        if is_inside(real, folder) or is_inside(os.path.normpath(path), level):
            return True
    return False


def _is_bad_as_a_whole(kind: str, value: str, config: Config) -> bool:
    """Say whether a variable that is no list of entries must be dropped."""
    if kind == _FILE:  # the shell expands it before it reads the file
        return "$" in value or "`" in value or _is_bad(value, config)
    if kind == _OPTIONS:
        return _options_load(value, config)
    if kind == _WARNINGS:  # a category with a dot is a class of a module, which is imported
        return any("." in name for entry in value.split(",") for name in entry.split(":")[2:3])
    return True


def _sifted(kind: str, value: str, config: Config) -> tuple[str, list[str]]:
    """Return what is left of *value*, "" for nothing, and the entries that are not."""
    if not value:
        return value, []
    if kind in (_NEVER, _FILE, _OPTIONS, _WARNINGS):
        return ("", []) if _is_bad_as_a_whole(kind, value, config) else (value, [])
    if kind == _LIBRARIES:  # a bare name is looked up where the system's libraries are
        entries = value.replace(" ", os.pathsep).split(os.pathsep)
        dropped = [entry for entry in entries if "/" in entry and _is_bad(entry, config)]
    else:
        entries = value.replace(";", os.pathsep).split(os.pathsep)
        dropped = [entry for entry in entries if _is_bad(entry, config)]
    if not dropped:
        return value, []
    return os.pathsep.join(entry for entry in entries if entry not in dropped), dropped


def _is_bad(entry: str, config: Config) -> bool:
    is_fixed = entry.startswith("/") and "$" not in entry and not differs_by_process(entry)
    return not is_fixed or is_in_project(entry, config)


def _options_load(text: str, config: Config) -> bool:
    """Say whether a word of interpreter options, or the value of one, may name a file of the project."""
    before = ""
    for word in text.replace('"', " ").split():
        if _runs_code(word):
            return True
        option, value = _option_and_value(word)
        is_loaded = (option or before) in _LOADING
        if value and any(_may_load(path, config, is_loaded=is_loaded) for path in value.split(",")):
            return True
        before = "" if value else option
    return False


def _runs_code(word: str) -> bool:
    """Say whether a word is an option of Perl that is code, or with which nothing of a script runs."""
    if word.startswith("-d") or word.partition("=")[0] in ("-MO", "-mO"):  # the debugger; compilers
        return True
    return word.startswith(("-M", "-m")) and any(sign in word for sign in ";(){}<>`'|&")


def _option_and_value(word: str) -> tuple[str, str]:
    if not word.startswith("-"):
        return "", word
    option, equals, value = word.partition("=")
    if option[:2] in _LOADING and not equals and len(option) > 2:  # -Ilib, -r./x
        return option[:2], option[2:]
    return option, value


def _may_load(value: str, config: Config, *, is_loaded: bool) -> bool:
    if value.startswith("/"):
        return _is_bad(value, config)
    return is_loaded or "/" in value or value.startswith(".")


def _problem(name: str, dropped: Iterable[str]) -> Problem:
    shown = ", ".join(dict.fromkeys(entry or "an empty entry" for entry in dropped))
    what = "would make interpreters load what belongs to the project or depends on where an agent is"
    return Problem(
        message=f"{what}; hooks run without {f'it: {shown}' if shown else 'it'}",
        source="environment",
        where=name,
        hint="name files outside the project in full, or unset it",
    )

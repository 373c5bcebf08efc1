"""The command that `install` writes into agents' settings: its text, and how it is recognised. Pure.

The agent's own shell, sh, bash, zsh or fish, runs it, in an environment that a repository may have a hand in:

    POSIXLY_CORRECT=1 exec   in bash a function cannot take the place of `exec` then
    /usr/bin/env, /bin/sh    by their paths: neither PATH nor a function finds another program
    -u SHELLOPTS             or the bash that is called sh may be one that executes nothing
    unset -f                 functions of the environment in the place of what is called below
    for ... in ${PATH%}      the folder that hookrun is found in: absolute, and outside of the project
    ${name%}                 is $name, with nothing cut off. Gemini CLI and Qwen Code put values into settings
                             in the place of $name, ${name} and ${name:-text} before a shell reads them: a
                             value would be code, and a variable that is set here is not set there
    { }                      an empty group is a syntax error in bash alone: a bash that was made to execute
                             nothing (SHELLOPTS=noexec) ends with 2; others never come to it

The names that it gives to variables are seen by hooks as well, hence ``hr_``.
"""

from __future__ import annotations

import re
from functools import cache

_OUTER = "POSIXLY_CORRECT=1 exec /usr/bin/env -u POSIXLY_CORRECT -u SHELLOPTS /bin/sh -c '"
# Where Python itself finds its code: a repository can set an agent's environment, and with it these.
_CLEARED = (
    "unset -f cd echo pwd test; unset PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPLATLIBDIR"
    " PYTHONPYCACHEPREFIX PYTHONWARNINGS PYTHONEXECUTABLE __PYVENV_LAUNCHER__; "
)
_FIND = 'set -f; IFS=:; for hr_at in ${PATH%}; do test -x "${hr_at%}/hookrun" && break; hr_at=; done; '
_ROOT = (
    'hr_root=$(pwd -P); until test -z "${hr_root%}" || test -e "${hr_root%}/.git";'
    " do hr_root=${hr_root%/*}; done; "
    'case ${HOME%}/ in "${hr_root%}"/*) hr_root=$(pwd -P);; esac; '
)
_OUTSIDE = (
    'case ${hr_at%} in /*) hr_at=$(cd "${hr_at%}" && pwd -P);; *) no;; esac; '
    'case ${HOME%}/:${hr_at%}/ in "${hr_root%}"/*:*) ;; *:"${hr_root%}"/*) no;; esac; '
)
_PARSED_ONLY = "\n{ }"

_SAYING = r'(?:echo "(?:[^"\\`$]|\\"|\$\{1-[^"\\`${}]*\})*"(?: >&2)?; )?'
_MESSAGE = r'(?: "[^"\\`$]*")?'


def bridge_command(call: str, *, saying: str, code: int, missing: str, after: str, guards: bool) -> str:
    """Return the command that runs *call*, `hookrun bridge ...`.

    *saying* is what is run before exit *code* where hookrun is not run; ``${1-...}`` in it is *missing* when
    it is not on PATH. *after* follows *call*. *guards*: a shell that only parses has to refuse.
    """
    reason = f' "{missing}"' if missing else ""
    inner = (
        f'{_CLEARED}no() {{ {saying}exit {code}; }}; {_FIND}test "${{hr_at%}}" || no{reason}; '
        f'{_ROOT}{_OUTSIDE}"${{hr_at%}}"/{call}{after}'
    )
    return f"{_OUTER}{inner}'{_PARSED_ONLY if guards else ''}"


def is_bridge_command(command: str, agent: str = "") -> bool:
    """Say whether *command* is one that bridge_command makes, for *agent* or any."""
    name = re.escape(agent) if agent else r"\w+"
    return re.fullmatch(_pattern(name), command) is not None


@cache  # escaping it takes longer than matching, and settings have many commands
def _pattern(agent: str) -> str:
    find, root = re.escape(_FIND), re.escape(_ROOT + _OUTSIDE)
    return (
        re.escape(_OUTER + _CLEARED)
        + rf"no\(\) \{{ {_SAYING}exit \d; \}}; {find}test \"\$\{{hr_at%\}}\" \|\| no{_MESSAGE}; {root}"
        + rf'"\$\{{hr_at%\}}"/hookrun bridge {agent}(?: --(?:event|with) \w+)*'
        + rf"(?: \|\| (?:exit 2|\{{ test \$\? = 2 && exit 2; no{_MESSAGE}; \}}))?'(?:\n\{{ \}})?"
    )

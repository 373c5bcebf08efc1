"""The installed command without the cost of its start: forked from a process that has imported it already.

Starting Python and importing hookrun is most of what a command of the tests costs. The fork is a process like
any other, with its own id, environment, folder, streams, signals and exit code, and it runs the text of the
installed command. `pytest --installed` starts the installed command itself every time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import time
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from command import DEADLINE, HOOKRUN, Ended

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


LANGUAGE = "C.UTF-8"  # Python reads it, and all PYTHON* variables, when it starts
HEADER = 8  # bytes of a request's length
CHUNK = 65536
LARGE_PIPE = 2**20
# What commands import when they need it; the child would pay for each.
LAZY = """
    argparse asyncio base64 bisect concurrent.futures configparser copy csv ctypes difflib email.message
    encodings.utf_8_sig fnmatch glob hashlib hmac html http.client importlib.metadata inspect ipaddress json
    logging pathlib py_compile pydantic.main queue random secrets shlex shutil sqlite3 ssl tempfile textwrap
    threading tomllib traceback tty typer typer.completion unicodedata urllib.request uuid yaml zlib
""".split()


class _Shared:
    """The one process of this worker, and whether it is to be used at all."""

    is_on = True  # until --installed
    forks: Forks | None = None
    lock = Lock()


def use_forks(*, is_on: bool) -> None:
    """Fork from now on, or start the installed command each time."""
    _Shared.is_on = is_on


def hookrun(words: Sequence[str], *, cwd: str | os.PathLike[str], env: Mapping[str, str], input: str = "") -> Ended:
    """Run the command with these words: in a fork where that makes no difference."""
    if _Shared.is_on and is_forkable(words, env):
        with _Shared.lock:
            _Shared.forks = _Shared.forks or Forks(HOOKRUN)
        return _Shared.forks.run(words, cwd=os.fspath(cwd), env=env, input=input)
    return installed(words, cwd=cwd, env=env, input=input)


def installed(words: Sequence[str], *, cwd: str | os.PathLike[str], env: Mapping[str, str], input: str = "") -> Ended:
    """Start the installed command with these words."""
    done = subprocess.run(
        [HOOKRUN, *words],
        cwd=cwd,
        env=env,
        input=input,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=DEADLINE,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def close() -> None:
    """End the process that was forked from, if any was."""
    if _Shared.forks:
        _Shared.forks.close()
        _Shared.forks = None


def is_forkable(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Say whether a fork does the same: nothing in the environment changes how Python itself starts."""
    changes_start = any(name.startswith(("PYTHON", "LD_", "LC_")) for name in environment)
    is_short = sum(map(len, words)) < CHUNK  # the system refuses too many, and a test wants to see that
    return environment.get("LANG") == LANGUAGE and not changes_start and is_short


class Forks:
    """The process that has imported hookrun, and the commands that are forked from it."""

    def __init__(self, command: str) -> None:
        ours, its = socket.socketpair()
        self._lock = Lock()
        self._socket = ours
        self._process = subprocess.Popen(
            [sys.executable, __file__, command, str(its.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "LANG": LANGUAGE},
            pass_fds=[its.fileno()],
        )
        its.close()

    def close(self) -> None:
        """End the process; its forks are left alone."""
        self._socket.close()
        self._process.communicate()

    def run(self, words: Sequence[str], *, cwd: str, env: Mapping[str, str], input: str) -> Ended:
        """Run the command as subprocess.run does with pipes."""
        (stdin, feed), (out, stdout), (err, stderr), (status, result) = (os.pipe() for _ in range(4))
        request = json.dumps({"words": list(words), "cwd": cwd, "env": dict(env)}).encode()
        with self._lock:
            socket.send_fds(self._socket, [b"%*d" % (HEADER, len(request))], [stdin, stdout, stderr, result])
            self._socket.sendall(request)
        for each in (stdin, stdout, stderr, result):
            os.close(each)
        data = memoryview(input.encode("utf-8", "replace"))
        printed = _communicate({out: b"", err: b"", status: b""}, feed, data)
        code = os.waitstatus_to_exitcode(int(printed[status].split()[1]))
        return Ended(code, _text(printed[out]), _text(printed[err]))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _communicate(printed: dict[int, bytes], feed: int, data: memoryview) -> dict[int, bytes]:
    """Write *data* to *feed* and read all of *printed* to their ends; the last one begins with the child's id."""
    *_, status = printed
    end = time.monotonic() + DEADLINE
    os.set_blocking(feed, False)
    if len(data) > CHUNK and hasattr(fcntl, "F_SETPIPE_SZ"):  # fewer turns of writer and reader on a busy machine
        fcntl.fcntl(feed, fcntl.F_SETPIPE_SZ, LARGE_PIPE)
    with selectors.DefaultSelector() as selector:
        for each in printed:
            selector.register(each, selectors.EVENT_READ)
        selector.register(feed, selectors.EVENT_WRITE)
        while selector.get_map():
            ready = selector.select(end - time.monotonic())
            if not ready:
                os.kill(int(printed[status].split()[0]), signal.SIGKILL)
                raise subprocess.TimeoutExpired("hookrun", DEADLINE)
            for key, _ in ready:
                if key.fd == feed:
                    data = _fed(feed, data)
                    is_over = not data
                else:
                    chunk = os.read(key.fd, CHUNK)
                    printed[key.fd] += chunk
                    is_over = not chunk
                if is_over:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return printed


def _fed(feed: int, data: memoryview) -> memoryview:
    """Write a part of *data* and return the rest; a reader that has ended wants none of it."""
    try:
        return data[os.write(feed, data[:LARGE_PIPE]) :] if data else data
    except BrokenPipeError:
        return data[:0]


def main(command: str, descriptor: int) -> None:
    """Fork the *command* for each request, and write its id and its end to the request's last descriptor."""
    sys.path[0] = os.path.dirname(command)
    del sys.modules["command"]  # a helper of the tests: a hook may have a module of that name
    with open(command, encoding="utf-8") as file:
        code = compile(file.read(), command, "exec")
    _import_all()
    requests = socket.socket(fileno=descriptor)
    results: dict[int, int] = {}  # descriptors by child
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: _reap(results))
    while request := _request(requests):
        values, streams = request
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        child = os.fork()
        if not child:
            _become(code, command, values, streams[:3])
        results[child] = streams[3]
        os.write(streams[3], b"%d " % child)
        for each in streams[:3]:
            os.close(each)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _import_all() -> None:
    import hookrun

    for found in pkgutil.walk_packages(hookrun.__path__, "hookrun."):
        if not found.name.endswith(("__main__", "watch_rerun")):  # they run when they are imported
            import_module(found.name)
    for name in LAZY:
        with contextlib.suppress(ImportError):  # optional, as Typer's pydantic
            import_module(name)
    import gc

    gc.collect()
    gc.freeze()  # a collection in the child would copy all of its memory


def _request(requests: socket.socket) -> tuple[Any, list[int]] | None:
    header, streams, _, _ = socket.recv_fds(requests, HEADER, 4)
    if not header:
        return None
    text = b""
    while len(text) < int(header):
        text += requests.recv(int(header) - len(text))
    return json.loads(text), streams


def _reap(results: dict[int, int]) -> None:
    while results:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        result = results.pop(child)
        os.write(result, b"%d" % status)
        os.close(result)


def _become(code: Any, command: str, values: Any, streams: Sequence[int]) -> NoReturn:
    """Be what a start of the command would be: streams, signals, folder, environment, arguments."""
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.chdir(values["cwd"])
        os.environ.clear()
        os.environ.update(values["env"])
        time.tzset()
        sys.argv = [command, *values["words"]]
        exec(code, {"__name__": "__main__", "__file__": command, "__builtins__": __builtins__})
    finally:
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

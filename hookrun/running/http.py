"""Handlers that are an address: the payload is posted there, and what comes back is the outcome.

Only this computer is asked, unless the user's configuration names the host; redirects are not followed.
"""

from __future__ import annotations

import os
import time

from hookrun.model.constants import FAILED, KILLED, MIB, NOT_STARTED, STREAM_TAIL, TIMED_OUT
from hookrun.model.errors import Interrupted
from hookrun.model.values import Outcome, Problem
from hookrun.running import interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from http.client import HTTPResponse
    from socket import socket
    from typing import Any

_OURS = ("host", "content-length", "transfer-encoding", "connection")
_BODY_LIMIT = MIB
_GRACE = 5.0  # seconds
_HINT = "`http: [HOST]` in the user's own configuration allows it"


class Exchange:
    """One request under way in a thread of its own, from its making on."""

    def __init__(
        self, table: Mapping[str, Any], body: bytes, *, environ: Mapping[str, str], hosts: Sequence[str], seconds: float
    ) -> None:
        """*table* is the handler with its url and headers; variables of *environ* that it allows go into
        these. *hosts* may be asked besides this computer."""
        self._began_at = time.monotonic()
        self._seconds = seconds
        self._socket: socket | None = None  # the connection lets go of it with the answer
        self._outcome = self._refusal(table, hosts)
        self._done = os.pipe() if self._outcome is None else None
        if self._done is not None:
            from threading import Thread

            headers = headers_of(table, environ)
            arguments = (str(table["url"]), body, headers, self._done[1])
            Thread(target=self._run, args=arguments, daemon=True).start()

    def wait(self, stop: int | None) -> Outcome:
        """Return what came of it, once it is over, its time is, or *stop* becomes readable.

        Raises Interrupted when a signal came that the command watches for.
        """
        if self._done is None:
            assert self._outcome is not None, "what was not asked was refused"
            return self._outcome
        try:
            wakers = [self._done[0], interrupts.begin(self), stop]
            ready = _first_ready([each for each in wakers if each is not None], self._left())
            is_over = ready == self._done[0]
        finally:
            number = interrupts.end(self)
            self.abort()
        if number is not None:
            raise Interrupted(number)
        if is_over:
            outcome = self._outcome or Outcome(status=FAILED, cause="it ended without an answer")
        elif ready is None:
            cause = f"timed out after {self._seconds:g} s"
            outcome = Outcome(status=TIMED_OUT, cause=cause, hint="make it faster, or raise its timeout")
        else:
            outcome = Outcome(status=KILLED, cause="cancelled")
        return outcome.replace(seconds=time.monotonic() - self._began_at)

    def abort(self) -> None:
        """Cut the connection, so that the thread ends soon; its answer is not heard any more."""
        if self._done is not None:
            os.close(self._done[0])
            self._done = None
        if self._socket is not None:
            try:
                self._socket.shutdown(2)  # SHUT_RDWR
            except OSError:  # it is closed already
                pass

    def _left(self) -> float:
        return max(0.0, self._began_at + self._seconds - time.monotonic())

    def _refusal(self, table: Mapping[str, Any], hosts: Sequence[str]) -> Outcome | None:
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(str(table["url"]))
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            return Outcome(status=NOT_STARTED, cause=f"its address cannot be read: {error}")
        if not host or port == 0 or parts.username is not None:
            return Outcome(status=NOT_STARTED, cause="its address has no host, or a name and password in it")
        if not is_allowed(host, hosts):
            return Outcome(status=NOT_STARTED, cause=f"{host} is not this computer", hint=_HINT)
        return None

    def _run(self, url: str, body: bytes, headers: Mapping[str, str], done: int) -> None:
        try:
            self._outcome = self._asked(url, body, headers)
        except Exception as error:  # whatever it is, nobody but who waits would hear of it
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            self._outcome = Outcome(status=NOT_STARTED, cause=f"cannot be asked: {reason}")
        finally:
            try:
                os.write(done, b"!")
            except OSError:  # nobody waits any more
                pass
            os.close(done)

    def _asked(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        from http.client import HTTPConnection, HTTPSConnection
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        # Who waits keeps the time; this only ends a thread that nobody waits for any more.
        connection = kind(parts.hostname or "", parts.port, timeout=self._left() + _GRACE)
        try:
            connection.connect()
            self._socket = connection.sock
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, body=body, headers=dict(headers))
            with connection.getresponse() as response:
                data = response.read(_BODY_LIMIT)
                last = _last_of(response)
        finally:
            connection.close()
        if not 200 <= response.status < 300:
            cause = f"the server answered {response.status} {response.reason}".rstrip()
            moved = "redirects are not followed: name the address itself"
            return Outcome(status=FAILED, cause=cause, hint=moved if 300 <= response.status < 400 else "")
        cut = Problem(message="its answer was cut at 1 MiB", hint="answer less")
        return Outcome(
            status="ended",
            exit_code=0,
            stdout=data.decode("utf-8", "replace"),
            stdout_was_cut=bool(last),
            stdout_tail=("\n" if len(last) == STREAM_TAIL else "") + last.decode("utf-8", "replace"),
            problems=(cut,) if last else (),
        )


def _last_of(response: HTTPResponse) -> bytes:
    """Read all that follows and return its end."""
    last = b""
    while part := response.read(STREAM_TAIL):
        last = (last + part)[-STREAM_TAIL:]
    return last


def is_allowed(host: str, hosts: Sequence[str]) -> bool:
    """Say whether *host* is this computer, or one of *hosts*, in which ``*`` is any run of characters."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    from ipaddress import ip_address

    from hookrun.matching.matchers import glob

    try:
        if ip_address(host).is_loopback:
            return True
    except ValueError:
        pass
    return any(glob(allowed.lower())(host.lower()) for allowed in hosts)


def headers_of(table: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers to send. Of the variables in them those count that ``allowedEnvVars`` names, all
    others are empty, so that a secret goes only where it is meant to."""
    import re

    allowed = table.get("allowedEnvVars")
    names = [name for name in allowed if isinstance(name, str)] if isinstance(allowed, list) else []
    given = table.get("headers")
    headers = {"Content-Type": "application/json"}
    for name, value in given.items() if isinstance(given, dict) else ():
        if isinstance(value, str) and str(name).lower() not in _OURS:
            headers[str(name)] = re.sub(
                r"\$(?:\{(\w+)\}|(\w+))",
                lambda found: environ.get(found[1] or found[2], "") if (found[1] or found[2]) in names else "",
                value,
            )
    return headers


def _first_ready(descriptors: list[int], seconds: float) -> int | None:
    import select

    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll(int(seconds * 1000 + 0.999))}
    return next((descriptor for descriptor in descriptors if descriptor in ready), None)

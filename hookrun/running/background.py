"""Starting a hook that nobody waits for: it lives on by itself, and its answer is heard by nobody."""

from __future__ import annotations

import errno
import os

from hookrun.model.values import Outcome
from hookrun.running import spawn
from hookrun.running.outcomes import not_started
from hookrun.running.process import Job
from hookrun.running.streams import payload_file

STARTED = "started in the background"


def start_in_background(job: Job) -> Outcome:
    """Start *job* with its whole input, and return at once: started, or why it could not be.

    What it prints is thrown away; hookrun neither bounds it in time nor ends it.
    """
    descriptors: list[int] = []
    try:
        descriptors.append(payload_file(job.stdin))
        descriptors.append(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC))
        stdin, nothing = descriptors
        started = spawn.spawn(job.argv, cwd=job.cwd, env=job.env, stdin=stdin, stdout=nothing, stderr=nothing)
    except OSError as error:
        started = spawn.Failure(error.errno or errno.EIO, in_cwd=False)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if isinstance(started, spawn.Failure):
        return not_started(started, job.argv[0], job, 0.0)
    os.close(started.failure_pipe)
    spawn.reap_later(started.pid)
    return Outcome(status="ended", exit_code=0, cause=STARTED)

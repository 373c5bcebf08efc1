"""`python -m hookrun` is `hookrun`."""

import os
import sys

try:
    from hookrun.cli.main import leave, main

    leave(main(sys.argv[1:]))
except KeyboardInterrupt:
    os._exit(130)
except BaseException as error:  # what cannot even start or say so may have been asked about a guarded event
    try:
        text = f"error: hookrun cannot run: {type(error).__name__}: {error}\n"
        hint = "hint: raise the limits of this process, or install hookrun again\n"
        os.write(2, (text + hint).encode("utf-8", "replace"))
    finally:
        os._exit(2)

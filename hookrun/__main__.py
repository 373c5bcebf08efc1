"""`python -m hookrun` is `hookrun`."""

import sys

from hookrun.cli.door import leave, main

leave(main(sys.argv[1:]))

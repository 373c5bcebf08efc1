"""`python -m hookrun` is `hookrun`."""

import sys

from hookrun.cli.door import main

sys.exit(main(sys.argv[1:]))

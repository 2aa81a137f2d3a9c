"""``python -m shakedown.cli`` is the command ``shakedown``."""

import sys

from shakedown.cli import main

if __name__ == "__main__":
    sys.exit(main())

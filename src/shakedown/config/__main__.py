"""Print the manual of the configuration's keys: ``python -m shakedown.config``."""

import sys

from shakedown.config.manual import manual

if __name__ == "__main__":
    sys.stdout.write(manual())

"""Print the manual of the configuration's keys: ``python -m shakedown.configuration SCHEMA``."""

import sys
from pathlib import Path

import yaml

from shakedown.configuration.manual import manual

if __name__ == "__main__":
    sys.stdout.write(manual(yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))))

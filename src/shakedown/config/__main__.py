"""Print the manual of the configuration's keys, or with ``--schema`` their JSON schema."""

import json
import sys

from shakedown.config.export import json_schema
from shakedown.config.manual import manual

if __name__ == "__main__":
    if sys.argv[1:] == ["--schema"]:
        sys.stdout.write(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(manual())

"""A study of some seconds, and the command to run it with."""

import subprocess
from pathlib import Path

from tests import warm_python

ROOT = Path(__file__).parents[2]

STUDY = {
    "study": "tiny",
    "datasets": {"sim": {"recipe": "simulated", "rows": 48, "features": 9}},
    "experiments": {
        "free": {
            "datasets": ["sim"],
            "designs": ["permuted"],
            "features": 8,
            "attack": {"name": "freedman", "largest_model": 3},
            "replicates": 4,
            "mechanisms": [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.15}],
        }
    },
    "figures": {},
}


def command(*arguments) -> list[str]:
    return [str(warm_python.program()), "-m", "shakedown.cli", *map(str, arguments)]


def shakedown(folder, *arguments) -> subprocess.CompletedProcess:
    """Run the command in a folder, without a terminal."""
    return subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )

"""What the tests of configurations start from."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def study(**changes):
    """A small valid configuration, with other values at some keys.

    A key is a place such as ``experiments__free__replicates``; the value ``...`` removes it.
    """
    config = {
        "study": "small",
        "datasets": {"sim": {"recipe": "simulated", "rows": 60, "features": 10}},
        "experiments": {
            "free": {
                "datasets": ["sim"],
                "attack": {"name": "freedman"},
                "mechanisms": [{"name": "ladder", "alpha": [0.15, 0.5]}],
            }
        },
        "figures": {
            "picture": {
                "kind": "boxes",
                "experiment": "free",
                "dataset": "sim",
                "design": "permuted",
            }
        },
    }
    for key, value in changes.items():
        *path, last = key.split("__")
        place = config
        for part in path:
            place = place[int(part) if part.isdigit() else part]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return config

"""The jobs of a replay."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The figures of its page.
FIGURES = ("replay_ranks", "replay_scores", "replay_splits", "replay_rungs", "replay_error")


def log_files(config: Mapping[str, Any]) -> list[str]:
    """The files of a submission log: tables, ids of the public rows, and the folder's content."""
    log = config["replay"]
    named = [log["table"], log["submissions"]]
    if isinstance(log["public"], str) and os.path.isfile(log["public"]):
        named.append(log["public"])
    files = [os.path.expanduser(path) for path in named if path]
    if log["folder"]:
        folder = Path(log["folder"]).expanduser()
        files += sorted(
            str(path)
            for path in folder.iterdir()
            if path.is_file() and not path.name.startswith(".")
        )
    return files

"""How the tables of a submission log are read; `cleaning` settles problems in their cells."""

from __future__ import annotations

from pathlib import Path

from shakedown.tables import header
from shakedown.tables.policy import Policy

LOG = Policy("Submission log ({shown}): ")


def read_header(path: str, folder: Path) -> header.Header:
    """Find a table of a log, and read its column names; as `header.locate` and `read_header`."""
    return header.read_header(header.locate("", str(path), folder, LOG))

"""Small submission logs to write into a folder and spoil."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from shakedown.config.completing import checked
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry


def settings(**given) -> ReplayEntry:
    """A configuration's `replay`."""
    return checked({"table": "log.csv", **given}, ReplayEntry)


def table(rows: int = 40, submissions: int = 6, *, seed: int = 1) -> pd.DataFrame:
    """Ids r1 ..., the truth, which rows are public (the first half), submissions s1 ... ."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(10, 3, rows).round(3)
    frame = pd.DataFrame({"id": [f"r{i + 1}" for i in range(rows)], "truth": truth})
    frame["set"] = np.where(np.arange(rows) < rows / 2, "public", "private")
    for k in range(submissions):
        frame[f"s{k + 1}"] = (truth + rng.normal(0, 2 - 0.2 * k, rows)).round(3)
    return frame.astype(object)


def listing(submissions: int = 6) -> pd.DataFrame:
    """The teams one and two in turn; a later submission has a later time."""
    return pd.DataFrame(
        {
            "submission": [f"s{k + 1}" for k in range(submissions)],
            "team": ["one" if k % 2 == 0 else "two" for k in range(submissions)],
            "time": [f"2025-01-{k + 1:02d}" for k in range(submissions)],
        },
        dtype=object,
    )


def read_log(where: Path, rows: pd.DataFrame, listed: pd.DataFrame | None = None, **given):
    """Write a log into a folder and read it."""
    rows.to_csv(where / "log.csv", index=False)
    given = {"public": "set" if "set" in rows else None, **given}
    if listed is not None:
        listed.to_csv(where / "list.csv", index=False)
        given["submissions"] = "list.csv"
    return read("trial", settings(**given), seed=1, folder=where)


def messages_of(log, rule: str) -> pd.DataFrame:
    """The messages of a rule."""
    return log.messages[log.messages["rule"] == rule]

"""Tables of a replay, grouped by board: a setting of a mechanism, per team or per rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.settings import settings_in, with_parameters
from shakedown.simulation import outcomes

#: The columns that name a board.
BOARD = ["setting", "boards"]

#: Columns that are read as text, so that an id such as 007 keeps its zeros.
NAMES = (
    *BOARD, "mechanism", "team", "submission", "in_force", "winner", "winner_submission",
    "leader", "private_winner", "by", "test", "rows_of",
    "follows_from", "response", "metric",
)  # fmt: skip


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table of a replay; only empty cells are missing, so a team can be called NA."""
    return outcomes.read(
        path, dtype=dict.fromkeys(NAMES, str), keep_default_na=False, na_values=[""]
    )


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table; in a CSV file, with a column for each parameter of a mechanism."""
    is_read = Path(path).suffix == ".csv" and "setting" in frame
    outcomes.write(with_parameters(frame) if is_read else frame, path)


def each_board(frame: pd.DataFrame) -> Iterator[tuple[dict, pd.DataFrame]]:
    """Yield the names and the rows of each board of a table, in order."""
    for names, part in frame.groupby(BOARD, observed=True, sort=False):
        yield dict(zip(BOARD, names, strict=True)), part


def shows_every_score(mechanism: Mechanism) -> bool:
    """Whether a board releases every submission's own score, without noise."""
    return (
        mechanism.replaces_always
        and mechanism.shows_scores
        and not mechanism.is_noisy
        and not mechanism.is_control
    )


def reference(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the board that the others are compared with.

    Among the boards per team (or all boards, if there are none per team) it is the first that
    releases every score; without one, the first.
    """
    if frame.empty:
        return frame
    own = frame[(frame["boards"] == "per_team").to_numpy(bool)]
    own = frame if own.empty else own
    for mechanism in filter(shows_every_score, settings_in(own)):
        return own[(own["setting"] == mechanism.setting).to_numpy(bool)]
    return next(each_board(own))[1]


def tidy(rows: list[dict] | pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """A table of rows with these columns."""
    frame = pd.DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(BOARD, "category"))
    return frame.reset_index(drop=True)


def need(frame: pd.DataFrame, columns: Iterable[str], table: str) -> None:
    """Check that a table has at least one row and the columns that an analysis reads.

    Raises
    ------
    InputError
        If it does not.
    """
    missing = [c for c in columns if c not in frame]
    if missing or frame.empty:
        got = "no rows" if not missing else ", ".join(map(str, frame.columns)) or "no columns"
        raise InputError(
            f"the table {table}: wanted rows with the columns {', '.join(columns)}; got {got}. "
            "Replay the log again."
        )


def at_least(least: int, **given: int) -> None:
    """Check that arguments are not too small.

    Raises
    ------
    InputError
        For the first one that is too small.
    """
    for name, value in given.items():
        if value < least:
            raise InputError(f"`{name}` must be {least} or more, got {value}.")


def between(low: float, high: float, **given: float) -> None:
    """Check that arguments are strictly between two numbers.

    Raises
    ------
    InputError
        For the first one that is not.
    """
    for name, value in given.items():
        if not low < value < high:
            raise InputError(f"`{name}` must be above {low:g} and below {high:g}, got {value}.")

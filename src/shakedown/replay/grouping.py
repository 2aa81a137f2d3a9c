"""The boards of a replay: a mechanism with its settings, for teams or for ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from shakedown.interface import InputError
from shakedown.outcomes import COLUMNS, MECHANISM

#: The columns that name a board.
BOARD = [*MECHANISM, "boards"]

#: Boards that show every score; the first of them that was replayed is what the others are held
#: against.
OPEN = ("full_disclosure", "kaggle")


#: The columns of the tables that name something, in files too: "007" is no number there.
NAMES = (
    "mechanism", "boards", "team", "submission", "in_force", "winner", "winner_submission",
    "leader", "private_winner", "by", "test", "rows_of",
)  # fmt: skip


def read_table(path: str | Path) -> pd.DataFrame:
    """A table of a replay from its CSV file; a team may be called NA."""
    return pd.read_csv(path, dtype=dict.fromkeys(NAMES, str), keep_default_na=False, na_values=[""])


def each_board(frame: pd.DataFrame) -> Iterator[tuple[dict, pd.DataFrame]]:
    """The boards of a table in its order: what names the board, and its rows."""
    groups = frame.groupby(BOARD, observed=True, dropna=False, sort=False)
    for _, part in groups:
        yield {c: part[c].iloc[0] for c in BOARD}, part


def reference(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the board that the others are held against: one for teams that shows every score.

    Where no such board was replayed it is the first one in the table; an empty table has none.
    """
    if frame.empty:
        return frame
    own = frame[(frame["boards"] == "per_team").to_numpy(bool)]
    own = frame if own.empty else own
    for name in OPEN:
        rows = own[(own["mechanism"] == name).to_numpy(bool)]
        if len(rows):
            return rows
    return next(each_board(own))[1]


def tidy(rows: list[dict], columns: Iterable[str]) -> pd.DataFrame:
    """Rows as a table with these columns, the board's ones in the types of the outcomes."""
    frame = pd.DataFrame(rows, columns=list(columns))
    kinds = {c: COLUMNS[c] for c in MECHANISM if c in frame} | {"boards": "category"}
    return frame.astype({c: k for c, k in kinds.items() if c in frame})


def need(frame: pd.DataFrame, columns: Iterable[str], table: str) -> None:
    """Check that a table has the columns that an analysis reads, and a row.

    Raises
    ------
    InputError
        If it has not.
    """
    missing = [c for c in columns if c not in frame]
    if missing or frame.empty:
        got = "no rows" if not missing else f"{', '.join(map(str, frame.columns)) or 'none'}"
        raise InputError(
            f"the table {table}: wanted rows with the columns {', '.join(columns)}; got {got}. "
            "Replay the log again."
        )

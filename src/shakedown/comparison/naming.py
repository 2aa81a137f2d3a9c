"""What a board of the comparison is called, whatever its number of rows."""

from __future__ import annotations

import pandas as pd

from shakedown.leaderboard.mechanism import MECHANISMS, of_setting

#: What a board is made to keep, in words.
KEPT = {"mean": "on average", "quantile": "at the quantile"}


def names(boards: pd.DataFrame) -> list[str]:
    """For each row of `boards.csv`: what the board keeps, or its parameters if it is given."""
    columns = (boards[key] for key in ("mechanism", "kept", "setting"))
    return [
        f"{MECHANISMS.find(name).label}, {KEPT[kept]}"
        if kept in KEPT
        else of_setting(setting).title
        for name, kept, setting in zip(*columns, strict=True)
    ]


def ordered_names(boards: pd.DataFrame) -> list[str]:
    """Each name once: boards that are made first, by mechanism and what they keep, then the given.

    Otherwise as they come; a board may be missing where there are few rows.
    """
    named = boards.assign(name=names(boards)).drop_duplicates("name")
    mechanisms = list(dict.fromkeys(named["mechanism"]))
    rows = sorted(
        named.itertuples(index=False),
        key=lambda row: (
            (0, mechanisms.index(row.mechanism), list(KEPT).index(row.kept))
            if row.kept in KEPT
            else (1, 0, 0)
        ),
    )
    return [row.name for row in rows]

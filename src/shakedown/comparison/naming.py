"""What a board of the comparison is called, whatever its number of rows."""

from __future__ import annotations

import pandas as pd

from shakedown.leaderboard.mechanism import MECHANISMS, of_setting

#: What a board is made to keep, in words.
KEPT = {"mean": "on average", "quantile": "at the quantile"}


def names(boards: pd.DataFrame) -> list[str]:
    """For each row of `boards.csv`: what the board keeps, or its parameters if it is given."""
    return [
        f"{MECHANISMS.find(name).label}, {KEPT[kept]}"
        if kept in KEPT
        else of_setting(setting).title
        for name, kept, setting in zip(
            boards["mechanism"], boards["kept"], boards["setting"], strict=True
        )
    ]

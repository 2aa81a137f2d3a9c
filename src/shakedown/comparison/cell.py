"""A cell of the comparison: all boards for one number of rows and one of submissions."""

from __future__ import annotations

from typing import TextIO

import pandas as pd

from shakedown.comparison.attackers import best, gains
from shakedown.comparison.candidates import candidates
from shakedown.comparison.honest import served
from shakedown.comparison.proofs import proved
from shakedown.comparison.settings import ComparisonEntry

#: The columns of the table of boards; results/README.md explains them.
COLUMNS = (
    *("public_rows", "submissions", "mechanism", "setting", "kept"),
    *("proved_mean", "proved_quantile", "attack", "gain", "gain_se"),
    *("lag", "lag_se", "team_rank_correlation"),
)


def compare(
    rows: int,
    submissions: int,
    settings: ComparisonEntry,
    *,
    seed: int,
    tell: TextIO | None = None,
) -> pd.DataFrame:
    """A row for each board, with `COLUMNS`.

    Parameters
    ----------
    rows, submissions : int
        Public rows, and submissions of a participant.
    settings : ComparisonEntry
        All but `rows` and `submissions`.
    seed : int
    tell : text stream, optional
        Gets a line on each board that is done.
    """
    among = candidates(rows, submissions, settings)
    # A digest may be the sharpest on average and at the quantile.
    boards = {one.mechanism.setting: one.mechanism for one in among}
    reached = {}
    for setting, board in boards.items():
        reached[setting] = best(gains(board, rows, submissions, settings.replicates, seed))
        if tell is not None:
            print(f"attacked: {setting}", file=tell)
    played = served(
        list(boards.values()),
        *(rows, submissions, settings.tolerated, settings.honest_replicates, seed),
    )
    use = dict(zip(boards, played, strict=True))
    table = [
        (
            *(rows, submissions, board.name, board.setting, kept),
            *proved(board, rows, submissions, settings.quantile),
            *reached[board.setting],
            *use[board.setting],
        )
        for board, kept in among
    ]
    return pd.DataFrame(table, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[5:7], float))

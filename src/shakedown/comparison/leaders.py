"""The board that serves honest teams best, among those that are proved to keep a gain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

#: The column that says what is proved, by what boards are to keep.
PROVED = {"mean": "proved_mean", "quantile": "proved_quantile"}
#: Proofs are of numbers that a board is made from; the last digit may be rounded.
CLOSE = 1.0 + 1e-9
#: Two lags are level if they differ by at most so many standard errors of the difference.
LEVEL = 2.0


def leaders(boards: pd.DataFrame, kept: str, tolerated: float) -> list[dict[str, Any]]:
    """The proved board with the smallest lag, for each number of rows and of submissions.

    Parameters
    ----------
    boards : DataFrame
        The table `boards.csv`.
    kept : {"mean", "quantile"}
        Whether the gain is to be proved on average, or at the quantile.
    tolerated : float
        The largest gain, as a share of the response's variance.

    Returns
    -------
    list of dict
        public_rows, submissions, `first` (its row), and `level`: the rows of the other proved
        boards whose lag is as small but for chance.  Boards with one setting count once, as that
        which is made to keep this.
    """
    found = []
    for (rows, submissions), cell in boards.groupby(["public_rows", "submissions"], sort=False):
        proved = cell[cell[PROVED[kept]] <= tolerated * CLOSE]
        proved = proved.assign(other=proved["kept"] != kept).sort_values(["lag", "other"])
        proved = proved.drop(columns="other").drop_duplicates("setting")
        if proved.empty:
            continue
        first, *others = proved.to_dict("records")
        level = [
            other
            for other in others
            if other["lag"] - first["lag"] <= LEVEL * np.hypot(other["lag_se"], first["lag_se"])
        ]
        found.append(
            {"public_rows": rows, "submissions": submissions, "first": first, "level": level}
        )
    return found

"""The decision in words: who has won, and what decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shakedown.wording import amount, counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.metrics import Metric

#: Significant digits of scores in words and tables.
DIGITS = 6


def decision(
    table: pd.DataFrame,
    metric: Metric,
    second: Metric | None,
    *,
    tied: float,
    decided_by: str,
    units: int,
    rows: str,
) -> str:
    """A sentence fit to publish.

    Parameters
    ----------
    table : DataFrame
        `place`, `team`, `score`, `second`, `k` and `tied`, by place.
    metric, second : Metric or None
    tied : float
        The largest K of a tie.
    decided_by : str
        As `rule.places` returns it.
    units : int
        Independent rows, or groups.
    rows : str
        What they are, such as "final row" or "private group".
    """
    first, number = table.iloc[0], counted(units, rows)
    winners = table.loc[table["place"] == 1, "team"].tolist()
    if decided_by == "score":
        won = f"{winners[0]} wins: {metric.label} {amount(first['score'], DIGITS)} on {number}; "
        if len(table) == 1:
            return f"{won}there is no other team."
        nearest = table.iloc[1:]["k"].idxmin()
        k = table.loc[nearest, "k"]
        near = f", K = {amount(k)}" if np.isfinite(k) else ""
        return f"{won}nobody is tied with it (nearest: {table.loc[nearest, 'team']}{near})."
    among = listed(table.loc[table["tied"], "team"].tolist())
    on = f"By {metric.label} on {number}, {among} are tied (K at most {tied:g})"
    if decided_by == "second":
        return (
            f"{winners[0]} wins. {on}; of these it has the best {second.label}, "
            f"{amount(first['second'], DIGITS)}."
        )
    if decided_by == "time":
        also = "" if second is None else f" and have the same {second.label} as others"
        return f"{winners[0]} wins. {on}{also}; its file came first."
    return f"{listed(winners)} share the first place. {on}, and nothing else decides."

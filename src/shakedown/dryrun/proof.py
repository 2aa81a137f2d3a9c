"""Limits that are proved, beside those that are measured."""

from __future__ import annotations

from math import ceil
from typing import Any

import pandas as pd

from shakedown.leaderboard.mechanisms.digest import Digest
from shakedown.metrics import Metric, find
from shakedown.theory.metric_bounds import best_of, start_of
from shakedown.theory.proved import ProvedLimits, proved_limits, rows_needed

#: The largest number of submissions that is asked for: the largest that a dry run takes.
MOST = 20_000
#: Updates of the digest that is named where no leaderboard holds; its steps are twice what is
#: tolerated, down to half of what there is to gain.
UPDATES = 10


def with_proofs(
    limits: pd.DataFrame,
    *,
    n_public: int,
    unit: float,
    accounts: int = 1,
    quantile: float,
    start: float | None = None,
    row_variance: float = 1.0,
    why_unproved: str = "",
) -> pd.DataFrame:
    """Limits with the numbers of submissions for which the overfit is proved to be tolerated.

    Parameters
    ----------
    limits : DataFrame
        As `limits.safe_submissions` returns it, with settings in units of standardised data.
    n_public : int
        Rows of the public set.
    unit : float
        A Δ of 1 on standardised data, in the unit of the thresholds.
    accounts : int
        Accounts that may work together.
    quantile : float
        The share of attackers that may overfit more.
    start, row_variance : float, optional
        As in `proved_submissions`.
    why_unproved : str
        Which assumptions visibly fail, so that nothing is called proved; "" if none does.

    Returns
    -------
    DataFrame
        With the columns proved_mean and proved_quantile: submissions of each account, at most
        `MOST`, for which the mean overfit is tolerated, and that of all but this share of
        attackers; and proved_submissions, the smaller one.  Null if nothing is proved.  They hold
        whatever is submitted (`shakedown.theory.proved`).  The column unproved has `why_unproved`
        where something would be proved without it, else "".
    """
    keys = limits[["metric", "setting", "threshold"]].astype({"metric": str, "setting": str})
    given = {"start": start, "row_variance": row_variance}
    known = {
        key: proved_limits(
            key[1],
            find(key[0]),
            n_public,
            key[2] / unit,
            MOST,
            accounts,
            quantile=quantile,
            **given,
        )
        for key in keys.drop_duplicates().itertuples(index=False, name=None)
    }
    proved: list[ProvedLimits] = [known[key] for key in keys.itertuples(index=False, name=None)]
    why = ["" if limit.both is None else why_unproved for limit in proved]
    if why_unproved:
        proved = [ProvedLimits(None, None)] * len(proved)
    return limits.assign(
        proved_submissions=pd.array([limit.both for limit in proved], dtype="Int64"),
        proved_mean=pd.array([limit.mean for limit in proved], dtype="Int64"),
        proved_quantile=pd.array([limit.quantile for limit in proved], dtype="Int64"),
        unproved=why,
    )


def at_least_proved(limits: pd.DataFrame, most: int) -> pd.DataFrame:
    """Limits from `with_proofs` whose estimate and lower end are no smaller than what is proved.

    A proof needs no plays: with few of them, the lower end of an interval lies far below it.  A
    limit that the plays contradict is left as they found it.

    Parameters
    ----------
    limits : DataFrame
    most : int
        The largest number of submissions that was played; beyond it, nothing is called safe.

    Returns
    -------
    DataFrame
        With larger safe_submissions and ci_low; censored where these are the most.
    """
    proved = limits["proved_submissions"].clip(upper=most)
    holds = limits["ci_low"].notna() & proved.notna()
    holds &= limits["ci_high"].isna() | (limits["ci_high"] >= proved).fillna(False)
    raised = {
        column: limits[column].where(~holds, limits[column].clip(lower=proved.fillna(0)))
        for column in ("safe_submissions", "ci_low")
    }
    return limits.assign(**raised, censored=limits["censored"] | (holds & (proved == most)))


def would_hold(
    metric: Metric,
    threshold: float,
    submissions: int,
    accounts: int,
    quantile: float,
    *,
    row_variance: float = 1.0,
) -> dict[str, Any] | None:
    """What would hold if no leaderboard does: a digest, and the public rows that it takes.

    Parameters
    ----------
    metric : Metric
    threshold : float
        Tolerated Δ, below 0, on standardised data.
    submissions, accounts : int
        Submissions of each account, and the accounts that may work together.
    row_variance : float
        As in `proved_submissions`.
    quantile : float
        The share of attackers that may overfit more.

    Returns
    -------
    dict or None
        updates, step (on standardised data) and rows; None if nothing is proved for the metric.
    """
    step, floor = -2.0 * threshold, (start_of(metric) + best_of(metric)) / 2.0
    every = ceil(submissions / UPDATES)
    board = Digest(eta=step, floor=metric.sign * floor, every=every, updates=UPDATES)
    rows = rows_needed(
        *(board, metric, threshold, submissions, accounts),
        quantile=quantile, row_variance=row_variance,
    )  # fmt: skip
    return rows and {"updates": UPDATES, "step": step, "rows": rows}

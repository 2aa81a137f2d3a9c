"""Limits that are proved, beside those that are measured."""

from __future__ import annotations

import pandas as pd

from shakedown.metrics import find
from shakedown.theory.proved import proved_submissions

#: The largest number of submissions that is asked for: the largest that a dry run takes.
MOST = 20_000


def with_proofs(
    limits: pd.DataFrame, *, n_public: int, unit: float, accounts: int = 1
) -> pd.DataFrame:
    """Limits with the number of submissions for which the mean overfit is proved to be tolerated.

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

    Returns
    -------
    DataFrame
        With the column proved_submissions: at most `MOST` for each account; null if nothing is
        proved.  It holds whatever is submitted (`shakedown.theory.proved`).
    """
    keys = limits[["metric", "setting", "threshold"]].astype({"metric": str, "setting": str})
    known = {
        key: proved_submissions(key[1], find(key[0]), n_public, key[2] / unit, MOST, accounts)
        for key in keys.drop_duplicates().itertuples(index=False, name=None)
    }
    found = [known[key] for key in keys.itertuples(index=False, name=None)]
    return limits.assign(proved_submissions=pd.array(found, dtype="Int64"))

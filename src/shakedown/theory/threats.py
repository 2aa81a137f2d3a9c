"""Who can overfit which leaderboard: what attacks reached, beside what is proved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np
import pandas as pd

from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import CONCORDANCE, PEARSON, Metric, find
from shakedown.simulation.quantiles import quantile_interval
from shakedown.theory.proved import proved_submissions

#: The largest number of submissions of an account for which a proof is looked for.
MOST = 20_000

#: Of the table that `reached` returns.
COLUMNS = (
    *("dataset", "public_rows", "setting", "board", "participant", "accounts", "experiment"),
    *("submissions", "replicates", "delta", "delta_low", "delta_high", "too_many", "proved"),
    "is_proved",
)


class ParticipantKind(Protocol):
    """A kind of participant: its name, the experiments that play it, and accounts in each."""

    label: str
    experiments: list[str]
    accounts: int


def reached(
    outcomes: pd.DataFrame,
    participants: Iterable[ParticipantKind],
    public_rows: Mapping[str, int],
    *,
    threshold: float,
    quantile: float | None = None,
    submissions: int | None = None,
    labels: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """How far each attack got against each leaderboard, and what is proved of it.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`, of one metric; all points of the attacks.
    participants : iterable of ParticipantKind
    public_rows : mapping of str to int
        By data set; nothing is said to be proved of the others.
    threshold : float
        Tolerated Δ, below 0, on standardised data.
    quantile : float, optional
        The share of attackers that may overfit more than is proved; by default only the mean is
        proved.
    submissions : int, optional
        Δ is that of the last point of an attack with no more submissions; by default, of the last.
    labels : mapping of str to str, optional
        What a setting is called, by its id; by default its title.

    Returns
    -------
    DataFrame
        One row per data set, setting, participant and experiment, with: public_rows; board, the
        name of the setting; submissions of all accounts; replicates; delta, the median, and its
        95 % interval delta_low and delta_high, null for fewer than 6 replicates; too_many, the
        fewest submissions tried at which the median Δ is below the threshold, null if it never is;
        proved, the most submissions of all accounts, up to `MOST` each, for which a tolerated Δ is
        proved, on average and at the quantile, null if nothing is proved of the board; is_proved,
        whether it is proved for the largest number of submissions in the table.

    Notes
    -----
    The Δ of an attack that builds on an honest file is the public score of the file that it ends
    with against the public score of the honest one.  So it has no difference that the honest
    file itself shows between the sets.
    """
    metric = find(str(outcomes["metric"].iloc[0]))
    rows = outcomes.assign(delta=from_the_honest_file(outcomes, metric))
    keys = ["dataset", "setting", "experiment"]
    rows = rows.astype(dict.fromkeys(keys, str))
    ends = rows.groupby([*keys, "point"], sort=False)
    medians = ends.agg(
        submissions=("submissions", "max"),
        replicates=("replicate", "nunique"),
        delta=("delta", "median"),
    )
    entries = []
    for place, own in medians.reset_index("point").groupby(keys, sort=False):
        own = own.sort_values("point")
        if submissions is not None:
            own = own[own["submissions"] <= submissions]
        if own.empty:
            continue
        over = own.loc[own["delta"] < threshold, "submissions"]
        last = own.iloc[-1]
        values = np.sort(ends["delta"].get_group((*place, last["point"])).to_numpy(float))
        interval = np.array(quantile_interval(values, 0.5)[1:])
        low, high = np.where(np.isfinite(interval), interval, np.nan)
        entries.append(
            dict(zip(keys, place, strict=True))
            | {
                "submissions": int(last["submissions"]),
                "replicates": int(last["replicates"]),
                "delta": float(last["delta"]),
                "delta_low": low,
                "delta_high": high,
                "too_many": int(over.min()) if len(over) else pd.NA,
            }
        )
    columns = ["submissions", "replicates", "delta", "delta_low", "delta_high", "too_many"]
    table = pd.DataFrame(entries, columns=[*keys, *columns])
    parts = [
        table[table["experiment"].isin(participant.experiments)].assign(
            participant=participant.label, accounts=participant.accounts
        )
        for participant in participants
    ]
    table = _with_proofs(pd.concat(parts), public_rows, metric, threshold, quantile)
    titles = {board.setting: board.title for board in settings_in(table)} | dict(labels or {})
    return table.assign(board=table["setting"].map(titles))[list(COLUMNS)]


def worst(table: pd.DataFrame) -> pd.DataFrame:
    """The row of the attack that reaches most, for each data set, board and participant.

    `too_many` is the smallest of all attacks of the participant.
    """
    by = ["dataset", "board", "participant"]
    fewest = table.groupby(by, sort=False)["too_many"].transform("min")
    ordered = table.assign(too_many=fewest).sort_values("delta", kind="stable")
    return ordered.drop_duplicates(by).sort_index()


def from_the_honest_file(outcomes: pd.DataFrame, metric: Metric) -> np.ndarray:
    """Δ of each row, counted from the honest file where the attack has one.

    Parameters
    ----------
    outcomes : DataFrame
        Columns delta, score_honest (null without an honest file) and score_public.
    metric : Metric

    Returns
    -------
    ndarray
        Shape (rows,), in the metric's units: the public score of the final file less that of the
        honest one, or the column delta.  A correlation below 0 counts as 0, that of a constant: a
        file without any skill is no baseline.
    """
    delta = outcomes["delta"].to_numpy(float, na_value=np.nan)
    honest = outcomes["score_honest"].to_numpy(float, na_value=np.nan)
    public = outcomes["score_public"].to_numpy(float, na_value=np.nan)
    if metric.formula in (PEARSON, CONCORDANCE):
        honest = np.maximum(honest, 0.0)
    return np.where(np.isnan(honest), delta, metric.delta(public, honest))


def _with_proofs(
    table: pd.DataFrame,
    public_rows: Mapping[str, int],
    metric: Metric,
    threshold: float,
    quantile: float | None,
) -> pd.DataFrame:
    rows = table["dataset"].map(dict(public_rows))
    known: dict[tuple, int | None] = {}
    proved = []
    for setting, accounts, n in zip(table["setting"], table["accounts"], rows, strict=True):
        key = (setting, accounts, n)
        if pd.isna(n):
            proved.append(pd.NA)
            continue
        if key not in known:
            known[key] = proved_submissions(
                *(setting, metric, int(n), threshold, MOST, accounts), quantile=quantile
            )
        each = known[key]
        proved.append(pd.NA if each is None else each * accounts)
    proved = pd.array(proved, dtype="Int64")
    return table.reset_index(drop=True).assign(
        public_rows=pd.array(rows, dtype="Int64"),
        too_many=pd.array(table["too_many"], dtype="Int64"),
        proved=proved,
        is_proved=(proved >= table["submissions"].max()).fillna(False).astype(bool),
    )

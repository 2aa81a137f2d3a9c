"""How loose are the papers' bounds?  What theory guarantees beside what attacks reached."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM, typed
from shakedown.theory.checks import checked
from shakedown.wording import amount

#: Labels are fair coins, whatever is submitted; so no score in [0, 1] is off by more than 1/2.
TRIVIAL = 0.5

FIXED = "Blum & Hardt, eq. 2 (submissions fixed beforehand)"
LADDER = "Blum & Hardt, Theorem 3.1"
SIMPLIFIED = "Zheng, eq. 1"
ANY_STEP = "Zheng, proof of eq. 1"
NONE = "none proved"

_KEYS = ["experiment", "dataset", "design", "attack", "board", *MECHANISM]
_COLUMNS = [
    *_KEYS, "public_rows", "submissions", "accounts", "chance", "replicates", "simulated",
    "simulated_low", "simulated_high", "theorem", "bound", "vacuous", "ratio",
]  # fmt: skip


def compare(outcomes: pd.DataFrame, rows: Mapping[str, int], *, delta: float) -> pd.DataFrame:
    """The leaderboard error that attacks reached, and the one that theory guarantees.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of attacks on labels, with `leaderboard_error` ([B] Definition 2.1).  Points at
        which a board shows nothing like a score are left out.
    rows : mapping of str to int
        Public rows n of each data set.
    delta : float
        Chance of a larger error, in (0, 1).

    Returns
    -------
    DataFrame
        A row per mechanism, point of the attack and bound: experiment, dataset, design, attack,
        board, the columns that name the mechanism, public_rows, submissions (most that a replicate
        made), accounts (as many as submissions where each comes from a new one), chance (delta),
        replicates; simulated, the 1 - delta quantile of the leaderboard error over the replicates,
        with an interval of 95 % or more, simulated_low and simulated_high (null: too few replicates
        for an end); theorem, bound (the error that it leaves with probability 1 - delta; infinite
        where it leaves any), vacuous (whether that is 1/2 or more), ratio (bound / simulated; null
        if either is no number above 0).

    Raises
    ------
    InputError
        If a column or a data set's number of rows is missing, nothing is left to compare, delta is
        out of range, or an outcome is not of the design "labels".

    Notes
    -----
    On the General Ladder [B] Theorem 3.1 bounds the error by epsilon + eta, for one account.  On
    the Simplified Ladder [Z] equation 1 bounds it by eta, if eta is large enough, and its proof by
    epsilon + eta/2 for any eta.  On boards that show each score there is a bound for submissions
    that do not depend on any score ([B] equation 2): an attack breaks it, which is the point.  For
    other mechanisms nothing is proved.

    An outcome's error counts what the attack ends with as one submission more, as [B] Corollary 5.2
    does; so the bounds are those for k + 1 submissions.
    """
    from shakedown.frontier import quantile_interval  # loads scipy.stats; figures need names alone

    checked("chance", delta=delta)
    _check(outcomes, rows)
    told = outcomes[outcomes["leaderboard_error"].notna()]
    if told.empty:
        raise InputError(
            "bounds: wanted outcomes with a leaderboard error, got none; these boards show no "
            "score. Choose other experiments."
        )
    found = []
    groups = told.groupby([*_KEYS, "iterations"], observed=True, dropna=False, sort=False)
    for key, group in groups:
        named = dict(zip(_KEYS, key[:-1], strict=True))
        n, k = int(rows[named["dataset"]]), int(group["submissions"].max())
        errors = np.sort(group["leaderboard_error"].to_numpy(float))
        simulated, low, high = quantile_interval(errors, 1.0 - delta)
        accounts = _accounts(named["attack"], named["board"], k)
        left = theorems(named["mechanism"], named["eta"], delta, k + 1, n, accounts)
        for theorem, bound in left.items():
            found.append(
                named
                | {
                    "public_rows": n,
                    "submissions": k,
                    "accounts": accounts,
                    "chance": delta,
                    "replicates": len(errors),
                    "simulated": simulated,
                    "simulated_low": low if low > -np.inf else np.nan,
                    "simulated_high": high if high < np.inf else np.nan,
                    "theorem": theorem,
                    "bound": bound,
                    "vacuous": bound >= TRIVIAL,
                    "ratio": bound / simulated if simulated > 0 and bound < np.inf else np.nan,
                }
            )
    return typed(pd.DataFrame(found, columns=_COLUMNS))


def theorems(
    mechanism: str, eta: float | None, delta: float, k: int, n: int, accounts: int
) -> dict[str, float]:
    """The error that each theorem on a mechanism leaves with probability 1 - delta.

    Parameters
    ----------
    mechanism : str
        Key of the catalogue.
    eta : float or None
        Its step, in units of the loss.
    delta : float
        In (0, 1).
    k, n, accounts : int
        Submissions, public rows, and accounts of the participant.

    Returns
    -------
    dict
        Error by theorem; infinite where a theorem does not speak of such a case.
    """
    from shakedown.theory import guarantees

    if mechanism in ("full_disclosure", "kaggle"):
        rounding = 0.0 if pd.isna(eta) else eta / 2.0
        return {FIXED: guarantees.union_error(delta, k, n) + rounding}
    if mechanism == "general_ladder" and eta <= 1.0:
        one = accounts == 1
        return {LADDER: guarantees.ladder_error(eta, delta, k, n) if one else np.inf}
    if mechanism == "simplified_ladder" and eta <= 1.0:
        chance = guarantees.simplified_ladder_probability(eta, k, n, accounts=accounts)
        return {
            SIMPLIFIED: eta if chance <= delta else np.inf,
            ANY_STEP: guarantees.simplified_ladder_error(eta, delta, k, n, accounts=accounts),
        }
    return {NONE: np.inf}


def largest_attacks(comparison: pd.DataFrame) -> pd.DataFrame:
    """Of each attack and mechanism the point with the most submissions, and the sharpest bound.

    Returns
    -------
    DataFrame
        For people: some columns of `compare`, and of simulated, bound and ratio the columns
        reached and guaranteed, as text, and times_as_high.
    """
    ordered = comparison.sort_values(["submissions", "bound"], ascending=[False, True])
    last = ordered.drop_duplicates(_KEYS).sort_index()
    return pd.DataFrame(
        {
            "experiment": last["experiment"],
            "attack": last["attack"],
            **{name: last[name] for name in MECHANISM},
            "public_rows": last["public_rows"],
            "submissions": last["submissions"],
            "accounts": last["accounts"],
            "reached": [_reached(row) for row in last.itertuples()],
            "guaranteed": [_guaranteed(row) for row in last.itertuples()],
            "theorem": last["theorem"],
            "times_as_high": [float(f"{ratio:.2g}") for ratio in last["ratio"]],
        }
    ).reset_index(drop=True)


def explained(comparison: pd.DataFrame) -> str:
    """What the columns of `largest_attacks` mean, in a few plain sentences."""
    share = f"{100 * (1 - comparison['chance'].iloc[0]):g} %"
    return (
        f"Reached: the leaderboard error below which {share} of the plays stayed after the most "
        "submissions that were played, with its 95 % interval. Guaranteed: the error above which, "
        f"with a chance of {share}, no attack whatever gets, as far as the papers prove it. Labels "
        "are fair coins, so no score is off by more than 1/2, and a bound as large as that is "
        "worth nothing. Times as high: below 1 an attack broke a bound that holds only for "
        "submissions fixed before any score was shown."
    )


def _accounts(attack: str, board: str | None, k: int) -> int:
    """M: two where the attack says so, a new one with each submission on fresh boards, else one."""
    if attack == "two_accounts":
        return 2
    return k if board == "fresh" else 1


def _reached(row) -> str:
    ends = [f"{v:.3f}" for v in (row.simulated_low, row.simulated_high) if not pd.isna(v)]
    interval = f" [{', '.join(ends)}]" if len(ends) == 2 else ""
    return f"{row.simulated:.3f}{interval}"


def _guaranteed(row) -> str:
    if row.bound == np.inf:
        return "nothing"
    return f"nothing ({amount(row.bound)})" if row.vacuous else f"{row.bound:.3f}"


def _check(outcomes: pd.DataFrame, rows: Mapping[str, int]) -> None:
    wanted = [*_KEYS, "iterations", "submissions", "leaderboard_error"]
    if missing := [name for name in wanted if name not in outcomes]:
        raise InputError(
            f"bounds: wanted outcomes with the columns {', '.join(wanted)}; missing: "
            f"{', '.join(missing)}. Play the experiment again."
        )
    if others := sorted(set(outcomes["design"].dropna()) - {"labels"}):
        raise InputError(
            f"bounds: wanted outcomes of the design labels, for which every true loss is 1/2; got "
            f"{', '.join(others)}. Choose other experiments."
        )
    if unknown := sorted(set(outcomes["dataset"].dropna()) - set(rows)):
        raise InputError(
            f"bounds: wanted the public rows of every data set; those of {', '.join(unknown)} are "
            "missing. Give them in `rows`."
        )

"""Compare the papers' bounds with the leaderboard errors that attacks reach."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.simulation.outcomes import require, typed
from shakedown.simulation.quantiles import quantile_interval
from shakedown.theory.checks import checked

#: Every true loss is 1/2, so no score in [0, 1] has a larger error than 1/2.
TRIVIAL = 0.5

FIXED = "Blum & Hardt, eq. 2 (submissions fixed beforehand)"
LADDER = "Blum & Hardt, Theorem 3.1"
SIMPLIFIED = "Zheng, eq. 1"
ANY_STEP = "Zheng, proof of eq. 1"
NONE = "none proved"

_KEYS = ["experiment", "dataset", "design", "attack", "iteration_board", "setting"]
_COLUMNS = [
    *_KEYS, "public_rows", "submissions", "accounts", "chance", "replicates", "simulated",
    "simulated_low", "simulated_high", "theorem", "bound", "vacuous", "ratio",
]  # fmt: skip


def compare(outcomes: pd.DataFrame, rows: Mapping[str, int], *, delta: float) -> pd.DataFrame:
    """Compare the leaderboard errors that attacks reached with the proved bounds.

    Parameters
    ----------
    outcomes : DataFrame
        Outcomes of attacks on labels, with `leaderboard_error` ([B] Definition 2.1).  Points
        without a released score are left out.
    rows : mapping of str to int
        Number of public rows n of each data set.
    delta : float
        Probability with which a bound may fail, in (0, 1).

    Returns
    -------
    DataFrame
        One row per setting, point of the attack and bound.  Columns: experiment, dataset, design,
        attack, board, setting, public_rows, submissions (the largest number over the replicates),
        accounts (of the participant), chance (delta), replicates; simulated, the 1 - delta quantile
        of the leaderboard error over the replicates, and its interval, simulated_low to
        simulated_high, with a confidence of at least 95 % (an end is null if there are too few
        replicates); theorem; bound (of the error, with probability 1 - delta; infinite if no bound
        applies); vacuous (whether the bound is at least 1/2); ratio (bound / simulated; null unless
        the bound is finite and simulated is above 0).

    Raises
    ------
    InputError
        If a column or a data set's number of rows is missing, no outcome has a leaderboard error,
        delta is out of range, or an outcome is not of the design "labels".

    Notes
    -----
    For the General Ladder and one account, [B] Theorem 3.1 bounds the error by epsilon + eta.  For
    the Simplified Ladder, [Z] equation 1 bounds the error by eta if eta is large enough, and its
    proof bounds it by epsilon + eta/2 for every eta.  For boards that release every score, the
    bound assumes submissions that do not depend on any score ([B] equation 2); attacks can exceed
    it.  Other boards have no bound, and none with defences: the start of a baseline depends on the
    labels, and a capped board keeps showing an old best.

    The error of an outcome counts the attack's final model as one more submission, as [B] Corollary
    5.2 does, so the bounds are computed for k + 1 submissions.
    """
    checked("chance", delta=delta)
    _check(outcomes, rows)
    scored = outcomes[outcomes["leaderboard_error"].notna()]
    if scored.empty:
        raise InputError(
            "bounds: wanted outcomes with a leaderboard error, got none, because these boards "
            "release no score. Choose other experiments."
        )
    entries = []
    groups = scored.groupby([*_KEYS, "point"], observed=True, dropna=False, sort=False)
    for key, group in groups:
        named = dict(zip(_KEYS, key[:-1], strict=True))
        n, k = int(rows[named["dataset"]]), int(group["submissions"].max())
        errors = np.sort(group["leaderboard_error"].to_numpy(float))
        simulated, low, high = quantile_interval(errors, 1.0 - delta)
        accounts = _accounts(named["attack"], named["iteration_board"], k)
        left = theorems(of_setting(named["setting"]), delta, k + 1, n, accounts)
        for theorem, bound in left.items():
            entries.append(
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
    return typed(pd.DataFrame(entries, columns=_COLUMNS))


def theorems(mechanism: Mechanism, delta: float, k: int, n: int, accounts: int) -> dict[str, float]:
    """The bounds of a mechanism's leaderboard error, each with probability 1 - delta.

    Parameters
    ----------
    mechanism : Mechanism
        Its attribute `guarantee` selects the theorems; its release gives the step.
    delta : float
        Probability with which a bound may fail, in (0, 1).
    k, n, accounts : int
        Numbers of submissions, of public rows, and of the participant's accounts.

    Returns
    -------
    dict
        Bound of the error by theorem; infinite if the theorem does not apply.
    """
    from shakedown.theory import guarantees

    if mechanism.defences:
        return {NONE: np.inf}
    eta = mechanism.release.step_for(n)  # in units of the loss
    if mechanism.guarantee == "union":
        return {FIXED: guarantees.union_error(delta, k, n) + eta / 2.0}
    if mechanism.guarantee == "ladder" and eta <= 1.0:
        single = accounts == 1
        return {LADDER: guarantees.ladder_error(eta, delta, k, n) if single else np.inf}
    if mechanism.guarantee == "simplified_ladder" and eta <= 1.0:
        chance = guarantees.simplified_ladder_probability(eta, k, n, accounts=accounts)
        return {
            SIMPLIFIED: eta if chance <= delta else np.inf,
            ANY_STEP: guarantees.simplified_ladder_error(eta, delta, k, n, accounts=accounts),
        }
    return {NONE: np.inf}


def largest_attacks(comparison: pd.DataFrame) -> pd.DataFrame:
    """For each attack and setting, the row with the most submissions and the smallest bound."""
    ordered = comparison.sort_values(["submissions", "bound"], ascending=[False, True])
    return ordered.drop_duplicates(_KEYS).sort_index().reset_index(drop=True)


def _accounts(attack: str, iteration_board: str | None, k: int) -> int:
    """The number of accounts: k if each submission uses a new board, else the attack's own."""
    return k if iteration_board == "fresh" else ATTACKS.find(attack).accounts_at_once


def _check(outcomes: pd.DataFrame, rows: Mapping[str, int]) -> None:
    wanted = [*_KEYS, "point", "submissions", "leaderboard_error"]
    require(outcomes, wanted, "bounds: the outcomes")
    if others := sorted(set(outcomes["design"].dropna()) - {"labels"}):
        raise InputError(
            f"bounds: wanted outcomes of the design labels, in which every true loss is 1/2; got "
            f"{', '.join(others)}. Choose other experiments."
        )
    if unknown := sorted(set(outcomes["dataset"].dropna()) - set(rows)):
        raise InputError(
            f"bounds: wanted the public rows of every data set; those of {', '.join(unknown)} are "
            "missing. Give them in `rows`."
        )

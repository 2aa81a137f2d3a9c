"""The attacker's best choice at each number of submissions.

An attacker with N submissions chooses among *candidates* (attack, board, features tried, point of
the attack) those that need at most N.  Where D_j is the quantile of Δ of candidate j, the frontier
is D(N) = min D_j over the candidates that N submissions allow; it never rises.

All intervals hold at 95 % or more, 2.5 % to each side, for any distribution of Δ and any number of
candidates; what makes them so stands with each function.  They take the number of replicates as
given: where it was played until the interval of one candidate was narrow, that one's interval holds
in 93.5 % to 96.5 % (measured, normal and Laplace Δ, looks at 40, 50, 63, ... 400 replicates).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd
from scipy import special, stats
from scipy.optimize import isotonic_regression

from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM, STRONGEST, typed

#: What a limit is asked against -> the experiments whose attacks it may choose from.
THREATS = {
    STRONGEST: (
        "step_forward_fresh", "step_forward_carried_on", "step_forward_unaided",
        "freedman", "best_of_many", "paper_recipe",
    ),
    "step_forward": (
        "step_forward_fresh", "step_forward_carried_on", "step_forward_unaided", "paper_recipe",
    ),
    "freedman": ("freedman",),
    "best_of_many": ("best_of_many",),
    "paper_recipe": ("paper_recipe",),
}  # fmt: skip

#: The threat that is a recipe: no choice among candidates, the largest budget that fits.
RECIPE = "paper_recipe"

#: Most numbers of submissions at which a frontier is worked out, those asked for apart.
MOST_POINTS = 60

#: Probability of an error to one side.
TAIL = 0.025

#: Parts of the replicates that take turns in measuring what the others choose.
FOLDS = 10

#: The upper bound chooses with what came before; renewed when this share of all is through.
RENEWALS = (0.15, 0.25, 0.35, 0.5, 0.65, 0.8)

GROUP = ["dataset", "metric", *MECHANISM]
_CANDIDATE = ["experiment", "attack", "board", "n_features", "iterations", "n_selected"]

_FRONTIER = [
    *GROUP, "threat", "submissions", *_CANDIDATE[1:], "quantile", "delta", "delta_low",
    "delta_high", "replicates",
]  # fmt: skip


@cache
def ranks(n: int, tau: float) -> tuple[int, int]:
    """Ranks (1, 2, ...) of the order statistics that bound the tau-quantile of n values.

    Returns
    -------
    low, high : int
        P(low-th smallest > quantile) <= 2.5 %, P(high-th smallest < quantile) <= 2.5 %, from the
        binomial distribution, for any distribution of the values; 0 or n + 1 for no such rank.
    """
    below = stats.binom.cdf(np.arange(-1, n + 1), n, tau)  # [r]: P(fewer than r at or below it)
    low = int(np.searchsorted(below, TAIL, side="right")) - 1
    above = stats.binom.sf(np.arange(-1, n + 1), n, tau)  # [s]: P(s or more below it)
    high = int(np.argmax(above <= TAIL))
    return min(low, n), high


def quantile_interval(sorted_values: np.ndarray, tau: float) -> tuple[float, float, float]:
    """A quantile and its interval from order statistics.

    Parameters
    ----------
    sorted_values : ndarray of float, shape (n,)
        Independent values, from small to large; at least one.
    tau : float
        Which quantile, in (0, 1).

    Returns
    -------
    estimate, low, high : float
        The interval holds the quantile with 95 % or more; -inf or inf where there are too few
        values for a bound.
    """
    low, high = _bounds(sorted_values[None], tau)
    return float(np.quantile(sorted_values, tau)), float(low[0]), float(high[0])


def _bounds(rows: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the quantile of each sorted row, shape (m,) each."""
    n = rows.shape[1]
    low, high = ranks(n, float(tau))
    nothing = np.full(len(rows), np.inf)
    return (rows[:, low - 1] if low else -nothing), (rows[:, high - 1] if high <= n else nothing)


def frontier(
    outcomes: pd.DataFrame, *, quantile: float, unit: float = 1.0, also: Sequence[int] = ()
) -> pd.DataFrame:
    """The attacker's best choice for each number of submissions.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`; `experiment` is one of those in `THREATS`.  Replicates that
        do not hold all candidates of their mechanism are left out.
    quantile : float
        Which quantile of Δ over the replicates, in (0, 1): .5 for the median attacker, .05 for
        the one attacker in 20 who does worst to the board.  Below .5 part of it is chance: some
        models look too good in public without any submission.
    unit : float
        Size of a standardised Δ of 1 in the metric's unit.
    also : sequence of int
        Numbers of submissions that the frontier shall be worked out at in any case, where they
        lie within those tried.

    Returns
    -------
    DataFrame
        Per data set, metric and mechanism, threat and number of submissions: dataset, metric,
        mechanism, alpha, posterior_odds, eta, b, threat, submissions, the candidate that looks
        best (attack, board, n_features, iterations, n_selected), quantile, delta, delta_low,
        delta_high (in the metric's unit; null where there are too few replicates for a bound),
        replicates.

    Raises
    ------
    InputError
        If a Δ is null, an experiment is unknown, a candidate was played twice in a replicate, or
        no replicate holds all candidates.

    Notes
    -----
    A candidate needs the most submissions that any of its replicates made.

    *delta_low* is the smallest of the candidates' own lower bounds.  It lies above D(N) only if
    the bound of the truly best candidate does: 2.5 %, however many there are.  It says that *no*
    candidate is worse, so one with a wide spread of Δ (many features, few rows) lowers it until
    replicates narrow its own bound.  The shorter way, a bound by turns as for delta, is wrong too
    often: in up to 30 % (measured) where one candidate is better than many by about its error.

    *delta_high* goes through the replicates in order.  Each is measured with the candidate that
    looks best in those before it, so given the past its Δ lies below D(N) with probability
    `quantile` at most, and the number of these that do is at most binomial; an order statistic of
    them bounds D(N) from above.  Halving the replicates instead (choose on one half, measure on
    the other) would be valid, too, and wider.

    *delta* is measured by turns, a tenth of the replicates at a time with what looks best in the
    others, so the luck of the best is not taken for its worth.  Curves are then made to fall:
    delta_low by its definition; delta_high is the largest at N or beyond; delta by isotonic
    regression.  Taken from N on, delta_high bounds the limit as well as D(N): it can only end too
    early if it fails at the last safe N, one point and not many.

    What looks best is judged by mean + z·sd, a far steadier guide than an empirical quantile; it
    serves to choose alone.  The recipe (threat "paper_recipe") chooses nothing, so its bounds are
    plain.
    """
    _check(outcomes)
    # The point of an attack is k where there are no iterations, else the iteration.
    point = outcomes["n_selected"].where(outcomes["iterations"].isna())
    table = outcomes.assign(n_selected=point)
    names = table["experiment"].to_numpy(object)
    points = outcomes["iterations"].fillna(point).to_numpy(float)
    features = table["n_features"].to_numpy(float)
    curves = []
    for rows, costs, values in _pivoted(table):
        for threat, experiments in THREATS.items():
            among = np.isin(names[rows], experiments)
            if threat == RECIPE and among.any():
                among[among] = _largest(points[rows[among]], features[rows[among]])
            if among.any():
                curve = _curve(costs[among], values[among], threat, quantile, also)
                chosen = rows[among][curve.pop("candidate")]
                curves.append(pd.DataFrame({"row": chosen, "threat": threat} | curve))
    if not curves:
        return pd.DataFrame(columns=_FRONTIER)
    whole = pd.concat(curves, ignore_index=True).assign(quantile=float(quantile))
    for column in ("delta", "delta_low", "delta_high"):
        whole[column] = (whole[column] * unit).replace([-np.inf, np.inf], np.nan)
    described = table.iloc[whole["row"]][[*GROUP, *_CANDIDATE[1:]]].reset_index(drop=True)
    return typed(pd.concat([described, whole], axis=1)[_FRONTIER])


def _check(outcomes: pd.DataFrame) -> None:
    if unknown := sorted(set(outcomes["experiment"].unique()) - set(THREATS[STRONGEST])):
        raise InputError(
            f"frontier: wanted experiments among {sorted(THREATS[STRONGEST])}, got {unknown}."
        )
    if nulls := int(outcomes["delta"].isna().sum()):
        raise InputError(f"frontier: column 'delta' has {nulls} nulls; wanted a number each.")


def _pivoted(table: pd.DataFrame):
    """Per mechanism, the Δ of its candidates, from few to many submissions.

    Yields
    ------
    rows : ndarray of int, shape (m,)
        A row of the table for each candidate.
    costs : ndarray of float, shape (m,)
        Submissions that each needs.
    values : ndarray of float, shape (m, replicates)
    """
    group, candidate = _codes(table[GROUP]), _codes(table[_CANDIDATE])
    delta = table["delta"].to_numpy(float)
    submissions = table["submissions"].to_numpy(float)
    replicate = table["replicate"].to_numpy(np.int64)
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(order) else []:
        _, first, c = np.unique(candidate[rows], return_index=True, return_inverse=True)
        numbers, r = np.unique(replicate[rows], return_inverse=True)
        shape = len(first), len(numbers)
        times = np.bincount(c * shape[1] + r, minlength=shape[0] * shape[1]).reshape(shape)
        complete = (times > 0).all(axis=0)
        if times.max() > 1 or not complete.any():
            wanted, got = (
                ("one row for each candidate and replicate", "several")
                if times.max() > 1
                else ("a replicate with all candidates", "none")
            )
            mechanism = table["mechanism"].iloc[rows[0]]
            raise InputError(f"frontier: mechanism '{mechanism}': wanted {wanted}, got {got}.")
        values, made = np.zeros(shape), np.zeros(shape)
        values[c, r], made[c, r] = delta[rows], submissions[rows]
        costs = made[:, complete].max(axis=1)
        by_cost = np.argsort(costs, kind="stable")
        yield rows[first[by_cost]], costs[by_cost], values[by_cost][:, complete]


def _codes(table: pd.DataFrame) -> np.ndarray:
    """A number for each row, the same for the same row; nulls are alike."""
    code = np.zeros(len(table), np.int64)
    for name in table:
        held, labels = pd.factorize(table[name], use_na_sentinel=False)
        code = pd.factorize(code * len(labels) + held)[0]
    return code


def _largest(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each value is the largest of those with its label."""
    return values == pd.Series(values).groupby(labels).transform("max").to_numpy()


def _curve(costs: np.ndarray, values: np.ndarray, threat: str, tau: float, also) -> dict:
    """The frontier of one mechanism and threat."""
    grid = _grid(costs, also)
    last = np.searchsorted(costs, grid, side="right") - 1  # the largest candidate that N allows
    low, high = _bounds(np.sort(values, axis=1), tau)
    if threat == RECIPE:
        chosen, delta, high = last, np.quantile(values, tau, axis=1)[last], high[last]
    else:
        chosen = _choice(values, last, tau)
        delta = np.quantile(_by_turns(values, last, tau), tau, axis=1)
        high = _bounds(np.sort(_in_order(values, last, tau), axis=1), tau)[1]
    low = np.minimum.accumulate(low)[last]
    high = np.maximum.accumulate(high[::-1])[::-1]
    return {
        "candidate": chosen,
        "submissions": grid,
        "delta": np.clip(isotonic_regression(delta, increasing=False).x, low, high),
        "delta_low": low,
        "delta_high": high,
        "replicates": values.shape[1],
    }


def _grid(costs: np.ndarray, also: Sequence[int]) -> np.ndarray:
    """Numbers of submissions for a curve: all there are, or many in about equal ratios."""
    grid = np.unique(costs)
    if len(grid) > MOST_POINTS:
        wanted = np.geomspace(grid[0], grid[-1], MOST_POINTS)
        places = np.searchsorted(grid, wanted * (1 + 1e-9), side="right") - 1
        grid = grid[np.unique(np.append(places, len(grid) - 1))]
    within = [n for n in also if grid[0] <= n <= grid[-1]]
    return np.union1d(grid, within)


def _choice(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """Which of the first candidates, up to each of `last`, looks best; shape of `last`."""
    looks = values.mean(axis=1)
    if values.shape[1] > 1:
        looks = looks + special.ndtri(tau) * values.std(axis=1, ddof=1)
    lowest = np.minimum.accumulate(looks)
    leads = np.append(True, lowest[1:] < lowest[:-1])
    return np.maximum.accumulate(np.where(leads, np.arange(len(looks)), 0))[last]


def _by_turns(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """Δ of every replicate with what looks best in the other folds; (points, replicates)."""
    n = values.shape[1]
    folds = min(FOLDS, n)
    measured = np.empty((len(last), n))
    for fold in range(folds):
        away = np.arange(n) % folds == fold
        others = values[:, ~away] if folds > 1 else values
        measured[:, away] = values[_choice(others, last, tau)][:, away]
    return measured


def _in_order(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """Δ of the later replicates, each with what looks best in those before it."""
    n = values.shape[1]
    starts = sorted({max(1, round(share * n)) for share in RENEWALS if n > 1})
    measured = [
        values[_choice(values[:, :start], last, tau)][:, start:end]
        for start, end in zip(starts, [*starts[1:], n], strict=True)
    ]
    return np.concatenate([np.empty((len(last), 0)), *measured], axis=1)

"""The attacker's best choice at each number of submissions.

An attacker with N submissions chooses among the *candidates* (attack, board, number of features,
point of the attack) that need at most N.  If D_j is the quantile of Δ of candidate j, the frontier
is D(N) = min D_j over these candidates; it never rises.  A participant who can choose among several
attacks, such as the modeller, has one curve: at each N the smallest of the attacks' curves.

Intervals of Δ have a coverage of at least 95 %, with an error of at most 2.5 % on each side, for
any distribution of Δ and any number of candidates; the notes of `frontier` explain why.  They
assume a fixed number of replicates.  If a dry run stops as soon as the interval of a candidate is
narrow, the coverage is 93.5 % to 96.5 % (measured with normal and Laplace Δ and checks after 40,
50, 63, ..., 400 replicates).  `limits` and `bootstrap` explain the intervals of limits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import isotonic_regression

from shakedown.attacks.attack import MODELLER
from shakedown.dryrun.candidates import CANDIDATE, GROUP, prepared
from shakedown.simulation.outcomes import typed
from shakedown.simulation.quantiles import TAIL, bounds

#: Largest number of points of an attack's frontier, not counting requested points.
MOST_POINTS = 60

#: Folds of the replicates; each fold measures the candidate that looks best in the others.
FOLDS = 10

#: The upper bound chooses its candidate again after each of these shares of the replicates.
RENEWALS = (0.15, 0.25, 0.35, 0.5, 0.65, 0.8)

_FRONTIER = [
    *GROUP, "threat", "submissions", *CANDIDATE[1:], "quantile", "delta", "delta_low",
    "delta_high", "replicates",
]  # fmt: skip


def frontier(
    outcomes: pd.DataFrame,
    *,
    quantile: float,
    unit: float = 1.0,
    also: Sequence[int] = (),
    accounts: int = 1,
) -> pd.DataFrame:
    """The attacker's best choice for each number of submissions.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`.  Replicates that lack a candidate of their setting and
        attack are left out.
    quantile : float
        Quantile of Δ beyond chance (see `chance`) over the replicates, in (0, 1): .5 for the median
        attacker; at .05, 1 attacker in 20 overfits more.
    unit : float
        Size of a Δ of 1 on standardised data, in the metric's unit.
    also : sequence of int
        Requested numbers of submissions; those outside the range played are ignored.
    accounts : int
        Accounts among which attacks that build on an honest file have dealt their submissions;
        the curve is over the submissions of one of them.

    Returns
    -------
    DataFrame
        Per data set, metric and setting, threat and number of submissions: dataset, metric,
        setting, threat, submissions, the candidate that looks best (attack, board, n_features,
        point), quantile, delta, delta_low, delta_high (in the metric's unit; null with too few
        replicates for a bound), replicates.

    Raises
    ------
    InputError
        If a Δ is null, an attack is unknown, a candidate was played twice in a replicate, or no
        replicate has all candidates.

    Notes
    -----
    The number of submissions that a candidate needs is the largest of all its replicates.

    *delta_low* is the smallest lower bound of all candidates.  It exceeds D(N) only if the bound of
    the truly best candidate does, which has a probability of at most 2.5 % for any number of
    candidates.  A candidate with a wide spread of Δ (many features, few rows) lowers delta_low
    until more replicates narrow its own bound.  A cross-validated bound would be narrower, but it
    fails too often: in up to 30 % of cases (measured) if the best candidate is better than many
    others by about its standard error.

    *delta_high* uses the replicates in order, and from each the Δ of the candidate that looks best
    in the earlier replicates.  Given these, this Δ is below D(N) with probability at most
    `quantile`, so the number of such replicates is stochastically at most binomial, and an order
    statistic of the measured Δ is an upper bound of D(N).  Choosing on one half of the replicates
    and measuring on the other half would also be valid, but the bound would be wider.

    *delta* is cross-validated: in each tenth of the replicates it uses the candidate that looks
    best in the others.  This avoids the optimism of choosing and measuring on the same data.

    All curves are monotone: delta_low by definition, delta_high because it is the largest value at
    N or beyond, and delta by isotonic regression.  So delta_high also bounds the limit: its
    crossing is too low only if delta_high fails at one point, the last safe N.

    The curve of a threat with several attacks is at each N the smallest of theirs.  Its delta_low
    is again the smallest of all candidates'.  Its delta_high fails only if that of one attack does;
    with k attacks and recipes, each of these has an error of at most 2.5 %/k.  So neither the limit
    of the threat nor an end of its interval exceeds that of any of its attacks.

    A candidate looks best if its mean + z·sd is the smallest.  This criterion varies less than an
    empirical quantile; it is used only for the choice.  A recipe (`Attack.recipes`) makes no
    choice, so its bounds need no correction.
    """
    outcomes, groups, settings = prepared(outcomes, quantile, accounts)
    # The upper bounds of the parts of a group must hold jointly, so the parts share the error.
    sizes = [(part, len(parts)) for parts in groups.values() for part in parts]
    together = {part: max(size for other, size in sizes if other == part) for part, _ in sizes}
    curves = []
    for parts in settings:
        played: dict[str, dict] = {}
        for threat, candidates in parts.items():
            tail = TAIL / together.get(threat, 1)
            curve = _curve(
                candidates.costs,
                candidates.values,
                quantile,
                also,
                tail,
                candidates.widening,
                fixed=candidates.fixed,
            )
            played[threat] = curve | {"row": candidates.rows[curve["row"]]}
        for group, members in groups.items():
            if mine := [played[part] for part in members if part in played]:
                until = _until(
                    groups,
                    {part: played[part]["submissions"] for part in members if part in played},
                )
                curves.append(pd.DataFrame({"threat": group} | _smallest(mine, until)))
        curves += [pd.DataFrame({"threat": threat} | curve) for threat, curve in played.items()]
    if not curves:
        return pd.DataFrame(columns=_FRONTIER)
    whole = pd.concat(curves, ignore_index=True).assign(quantile=float(quantile))
    for column in ("delta", "delta_low", "delta_high"):
        whole[column] = (whole[column] * unit).replace([-np.inf, np.inf], np.nan)
    described = outcomes.iloc[whole["row"]][[*GROUP, *CANDIDATE[1:]]].reset_index(drop=True)
    return typed(pd.concat([described, whole], axis=1)[_FRONTIER])


def _until(groups: dict[str, list[str]], grids: dict[str, np.ndarray]) -> float:
    """Last number of submissions at which something is known of all parts of a threat.

    Modellers may run out of models; a file of numbers can always follow, so that nothing is known
    of adversaries beyond what was played.
    """
    modellers = groups.get(MODELLER, ())
    return min((grid[-1] for part, grid in grids.items() if part not in modellers), default=np.inf)


def _curve(
    costs: np.ndarray, values: np.ndarray, tau: float, also, tail: float = TAIL,
    widening: np.ndarray | None = None, *, fixed: bool = False,
) -> dict:  # fmt: skip
    """The frontier of one setting and attack; `fixed` for a recipe.

    `tail` is the error of the upper bound; `widening`, shape (m,), that of `chance.beyond_chance`.
    """
    grid = _grid(costs, also)
    last = np.searchsorted(costs, grid, side="right") - 1  # the largest candidate that N allows
    widening = np.ones(len(costs)) if widening is None else widening
    ordered = np.sort(values, axis=1)
    measured = np.quantile(ordered, tau, axis=1)
    low = _widened(bounds(ordered, tau)[0], measured, widening)
    if fixed:
        chosen, delta = last, measured[last]
        high = bounds(ordered, tau, tail)[1][last]
    else:
        chosen = _choice(values, last, tau)
        delta = np.quantile(_by_turns(values, last, tau), tau, axis=1)
        high = bounds(np.sort(_in_order(values, last, tau), axis=1), tau, tail)[1]
    high = _widened(high, delta, widening[chosen])
    low = np.minimum.accumulate(low)[last]
    high = np.maximum.accumulate(high[::-1])[::-1]
    return {
        "row": chosen,
        "submissions": grid,
        "delta": np.clip(isotonic_regression(delta, increasing=False).x, low, high),
        "delta_low": low,
        "delta_high": high,
        "replicates": values.shape[1],
    }


def _widened(bound: np.ndarray, middle: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Bounds that are `times` as far from the middle; infinite ones only move if it is 0."""
    widened = middle + np.where(times > 0, times, 1.0) * (bound - middle)
    return np.select([times == 0, times == 1], [middle, bound], widened)


def _smallest(curves: Sequence[dict], until: float) -> dict:
    """At each number of submissions up to `until`, the smallest of several attacks' curves.

    Between the numbers that an attack played, each curve is read as `limits.safe_submissions` reads
    it: Δ is interpolated, and bounds hold for any Δ in between.
    """
    grid = np.unique(np.concatenate([curve["submissions"] for curve in curves]))
    grid = grid[grid <= until]
    delta, low, high, seen, row = (np.empty((len(curves), len(grid))) for _ in range(5))
    for k, curve in enumerate(curves):
        n = curve["submissions"]
        delta[k] = np.interp(grid, np.append(0, n), np.append(0, curve["delta"]))
        low[k] = curve["delta_low"][np.minimum(np.searchsorted(n, grid), len(n) - 1)]
        before = np.searchsorted(n, grid, side="right")  # how many numbers it has played by then
        high[k] = np.append(np.inf, curve["delta_high"])[before]
        seen[k] = np.append(np.inf, curve["delta"])[before]
        row[k] = np.append(-1, curve["row"])[before]
    best = np.argmin(seen, axis=0)
    return {
        "row": row[best, np.arange(len(grid))].astype(int),
        "submissions": grid,
        "delta": delta.min(axis=0),
        "delta_low": low.min(axis=0),
        "delta_high": high.min(axis=0),
        "replicates": max(curve["replicates"] for curve in curves),
    }


def _grid(costs: np.ndarray, also: Sequence[int]) -> np.ndarray:
    """Numbers of submissions for a curve: all, or about `MOST_POINTS` in roughly equal ratios."""
    grid = np.unique(costs)
    if len(grid) > MOST_POINTS:
        wanted = np.geomspace(grid[0], grid[-1], MOST_POINTS)
        places = np.searchsorted(grid, wanted * (1 + 1e-9), side="right") - 1
        grid = grid[np.unique(np.append(places, len(grid) - 1))]
    within = [n for n in also if grid[0] <= n <= grid[-1]]
    return np.union1d(grid, within)


def _choice(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """For each entry of `last`, the candidate up to it that looks best; shape of `last`."""
    looks = values.mean(axis=1)
    if values.shape[1] > 1:
        looks = looks + special.ndtri(tau) * values.std(axis=1, ddof=1)
    lowest = np.minimum.accumulate(looks)
    leads = np.append(True, lowest[1:] < lowest[:-1])
    return np.maximum.accumulate(np.where(leads, np.arange(len(looks)), 0))[last]


def _by_turns(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """Δ of each replicate, with the candidate that looks best in the other folds.

    Shape (points, replicates).
    """
    n = values.shape[1]
    folds = min(FOLDS, n)
    measured = np.empty((len(last), n))
    for fold in range(folds):
        away = np.arange(n) % folds == fold
        others = values[:, ~away] if folds > 1 else values
        measured[:, away] = values[_choice(others, last, tau)][:, away]
    return measured


def _in_order(values: np.ndarray, last: np.ndarray, tau: float) -> np.ndarray:
    """Δ of the later replicates, each with the candidate that looks best before it.

    Shape (points, later replicates).
    """
    n = values.shape[1]
    starts = sorted({max(1, round(share * n)) for share in RENEWALS if n > 1})
    measured = [
        values[_choice(values[:, :start], last, tau)][:, start:end]
        for start, end in zip(starts, [*starts[1:], n], strict=True)
    ]
    return np.concatenate([np.empty((len(last), 0)), *measured], axis=1)

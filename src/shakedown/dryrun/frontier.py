"""The attacker's best choice at each number of submissions.

An attacker with N submissions chooses among the *candidates* (attack, board, number of features,
point of the attack) that need at most N.  If D_j is the quantile of Δ of candidate j, the frontier
is D(N) = min D_j over these candidates; it never rises.

All intervals have a coverage of at least 95 %, with an error of at most 2.5 % on each side, for any
distribution of Δ and any number of candidates; the notes of `frontier` explain why.  They assume a
fixed number of replicates.  If a dry run stops as soon as the interval of a candidate is narrow,
the coverage is 93.5 % to 96.5 % (measured with normal and Laplace Δ and checks after 40, 50, 63,
..., 400 replicates).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import isotonic_regression

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import InputError
from shakedown.simulation.outcomes import STRONGEST, typed
from shakedown.simulation.quantiles import bounds

#: Largest number of points of a frontier, not counting requested points.
MOST_POINTS = 60

#: Folds of the replicates; each is used to measure the candidate that the others choose.
FOLDS = 10

#: The upper bound chooses its candidate again after each of these shares of the replicates.
RENEWALS = (0.15, 0.25, 0.35, 0.5, 0.65, 0.8)

GROUP = ["dataset", "metric", "setting"]
_CANDIDATE = ["experiment", "attack", "board", "n_features", "point"]

_FRONTIER = [
    *GROUP, "threat", "submissions", *_CANDIDATE[1:], "quantile", "delta", "delta_low",
    "delta_high", "replicates",
]  # fmt: skip


def frontier(
    outcomes: pd.DataFrame, *, quantile: float, unit: float = 1.0, also: Sequence[int] = ()
) -> pd.DataFrame:
    """The attacker's best choice for each number of submissions.

    Parameters
    ----------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`.  Replicates that lack a candidate of their setting are left
        out.
    quantile : float
        Quantile of Δ over the replicates, in (0, 1): .5 for the median attacker; at .05, 1 attacker
        in 20 overfits more.  A quantile below .5 is partly chance: some models score better in
        public than in the final set without any submission.
    unit : float
        A standardised Δ of 1 in the metric's unit.
    also : sequence of int
        Requested numbers of submissions; those outside the range played are ignored.

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
    A candidate needs the most submissions that any of its replicates made.

    *delta_low* is the smallest lower bound of all candidates.  It exceeds D(N) only if the bound of
    the truly best candidate does, which has a probability of at most 2.5 % for any number of
    candidates.  A candidate with a wide spread of Δ (many features, few rows) lowers delta_low
    until more replicates narrow its own bound.  A cross-validated bound would be narrower, but it
    fails too often: in up to 30 % of cases (measured) if the best candidate is better than many
    others by about its standard error.

    *delta_high* uses the replicates in order.  Each is measured with the candidate that looks best
    in the earlier replicates.  Given these, its Δ is below D(N) with probability at most
    `quantile`, so the number of such replicates is stochastically at most binomial, and an order
    statistic of the measured Δ is an upper bound of D(N).  Choosing on one half of the replicates
    and measuring on the other half would also be valid, but the bound would be wider.

    *delta* is cross-validated: each tenth of the replicates is measured with the candidate that
    looks best in the others.  This avoids the optimism of choosing and measuring on the same data.

    All curves are monotone: delta_low by definition, delta_high because it is the largest value at
    N or beyond, and delta by isotonic regression.  So delta_high also bounds the limit: the upper
    end of the limit is too low only if delta_high fails at one point, the last safe N.

    A candidate looks best if its mean + z·sd is the smallest.  This criterion varies less than an
    empirical quantile; it is used only for the choice.  A recipe (`Attack.recipes`) makes no
    choice, so its bounds need no correction.
    """
    if nulls := int(outcomes["delta"].isna().sum()):
        raise InputError(f"frontier: wanted a number in every row of delta; {nulls} are null.")
    threats, recipes = threats_of(outcomes)
    names = outcomes["experiment"].to_numpy(object)
    points = outcomes["point"].to_numpy(float)
    features = outcomes["n_features"].to_numpy(float)
    curves = []
    for rows, costs, values in _pivoted(outcomes):
        for threat, experiments in threats.items():
            among = np.isin(names[rows], experiments)
            fixed = threat in recipes
            if fixed and among.any():
                among[among] = _largest(points[rows[among]], features[rows[among]])
            if among.any():
                curve = _curve(costs[among], values[among], quantile, also, fixed=fixed)
                chosen = rows[among][curve.pop("candidate")]
                curves.append(pd.DataFrame({"row": chosen, "threat": threat} | curve))
    if not curves:
        return pd.DataFrame(columns=_FRONTIER)
    whole = pd.concat(curves, ignore_index=True).assign(quantile=float(quantile))
    for column in ("delta", "delta_low", "delta_high"):
        whole[column] = (whole[column] * unit).replace([-np.inf, np.inf], np.nan)
    described = outcomes.iloc[whole["row"]][[*GROUP, *_CANDIDATE[1:]]].reset_index(drop=True)
    return typed(pd.concat([described, whole], axis=1)[_FRONTIER])


def threats_of(outcomes: pd.DataFrame) -> tuple[dict[str, list[str]], set[str]]:
    """The kinds of attackers that limits are computed for.

    Returns
    -------
    threats : dict of str to list of str
        The experiments that each threat can choose from.  Threats are the values of
        `Attack.threat`, the attacks, and the recipes.
    recipes : set of str
        The threats that are recipes: they play the largest budget that fits, without a choice.
    """
    pairs = outcomes[["experiment", "attack"]].astype(str).drop_duplicates()
    played = [(experiment, ATTACKS.find(attack)) for experiment, attack in pairs.to_numpy()]
    recipes = [experiment for experiment, one in played if experiment in one.recipes]
    threats: dict[str, list[str]] = {}
    for experiment, one in played:
        if one.threat is not None:
            threats.setdefault(one.threat, []).append(experiment)
    for experiment, one in played:
        threats.setdefault(one.name, []).append(experiment)
    return threats | {recipe: [recipe] for recipe in recipes}, set(recipes)


def is_of_strongest(curve: pd.DataFrame) -> bool:
    """Whether the strongest attacker can choose all attacks of a curve."""
    return all(
        ATTACKS.find(one).threat == STRONGEST for one in curve["attack"].astype(str).unique()
    )


def _pivoted(table: pd.DataFrame):
    """The Δ of all candidates of each setting, in order of their submissions.

    Yields
    ------
    rows : ndarray of int, shape (m,)
        For each candidate, the number of one of its rows in the table.
    costs : ndarray of float, shape (m,)
        Number of submissions that each candidate needs.
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
            setting = table["setting"].iloc[rows[0]]
            raise InputError(f"frontier: setting '{setting}': wanted {wanted}, got {got}.")
        values, made = np.zeros(shape), np.zeros(shape)
        values[c, r], made[c, r] = delta[rows], submissions[rows]
        costs = made[:, complete].max(axis=1)
        by_cost = np.argsort(costs, kind="stable")
        yield rows[first[by_cost]], costs[by_cost], values[by_cost][:, complete]


def _codes(table: pd.DataFrame) -> np.ndarray:
    """A number for each row; equal rows have equal numbers, and nulls are equal."""
    code = np.zeros(len(table), np.int64)
    for name in table:
        held, labels = pd.factorize(table[name], use_na_sentinel=False)
        code = pd.factorize(code * len(labels) + held)[0]
    return code


def _largest(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each value is the largest of those with its label."""
    return values == pd.Series(values).groupby(labels).transform("max").to_numpy()


def _curve(costs: np.ndarray, values: np.ndarray, tau: float, also, *, fixed=False) -> dict:
    """The frontier of one setting and threat; `fixed` for a recipe."""
    grid = _grid(costs, also)
    last = np.searchsorted(costs, grid, side="right") - 1  # the largest candidate that N allows
    low, high = bounds(np.sort(values, axis=1), tau)
    if fixed:
        chosen, delta, high = last, np.quantile(values, tau, axis=1)[last], high[last]
    else:
        chosen = _choice(values, last, tau)
        delta = np.quantile(_by_turns(values, last, tau), tau, axis=1)
        high = bounds(np.sort(_in_order(values, last, tau), axis=1), tau)[1]
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

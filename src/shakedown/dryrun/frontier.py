"""The attacker's best choice at each number of submissions.

An attacker with N submissions chooses among the *candidates* (attack, board, number of features,
point of the attack) that need at most N.  If D_j is the quantile of Δ of candidate j, the frontier
is D(N) = min D_j over these candidates; it never rises.  A participant who can choose among several
attacks, such as the modeller, has one curve: at each N the smallest of the attacks' curves.

All intervals have a coverage of at least 95 %, with an error of at most 2.5 % on each side, for any
distribution of Δ and any number of candidates; the notes of `frontier` explain why.  They assume a
fixed number of replicates.  If a dry run stops as soon as the interval of a candidate is narrow,
the coverage is 93.5 % to 96.5 % (measured with normal and Laplace Δ and checks after 40, 50, 63,
..., 400 replicates).  The intervals of limits cover more, because they end at numbers that were
played and count every candidate: 99 to 100 % in studies with known limits
(tests/known/coverage.py); the notes of `limits.safe_submissions` explain why no narrower interval
is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special
from scipy.optimize import isotonic_regression

from shakedown.attacks.attack import ANYBODY, ATTACKS, MODELLER
from shakedown.dryrun.luck import beyond_chance
from shakedown.interface import InputError
from shakedown.simulation.outcomes import typed
from shakedown.simulation.quantiles import TAIL, bounds

#: Largest number of points of an attack's frontier, not counting requested points.
MOST_POINTS = 60

#: Folds of the replicates; each fold measures the candidate that looks best in the others.
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
        Quantile of Δ beyond chance (see `luck`) over the replicates, in (0, 1): .5 for the median
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
    N or beyond, and delta by isotonic regression.  So delta_high also bounds the limit: the upper
    end of the limit is too low only if delta_high fails at one point, the last safe N.

    The curve of a threat with several attacks is at each N the smallest of theirs.  Its delta_low
    is again the smallest of all candidates'.  Its delta_high fails only if that of one attack does;
    with k attacks and recipes, each of these has an error of at most 2.5 %/k.  So neither the limit
    of the threat nor an end of its interval exceeds that of any of its attacks.

    A candidate looks best if its mean + z·sd is the smallest.  This criterion varies less than an
    empirical quantile; it is used only for the choice.  A recipe (`Attack.recipes`) makes no
    choice, so its bounds need no correction.
    """
    if nulls := int(outcomes["delta"].isna().sum()):
        raise InputError(f"frontier: wanted a number in every row of delta; {nulls} are null.")
    outcomes = beyond_chance(outcomes, quantile)
    if accounts > 1:
        made = outcomes["submissions"]
        dealt = outcomes["score_honest"].notna()
        outcomes["submissions"] = made.where(~dealt, -(-made // accounts))
    groups, attacks, recipes = threats_of(outcomes)
    # The upper bounds of the parts of a group must hold jointly, so the parts share the error.
    sizes = [(part, len(parts)) for parts in groups.values() for part in parts]
    together = {part: max(size for one, size in sizes if one == part) for part, _ in sizes}
    names = outcomes["experiment"].to_numpy(object)
    points = outcomes["point"].to_numpy(float)
    features = outcomes["n_features"].to_numpy(float)
    widening = outcomes["widening"].to_numpy(float)
    curves = []
    for held in _settings(outcomes):
        played: dict[str, dict] = {}
        for threat, experiments in attacks.items():
            own = held[np.isin(names[held], experiments)]
            if not len(own):
                continue
            rows, costs, values = _candidates(outcomes, own)
            if fixed := threat in recipes:
                among = _largest(points[rows], features[rows])
                rows, costs, values = rows[among], costs[among], values[among]
            tail = TAIL / together.get(threat, 1)
            curve = _curve(costs, values, quantile, also, tail, widening[rows], fixed=fixed)
            played[threat] = curve | {"row": rows[curve["row"]]}
        for group, parts in groups.items():
            if mine := [played[part] for part in parts if part in played]:
                # Modellers may run out of models; a file of numbers can always follow, so that
                # nothing is known of adversaries beyond what was played.
                tireless = [part for part in parts if part not in groups.get(MODELLER, ())]
                until = min(
                    (played[part]["submissions"][-1] for part in tireless if part in played),
                    default=np.inf,
                )
                curves.append(pd.DataFrame({"threat": group} | _smallest(mine, until)))
        curves += [pd.DataFrame({"threat": threat} | curve) for threat, curve in played.items()]
    if not curves:
        return pd.DataFrame(columns=_FRONTIER)
    whole = pd.concat(curves, ignore_index=True).assign(quantile=float(quantile))
    for column in ("delta", "delta_low", "delta_high"):
        whole[column] = (whole[column] * unit).replace([-np.inf, np.inf], np.nan)
    described = outcomes.iloc[whole["row"]][[*GROUP, *_CANDIDATE[1:]]].reset_index(drop=True)
    return typed(pd.concat([described, whole], axis=1)[_FRONTIER])


def threats_of(
    outcomes: pd.DataFrame,
) -> tuple[dict[str, list[str]], dict[str, list[str]], set[str]]:
    """The kinds of attackers that limits are computed for.

    Returns
    -------
    groups : dict of str to list of str
        The attacks and recipes that each threat (see `Attack.threat_of`) can choose from.  If
        not all of them are modellers', `ANYBODY` can choose from them all.
    attacks : dict of str to list of str
        The experiments of each attack and recipe.  An experiment that stands for another threat
        than its attack is an attack by itself.
    recipes : set of str
        The recipes: they play the largest budget that fits, without a choice.
    """
    pairs = outcomes[["experiment", "attack"]].astype(str).drop_duplicates()
    played = [(experiment, ATTACKS.find(attack)) for experiment, attack in pairs.to_numpy()]
    recipes = {experiment for experiment, one in played if experiment in one.recipes}
    groups: dict[str, list[str]] = {}
    attacks: dict[str, list[str]] = {}
    for experiment, one in played:
        threat = one.threat_of(experiment)
        part = one.name if threat == one.threat else experiment
        attacks.setdefault(part, []).append(experiment)
        if threat is not None:
            own = [part, *([experiment] if experiment in recipes else [])]
            held = groups.setdefault(threat, [])
            held += [part for part in own if part not in held]
    attacks |= {recipe: [recipe] for recipe, _ in played if recipe in recipes}
    if len(groups) > 1 or (groups and MODELLER not in groups):
        groups[ANYBODY] = [part for parts in groups.values() for part in parts]
    return groups, attacks, recipes


def _settings(table: pd.DataFrame) -> list[np.ndarray]:
    """The positions of the rows of each data set, metric and setting."""
    group = _codes(table[GROUP])
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(order) else []


def _candidates(table: pd.DataFrame, rows: np.ndarray):
    """The Δ of all candidates among some rows of a setting, in order of their submissions.

    Returns
    -------
    rows : ndarray of int, shape (m,)
        For each candidate, the position of one of its rows in the table.
    costs : ndarray of float, shape (m,)
        Number of submissions that each candidate needs.
    values : ndarray of float, shape (m, replicates)
    """
    own = table.iloc[rows]
    _, first, c = np.unique(_codes(own[_CANDIDATE]), return_index=True, return_inverse=True)
    numbers, r = np.unique(own["replicate"].to_numpy(np.int64), return_inverse=True)
    shape = len(first), len(numbers)
    times = np.bincount(c * shape[1] + r, minlength=shape[0] * shape[1]).reshape(shape)
    complete = (times > 0).all(axis=0)
    if times.max() > 1 or not complete.any():
        wanted, got = (
            ("one row for each candidate and replicate", "several")
            if times.max() > 1
            else ("a replicate with all candidates", "none")
        )
        setting = own["setting"].iloc[0]
        raise InputError(f"frontier: setting '{setting}': wanted {wanted}, got {got}.")
    values, made = np.zeros(shape), np.zeros(shape)
    values[c, r] = own["delta"].to_numpy(float)
    made[c, r] = own["submissions"].to_numpy(float)
    costs = made[:, complete].max(axis=1)
    by_cost = np.argsort(costs, kind="stable")
    return rows[first[by_cost]], costs[by_cost], values[by_cost][:, complete]


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


def _curve(
    costs: np.ndarray, values: np.ndarray, tau: float, also, tail: float = TAIL,
    widening: np.ndarray | None = None, *, fixed: bool = False,
) -> dict:  # fmt: skip
    """The frontier of one setting and attack; `fixed` for a recipe.

    `tail` is the error of the upper bound; `widening`, shape (m,), that of `luck.beyond_chance`.
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
    found = middle + np.where(times > 0, times, 1.0) * (bound - middle)
    return np.select([times == 0, times == 1], [middle, bound], found)


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

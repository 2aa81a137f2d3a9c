"""Rows that are nearly the same as another one."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from shakedown.dryrun.assumptions.check import LEVEL, Check
from shakedown.dryrun.assumptions.checks.groups import grouping
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.residuals import residuals
from shakedown.dryrun.assumptions.sample import CELLS, Sample
from shakedown.wording import counted

#: Dimensions in which neighbours are looked for, and their number.
DIMENSIONS, NEIGHBOURS = 8, 6
#: How much longer a distance is in a random projection, but for 1 in 10,000.
REACH = 6.0
#: Near is at most this share of the median distance of two rows, and so near that about this share
#: of the rows has a neighbour by chance.
NEAR, CHANCE = 0.1, 0.01
#: Rows that are looked at.
ROWS = 20_000
#: Fewest near-duplicates that are tested.
PAIRS = 8


class NearDuplicates(Check):
    """Rows with nearly equal features and similar responses."""

    name: ClassVar[str] = "near_duplicates"
    label: ClassVar[str] = "Near-duplicate rows"
    sentence: ClassVar[str] = (
        "Rows that are much nearer to another one than chance allows, and whose responses are "
        "alike beyond what honest models predict."
    )
    order: ClassVar[float] = 2
    is_of_noise: ClassVar[bool] = False

    def look(self, sample: Sample) -> Finding | None:
        features, rng = _standardised(sample.features), np.random.default_rng(0)
        if not features.shape[1]:
            return None
        rows = _neighbourhood(features, rng)
        features, y, n = features[rows], sample.challenge.y[rows], len(rows)
        links = _links(features, rng)
        found = grouping(sample)
        if found is not None:
            links = links[np.diff(found[0].codes[rows][links])[:, 0] != 0]
        # Columns that are shuffled each for itself show how near rows come by chance.
        by_chance = _links(rng.permuted(features, axis=0), rng)
        if len(links) < max(PAIRS, 3 * len(by_chance)):
            return None
        graph = coo_array((np.ones(len(links)), links.T), shape=(n, n))
        count, cluster = connected_components(graph, directed=False)
        first = np.unique(cluster, return_index=True)[1]
        p_value, alike = _alike(features, y, first, cluster)
        if p_value >= LEVEL:
            return None
        count = round(sample.n * count / n)
        return Finding(
            sentence=(
                f"{counted(sample.n - count, 'row')} {'is' if sample.n - count == 1 else 'are'} "
                "nearly the same as another one, with a similar response: count "
                f"{counted(count, 'independent row')}, not {sample.n:,}."
            ),
            cure="Keep one of each, or see that participants may know the others.",
            quantity="independent rows",
            assumed=sample.n,
            found=count,
            statistic="correlation of the residuals of near-duplicates",
            value=alike,
            p_value=p_value,
            withholds=True,
        )


def _alike(
    features: np.ndarray, y: np.ndarray, first: np.ndarray, cluster: np.ndarray
) -> tuple[float, float]:
    """The chance of so similar residuals of a pair of each cluster, and their correlation.

    Predictions are those of models that know the first row of each other cluster.
    """
    predicted = residuals(features[first], y[first])[1]
    left = y - y[first].mean() - predicted[cluster]
    scores = stats.norm.ppf((stats.rankdata(left) - 0.5) / len(y))
    pairs = np.stack([first[cluster], np.arange(len(y))], axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    pairs = pairs[np.unique(pairs[:, 0], return_index=True)[1]]
    if len(pairs) < PAIRS:
        return 1.0, 0.0
    ours, theirs = scores[pairs].T
    alike = float(2.0 * (ours @ theirs) / (ours @ ours + theirs @ theirs))
    bounded = min(alike, 1.0 - 1e-12)
    return float(stats.norm.sf(np.arctanh(bounded) * np.sqrt(len(pairs) - 1.5))), alike


def _neighbourhood(features: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The rows that are looked at: all, or so many in the middle of a random projection.

    Near-duplicates are near there, too, so that pairs stay together.
    """
    n, p = features.shape
    if n <= ROWS:
        return np.arange(n)
    order = np.argsort(features @ rng.standard_normal(p), kind="stable")
    start = (n - ROWS) // 2
    return np.sort(order[start : start + ROWS])


def _standardised(features: np.ndarray) -> np.ndarray:
    scale = features.std(axis=0)
    return (features - features.mean(axis=0))[:, scale > 0] / scale[scale > 0]


def _links(features: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Pairs of rows that are nearer than few are by chance, shape (pairs, 2)."""
    n, p = features.shape
    others = features[rng.permutation(n)]
    typical = float(np.median(np.linalg.norm(features - others, axis=1)))
    small = features[:: max(1, n // 2000)]
    spread = (
        np.linalg.norm(small.T @ small / len(small))
        if p <= n
        else np.linalg.norm(small @ small.T / len(small))
    )
    total = float(np.mean(np.sum(small**2, axis=1)))
    dimension = max(1.0, (total / spread) ** 2)  # of as many independent features
    limit = typical * min(NEAR, (CHANCE / n) ** (1.0 / dimension))
    place, reach = features, limit
    if p > DIMENSIONS:
        place = features @ rng.standard_normal((p, DIMENSIONS))
        reach = REACH * limit
    tree = KDTree(place)
    near = tree.query(place, k=min(NEIGHBOURS, n), distance_upper_bound=max(reach, 1e-12))[1]
    rows = np.repeat(np.arange(n), near.shape[1])
    pairs = np.sort(np.stack([rows, near.ravel()], axis=1), axis=1)
    pairs = np.unique(pairs[(pairs[:, 1] < n) & (pairs[:, 0] != pairs[:, 1])], axis=0)
    parts = np.array_split(pairs, 1 + len(pairs) * p // CELLS)
    apart = [np.linalg.norm(features[a] - features[b], axis=1) for a, b in (q.T for q in parts)]
    return pairs[np.concatenate(apart) <= limit]

"""Variation of scores over random splits of the private rows, as in [B] Fig. 3."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.replay.grouping import at_least
from shakedown.replay.log import Log
from shakedown.replay.ranks import ranked

SPLITS = [
    "submission", "team", "private_place", "score_public", "score_private", "mean_half", "sd_half",
    "gap", "sd_gap", "expected_sd", "within", "repeats",
]  # fmt: skip


def fresh_splits(
    log: Log,
    metric: Metric,
    *,
    rng_factory: Callable[..., np.random.Generator],
    repeats: int = 20,
    top: int = 50,
) -> pd.DataFrame:
    """Scores of the best submissions on the halves of random splits of the private rows.

    Parameters
    ----------
    log : Log
    metric : Metric
    rng_factory : callable
        Returns a generator for each purpose, such as ``partial(seeding.stream, seed)``.
    repeats : int
        Number of splits, at least 2.  With an odd number of rows the first half has one row less.
    top : int
        Number of submissions: those with the best private scores.

    Returns
    -------
    DataFrame
        One row per submission, best first: `submission`, `team`, `private_place` among all
        submissions; `score_public` and `score_private` on the challenge's own split; `mean_half`
        and `sd_half`, the mean and standard deviation of the score on a half; `gap` = public -
        private on the challenge's own split; `sd_gap`, the root mean square of the difference
        between the halves; `expected_sd`, its value for sets of the sizes of the public and the
        private rows; `within`, whether |gap| is at most `sd_gap`, the criterion of [B]; `repeats`.
        All scores are in the metric's unit.

    Raises
    ------
    InputError
        If `repeats` or `top` are too small, there are fewer than 4 private rows, or the metric's
        function refuses a half.

    Notes
    -----
    Each half of n private rows, or groups, has n / 2 of them.  The variance of a mean is
    proportional to one over their number, so `expected_sd` is `sd_gap` times the root of
    (1 / n_public + 1 / n) / (4 / n).  ASSUME: this holds for every metric.

    The halves are interchangeable, so each split is used twice, with either half as the public one.
    The mean difference is then 0, and both halves have the same mean score.  [B] use each split
    once, in an unknown order.  All submissions share the splits, so their differences in one split
    are correlated ([B] note this too), but the standard deviations are not biased.

    A split in which a submission's score is undefined (a correlation of constant predictions) is
    not used for that submission.

    References
    ----------
    .. [B] A. Blum and M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning
       Competitions", ICML, 2015, section 6.1 and Fig. 3.
    """
    at_least(2, repeats=repeats)  # for a standard deviation
    at_least(1, top=top)
    private = np.flatnonzero(~log.public)
    n, n_public = log.structure.units(~log.public), log.structure.units(log.public)
    if n < 4:
        raise InputError(
            f"log '{log.name}': wanted at least 4 private {log.structure.unit}s, to halve them; "
            f"got {n}. Make fewer rows public."
        )

    def scored(rows: np.ndarray, submissions: np.ndarray) -> np.ndarray:
        of_rows = log.predictions[submissions][:, rows]
        return log.structure.on(metric, rows).score(log.truth[rows], of_rows)

    private_scores = scored(private, np.arange(len(log.predictions)))
    places = ranked(metric.sign * private_scores)
    best = np.argsort(places, kind="stable")[:top]
    halves = np.empty((repeats, 2, len(best)))
    rng = rng_factory("replay", "splits")
    for r in range(repeats):
        for k, half in enumerate(log.structure.shuffled(private, rng)):
            halves[r, k] = scored(half, best)
    public_scores = scored(np.flatnonzero(log.public), best)
    gap = public_scores - private_scores[best]
    # A split is not used if the score is undefined on one of its halves.
    halves = np.where(np.isfinite(halves).all(axis=1, keepdims=True), halves, np.nan)
    both_ways = halves.reshape(2 * repeats, -1)
    mean_half = _mean(both_ways)
    sd_gap = _root_mean_square(halves[:, 0] - halves[:, 1])
    frame = log.submissions.iloc[best][["submission", "team"]].reset_index(drop=True)
    return frame.assign(
        private_place=places[best],
        score_public=public_scores,
        score_private=private_scores[best],
        mean_half=mean_half,
        sd_half=_root_mean_square(both_ways - mean_half),
        gap=gap,
        sd_gap=sd_gap,
        expected_sd=sd_gap * np.sqrt((1 / n_public + 1 / n) / (4 / n)),
        within=np.abs(gap) <= sd_gap,
        repeats=np.isfinite(halves).all(axis=1).sum(axis=0),
    )[SPLITS]


def _mean(values: np.ndarray) -> np.ndarray:
    """Mean of the defined values over the first axis; nan if there are none."""
    seen = np.isfinite(values)
    total = np.where(seen, values, 0.0).sum(axis=0)
    return np.divide(total, seen.sum(axis=0), out=np.full(total.shape, np.nan), where=seen.any(0))


def _root_mean_square(values: np.ndarray) -> np.ndarray:
    """Root mean square of the defined values over the first axis; nan for fewer than two."""
    count = np.isfinite(values).sum(axis=0)
    return np.where(count > 1, np.sqrt(_mean(values**2)), np.nan)

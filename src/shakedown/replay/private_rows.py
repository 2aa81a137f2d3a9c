"""What is compared on the private rows of a log: losses, or risks on bootstrap samples."""

from __future__ import annotations

import numpy as np

from shakedown.metrics import Metric
from shakedown.ranking.resampled_scores import resampled_scores
from shakedown.replay.log import Log, rows_in


def rows_and_risks(
    log: Log, metric: Metric, submissions: list[str], *, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Losses or bootstrap risks, for comparing submissions on the private rows.

    Parameters
    ----------
    log : Log
    metric : Metric
    submissions : list of str
    draws : int
        Number of bootstrap samples, for a metric without losses.
    rng : numpy.random.Generator
        Draws the bootstrap samples.

    Returns
    -------
    rows : ndarray, shape (m, n) or (m, draws)
        Losses row by row; without losses, risks on bootstrap samples.
    risks : ndarray, shape (m,)
    """
    private = ~log.public
    metric = log.structure.on(metric, private)
    truth, predictions = log.truth[private], log.predictions[rows_in(log, submissions)][:, private]
    if not len(predictions):
        return np.empty((0, draws)), np.empty(0)
    if metric.has_losses:
        return metric.judge(metric.prepare(truth), np.ascontiguousarray(predictions))
    scores = resampled_scores(metric, truth, predictions, draws=draws, rng=rng)
    return metric.sign * scores.T, metric.sign * metric.score(truth, predictions)

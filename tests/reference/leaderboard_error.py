"""The leaderboard error by its definition ([B] Definition 2.1), true risks by enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from .metrics import METRICS


def leaderboard_errors(true_scores, shown, *, larger_is_better=False, shows_each=False):
    """lberr(R_1, ..., R_k) for k = 1, 2, ...: max over t of |min over i <= t of R_D(f_i) - R_t|.

    `shown` are scores as the board shows them.  On a board that shows each submission its own
    score, R_t is "the minimum of the first t loss estimates returned" ([B] Corollary 5.2).
    """
    best = max if larger_is_better else min
    errors = []
    for t in range(1, len(shown) + 1):
        R_t = best(shown[:t]) if shows_each else shown[t - 1]
        errors.append(abs(best(true_scores[:t]) - R_t))
    return [max(errors[:k]) for k in range(1, len(errors) + 1)]


def expected_score(metric, y, prediction):
    """The mean score over every way to put responses of `y` beside the predictions.

    For a root mean loss, the root of the mean over those of the mean loss.  `y` may be longer than
    `prediction`: responses are then dealt without replacement.
    """
    metric = METRICS[metric]
    scores = []
    for drawn in permutations(y, len(prediction)):
        if metric.root:
            scores.append(np.mean(metric.loss(np.array(drawn), prediction)))
        else:
            scores.append(metric.score(np.array(drawn), prediction))
    return float(np.mean(scores)) ** (0.5 if metric.root else 1)

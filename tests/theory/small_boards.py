"""Adversaries of small digests who know everything but the noise: files by transcript, and the end.

A strategy is a file for each way to a level, fixed before the noise is drawn.  Half of the draws
teach the adversary the mean noise of each transcript, by which it chooses its next files and its
last one; it is judged on the other half, so that nothing is gained by chance.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

WAYS = ("random", "along the mean", "small steps", "one direction")


class SmallBoard:
    """A digest of few updates; `way` is a place in `WAYS`."""

    def __init__(self, told, updates, files, way):
        self.risks = np.array(told.risks)
        self.updates, self.files, self.way = updates, files, WAYS[way]

    def play(self, e, rng):
        """Gains of the judged half, and a function with the gains of files that aim at a gain."""
        plays, rows = e.shape
        learn = np.arange(plays) < plays // 2
        level, transcript = np.zeros(plays, int), np.zeros(plays, int)
        for _ in range(self.updates):
            best = np.full(plays, np.inf)
            for code in np.unique(transcript):
                here = transcript == code
                mean = self._mean(e, here & learn)
                for _ in range(self.files):
                    v = self._file(mean, level[here][0], e, rng)
                    left = ((e[here] - v) ** 2).mean(axis=1)
                    best[here] = np.minimum(best[here], left)
            reached = (best[:, None] <= self.risks).sum(axis=1)
            level = np.maximum(level, reached)
            transcript = transcript * (len(self.risks) + 1) + level
        means = np.zeros((plays, rows))
        for code in np.unique(transcript):
            here = transcript == code
            means[here] = self._mean(e, here & learn)
        e, means = e[~learn], means[~learn]

        def gains(v):
            return (2.0 * (e * v).sum(axis=1) - (v**2).sum(axis=1)) / rows

        def aiming(gain):
            """The scale that reaches this gain for the most noise in this direction."""
            length = np.linalg.norm(means, axis=1, keepdims=True)
            return gains(means / np.where(length > 0.0, length, 1.0) * sqrt(rows * gain))

        return gains(means), aiming

    def _mean(self, e, which):
        return e[which].mean(axis=0) if which.any() else np.zeros(e.shape[1])

    def _file(self, mean, level, e, rng):
        rows = e.shape[1]
        u = np.ones(rows) if self.way == "one direction" else rng.standard_normal(rows)
        u = u / np.linalg.norm(u)
        if self.way == "small steps":
            return mean + 0.3 * sqrt(rows) * u
        if self.way == "along the mean" and np.linalg.norm(mean) > 0.0:
            u = 0.7 * mean / np.linalg.norm(mean) + 0.7 * u
            u /= np.linalg.norm(u)
        square = (e[0] ** 2).mean() if rows > 1 else 1.0
        aim = self.risks[min(level, len(self.risks) - 1)]
        return u * sqrt(rows * max(square - aim, 0.02 * square))

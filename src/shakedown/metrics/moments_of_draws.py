"""Scores that follow from a few weighted sums, for all samples of a bootstrap at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.metrics.metric import Metric

#: A variance that is a smaller share of its sum of squares is computed sample by sample.
CANCELLED = 1e-6


class OfMoments(Metric):
    """A metric with a function, and with `of_draws`, which is quicker for many samples."""

    def of_draws(self, y: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Scores, shape (draws, m), of files, shape (m, n), given weights, shape (draws, n).

        They are NaN where they are undefined, or not exact enough: `function` then computes them.
        """
        raise NotImplementedError

    def resampled_files(
        self, y: np.ndarray, predictions: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        scorers = [self.weighted(y, file) for file in predictions]

        def scores(weights: np.ndarray) -> np.ndarray:
            with np.errstate(all="ignore"):
                found = self.of_draws(y, predictions, weights)
            for draw, file in np.argwhere(np.isnan(found)):
                found[draw, file] = scorers[file](weights[draw])
            return found

        return scores


def squares_left_of_draws(
    y: np.ndarray, predictions: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """`weights.squares_left` as `OfMoments.of_draws` needs it."""
    centred = y - y.mean()
    squares = weights @ centred**2
    spread = squares - (weights @ centred) ** 2 / weights.sum(axis=1)
    spread[~(spread > CANCELLED * squares)] = np.nan
    return weights @ ((y - predictions) ** 2).T / spread[:, None]

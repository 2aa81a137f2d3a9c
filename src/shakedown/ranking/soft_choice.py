"""The score of a file that is chosen on one half of the rows and scored on the other.

SIREN [1] chooses softly: on one half of the rows each file gets a weight that falls with its loss,
and the other half scores the mixture.  The estimate is the mean over several random halves, and its
standard error follows from what each row contributes, to both halves.

What is estimated is the expected true score of a file that is *chosen on half of the rows, and
softly*.  It is not the true score of the file that has won (`best_score`): where files differ, the
interval here covers that one much too rarely.

The weights are a softmax of losses, which needs a unit, the temperature.  The paper has scores
between 0 and 1, and 1 or .1; here it is the median standard error of the differences to the best
file on half of the rows, so that files that cannot be told apart have about the same weight.

References
----------
.. [1] Y. Xu, J. Zhang, H. Sun, Z. Zhou, T. Cao and V. Aggarwal, "Towards Reliable LLM Evaluation:
       Correcting the Winner's Curse in Adaptive Benchmarking", arXiv 2605.05973, 2026.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Random halves.
SPLITS = 10
#: Fewest rows or groups of which half can score.
FEWEST = 6


class SoftChoice(NamedTuple):
    """What a file that is chosen softly on half of the rows scores.

    Attributes
    ----------
    estimate, low, high : float
        Mean loss, and the ends of its interval.
    """

    estimate: float
    low: float
    high: float


def soft_choice(
    losses: np.ndarray,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    splits: int = SPLITS,
    temperature: float | None = None,
) -> SoftChoice | None:
    """The expected loss of a file that is chosen softly on half of the rows.

    Parameters
    ----------
    losses : ndarray, shape (m, n)
        Of each file and independent row (or group).
    rng : numpy.random.Generator
        Draws the halves.
    level : float
        Of the interval, in (0, 1).
    splits : int
        Number of random halves.
    temperature : float, optional
        Of the softmax, in units of the loss; by default as above.

    Returns
    -------
    SoftChoice or None
        None with fewer than `FEWEST` rows.

    Notes
    -----
    The multiplier bootstrap of [1] adds the rows' contributions, each times a standard normal
    number; that sum is normal, so its quantile is known and nothing is drawn.  With few rows a
    quantile of the t distribution is used in its place, which the paper does not do.
    """
    from scipy import stats  # slow to import

    n = losses.shape[1]
    if n < FEWEST:
        return None
    unit = _temperature(losses) if temperature is None else temperature
    estimates, parts = np.empty(splits), np.zeros(n)
    for r in range(splits):
        order = rng.permutation(n)
        chosen_on, scored_on = order[: n // 2], order[n // 2 :]
        shown, held = losses[:, chosen_on].mean(axis=1), losses[:, scored_on].mean(axis=1)
        weights = _softmax(-shown / unit) if unit > 0.0 else (shown == shown.min()).astype(float)
        weights /= weights.sum()
        estimates[r] = weights @ held
        # What a row adds to the half that scores, and by the weights to the half that chooses.
        parts[scored_on] += n / len(scored_on) * (weights @ losses[:, scored_on] - estimates[r])
        if unit > 0.0:
            slope = -weights * (held - estimates[r]) / unit
            apart = losses[:, chosen_on] - shown[:, None]
            parts[chosen_on] += n / len(chosen_on) * (slope @ apart)
    parts /= splits
    half = stats.t.ppf((1.0 + level) / 2.0, n - 1) * np.sqrt((parts**2).sum()) / n
    estimate = float(estimates.mean())
    return SoftChoice(estimate, float(estimate - half), float(estimate + half))


def _temperature(losses: np.ndarray) -> float:
    """The median standard error of the differences to the best file, on half of the rows."""
    means = losses.mean(axis=1)
    gaps = np.delete(losses, int(means.argmin()), axis=0) - losses[means.argmin()]
    if not len(gaps):
        return 0.0
    return float(np.median(gaps.std(axis=1, ddof=1)) / np.sqrt(losses.shape[1] / 2.0))


def _softmax(values: np.ndarray) -> np.ndarray:
    powers = np.exp(values - values.max())
    return powers / powers.sum()

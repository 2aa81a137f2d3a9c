"""Bayes factors of the best file against others, by the bootstrap: who is tied with the best.

Among bootstrap samples of the final rows, K is the number in which the best file is better, over
the number in which the other one is.  DREAM challenges take teams with K up to 3 for tied.

As published, K differs in what it does with samples in which both are equal, and with none:

- `counts`, the ratio of counts.  Samples with equal scores count half for each file; a published
  one counts them for the best [1].  Without ties both are the same; with them, a copy of the best
  file must not lose to it.
- `smoothed`, the same with one sample more on each side, so that K is finite.

A third one, the Bayes factor of a t-test over the samples, is not offered: more bootstrap samples
make it as large as one likes, while the rows stay the same.

References
----------
.. [1] A. Cichońska et al., "Crowdsourced mapping of unexplored target space of kinase inhibitors",
       Nature Communications 12, 2021, methods.
"""

from __future__ import annotations

import numpy as np

#: The variants of K.
COUNTS, SMOOTHED = "counts", "smoothed"
VARIANTS = (COUNTS, SMOOTHED)
#: The largest K of files that are tied with the best.
TIED = 3.0


def bayes_factors(drawn: np.ndarray, best: int, variant: str = COUNTS) -> np.ndarray:
    """K of the best file against each one, shape (m,); 1 against itself, infinite if never beaten.

    Parameters
    ----------
    drawn : ndarray, shape (draws, m)
        Risks in bootstrap samples, the same samples for all files.
    best : int
        The number of the best file.
    variant : str
        One of `VARIANTS`.
    """
    own = drawn[:, best, None]
    equal = (own == drawn).sum(axis=0)
    won = (own < drawn).sum(axis=0) + 0.5 * equal
    lost = len(drawn) - won
    if variant == SMOOTHED:
        won, lost = won + 1.0, lost + 1.0
    return np.divide(won, lost, out=np.full(len(lost), np.inf), where=lost > 0.0)

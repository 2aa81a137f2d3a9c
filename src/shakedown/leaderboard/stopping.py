"""When the replications of a test may stop: when the others would not change the decision.

A test asks whether at least `needed` of `draws` replications are won.  The replications come in
random order, so the first j are a random part of all of them.  If a share p of all is won, a share
x < p or less of the first j is won with a probability of at most exp(-j KL(x, p)), where KL is the
relative entropy of two shares (Hoeffding 1963, theorems 1 and 4).
"""

from __future__ import annotations

from functools import cache

import numpy as np

#: The largest probability, after each replication, that the others would change the decision.
RARE = 1e-15


@cache
def bounds(draws: int, needed: int) -> np.ndarray:
    """The wins that decide a test after each replication; int, shape (draws + 1, 2).

    After j replications, a candidate with at most ``bounds[j, 0]`` wins is rejected, and one with
    at least ``bounds[j, 1]`` is accepted.  All replications would decide otherwise with a
    probability of at most `RARE` for each j, so 1e-12 for 1000 replications.
    """
    made, spare = np.arange(draws + 1), draws - needed + 1
    # With at least `spare` lost, or `needed` won, the others cannot change the decision.
    lost = np.minimum(spare, made - _rare(made, needed / draws))
    won = np.minimum(needed, made - _rare(made, spare / draws))
    return np.column_stack([made - lost, won])


def _rare(made: np.ndarray, share: float) -> np.ndarray:
    """Largest number among the first j that is `RARE` if this share of all is reached, or -1."""
    from scipy.special import rel_entr  # slow to import, and most gates need none

    below, above = np.full(len(made), -1), np.floor(made * share).astype(int) + 1
    while (above - below > 1).any():
        middle = (below + above) // 2
        exponent = rel_entr(middle, made * share) + rel_entr(made - middle, made * (1.0 - share))
        is_rare = (middle < 0) | (exponent >= -np.log(RARE))
        below, above = np.where(is_rare, middle, below), np.where(is_rare, above, middle)
    return below

"""When a test of many replications may stop with the decision that all of them would give.

A test asks whether at least `needed` of `draws` replications are won.  The replications come in
random order, so the first j are a random sample, without replacement, of all of them.  If a share p
of all is won, a share x < p or less of the first j is won with a probability of at most
exp(-j KL(x, p)), where KL is the relative entropy of two shares (Hoeffding 1963, theorems 1 and 4).
"""

from __future__ import annotations

from functools import cache

import numpy as np

#: The largest probability of stopping after a given replication with another decision than all of
#: them would give.
RARE = 1e-15


@cache
def bounds(draws: int, needed: int) -> np.ndarray:
    """The wins that decide a test after each replication; int, shape (draws + 1, 2).

    After j replications, a candidate with at most ``bounds[j, 0]`` wins is rejected, and one with
    at least ``bounds[j, 1]`` is accepted.  For each j, the probability of another decision than
    that after all replications is at most `RARE`, so 1e-12 for a whole test of 1000 replications.
    """
    made, spare = np.arange(draws + 1), draws - needed + 1
    # With at least `spare` lost, or `needed` won, the others cannot change the decision.
    lost = np.minimum(spare, made - _rare(made, needed / draws))
    won = np.minimum(needed, made - _rare(made, spare / draws))
    return np.column_stack([made - lost, won])


def _rare(made: np.ndarray, share: float) -> np.ndarray:
    """The largest x such that x or fewer of the first j are won, or lost, with a probability of at
    most `RARE` if this share of all is; -1 if there is none."""
    from scipy.special import rel_entr  # slow to import, and most gates need none

    below, above = np.full(len(made), -1), np.floor(made * share).astype(int) + 1
    while (above - below > 1).any():
        middle = (below + above) // 2
        exponent = rel_entr(middle, made * share) + rel_entr(made - middle, made * (1.0 - share))
        is_rare = (middle < 0) | (exponent >= -np.log(RARE))
        below, above = np.where(is_rare, middle, below), np.where(is_rare, above, middle)
    return below

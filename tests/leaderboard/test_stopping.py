"""When the Bayesian bootstrap stops, against the exact distribution of the wins so far.

Given how many of all replications are won, the number won of the first j is hypergeometric.
"""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from shakedown.leaderboard.stopping import RARE, bounds

TESTS = [(1, 1), (60, 60), (60, 1), (200, 171), (1000, 500), (1000, 851), (1000, 990)]


@pytest.mark.parametrize(("draws", "needed"), TESTS)
def test_all_replications_would_hardly_ever_decide_otherwise(draws, needed):
    made = np.arange(1, draws + 1)
    rejected, accepted = bounds(draws, needed)[1:].T
    assert (rejected < accepted).all()
    # The most that are won without being accepted, and the fewest that suffice.
    wrongly_rejected = hypergeom.cdf(rejected, draws, needed, made)
    wrongly_accepted = hypergeom.sf(accepted - 1, draws, needed - 1, made)
    for wrong in (wrongly_rejected, wrongly_accepted):
        assert wrong.max() <= RARE * (1 + 1e-6)
        assert wrong.sum() <= 1e-12


@pytest.mark.parametrize(("draws", "needed"), TESTS)
def test_it_stops_about_as_soon_as_it_may(draws, needed):
    """exp(-j KL) exceeds the probability of a number by a factor of at most sqrt(8 j)."""
    made = np.arange(1, draws + 1)
    rejected, accepted = bounds(draws, needed)[1:].T
    for most, share in ((rejected, needed), (made - accepted, draws - needed + 1)):
        assert (binom.cdf(most + 1, made, share / draws) * np.sqrt(8 * made) >= RARE).all()


@pytest.mark.parametrize(("draws", "needed"), TESTS)
def test_every_test_ends(draws, needed):
    rejected, accepted = bounds(draws, needed)[draws]
    assert (rejected, accepted) == (needed - 1, needed)


@pytest.mark.parametrize(("needed", "made"), [(500, 50), (851, 19), (990, 8)])
def test_hopeless_tests_end_soon(needed, made):
    """.5^50, .149^19 and .01^8 are at most 1e-15; 501, 150 and 11 losses decide for certain."""
    assert (1 - needed / 1000) ** made <= RARE < (1 - needed / 1000) ** (made - 1)
    assert np.flatnonzero(bounds(1000, needed)[:, 0] >= 0)[0] == made

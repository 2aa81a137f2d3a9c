"""Ranks in bootstrap samples, and how alike two rankings are: against SciPy, sample by sample."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from shakedown.ranking.stability import agreements, rank_shares

RNG = np.random.default_rng(4)
RISKS = np.array([0.1, 0.2, 0.2, 0.5])
#: On a coarse grid, so that there are ties.
DRAWN = (RISKS + 0.3 * RNG.standard_normal((60, 4))).round(1)
DRAWN[3] = 1.0


def test_shares_are_those_of_the_ranks_of_each_sample():
    shares = rank_shares(DRAWN)
    ranks = np.array([rankdata(own, method="min") for own in DRAWN])
    for j in range(4):
        for rank in range(1, 5):
            assert shares[j, rank - 1] == pytest.approx(np.mean(ranks[:, j] == rank))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_agreements_are_scipys_tau_b():
    found = agreements(RISKS, DRAWN)
    expected = [kendalltau(RISKS, own).statistic for own in DRAWN]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.isnan(found[3])
    assert np.isnan(agreements(np.ones(4), DRAWN)).all()

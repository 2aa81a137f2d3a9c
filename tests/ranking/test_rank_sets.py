"""Confidence sets of ranks: those of csranks in R, and coverage where files are about equal."""

import numpy as np
import pytest

from shakedown.metrics import find
from shakedown.ranking.best_score import best_score, scale_of
from shakedown.ranking.rank_sets import Spread, joint_rank_sets, rank_sets, spread_of
from shakedown.ranking.resampled_scores import resampled_scores

#: Estimates with standard errors, correlated by .7.
RISKS = np.array([0.50, 0.51, 0.53, 0.56, 0.57, 0.62, 0.70, 0.71, 0.90, 0.905])
ERRORS = np.array([0.02, 0.01, 0.015, 0.02, 0.01, 0.03, 0.02, 0.04, 0.02, 0.01])

#: What csranks 1.2.2 printed for them: low and high, with 200,000 draws, whose seed was 1.
CSRANKS = {
    (rank_sets, 0.95): "1113457799 3345668800",
    (rank_sets, 0.8): "1124467799 2335568800",
    (joint_rank_sets, 0.95): "1113447799 3346668800",
    (joint_rank_sets, 0.8): "1113457799 3345668800",
}


def normal_spread(draws=20_000):
    covariance = 0.7 * np.outer(ERRORS, ERRORS)
    covariance[np.diag_indices(10)] = ERRORS**2
    drawn = np.random.default_rng(1).multivariate_normal(np.zeros(10), covariance, draws)
    v = np.diag(covariance)
    return Spread(
        np.ascontiguousarray(drawn.T), np.sqrt(v[:, None] + v - 2.0 * covariance), np.ones(draws)
    )


@pytest.mark.parametrize(("sets", "level"), CSRANKS)
def test_sets_are_those_of_csranks(sets, level):
    low, high = ([int(digit) or 10 for digit in digits] for digits in CSRANKS[sets, level].split())
    found = sets(RISKS, normal_spread(), level=level)
    assert found.low.tolist() == low
    assert found.high.tolist() == high


def test_files_that_are_never_told_apart_share_all_their_ranks():
    risks = np.array([1.0, 1.0, 5.0])
    drawn = risks + np.random.default_rng(2).standard_normal((500, 3)) * [0.1, 0.1, 0.1]
    drawn[:, 1] = drawn[:, 0]
    spread = spread_of(risks, drawn, 50, rng=np.random.default_rng(3))
    assert spread.errors[0, 1] == 0.0
    for sets in (rank_sets, joint_rank_sets):
        assert np.array(sets(risks, spread)).tolist() == [[1, 1, 3], [2, 2, 3]]


def challenge(seed, *, n=70, m=20, spread=0.0, shared=0.5):
    """A response, files of nearly equal quality, and their true mean squared errors."""
    rng = np.random.default_rng([11, *np.atleast_1d(seed)])
    explained = 0.5 + spread * rng.standard_normal(m)
    y, c = rng.standard_normal(n), np.sqrt(explained)[:, None]
    errors = np.sqrt(shared) * rng.standard_normal(n)
    errors = errors + np.sqrt(1.0 - shared) * rng.standard_normal((m, n))
    return y, c * (c * y + np.sqrt(1.0 - c**2) * errors), 1.0 - explained, rng


def at_least(count, tries, level):
    """Whether so many successes are no evidence against a probability; one false alarm in 1,000."""
    from scipy.stats import binom

    return binom.cdf(count, tries, level) > 1e-3


def covered(tries, **given):
    """How often they hold: a set, all sets at once, the best score's interval, a plain one."""
    mse, counts = find("mse"), np.zeros(4, int)
    for seed in range(tries):
        y, files, true, rng = challenge(seed, **given)
        scores = mse.score(y, files)
        drawn = resampled_scores(mse, y, files, draws=400, rng=rng)
        spread = spread_of(scores, drawn, len(y), rng=rng)
        own, joint = rank_sets(scores, spread), joint_rank_sets(scores, spread)
        low = 1 + (true < true[:, None]).sum(axis=1)
        high = len(true) - (true > true[:, None]).sum(axis=1)
        counts[0] += (own.low[0] <= low[0]) & (own.high[0] >= high[0])
        counts[1] += ((joint.low <= low) & (joint.high >= high)).all()
        known, best = best_score(mse, scores, drawn, len(y), rng=rng), int(np.argmin(scores))
        counts[2] += known.low <= true[best] <= known.high
        counts[3] += known.plain_low <= true[best] <= known.plain_high
    return counts / tries


def test_sets_and_intervals_hold_for_twenty_equal_teams_and_seventy_rows():
    """Percentile intervals cover 79 % of ranks there, and all of them in 1 % of challenges."""
    tries = 150
    shares = covered(tries)
    for share, level in zip(shares, (0.95, 0.95, 0.95), strict=False):
        assert at_least(round(share * tries), tries, level)
    assert shares[3] < 0.9  # without a correction for the choice


def test_intervals_hold_for_teams_that_differ():
    tries = 100
    shares = covered(tries, spread=0.1)
    assert at_least(round(shares[1] * tries), tries, 0.95)
    assert at_least(round(shares[2] * tries), tries, 0.95)


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_marginal_sets_of_equal_teams_cover_93_to_97_percent_and_joint_ones_94(name):
    """Of 20 equal teams on 70 rows any rank is right, so sets are not wider than they must be.

    400 challenges; the first team's set counts, as those of a challenge depend on each other.  A
    coverage within these bounds fails in at most 1 of 1,000 cases for each of three checks.
    """
    from scipy.stats import binom

    metric, tries, own_count, joint_count = find(name), 400, 0, 0
    for seed in range(tries):
        y, files, true, rng = challenge([3, seed])
        scores = metric.score(y, files)
        drawn = resampled_scores(metric, y, files, draws=1000, rng=rng)
        spread = spread_of(scores, drawn, len(y), rng=rng)
        own, joint = rank_sets(scores, spread), joint_rank_sets(scores, spread)
        own_count += own.low[0] == 1 and own.high[0] == len(true)
        joint_count += (joint.low == 1).all() and (joint.high == len(true)).all()
    assert at_least(own_count, tries, 0.93)
    assert binom.sf(own_count - 1, tries, 0.97) > 1e-3
    assert at_least(joint_count, tries, 0.94)


@pytest.mark.parametrize(
    ("metric", "scores", "scale"),
    [
        ("mse", [0.5, 2.0], np.log), ("mse", [0.0, 2.0], np.asarray),
        ("pearson", [-0.5, 0.9], np.arctanh), ("pearson", [0.5, 1.0], np.asarray),
        ("auroc", [0.5, 0.9], lambda p: np.log(p / (1 - p))), ("auroc", [0.5, 1.0], np.asarray),
        ("mcc", [-0.5, 0.5], np.arctanh),
    ],
)  # fmt: skip
def test_scores_vary_about_equally_on_their_scale(metric, scores, scale):
    scores = np.array(scores)
    to, back = scale_of(find(metric), scores, scores[None])
    np.testing.assert_allclose(to(scores), scale(scores))
    np.testing.assert_allclose(back(to(scores)), scores)

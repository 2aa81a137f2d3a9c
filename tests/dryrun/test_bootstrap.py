"""Upper ends of limits: resamples against literal ones, and what holds for every table."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import isotonic_regression

from shakedown.dryrun import bootstrap
from shakedown.dryrun import frontier as search
from shakedown.dryrun.bootstrap import upper_ends
from shakedown.dryrun.candidates import Part
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from tests.dryrun.test_limits import cut, plays_of_three, table

THRESHOLDS = [-0.05, -0.09, -0.12]


def part(values, *, blind_values=None, tau=0.5):
    m, n = values.shape
    chance = np.zeros(m)
    if blind_values is not None:
        chance = np.minimum(np.quantile(blind_values, tau, axis=1), 0)
    blind = np.full((m, n), np.nan) if blind_values is None else blind_values
    costs = np.arange(1.0, m + 1)
    return Part(
        np.arange(m), costs, values - chance[:, None], chance, blind, np.ones(m), fixed=False
    )


@pytest.mark.parametrize("tau", [0.5, 0.25])
def test_a_resample_is_the_curve_of_the_replicates_drawn(tau):
    """Literally: luck, the choice without a fold, the measurement in the fold."""
    rng = np.random.default_rng(4)
    values, blind_values = rng.standard_normal((2, 7, 40)) - 0.3
    candidates = part(values, blind_values=blind_values, tau=tau)
    lines = bootstrap._curves(candidates, candidates.costs, tau, seed=9)
    drawn = np.sort(np.random.default_rng([9, 40]).integers(40, size=(len(lines) - 1, 40)), axis=1)
    last = np.arange(7)
    for picked, line in zip([np.arange(40), *drawn], lines, strict=True):
        chance = np.minimum(np.quantile(blind_values[:, picked], tau, axis=1), 0)
        beyond = values[:, picked] - chance[:, None]
        measured = np.empty(beyond.shape)
        for fold in range(search.FOLDS):
            inside = picked % search.FOLDS == fold
            chosen = search._choice(beyond[:, ~inside], last, tau)
            measured[:, inside] = beyond[chosen][:, inside]
        expected = isotonic_regression(np.quantile(measured, tau, axis=1), increasing=False).x
        np.testing.assert_allclose(line, expected)


@pytest.mark.parametrize("seed", range(6))
def test_ends_enclose_the_limit_and_no_attack_is_worse(seed):
    played = plays_of_three(seed)
    curves = frontier(played, quantile=0.5)
    ends = upper_ends(played, THRESHOLDS, quantile=0.5, seed=1)
    limits = safe_submissions(curves, THRESHOLDS, ends)
    high = limits.ci_high.astype(float).fillna(np.inf)
    assert (limits.ci_low <= limits.safe_submissions).all()
    assert (limits.safe_submissions <= high).all()
    assert np.isinf(high[limits.censored]).all()
    whole = limits.assign(ci_high=high).set_index(["threat", "threshold"])
    own = whole.loc["modeller"]
    for threat in ("freedman", "best_of_many", "step_forward"):
        for end in ("safe_submissions", "ci_low", "ci_high"):
            assert (own[end] <= whole.loc[threat][end]).all()
    again = upper_ends(played, THRESHOLDS, quantile=0.5, seed=1)
    pd.testing.assert_frame_equal(ends, again)


def test_what_resamples_do_not_reach_is_open():
    rng = np.random.default_rng(2)
    frame = table([5, 10], np.array([[-0.1], [-0.2]]) + 0.01 * rng.standard_normal((2, 40)))
    ends = upper_ends(frame, [-0.05, -0.9], quantile=0.5)
    assert np.isinf(ends.upper[ends.threshold == -0.9]).all()
    # Linear from 0 at no submission: -.05 is crossed at 2.5, and hardly any spread is left.
    assert (ends.upper[ends.threshold == -0.05] == 2).all()


def test_few_replicates_have_no_upper_end():
    frame = table([5, 6], np.full((2, 5), -0.1))
    ends = upper_ends(frame, [-0.05], quantile=0.5)
    limits = safe_submissions(frontier(frame, quantile=0.5), [-0.05], ends)
    assert limits.ci_high.isna().all()


def test_93_to_97_percent_of_known_limits_are_covered():
    """240 cases; with a coverage in this range, each side fails by chance in 1 % of the seeds."""
    costs = np.unique(np.geomspace(10, 400, 12).round())
    # On a line between the numbers played, so that -.1 is reached at 100 exactly: 99 are safe.
    worth = np.interp(costs, [10, 400], [-0.1 + 90 * 4e-4, -0.1 - 300 * 4e-4])
    centres = np.concatenate([worth, 0.9 * worth])[:, None]
    rng = np.random.default_rng(5)
    cases = []
    for tau, shared in itertools.product((0.5, 0.25), (0.0, 0.8)):
        own, common = rng.standard_normal((len(centres), 60 * 40)), rng.standard_normal(60 * 40)
        noise = np.sqrt(1 - shared) * own + np.sqrt(shared) * common
        played = cut(table(np.tile(costs, 2), centres + 0.1 * noise), 40)
        threshold = 0.1 * stats.norm.ppf(tau) - 0.1
        ends = upper_ends(played, [threshold], quantile=tau)
        limits = safe_submissions(frontier(played, quantile=tau), [threshold], ends)
        cases.append(limits[limits.threat == "freedman"])
    cases = pd.concat(cases)
    below = cases.ci_low > 99
    covered = len(cases) - (below | (cases.ci_high.fillna(10**9) < 99)).sum()
    assert len(cases) == 240
    assert stats.binom.ppf(0.01, 240, 0.93) <= covered <= stats.binom.isf(0.01, 240, 0.97)
    assert below.sum() <= stats.binom.isf(0.01, 240, 0.01)

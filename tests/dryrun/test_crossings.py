"""Limits read off curves that are given: closed forms for each number of the table."""

import numpy as np
import pandas as pd

from shakedown.dryrun import limits
from shakedown.dryrun.limits import safe_submissions


def curve(submissions, delta, low=None, high=None):
    return pd.DataFrame(
        {
            "dataset": "d", "metric": "mse", "setting": "ladder(alpha=0.15)", "threat": "modeller",
            "attack": "freedman",
            "quantile": 0.5, "replicates": 40, "submissions": submissions, "delta": delta,
            "delta_low": delta if low is None else low,
            "delta_high": delta if high is None else high,
        }
    )  # fmt: skip


def test_a_limit_and_its_lower_end_are_linear():
    frontier = curve(
        [100, 200, 300], [-0.02, -0.04, -0.08], [-0.04, -0.07, -0.1], [-0.01, -0.03, -0.06]
    )
    table = safe_submissions(frontier, [-0.05, -0.02, -0.01, -0.07, -0.5])
    assert list(table.columns) == limits._LIMITS
    # At -0.05: 200 + 100 / 4 = 225 crosses exactly, so 224 are safe.
    assert table.safe_submissions.tolist() == [224, 99, 49, 274, 300]
    # At -0.05, delta_low crosses at 100 + 100 / 3.  Below the first number nothing is known.
    assert table.ci_low.tolist() == [133, 0, 0, 199, 300]
    assert table.ci_high.tolist() == [299, 199, 99, pd.NA, pd.NA]
    assert table.censored.tolist() == [False, False, False, False, True]


def test_crossing_the_last_point_or_the_first():
    table = safe_submissions(curve([7, 9], [0.02, -0.1]), [-0.1, -1e-12])
    assert table.safe_submissions.tolist() == [8, 7]
    assert table.ci_high.tolist() == [8, 8]


def test_a_threshold_is_found_as_text_files_keep_it():
    thresholds = [-0.1 * (1 + 1e-10), -0.1 * (1 + 1e-7), -0.1001]
    assert limits.is_same(thresholds, -0.1).tolist() == [True, False, False]


def upper(end, threshold=-0.1):
    return pd.DataFrame(
        {
            "dataset": "d", "metric": "mse", "setting": "ladder(alpha=0.15)", "threat": "modeller",
            "threshold": [threshold], "upper": [end],
        }
    )  # fmt: skip


def test_an_upper_end_that_is_given_is_at_least_the_limit():
    frontier = curve([10, 20], [-0.05, -0.15])  # crosses -.1 at 15
    for given, end in ((18.0, 18), (12.0, 14), (np.inf, pd.NA)):
        limit = safe_submissions(frontier, [-0.1], upper(given)).iloc[0]
        assert limit.safe_submissions == 14
        assert limit.ci_high is end or limit.ci_high == end


def test_nothing_is_above_a_limit_that_was_not_reached_or_a_curve_without_bounds():
    short = curve([10, 20], [-0.05, -0.08])
    unbounded = curve([10, 20], [-0.05, -0.15], high=[np.nan, np.nan])
    for frontier, censored in ((short, True), (unbounded, False)):
        limit = safe_submissions(frontier, [-0.1], upper(18.0)).iloc[0]
        assert limit.ci_high is pd.NA
        assert limit.censored == censored


def test_the_interpolation_starts_from_no_overfit_and_ends_before_the_number_that_suffices():
    # Falls to -.1 at 10 * .1 / .4 = 2.5, and exactly at the numbers played.
    assert safe_submissions(curve([10, 20], [-0.4, -0.5]), [-0.1]).safe_submissions[0] == 2
    falls = curve([10, 20, 40], [-0.1, -0.1 - 1e-17, -0.3])
    assert safe_submissions(falls, [-0.1, -0.3]).safe_submissions.tolist() == [9, 39]
    # A jump right after a number that was played: that number is safe.
    jump = curve([10, 20], [np.nextafter(-0.1, 0), -9.0])
    assert safe_submissions(jump, [-0.1]).safe_submissions[0] == 10

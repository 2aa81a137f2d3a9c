"""The winner against those behind it: SciPy's and statsmodels' numbers, and fair p."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.comparisons import (
    COMPARISONS,
    Pairs,
    holm,
    paired_t,
    winner_tests,
)
from shakedown.seeding import stream
from tests.replay import frames

LOG = frames.log()
_, STANDINGS = frames.played(LOG, per_rank=True)
RNG = partial(stream, 9)
PRIVATE = ~LOG.public
IDS = LOG.submissions["submission"].tolist()


def compared(metric="mse", **settings):
    return winner_tests(LOG, find(metric), STANDINGS, rng_factory=RNG, **settings)


def test_against_scipy_and_statsmodels():
    table = compared()
    assert list(table.columns) == COMPARISONS
    assert set(table["test"]) == {"paired t"}
    assert (table["rows"] == 280).all()
    losses = (LOG.predictions - LOG.truth)[:, PRIVATE] ** 2
    for row in table.itertuples():
        first, second = (losses[IDS.index(s)] for s in (row.winner_submission, row.submission))
        test = stats.ttest_rel(second, first)
        assert row.statistic == pytest.approx(test.statistic)
        assert row.p == pytest.approx(test.pvalue)
        ends = test.confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx((ends.low, ends.high))
        assert row.advantage == pytest.approx((second - first).mean())
    for _, part in table.groupby(["setting", "boards", "by"], observed=True):
        assert part["rank"].tolist() == list(range(2, 11))
        for method in ("holm", "bonferroni"):
            expected = multipletests(part["p"], method=method)[1]
            assert np.allclose(part[f"p_{method}"], expected)


@pytest.mark.parametrize("p", [[], [0.03], [0.04, 0.01, 0.01, 1.0, 0.0], [0.6, 0.5, 0.02]])
def test_holm_against_statsmodels(p):
    p = np.array(p)
    expected = multipletests(p, method="holm")[1] if len(p) else p
    assert holm(p).tolist() == expected.tolist()


def test_who_is_compared_with_whom():
    table = compared(ranks=4)
    for (setting, boards, by), part in table.groupby(["setting", "boards", "by"], observed=True):
        own = STANDINGS[(STANDINGS["setting"] == setting) & (STANDINGS["boards"] == boards)]
        order = own.sort_values("private_place" if by == "private" else "place")
        assert set(part["winner"]) == {order["team"].iloc[0]}
        assert part["team"].tolist() == order["team"].iloc[1:4].tolist()
    # The private winner is never worse than those behind it; the public one may be.
    assert (table.loc[table["by"] == "private", "advantage"] >= 0).all()


def test_roots_are_compared_by_their_squares():
    square, root = compared("mse"), compared("rmse")
    assert np.allclose(square["p"], root["p"])
    scores = find("rmse").score(LOG.truth[PRIVATE], LOG.predictions[:, PRIVATE])
    both = [
        (scores[IDS.index(row.winner_submission)], scores[IDS.index(row.submission)])
        for row in root.itertuples()
    ]
    assert np.allclose(root["advantage"], [second - first for first, second in both])
    sums = np.array([first + second for first, second in both])
    assert np.allclose(root["low"] * sums, square["low"])
    assert np.allclose(root["high"] * sums, square["high"])


def pair(metric, noise, *, draws=1000, seed=1, n=400):
    log = frames.log(m=2, teams=2, noise=noise, seed=seed, n=n)
    rng = np.random.default_rng(seed)
    return log, Pairs(log, find(metric), ["s001", "s002"], rng=rng, draws=draws, level=0.95)


def test_the_bootstrap_agrees_with_fishers_transformation():
    """Two independent predictions of one truth: sd of the difference of their correlations.

    The mean over 20 data sets of the interval's half width, against 1.96 times the sd of the
    difference over 2,000 simulated ones.  A width from 400 draws is off by 5 % or so, their mean
    by 1.5 %; the data add some 3 %: 15 % is five standard errors.
    """
    rng = np.random.default_rng(4)
    y = rng.standard_normal((2000, 400))
    twins = y[:, None] + rng.standard_normal((2000, 2, 400))
    r = np.array([[np.corrcoef(a, p)[0, 1] for p in pp] for a, pp in zip(y, twins, strict=True)])
    expected = 1.96 * (r[:, 0] - r[:, 1]).std()
    log = frames.log(m=2, teams=2)
    halves = []
    for seed in range(20):
        rng = np.random.default_rng(seed + 100)
        truth = rng.standard_normal(400)
        predictions = truth + rng.standard_normal((2, 400))
        own = frames.Log(
            "own", log.rows, truth, np.zeros(400, bool), predictions, log.submissions, log.messages
        )
        result = Pairs(own, find("pearson"), ["s001", "s002"], rng=rng, draws=400, level=0.95)(
            "s001", "s002"
        )
        halves.append((result["high"] - result["low"]) / 2)
    assert np.mean(halves) == pytest.approx(expected, rel=0.15)


def test_a_clear_winner_is_found_and_equals_are_not():
    _, compare = pair("spearman", [0.3, 1.5])
    result = compare("s001", "s002")
    assert result["advantage"] > 0
    assert result["low"] > 0
    assert result["p"] == 2 / 1001  # never less, however clear
    assert compare("s002", "s001")["advantage"] == -result["advantage"]
    for metric in ("mse", "rmse", "spearman"):
        _, same = pair(metric, [1.0, 1.0])
        twin = same("s001", "s001")
        assert (twin["advantage"], twin["low"], twin["high"], twin["p"]) == (0, 0, 0, 1)


@pytest.mark.parametrize(("metric", "draws"), [("mae", 1), ("ccc", 199)])
def test_equals_are_told_apart_in_one_of_twenty_cases(metric, draws):
    """400 pairs of equal quality at 5 %: Bin(400, .05) exceeds 42 in one of a million cases, and
    is below 3 in one of a million."""
    rejected = 0
    for seed in range(400):
        _, compare = pair(metric, [1.0, 1.0], draws=draws, seed=seed, n=100)
        rejected += compare("s001", "s002")["p"] <= 0.05
    assert 3 <= rejected <= 42


def test_no_spread():
    assert paired_t(np.zeros(5), 0.95) == (0.0, 0.0, 0.0, 1.0)
    mean, half, t, p = paired_t(np.full(5, -0.1), 0.95)
    assert (mean, half, t, p) == (-0.1, 0.0, -np.inf, 0.0)


def test_few_teams_and_undecided_functions():
    log = frames.log(m=4, teams=3)
    _, standings = frames.played(log, "sklearn.metrics.r2_score")
    metric = find("sklearn.metrics.r2_score")
    table = winner_tests(log, metric, standings, rng_factory=RNG, draws=20)
    assert set(table["rank"]) == {2, 3}
    assert set(table["test"]) == {"bootstrap"}
    assert table["statistic"].isna().all()
    winner = standings[standings["place"] == 1]
    assert winner_tests(log, metric, winner, rng_factory=RNG, draws=20).empty


def test_errors_are_told():
    for settings, message in (
        ({"ranks": 1}, "`ranks` must be 2 or more, got 1"),
        ({"draws": 0}, "`draws` must be 1 or more, got 0"),
        ({"level": 0.0}, r"`level` must be above 0 and below 1, got 0.0"),
    ):
        with pytest.raises(InputError, match=message):
            compared(**settings)
    few = frames.Log(**(vars(LOG) | {"public": np.arange(400) < 399}))
    with pytest.raises(InputError, match="at least 2 private rows, to compare.*got 1"):
        winner_tests(few, find("mse"), STANDINGS, rng_factory=RNG)

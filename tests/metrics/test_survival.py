"""Scores of censored times against their definitions, lifelines and scikit-survival."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.metrics.classes import RISKS, TIMES
from shakedown.seeding import stream
from tests.reference import survival as literal

NAMES = ("c_index", "uno_c_index", "iauc")
#: Sums of at most 10,000 terms whose roundings are 1e-16 each.
CLOSE = {"rel": 0.0, "abs": 1e-12}


def case(seed, most=30):
    """Censored times and risks; the smaller their grids, the more ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, most))
    times = rng.integers(1, rng.choice([4, 15, 10**6]), n) * float(rng.choice([1.0, 0.25, 30.4]))
    y = np.where(rng.random(n) < rng.uniform(0.1, 1.0), times, -times)
    return y, rng.integers(0, rng.choice([2, 9, 10**6]), n).astype(float)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_that_of_the_definition(name):
    defined = 0
    for seed in range(150):
        y, risks = case(seed)
        want, (got,) = getattr(literal, name)(y, risks), find(name).score(y, risks[None])
        assert got == pytest.approx(want, nan_ok=True, **CLOSE), seed
        assert find(name).function(y, risks) == pytest.approx(got, nan_ok=True, rel=0, abs=0)
        defined += np.isfinite(got)
    assert defined > 140


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_a_missing_risk_has_no_score(name):
    y, risks = case(1)
    files = np.array([risks, risks])
    files[1, 2] = np.nan
    assert np.isnan(find(name).score(y, files)).tolist() == [False, True]
    assert np.isnan(find(name).function(y, files[1], sample_weight=np.ones(len(y))))


@pytest.mark.parametrize("name", NAMES)
def test_a_pair_counts_as_the_product_of_its_weights(name):
    for seed in range(60):
        y, risks = case(seed)
        w = np.random.default_rng(seed).standard_exponential(len(y))
        w[:: seed % 3 + 2] = 0.0
        want = getattr(literal, name)(y, risks, w)
        got = find(name).function(y, risks, sample_weight=w)
        assert got == pytest.approx(0.5 if np.isnan(want) else want, **CLOSE), seed


@pytest.mark.parametrize("name", NAMES)
def test_whole_weights_repeat_rows(name):
    for seed in range(60):
        y, risks = case(seed)
        counts = np.random.default_rng(seed).integers(0, 4, len(y))
        if np.isnan(want := find(name).function(np.repeat(y, counts), np.repeat(risks, counts))):
            want = 0.5
        got = find(name).function(y, risks, sample_weight=counts.astype(float))
        assert got == pytest.approx(want, **CLOSE), seed


def test_by_hand():
    """Events at 1 and 3, censored at 2 and 4: the pairs are (1, 2), (1, 3), (1, 4) and (3, 4)."""
    y = np.array([1.0, -2.0, 3.0, -4.0])
    files = np.array([[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 3.0]])
    np.testing.assert_array_equal(find("c_index").score(y, files), [1.0, 0.0, 1.5 / 4.0])
    # At 3 two of three rows at risk are left, of which one was censored: G = 2/3, and 1/G^2 = 9/4.
    uno = (1.0 + 0.5 * 2.25) / (3.0 + 2.25)
    assert find("uno_c_index").score(y, files)[2] == pytest.approx(uno, rel=1e-15)
    # At 1: one of three right.  At 3: cases 1 (G = 1) and 3 (G = 2/3), one control.
    at_3 = (0.0 + 0.5 * 1.5) / (1.0 + 1.5)
    # The curve of survival falls by 1/4, and then by a half of the rest.
    area = (0.25 * (1.0 / 3.0) + 0.375 * at_3) / 0.625
    assert find("iauc").score(y, files)[2] == pytest.approx(area, rel=1e-15)


def test_equal_times():
    """An event comes before a censoring at the same time; two events are no pair."""
    c = find("c_index")
    assert c.score(np.array([2.0, -2.0]), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist() == [1.0, 0.0]
    assert np.isnan(c.score(np.array([2.0, 2.0]), np.array([[1.0, 0.0]]))).all()
    # A censored row at the last time of an event has the probability 0 of being observed beyond.
    y = np.array([1.0, 3.0, -3.0])
    assert find("uno_c_index").score(y, np.array([[2.0, 0.0, 1.0]])).tolist() == [1.0]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_order_of_risks_counts(name):
    y, risks = case(4)
    metric = find(name)
    files = np.array([risks, np.exp(risks / risks.max()), -risks, np.full(len(y), 7.0)])
    same, larger, turned, constant = metric.score(y, files)
    assert same == larger
    assert turned == pytest.approx(1.0 - same, **CLOSE)
    assert constant == pytest.approx(0.5, rel=1e-14)
    assert metric.score(2.5 * y, files[:1])[0] == pytest.approx(same, **CLOSE)
    assert (metric.response, metric.predicts, metric.degree) == (TIMES, RISKS, 0.0)
    assert metric.is_compiled


@pytest.mark.parametrize("name", NAMES)
def test_without_a_pair_there_is_none_and_a_sample_counts_as_a_guess(name):
    metric, risks = find(name), np.arange(4.0)
    for y in (-np.arange(1.0, 5.0), np.full(4, 3.0), np.array([-1.0, -2.0, -2.5, 3.0])):
        assert np.isnan(metric.score(y, risks[None])).all()
        assert metric.function(y, risks, sample_weight=np.ones(4)) == 0.5
    y, one_row = np.array([1.0, 2.0, -3.0, 4.0]), np.eye(4)[1]
    assert metric.function(y, risks, sample_weight=one_row) == 0.5


def test_times_without_a_sign_are_not_censored():
    """Then the concordance index is that of all pairs, as Kendall's correlation."""
    rng = np.random.default_rng(2)
    y, risks = rng.exponential(size=40), rng.standard_normal(40)
    tau = find("kendall").score(y, -risks[None])[0]
    for name in ("c_index", "uno_c_index"):
        assert find(name).score(y, risks[None])[0] == pytest.approx((tau + 1.0) / 2.0, rel=1e-12)


def test_the_tolerated_overfit_is_that_of_a_small_correlation():
    """A correlation r of normal numbers has tau = 2 asin(r) / pi, and C = (tau + 1) / 2."""
    assert -find("c_index").tolerated == pytest.approx(np.arcsin(0.05) / np.pi, abs=5e-4)
    rng = np.random.default_rng(3)
    z, noise = rng.standard_normal((2, 400_000))
    score = find("c_index").score(np.exp(-z), (0.05 * z + np.sqrt(1.0 - 0.05**2) * noise)[None])[0]
    # The standard error of tau of unrelated numbers is 2/3 n^-1/2, and half of that for C.
    assert score - 0.5 == pytest.approx(0.016, abs=4.0 / 3.0 / np.sqrt(400_000))


@pytest.mark.parametrize("name", NAMES)
def test_a_board_shows_a_better_file(name):
    y, _ = case(5, most=80)
    boards = [
        {"name": "general_ladder", "eta": 0.01},
        {"name": "bayesboot_ladder", "posterior_odds": 2.0},
    ]
    for mechanism in mechanisms(boards):
        scorer = Scorer(find(name), y, undefined_is_zero=True)
        board = Board(scorer, mechanism, lambda *axes: stream(1, *axes))
        receipt = board.submit(np.stack([np.zeros(len(y)), -np.abs(y)]))
        assert receipt.accepted[1]
        assert receipt.released[1] > receipt.released[0]


def test_sums_of_scores_of_times():
    y, risks = case(6)
    mean = find("0.5*c_index + 0.5*iauc")
    parts = [find(name).score(y, risks[None])[0] for name in ("c_index", "iauc")]
    assert mean.score(y, risks[None])[0] == pytest.approx(np.mean(parts))
    assert mean.response == TIMES
    with pytest.raises(InputError, match="can only be added to each other, .*; got 'pearson', too"):
        find("0.5*c_index + 0.5*pearson")


def test_rows_with_weights_and_groups_without_a_pair():
    y, risks = case(6)
    w = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    weighted = find("weighted c_index").on(None, None, w)
    want = find("c_index").function(y, risks, sample_weight=w)
    assert weighted.score(y, risks[None])[0] == pytest.approx(want)
    y = np.array([1.0, 2.0, -3.0, -1.0, -2.0, 5.0, -6.0])
    codes = np.array([0, 0, 0, 1, 1, 2, 2])  # the second group has no event
    files = np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 2.0, 1.0]])
    assert find("c_index by group").on(None, codes).score(y, files).tolist() == [0.5]


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        ("concordance_index", "c_index"),
        ("Harrell's C", "c_index"),
        ("concordance_index_ipcw", "uno_c_index"),
        ("integrated AUC", "iauc"),
    ],
)
def test_other_names_of_them_are_known(asked, ours):
    with pytest.raises(InputError, match=f"metric '{asked}' is not known. Write {ours}."):
        find(asked)


def of_lifelines(y, risks):
    utils = pytest.importorskip("lifelines.utils")
    return {"c_index": utils.concordance_index(np.abs(y), -risks, y > 0)}


def of_scikit_survival(y, risks):
    metrics = pytest.importorskip("sksurv.metrics")
    truth = pytest.importorskip("sksurv.util").Surv.from_arrays(y > 0, np.abs(y))
    found = {"c_index": metrics.concordance_index_censored(y > 0, np.abs(y), risks)[0]}
    grid = np.unique(y[(y > 0) & (y < np.abs(y).max())])
    last = np.abs(y).max()
    if {last, -last} <= set(y.tolist()):  # nobody is observed after an event: refused there
        return found
    found["uno_c_index"] = metrics.concordance_index_ipcw(truth, truth, risks)[0]
    if len(grid):
        found["iauc"] = metrics.cumulative_dynamic_auc(truth, truth, risks, grid)[1]
    return found


@pytest.mark.parametrize("library", [of_lifelines, of_scikit_survival])
def test_it_is_that_of_other_libraries(library):
    compared = 0
    for seed in range(1000):
        y, risks = case(seed, most=80)
        if np.isnan(find("c_index").score(y, risks[None])).all():
            continue
        for name, want in library(y, risks).items():
            assert find(name).score(y, risks[None])[0] == pytest.approx(want, **CLOSE), seed
            compared += 1
    assert compared >= 950

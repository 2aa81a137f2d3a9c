"""The integrated Brier score against its definition, and scikit-survival's."""

import numpy as np
import pytest

from shakedown.data.censored import check_kind
from shakedown.data.horizons import cut
from shakedown.interface import Cells, InputError
from shakedown.metrics import find
from shakedown.metrics.classes import PROBABILITIES, TWO_CLASSES
from tests.reference import survival as literal

METRIC = find("integrated_brier")
#: Sums of at most 1,000 terms of size 1, whose roundings are 1e-16 each.
CLOSE = {"rel": 0.0, "abs": 1e-12}
CASES = 1000


def case(seed):
    """Censored times with ties, up to nine in ten censored, horizons, and probabilities, (q, n).

    Everybody who is known at a horizon may have the same outcome.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    times = rng.integers(1, rng.choice([4, 15, 10**6]), n) * float(rng.choice([1.0, 0.25, 30.4]))
    y = np.where(rng.random(n) < rng.uniform(0.1, 1.0), times, -times)
    # At times of rows and between; before the last time, as scikit-survival asks.
    early = np.unique(times[times < times.max()])
    grid = np.concatenate([early, early + 0.125, [0.125]])
    horizons = np.sort(rng.choice(grid, min(len(grid), int(rng.integers(1, 6))), replace=False))
    return y, horizons, rng.random((len(horizons), n))


def score(y, horizons, probabilities):
    """The score of the cut table, cell by cell as a challenge has them."""
    made = cut(y, horizons)
    rows, responses = np.nonzero(~np.isnan(made.labels).T)
    cells = Cells(tuple(map(str, horizons)), responses, np.unique(rows, return_inverse=True)[1])
    metric = METRIC.on(cells, cells.rows, made.weights[responses, rows])
    return metric.score(made.labels[responses, rows], probabilities[None, responses, rows])[0]


def test_it_is_that_of_the_definition():
    for seed in range(CASES):
        y, horizons, p = case(seed)
        assert score(y, horizons, p) == pytest.approx(
            literal.integrated_brier(y, horizons, p), **CLOSE
        ), seed


def test_weights_of_a_horizon_sum_to_the_number_of_rows():
    """Kaplan and Meier's probabilities of an event and of none sum to 1."""
    for seed in range(CASES):
        y, horizons, _ = case(seed)
        made = cut(y, horizons)
        assert made.weights.sum() == pytest.approx(len(y), rel=1e-12), seed
        for k, horizon in enumerate(horizons):
            own = made.weights[k] / made.weights[k].sum()
            events = own[made.labels[k] == 1.0].sum()
            alive = literal.alive(y, horizon, np.ones(len(y)))
            assert events == pytest.approx(1.0 - alive, **CLOSE), seed


def test_it_is_that_of_scikit_survival():
    """It takes G(t), not G(t-), for an event at t: the same if events are a little earlier."""
    metrics = pytest.importorskip("sksurv.metrics")
    truth_of = pytest.importorskip("sksurv.util").Surv.from_arrays
    compared = 0
    for seed in range(CASES):
        y, horizons, p = case(seed)
        keep = horizons >= np.abs(y).min()  # others are refused there
        horizons, p = horizons[keep], p[keep]
        if len(horizons) < 2 or not (y > 0).any():
            continue
        times = np.where(y > 0, y - 1e-9, -y)
        truth = truth_of(y > 0, times)
        want = metrics.integrated_brier_score(truth, truth, 1.0 - p.T, horizons)
        assert score(y, horizons, p) == pytest.approx(want, **CLOSE), seed
        compared += 1
    assert compared >= 0.5 * CASES


def test_by_hand():
    """Events at 1 and 3, censored at 2 and 4; of three at risk at 2 one is censored: G(2) = 2/3."""
    y = np.array([1.0, -2.0, 3.0, -4.0])
    made = cut(y, [1.0, 2.5, 3.5])
    nan = np.nan
    np.testing.assert_array_equal(
        made.labels, [[1.0, 0.0, 0.0, 0.0], [1.0, nan, 0.0, 0.0], [1.0, nan, 1.0, 0.0]]
    )
    shares = np.array([[1.5], [2.5], [1.0]]) / 5.0
    weights = shares * [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.5, 1.5], [1.0, 0.0, 1.5, 1.5]]
    np.testing.assert_allclose(made.weights, weights, rtol=1e-14)
    p = np.array([[0.5, 0.0, 0.0, 0.0], [1.0, 0.3, 0.2, 0.0], [1.0, 0.3, 0.4, 1.0]])
    at = np.array([0.25, 1.5 * 0.04, 1.5 * (0.36 + 1.0)]) / 4.0
    assert score(y, [1.0, 2.5, 3.5], p) == pytest.approx(at @ shares[:, 0], rel=1e-14)


def test_an_event_comes_before_a_censoring_at_the_same_time_and_a_horizon_includes_its_time():
    y = np.array([2.0, -2.0, 5.0])
    made = cut(y, [2.0])
    np.testing.assert_array_equal(made.labels, [[1.0, np.nan, 0.0]])
    np.testing.assert_allclose(made.weights, [[1.0, 0.0, 2.0]])


def test_without_weights_it_is_the_brier_score():
    rng = np.random.default_rng(2)
    y, files = rng.integers(0, 2, 40) * 1.0, rng.random((3, 40))
    np.testing.assert_allclose(METRIC.score(y, files), find("brier").score(y, files), rtol=1e-14)
    assert (METRIC.response, METRIC.predicts, METRIC.degree) == (TWO_CLASSES, PROBABILITIES, 2.0)
    assert METRIC.has_losses
    assert METRIC.is_weighted
    assert METRIC.label == "Integrated Brier score"


def test_the_weighted_area_at_a_horizon_is_the_cumulative_dynamic_one():
    """A case counts 1 / G; the trapezoidal weights cancel within a horizon."""
    compared = 0
    for seed in range(200):
        y, horizons, p = case(seed)
        made = cut(y, horizons)
        for k, horizon in enumerate(horizons):
            known = ~np.isnan(made.labels[k])
            labels = made.labels[k, known]
            if np.ptp(labels) == 0.0 or set(y[y > 0]) & set(-y[y < 0]):
                continue  # the areas of `iauc` take G(t), as scikit-survival does
            metric = find("weighted auroc").on(None, None, made.weights[k, known])
            found = metric.score(labels, p[None, k, known])[0]
            assert found == pytest.approx(literal.auc(y, p[k], horizon, np.ones(len(y))), **CLOSE)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("integrated_brier", {"censored": True}, "at time points, and the log has none. Name the"),
        ("integrated_brier", {"censored": False}, "--event died --horizons 12,24,36"),
        ("brier", {"censored": False, "at_horizons": True}, "weights that this metric does not us"),
        ("c_index", {"censored": False, "at_horizons": True}, "or leave out 'horizons'"),
    ],
)
def test_metrics_and_horizons_belong_together(name, given, message):
    with pytest.raises(InputError, match=message):
        check_kind(find(name), what="the log", **given)


@pytest.mark.parametrize("name", ["integrated_brier", "weighted brier", "weighted auroc"])
def test_weighted_scores_of_classes_are_scores_at_horizons(name):
    check_kind(find(name), False, "the log", at_horizons=True)


@pytest.mark.parametrize(
    "name", ["weighted integrated_brier", "integrated_brier by group", "integrated_brier + brier"]
)
def test_it_stands_alone(name):
    with pytest.raises(InputError, match="integrated_brier is weighted already, and stands alone"):
        find(name)

"""The leaderboard error against its definition, and true risks against all permutations."""

from functools import partial

import numpy as np
import pytest

from shakedown.leaderboard.error import ExpectedRisks, FinalRisks, LeaderboardError
from shakedown.metrics import find
from tests.reference import leaderboard_error as literal
from tests.reference import metrics as textbook

LOSSES = ("mse", "rmse", "mae", "zero_one")
CORRELATIONS = ("pearson", "spearman", "ccc")
close = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-13)


def responses(metric, rng, n):
    """Responses, with ties; labels for the 0/1 loss."""
    if metric == "zero_one":
        return rng.integers(0, 2, n).astype(float)
    return np.round(rng.standard_normal(n), 1)


def submissions(metric, rng, y, m, n):
    """Submissions of several offsets and spreads, some of whose values are responses."""
    if metric == "zero_one":
        return rng.integers(0, 2, (m, n)).astype(float)
    away = rng.standard_normal((m, 1)) + rng.exponential(2.0, (m, 1)) * rng.standard_normal((m, n))
    away[:, 0] = rng.choice(y, m)
    return away


@pytest.mark.parametrize(
    "metric", [name for name in textbook.METRICS if find(name).function is None]
)
@pytest.mark.parametrize("seed", range(3))
def test_expected_risks_are_the_mean_over_all_permutations(metric, seed):
    rng = np.random.default_rng(seed)
    y = responses(metric, rng, 6)
    y[0], y[1] = 0.0, 1.0  # a constant response has no correlation
    predictions = submissions(metric, rng, y, 4, 6)
    expected = [literal.expected_score(metric, y, p) for p in predictions]
    close(find(metric).sign * ExpectedRisks(find(metric), y).of(predictions), expected)


@pytest.mark.parametrize("metric", LOSSES)
def test_responses_may_be_dealt_from_more_rows_than_the_board_has(metric):
    rng = np.random.default_rng(1)
    y = responses(metric, rng, 7)
    predictions = submissions(metric, rng, y, 3, 4)
    expected = [literal.expected_score(metric, y, p) for p in predictions]
    close(ExpectedRisks(find(metric), y).of(predictions), expected)


@pytest.mark.parametrize("metric", LOSSES)
@pytest.mark.parametrize("n", [10, 147, 1000])
@pytest.mark.parametrize("offset", [0.0, -1e4])
def test_expected_risks_are_the_mean_over_all_pairs(metric, n, offset):
    rng = np.random.default_rng(n)
    y = responses(metric, rng, n) + offset
    predictions = submissions(metric, rng, y, 5, n) + offset * (metric == "zero_one")
    loss = textbook.METRICS[metric].loss
    pairs = [np.mean([loss(y, value).mean() for value in p]) for p in predictions]
    expected = np.sqrt(pairs) if metric == "rmse" else pairs
    np.testing.assert_allclose(
        ExpectedRisks(find(metric), y).of(predictions), expected, rtol=1e-9 if offset else 1e-12
    )


@pytest.mark.parametrize("labels", [[3.0], [0.0, 1.0], [-1.0, 1.0], [0.0, 1.0, 2.0, 5.0]])
def test_expected_zero_one_loss_of_any_labels(labels):
    rng = np.random.default_rng(len(labels))
    y = rng.choice(labels, 30)
    predictions = rng.choice([*labels, 0.5, -7.0, 9.0], (6, 30))
    expected = [(y[:, None] != p).mean() for p in predictions]
    close(ExpectedRisks(find("zero_one"), y).of(predictions), expected)


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32])
def test_labels_of_any_type_are_compared(kind):
    y = np.array([0, 1, 1, 1])
    risks = ExpectedRisks(find("zero_one"), y).of(np.array([[1, 1, 0, 0], [1, 1, 1, 1]], kind))
    close(risks, [0.5, 0.25])


def test_expected_absolute_error_of_a_constant_response():
    risks = ExpectedRisks(find("mae"), np.full(5, 2.0)).of(np.array([[2.0, 3.0], [0.0, -1.0]]))
    close(risks, [0.5, 2.5])


@pytest.mark.parametrize("metric", textbook.METRICS)
def test_final_risks_are_the_scores_on_the_final_set(metric):
    rng = np.random.default_rng(2)
    y = responses(metric, rng, 20)
    final = submissions(metric, rng, y, 5, 20)
    risks = FinalRisks(find(metric), y).of(np.zeros((5, 9)), lambda: final)
    close(find(metric).sign * risks, [textbook.METRICS[metric].score(y, p) for p in final])


@pytest.mark.parametrize("metric", CORRELATIONS)
def test_a_constant_prediction_has_a_correlation_of_zero(metric):
    y, flat = np.arange(6.0), np.full((2, 6), 4.0)
    assert FinalRisks(find(metric), y).of(flat, lambda: flat).tolist() == [0.0, 0.0]
    assert ExpectedRisks(find(metric), y).of(flat).tolist() == [0.0, 0.0]


def test_final_predictions_are_asked_for_only_where_they_are_needed():
    y, opening, asked = np.arange(6.0), np.ones((2, 6)), []

    def final():
        asked.append(1)
        return np.ones((2, 6))

    exact, estimated = (kind(find("mse"), y, opening) for kind in (ExpectedRisks, FinalRisks))
    assert exact.of_opening(final) is exact.of_opening(final)
    assert not asked
    assert estimated.of_opening(final) is estimated.of_opening(final)
    assert len(asked) == 1
    estimated.of(opening, final)
    assert len(asked) == 2


def test_without_final_predictions_an_estimated_risk_is_not_known():
    assert np.isnan(FinalRisks(find("mse"), np.arange(6.0)).of(np.ones((2, 6)))).all()


def test_a_final_file_that_is_changed_in_place_is_scored_again():
    risks, file = FinalRisks(find("mse"), np.arange(3.0)), np.zeros((1, 3))
    assert risks.of(file, lambda: file) == pytest.approx(5 / 3)
    assert risks.of(file, lambda: file) == pytest.approx(5 / 3)
    file[:] = np.arange(3.0)
    assert risks.of(file, lambda: file) == 0.0


@pytest.mark.parametrize("shows_each", [False, True])
@pytest.mark.parametrize("metric", ["mse", "pearson"])
@pytest.mark.parametrize("seed", range(5))
def test_the_error_is_that_of_the_definition(metric, seed, shows_each):
    metric, rng = find(metric), np.random.default_rng(seed)
    true, shown = rng.standard_normal((2, 30))
    expected = literal.leaderboard_errors(
        true, shown, larger_is_better=metric.larger_is_better, shows_each=shows_each
    )
    kept = LeaderboardError(metric.sign, shows_each=shows_each)
    cuts = np.sort(rng.choice(np.arange(1, 30), 4, replace=False))
    batches = zip(np.split(metric.sign * true, cuts), np.split(shown, cuts), strict=True)
    errors = [kept.after("a", *batch) for batch in batches]
    close(np.concatenate(errors), expected)


def test_of_several_boards_the_error_is_the_largest():
    rng = np.random.default_rng(3)
    boards = rng.integers(0, 3, 40)
    true, shown = rng.standard_normal((2, 40))
    kept = LeaderboardError(1, shows_each=False)
    errors = [kept.after(b, true[[t]], shown[[t]])[0] for t, b in enumerate(boards)]
    for t in range(40):
        of_each = [
            literal.leaderboard_errors(true[: t + 1][own], shown[: t + 1][own])[-1]
            for own in (boards[: t + 1] == b for b in set(boards[: t + 1]))
        ]
        assert errors[t] == pytest.approx(max(of_each), rel=1e-12)


def test_a_board_that_repeats_what_it_showed_errs_once_the_truth_moves_on():
    kept = LeaderboardError(1, shows_each=False)
    risks, shown = np.array([0.5, 0.6, 0.2, 0.1]), np.array([0.5, 0.5, 0.5, 0.25])
    close(kept.after("a", risks, shown), [0.0, 0.0, 0.3, 0.3])


def test_an_error_that_is_not_known_stays_unknown():
    kept = LeaderboardError(1, shows_each=True)
    risks, shown = np.array([0.5, np.nan, 0.2]), np.full(3, 0.25)
    assert np.isnan(kept.after("a", risks, shown)).tolist() == [False, True, True]
    assert np.isnan(kept.after("a", risks[:1], shown[:1])).all()
    assert np.isnan(kept.after("b", risks[:1], shown[:1])).all()


def test_a_board_that_shows_the_truth_has_no_error():
    risks = np.array([0.75, 0.5, 0.25])
    assert not LeaderboardError(1, shows_each=False).after("a", risks, risks).any()


def test_equal_final_predictions_are_known_again_and_changed_ones_are_not():
    y, final = np.array([0.0, 1.0, 2.0]), np.zeros((1, 3))
    risks, public = FinalRisks(find("mse"), y), np.zeros((1, 2))
    first = risks.of(public, lambda: final)
    assert risks.of(public, lambda: final.copy()) is first
    final[0, 0] = 3.0  # in place: the same array, other numbers
    assert risks.of(public, lambda: final)[0] == pytest.approx((9 + 1 + 4) / 3)
    fixed = final.copy()
    fixed.setflags(write=False)
    view = final[:]
    view.setflags(write=False)
    assert risks.of(public, lambda: view)[0] == risks.of(public, lambda: fixed)[0]
    final[0, 0] = 0.0  # what is seen through a view can change, too
    risks.of(public, lambda: view)
    final[0, 0] = 3.0
    assert risks.of(public, lambda: view)[0] == pytest.approx((9 + 1 + 4) / 3)

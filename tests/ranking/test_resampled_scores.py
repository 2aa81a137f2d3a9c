"""Scores on resampled rows: right under any counts, fair to ties, spread as theory says."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.metrics import METRICS, average_ranks, find, of_function
from shakedown.metrics.classes import NUMBERS
from shakedown.ranking.resampled_scores import _by_formula, _counts, resampled_scores
from tests.kinds import fitting
from tests.reference import metrics as reference

RNG = np.random.default_rng(11)
TRUTH = RNG.normal(50.0, 3.0, 80)
PREDICTIONS = TRUTH + RNG.normal(1.0, 2.0, (5, 80))


@pytest.mark.parametrize("name", [*METRICS, "sklearn.metrics.r2_score"])
def test_scores_under_counts_are_scores_of_the_repeated_rows(name):
    metric = find(name)
    truth, predictions = TRUTH.round(), PREDICTIONS.round()  # some 0/1 losses are 0
    if metric.response != NUMBERS and name != "zero_one":
        truth, predictions = fitting(metric, (truth - 50.0) / 3.0, (predictions - 50.0) / 3.0)
    counts = np.array(list(_counts(80, 20, np.random.default_rng(1)))[0])
    assert (counts.sum(axis=1) == 80).all()
    scores = _by_formula(metric, truth, predictions)(counts)
    for w, row in zip(counts.astype(int), scores, strict=True):
        for p, score in zip(predictions, row, strict=True):
            y = truth
            if name == "spearman":  # the ranks are those in all rows, as on the boards
                y, p = average_ranks(np.array([truth, p]))
            y, p = np.repeat(y, w), np.repeat(p, w)
            expected = {
                "mse": lambda y, p: np.mean((y - p) ** 2),
                "brier": lambda y, p: np.mean((y - p) ** 2),
                "rmse": lambda y, p: np.sqrt(np.mean((y - p) ** 2)),
                "mae": lambda y, p: np.mean(abs(y - p)),
                "zero_one": lambda y, p: np.mean(y != p),
                "pearson": reference.pearson,
                "spearman": reference.pearson,
                "ccc": reference.ccc,
            }.get(name, metric.function)(y, p)
            assert score == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["mse", "rmse", "spearman", "ccc"])
def test_the_same_predictions_have_the_same_scores_to_the_last_bit(name):
    twice = PREDICTIONS[[0, 1, 2, 1, 3, 4, 0]]
    scores = resampled_scores(find(name), TRUTH, twice, draws=200, rng=np.random.default_rng(2))
    assert (scores[:, 0] == scores[:, 6]).all()
    assert (scores[:, 1] == scores[:, 3]).all()
    once = resampled_scores(find(name), TRUTH, PREDICTIONS, draws=200, rng=np.random.default_rng(2))
    assert np.allclose(scores[:, [0, 1, 2, 4, 5]], once, rtol=1e-12)


def test_blocks_follow_one_another(monkeypatch):
    import shakedown.ranking.resampled_scores as module

    monkeypatch.setattr(module, "_CELLS", 80 * 7)
    blocks = list(_counts(80, 20, np.random.default_rng(1)))
    assert [len(b) for b in blocks] == [7, 7, 6]
    assert all((b.sum(axis=1) == 80).all() for b in blocks)
    scores = resampled_scores(
        find("mse"), TRUTH, PREDICTIONS, draws=20, rng=np.random.default_rng(1)
    )
    losses = (TRUTH - PREDICTIONS) ** 2
    assert np.allclose(scores, np.concatenate(blocks) @ losses.T / 80)


def test_the_spread_of_a_mean_is_its_standard_error():
    """sd over 4,000 samples against sd / sqrt(n).

    Its own relative error is sqrt((kurtosis - 1) / 4 / 4000) < 1.3 %, as the kurtosis of a mean of
    80 losses is below 3.5; five of these: a false alarm in fewer than one of a million.
    """
    losses = (TRUTH - PREDICTIONS) ** 2
    scores = resampled_scores(
        find("mse"), TRUTH, PREDICTIONS, draws=4000, rng=np.random.default_rng(3)
    )
    assert np.allclose(scores.std(axis=0), losses.std(axis=1) / np.sqrt(80), rtol=5 * 0.013)


def test_a_sample_without_spread_shows_no_correlation():
    metric = find("pearson")
    counts = np.zeros((1, 80))
    counts[0, 4] = 80
    assert (_by_formula(metric, TRUTH, PREDICTIONS)(counts) == 0).all()


@pytest.mark.parametrize("name", ["pearson", "ccc"])
def test_a_correlation_is_the_same_in_any_unit(name):
    counts = next(_counts(80, 5, np.random.default_rng(1)))
    usual, small = (
        _by_formula(find(name), unit * TRUTH, unit * PREDICTIONS)(counts) for unit in (1.0, 1e-3)
    )
    assert (usual > 0.5).all()
    assert np.allclose(small, usual)


def test_errors_are_told():
    with pytest.raises(InputError, match="`draws` must be 1 or more, got 0"):
        resampled_scores(find("mse"), TRUTH, PREDICTIONS, draws=0, rng=np.random.default_rng(1))

    def refusing(y, p, sample_weight=None):
        raise ValueError("no weights please")

    metric = of_function("refusing_score", refusing)
    with pytest.raises(InputError, match="'refusing_score'.*sample_weight.*no weights please"):
        resampled_scores(metric, TRUTH, PREDICTIONS, draws=1, rng=np.random.default_rng(1))

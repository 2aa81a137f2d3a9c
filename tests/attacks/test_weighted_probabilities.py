"""Weighted probabilities: costs from their definitions, and labels known after few files."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.positional_weights import book_of_ones
from shakedown.attacks.weighted_probabilities import (
    LogLosses,
    SquaredErrors,
    block_of,
    digits_of,
)
from shakedown.interface import Challenge
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.simulation.replicate import Experiment, play
from shakedown.terms import Terms
from tests.attacks.test_positional_weights import two_values
from tests.attacks.test_rank_sums import attacked, files_needed, standardised

METRICS = ("log_loss", "brier")


def weighted(y, metric, setting="full_disclosure", submissions=9, share=0.5, groups=None):
    return attacked(y, setting, submissions, share, groups, "weighted_probabilities", metric)[0]


@pytest.mark.parametrize("metric", METRICS)
def test_every_response_of_few_rows_is_found(metric):
    """Whatever the labels are, in two files, or four if the training rows mislead."""
    for labels in product([0, 1], repeat=6):
        if 0 < sum(labels) < 6:
            y = standardised(labels)
            models = weighted(y, metric, submissions=4, share=sum(labels) / 6)
            np.testing.assert_allclose(models.public[0:], np.tile(y, (4, 1)), atol=1e-9)
            models = weighted(y, metric, submissions=4)
            np.testing.assert_allclose(models.public[2:], np.tile(y, (2, 1)), atol=1e-9)


@pytest.mark.parametrize(("kind", "score"), [
    (LogLosses(), log_loss), (SquaredErrors(), brier_score_loss),
])  # fmt: skip
def test_a_score_is_the_cost_and_the_weights_of_the_larger_class(kind, score):
    """By scikit-learn's functions, with labels 0 and 1 and probabilities."""
    rng, x = np.random.default_rng(1), np.full(20, np.nan)
    x[:5] = [1, 0, 0, 1, 1]
    book, rows = book_of_ones(11, 20), np.arange(5, 11)
    weights = 4.0 * 0.5 ** np.arange(6)
    if isinstance(kind, SquaredErrors):
        weights *= book.gap**2 / 4.0
    file, cost = kind.file(book, x, rows, weights)
    shares = np.clip((file - book.low) / book.gap, 0.0, 1.0)
    unit = book.gap**2 if isinstance(kind, SquaredErrors) else 1.0
    for _ in range(20):
        labels = np.r_[x[:5], rng.integers(0, 2, 15)]
        expected = cost + weights @ labels[rows]
        assert 20 * unit * score(labels, shares) == pytest.approx(expected, abs=1e-9)
        digits = digits_of(expected - cost, weights, 0)
        np.testing.assert_array_equal(digits, labels[rows])
    assert digits_of(0.4 * weights[-1], weights, 1) is None
    assert digits_of(-weights[-1], weights, 0) is None
    assert digits_of(64.0 * weights[-1], weights, 0) is None
    assert digits_of(np.nan, weights, 0) is None


@pytest.mark.parametrize(
    ("kind", "metric"), [(LogLosses(), "log_loss"), (SquaredErrors(), "brier")]
)
@pytest.mark.parametrize("share", [0.5, 0.1, 0.9])
def test_another_file_tells_the_size_of_a_class(kind, metric, share):
    for n_1 in (2, 11, 20, 30, 38):
        y = standardised(np.r_[0, np.ones(n_1), np.zeros(39 - n_1)])
        file, sizes = kind.counting(book_of_ones(round(share * 40), 40), 40), np.arange(1, 40)
        shown = find(metric).score(y, file[None])[0]
        off = np.abs(kind.scores_of_sizes(file, sizes) - shown).min(axis=0)
        assert n_1 in sizes[off < 1e-9]
        assert (off < 1e-9).sum() <= 2


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("share", "most"), [(0.5, 5), (0.2, 6), (0.05, 6)])
def test_five_or_six_files_tell_209_labels(metric, share, most):
    for seed in range(10):
        y = two_values(seed, share=share)
        models = weighted(y, metric, share=share)
        assert files_needed(models, y) <= most
        assert models.n_selected[-1] <= most + 1  # a last row follows from the number of ones


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("train", [0.49, 0.4, 0.8])
def test_other_shares_of_training_rows_take_two_more_files(metric, train):
    for seed in range(5):
        y = two_values(seed)
        models = weighted(y, metric, share=train)
        assert (models.public[1] == 0.0).all()
        assert files_needed(models, y) <= 8


@pytest.mark.parametrize(("metric", "eta", "most"), [
    ("log_loss", 1e-5, 15), ("log_loss", 1e-3, 27), ("log_loss", 1e-2, 42),
    ("brier", 1e-5, 20), ("brier", 1e-3, 42),
])  # fmt: skip
def test_rounding_takes_more_files(metric, eta, most):
    for seed in range(4):
        y = two_values(seed)
        models = weighted(y, metric, f"kaggle(eta={eta})", most)
        np.testing.assert_allclose(models.public[-1], y, atol=1e-9)
        assert abs(models.public[-3] - y).max() > 0.5


def test_the_largest_weight_of_a_log_loss_is_that_of_a_clipped_probability():
    """Where a step hides more than the last digits of a probability near 0."""
    rounded, exact = Terms("log_loss", step=1e-5), Terms("log_loss")
    book, x = book_of_ones(104, 209), np.full(209, np.nan)
    rows, weights, spare = block_of(LogLosses(), rounded, x, book, is_first=True)
    assert (len(rows), spare) == (9, 6)
    assert weights[0] == pytest.approx(34.54, abs=0.01)
    rows, weights, _ = block_of(LogLosses(), exact, x, book, is_first=False)
    assert len(rows) == 43
    assert 3.0 < weights[0] < 7.0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [50, 209, 1000])
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_the_errors_of_scores_are_within_their_bound(metric, n, share):
    """Which is half of the distance of two numbers; in 30 files each they reach .2 of it."""
    kind = LogLosses() if metric == "log_loss" else SquaredErrors()
    rng = np.random.default_rng(n)
    for seed in range(30):
        y = two_values(seed, n, share)
        book = book_of_ones(int((y > 0).sum()), n)
        labels = (y > 0) * 1.0
        x = np.where(rng.random(n) < rng.random(), labels, np.nan)
        rows, weights, _ = block_of(kind, Terms(metric), x, book, is_first=False)
        file, cost = kind.file(book, x, rows, weights)
        shown = Scorer(find(metric), y).judge(file[None]).risks[0]
        number = (n * shown - cost) / weights[-1]
        whole = int("".join(str(int(digit)) for digit in labels[rows]), 2)
        assert abs(number - whole) < 0.3


@pytest.mark.parametrize("metric", METRICS)
def test_files_are_probabilities(metric, monkeypatch):
    """Within the two values, up to their last digits."""
    y, seen, real = two_values(3), [], Scorer.judge

    def noting(self, predictions, before=0):
        seen.append(predictions.copy())
        return real(self, predictions, before)

    monkeypatch.setattr(Scorer, "judge", noting)
    weighted(y, metric)
    files = np.concatenate(seen)
    assert files.min() >= y.min() - 1e-12
    assert files.max() <= y.max() + 1e-12


@pytest.mark.parametrize("setting", ["full_disclosure", "kaggle"])
@pytest.mark.parametrize("values", [3, 5, None])
def test_more_than_two_values_are_noticed(setting, values):
    """A file has a whole number by chance once in sixty times; later ones do not fit."""
    early = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.standard_normal(209) if values is None else rng.integers(0, values, 209) * 1.0
        models = weighted(standardised(y), "brier", setting, 12)
        assert (models.public[-1] == 0.0).all()
        assert models.n_selected[-1] == 0
        early += (models.public != 0.0).any()
    assert early <= 3


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("setting", ["general_ladder(eta=0.05)", "gaussian_noise(sd=0.01)"])
def test_it_ends_with_zeros_where_a_score_may_not_be_the_files_own(setting, metric):
    assert (weighted(two_values(2), metric, setting, 12).public == 0.0).all()


def test_it_ends_with_zeros_where_rows_belong_together():
    groups = np.arange(300), np.arange(60) // 2, np.arange(7)
    assert (weighted(two_values(2, 60), "brier", groups=groups).public == 0.0).all()


@pytest.mark.parametrize(("metric", "best"), [("log_loss", 0.0), ("brier", 0.0)])
def test_a_study_of_two_classes_can_play_it(metric, best):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((180, 2)), rng.integers(0, 2, 180) * 3.0 + 5.0
    made = Challenge("two", X, y, np.arange(180), np.array(["a", "b"]))
    settings = {
        "metric": metric, "mechanisms": [{"name": "full_disclosure"}],
        "attack": {"name": "weighted_probabilities", "submissions": 6, "points": [1]},
    }  # fmt: skip
    frame = play(Experiment("e", settings, made, "splits", seed=1), [0, 1])
    np.testing.assert_allclose(frame["score_public"].iloc[[1, 3]], best, atol=1e-9)
    assert (frame["delta"].iloc[[1, 3]] < -0.5).all()


def test_dry_runs_play_it_where_the_response_has_two_values():
    kind = ATTACKS.find("weighted_probabilities")
    name = [kind.name]
    for values, metric, played in ((2, "log_loss", name), (2, "brier", name), (2, "mse", []),
                                   (0, "brier", [])):  # fmt: skip
        scope = Scope(5, 1000, 5, 30, metric=metric, wanted=100, values=values)
        assert list(kind.for_dry_run(scope)) == played

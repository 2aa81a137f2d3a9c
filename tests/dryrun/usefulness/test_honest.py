"""Sequences of honest submissions, and the test for a signal."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Lasso, Ridge

from shakedown.dryrun.usefulness import honest
from shakedown.dryrun.usefulness.models import linear
from shakedown.metrics import find
from tests.dryrun.usefulness.tables import challenge, splits


def sequence(split, metric="mse", seed=0):
    return honest.models(split.view, find(metric), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("metric", ["mse", "spearman", "sklearn.metrics.r2_score"])
def test_models_get_better(metric):
    """The last ten are better than the first ten; 20 replicates of nothing would all be so with a
    chance of 1e-6, 15 of them with .02."""
    wins = 0
    for split in splits(challenge(n=240), 20):
        models = sequence(split, metric)
        quality = -find(metric).sign * find(metric).score(split.y_final, models.final)
        wins += quality[-10:].mean() > quality[:10].mean()
    assert wins >= 19


def test_models_are_thirty_and_reproducible():
    (split,) = splits(challenge(), 1)
    models, same, other = (sequence(split, seed=s) for s in (0, 0, 1))
    assert models.public.shape == (honest.SUBMISSIONS, 50) == (30, 50)
    assert models.final.shape == (30, 50)
    assert models.submissions.tolist() == list(range(1, 31))
    np.testing.assert_array_equal(models.public, same.public)
    assert not np.array_equal(models.public, other.public)


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_paths_are_those_of_scikit_learn(shape):
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape) + 2
    y = X[:, :3].sum(axis=1) + rng.standard_normal(len(X)) + 5
    coefficients, intercepts = linear.paths(X, y)
    for k, penalty in enumerate(linear.RIDGE):
        model = Ridge(alpha=penalty * shape[1]).fit(X, y)
        np.testing.assert_allclose(coefficients[k], model.coef_, rtol=1e-8)
        assert intercepts[k] == pytest.approx(model.intercept_)
    centred = X - X.mean(axis=0)
    largest = np.abs(centred.T @ (y - y.mean())).max() / len(y)
    for k, share in enumerate(linear.LASSO, start=len(linear.RIDGE)):
        model = Lasso(alpha=share * largest, tol=1e-8, max_iter=10_000).fit(X, y)
        fitted, exact = X @ coefficients[k] + intercepts[k], model.predict(X)
        assert np.abs(fitted - exact).max() < 0.05 * y.std()


def test_the_features_that_go_best_with_the_response_take_part():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 700))
    X[:, 5] = 1.0
    y = X[:, 650] - X[:, 3]
    kept = linear.Linear().promising(X, y)
    worth = np.abs([stats.pearsonr(X[:, j], y)[0] for j in range(700) if j != 5])
    assert len(kept) == 500
    assert {3, 650} <= set(kept)
    assert 5 not in kept
    least = min(abs(stats.pearsonr(X[:, j], y)[0]) for j in kept)
    assert np.sum(worth >= least) == 500


def test_calibrated_predictions_have_their_quality():
    """Means over 200,000 rows, within 5 standard errors: a false alarm of 6e-7 each."""
    rng = np.random.default_rng(1)
    y, errors = rng.standard_normal((2, 200_000))
    r = np.array([0.2, 0.6, 1.0])
    predictions = honest.calibrated(y, errors, r)
    for prediction, quality in zip(predictions, r, strict=True):
        losses = (prediction - y) ** 2
        error = losses.std() / np.sqrt(len(y))
        assert abs(losses.mean() - (1 - quality**2)) <= 5 * error
        correlation = np.corrcoef(prediction, y)[0, 1]
        assert abs(correlation - quality) <= 5 * (1 - quality**2) / np.sqrt(len(y)) + 1e-12
        slope = (prediction @ y) / (prediction @ prediction)  # calibrated: no multiple is better
        assert slope == pytest.approx(1, abs=0.03)


def test_noise_rises_and_keeps_part_of_its_errors():
    """Errors of neighbours correlate by .8: over 20 x 29 pairs of 50 rows within 5 standard
    errors, a false alarm of 6e-7."""
    correlations, rises, first = [], [], []
    for k, split in enumerate(splits(challenge(r2=0), 20)):
        noise = honest.noise(split, correlation=0.8, rng=np.random.default_rng(k))
        r = np.linspace(*honest.NOISE, 30)[:, None]
        errors = (noise.public / r - r * split.y_public) / np.sqrt(1 - r * r)
        first.append(np.mean(errors[0] ** 2))
        correlations += [np.corrcoef(errors[t], errors[t + 1])[0, 1] for t in range(29)]
        rises.append(stats.spearmanr(find("mse").score(split.y_final, noise.final), -r[:, 0])[0])
    assert abs(np.mean(correlations) - 0.8) <= 5 * np.std(correlations) / np.sqrt(20) + 0.01
    assert np.mean(rises) > 0.5
    assert abs(np.mean(first) - 1) <= 5 * np.sqrt(2 / 1000)


@pytest.mark.parametrize("kind", ["normal", "heavy"])
def test_a_table_without_signal_is_told(kind):
    """A level of 5 %: more than 9 false signals in 60 tables have a chance below 2e-3."""
    false = 0
    for seed in range(60):
        rng = np.random.default_rng([1, seed])
        y = rng.standard_normal(72) if kind == "normal" else np.exp(2 * rng.standard_normal(72))
        some = splits(challenge(n=72, p=5, y=y, seed=seed), 5, seed=seed)
        false += honest.has_signal([sequence(d, seed=seed) for d in some], some)
    assert false <= 9


def test_a_signal_is_told_also_for_a_skewed_response():
    for seed in range(5):
        c = challenge(n=300, r2=0.6, seed=seed)
        skewed = challenge(n=300, seed=seed, y=np.exp(2 * c.y))
        for table in (c, skewed):
            some = splits(table, 5)
            assert honest.has_signal([sequence(d) for d in some], some)


def test_the_test_asks_for_twice_the_median_of_the_levels():
    rng = np.random.default_rng(0)
    (split,) = splits(challenge(n=300), 1)
    good, bad = sequence(split), sequence(split)
    bad.final[-1] = rng.standard_normal(100)
    flat = sequence(split)
    flat.final[-1] = 1.0
    for other in (bad, flat):
        assert honest.has_signal([good, good, other], [split] * 3)
        assert not honest.has_signal([good, other, other], [split] * 3)
    weak = sequence(split)  # at 2.5 % to 5 %, which twice the median is not
    level, share = 0.0, 1.0
    while level < 0.03:
        weak.final[-1] = share * split.y_final + bad.final[-1]
        level = stats.spearmanr(weak.final[-1], split.y_final, alternative="greater").pvalue
        share -= 0.01
    assert level < 0.05
    assert not honest.has_signal([weak], [split])
    against = sequence(split)
    against.final[-1] *= -1
    assert not honest.has_signal([against], [split])


@pytest.mark.parametrize("metric", ["mse", "pearson", "ccc"])
def test_ugly_tables_still_give_thirty_submissions(metric):
    rng = np.random.default_rng(2)
    mostly_zero = np.where(rng.random(69) < 0.75, 0.0, rng.exponential(size=69))
    for c in (
        challenge(n=30, p=1),
        challenge(n=69, p=10, y=np.exp(3 * rng.standard_normal(69))),
        challenge(n=69, p=4000),
        challenge(n=69, p=3, y=mostly_zero),
    ):
        for split in splits(c, 3):
            models = sequence(split, metric)
            assert np.isfinite(models.public).all()
            assert np.isfinite(models.final).all()
            assert len(models.public) == 30

"""Spread of released scores against its closed form."""

import numpy as np
import pytest
from scipy import stats

from shakedown.interface import Challenge, InputError
from shakedown.splits import Dealer, standardised
from shakedown.spread import fitted_predictions, noisy_predictions, released_scores


@pytest.fixture
def deal():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 6))
    y = X[:, 0] + rng.standard_normal(120)
    names = np.array(list("abcdef"))
    return Dealer(Challenge("c", X, y, np.arange(120), names), "splits", seed=1).deal(0)


def test_spread_is_that_of_a_mean_of_b_n_losses(deal):
    y = deal.y_public
    predictions = noisy_predictions(y, [0.2, 0.9], seed=1)
    frame = released_scores(predictions, y, b=[10, 100], replicates=4000, seed=1)
    assert len(frame) == 2 * 2 * 4000
    for (name, b), group in frame.groupby(["prediction", "b"]):
        losses = (predictions[name] - y) ** 2
        sd = losses.std() / np.sqrt(b * len(y))
        # 6 standard errors of a standard deviation: a false alarm below 1e-6, four comparisons.
        kurtosis = stats.kurtosis(losses) / (b * len(y)) + 3
        error = sd * np.sqrt((kurtosis - 1) / 4 / 4000)
        assert abs(group.released.std() - sd) < 6 * error
        assert abs(group.released.mean() - losses.mean()) < 6 * sd / np.sqrt(4000)
        assert group.quality.iloc[0] == pytest.approx(losses.mean())


def test_noise_meets_each_correlation_and_its_mse(deal):
    y = deal.y_public
    n = len(y)
    for r, prediction in zip((0.18, 0.92), noisy_predictions(y, [0.18, 0.92], seed=3).values(),
                             strict=True):  # fmt: skip
        assert np.corrcoef(y, prediction)[0, 1] == pytest.approx(r)
        assert np.mean((prediction - y) ** 2) == pytest.approx(2 * (1 - r) * (n - 1) / n)
        np.testing.assert_allclose(prediction, standardised(prediction[None])[0])


def test_every_release_draws_anew_and_only_its_own_seed_counts(deal):
    y = deal.y_public
    same = dict.fromkeys("ab", noisy_predictions(y, [0.5], seed=1)["r = 0.50"])
    frame = released_scores(same, y, b=[10, 20], replicates=30, seed=1)
    a, b = (frame[(frame.prediction == name) & (frame.b == 10)] for name in "ab")
    assert (a.released.to_numpy() != b.released.to_numpy()).all()
    assert a.released.nunique() == 30
    assert a.replicate.tolist() == list(range(30))
    assert frame.correlation.tolist() == pytest.approx([0.5] * 120)
    alone = released_scores({"b": same["b"]}, y, b=[20, 10], replicates=30, seed=1)
    np.testing.assert_array_equal(alone[alone.b == 10].released, b.released)
    other = released_scores(same, y, b=[10, 20], replicates=30, seed=2)
    assert (frame.released != other.released).all()


def test_noise_is_drawn_for_each_correlation_and_seed(deal):
    y = deal.y_public

    def noise(r, seed):
        (prediction,) = noisy_predictions(y, [r], seed=seed).values()
        return standardised((prediction - r * y)[None])[0]

    # Correlations of independent noise over 40 rows: 5 standard errors, a false alarm of 6e-7.
    for a, b in ((noise(0.2, 1), noise(0.9, 1)), (noise(0.2, 1), noise(0.2, 2))):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(len(y))
    np.testing.assert_allclose(noisy_predictions(y, [1], seed=1)["r = 1.00"], y)


def test_fitted_models_predict_the_public_rows(deal):
    entry = {"class": "sklearn.linear_model.LinearRegression"}
    prediction = fitted_predictions(deal, {"ols": entry})["ols"]
    slope = np.linalg.lstsq(deal.view.X_train, deal.view.y_train, rcond=None)[0]
    np.testing.assert_allclose(prediction, deal.view.X_public @ slope, atol=1e-10)
    strict = {"class": "sklearn.linear_model.Ridge", "settings": {"alpha": 1e9}}
    np.testing.assert_allclose(fitted_predictions(deal, {"r": strict})["r"], 0, atol=1e-5)


def test_what_cannot_be_is_refused(deal):
    for r in (1.5, 0, -0.2):
        with pytest.raises(InputError, match=f"must lie above 0 and not above 1, got {r}"):
            noisy_predictions(deal.y_public, [r], seed=1)
    with pytest.raises(InputError, match="model 'm': wanted an import path"):
        fitted_predictions(deal, {"m": {"class": "no.such.Model"}})

"""Spread of released scores against its closed form."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown import data
from shakedown.data.scaling import standardised
from shakedown.data.splits import Splitter
from shakedown.interface import Challenge, InputError
from shakedown.simulation.release_settings import ReleaseVariabilityEntry
from shakedown.simulation.release_variability import (
    drawn_releases,
    fitted_predictions,
    noisy_predictions,
    released_scores,
)
from tests.attacks.regressors import regressor


@pytest.fixture
def split():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 6))
    y = X[:, 0] + rng.standard_normal(120)
    names = np.array(list("abcdef"))
    return Splitter(Challenge("c", X, y, np.arange(120), names), "splits", seed=1).split(0)


def test_spread_is_that_of_a_mean_of_b_n_losses(split):
    y = split.y_public
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


def test_noise_meets_each_correlation_and_its_mse(split):
    y = split.y_public
    n = len(y)
    for r, prediction in zip((0.18, 0.92), noisy_predictions(y, [0.18, 0.92], seed=3).values(),
                             strict=True):  # fmt: skip
        assert np.corrcoef(y, prediction)[0, 1] == pytest.approx(r)
        assert np.mean((prediction - y) ** 2) == pytest.approx(2 * (1 - r) * (n - 1) / n)
        np.testing.assert_allclose(prediction, standardised(prediction[None])[0])


def test_every_release_draws_anew_and_only_its_own_seed_counts(split):
    y = split.y_public
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


def noise_in(y, r, **settings):
    (prediction,) = noisy_predictions(y, [r], **settings).values()
    return standardised((prediction - r * y)[None])[0]


def test_predictions_share_their_noise_unless_each_has_its_own(split):
    y = split.y_public
    np.testing.assert_allclose(noise_in(y, 0.2, seed=1), noise_in(y, 0.9, seed=1), atol=1e-12)
    np.testing.assert_allclose(noisy_predictions(y, [1], seed=1)["r = 1.00"], y)
    own = {"noise": "own", "seed": 1}
    # Correlations of independent noise over 40 rows: 5 standard errors, a false alarm of 6e-7.
    for a, b in (
        (noise_in(y, 0.2, **own), noise_in(y, 0.9, **own)),
        (noise_in(y, 0.2, seed=1), noise_in(y, 0.2, seed=2)),
        (noise_in(y, 0.2, seed=1), noise_in(y, 0.2, seed=1, draw=1)),
    ):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(len(y))


def test_only_shared_noise_makes_every_step_steadier(split):
    """The sd of the losses, which is that of releases times the root of b n, by its formula."""
    y, correlations = split.y_public, [0.18, 0.29, 0.39, 0.5, 0.6, 0.71, 0.81, 0.92]

    def monotone(noise, draw):
        predictions = noisy_predictions(y, correlations, seed=1, noise=noise, draw=draw).values()
        return (np.diff([((p - y) ** 2).std() for p in predictions]) < 0).all()

    assert all(monotone("shared", draw) for draw in range(40))
    # Own noise: monotone in 28 % of draws.  None of 40, or all, would come once in 500,000 studies.
    assert 0 < sum(monotone("own", draw) for draw in range(40)) < 40


RECIPE = {"recipe": "simulated", "rows": 60, "features": 5, "signal": {"r2": 0.5, "features": 2}}


def released(settings, **change):
    return ReleaseVariabilityEntry.model_validate({"dataset": "c", **settings, **change})


@pytest.mark.parametrize(
    "predicted",
    [
        {"models": {"ols": {"class": "sklearn.linear_model.LinearRegression"}}, "correlations": []},
        {"models": {}, "correlations": [0.4], "noise": "shared"},
    ],
)
def test_every_draw_is_another_data_set_and_the_first_one_stays(predicted):
    challenge = data.read("c", RECIPE, seed=3)
    settings = {**predicted, "b": [5, 10], "releases": 4, "draws": 3}
    frame = drawn_releases(challenge, RECIPE, released(settings), seed=3)
    assert frame.groupby(["draw", "b"]).size().tolist() == [4] * 6
    assert frame.released.nunique() == 24
    assert set(frame.dataset) == {"c"}
    if predicted["models"]:
        assert frame.groupby("draw").quality.nunique().tolist() == [1] * 3
        assert frame.quality.nunique() == 3
    alone = drawn_releases(challenge, RECIPE, released(settings, draws=1), seed=3)
    pd.testing.assert_frame_equal(alone, frame[frame.draw == 0])


def test_each_release_says_how_its_prediction_compares_with_the_one_before():
    settings = {"models": {}, "correlations": [0.4, 0.6], "noise": "own"}
    settings |= {"b": [5, 10], "releases": 4, "draws": 2}
    frame = drawn_releases(data.read("c", RECIPE, seed=3), RECIPE, released(settings), seed=3)
    assert frame[frame.prediction == "r = 0.40"].posterior.isna().all()
    compared = frame[frame.prediction == "r = 0.60"].groupby("draw")
    assert (compared[["margin", "posterior", "resampled", "p_value"]].nunique() == 1).all(axis=None)
    assert compared.margin.first().nunique() == 2


def test_fitted_models_predict_the_public_rows(split):
    entry = regressor("sklearn.linear_model.LinearRegression")
    prediction = fitted_predictions(split, {"ols": entry})["ols"]
    slope = np.linalg.lstsq(split.view.X_train, split.view.y_train, rcond=None)[0]
    np.testing.assert_allclose(prediction, split.view.X_public @ slope, atol=1e-10)
    strict = regressor("sklearn.linear_model.Ridge", alpha=1e9)
    np.testing.assert_allclose(fitted_predictions(split, {"r": strict})["r"], 0, atol=1e-5)


def test_what_cannot_be_is_refused(split):
    for r in (1.5, 0, -0.2):
        with pytest.raises(InputError, match=f"must be above 0 and at most 1, got {r}"):
            noisy_predictions(split.y_public, [r], seed=1)
    with pytest.raises(InputError, match=r"^model 'no\.such\.Model' cannot be imported"):
        fitted_predictions(split, {"m": regressor("no.such.Model")})

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.datasets import load_diabetes

from shakedown import data
from shakedown.interface import InputError

MAIN = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]


@pytest.fixture(scope="module")
def challenge():
    return data.read("diabetes", {"recipe": "diabetes"}, seed=1)


def test_it_has_the_64_columns(challenge):
    assert challenge.X.shape == (442, 64)
    assert challenge.X.flags.f_contiguous
    features = challenge.features.tolist()
    assert features[:10] == MAIN
    assert features[10:19] == [f"{name}^2" for name in MAIN if name != "sex"]
    assert len(features[19:]) == 45
    assert set(features[19:]) == {f"{a}:{b}" for i, a in enumerate(MAIN) for b in MAIN[i + 1 :]}


def test_columns_hold_what_their_names_say(challenge):
    raw = load_diabetes(scaled=False, as_frame=True).data
    centred = raw - raw.mean()
    columns = dict(zip(challenge.features, challenge.X.T, strict=True))
    for name, values in columns.items():
        if name in MAIN:
            np.testing.assert_array_equal(values, raw[name])
        elif name.endswith("^2"):
            np.testing.assert_allclose(values, centred[name[:-2]] ** 2, rtol=1e-12)
        else:
            a, b = name.split(":")
            np.testing.assert_allclose(values, centred[a] * centred[b], rtol=1e-12)


def test_ages_and_responses_are_in_their_own_units(challenge):
    assert (challenge.X[:, 0].min(), challenge.X[:, 0].max()) == (19, 79)
    assert set(challenge.X[:, 1]) == {1, 2}
    assert (challenge.y.min(), challenge.y.max()) == (25, 346)


def test_least_squares_explains_what_the_literature_says(challenge):
    # R, package lars: summary(lm(diabetes$y ~ diabetes$x2)) has a multiple R-squared of 0.59.
    fit = sm.OLS(challenge.y, sm.add_constant(challenge.X)).fit()
    assert round(fit.rsquared, 2) == 0.59
    assert fit.df_model == 64
    # With formulas of the raw columns instead: the same space of models.
    raw = load_diabetes(scaled=False, as_frame=True).data
    pairs = [
        raw[a] * raw[b] for i, a in enumerate(MAIN) for b in MAIN[i:] if (a, b) != ("sex",) * 2
    ]
    design = np.column_stack([raw, *pairs])
    design = (design - design.mean(axis=0)) / design.std(axis=0)
    reference = sm.OLS(challenge.y, sm.add_constant(design)).fit()
    # Standardised columns of both are conditioned no worse than 1e6.
    assert fit.rsquared == pytest.approx(reference.rsquared, rel=1e-8)


def test_a_challenge_is_whole(challenge):
    assert challenge.name == "diabetes"
    assert challenge.rows.tolist() == [str(i) for i in range(1, 443)]
    assert challenge.split is None
    assert len(challenge.notes) == 1
    assert "442 patients" in challenge.notes[0]


def test_nothing_in_it_is_random(challenge):
    other = data.read("other", {"recipe": "diabetes"}, seed=2)
    np.testing.assert_array_equal(challenge.X, other.X)
    np.testing.assert_array_equal(challenge.y, other.y)


def test_it_takes_no_settings():
    data.check("d", {"recipe": "diabetes"})
    message = r"Data set d: recipe 'diabetes' has no parameters; got 'rows'\. Remove it\."
    with pytest.raises(InputError, match=message):
        data.check("d", {"recipe": "diabetes", "rows": 3})
    with pytest.raises(InputError, match=message):
        data.read("d", {"recipe": "diabetes", "rows": 3}, seed=1)

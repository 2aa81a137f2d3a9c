"""Random parts fail by chance once in a million runs with another seed; seeds are fixed."""

import numpy as np
import pytest
from scipy import stats

from shakedown import data
from shakedown.data.correlation import AutoRegressive, Compound, Factor, Independent
from shakedown.data.recipes import simulated
from shakedown.interface import InputError

FALSE_ALARM = 1e-6
RECIPE = {
    "recipe": "simulated",
    "rows": 200,
    "features": 12,
    "correlation": {"structure": "factor", "factors": 3, "share": 0.7},
    "signal": {"r2": 0.4, "features": 4},
}


def closed_form(structure, p):
    """Correlation matrix, written out."""
    match structure:
        case Independent():
            return np.eye(p)
        case AutoRegressive():
            return structure.rho ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
        case Compound():
            return np.full((p, p), structure.rho) + (1 - structure.rho) * np.eye(p)
        case Factor():
            L = structure.loadings
            return L @ L.T + (1 - structure.share) * np.eye(p)


def structures(p, rng):
    return [
        Independent(),
        AutoRegressive(0.8),
        AutoRegressive(-0.6),
        Compound(0.5),
        Compound(-0.9 / (p - 1)),
        Factor.random(rng, p, factors=2, share=0.7),
        Factor.random(rng, p, factors=p, share=0.95),
        Factor.random(rng, p, factors=1, share=0.0),
    ]


def test_correlations_are_those_of_the_closed_form():
    p, n = 6, 4000
    rng = np.random.default_rng(1)
    every = structures(p, rng)
    for structure in every:
        X = structure.draw(rng, p, n)
        assert X.shape == (p, n)
        S = X @ X.T / n  # the population mean is known to be 0
        relative = np.linalg.solve(closed_form(structure, p), S)
        # Likelihood ratio for this covariance; Bartlett's correction makes it chi-squared.
        # It sees wrong variances as well as wrong correlations.
        ratio = n * (np.trace(relative) - np.linalg.slogdet(relative)[1] - p)
        ratio *= 1 - (2 * p + 1 - 2 / (p + 1)) / (6 * n)
        assert ratio < stats.chi2.isf(FALSE_ALARM / len(every), p * (p + 1) / 2), structure
        mean = X.mean(axis=1)
        distance = n * mean @ np.linalg.solve(closed_form(structure, p), mean)
        assert distance < stats.chi2.isf(FALSE_ALARM / len(every), p), structure


def test_rows_are_independent():
    # Along a row, not down a column: a recursion over the wrong axis would show here.
    n = 20_000
    X = AutoRegressive(0.9).draw(np.random.default_rng(2), 1, n)[0]
    z = np.sqrt(n - 3) * np.arctanh(np.corrcoef(X[:-1], X[1:])[0, 1])
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2)


def test_variance_of_a_weighted_sum_is_the_quadratic_form():
    p = 9
    rng = np.random.default_rng(3)
    for structure in structures(p, rng):
        weights = rng.standard_normal(p) * (rng.random(p) < 0.5)
        expected = weights @ closed_form(structure, p) @ weights
        assert structure.variance(weights) == pytest.approx(expected, rel=1e-12)


def test_factors_carry_their_share_of_every_feature():
    structure = Factor.random(np.random.default_rng(4), 50, factors=20, share=0.7)
    assert structure.loadings.shape == (50, 20)
    np.testing.assert_allclose((structure.loadings**2).sum(axis=1), 0.7, rtol=1e-12)


@pytest.mark.parametrize("r2", [0.05, 0.5, 1.0])
def test_weights_give_the_population_r2_exactly(r2):
    p = 15
    rng = np.random.default_rng(5)
    for structure in structures(p, rng):
        w = simulated.draw_weights(structure, p, r2=r2, carriers=4, rng=rng)
        assert np.count_nonzero(w) == 4
        assert w @ closed_form(structure, p) @ w == pytest.approx(r2, rel=1e-12)


@pytest.mark.parametrize(
    "correlation",
    [
        {"structure": "independent"},
        {"structure": "ar1", "rho": 0.9},
        {"structure": "compound", "rho": 0.5},
        {"structure": "factor", "factors": 3, "share": 0.7},
    ],
)
@pytest.mark.parametrize("r2", [0.3, 0.8])
def test_the_response_has_the_r2_asked_for(correlation, r2):
    n, p = 5000, 12
    recipe = {
        "recipe": "simulated",
        "rows": n,
        "features": p,
        "correlation": correlation,
        "signal": {"r2": r2, "features": 5},
    }
    challenge = data.read("some", recipe, seed=6)
    rss = np.linalg.lstsq(challenge.X, challenge.y)[1]
    # Residuals are normal with variance 1 - r2, for any features: exactly chi-squared.
    low, high = stats.chi2.isf([1 - FALSE_ALARM / 2, FALSE_ALARM / 2], n - p)
    assert low < rss[0] / (1 - r2) < high
    # And the response has variance 1: also exactly chi-squared.
    low, high = stats.chi2.isf([1 - FALSE_ALARM / 2, FALSE_ALARM / 2], n)
    assert low < challenge.y @ challenge.y < high


@pytest.mark.parametrize("signal", [None, {"r2": 0}, {"r2": 0.0, "features": 10**6}])
def test_without_a_signal_the_response_is_unrelated(signal):
    n, p = 1000, 20
    recipe = {"recipe": "simulated", "rows": n, "features": p, "signal": signal}
    challenge = data.read("null", recipe, seed=7)
    rss = np.linalg.lstsq(challenge.X, challenge.y)[1][0]
    f = (challenge.y @ challenge.y - rss) / p / (rss / (n - p))
    assert f < stats.f.isf(FALSE_ALARM, p, n - p)


def test_a_signal_without_noise_is_exact():
    recipe = {**RECIPE, "signal": {"r2": 1, "features": 4}}
    challenge = data.read("exact", recipe, seed=1)
    coefficients = np.linalg.lstsq(challenge.X, challenge.y)[0]
    # Least squares of well-conditioned columns is right to some 1e-14 of weights of order .1.
    assert np.sum(np.abs(coefficients) > 1e-10) == 4
    np.testing.assert_allclose(challenge.X @ coefficients, challenge.y, atol=1e-10)


def test_classes_are_cut_from_the_response_at_the_shares_that_are_asked_for():
    plain = data.read("mine", {**RECIPE, "rows": 3000}, seed=1)
    cut = data.read("mine", {**RECIPE, "rows": 3000, "classes": [0.5, 0.3, 0.2]}, seed=1)
    np.testing.assert_array_equal(cut.X, plain.X)
    limits = [plain.y[cut.y == k] for k in range(3)]
    assert limits[0].max() < limits[1].min() < limits[1].max() < limits[2].min()
    # Six standard errors of a share.
    shares = np.bincount(cut.y.astype(int)) / 3000
    assert np.abs(shares - [0.5, 0.3, 0.2]).max() < 6 * np.sqrt(0.25 / 3000)


def test_a_challenge_is_whole():
    challenge = data.read("ad_like", RECIPE, seed=1607)
    assert challenge.name == "ad_like"
    assert challenge.X.shape == (200, 12)
    assert challenge.X.dtype == challenge.y.dtype == np.float64
    assert challenge.X.flags.f_contiguous
    assert challenge.y.shape == (200,)
    assert challenge.rows.tolist() == [str(i) for i in range(1, 201)]
    assert challenge.features.tolist() == [f"x{j}" for j in range(1, 13)]
    assert challenge.split is None
    assert challenge.notes == (
        "Simulated: 200 rows of 12 normal features with 3 common factors carrying 70 % of each "
        "feature's variance; the response is a linear signal in 4 features with a population "
        "R² of 0.4.",
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"correlation": {"structure": "ar1", "rho": 0.5}, "signal": None},
            "AR(1) correlation of 0.5 between neighbours; the response is unrelated to the ",
        ),
        (
            {"correlation": {"structure": "compound", "rho": 0.2}, "features": 1, "signal": None},
            "1 normal feature with correlation of 0.2 between all pairs;",
        ),
        ({"correlation": None, "signal": {"r2": 1, "features": 1}}, "with no correlation; "),
        ({"signal": {"r2": 1, "features": 1}}, "a linear signal in 1 feature with a population"),
        ({"correlation": {"structure": "factor", "factors": 1, "share": 0.25}}, "1 common factor "),
        ({"classes": [0.7, 0.3]}, "of 0.4, cut into classes with the shares 0.7, 0.3."),
    ],
)
def test_notes_say_what_was_simulated(changes, sentence):
    assert sentence in data.read("a", {**RECIPE, **changes}, seed=1).notes[0]


def test_random_numbers_depend_on_seed_and_name_alone():
    first = data.read("a", RECIPE, seed=1)
    again = data.read("a", RECIPE, seed=1)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.any(first.X == data.read("a", RECIPE, seed=2).X)
    assert not np.any(first.X == data.read("b", RECIPE, seed=1).X)


def test_the_signal_does_not_change_the_features():
    other = {**RECIPE, "signal": {"r2": 0.9, "features": 7}}
    np.testing.assert_array_equal(data.read("a", RECIPE, seed=1).X, data.read("a", other, seed=1).X)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"rows": 29},
            r"Data set a: recipe 'simulated': `rows` must be a whole number of at least 30 and at",
        ),
        ({"rows": 100.5}, r"`rows` must be a whole number of at least 30 and .*; got 100\.5\."),
        ({"rows": None}, r"Data set a: recipe 'simulated' needs 'rows'\. Meaning: Number of rows"),
        ({"features": 0}, r"`features` must be a whole number of at least 1 and .*; got 0\."),
        ({"features": True}, r"`features` must be a whole number of at least 1 and .*; got True\."),
        ({"row": 3}, r"has no parameter 'row'\. Did you mean 'rows'\? It has: rows, features,"),
        (
            {"zzz": 3},
            r"has no parameter 'zzz'\. It has: rows, features, correlation, signal, classes\.$",
        ),
        ({"signal": 0.4}, r"`signal` must be settings \(key: value\); got 0\.4\."),
        ({"signal": {"feature": 1}}, r"no parameter 'signal\.feature'\. Did you mean 'features'\?"),
        (
            {"signal": {"r2": 1.1}},
            r"`signal\.r2` must be a number of at least 0 and at most 1; got",
        ),
        ({"signal": {"r2": "all"}}, r"`signal\.r2` must be a number .*; got 'all'\."),
        ({"signal": {"r2": float("nan")}}, r"`signal\.r2` must be a number .*; got nan\."),
        (
            {"signal": {"r2": 0.1}, "features": 9},
            r"`signal\.features` must be at most 9, the number of features; got 10\.",
        ),
        (
            {"signal": {"r2": 0.1, "features": 13}},
            r"`signal\.features` must be at most 12, the number of features; got 13\.",
        ),
        (
            {"correlation": {"structure": "toeplitz"}},
            r"`correlation\.structure` must be one of independent, ar1, .*; got 'toeplitz'\.",
        ),
        ({"correlation": {"structure": ["ar1"]}}, r"`correlation\.structure` .*; got \['ar1'\]"),
        ({"correlation": {"rho": 0.5}}, r"correlation 'independent' has no parameters; got rho\."),
        ({"correlation": {"structure": "ar1"}}, r"the correlation 'ar1' needs rho; got none\."),
        (
            {"correlation": {"structure": "factor", "factors": 2, "rho": 0.5}},
            r"the correlation 'factor' needs factors and share; got rho and factors\.",
        ),
        (
            {"correlation": {"structure": "ar1", "rho": 1}},
            r"`correlation\.rho` must be a number above -1 and below 1 or null; got 1\.",
        ),
        (
            {"correlation": {"structure": "compound", "rho": -0.1}},
            r"`correlation\.rho` must be above -0\.0909091 for 12 features; got -0\.1\.",
        ),
        (
            {"correlation": {"structure": "factor", "factors": 13, "share": 0.5}},
            r"`correlation\.factors` must be at most 12, the number of features; got 13\.",
        ),
        (
            {"correlation": {"structure": "factor", "factors": 2, "share": 1}},
            r"`correlation\.share` must be a number of at least 0 and below 1 or null; got 1\.",
        ),
        (
            {"classes": [0.7, 0.2]},
            r"`classes` must be shares with the sum 1; got .* 0\.9\.",
        ),
    ],
)
def test_impossible_settings_are_refused(changes, message):
    recipe = {**RECIPE, **changes}
    with pytest.raises(InputError, match=message):
        data.check("a", recipe)
    with pytest.raises(InputError, match=message):
        data.read("a", recipe, seed=1)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            {"rows": 3},
            r"Data set a: 'recipe' is missing; wanted one of diabetes, labels, simulated",
        ),
        ("diabetes", r"Data set a: 'recipe' is missing"),
        (
            {"recipe": "simulate"},
            r"Data set a: recipe 'simulate' is not known\. Did you mean 'simulated'\?",
        ),
        (
            {"recipe": "zzz"},
            r"recipe 'zzz' is not known\. Wanted one of \['diabetes', 'labels', 'sim",
        ),
        ({"recipe": {}}, r"recipe '{}' is not known"),
    ],
)
def test_unknown_recipes_are_refused(recipe, message):
    with pytest.raises(InputError, match=message):
        data.check("a", recipe)
    with pytest.raises(InputError, match=message):
        data.read("a", recipe, seed=1)

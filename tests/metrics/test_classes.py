"""Metrics of classes against scikit-learn, their definitions, and numbers by hand."""

import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from shakedown.dryrun.thresholds import usual
from shakedown.interface import Cells, InputError
from shakedown.metrics import find
from shakedown.metrics.classes import (
    CLASSES,
    MOST_CLASSES,
    NUMBERS,
    ORDERED_CLASSES,
    PROBABILITIES,
    TIMES,
    TWO_CLASSES,
    check_response,
    classes_of,
    kind_of,
    nearest,
)
from tests.kinds import SINGLE
from tests.reference.class_metrics import CLASS_METRICS as LITERAL

CASES = 1_000
OF_CLASSES = [
    name for name in SINGLE if find(name).response not in (NUMBERS, TIMES) and name != "zero_one"
]
FUNCTIONS = [name for name in OF_CLASSES if name != "brier"]
SCORED = ["auroc", "aupr", "log_loss", "brier"]
BINARY = [name for name in OF_CLASSES if find(name).response == TWO_CLASSES]
SEVERAL = [name for name in OF_CLASSES if find(name).response != TWO_CLASSES]
#: scikit-learn's, of labels, what it takes for a prediction, and weights.
OUTSIDE = {
    "auroc": lambda y, p, w: sk.roc_auc_score(y, p, sample_weight=w),
    "aupr": lambda y, p, w: sk.average_precision_score(y, p, sample_weight=w),
    "log_loss": lambda y, p, w: sk.log_loss(y, p, sample_weight=w),
    "brier": lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: sk.balanced_accuracy_score(y, p, sample_weight=w),
    "macro_f1": lambda y, p, w: sk.f1_score(
        y, p, average="macro", zero_division=0, sample_weight=w
    ),
    "f1": lambda y, p, w: sk.f1_score(y, p, zero_division=0, sample_weight=w),
    "mcc": lambda y, p, w: sk.matthews_corrcoef(y, p, sample_weight=w),
    "kappa": lambda y, p, w: sk.cohen_kappa_score(y, p, weights="quadratic", sample_weight=w),
    "ordered_mae": lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w),
}


def case(name, seed):
    """Labels of two or more classes, predictions with ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    k = 2 if find(name).response == TWO_CLASSES else rng.integers(2, 7)
    n = int(rng.integers(k + 4, 60))
    y = rng.permutation(np.append(np.arange(k), rng.integers(0, k, n - k))).astype(float)
    if name in ("log_loss", "brier"):
        p = np.clip(0.3 + 0.4 * y + 0.3 * rng.standard_normal(n), 0.01, 0.99).round(2)
    elif name in SCORED:
        p = (y + rng.uniform(0.2, 3.0) * rng.standard_normal(n)).round(int(rng.integers(0, 3)))
    else:
        p = np.where(rng.random(n) < 0.5, y, rng.integers(0, k, n)).astype(float)
    w = rng.integers(0, 4, n) * rng.choice([1.0, 0.37])
    for c in range(k):  # each class has some weight
        w[np.flatnonzero(y == c)[0]] += 0.5
    return y, p, w


def score(name, y, p, w=None):
    """By the function; without weights also as boards do it, which must be the same."""
    metric = find(name)
    if metric.function is None:
        own = metric if w is None else find(f"weighted {name}").on(None, None, w)
        return own.score(y, p[None])[0]
    found = metric.function(y, p, sample_weight=w)
    assert isinstance(found, float)
    if w is None:
        np.testing.assert_array_equal(metric.score(y, p[None]), found)
    return found


@pytest.mark.parametrize("name", LITERAL)
def test_scores_are_those_of_the_definition(name):
    """Predictions are no labels here, and the values of classes are not 0, 1 and 2."""
    for seed in range(60):
        y, p, w = case(name, seed)
        if name not in SCORED:
            p = p + np.random.default_rng(seed).normal(0.0, 0.6, len(p))
        y, p = 0.7 * y - 3.0, 0.7 * p - 3.0
        for weights in (None, w):
            literal = LITERAL[name](y, p, np.ones(len(y)) if weights is None else weights)
            assert score(name, y, p, weights) == pytest.approx(literal, abs=1e-12), seed


def test_every_metric_of_classes_has_a_definition():
    assert {*LITERAL} == {*FUNCTIONS}
    assert {*OUTSIDE} == {*OF_CLASSES}


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize(("shift", "scale"), [(-3.0, 1.0), (0.4, 0.02), (17.0, 250.0), (0.0, 1e40)])
def test_a_standardised_response_has_the_same_score(name, shift, scale):
    for seed in range(20):
        y, p, w = case(name, seed)
        if name not in SCORED:
            p = p + np.random.default_rng(seed).normal(0.0, 0.6, len(p))
        for weights in (None, w):
            moved = score(name, shift + scale * y, shift + scale * p, weights)
            here = score(name, y, p, weights)
            assert moved / scale ** find(name).degree == pytest.approx(here, rel=1e-9, abs=1e-9)
    y, p, _ = case(name, 0)
    mean, sd = y.mean(), y.std(ddof=1)
    found = score(name, (y - mean) / sd, (p - mean) / sd)
    assert found * sd ** find(name).degree == pytest.approx(score(name, y, p))


@pytest.mark.parametrize("name", BINARY)
def test_a_model_of_breast_cancer(name):
    X, y = load_breast_cancer(return_X_y=True)
    half = np.arange(len(y)) % 2 == 0
    scaler = StandardScaler().fit(X[half, :5])
    model = LogisticRegression().fit(scaler.transform(X[half, :5]), y[half])
    p = model.predict_proba(scaler.transform(X[~half, :5]))[:, 1]
    expected = OUTSIDE[name](y[~half], p if name in SCORED else p > 0.5, None)
    assert score(name, y[~half].astype(float), p) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("name", SEVERAL)
def test_a_model_of_three_classes(name, load):
    X, y = load(return_X_y=True)
    half = np.arange(len(y)) % 2 == 0
    scaler = StandardScaler().fit(X[half, 1:3])
    model = LogisticRegression().fit(scaler.transform(X[half, 1:3]), y[half])
    p = model.predict(scaler.transform(X[~half, 1:3]))
    expected = OUTSIDE[name](y[~half], p, None)
    assert 0.0 < expected < 1.0
    assert score(name, y[~half].astype(float), p.astype(float)) == pytest.approx(expected)


def test_by_hand():
    y, p = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.1, 0.4, 0.35, 0.8])
    assert score("auroc", y, p) == 0.75
    assert score("aupr", y, p) == pytest.approx((1 + 2 / 3) / 2)
    assert score("log_loss", y, p) == pytest.approx(-np.log([0.9, 0.6, 0.35, 0.8]).mean())
    assert score("brier", y, p) == pytest.approx((0.01 + 0.16 + 0.65**2 + 0.04) / 4)
    # Taken for 0, 0, 0, 1.
    assert score("balanced_accuracy", y, p) == 0.75
    assert score("f1", y, p) == pytest.approx(2 / 3)
    assert score("macro_f1", y, p) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert score("mcc", y, p) == pytest.approx(1 / np.sqrt(3))
    assert score("ordered_mae", y, p) == 0.25


def test_kappa_and_steps_follow_the_values_of_classes():
    """1 and 4 for 2 and 3 of 4 stars: an error of 3 where no row has 2 or 3."""
    y, p = np.array([1.0, 1.0, 4.0, 5.0]), np.array([1.0, 4.0, 4.0, 5.0])
    codes = np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0, 2.0])
    assert score("ordered_mae", y, p) == 0.75
    assert score("ordered_mae", *codes) == 0.25
    ccc = find("ccc").score
    assert score("kappa", y, p) == pytest.approx(ccc(y, p[None])[0])
    assert score("kappa", *codes) == pytest.approx(ccc(codes[0], codes[1][None])[0])
    assert score("kappa", y, p) < score("kappa", *codes)


def test_a_perfect_file_is_perfect_and_a_constant_one_a_guess():
    perfect = dict.fromkeys(OF_CLASSES, 1.0) | {"brier": 0.0, "ordered_mae": 0.0}
    for seed in range(20):
        for name in OF_CLASSES:
            y, _, w = case(name, seed)
            for weights in (None, w):
                best, flat = (score(name, y, p, weights) for p in (y, np.full(len(y), 0.1)))
                if name == "log_loss":
                    assert best == pytest.approx(1e-15, rel=0.01)
                    assert find(name).scores_constants
                else:
                    assert best == pytest.approx(perfect[name], abs=1e-14)
                share = np.average(y == 1.0, weights=weights)
                guess = {
                    "auroc": 0.5, "aupr": share, "mcc": 0.0, "kappa": 0.0, "f1": 0.0,
                    "balanced_accuracy": 1.0 / len(np.unique(y)),
                }.get(name, flat)  # fmt: skip
                assert flat == pytest.approx(guess, abs=1e-12)
                assert find(name).scores_constants


#: In a bootstrap sample that has only the lower, or only the larger class, of files in which half
#: of the rows of a class are taken for it; and of a response with one value.
ALONE = {
    "auroc": (0.5, 0.5, 0.5),
    "aupr": (0.0, 1.0, 0.5),
    "log_loss": (-0.5 * np.log(0.8 * 0.4), -0.5 * np.log(0.6 * 0.2), np.log(2.0)),
    "balanced_accuracy": (0.5, 0.5, 0.5),
    "macro_f1": (2 / 3, 2 / 3, 0.0),
    "f1": (0.0, 2 / 3, 0.0),
    "mcc": (0.0, 0.0, 0.0),
    "kappa": (0.0, 0.0, 0.0),
    "ordered_mae": (0.5, 0.5, 0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_class_alone_has_no_score_but_in_a_sample(name):
    y = np.array([0.0, 0.0, 1.0, 1.0])
    p = np.array([0.2, 0.6, 0.6, 0.2])
    lower, larger, constant = ALONE[name]
    assert score(name, y, p, 1.0 - y) == pytest.approx(lower)
    assert score(name, y, p, y) == pytest.approx(larger)
    assert score(name, 0.0 * y, p, y) == pytest.approx(constant)
    assert np.isnan(score(name, 0.0 * y, p))
    assert np.isnan(find(name).score(0.0 * y + 7.0, np.stack([p, y]))).all()
    assert find("brier").score(0.0 * y, p[None]) == pytest.approx((p**2).mean())


@pytest.mark.parametrize("name", ["balanced_accuracy", "macro_f1"])
def test_a_class_that_a_sample_lacks_is_left_out(name):
    y, p, w = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0, 2.0]), np.ones(4)
    w[3] = 0.0
    assert score(name, y, p, w) == pytest.approx({"macro_f1": (1 + 2 / 3) / 2}.get(name, 0.75))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_more_values_than_classes_are_refused_in_a_sentence(name):
    n = 2 if find(name).response == TWO_CLASSES else MOST_CLASSES
    y = np.arange(n + 1.0)
    words = "two values" if n == 2 else f"at most {n} values"
    message = (
        rf"^metric '{name}' refuses the response or a prediction \(wanted a response with {words}, "
        r"got .*\). Use another response or metric, such as auroc for two classes, "
    )
    weighted = find(f"weighted {name}").on(None, None, 1.0 + y)
    for called in (find(name), weighted, find(f"2*{name}")):
        with pytest.raises(InputError, match=message):
            called.score(y, y[None])
    assert np.isfinite(find(name).score(y[:n], y[None, :n])).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_prediction_that_is_no_number_has_no_score(name):
    y, p, w = case(name, 3)
    files = np.stack([p, p, p])
    files[1, 2] = np.nan
    assert np.isnan(find(name).score(y, files)).tolist() == [False, True, False]
    if name != "log_loss" or w[2] > 0:
        assert np.isnan(find(name).function(y, files[1], sample_weight=w + 0.5))


def test_probabilities_of_0_and_1_and_beyond_have_a_finite_log_loss():
    y = np.array([0.0, 1.0])
    for wrong in (1.0, 0.0), (7.0, -3.0):
        assert score("log_loss", y, np.array(wrong)) == pytest.approx(-np.log(1e-15))
    for right in (0.0, 1.0), (-3.0, 7.0):
        assert score("log_loss", y, np.array(right)) == pytest.approx(1e-15, rel=0.01)
    inside = np.array([1e-12, 1.0 - 1e-12])
    assert score("log_loss", y, inside) == pytest.approx(sk.log_loss(y, inside), rel=1e-4)


def test_the_brier_score_is_the_mean_squared_error_of_labels():
    brier, mse = find("brier"), find("mse")
    rng = np.random.default_rng(1)
    y, files = rng.integers(0, 2, 40) * 1.0, rng.uniform(-0.5, 1.5, (3, 40))
    np.testing.assert_array_equal(brier.score(y, files), mse.score(y, files))
    assert (brier.degree, brier.is_mean_loss, brier.read_as) == (2.0, True, "mse")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_compiled_and_have_no_unit(name):
    metric = find(name)
    assert metric.is_compiled
    assert (metric.degree, metric.unit) == (0.0, "")


@pytest.mark.parametrize(
    ("name", "response", "predicts"),
    [
        ("auroc by response", TWO_CLASSES, "scores"),
        ("0.5*auroc + 0.5*aupr", TWO_CLASSES, "scores"),
        ("weighted auroc", TWO_CLASSES, "scores"),
        ("auroc + -1*brier", TWO_CLASSES, PROBABILITIES),
        ("mcc + 2*kappa", ORDERED_CLASSES, CLASSES),
        ("balanced_accuracy + f1", TWO_CLASSES, CLASSES),
        ("auroc + pearson", TWO_CLASSES, NUMBERS),
        ("pearson by response", NUMBERS, NUMBERS),
        ("brier by group", TWO_CLASSES, PROBABILITIES),
    ],
)
def test_a_composite_takes_what_its_terms_take(name, response, predicts):
    assert (find(name).response, find(name).predicts) == (response, predicts)


def test_composites_are_sums_and_means_of_them():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60) * 1.0
    files = y + rng.standard_normal((4, 60))
    w = rng.integers(0, 3, 60) * 1.0
    cells = Cells(("a", "b"), np.arange(60) % 2, np.arange(60) // 2)

    def each(function, rows=slice(None), **more):
        return np.array([function(y[rows], file[rows], **more) for file in files])

    roc, precision = sk.roc_auc_score, sk.average_precision_score
    found = find("auroc by response").on(cells).score(y, files)
    parts = [each(roc, cells.responses == k) for k in (0, 1)]
    np.testing.assert_allclose(found, np.mean(parts, axis=0))
    found = find("0.5*auroc + 0.5*aupr").score(y, files)
    np.testing.assert_allclose(found, (each(roc) + each(precision)) / 2)
    found = find("weighted auroc").on(None, None, w).score(y, files)
    np.testing.assert_allclose(found, each(roc, sample_weight=w))
    found = find("auroc by group").on(None, np.arange(60) // 30).score(y, files)
    np.testing.assert_allclose(found, (each(roc, slice(30)) + each(roc, slice(30, 60))) / 2)


def test_which_tell_groups_apart_by_one_number_for_each():
    tells = {name for name in OF_CLASSES if find(f"{name} by group").tells_group_means}
    assert tells == {"log_loss", "brier", "macro_f1", "f1", "ordered_mae"}


def test_what_a_dry_run_tolerates():
    """As much as an R² of 5 %, or a correlation of .05, of classes of the same size."""
    n, r = 400_000, 0.05
    rng = np.random.default_rng(3)
    y = np.repeat([0.0, 1.0], n // 2)
    x = (y - 0.5) / 0.5 * r + np.sqrt(1 - r * r) * rng.standard_normal(n)
    assert score("auroc", y, x) - 0.5 == pytest.approx(-usual(find("auroc")), abs=2e-3)
    assert score("aupr", y, x) - 0.5 == pytest.approx(-usual(find("aupr")), abs=5e-3)
    taken = np.where(rng.random(n) < (1 + r) / 2, y, 1 - y)
    for name in ("balanced_accuracy", "f1", "macro_f1", "mcc", "kappa"):
        nothing = 0.0 if name in ("mcc", "kappa") else 0.5
        assert score(name, y, taken) - nothing == pytest.approx(-usual(find(name)), abs=4e-3)
    assert 0.5 - score("ordered_mae", y, taken) == pytest.approx(0.025, abs=4e-3)
    for share in (0.5, 0.1):  # an R² of 5 %, of classes of any size
        apart = np.sqrt(0.05 * share * (1 - share)) * np.where(np.arange(n) % 2, 1.0, -1.0)
        labels = (rng.random(n) < share + apart) * 1.0
        gain = score("log_loss", labels, np.full(n, share)) - score(
            "log_loss", labels, share + apart
        )
        assert gain == pytest.approx(-usual(find("log_loss")), abs=4e-3)
    assert usual(find("brier")) == usual(find("mse"))


def test_the_nearest_class_and_the_lower_one_in_the_middle():
    classes = np.array([-1.0, 0.0, 4.0])
    numbers = np.array([-9.0, -0.5, -0.4, 2.0, 2.1, 90.0])
    assert nearest(classes, numbers).tolist() == [0, 0, 1, 1, 2, 2]
    y, halves = np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.5, 1.5001])
    assert score("ordered_mae", y, halves) == 0.0


def test_the_kind_of_a_response():
    assert kind_of([CLASSES, TWO_CLASSES]) == TWO_CLASSES
    assert kind_of([NUMBERS, CLASSES, ORDERED_CLASSES]) == ORDERED_CLASSES
    assert kind_of([NUMBERS]) == NUMBERS
    assert classes_of(np.array([3.0, 1.0, 3.0])).tolist() == [1.0, 3.0]
    for wanted, values, is_taken in [
        (NUMBERS, np.arange(50), True),
        (TWO_CLASSES, [1, 1, 5], True),
        (TWO_CLASSES, [1, 2, 5], False),
        (TWO_CLASSES, [1, 1, 1], False),
        (CLASSES, np.arange(MOST_CLASSES), True),
        (ORDERED_CLASSES, np.arange(MOST_CLASSES + 1), False),
    ]:
        if is_taken:
            check_response("m", wanted, np.array(values), "data set 'd'")
            continue
        with pytest.raises(
            InputError, match=r"^data set 'd': metric 'm' wants a response of .* su"
        ):
            check_response("m", wanted, np.array(values), "data set 'd'")


@pytest.mark.parametrize("name", OF_CLASSES)
def test_scores_are_those_of_scikit_learn(name):
    for seed in range(CASES):
        y, p, w = case(name, seed)
        for weights in (None, w):
            rows = slice(None) if weights is None or name in SCORED else weights > 0
            own = None if weights is None else weights[rows]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of classes that only predictions have
                expected = OUTSIDE[name](y[rows], p[rows], own)
            assert score(name, y, p, weights) == pytest.approx(expected, abs=1e-12), seed

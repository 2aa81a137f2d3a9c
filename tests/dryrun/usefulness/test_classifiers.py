"""Honest models of classes, against scikit-learn called plainly."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import Lasso, LogisticRegression

from shakedown.dryrun.usefulness import honest
from shakedown.dryrun.usefulness.models import forests, logistic
from shakedown.dryrun.usefulness.models.classifiers import Classifiers
from shakedown.dryrun.usefulness.models.linear import Linear
from shakedown.metrics import find
from shakedown.metrics.classes import CLASSES
from tests.data.test_several import several
from tests.dryrun.usefulness.tables import challenge, splits_of

VALUES = np.array([-1.0, 0.5, 1.5])


def drawn(n=90, p=6, classes=3, seed=0):
    """Features, the codes of classes that they tell in part, and rows to predict."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    risk = X[:, :2].sum(axis=1) + rng.standard_normal(n)
    codes = np.digitize(risk, np.quantile(risk, np.arange(1, classes) / classes))
    return X, codes, rng.standard_normal((20, p))


def classes(n=201, p=10, count=2, r2=0.5, seed=0):
    """A challenge of equally frequent classes."""
    c = challenge(n, p, r2, seed)
    cuts = np.quantile(c.y, np.arange(1, count) / count)
    return challenge(n, p, r2, seed, y=np.digitize(c.y, cuts).astype(float))


def rings(n=300, p=6, seed=0):
    """Two classes that no linear model tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    far = X[:, 0] ** 2 + X[:, 1] ** 2 + 0.3 * rng.standard_normal(n)
    c = challenge(n, p, y=(far > np.median(far)).astype(float), seed=seed)
    c.X[:] = X
    return c


def models_of(c, name, replicates=1, seed=0):
    metric = find(name)
    for split in splits_of(c, metric, replicates):
        yield split, honest.models(split.view, metric, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("count", [2, 3])
def test_logistic_regressions_are_those_of_scikit_learn(count):
    X, codes, targets = drawn(classes=count)
    made = list(logistic.fitted(X, codes, targets, count))
    for (found, used), penalty in zip(made, logistic.PENALTIES, strict=False):
        plain = LogisticRegression(C=1.0 / (6 * penalty)).fit(X, codes).predict_proba(targets)
        np.testing.assert_allclose(found, plain, atol=1e-6)
        assert used == 6
    columns = logistic.chosen(X, np.eye(count)[codes])
    for own, (found, used) in zip(columns, made[len(logistic.PENALTIES) :], strict=True):
        plain = LogisticRegression(C=1.0 / (len(own) * logistic.RELAXED)).fit(X[:, own], codes)
        np.testing.assert_allclose(found, plain.predict_proba(targets[:, own]), atol=1e-6)
        assert used == len(own)


def test_the_features_of_two_classes_are_those_of_a_lasso():
    X, codes, _ = drawn(classes=2, p=12)
    centred = X - X.mean(axis=0)
    largest = np.abs(centred.T @ (codes - codes.mean())).max() / len(X)
    for own, share in zip(logistic.chosen(X, np.eye(2)[codes]), logistic.LASSO, strict=True):
        plain = Lasso(alpha=share * largest, tol=1e-8).fit(X, codes.astype(float))
        np.testing.assert_array_equal(own, np.flatnonzero(plain.coef_))


def test_forests_are_those_of_scikit_learn():
    X, codes, targets = drawn()
    made = forests.fitted(X, codes, targets, 3, seed=7)
    for (found, used), size in zip(made, forests.TREES, strict=True):
        plain = RandomForestClassifier(size, min_samples_leaf=forests.LEAF, random_state=7)
        np.testing.assert_allclose(found, plain.fit(X, codes).predict_proba(targets))
        assert used == 6


def test_a_class_without_rows_has_probability_0():
    X, codes, targets = drawn(classes=2)
    for fitted in (logistic.fitted, lambda *given: forests.fitted(*given, seed=1)):
        for found, _ in fitted(X, 2 * codes, targets, 3):
            assert not found[:, 1].any()
            np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("name", ["auroc", "macro_f1", "kappa", "log_loss"])
def test_one_class_and_no_rows_have_a_constant(name):
    values = VALUES[:2] if name in ("auroc", "log_loss") else VALUES
    kind, (X, _, targets) = Classifiers(find(name), values), drawn()
    for rows, wanted in ((5, values[-1]), (0, values.mean())):
        files, used = kind.fitted(
            X[:rows], np.full(rows, values[-1]), targets, rng=np.random.default_rng(1)
        )
        assert files.shape == (kind.files, 10, 20)
        assert not used.any()
        assert np.unique(files[-1]).size == 1
        if name == "auroc":
            assert files[0, 0, 0] == pytest.approx(wanted)
        if name == "log_loss":
            assert values[0] < files.min() <= files.max() < values[-1]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("auroc", 2), ("aupr", 2), ("log_loss", 2), ("brier", 2), ("zero_one", 2),
        ("balanced_accuracy", 2), ("macro_f1", 4), ("mcc", 3), ("kappa", 4), ("ordered_mae", 3),
        ("0.5*auroc + 0.5*balanced_accuracy", 2), ("f1 + mcc", 2),
    ],
)  # fmt: skip
def test_files_are_what_the_metric_takes(name, count):
    ((split, models),) = models_of(classes(count=count), name)
    values, files = np.unique(split.view.y_train), np.vstack([models.public, models.final])
    assert files.shape == (60, 67)
    if find(name).predicts == CLASSES:
        assert np.isin(files, values).all()
        return
    assert values[0] <= files.min() < files.max() <= values[-1]
    if name in ("log_loss", "brier"):
        room = 0.01 * np.ptp(values)
        assert values[0] + room <= files.min() + 1e-12
        assert files.max() - 1e-12 <= values[-1] - room


def test_ordered_classes_are_nearest_to_the_expected_one():
    kind = Classifiers(find("kappa"), VALUES)
    found = kind._files(np.array([[[0.45, 0.1, 0.45], [0.9, 0.1, 0.0]]]), np.full(3, 1 / 3))
    np.testing.assert_array_equal(found, [[[0.5, -1.0]]] * 2)
    kind = Classifiers(find("macro_f1"), VALUES)
    found = kind._files(np.array([[[0.45, 0.15, 0.4]]]), np.array([0.7, 0.1, 0.2]))
    np.testing.assert_array_equal(found[:, 0, 0], [-1.0, 1.5])  # .4/.2 exceeds .15/.1 and .45/.7


def test_rare_classes_count_as_much_where_the_metric_asks_for_it():
    """No likeliest class is the rare one.  A guess has .5, and its mean over 10 sets of 200 rows,
    of which 16 are rare, a standard error below .02; .57 is exceeded with a chance of 3e-4."""
    c = challenge(600, 6, 0.15, 3)
    c = challenge(600, 6, 0.15, 3, y=(c.y > np.quantile(c.y, 0.92)).astype(float))
    scores = [
        find("balanced_accuracy").score(split.y_final, models.final[-1:])[0]
        for split, models in models_of(c, "balanced_accuracy", 10)
    ]
    assert np.mean(scores) > 0.57


@pytest.mark.parametrize(
    ("name", "count"), [("auroc", 2), ("log_loss", 2), ("macro_f1", 3), ("kappa", 4)]
)
def test_models_are_better_than_a_constant_and_get_better(name, count):
    """Of nothing, all 10 last ones would be better with a chance of 1e-3, and the last ten than the
    first ten by 3 standard errors with .01."""
    metric, gains, rises = find(name), [], []
    for split, models in models_of(classes(360, count=count), name, 10):
        y = split.y_final
        quality = -metric.sign * metric.score(y, np.vstack([np.zeros(len(y)), models.final]))
        gains.append(quality[-1] - quality[0])
        rises.append(quality[-10:].mean() - quality[1:11].mean())
    assert min(gains) > 0.0
    assert np.mean(rises) > 3.0 * np.std(rises, ddof=1) / np.sqrt(10)


def test_forests_tell_what_no_linear_model_does():
    """The AUROC of a guess on 100 rows has a standard error of .06, its mean over 6 sets of .024:
    linear models stay below .6, which is exceeded with a chance of 2e-5."""
    scores = []
    for split, models in models_of(rings(), "auroc", 6):
        view = split.view
        rng = np.random.default_rng(0)
        linear, _ = Linear().fitted(view.X_train, view.y_train, view.X_final, rng=rng)
        files = np.vstack([models.final[-1:], linear[0]])
        scores.append(find("auroc").score(split.y_final, files))
    ours, *others = np.mean(scores, axis=0)
    assert max(others) < 0.6
    assert ours > 0.8


def test_the_same_seed_gives_the_same_files():
    c = classes()
    ((_, first),), ((_, same),), ((_, other),) = (
        list(models_of(c, "auroc", seed=seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.public, same.public)
    np.testing.assert_array_equal(first.final, same.final)
    assert not np.array_equal(first.public, other.public)


def test_the_most_promising_of_many_features_take_part():
    """A feature that only tells the middle class has no correlation with its number."""
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((120, 700)), np.arange(120) % 3
    X[:, 650] += 2.0 * (codes == 1)
    X[:, 5] = 1.0
    kind = Classifiers(find("macro_f1"), VALUES)
    worth = kind.worth(X, VALUES[codes])
    varying = np.delete(np.arange(700), 5)
    f = f_classif(X[:, varying], codes)[0]
    np.testing.assert_array_equal(np.argsort(worth[varying]), np.argsort(f))
    assert worth.argmax() == 650
    assert worth[5] == 0.0
    assert len(kind.promising(X, VALUES[codes])) == 500


def test_thousands_of_features_are_no_obstacle():
    ((_, models),) = models_of(classes(n=75, p=2000), "auroc")
    assert models.public.shape == (30, 25)
    assert np.isfinite(models.public).all()
    assert models.n_selected.max() == 500


def two_cuts(mine):
    """The responses of a challenge as classes: two of the first, and three of the others."""
    responses, y = mine.cells.responses, np.empty(len(mine.y))
    for k in range(len(mine.cells.names)):
        own = responses == k
        cuts = np.quantile(mine.y[own], [0.5] if k == 0 else [0.3, 0.6])
        y[own] = np.digitize(mine.y[own], cuts)
    return replace(mine, y=y)


@pytest.mark.parametrize("given", ["missing", "group", "weights"])
def test_each_response_has_its_own_classes(given):
    more = {"missing": {"missing": 60}, "group": {"group": np.repeat(np.arange(120), 2)}}
    mine = two_cuts(several(rows=240, alike=0.2, **more.get(given, {})))
    name = "macro_f1 by response"
    if given == "weights":
        weights = np.random.default_rng(1).integers(0, 3, 240).astype(float)
        mine, name = replace(mine, weights=weights[mine.cells.rows]), f"weighted {name}"
    for split, models in models_of(mine, name, 2):
        train, _, final = split.view.cells
        for k in range(len(train.names)):
            values = np.unique(split.view.y_train[train.responses == k])
            assert np.isin(models.final[:, final.responses == k], values).all()
            assert len(values) == (2 if k == 0 else 3)
        scored = split.on(find(name), "final")
        zeros, *_, last = scored.score(
            split.y_final, np.vstack([np.zeros(len(split.y_final)), models.final])
        )
        assert last > zeros


def test_parts_of_the_training_rows_may_have_one_class():
    """Of 67 training rows 2 are of the rarer class."""
    y = np.zeros(201)
    y[::34] = 1.0
    constant = 0
    for metric in ("auroc", "log_loss", "balanced_accuracy"):
        for _, models in models_of(challenge(201, 4, y=y), metric, 4):
            assert np.isfinite(models.final).all()
            assert len(models.final) == 30
            constant += np.sum(np.ptp(models.final, axis=1) == 0.0)
    assert constant > 20


def test_hits_are_compared_with_all_permutations():
    """By mean and variance over 20,000 permutations: 5 standard errors of z are .1, 6e-7."""
    rng = np.random.default_rng(0)
    y = np.repeat([0.0, 1.0, 2.0], [5, 12, 20])
    file = np.where(rng.random(37) < 0.3, y, rng.permutation(y))
    hits = np.array([np.sum(rng.permutation(y) == file) for _ in range(20_000)])
    z = stats.norm.isf(honest.level_of_hits(file, y))
    spread = hits.std(ddof=1)
    assert z == pytest.approx((np.sum(file == y) - hits.mean()) / spread, abs=0.1)
    assert honest.level_of_hits(np.ones(37), y) == 1.0


def middles(n=240, seed=0):
    """Three classes, of which the features tell the middle one from the others."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 3)), np.arange(n) % 3.0
    X[:, 0] += 3.0 * (y == 1)
    return replace(challenge(n, 3, y=y), X=X)


def test_classes_without_an_order_have_a_signal():
    made = list(models_of(middles(), "macro_f1", 6))
    splits, sequences = zip(*made, strict=True)
    assert honest.has_signal(sequences, splits, find("macro_f1"))


def test_shuffled_classes_have_none():
    """A level of 5 %: more than 6 false signals in 30 tables have a chance below 2e-3."""
    false = 0
    for seed in range(30):
        c = middles(90, seed)
        c = replace(c, y=np.random.default_rng(seed + 100).permutation(c.y))
        splits, sequences = zip(*models_of(c, "macro_f1", 3), strict=True)
        false += honest.has_signal(sequences, splits, find("macro_f1"))
    assert false <= 6

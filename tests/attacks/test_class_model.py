"""Classifiers and Cox regressions as final models, against what they are called plainly."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from shakedown.attacks.class_model import Classifier, coded
from shakedown.attacks.cox import Cox, coefficients
from shakedown.attacks.models import check_model, final_model, half_of, of_best_features
from shakedown.data.censored import risk_score
from shakedown.data.several import part_of
from shakedown.interface import Cells, InputError, ParticipantData
from shakedown.metrics import find
from shakedown.simulation.replicate import Experiment, play
from tests.attacks.regressors import regressor
from tests.dryrun.usefulness.tables import splits_of
from tests.dryrun.usefulness.test_classifiers import classes
from tests.dryrun.usefulness.test_hazards import challenge as of_times

LOGISTIC = "sklearn.linear_model.LogisticRegression"


def view_of(count=2, metric="auroc"):
    (split,) = splits_of(classes(count=count), find(metric), 1)
    return split.view


@pytest.mark.parametrize("metric", ["auroc", "log_loss", "0.5*auroc + 0.5*f1"])
def test_a_classifier_sends_probabilities_on_the_scale_of_the_response(metric):
    view, order = view_of(), np.array([2, 0, 5])
    public, final = final_model(LOGISTIC, metric=find(metric)).nested(view, order)
    low, high = np.unique(view.y_train)
    for k in range(3):
        own = order[: k + 1]
        plain = LogisticRegression().fit(view.X_train[:, own], view.y_train > 0.0)
        for X, found in ((view.X_public, public[k]), (view.X_final, final[k])):
            wanted = low + (high - low) * plain.predict_proba(X[:, own])[:, 1]
            np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.parametrize(
    ("entry", "metric"),
    [
        ("ols", "auroc"),
        (LOGISTIC, "auroc"),
        ("sklearn.linear_model.Ridge", "mse"),
        ("cox", "c_index"),
    ],
)
def test_one_model_of_some_features_is_the_last_of_the_nested_ones(entry, metric):
    view, order = view_of(), np.array([2, 0, 5])
    if entry == "cox":
        view = next(iter(splits_of(of_times(), find(metric), 1))).view
    model = final_model(entry, metric=find(metric))
    for part, nested in zip(model.of(view, order), model.nested(view, order), strict=True):
        np.testing.assert_array_equal(part, nested[-1])


def test_the_model_of_a_holder_is_fitted_once(monkeypatch):
    fits, fit = [], LogisticRegression.fit
    monkeypatch.setattr(
        LogisticRegression, "fit", lambda self, X, y: fits.append(X.shape[1]) or fit(self, X, y)
    )
    of_best_features(view_of(), final_model(LOGISTIC, metric=find("auroc")), 4)
    assert fits == [4]


@pytest.mark.parametrize(("metric", "count"), [("macro_f1", 3), ("balanced_accuracy", 2)])
def test_a_classifier_sends_classes_where_the_metric_takes_them(metric, count):
    view, order = view_of(count, metric), np.array([0, 1])
    public, _ = final_model(regressor(LOGISTIC, C=0.1), metric=find(metric)).nested(view, order)
    codes = np.unique(view.y_train, return_inverse=True)[1]
    plain = LogisticRegression(C=0.1).fit(view.X_train[:, :2], codes).predict(view.X_public[:, :2])
    np.testing.assert_array_equal(public[1], np.unique(view.y_train)[plain])


def test_a_classifier_without_probabilities_sends_scores_or_classes():
    view, order = view_of(), np.array([0, 1])
    plain = LinearSVC(random_state=1).fit(view.X_train[:, :2], view.y_train > 0.0)
    for metric, wanted in (
        ("auroc", plain.decision_function(view.X_public[:, :2])),
        (
            "0.5*auroc + 0.5*f1",
            np.unique(view.y_train)[plain.predict(view.X_public[:, :2]).astype(int)],
        ),
    ):
        entry = regressor("sklearn.svm.LinearSVC", random_state=1)
        public, _ = final_model(entry, metric=find(metric)).nested(view, order)
        np.testing.assert_allclose(public[1], wanted, atol=1e-6)
    model = final_model("sklearn.svm.LinearSVC", metric=find("brier"))
    with pytest.raises(InputError, match=r"takes probabilities, and this classifier has no `pred"):
        model.nested(view, order)


def test_one_class_has_a_constant():
    view = view_of()
    alone = ParticipantData(view.X_train[:5], np.full(5, 1.5), view.X_public, view.X_final)
    public, final = final_model(LOGISTIC, metric=find("auroc")).nested(alone, np.arange(3))
    assert public.shape == (3, 67)
    assert (public == 1.5).all()
    assert (final == 1.5).all()


def test_each_response_has_its_own_classes():
    y, responses = np.array([-1.0, 2.0, -1.0, 0.5, 1.0, 0.0]), np.array([0, 0, 0, 1, 1, 1])
    codes, values = coded(y, responses, 2)
    assert codes.tolist() == [0, 1, 0, 1, 2, 0]
    assert values.tolist() == [[-1.0, 2.0, 2.0], [0.0, 0.5, 1.0]]
    rng = np.random.default_rng(0)
    cells = Cells(("a", "b"), responses, np.arange(6) % 3)
    train, public, final = rng.standard_normal((3, 6, 2))
    view = ParticipantData(train, y, public, final, cells=(cells,) * 3)
    metric = find("balanced_accuracy by response")
    public, _ = final_model(LOGISTIC, metric=metric).nested(view, np.arange(2))
    assert np.isin(public[:, :3], [-1.0, 2.0]).all()
    assert np.isin(public[:, 3:], [0.0, 0.5, 1.0]).all()
    first = part_of(cells, np.arange(3)), cells, cells
    late = replace(view, X_train=train[:3], y_train=y[:3], cells=first)
    public, _ = final_model(LOGISTIC, metric=metric).nested(late, np.arange(2))
    assert not public[:, 3:].any()
    half, rest = half_of(view)
    assert half.cells[0].responses.tolist() == responses[::2].tolist()
    assert half.cells[1].responses.tolist() == responses[1::2].tolist()
    assert len(rest) == len(half.X_public) == 3


def test_a_cox_regression_sends_risks_on_the_scale_of_the_residuals():
    (split,) = splits_of(of_times(), find("c_index"), 1)
    view, order = split.view, np.array([1, 0, 4])
    public, final = final_model("cox", metric=find("c_index")).nested(view, order)
    for k in range(3):
        own = order[: k + 1]
        (b,) = coefficients(view.X_train[:, own], view.times, [1.0])
        assert np.corrcoef(public[k], view.X_public[:, own] @ b)[0, 1] == pytest.approx(1.0)
    fitted = Cox().nested(view, order)[0][-1]
    np.testing.assert_array_equal(fitted, public[-1])
    assert find("c_index").score(split.y_final, final[-1:])[0] > 0.6
    half, rest = half_of(view)
    np.testing.assert_array_equal(half.times, view.times[::2])
    np.testing.assert_array_equal(rest, risk_score(view.times)[1::2])
    held = of_best_features(half, Cox(), 3)[0]
    assert rest @ held > 0.0


@pytest.mark.parametrize(
    ("entry", "metric", "said"),
    [
        (LOGISTIC, "mse", "is fitted to classes: wanted a metric of these, such as auroc"),
        (LOGISTIC, None, "got numbers"),
        ("sklearn.svm.LinearSVC", "c_index", "got metric 'c_index'"),
        ("cox", "auroc", "is fitted to censored times: wanted a metric of these, such as c_index"),
        ("tests.attacks.test_class_model.Own", "mse", "is fitted to classes"),
    ],
)
def test_a_model_must_fit_the_metric(entry, metric, said):
    metric = metric and find(metric)
    for made in (check_model, lambda entry, metric: final_model(entry, metric=metric)):
        with pytest.raises(InputError, match=said):
            made(entry, metric)


class Own(LogisticRegression):
    """A classifier of one's own."""


@pytest.mark.parametrize("metric", ["auroc", "log_loss", "macro_f1", "zero_one"])
@pytest.mark.parametrize("attack", ["freedman", "step_forward", "best_of_many"])
def test_modellers_play_with_a_classifier(attack, metric):
    settings = {
        "metric": metric,
        "mechanisms": [{"name": "full_disclosure"}],
        "attack": {"name": attack},
        "model": {"class": LOGISTIC, "settings": {"C": 0.5}},
    }
    settings["attack"] |= {
        "freedman": {"largest_model": 4}, "step_forward": {"iterations": 3},
        "best_of_many": {"rounds": [5, 20]},
    }[attack]  # fmt: skip
    design = "permuted_labels" if metric == "zero_one" else "splits"
    made = Experiment("e", settings, classes(), design, seed=1)
    assert isinstance(made.model, Classifier)
    frame = play(made, [0])
    assert frame["score_final"].notna().all()
    if metric == "log_loss":
        assert frame["score_final"].max() < 2.0


@pytest.mark.parametrize("metric", ["auroc", "brier", "macro_f1"])
def test_holders_hold_its_file(metric):
    """Three classes that were shrunk would be other classes."""
    count = 3 if metric == "macro_f1" else 2
    settings = {
        "metric": metric,
        "mechanisms": [{"name": "full_disclosure"}],
        "attack": {"name": "random_search", "submissions": 10, "points": [10], "honest": 3},
        "model": LOGISTIC,
    }
    made = Experiment("e", settings, classes(count=count), "splits", seed=1)
    (one,) = made.plays(0)
    honest, values = one.game.honest.public[0], np.unique(one.split.view.y_train)
    assert np.unique(honest).size > 1
    if metric == "macro_f1":
        assert np.isin(honest, values).all()


def test_risks_of_a_cox_regression_need_no_factor_in_training():
    (split,) = splits_of(of_times(), find("c_index"), 1)
    view = replace(split.view, X_public=split.view.X_train)
    for file in Cox().nested(view, np.arange(3))[0]:
        assert view.y_train @ file == pytest.approx(file @ file)
    silent = replace(view, times=-np.abs(view.times))
    assert not np.array(Cox().nested(silent, np.arange(3))[0]).any()

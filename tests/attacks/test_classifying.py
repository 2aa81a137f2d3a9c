"""Modellers on labels: they submit the labels that their models predict."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.classifying import Classifying
from shakedown.attacks.models import LeastSquares
from shakedown.data.splits import LabelSplitter
from shakedown.interface import Cells, Challenge, Grouping, InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.session import Session

MODELLERS = {
    "freedman": {"largest_model": 6},
    "step_forward": {"iterations": 3},
    "best_of_many": {"rounds": [10, 40]},
}
BOARDS = [
    {"name": "full_disclosure"},
    {"name": "ladder", "alpha": 0.15},
    {"name": "ladderboot", "alpha": 0.15, "b": 20},
    {"name": "constant_board"},
]


def table(n=213, p=40, seed=2):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    y = (X[:, 0] + rng.standard_normal(n) > 0.2).astype(float)
    names = np.array([f"x{j}" for j in range(p)])
    return Challenge("labels", X, y, np.arange(n).astype(str), names)


def experiment(name, metric="zero_one", design="permuted_labels", toy=None, **more):
    settings = {"metric": metric, "attack": {"name": name, **MODELLERS.get(name, {})}}
    settings |= {"mechanisms": BOARDS} | more
    return Experiment("e", settings, table() if toy is None else toy, design, seed=1)


def test_labels_are_permuted_within_sets_whose_features_stay():
    splitter = LabelSplitter(table(), seed=1, n_features=40, design="permuted_labels")
    first, second = splitter.split(0), splitter.split(1)
    for part in ("X_train", "X_public", "X_final"):
        kept = getattr(first.view, part)
        np.testing.assert_array_equal(kept, getattr(second.view, part))
        assert kept.mean(axis=0) == pytest.approx(0, abs=1e-12)
    pairs = zip(
        (first.view.y_train, first.y_public, first.y_final),
        (second.view.y_train, second.y_public, second.y_final),
        strict=True,
    )
    for one, other in pairs:
        assert set(one) == {0.0, 1.0}
        assert one.sum() == other.sum()
        assert (one != other).any()


def test_freedman_against_full_disclosure_is_that_of_a_plain_program():
    split = LabelSplitter(table(), seed=1, n_features=40, design="permuted_labels").split(0)
    seen, mean = split.view, split.view.y_train.mean()
    attack = Classifying(
        ATTACKS.make("freedman", largest_model=5), seen, LeastSquares(), np.random.default_rng(1)
    )
    files, X = [], seen.X_train
    for j in range(40):
        slope = X[:, j] @ (seen.y_train - mean) / (X[:, j] @ X[:, j])
        files.append((slope * seen.X_public[:, j] + mean > 0.5).astype(float))
    np.testing.assert_array_equal(attack.opening, files)
    loss = [np.mean(file != split.y_public) for file in files]
    best = np.argsort(loss, kind="stable")[:5]
    scorer = Scorer(find("zero_one"), split.y_public, attack.opening)
    session = Session(scorer, of_setting("full_disclosure"), partial(stream, 1))
    models = attack.play(session.open).models
    for k in range(5):
        solved = np.linalg.lstsq(X[:, best[: k + 1]], seen.y_train - mean, rcond=None)[0]
        for rows, made in ((seen.X_public, models.public), (seen.X_final, models.final)):
            expected = rows[:, best[: k + 1]] @ solved + mean > 0.5
            np.testing.assert_array_equal(made[k], expected)


@pytest.mark.parametrize("name", MODELLERS)
def test_files_are_labels_and_gains_are_overfit(name):
    # A board that shows nothing teaches nothing: with 60 replicates its mean Δ has a standard error
    # below .012, so .06 is exceeded once in a million times.
    frame = play(experiment(name), range(60))
    last = frame[frame["point"] == frame["point"].max()]
    mean = last.groupby("setting", observed=True)["delta"].mean()
    assert abs(mean["constant_board"]) < 0.06
    assert mean["full_disclosure"] < -0.06
    assert mean["full_disclosure"] <= mean["ladder(alpha=0.15)"] <= 0.01
    shares = frame[["score_public", "score_final"]].to_numpy() * 71
    np.testing.assert_allclose(shares, np.round(shares), atol=1e-9)


def test_true_losses_are_those_under_permutation():
    # The true loss of a file depends on its number of ones alone.
    made = experiment("freedman")
    split = made.splitter.split(0)
    files = np.random.default_rng(1).integers(0, 2, (5, len(split.y_public))).astype(float)
    true = made._truth(split, files).of(files)
    ones, share = files.mean(axis=1), split.y_public.mean()
    np.testing.assert_allclose(true, ones * (1 - share) + (1 - ones) * share)


def test_every_attack_that_classifies_is_played_here():
    kinds = {name for name, kind in ATTACKS.classes.items() if kind.classifies}
    assert kinds == set(MODELLERS)
    assert {ATTACKS.find(name).threat for name in kinds} == {"modeller"}


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("freedman", {"metric": "mse"}, "wanted designs [permuted_labels] and metric zero_one"),
        ("freedman", {"design": "labels"}, "wanted designs [permuted_labels]"),
        ("freedman", {"design": "permuted"}, "the designs 'labels' and 'permuted_labels'"),
        ("boosting", {"design": "permuted_labels"}, "wanted designs [labels]"),
        ("greedy_climb", {"design": "permuted_labels"}, "one of ['freedman', 'step_forward'"),
        ("freedman", {"model": "sklearn.no.Model"}, "sklearn.no"),
    ],
)
def test_what_cannot_be_played_is_said(name, changed, said):
    attack = {"name": name, **MODELLERS.get(name, {"submissions": 5})}
    with pytest.raises(InputError) as error:
        experiment(name, **{"metric": "zero_one", "attack": attack} | changed)
    assert said in str(error.value)


def test_a_response_of_numbers_is_refused():
    numbers = table()
    toy = Challenge("n", numbers.X, numbers.y + 0.5, numbers.rows, numbers.features)
    with pytest.raises(InputError, match="needs a response of 0 and 1"):
        experiment("freedman", toy=toy)


def test_a_regressor_of_ones_own_is_fitted_to_labels():
    model = {"class": "sklearn.linear_model.Ridge", "settings": {"alpha": 5.0}}
    frame = play(experiment("freedman", model=model), [0])
    plain = play(experiment("freedman"), [0])
    assert frame["delta"].notna().all()
    assert not np.array_equal(frame["score_public"], plain["score_public"])


def two_responses(n=150, seed=3):
    """A balanced response, and one with a tenth of its rows in the larger class."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 12))
    y = np.concatenate([X[:, 0] > 0.0, X[:, 0] > 1.3]).astype(float)
    rows = np.tile(np.arange(n), 2)
    names = np.array([f"x{j}" for j in range(12)])
    cells = Cells(("even", "rare"), np.repeat([0, 1], n), rows)
    group = Grouping("id", rows, is_text=False)
    return Challenge(
        "two", np.asfortranarray(X[rows]), y, rows.astype(str), names, group=group, cells=cells
    )


@pytest.mark.parametrize("name", MODELLERS)
def test_each_response_has_probabilities_on_its_own_scale(name):
    """No file costs as much as one that is sure of a wrong class."""
    made = experiment(
        name, "log_loss by response", "splits", two_responses(),
        mechanisms=[{"name": "full_disclosure"}], features=12,
    )  # fmt: skip
    for one in made.plays(0):
        view, models = one.split.view, one.game.models
        for k, files in enumerate((models.public, models.final)):
            for response in range(2):
                y = view.y_train[view.cells[0].responses == response]
                own = files[:, view.cells[k + 1].responses == response]
                room = 0.01 * np.ptp(y)
                assert own.min() >= y.min() + 0.999 * room
                assert own.max() <= y.max() - 0.999 * room

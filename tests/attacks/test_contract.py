"""What every attack keeps to: it learns what a participant sees, and it can be repeated."""

import dataclasses

import numpy as np
import pytest

from shakedown import data
from shakedown.attacks.attack import ATTACKS
from shakedown.interface import Challenge, InputError
from shakedown.leaderboard.mechanism import MECHANISMS
from shakedown.leaderboard.mechanism import mechanisms as made
from shakedown.metrics import find
from shakedown.metrics.classes import CLASSED, TIMES
from shakedown.simulation import tracing
from shakedown.simulation.replicate import Experiment, play

#: Of predicted classes.
CLASSES = "balanced_accuracy"
#: What the examples leave out.
MORE = {
    "boosting": (
        {"submissions": 5, "keep": "lowered"},
        {"submissions": 5, "keep": "mirrored", "accounts": "many"},
    ),
    "enumeration": ({"submissions": 5, "size": None},),
}
EXAMPLES = [
    pytest.param(kind, {"name": name, **example}, id=f"{name}-{k}")
    for name, kind in ATTACKS.classes.items()
    for k, example in enumerate([*kind.examples, *MORE.get(name, ())])
]
LABELS = data.read("fair_labels", {"recipe": "labels", "public": 20, "final": 24}, seed=1)


def challenge(n=36, p=5, *, of_classes=False):
    rng = np.random.default_rng(1)
    names = np.array([f"x{j}" for j in range(p)])
    X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
    y = np.where(y > 0.0, 1.0, 0.0) if of_classes else y
    return Challenge("noise", X, y, np.arange(n), names)


def metric_of(kind):
    if kind.on_labels:
        return "zero_one"
    return "mse" if kind.reads_metric(find("mse")) else kind.metrics[0] if kind.metrics else CLASSES


def fits(entry, metric):
    """Whether a leaderboard takes a metric."""
    try:
        made([entry])[0].check(find(metric))
    except InputError:
        return False
    return True


def experiment(kind, entry, mechanisms=None):
    reads = {"ranks"} if kind.reads == "ranks" else {"scores", "nothing"}
    metric = metric_of(kind)
    every = [
        {"name": name, **example}
        for name, mechanism in MECHANISMS.classes.items()
        for example in mechanism.examples
        if mechanism.shows in reads and fits({"name": name, **example}, metric)
    ]
    settings = {
        "metric": metric,
        "attack": entry,
        "mechanisms": mechanisms or every,
    }
    if kind.on_labels:
        return Experiment("e", settings, LABELS, "labels", seed=1)
    made_of = challenge(of_classes=find(metric).response in CLASSED)
    if find(metric).response == TIMES:
        made_of = dataclasses.replace(made_of, censored=True)
    return Experiment("e", settings, made_of, "permuted", seed=1)


def garble(monkeypatch, experiment, **change):
    """Let every split of an experiment have another response."""
    splitter = type(experiment.splitter)
    real = splitter.split

    def garbled(self, number):
        split = real(self, number)
        changed = {part: made(getattr(split, part)) for part, made in change.items()}
        return dataclasses.replace(split, **changed)

    monkeypatch.setattr(splitter, "split", garbled)


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_garbage_in_the_final_response_changes_no_choice(kind, entry, monkeypatch):
    case = experiment(kind, entry)
    honest = play(case, [0, 1])
    garble(monkeypatch, case, y_final=lambda y: np.full_like(y, 7.0))
    blind = play(case, [0, 1])
    ours = ["setting", "n_selected", "point", "submissions", "accepted", "score_released"]
    for column in ours:
        assert honest[column].equals(blind[column]), column
    kept = honest["setting"] != "fresh_holdout"
    assert honest["score_public"][kept].equals(blind["score_public"][kept])
    # A constant prediction of the final rows has no correlation with any response.
    assert (honest["score_final"] != blind["score_final"]).any() or (
        honest["score_final"] == 0
    ).all()


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_the_public_response_reaches_it_through_the_scores_alone(kind, entry, monkeypatch):
    """On a board that shows nothing the public response cannot matter."""
    if kind.reads == "ranks":
        pytest.skip("no board of ranks shows nothing")
    case = experiment(kind, entry, [{"name": "constant_board"}])
    models = [next(case.plays(0)).game.models]
    garble(monkeypatch, case, y_public=lambda y: y[::-1] if not kind.on_labels else 1 - y)
    models.append(next(case.plays(0)).game.models)
    for part in ("public", "final", "n_selected", "submissions"):
        np.testing.assert_array_equal(*(getattr(m, part) for m in models))


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_the_same_seed_gives_the_same_numbers(kind, entry):
    first, again = (play(experiment(kind, entry), [1]) for _ in range(2))
    assert first.equals(again)


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_what_it_sees_is_not_changed(kind, entry):
    case = experiment(kind, entry)
    split = case.splitter.split(0)
    parts = [*dataclasses.astuple(split.view), split.y_public, split.y_final]
    for part in parts:
        if part is not None:  # no groups
            part.flags.writeable = False
    case.splitter = Frozen(split)
    assert len(play(case, [0]))


class Frozen:
    """Gives the same split, which cannot be written to, for every replicate."""

    def __init__(self, split):
        self._split = split

    def split(self, number):
        return self._split


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_it_plays_on_boards_that_begin_with_a_baseline(kind, entry):
    names = ["rank_board"] if kind.reads == "ranks" else ["full_disclosure", "ladder", "ladderboot"]
    boards = [
        {"name": name, **MECHANISMS.find(name).examples[0], "defences": [{"name": "baseline"}]}
        for name in [*names, *(["general_ladder"] if names != ["rank_board"] else [])]
    ]
    boards = [board for board in boards if fits(board, metric_of(kind))]
    frame = play(experiment(kind, entry, boards), [0, 1])
    assert frame["delta"].notna().all()
    assert set(frame["setting"].str.endswith("+baseline")) == {True}


@pytest.mark.parametrize(("kind", "entry"), EXAMPLES)
def test_its_points_and_submissions_grow(kind, entry):
    models = next(experiment(kind, entry).plays(0)).game.models
    assert (np.diff(models.point) > 0).all()
    assert (np.diff(models.submissions) >= 0).all()
    assert models.public.shape[0] == models.final.shape[0] == len(models.point)


def test_every_attack_has_its_words():
    for name, kind in ATTACKS.classes.items():
        assert kind.label, name
        assert kind.phrase, name
        assert kind.sentence.endswith("."), name
        for key, field in kind.model_fields.items():
            assert field.description, (name, key)


def test_an_attack_of_ones_own_works_by_its_import_path(own):
    entry = {"name": "stairs.Echo", "rounds": 1}
    case = experiment(ATTACKS.find("stairs.Echo"), entry)
    frame = play(case, [0])
    assert frame["attack"].unique().tolist() == ["stairs.Echo"]
    assert frame["submissions"].eq(3).all()
    assert tracing.trace(case, 0)["accepted"].any()

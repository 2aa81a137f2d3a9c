"""The honest model of labels, by hand, and attacks on top of it."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, HOLDS, Scope
from shakedown.attacks.classifier import classified
from shakedown.attacks.models import LeastSquares
from shakedown.attacks.on_labels import HonestFile
from shakedown.data.splits import LabelSplitter
from shakedown.interface import Challenge, InputError, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session

HOLDERS = [
    "boosting", "label_climb", "label_crowds", "label_posterior", "label_saving", "resubmission",
]  # fmt: skip
#: Boards that tell an attack something, if full disclosure does not.
BOARDS = {
    "resubmission": "ladderboot(alpha=0.5,b=100)",
    "label_posterior": "ladder(alpha=0.15)",
    "label_saving": "general_ladder(eta=0.02)+baseline",
    "label_crowds": "digest(eta=0.01,floor=0.05,every=5,updates=30)",
}


def table(n=180, p=6, seed=1, split=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = (X[:, 0] - X[:, 1] + 0.8 * rng.standard_normal(n) > 0.3).astype(float)
    names = np.array([f"x{j}" for j in range(p)])
    return Challenge("labels", np.asfortranarray(X), y, np.arange(n).astype(str), names, split)


def view(n=60, p=5, seed=3):
    rng = np.random.default_rng(seed)
    parts = [rng.standard_normal((n, p)) for _ in range(3)]
    parts = [X - X.mean(axis=0) for X in parts]
    y = (parts[0][:, 2] + 0.5 * rng.standard_normal(n) > 0.2).astype(float)
    return ParticipantData(parts[0], y, parts[1], parts[2])


@pytest.mark.parametrize("size", [1, 3])
def test_it_predicts_the_nearer_label_by_a_regression_on_the_best_features(size):
    seen = view()
    X, y = seen.X_train, seen.y_train

    def predict(X_train, y_train, X):
        correlations = [abs(np.corrcoef(x, y_train)[0, 1] * x.std()) for x in X_train.T]
        best = np.argsort(correlations)[::-1][:size]
        solved = np.linalg.lstsq(X_train[:, best], y_train - y_train.mean(), rcond=None)[0]
        return (X[:, best] @ solved + y_train.mean() > 0.5).astype(float)

    public, final, share = classified(seen, LeastSquares(), size)
    np.testing.assert_array_equal(public, predict(X, y, seen.X_public))
    np.testing.assert_array_equal(final, predict(X, y, seen.X_final))
    right = np.sum(predict(X[::2], y[::2], X[1::2]) == y[1::2])
    assert share == pytest.approx((right + 1) / 32)


def test_its_share_of_right_labels_lies_between_a_coin_and_certainty():
    seen = view()
    coin = np.random.default_rng(0).permutation(seen.y_train)
    for y in (coin, (seen.X_train[:, 0] > 0).astype(float)):
        other = ParticipantData(seen.X_train, y, seen.X_public, seen.X_final)
        assert 0.5 < classified(other, LeastSquares(), 2)[2] < 1.0


def test_a_data_set_without_features_has_no_model():
    bare = ParticipantData(np.empty((9, 0)), np.ones(9), np.empty((9, 0)), np.empty((9, 0)))
    with pytest.raises(InputError, match="`held` needs features"):
        HonestFile(bare, LeastSquares(), 2)


@pytest.mark.parametrize("official", [True, False])
def test_with_features_each_replicate_draws_sets_with_as_many_of_each_label(official):
    names = np.repeat(["train", "public", "final"], [80, 40, 60]) if official else None
    toy = table(split=names)
    without = LabelSplitter(toy, seed=2).split(0)
    splitter = LabelSplitter(toy, seed=2, n_features=4)
    first, again, other = splitter.split(0), splitter.split(0), splitter.split(1)
    for split in (first, other):
        assert split.view.X_public.shape[1] == len(split.features) == 4
        for part in ("y_public", "y_final"):
            assert getattr(split, part).sum() == getattr(without, part).sum()
            assert len(getattr(split, part)) == len(getattr(without, part))
        assert split.view.y_train.sum() == without.view.y_train.sum()
        np.testing.assert_allclose(split.view.X_public.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_array_equal(first.y_public, again.y_public)
    assert (first.y_public != other.y_public).any()
    # Rows keep their features: the model has a signal.
    public, _, _ = classified(first.view, LeastSquares(), 3)
    assert np.mean(public == first.y_public) > 0.6


@pytest.mark.parametrize("name", HOLDERS)
def test_a_holder_begins_with_its_model_and_gains_on_it(name):
    setting = BOARDS.get(name, "full_disclosure")
    given = {"honest": True, "keep": "mirrored"} if name == "boosting" else {}
    splitter, gains = LabelSplitter(table(), seed=2, n_features=6), []
    for seed in range(8):
        split = splitter.split(seed)
        attack = ATTACKS.make(name, submissions=150, points=[150], held=3, **given)
        assert attack.uses_features
        scorer = Scorer(find("zero_one"), split.y_public)
        session = Session(scorer, of_setting(setting), partial(stream, seed))
        game = attack.prepare(split.view, LeastSquares(), stream(seed)).play(session.open)
        public, final, _ = classified(split.view, LeastSquares(), 3)
        np.testing.assert_array_equal(game.honest.public[0], public)
        np.testing.assert_array_equal(game.models.final, [final])
        losses = [(file[0] != split.y_public).mean() for file in (game.models.public, [public])]
        gains.append(losses[1] - losses[0])
    assert np.mean(gains) > 0.03


def test_a_dry_run_plays_them_on_top_of_a_model():
    scope = Scope(features=4, most=100, carried=20, train_rows=60, metric="zero_one", wanted=40)
    for name in HOLDERS:
        attack = ATTACKS.find(name)
        offered = attack.for_dry_run(scope)
        holders = {key for key in offered if key.endswith(HOLDS)}
        assert holders == {f"{name}{HOLDS}"}
        for key, entry in offered.items():
            assert entry.get("held", 0) == (4 if key in holders else 0)
            assert attack.threat_of(key) == ("holder" if key in holders else "null_adversary")
    few = Scope(features=4, most=100, carried=0, train_rows=1, metric="zero_one", wanted=40)
    assert not any(key.endswith(HOLDS) for key in ATTACKS.find("boosting").for_dry_run(few))


def test_a_model_needs_an_honest_file():
    with pytest.raises(InputError, match="Write honest: true"):
        ATTACKS.make("boosting", submissions=5, held=2)

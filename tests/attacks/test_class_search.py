"""Attacks on metrics that take the nearest class for a prediction."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.classes import class_gap, predicted_classes
from shakedown.attacks.random_search import packed
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.metrics.classes import nearest
from shakedown.seeding import stream
from shakedown.simulation.playable import playable
from shakedown.simulation.session import Session

BALANCED = "balanced_accuracy"


def of_classes(seed, n=209, shares=(0.5, 0.5)):
    """A standardised response of classes 0, 1, ... with about these shares."""
    x = np.repeat(np.arange(len(shares)), np.round(np.array(shares) * n).astype(int))
    x = np.random.default_rng(seed).permutation(np.resize(x, n)) * 1.0
    return (x - x.mean()) / x.std(ddof=1)


def played(name, metric, setting, submissions, seed, shares=(0.5, 0.5), n=209, points=None):
    """The files that it ends with, and the response."""
    y, train = of_classes(seed, n, shares), of_classes(seed + 99, 300, shares)
    view = ParticipantData(np.empty((300, 0)), train, np.empty((n, 0)), np.empty((7, 0)))
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    session = Session(scorer, of_setting(setting), partial(stream, seed))
    attack = ATTACKS.make(name, submissions=submissions, points=points or [submissions])
    game = attack.prepare(view, None, stream(seed, "attack")).play(session.open)
    return game.models, y


def gain(metric, *given, **more):
    """Median over five plays of the gain of the last file on a constant."""
    metric, gains = find(metric), []
    for seed in range(5):
        models, y = played(given[0], metric.name, *given[1:], seed, **more)
        ends = np.concatenate([models.public[-1:], np.zeros((1, len(y)))])
        after, before = np.nan_to_num(metric.score(y, ends))
        gains.append(metric.sign * (before - after))
    return np.median(gains)


def literal_search(y, score, train, order, signs):
    """Class search in plain Python, with labels 0 and 1; larger scores are better."""
    n = len(y)
    sizes = sorted({1, *(int(np.ceil(n / 2**j)) for j in range(1, int(np.log2(n)) + 1))})[::-1]
    low, high = sorted(set(train))
    best, level, place, tried = np.zeros(n), None, 0, 0
    worth, ends = [np.inf] * len(sizes), []
    for _ in signs:
        if level is None:
            level = score(best)
            ends.append(best)
            continue
        turn, at = divmod(tried, 6)
        index = int(np.argmax(worth))
        if at == 5 or not worth[index]:
            index = turn % len(sizes)
        tried += 1
        file = best.copy()
        for i in range(sizes[index]):
            row = order[(place + i) % n]
            file[row] = high if best[row] <= (low + high) / 2 else low
        place += sizes[index]
        found = max(score(file) - level, 0.0)
        if found > 0:
            best, level = file, level + found
        worth[index] = found if np.isinf(worth[index]) else 0.9 * worth[index] + 0.1 * found
        ends.append(best)
    return ends


def test_it_ends_with_the_literal_one():
    n, k, seed = 30, 60, 2
    models, y = played("class_search", BALANCED, "full_disclosure", k, seed, n=n,
                       points=[*range(1, k + 1)])  # fmt: skip
    train = of_classes(seed + 99, 300)
    rng = stream(seed, "attack")
    view = ParticipantData(np.empty((300, 0)), train, np.empty((n, 0)), np.empty((7, 0)))
    prepared = ATTACKS.make("class_search", submissions=k, points=[k]).prepare(view, None, rng)
    positive = y > 0

    def score(file):
        up = file > 0.5 * (y.min() + y.max())
        return 0.5 * (np.mean(up[positive]) + np.mean(~up[~positive]))

    expected = literal_search(y, score, train, prepared._order, prepared.signs(0, k))
    np.testing.assert_allclose(models.public, expected, atol=1e-9)
    assert models.n_selected[-1] > 5


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.2), (0.95, 0.05), (0.25,) * 4])
@pytest.mark.parametrize("metric", [BALANCED, "macro_f1", "mcc", "kappa"])
def test_it_gets_further_than_random_steps(metric, shares):
    """And random steps change classes also where the middle of two is far from the mean."""
    given = {"shares": shares}
    search = gain(metric, "class_search", "full_disclosure", 150, **given)
    steps = gain(metric, "random_search", "full_disclosure", 150, **given)
    assert search > max(1.2 * steps, 0.12)
    assert steps > 0.05 or (metric, shares) == ("macro_f1", (0.95, 0.05))


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.2), (0.95, 0.05)])
def test_finite_differences_change_classes(shares):
    """They changed none where a class has a fifth of the rows: .28, .37 and .43."""
    assert gain(BALANCED, "finite_differences", "full_disclosure", 150, shares=shares) > 0.2


@pytest.mark.parametrize("setting", [
    "general_ladder(eta=0.01)+baseline", "digest(eta=0.01,floor=0.9,every=2,updates=75)",
])  # fmt: skip
def test_it_plays_other_boards(setting):
    assert gain(BALANCED, "class_search", setting, 150) > 0.07


@pytest.mark.parametrize("setting", [
    "gaussian_noise(sd=0.02)", "shaky_ladder(eta=0.05,scale=0.01)",
    "thresholdout(threshold=0.1,sigma=0.02,budget=50)",
])  # fmt: skip
def test_noisy_scores_are_averaged(setting):
    """With 71 rows and 500 files: .19, .16 and .14."""
    assert gain(BALANCED, "class_search", setting, 500, n=71, shares=(0.7, 0.3)) > 0.09


def test_steps_are_kept_in_little_memory():
    rng = np.random.default_rng(1)
    for step in (rng.choice([-0.5, 0.5], 99), rng.integers(-2, 3, 99) * 0.7, np.zeros(99)):
        small = packed(step)
        np.testing.assert_array_equal(small.unpacked(99), step)
        assert small.codes.nbytes <= 2 * 99


def test_a_response_without_classes_is_left_alone():
    """As that of a training set in which all rows are of one class."""
    models, _ = played("class_search", BALANCED, "full_disclosure", 20, 1, shares=(0.5, 0.5))
    assert models.public.any()
    y, train = of_classes(1), np.zeros(30)
    view = ParticipantData(np.empty((30, 0)), train, np.empty((209, 0)), np.empty((7, 0)))
    session = Session(Scorer(find(BALANCED), y), of_setting("full_disclosure"), partial(stream, 1))
    attack = ATTACKS.make("class_search", submissions=20, points=[20])
    game = attack.prepare(view, None, stream(1, "attack")).play(session.open)
    assert not game.models.public.any()


def test_steps_lead_from_a_class_to_the_next():
    balanced, y = find(BALANCED), of_classes(1, 200, (0.7, 0.2, 0.1))
    classes = predicted_classes(balanced, y)
    step = class_gap(balanced, y)
    for k, value in enumerate(classes[:-1]):
        assert nearest(classes, value + step) == k + 1
    assert class_gap(balanced, of_classes(1)) == pytest.approx(1.1, abs=0.01)
    for metric in ("mse", "auroc"):
        assert class_gap(find(metric), y) == 1.0
        assert not len(predicted_classes(find(metric), y))
    assert not len(predicted_classes(balanced, np.random.default_rng(1).standard_normal(50)))


def test_it_reads_metrics_of_predicted_classes_alone():
    kind = ATTACKS.find("class_search")
    for metric, is_read in ((BALANCED, True), ("kappa", True), ("auroc", False), ("mse", False)):
        assert kind.reads_metric(find(metric)) == is_read
        scope = Scope(5, 1000, 5, 30, metric=metric, wanted=100)
        assert bool(kind.for_dry_run(scope)) == is_read
    settings = {
        "metric": "mse", "mechanisms": [{"name": "full_disclosure"}],
        "attack": {"name": "class_search", "submissions": 9, "points": [3]},
    }  # fmt: skip
    with pytest.raises(InputError, match="reads scores of the metrics .*kappa.*; got 'mse'"):
        playable(settings, ["splits"])

"""The label climb: the number of flips by summation, the climb against a literal one, its reach."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.attacks import label_climb
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.label_climb import LabelClimb, best_flips
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance
from tests.reference import label_attacks as literal

N = 101


def view(y_train=(0.0, 0.0, 1.0), n=N):
    y = np.array(y_train)
    return ParticipantData(np.empty((len(y), 0)), y, np.empty((n, 0)), np.empty((40, 0)))


def session(setting, seed, ones=48):
    y = np.random.default_rng(seed).permutation(np.arange(N) < ones).astype(float)
    return y, Session(Scorer(find("zero_one"), y), of_setting(setting), partial(stream, seed))


def played(setting, seed, **options):
    y, board = session(setting, seed)
    game = LabelClimb(**options).prepare(view(), None, stream(seed, "attack")).play(board.open)
    return y, board, game


@pytest.mark.parametrize(
    "rule", [None, Acceptance(0.0, 1.0), Acceptance(0.0, 2.3), Acceptance(0.05, 0.0)]
)
@pytest.mark.parametrize("shown", [0.48, 0.3, 0.1])
@pytest.mark.parametrize("step", [0.0, 0.02])
def test_the_number_of_flips_promises_the_largest_gain(rule, shown, step):
    """By summation over all numbers of labels that become right, for every number of flips."""
    margin, critical = (0.0, 0.0) if rule is None else (rule.margin, rule.critical)
    gains = []
    for m in range(1, N // 2 + 1):
        right = np.arange(m + 1)
        gain = 2 * right - m
        passes = (gain >= max(1, N * max(margin, step) - 1e-9)) & (
            gain > critical * np.sqrt(m) + 1e-9
        )
        gains.append(
            float(
                np.sum(
                    np.where(passes, gain * stats.hypergeom.pmf(right, N, round(shown * N), m), 0.0)
                )
            )
        )
    chosen = best_flips(shown, rule, step, N)
    assert gains[chosen - 1] > 0.85 * max(gains)  # it tries some of the numbers


@pytest.mark.parametrize(
    "setting", ["full_disclosure", "ladder(alpha=0.3)", "general_ladder(eta=0.02)"]
)
def test_it_keeps_what_is_shown_as_better(setting):
    """Without batches: one file after another, with flips from the same stream."""
    y, _, game = played(setting, 3, submissions=9, points=[1, 5])
    other = session(setting, 3)[1].open()
    seed = int(stream(3, "attack").integers(2**63))
    rng = np.random.Generator(np.random.SFC64(seed))
    best, expected = np.zeros(N), []
    lowest = other.submit(best[None]).released[0]
    for start, stop in ((1, 1), (1, 5), (5, 9)):
        size = best_flips(lowest, other.terms.acceptance, other.terms.step, N)
        for flips in [rng.choice(N, size, replace=False) for _ in range(start, stop)]:
            file = best.copy()
            file[flips] = 1.0 - file[flips]
            if (shown := other.submit(file[None]).released[0]) < lowest:
                best, lowest = file, shown
        expected.append(best)
    np.testing.assert_array_equal(game.models.public, expected)
    assert game.models.submissions.tolist() == [1, 5, 9]


def test_it_begins_with_the_honest_file_and_ends_with_it_on_a_board_that_shows_nothing():
    for y_train, label in (((0.0, 0.0, 1.0), 0.0), ((1.0, 1.0, 0.0), 1.0)):
        _, board = session("constant_board", 1)
        prepared = LabelClimb(submissions=30).prepare(view(y_train), None, stream(1))
        game = prepared.play(board.open)
        assert (game.models.public == label).all()
        assert (game.models.final == label).all()
        np.testing.assert_array_equal(game.honest.public[0], game.models.public[0])


@pytest.mark.parametrize(
    ("setting", "least"),
    [
        ("full_disclosure", 0.3),
        ("ladder(alpha=0.15)+baseline", 0.2),
        ("ladderboot(alpha=0.15,b=100)+baseline", 0.05),
        ("ladderboot(alpha=0.15,b=10)+baseline", 0.03),
    ],
)
def test_how_far_it_gets(setting, least):
    """Mean gain of 20 plays of 200 files; noise does not protect.

    Standard errors are at most .015; the means are .39, .32, .13 and .08.
    """
    gains = []
    for seed in range(20):
        y, _, game = played(setting, seed, submissions=200, points=[200])
        gains.append(48 / N - np.mean(game.models.public[-1] != y))
    assert np.mean(gains) > least
    assert np.std(gains) / np.sqrt(20) < 0.03


@pytest.mark.parametrize("ones", [43, 48])
@pytest.mark.parametrize("every", [1, 4])
def test_on_a_digest_it_changes_its_file_once_for_each_update(every, ones):
    """Without batches, and with points that lie between updates."""
    setting = f"digest(eta=0.03,floor=0.1,every={every},updates=12)"
    game = LabelClimb(submissions=60, points=[*range(1, 61)])
    _, board = session(setting, 4, ones)
    game = game.prepare(view(), None, stream(4, "attack")).play(board.open)
    other = session(setting, 4, ones)[1].open()
    rng = np.random.Generator(np.random.SFC64(int(stream(4, "attack").integers(2**63))))
    expected = literal.climb_between_updates(
        np.zeros(N), lambda file: other.submit(file[None]).released[0], rng, 60, every=every,
        updates=12, start=other.terms.start, step=0.03, size=partial(best_flips, rule=None, n=N),
    )  # fmt: skip
    np.testing.assert_array_equal(game.models.public, expected)
    assert game.models.n_selected[-1] > 0


@pytest.mark.parametrize(("digest", "least"), [
    ("eta=0.02,floor=0.2,every=4,updates=50", 0.12),
    ("eta=0.05,floor=0.2,every=20,updates=10", 0.02),
])  # fmt: skip
def test_how_far_it_gets_on_a_digest(digest, least):
    """Mean gain of 20 plays of 200 files; the means are .16 and .06."""
    gains = []
    for seed in range(20):
        y, _, game = played(f"digest({digest})", seed, submissions=200, points=[200])
        gains.append(48 / N - np.mean(game.models.public[-1] != y))
    assert np.mean(gains) > least


def test_points_lie_within_its_submissions():
    with pytest.raises(InputError, match="from 1 to 5, got"):
        ATTACKS.make("label_climb", submissions=5, points=[9])


def test_on_a_noisy_board_a_gain_must_stand_out_of_the_noise(monkeypatch):
    """The mean of b resampled losses varies as that of n b labels that are wrong at this rate."""
    asked = []

    def asking(level, rule, step, n, least):
        asked.append((level, least))
        return best_flips(level, rule, step, n, least)

    monkeypatch.setattr(label_climb, "best_flips", asking)
    played("ladderboot(alpha=0.15,b=10)", 2, submissions=30)
    assert asked
    for level, least in asked:
        sd = np.sqrt(level * (1 - level) / (N * 10))
        assert least == pytest.approx(label_climb.PLAIN * N * sd)

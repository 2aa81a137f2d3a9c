"""The honest hill-climber: literal cases, and what boards of known kinds leave it."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from shakedown.dryrun.usefulness import climbers, teams
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream

#: Chance that a comparison of two boards fails by luck.
FALSE_ALARM = 1e-6
ENTRIES = [
    "full_disclosure",
    "ladder(alpha=0.15)+baseline",
    "general_ladder(eta=0.1)+baseline",
    "digest(eta=0.05,floor=0.5,every=10,updates=10)",
    "constant_board",
]


def truth(metric="mse"):
    y = np.random.default_rng(0).standard_normal(500)
    return teams.truth(find(metric), y, rng=np.random.default_rng(1))


def climbed(seed, some=ENTRIES, metric="mse", allowed=100, rows=209):
    y = np.random.default_rng(seed).standard_normal(rows)
    return climbers.climbed(
        find(metric), [of_setting(setting) for setting in some], y, truth(metric), 0.5,
        teams.Participation(allowed, 0.8), rng_factory=partial(stream, 7, seed),
    )  # fmt: skip


def test_a_board_that_says_less_leaves_less():
    statistics = np.array([climbed(play) for play in range(30)])  # (plays, boards, statistics)
    gains = statistics[..., 0]

    def low(values):
        return values.mean() - stats.t.isf(FALSE_ALARM, 29) * stats.sem(values)

    assert low(gains[:, 0]) > 0
    assert low(gains[:, 0] - gains[:, 1]) > 0
    assert low(gains[:, 1] - gains[:, 2]) > 0
    assert low(gains[:, 1] - gains[:, 3]) > 0
    assert low(gains[:, 3]) < 0  # a digest leaves nothing
    assert (gains[:, 4] == 0).all()
    np.testing.assert_allclose(statistics[..., 1], gains[:, :1] - gains)


def test_more_rows_help():
    few = [climbed(play, ENTRIES[:1], rows=60)[0][0] for play in range(20)]
    many = [climbed(play, ENTRIES[:1], rows=3000)[0][0] for play in range(20)]
    assert stats.ttest_ind(few, many, alternative="less").pvalue < 1e-4


def test_a_climber_by_hand():
    """Of three changes the board shows the first and the third as better."""
    y = np.random.default_rng(0).standard_normal(5000)
    errors = np.random.default_rng(1).standard_normal((4, 5000))
    board = Board(Scorer(find("mse"), y), mechanism("full_disclosure"), partial(stream, 1))
    changes = np.array([0.1, -0.2, 0.3])
    r = climbers.climb(board, y, 0.5, changes, errors, 0.8)
    assert r == pytest.approx(np.sqrt(0.25 + 0.1 + 0.3))
    assert board.counts.submissions == 4


def test_nobody_explains_more_than_everything():
    y = np.random.default_rng(0).standard_normal(500)
    errors = np.zeros((9, 500))
    board = Board(Scorer(find("mse"), y), mechanism("full_disclosure"), partial(stream, 1))
    r = climbers.climb(board, y, 0.5, np.full(8, 0.3), errors, 0.0)
    assert r == pytest.approx(np.sqrt(teams.MOST))


@pytest.mark.parametrize("metric", ["rmse", "mae", "pearson", "spearman", "ccc"])
def test_a_climber_gains_under_every_metric(metric):
    gains = [climbed(play, ["full_disclosure"], metric)[0][0] for play in range(12)]
    assert stats.ttest_1samp(gains, 0, alternative="greater").pvalue < 1e-2
    assert climbed(0, ["full_disclosure"], metric)[0][1] == 0


def test_one_submission_gains_nothing():
    assert climbed(0, allowed=1) == [(0.0, 0.0)] * len(ENTRIES)

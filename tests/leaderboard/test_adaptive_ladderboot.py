"""A b that falls with the number of submissions, and what boards say of that number."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pytest

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.gates import Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.releases import Bootstrap, FallingBootstrap, Release
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.team_boards import RankBoards, TeamBoards
from shakedown.metrics import find
from shakedown.seeding import stream
from tests.reference import mechanisms as literal

RNG = partial(stream, 5)


@dataclass(frozen=True)
class Number(Release):
    """Shows how many submissions the board has judged before."""

    name = "number"

    def show(self, batch, best, standing, metric, y, rng):
        return np.broadcast_to(np.asarray(batch.before, float), len(standing))


class Counter(Mechanism):
    name = "counter"
    label = "Counter"

    @cached_property
    def gate(self) -> Gate:
        return Margin(0.1, 0.1)

    @cached_property
    def release(self) -> Release:
        return Number()


def submissions(m=12, n=20):
    rng = np.random.default_rng(2)
    y = rng.standard_normal(n)
    return y + rng.standard_normal((m, n)), y


def test_a_board_counts_its_submissions():
    predictions, y = submissions()
    scorer = Scorer(find("mse"), y, predictions[:5])
    board = Board(scorer, Counter(), RNG)
    assert board.submit_opening().released.tolist() == [0, 1, 2, 3, 4]
    after_opening = board.state
    assert board.submit(predictions[5:7]).released.tolist() == [5, 6]
    worse = 100 + predictions[7:]  # refused, and counted all the same
    assert board.submit(worse).released.tolist() == [7, 8, 9, 10, 11]
    assert board.preview(board.scorer.judge(predictions[:3])).tolist() == [12, 12, 12]
    assert board.preview(board.scorer.judge(predictions[:3]), after_opening).tolist() == [5, 5, 5]
    assert board.submit(predictions[:1]).released.tolist() == [12]
    # Another account starts again, though the participant's counters go on.
    other = Board(scorer, Counter(), RNG, 2, board.counts)
    assert other.submit(predictions[:2]).released.tolist() == [0, 1]
    each = Board(scorer, Counter(), RNG, 3).submit_each(predictions)
    assert each.released.tolist() == [0] * 12


@pytest.mark.parametrize("name", ["ladder", "adaptive_ladderboot"])
def test_a_climb_counts_too(name):
    """With the shortcut and without it."""
    settings = {"ladder": {}, "adaptive_ladderboot": {"b": 4, "halving": 2}}[name]
    y = (np.random.default_rng(4).random(30) < 0.5).astype(float)
    board = Board(Scorer(find("zero_one"), y), mechanism(name, alpha=0.15, **settings), RNG)
    labels = np.zeros(30)
    board.submit(labels[None])
    board.climb(labels, np.arange(20)[:, None], board.shown)
    assert board.state.judged == board.counts.submissions == 21


@pytest.mark.parametrize("boards", [TeamBoards, RankBoards])
def test_teams_are_counted_apart(boards):
    predictions, y = submissions(m=7)
    teams = np.array(["a", "b", "a", "a", "c", "b", "a"])
    history = boards(find("mse"), y, predictions, teams, RNG).play(Counter())
    assert history.released.tolist() == [0, 0, 1, 2, 0, 1, 3]


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_each_submission_is_shown_the_score_of_its_b(metric):
    """Draw by draw that of `Bootstrap`, with the b of the literal board."""
    predictions, y = submissions()
    rows, risks = find(metric).judge(y, predictions)
    best, standing = BoardState(rows[0], float(risks[0])), np.zeros(40, int)
    twin = literal.AdaptiveLadderBoot(y, "mse", 0.15, 11, 3, rng=np.random.default_rng(1))
    for before in range(20):
        twin.submit(predictions[0])
        batch = ScoredSubmissions(rows, risks, before)
        shown = [
            release.show(batch, best, standing, find(metric), y, np.random.default_rng(6))
            for release in (FallingBootstrap(11, 3), Bootstrap(twin.b))
        ]
        np.testing.assert_array_equal(*shown)
    assert twin.b == 1


def test_noise_grows_within_a_batch_in_the_order_of_the_submissions():
    n = 30
    losses = np.random.default_rng(8).exponential(size=n)
    before = np.tile([4000, 0, 2], 4000)  # b is 1, 64 and 32
    batch = ScoredSubmissions(losses[None], losses.mean(keepdims=True), before)
    args = find("mse"), np.zeros(n), np.random.default_rng(9)
    shown = FallingBootstrap(64, 2).show(
        batch, BoardState(losses, np.inf), np.zeros(len(before), int), *args
    )
    variances = shown.reshape(-1, 3).var(axis=0) * n / losses.var()
    # A sample variance of 4000 about normal values has a relative error of .022; 6 of these.
    np.testing.assert_allclose(variances, [1, 1 / 64, 1 / 32], rtol=6 * 0.025)

"""What the answers of a board follow from: true of every board that says it."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.evidence import evidence
from shakedown.leaderboard.gates import Always, Margin
from shakedown.leaderboard.mechanism import MECHANISMS, Mechanism, of_setting
from shakedown.leaderboard.releases import Exact
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream

EVERY = [kind(**example) for kind in MECHANISMS.classes.values() for example in kind.examples]


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ("full_disclosure", (True, False, None)),
        ("kaggle(eta=0.1)+value_range", (True, False, None)),
        ("general_ladder(eta=0.1)+baseline", (True, False, None)),
        ("ladder(alpha=0.15)", (True, True, None)),
        ("bayesboot_ladder(posterior_odds=9)", (True, True, None)),
        ("ladderboot(alpha=0.15,b=10)", (False, True, None)),
        ("gaussian_noise(sd=0.05)", (True, False, 0.05)),
        ("gaussian_noise(sd=0.05)+sticky", (True, False, 0.05)),
        # The file in force is shown again, with new noise.
        ("gaussian_noise(sd=0.05)+cap(improvements=3)", (True, True, None)),
        # Clipped losses are not linear in the response.
        ("gaussian_noise(sd=0.05)+clip", (False, False, None)),
    ],
)
def test_what_a_board_says(board, says):
    assert tuple(evidence(of_setting(board))) == says


def mirrored(m=30, n=60, seed=4):
    """Files, and two responses with which they, and a constant, have the same exact scores."""
    rng = np.random.default_rng(seed)
    y, errors = rng.standard_normal((2, n))
    y = (y - y.mean()) / y.std(ddof=1)
    sizes = np.linspace(1.5, 0.5, m)[:, None]
    files = y + sizes * (errors + rng.standard_normal((m, n)))
    # What none of them measures changes its sign.
    basis, _ = np.linalg.qr(np.vstack([files, np.ones(n)]).T)
    return files, y, 2.0 * basis @ (basis.T @ y) - y


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda mechanism: mechanism.id)
def test_equal_scores_get_equal_answers(mechanism):
    """A board whose answers follow from scores cannot tell two responses with the same scores."""
    files, y, other = mirrored()
    assert not np.allclose(y, other)
    boards = [
        Board(Scorer(find("mse"), response), mechanism, partial(stream, 7))
        for response in (y, other)
    ]
    receipts = [board.submit(files) for board in boards]
    accepted = [receipt.accepted for receipt in receipts]
    follows = evidence(mechanism)
    if not follows.by_acceptance:
        np.testing.assert_array_equal(*accepted)
    if follows.by_scores and np.array_equal(*accepted):
        np.testing.assert_allclose(*(receipt.released for receipt in receipts), rtol=1e-9)


def test_a_part_that_does_something_else_says_nothing():
    @dataclass(frozen=True)
    class Odd(Margin):
        def decide(self, batch, best, metric, y, *, chain, rng):
            return np.where(batch.rows[:, 0] < 1.0, np.arange(len(batch.risks)), -1)

    @dataclass(frozen=True)
    class Other(Exact):
        def show(self, batch, best, standing, metric, y, rng):
            return batch.rows[:, 0]

    class Mine(Mechanism):
        name, label, sentence = "tests.Mine", "Mine", "Looks at one row."

        @property
        def gate(self):
            return Odd(0.0, 0.0)

        @property
        def release(self):
            return Exact()

    class Yours(Mechanism):
        name, label, sentence = "tests.Yours", "Yours", "Shows one row."

        @property
        def gate(self):
            return Always()

        @property
        def release(self):
            return Other()

    assert evidence(Mine()) == (True, True, None)
    assert evidence(Yours()) == (False, False, None)

"""Adversaries on rows that belong together: they send one number for each group."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.data.splits import Splitter
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
from tests.data.test_grouped import challenge

PLAYS, FILES = 12, 200


def final_files(attack, board, *, aware=True, groups=60, rows=8, **parameters):
    """The file that the attack ends with in each replicate, and the public response."""
    for k in range(PLAYS):
        split = Splitter(challenge(groups, rows, seed=k), "permuted", seed=1).split(k)
        view = split.view if aware else replace(split.view, groups=None)
        session = Session(Scorer(find("mse"), split.y_public), of_setting(board), Streams(k))
        played = ATTACKS.make(attack, submissions=FILES, points=[FILES], **parameters)
        game = played.prepare(view, LeastSquares(), stream(k, "attack")).play(session.open)
        y = split.y_public
        yield game, (y - y.mean()) / y.std(ddof=1), view


class LeastSquares:
    """A model of the first features; it tells nothing here."""

    sends_classes = False

    def of(self, view, features):
        return np.zeros(len(view.X_public)), np.zeros(len(view.X_final))


def gains(*args, **given):
    return [
        np.mean(y**2) - np.mean((game.models.public[-1] - y) ** 2)
        for game, y, _ in final_files(*args, **given)
    ]


BOARDS = [
    ("scan", "ladderboot(alpha=0.15,b=10)+baseline"),
    ("level_saving", "general_ladder(eta=0.1)+baseline"),
    ("between_updates", "digest(eta=0.1,floor=0.5,every=20,updates=10)"),
]


@pytest.mark.parametrize(("attack", "board"), BOARDS)
def test_whoever_knows_the_groups_gets_as_far_as_with_as_many_rows(attack, board):
    """160 rows of 20 groups, correlation .9, for 160 and 20 independent rows; 12 plays each.

    Means: .71, .76 and .17 with the groups, .04, .00 and .00 without them.
    """
    aware, blind = (np.mean(gains(attack, board, aware=known)) for known in (True, False))
    alone = np.mean(gains(attack, board, groups=60, rows=1))
    assert aware > blind + 0.1
    assert aware == pytest.approx(alone, rel=0.5)


def test_files_have_one_number_for_each_group():
    for game, _, view in final_files("reserve", "general_ladder(eta=0.05)+baseline", honest=2):
        _, public, final = view.groups
        for file, codes in ((game.models.public[-1], public), (game.models.final[-1], final)):
            for g in range(codes.max() + 1):
                assert np.ptp(file[codes == g]) == 0.0

"""One board for all accounts of a participant."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.theory.leakage import board_nats
from tests.attacks.test_contract import experiment
from tests.leaderboard.test_defences import EVERY
from tests.leaderboard.test_gates import game

RNG = partial(stream, 7)


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_accounts_on_one_board_see_what_one_account_sees(entry):
    if entry["name"] == "rank_board":
        pytest.skip("shows ranks")
    predictions, y = game(3, "mse")
    (shared,) = mechanisms([{**entry, "defences": [{"name": "one_board"}]}])
    scorer = Scorer(find("mse"), y)
    session = Session(scorer, shared, RNG)
    parts = [session.open().submit(part) for part in np.split(predictions, 8)]
    assert len(session.boards) == 1
    alone = Board(scorer, shared, RNG)
    for part, (released, accepted) in zip(np.split(predictions, 8), parts, strict=True):
        expected = alone.submit(part)
        np.testing.assert_array_equal(released, expected.released)
        np.testing.assert_array_equal(accepted, expected.accepted)
    assert session.counts == alone.counts


def test_new_accounts_are_no_way_around_it():
    predictions, y = game(3, "mse")
    scorer = Scorer(find("mse"), y, predictions)
    ladder = of_setting("ladder(alpha=0.15)+one_board")
    session = Session(scorer, ladder, RNG)
    each = session.open().submit_each(predictions)
    np.testing.assert_array_equal(each, Board(scorer, ladder, RNG).submit(predictions))
    # The opening of a second account meets the best of the first.
    again = session.open().submit_opening()
    assert again.released.max() <= each.released[-1]
    assert not again.accepted.any()


@pytest.mark.parametrize("name", ["step_forward", "freedman", "reserve", "boosting"])
def test_attacks_with_new_accounts_play_on_one_board(name):
    more = {"boosting": {"submissions": 5, "keep": "mirrored", "accounts": "many"}}
    kind = ATTACKS.classes[name]
    entry = {"name": name, **more.get(name, kind.examples[0])}
    boards = [{"name": "ladder", "alpha": 0.15, "defences": [{"name": "one_board"}]}]
    for play in experiment(kind, entry, boards).plays(1):
        assert len(play.session.boards) == 1
        assert play.session.counts.submissions == play.game.models.submissions[-1]


def test_accounts_on_one_board_do_not_multiply_what_it_reveals():
    digest = of_setting("digest(eta=0.1,floor=0.5,every=100,updates=10)")
    shared = of_setting(f"{digest.setting}+one_board")
    nats = {
        (board.setting, accounts): board_nats(
            board.disclosure(209), submissions=None, start=1.0, floor_=0.0, accounts=accounts
        )
        for board in (digest, shared)
        for accounts in (1, 10)
    }
    single = nats[digest.setting, 1]
    assert nats[shared.setting, 1] == nats[shared.setting, 10] == single
    assert nats[digest.setting, 10] == pytest.approx(10 * single)

"""A running board: what it releases, keeps and refuses."""

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from tests.fits import RUNNING

ROWS, PUBLIC = 40, 24


def truth(seed=0):
    values = np.random.default_rng(seed).normal(size=ROWS)
    return Truth.of([f"r{k}" for k in range(ROWS)], values, np.arange(ROWS) < PUBLIC)


def submissions(number=12, seed=1):
    rng = np.random.default_rng(seed)
    return 0.3 * truth().values + np.cumsum(rng.normal(0, 0.05, (number, ROWS)), axis=0)


def board(path, setting="ladderboot(alpha=0.15,b=10)", metric="mse", **rules):
    made = Rules.of(setting, metric, **({"seed": 3} | rules))
    return LiveBoard.create(f"sqlite:///{path}/board.db", made, truth())[0]


@pytest.mark.parametrize("name", RUNNING)
@pytest.mark.parametrize("defence", ["", "+baseline", "+distinct"])
def test_a_board_opened_anew_each_time_goes_on_as_one_that_stays_open(name, defence, tmp_path):
    setting = of_setting(MECHANISMS.classes[name](**MECHANISMS.classes[name].examples[0]).id)
    files = submissions()
    files[5] = files[4]
    answers = []
    for part in ("one", "many"):
        (tmp_path / part).mkdir()
        live = board(tmp_path / part, setting.id + defence, by_count=True)
        url = f"sqlite:///{tmp_path}/{part}/board.db"
        answers.append([])
        for k, file in enumerate(files):
            live = LiveBoard.open(url) if part == "many" else live
            answers[-1].append(live.submit("a", file, f"k{k}").score)
        assert live.audit() == []
    assert answers[0] == answers[1]


def test_a_key_is_scored_once(tmp_path):
    live = board(tmp_path)
    first = live.submit("a", submissions()[0], "one")
    live.submit("a", submissions()[1], "two")
    assert live.submit("a", submissions()[0], "one") == first
    with pytest.raises(Refused, match="scored with other predictions"):
        live.submit("a", submissions()[2], "one")
    assert live.submit("a", submissions()[2]).number == 3


def test_unknown_boards_are_named(tmp_path):
    board(tmp_path)
    with pytest.raises(InputError, match="wanted one of board; got 'bord'. Did you mean 'board'"):
        LiveBoard.open(f"sqlite:///{tmp_path}/board.db", "bord")


def test_no_team_can_take_a_key_of_another(tmp_path):
    live, files = board(tmp_path), submissions(2)
    live.submit("eve", files[0], "synapse-1")
    assert live.submit("ada", files[1], "synapse-1").number == 1
    assert live.audit() == []

"""The state of a board and of a team, as the organiser's terminal shows them."""

import pytest

from shakedown.interface import InputError
from shakedown.live.showing import _aligned, of_board, of_team, text_of_board, text_of_team
from tests.live.test_live_board import board, submissions


@pytest.fixture
def live(tmp_path):
    """Two files of team a and one of a team with a longer name; another has sent none."""
    live = board(tmp_path, "full_disclosure", per_team=20)
    files = submissions(3)
    live.submit("a", files[0], "first")
    live.submit("another", files[1], "other")
    live.submit("a", files[2], "second")
    live.register("silent")
    return live


def test_a_board_has_its_teams_and_their_numbers_of_submissions(live):
    view = of_board(live)
    made = {standing["team"]: standing["submissions"] for standing in view["teams"]}
    assert made == {"a": 2, "another": 1, "silent": 0}
    assert view["submissions"] == 3
    lines = text_of_board(view).splitlines()[-4:]
    assert lines[0].split() == ["place", "score", "submissions", "team"]
    assert sorted(line.split()[-2:] for line in lines[1:]) == [
        ["0", "silent"], ["1", "another"], ["2", "a"],
    ]  # fmt: skip


def test_numbers_stand_under_each_other_and_names_begin_in_one_place():
    rows = [("place", "team"), ("1", "another"), ("10", "a")]
    assert _aligned(rows) == ["place  team", "    1  another", "   10  a"]


def test_a_team_has_its_own_submissions_in_their_order(live):
    view = of_team(live, "a")
    assert [answer["submission"] for answer in view["submissions"]] == ["first", "second"]
    assert view["score"] == view["submissions"][-1]["score"]
    lines = text_of_team(view).splitlines()
    assert lines[0] == f"Team 'a' sees {view['score']}."
    assert [line.split()[-1] for line in lines[2:]] == ["submission", "first", "second"]
    assert [answer["submission"] for answer in of_team(live, "another")["submissions"]] == ["other"]
    assert of_team(live, "silent")["submissions"] == []
    assert "No submission yet." in text_of_team(of_team(live, "silent"))


def test_a_team_that_is_not_there_is_told(live):
    with pytest.raises(InputError, match=r"There is no team 'silend'.*silent"):
        of_team(live, "silend")

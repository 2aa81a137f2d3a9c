"""An attack of one's own whose points vary is refused before a replicate is played."""

import shutil
from pathlib import Path

import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.simulation.rehearsal import BOARDS, Points, rehearse
from shakedown.simulation.replicate import play
from tests.attacks import test_contract as contract
from tests.dryrun.test_playing import job
from tests.simulation.test_replicate import experiment

CURE = "Give `FinalModels` a row for each point: where the attack ends early, repeat its last model"


@pytest.fixture(autouse=True)
def early(tmp_path, monkeypatch):
    """The module `early` beside a configuration."""
    shutil.copy(Path(__file__).parents[1] / "own" / "early.py", tmp_path)
    monkeypatch.chdir(tmp_path)


def own(name, **more):
    return experiment({"name": f"early.{name}"}, [{"name": "full_disclosure"}], **more)


def test_a_study_refuses_an_attack_that_ends_where_a_file_is_not_accepted():
    told = []
    with pytest.raises(
        InputError,
        match=r"attack 'early.Hasty' \(experiment 'e'\): wanted the same points in every replicate "
        r"and on every board; got 1 to 4 in replicate 0 on a board that accepts every file, and 1 "
        rf"in replicate 0 on a board that accepts no file\. {CURE}\.",
    ):
        play(own("Hasty"), range(5), progress=told.append)
    assert told == []
    assert len(play(own("Patient"), range(2), progress=told.append)) == 8
    assert told == [1, 2]


def test_a_study_refuses_an_attack_that_ends_by_its_data():
    ends = [own("Moody").splitter.split(k).view.y_train[0] < 0 for k in range(2)]
    assert ends[0] != ends[1], "choose another row"
    with pytest.raises(InputError, match=r"got .* in replicate 0 .*, and .* in replicate 1 on a b"):
        play(own("Moody"), [7])


def test_what_the_rehearsal_does_not_see_is_refused_at_the_second_replicate(monkeypatch):
    monkeypatch.setattr(ATTACKS.find("early.Late"), "played", 0)
    told = []
    with pytest.raises(InputError, match=r"and 1 in replicate 1 on full_disclosure\. Give"):
        play(own("Late"), range(5), progress=told.append)
    assert told == [1]
    monkeypatch.setattr(ATTACKS.find("early.Late"), "played", 0)
    with pytest.raises(InputError, match=r"and 1 in replicate \d+ on .*\. Give"):
        job(attacks=["early.Late"])


def test_a_dry_run_refuses_it_before_anything_is_played():
    told = []
    with pytest.raises(InputError, match=rf"'early.Hasty' \(experiment 'mine'\).*{CURE}"):
        job(attacks=["early.Hasty"], progress=told.append)
    assert told == []
    frame, _ = job(attacks=["early.Patient"], most_replicates=4)
    mine = frame[(frame["attack"] == "early.Patient").to_numpy(bool)]
    assert set(mine.groupby(["replicate", "setting"], observed=True).size()) == {4}


def test_outcomes_do_not_depend_on_the_rehearsal(monkeypatch):
    after = play(own("Patient"), [3])
    monkeypatch.setattr("shakedown.simulation.replicate.rehearse", lambda experiment: None)
    assert play(own("Patient"), [3]).equals(after)


def test_our_attacks_are_not_rehearsed_and_an_own_one_once(monkeypatch):
    def plays(self, replicate):
        raise AssertionError("played")

    ours, mine = experiment(), own("Patient")
    rehearse(mine)
    monkeypatch.setattr(type(ours), "plays", plays)
    rehearse(ours)
    rehearse(mine)
    with pytest.raises(AssertionError, match="played"):
        rehearse(own("Patient"))


def test_an_attack_on_ranks_is_rehearsed_on_boards_of_ranks(monkeypatch):
    monkeypatch.setattr(ATTACKS.find("early.Hasty"), "reads", "ranks")
    ranked = experiment({"name": "early.Hasty"}, [{"name": "rank_board"}])
    with pytest.raises(InputError, match="on a board that shows ranks, and"):
        play(ranked, [0])


@pytest.mark.parametrize(("kind", "entry"), contract.EXAMPLES)
def test_our_attacks_would_pass(kind, entry, monkeypatch):
    """No attack that keeps to the contract is refused, also on a board that accepts no file."""
    monkeypatch.setattr(Points, "is_needed", True)
    boards = [{"name": "rank_board" if kind.reads == "ranks" else "full_disclosure"}]
    rehearsed = contract.experiment(kind, entry, boards)
    rehearse(rehearsed)
    assert rehearsed.points.is_rehearsed


def test_the_boards_of_the_rehearsal_differ():
    rehearsed = experiment()
    rehearsed.mechanisms = [of_setting(setting) for setting in BOARDS["scores"]]
    frame = play(rehearsed, [0])
    accepted = frame.groupby("setting", observed=True)["accepted"].unique()
    assert [accepted[setting].tolist() for setting in BOARDS["scores"]] == [[20], [0]]

"""The demonstration: it fills a board over HTTP, and the adversary gets what it should."""

import pytest

from shakedown.interface import InputError
from shakedown.live.demo import ADVERSARY, run
from shakedown.live.live_board import LiveBoard


def test_the_adversary_leads_in_public_and_loses_in_the_end(tmp_path):
    lines = []
    outcome = run(0.5, teams=4, submissions=9, probes=100, folder=tmp_path, out=lines.append)
    public = {name: scores[0] for name, scores in outcome.scores.items()}
    final = {name: scores[1] for name, scores in outcome.scores.items()}
    assert len(public) == 5
    assert min(public, key=public.get) == ADVERSARY
    assert max(final, key=final.get) == ADVERSARY
    assert public[ADVERSARY] < 0.8 < 1.0 < final[ADVERSARY]
    assert outcome.alerts == {ADVERSARY: ["unrelated_files", "falling_scale", "far_off"]}
    assert outcome.differences == []
    text = "\n".join(lines)
    assert outcome.url in text
    assert "5 teams; leader" in text
    assert "the board is what its log says" in text
    live = LiveBoard.open(f"sqlite:///{outcome.database}")
    assert len(live.log()) == 4 * 9 + 101


def test_a_demonstration_keeps_the_database_of_the_last(tmp_path):
    (tmp_path / "board-demo.db").touch()
    outcome = run(0.1, teams=1, submissions=1, probes=1, folder=tmp_path, out=lambda line: None)
    assert outcome.database.name == "board-demo-2.db"


def test_there_is_somebody_to_play(tmp_path):
    with pytest.raises(InputError, match="teams: wanted at least 1; got 0"):
        run(teams=0, folder=tmp_path)

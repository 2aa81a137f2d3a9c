"""How boards keep predictions: metered ones in single precision, others as doubles."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.live.contents import content_of, kept, predictions_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from tests.live.test_metered import PUBLIC, ROWS, SETTING, board, csv, files, public_mse, truth

LARGEST = float(np.finfo(np.float32).max)
SINGLE = Rules.of(SETTING, "mse", seed=3).for_truth(truth())
DOUBLE = Rules.of("full_disclosure", "mse", seed=3).for_truth(truth())


def contents(place):
    """The contents of a database's submissions, in order."""
    query = "SELECT content FROM contents JOIN (SELECT content AS name, id FROM submissions) "
    with closing(sqlite3.connect(place)) as connection:
        rows = connection.execute(query + "ON sha256 = name ORDER BY id").fetchall()
    return [row[0] for row in rows]


def test_a_metered_board_keeps_four_bytes_for_a_number_and_other_boards_eight(tmp_path):
    for setting, size in ((SETTING, 4), ("full_disclosure", 8)):
        (tmp_path / str(size)).mkdir()
        live = board(tmp_path / str(size), setting)
        live.submit("a", files(1)[0])
        (content,) = contents(tmp_path / str(size) / "board.db")
        assert len(content) == size * ROWS
        rounded = files(1)[0].astype(f"<f{size}")
        assert content == rounded.tobytes()
        own = live.predictions(live.log()["content"].iloc[0])
        assert own.dtype == float
        np.testing.assert_array_equal(own, rounded.astype(float))


def test_all_is_of_the_rounded_file(tmp_path):
    """Scores, prices and answers: a file that is sent rounded is the same submission."""
    live, sent = board(tmp_path), files(3)
    rounded = sent.astype(np.float32).astype(float)
    assert (sent != rounded).mean() > 0.9
    for k in range(3):
        assert live.quote("a", sent[k]) == live.quote("a", rounded[k])
        answer = live.submit("a", sent[k], f"k{k}")
        assert live.submit("a", rounded[k], f"k{k}") == answer
        assert live.log()["score_public"].iloc[-1] == pytest.approx(
            public_mse(rounded[k]), rel=1e-13
        )
    assert len(live.log()) == 3
    assert live.submit("b", csv(sent[0]), "csv") == live.submit("b", csv(rounded[0]), "csv")


@pytest.mark.parametrize("number", [np.nextafter(LARGEST, np.inf), -1e39, np.inf, np.nan])
def test_a_number_that_single_precision_does_not_hold_is_refused(number, tmp_path):
    live, file = board(tmp_path), files(1)[0]
    file[-1] = number
    said = r"wanted finite numbers up to 3\.40282e\+38 in all rows"
    with pytest.raises(Refused, match=said):
        live.submit("a", file)
    with pytest.raises(InputError, match=said):
        live.quote("a", file)
    assert live.log().empty
    file[-1] = 1e39
    kept(file if np.isfinite(number) else files(1)[0], DOUBLE)


def test_the_largest_number_of_single_precision_is_taken(tmp_path):
    live, file = board(tmp_path), files(1)[0]
    file[:2] = LARGEST, -LARGEST
    assert live.submit("a", file).number == 1
    assert np.isfinite(live.log()["score_public"]).all()
    assert live.audit() == []


def test_what_differs_only_before_rounding_has_no_correlation(tmp_path):
    live = board(tmp_path, "metered(files=40,gain=0.3)", "pearson")
    with pytest.raises(Refused, match="All predictions are 50 in single precision: Pearson") as no:
        live.submit("a", 50.0 + 1e-9 * files(1)[0])
    assert no.value.reason == "constant"
    (tmp_path / "other").mkdir()
    other = board(tmp_path / "other", "full_disclosure", "pearson")
    with pytest.raises(Refused, match="All predictions are 50: "):
        other.submit("a", np.full(ROWS, 50.0))


def test_participants_are_told_that_files_are_rounded(tmp_path):
    assert "rounded to single precision, about seven digits" in " ".join(SINGLE.sentences)
    assert "single precision" not in " ".join(DOUBLE.sentences)


@pytest.mark.parametrize(("centre", "scale"), [(1e9, 1e4), (-1e9, 9e4), (1e35, 1e35)])
def test_a_truth_that_single_precision_would_blur_is_refused(centre, scale, tmp_path):
    values = np.random.default_rng(0).normal(size=ROWS)
    values[:PUBLIC] -= values[:PUBLIC].mean()
    values[:PUBLIC] /= values[:PUBLIC].std(ddof=1)
    of = Truth.of(truth().ids, centre + scale * values, truth().public)
    with pytest.raises(InputError, match="Take a constant off the truth, or choose another unit"):
        board(tmp_path, of=of)
    near = Truth.of(truth().ids, np.clip(centre, -1e9, 1e9) + 1.1e5 * values, truth().public)
    live = board(tmp_path, of=near)
    assert live.rules.single
    (tmp_path / "other").mkdir()
    assert not board(tmp_path / "other", "full_disclosure", of=of).rules.single


@pytest.mark.parametrize("rules", [SINGLE, DOUBLE], ids=["single", "double"])
def test_what_is_stored_comes_back_to_the_last_bit(rules):
    own = kept(files(1)[0], rules)
    np.testing.assert_array_equal(predictions_of(content_of(own, rules), rules), own)
    np.testing.assert_array_equal(kept(own, rules), own)


def before_precision(path, monkeypatch):
    """A metered board as it was made when files were kept as doubles: its rules do not tell."""
    fields = json.loads(SINGLE.text)
    del fields["single"]
    with monkeypatch.context() as before:
        before.setattr(Rules, "for_truth", lambda *_: Rules.stored(json.dumps(fields)))
        before.setattr(Rules, "text", json.dumps(fields, sort_keys=True))
        return board(path)


def test_a_board_made_with_doubles_goes_on_with_them(tmp_path, monkeypatch):
    live, sent = before_precision(tmp_path, monkeypatch), files(4)
    shown = [live.submit("a", file, f"k{k}") for k, file in enumerate(sent[:3])]
    again = LiveBoard.open(f"sqlite:///{tmp_path}/board.db")
    assert not again.rules.single
    assert [again.submit("a", file, f"k{k}") for k, file in enumerate(sent[:3])] == shown
    assert live.quote("a", sent[3]) == again.quote("a", sent[3])
    again.submit("a", sent[3])
    assert {len(content) for content in contents(tmp_path / "board.db")} == {8 * ROWS}
    np.testing.assert_array_equal(again.predictions(again.log()["content"].iloc[3]), sent[3])
    assert again.audit() == []
    assert again.copy_to(f"sqlite:///{tmp_path}/copy.db") == []

"""The first answer: what is proved, before any attack is played."""

import numpy as np

from shakedown.dryrun.first_answer import ON_AVERAGE, first_answer
from shakedown.dryrun.proof import MOST
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import in_words
from shakedown.metrics import find
from shakedown.theory.proved import proved_limits
from shakedown.wording import amount
from tests.data.test_several import several

BOARDS = [
    {"name": "full_disclosure"},
    {"name": "digest", "eta": 0.5, "floor": 2.0, "every": 10, "updates": 5},
    {"name": "digest", "eta": 0.5, "floor": 2.0, "every": 100, "updates": 1},
]


def table(rows=627, spread=2.0, draw="standard_normal", seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 5))
    noise = getattr(rng, draw)(*(() if draw == "standard_normal" else (2.0,)), rows)
    y = 10.0 + spread * (X @ np.ones(5) + noise)
    return Challenge("table", X, y, np.arange(rows).astype(str), np.array(list("abcde")))


def answer(challenge, **settings):
    entry = DryRunEntry(submissions=50, **settings)
    return first_answer(challenge, entry, seed=1), entry


def test_every_board_is_proved_for_the_wanted_submissions_in_the_unit_of_the_metric():
    challenge = table()
    first, _ = answer(challenge, mechanisms=BOARDS)
    variance = challenge.y.var(ddof=1)
    titles = {board.title for board in first.boards}
    assert {board.kind for board in first.boards} <= {"proved", ON_AVERAGE}
    assert "Full-disclosure" not in titles
    for entry in BOARDS[1:]:
        setting = (
            f"digest(eta={0.5 / variance},floor={2.0 / variance},every={entry['every']},"
            f"updates={entry['updates']})"
        )
        limits = proved_limits(setting, find("mse"), 209, -0.05, MOST, quantile=0.25)
        title = of_setting(setting).in_unit(variance).title
        own = [board for board in first.boards if board.title == title]
        enough = limits.both is not None and limits.both >= 50
        assert [board.submissions for board in own] == ([limits.both] if enough else [])
        assert all(0.0 < board.lag < variance for board in own)
        assert {board.words for board in own} <= {in_words(of_setting(setting))}
    assert any("W = 1)" in title for title in titles)


def test_the_proved_come_first_and_then_the_useful():
    boards = answer(table(rows=3000))[0].boards
    assert len(boards) > 3
    assert boards == sorted(boards, key=lambda board: (board.kind == ON_AVERAGE, board.lag))


def test_it_depends_on_the_seed_alone():
    challenge = table()
    assert answer(challenge)[0] == answer(challenge)[0]


def test_it_says_why_nothing_is_proved():
    first, entry = answer(table(draw="standard_t"))
    assert first.boards == []
    said = first.text(table(draw="standard_t"), entry)
    assert said.endswith("\n  Nothing is proved for data with heavy tails.")


def test_where_no_proof_is_known_it_says_so():
    challenge = table()
    first, entry = answer(challenge, metric="mae")
    assert first.boards == []
    assert "No leaderboard is proved" in first.text(challenge, entry)


def test_it_tells_rows_submissions_and_what_is_tolerated():
    challenge = table()
    first, entry = answer(challenge)
    said = first.text(challenge, entry)
    assert "209 public rows, 50 submissions, an overfit of at most 5 % of the response’s" in said
    assert "  Proved for any number of submissions, lag about " in said
    for board in first.boards:
        lag = 100 * board.lag / challenge.y.var(ddof=1)
        assert f", lag about {amount(lag, 2)} %: {board.words}\n    {board.title}\n" in said
    assert "Proved: it holds whatever is submitted" in said


def test_it_counts_cells_of_several_responses():
    challenge = several(rows=900)
    first, entry = answer(challenge)
    assert "900 public cells, 50 submissions" in first.text(challenge, entry)

"""A digest against its literal twin, and what it shows when."""

from functools import partial

import numpy as np
import pytest

from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.mechanisms.digest import Digested
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.state import BoardState
from shakedown.metrics import find
from shakedown.seeding import stream
from tests.leaderboard.test_gates import assert_same, game
from tests.reference import mechanisms as literal

RNG = partial(stream, 3)


def board(y, metric="mse", **settings):
    return Board(Scorer(find(metric), y), mechanism("digest", **settings), RNG)


def start(metric, y):
    if find(metric).larger_is_better:
        return 0.0
    constant = float(y.mean() > 0.5) if metric == "zero_one" else y.mean()
    return literal.METRICS[metric].score(y, np.full(len(y), constant))


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "zero_one", "pearson", "spearman", "ccc"])
@pytest.mark.parametrize(("every", "updates"), [(1, 40), (3, 100), (7, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_same_decisions_and_same_scores(metric, every, updates, seed):
    _, y = game(seed, metric)
    settings = {
        "eta": 0.1, "every": every, "updates": updates,
        "floor": 0.6 if find(metric).larger_is_better else 0.4,
    }  # fmt: skip
    extra = {"start": start(metric, y)}
    assert_same(metric, "digest", settings, literal.Digest, settings | extra, seed)


def response(n=50):
    y = np.random.default_rng(1).standard_normal(n)
    return (y - y.mean()) / y.std(ddof=1)


def shares(y, *errors):
    """Files with these mean squared errors, in shares of the response's variance."""
    return np.stack([y * (1 - np.sqrt(error / y.var())) for error in errors])


def test_it_goes_down_at_updates_alone_and_never_shows_better_than_true():
    y = response()
    ours = board(y, eta=0.1, floor=0.5, every=3, updates=3)
    assert ours.shown == pytest.approx(0.98)
    files = shares(y, 0.95, 0.71, 0.9, 0.65, 0.8, 0.9, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9)
    shown, accepted = ours.submit(files)
    np.testing.assert_allclose(shown, [0.98, 0.98, 0.8, 0.8, 0.8, 0.7, 0.7, 0.7, *[0.5] * 4])
    assert np.flatnonzero(accepted).tolist() == [0, 1, 3, 6]
    assert ours.counts.changed == 3


def test_it_says_what_it_does_with_its_numbers():
    often = mechanism("digest", eta=0.1, floor=0.5, every=50, updates=10).explained()
    assert "After every 50 submissions, ten times in all, it shows" in often
    assert "steps of 0.1 to the worse side, and nothing better than 0.5." in often
    board = mechanism("digest", eta=0.1, floor=0.5, every=1, updates=1)
    once = board.explained("{:.2f} points".format)
    assert "After 1 submission, once, it shows" in once
    assert "nothing better than 0.50 points." in once


def test_after_the_last_update_nothing_changes():
    y = response()
    ours = board(y, eta=0.1, floor=0.1, every=2, updates=1)
    shown = ours.submit(shares(y, 0.9, 0.75, 0.1, 0.1, 0.1)).released
    np.testing.assert_allclose(shown, [0.98, 0.8, 0.8, 0.8, 0.8])


def test_a_score_on_the_grid_is_shown_as_it_is():
    """Whichever side of it the float lies."""
    release = Digested(0.1, 0.0, 1, 100)
    for k in range(1, 10):
        for risk in (k * 0.1, np.nextafter(k * 0.1, 0), np.nextafter(k * 0.1, 1)):
            batch = ScoredSubmissions(np.zeros((1, 1)), np.array([risk]), np.array([0]))
            best = BoardState(np.zeros(1), 1.0, 0, 1.0)
            (shown,) = release.show(batch, best, np.array([0]), find("mse"), np.zeros(1), None)
            assert shown == pytest.approx(k * 0.1, abs=1e-14)


def test_a_preview_takes_each_file_as_the_next_one():
    y = response()
    digest = board(y, eta=0.1, floor=0.5, every=2, updates=9)
    digest.submit(shares(y, 0.95))
    np.testing.assert_allclose(
        digest.preview(digest.scorer.judge(shares(y, 0.65, 0.75, 0.95))), [0.7, 0.8, 0.98]
    )
    digest.submit(shares(y, 0.95))
    np.testing.assert_allclose(
        digest.preview(digest.scorer.judge(shares(y, 0.65, 0.75, 0.95))), [0.98] * 3
    )


def test_how_many_new_scores_some_submissions_bring():
    board = of_setting("digest(eta=0.1,floor=0.5,every=20,updates=3)")
    assert [board.scores_within(n) for n in (19, 20, 59, 60, 1000)] == [0, 1, 2, 3, 3]
    assert of_setting("full_disclosure").scores_within(5) is None

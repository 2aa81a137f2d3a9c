"""Positional weights: the literal twin, and responses that are known after few files."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import r2_score

from shakedown.attacks import positional_weights
from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.positional_weights import LARGEST, error, room
from shakedown.interface import Challenge, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.session import Session
from shakedown.terms import Receipt
from tests.reference import mechanisms as boards
from tests.reference import number_attacks as literal

R2 = "sklearn.metrics.r2_score"
READ = ["mse", "rmse", "mae", "pearson", "ccc", "r2", R2]


def two_values(seed, n=209, share=0.5):
    """A standardised response with this share of ones."""
    x = np.zeros(n)
    x[: round(share * n)] = 1.0
    x = np.random.default_rng(seed).permutation(x)
    return (x - x.mean()) / x.std(ddof=1)


def attacked(y, setting, metric, submissions):
    """The public files after every submission, and the board."""
    n = len(y)
    empty = np.empty((n, 0))
    view = ParticipantData(empty, np.empty(n), empty, np.empty((7, 0)))
    attack = ATTACKS.make(
        "positional_weights", submissions=submissions, points=[*range(1, submissions + 1)]
    )
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    session = Session(scorer, of_setting(setting), partial(stream, 1))
    game = attack.prepare(view, None, stream(1, "attack")).play(session.open)
    return game.models, session.open()


@pytest.mark.parametrize("metric", READ)
@pytest.mark.parametrize(("n", "share"), [(30, 0.5), (120, 0.2), (209, 0.45)])
def test_it_ends_with_the_literal_one(metric, n, share):
    y = two_values(n, n, share)
    models, board = attacked(y, "full_disclosure", metric, 7)
    ones = np.count_nonzero(y > 0)
    width, largest = room(board.terms, n, np.sqrt(n * (n - 1) / (ones * (n - ones))))
    name = "r2" if metric == R2 else metric
    submit = partial(r2_score, y) if name == "r2" else boards.FullDisclosure(y, metric).submit
    entry = LARGEST[np.argmax(LARGEST / error(board.terms, n, LARGEST**2))]
    expected = literal.positional_weights(
        n, submit, 7, metric=name, entry=entry, width=width, largest=largest
    )
    np.testing.assert_allclose(models.public, expected, atol=1e-9)


@pytest.mark.parametrize("metric", READ)
@pytest.mark.parametrize("share", [0.5, 0.3, 0.05])
def test_six_files_tell_209_responses(metric, share):
    """One row, then 43 a file; 39 under the mean absolute error, whose weights have a bound."""
    files = 7 if metric == "mae" else 6
    for seed in range(10):
        y = two_values(seed, share=share)
        models, _ = attacked(y, "full_disclosure", metric, files + 2)
        np.testing.assert_allclose(models.public[files - 1 :], [y] * 3, atol=1e-9)
        assert models.n_selected[-1] <= files


def test_every_file_tells_as_many_rows():
    y = two_values(1)
    models, _ = attacked(y, "full_disclosure", "mse", 6)
    right = (abs(models.public - y) < 1e-9).sum(axis=1)
    np.testing.assert_array_equal(right[:5], 1 + 43 * np.arange(5))
    left = ((models.public - y) ** 2).mean(axis=1)
    # The unknown rows are predicted by their mean, which leaves their variance.
    np.testing.assert_allclose(left[:4], 1 - right[:4] / 209, atol=0.03)


@pytest.mark.parametrize(("setting", "metric", "files"), [
    ("kaggle", "mse", 9), ("kaggle(eta=0.1)", "mse", 11), ("kaggle(eta=0.1)", R2, 11),
    ("kaggle", "rmse", 17), ("kaggle", "ccc", 17), ("kaggle", "pearson", 17), ("kaggle", "mae", 25),
])  # fmt: skip
def test_rounding_takes_more_files(setting, metric, files):
    """Squared errors can be scaled up: steps of .1 leave 21 digits of the 43 of a double."""
    for seed in range(5):
        y = two_values(seed)
        models, board = attacked(y, setting, metric, files)
        width, _ = room(board.terms, 209, 2.0)
        assert files == 1 + -(-208 // width)
        np.testing.assert_allclose(models.public[-1], y, atol=1e-9)
        assert abs(models.public[-3] - y).max() > 0.5


@pytest.mark.parametrize("metric", READ)
@pytest.mark.parametrize("step", [0.0, 1e-5, 0.01])
@pytest.mark.parametrize("n", [50, 209, 2000])
def test_the_errors_of_scores_are_within_their_bound(metric, step, n):
    """Of files of weights; rounding errors of sums are some ten standard deviations."""
    y = two_values(3, n)
    setting = f"kaggle(eta={step})" if step else "full_disclosure"
    board = Session(Scorer(find(metric), y), of_setting(setting), partial(stream, 1)).open()
    width, largest = room(board.terms, n, 2.0)
    if not width:
        pytest.skip("no digit of such a score can be read")
    drawn = np.random.default_rng(n)
    for _ in range(5):
        rows = drawn.permutation(n)[: min(width, n)]
        weights = largest * 2.0 ** -np.arange(len(rows))
        file = np.zeros(n)
        if metric == "mae":
            low, high = y.min(), y.max()
            file += (low + high) / 2
            file[rows] -= weights / 2
            exact = np.abs(file - y).astype(np.longdouble).sum()
            shown = board.submit(file[None]).released[0]
            assert abs(shown * n - exact) <= 0.25 * weights[-1]
            continue
        file[rows] = weights
        shown = board.submit(file[None]).released
        run = type("Run", (), {"terms": board.terms, "root": metric == "rmse"})
        value, _ = positional_weights.products(run, file[None], shown)
        exact = (file.astype(np.longdouble) * y).sum()
        bound = error(board.terms, n, (file**2).sum())
        assert abs(value[0] - exact) <= bound <= 0.5 * weights[-1] * 1.01


def test_more_digits_than_there_is_room_for_drown(monkeypatch):
    """Eight more: errors of 2^6 of the smallest weight, of which one in fifty goes unnoticed."""
    real = room
    monkeypatch.setattr(positional_weights, "room", lambda *a: (real(*a)[0] + 8, real(*a)[1]))
    wrong = 0
    for seed in range(10):
        y = two_values(seed)
        models, _ = attacked(y, "full_disclosure", "mse", 6)
        wrong += abs(models.public[-1] - y).max() > 0.5
    assert wrong >= 8


@pytest.mark.parametrize("metric", ["mse", "mae", "pearson"])
@pytest.mark.parametrize("values", [3, 5, None])
def test_more_than_two_values_are_noticed(metric, values):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.standard_normal(209) if values is None else rng.integers(0, values, 209) * 1.0
        y = (y - y.mean()) / y.std(ddof=1)
        models, _ = attacked(y, "full_disclosure", metric, 8)
        assert (models.public[-1] == 0.0).all()
        assert models.n_selected[-1] == 0


@pytest.mark.parametrize("metric", ["mse", "mae"])
@pytest.mark.parametrize("refused", [0, 3])
def test_a_file_without_a_score_ends_it(metric, refused):
    """Such as one that a board refuses for its range."""

    class Refusing:
        def __init__(self, board):
            self._board, self._files = board, 0

        def __getattr__(self, name):
            return getattr(self._board, name)

        def submit(self, predictions, final=None):
            shown = self._board.submit(predictions, final).released
            self._files += 1
            return Receipt(np.where(self._files == refused + 1, np.nan, shown), None)

    y = two_values(1)
    view = ParticipantData(np.empty((209, 0)), np.empty(209), np.empty((209, 0)), np.empty((7, 0)))
    attack = ATTACKS.make("positional_weights", submissions=8, points=[*range(1, 9)])
    session = Session(Scorer(find(metric), y), of_setting("full_disclosure"), partial(stream, 1))
    game = attack.prepare(view, None, stream(1, "attack")).play(lambda: Refusing(session.open()))
    assert (game.models.public[refused:] == 0.0).all()
    assert (game.models.public[:refused] != 0.0).any(axis=1).all()


@pytest.mark.parametrize("setting", [
    "ladder(alpha=0.15)", "ladder(alpha=0.15)+baseline", "ladderboot(alpha=0.15,b=10)",
    "general_ladder(eta=0.05)", "digest(eta=0.1,floor=0.5,every=2,updates=10)",
])  # fmt: skip
def test_it_ends_with_zeros_where_a_score_may_not_be_the_files_own(setting):
    models, _ = attacked(two_values(2), setting, "mse", 12)
    assert (models.public == 0.0).all()


def test_a_study_of_a_response_of_two_values_can_play_it():
    """Δ as with every adversary: the final rows are predicted by zeros."""
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((627, 2)), rng.integers(0, 2, 627) * 3.0 + 5.0
    made = Challenge("two", X, y, np.arange(627), np.array(["a", "b"]))
    settings = {
        "metric": "mse", "mechanisms": [{"name": "full_disclosure"}, {"name": "kaggle"}],
        "attack": {"name": "positional_weights", "submissions": 9, "points": [1, 6]},
    }  # fmt: skip
    frame = play(Experiment("e", settings, made, "splits", seed=1), [0, 1])
    exact = frame[frame["setting"] == "full_disclosure"]
    np.testing.assert_allclose(exact["delta"].iloc[[1, 2, 4, 5]], -208 / 209, atol=1e-9)
    rounded = frame[frame["setting"] != "full_disclosure"]
    np.testing.assert_allclose(rounded["delta"].iloc[[2, 5]], -208 / 209, atol=1e-9)
    assert (rounded["delta"].iloc[[1, 4]] > -0.8).all()


def test_dry_runs_play_it_where_the_response_has_two_values():
    kind = ATTACKS.find("positional_weights")
    for values, played in ((2, ["positional_weights"]), (3, []), (0, [])):
        scope = Scope(5, 1000, 5, 30, metric="mse", wanted=100, values=values)
        assert list(kind.for_dry_run(scope)) == played
    assert not kind.for_dry_run(Scope(5, 1000, 5, 30, metric="brier", wanted=100, values=2))

"""The leaderboard error of whole games, submission by submission from its definition."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown import data
from shakedown.leaderboard.board import Board
from shakedown.simulation import outcomes
from shakedown.simulation import replicate as game
from shakedown.simulation.replicate import Experiment, play
from tests.attacks.test_attacks import released
from tests.reference import leaderboard_error as literal
from tests.reference.metrics import METRICS
from tests.simulation.test_replicate import EVERY, FORWARD, FREEDMAN, challenge, experiment

MANY = {"name": "best_of_many", "rounds": [4, 9]}
CARRIED = {**FORWARD, "iteration_board": "carried_on"}
SHOWN = [m for m in EVERY if m["name"] != "constant_board"]
TESTS_LOSSES = ("parameter_free_ladder", "ladder", "ladderboot")


def models(played):
    """Features of each submission, batch by batch, in the order of the game."""
    features, batches = [], []
    for tried, taken in zip(played.game.submitted, played.game.selected, strict=True):
        sets = played.game.sets
        batches.append([list(sets[j]) if sets else [*features, j] for j in tried])
        features += [] if sets else list(taken)
    return batches


def fitted(view, features, X):
    coefficients = np.linalg.lstsq(view.X_train[:, features], view.y_train, rcond=None)[0]
    return X[:, features] @ coefficients


def true_score(metric, design, split, features):
    """The score on the final set; or over all pairs of a response and a prediction."""
    metric = METRICS[metric]
    if design == "splits":
        return metric.score(split.y_final, fitted(split.view, features, split.view.X_final))
    if metric.loss is None:
        return 0.0
    prediction = fitted(split.view, features, split.view.X_public)
    mean = np.mean([metric.loss(split.y_public, value).mean() for value in prediction])
    return np.sqrt(mean) if metric.root else mean


def expected_errors(e, played):
    """Leaderboard error after each submission."""
    errors, largest, true, shown = [], 0.0, [], []
    for features, shown_then in zip(models(played), released(played.session), strict=True):
        if played.iteration_board == "fresh":
            true, shown = [], []
        true += [true_score(e.metric.name, e.design, played.split, f) for f in features]
        shown += shown_then.tolist()
        after = literal.leaderboard_errors(
            true, shown,
            larger_is_better=e.metric.larger_is_better,
            shows_each=played.mechanism.name in ("full_disclosure", "kaggle", "fresh_holdout"),
        )[-len(shown_then) :]  # fmt: skip
        errors += np.maximum(after, largest).tolist()
        largest = errors[-1]
    return errors


@pytest.mark.parametrize("design", ["permuted", "splits"])
@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD, CARRIED, MANY], ids=str)
@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "ccc"])
def test_every_game_has_the_error_of_the_definition(metric, attack, design):
    boards = [m for m in SHOWN if METRICS[metric].loss or m["name"] not in TESTS_LOSSES]
    e = experiment(attack, boards, design=design, metric=metric)
    frame = play(e, [0], previews=False)
    ours = iter(frame.leaderboard_error.to_numpy().reshape(len(e.mechanisms), -1))
    for played in e.plays(0):
        expected = np.array(expected_errors(e, played))[played.game.models.submissions - 1]
        np.testing.assert_allclose(next(ours), expected, rtol=1e-9, atol=1e-12)
    assert (frame.leaderboard_error > 0).any()


@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD, CARRIED], ids=str)
def test_the_final_model_is_one_submission_more(attack):
    """Its true score is that over all pairs of a response and one of its predictions."""
    e = experiment(attack, SHOWN)
    frame = play(e, [0])
    ours = iter(frame.leaderboard_error.to_numpy().reshape(len(e.mechanisms), -1))
    last = iter(frame.score_released.to_numpy().reshape(len(e.mechanisms), -1))
    for played in e.plays(0):
        before, made = np.array(expected_errors(e, played)), played.game.models.submissions
        shows_each = played.mechanism.name in ("full_disclosure", "kaggle", "fresh_holdout")
        features, shown = sum(models(played), []), np.concatenate(released(played.session))
        starts = np.cumsum([0, *map(len, released(played.session))])
        for k, prediction, at_last, error in zip(
            made, played.game.models.public, next(last), next(ours), strict=True
        ):
            # A fresh board begins with the batch that the point ends.
            start = (
                starts[np.searchsorted(starts, k) - 1] if played.iteration_board == "fresh" else 0
            )
            true = [true_score("mse", "permuted", played.split, f) for f in features[start:k]]
            true.append(np.mean([np.mean((played.split.y_public - v) ** 2) for v in prediction]))
            after = literal.leaderboard_errors(
                true, [*shown[start:k], at_last], shows_each=shows_each
            )
            assert error == pytest.approx(max(before[k - 1], after[-1]), rel=1e-9)


def test_before_it_has_a_model_the_error_is_that_of_the_submissions():
    """No final model is one submission more as long as nothing has been accepted."""
    board = {"name": "ladder", "alpha": 0.15, "defences": [{"name": "baseline"}]}
    e = experiment({"name": "best_of_many", "rounds": [1, 9]}, [board])
    waiting = 0
    for replicate in range(4):
        frame = play(e, [replicate])
        (played,) = e.plays(replicate)
        before, made = expected_errors(e, played), played.game.models.submissions
        for k, row in zip(made, frame.itertuples(), strict=True):
            if not row.n_selected:
                waiting += 1
                assert row.leaderboard_error == pytest.approx(before[k - 1], rel=1e-9)
    assert 0 < waiting < 8


def test_a_vote_that_is_far_from_the_truth_shows_in_the_error():
    """[B] Corollary 5.2: it is the vote that makes the error of a board that shows every score."""
    e, y = guessing({"name": "boosting", "submissions": 200}, [{"name": "full_disclosure"}])
    y[:] = np.arange(len(y)) % 2
    frame = play(e, range(5)).query("submissions == 200")
    np.testing.assert_allclose(frame.leaderboard_error, 0.5 - frame.score_public)
    without = play(e, range(5), previews=False).query("submissions == 200")
    assert (frame.leaderboard_error > without.leaderboard_error).all()


def test_a_board_that_shows_no_score_has_no_error():
    frame = play(experiment(FORWARD, EVERY), range(2))
    without = frame.setting == "constant_board"
    assert (frame.leaderboard_error.isna() == without).all()


def test_repeated_submissions_leave_the_error_of_a_board_without_noise():
    for design in ("permuted", "splits"):
        once, often = (
            play(experiment({**FORWARD, "repeats": r}, EVERY[:4], design=design), range(2))
            for r in (1, 3)
        )
        np.testing.assert_allclose(once.leaderboard_error, often.leaderboard_error, rtol=1e-12)


@pytest.mark.parametrize("design", ["permuted", "splits"])
@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD, MANY], ids=lambda a: a["name"])
def test_garbage_in_the_final_response_reaches_an_estimated_error_alone(
    attack, design, monkeypatch
):
    """The final predictions that an attack hands over tell it nothing."""
    e = experiment(attack, SHOWN[:6], design=design)
    honest = play(e, [0])
    real = game.Splitter.split

    def garbled(self, replicate):
        split = real(self, replicate)
        return dataclasses.replace(split, y_final=split.y_final[::-1] * 100.0)

    monkeypatch.setattr(game.Splitter, "split", garbled)
    blind = play(e, [0])
    ours = [c for c in outcomes.COLUMNS if c not in ("score_final", "delta", "leaderboard_error")]
    pd.testing.assert_frame_equal(honest[ours], blind[ours])
    same = (honest.leaderboard_error == blind.leaderboard_error).to_numpy()
    assert same.all() if design == "permuted" else not same.any()


def test_a_metric_that_only_a_function_knows_is_estimated_on_the_final_set():
    boards = [{"name": "full_disclosure"}]
    mse, function = (
        play(experiment(FORWARD, boards, design="splits", metric=m), range(2))
        for m in ("mse", "sklearn.metrics.mean_squared_error")
    )
    np.testing.assert_allclose(mse.leaderboard_error, function.leaderboard_error, rtol=1e-9)
    permuted = play(experiment(FORWARD, boards, metric=function.metric[0]), [0])
    assert permuted.leaderboard_error.notna().all()


# Labels

ENTRIES = [
    {"name": "full_disclosure"},
    {"name": "kaggle"},
    {"name": "general_ladder", "eta": 0.05},
    {"name": "simplified_ladder", "eta": 0.05},
    {"name": "parameter_free_ladder"},
    {"name": "ladderboot", "alpha": 0.15, "b": 10},
]


def guessing(attack, mechanisms):
    """An experiment on 40 public and 30 final labels of a table, and the public ones."""
    labels = data.read("fair_labels", {"recipe": "labels", "public": 40, "final": 30}, seed=3)
    labels = dataclasses.replace(labels, X=np.ones((70, 1)), features=np.array(["unused"]))
    settings = {"metric": "zero_one", "attack": attack, "mechanisms": mechanisms}
    return Experiment("e", settings, labels, "labels", seed=1), labels.y[:40]


@pytest.fixture
def submissions(monkeypatch):
    """What was submitted and shown, as (number of the board, labels, score)."""
    seen = []
    submit, each, climb = Board.submit, Board.submit_each, Board.climb

    def spying(self, predictions):
        receipt = submit(self, predictions)
        shown = zip(predictions, receipt.released, strict=True)
        seen.extend((self._number, row.copy(), s) for row, s in shown)
        return receipt

    def from_new_accounts(self, predictions):
        receipt = each(self, predictions)
        shown = zip(predictions, receipt.released, strict=True)
        seen.extend((object(), row.copy(), s) for row, s in shown)
        return receipt

    def hill_climb(self, labels, moves, lowest):
        row, before = labels.copy(), len(seen)
        climbed = climb(self, labels, moves, lowest)
        del seen[before:]  # of a climb that submits one by one
        for positions, kept, shown in zip(moves, climbed.kept, climbed.shown, strict=True):
            changed = row.copy()
            changed[positions[positions >= 0]] = 1.0 - changed[positions[positions >= 0]]
            seen.append((self._number, changed, shown))
            row = changed if kept else row
        return climbed

    monkeypatch.setattr(Board, "submit", spying)
    monkeypatch.setattr(Board, "submit_each", from_new_accounts)
    monkeypatch.setattr(Board, "climb", hill_climb)
    return seen


@pytest.mark.parametrize("board", ENTRIES, ids=lambda m: m["name"])
@pytest.mark.parametrize(
    "attack",
    [
        {"name": "boosting", "submissions": 30, "points": [1, 5, 12]},
        {"name": "boosting", "submissions": 20, "accounts": "many", "keep": "mirrored"},
        {"name": "enumeration", "submissions": 60, "points": [1, 2, 9, 30]},
        {"name": "enumeration", "submissions": 60, "move": "swap", "size": 2},
    ],
    ids=str,
)
def test_guesses_of_labels_have_the_error_of_the_definition(attack, board, submissions):
    e, y = guessing(attack, [board])
    frame = play(e, [0], previews=False)
    shows_each = board["name"] in ("full_disclosure", "kaggle")
    for at, error in zip(frame.submissions, frame.leaderboard_error, strict=True):
        made, worst = submissions[:at], 0.0
        for account in {number for number, _, _ in made}:
            own = [(row, shown) for number, row, shown in made if number == account]
            rows, shown = zip(*own, strict=True)
            true = [np.mean([y != label for label in row]) for row in rows]
            worst = max(literal.leaderboard_errors(true, shown, shows_each=shows_each)[-1], worst)
        assert error == pytest.approx(worst, rel=1e-9, abs=1e-12)
    assert len(submissions) == frame.submissions.iloc[-1]


def test_every_guess_of_a_fair_label_has_a_true_loss_of_a_half():
    labels = data.read("fair_labels", {"recipe": "labels", "public": 40, "final": 30}, seed=3)
    attack = {"name": "boosting", "submissions": 1, "points": [1]}
    settings = {"metric": "zero_one", "attack": attack, "mechanisms": ENTRIES[:1]}
    frame = play(Experiment("e", settings, labels, "labels", seed=1), range(20), previews=False)
    e = Experiment("e", settings, labels, "labels", seed=1)
    shown = [released(played.session)[0][0] for r in range(20) for played in e.plays(r)]
    np.testing.assert_allclose(frame.leaderboard_error, np.abs(0.5 - np.array(shown)))
    assert len(set(shown)) > 5


def test_a_board_of_ranks_has_no_error():
    e, _ = guessing({"name": "two_accounts"}, [{"name": "rank_board"}])
    assert play(e, [0]).leaderboard_error.isna().all()


def test_half_right_is_the_truth_of_a_list_that_lowers_its_score_by_chance():
    """With as many labels 0 as 1 every list is right for half of them: lberr = 1/2 - R_t."""
    e, y = guessing({"name": "enumeration", "submissions": 40}, [{"name": "full_disclosure"}])
    y[:] = np.arange(len(y)) % 2
    frame = play(e, [0])
    # All flips that help are kept, so in the end nothing is wrong.
    assert frame.score_public.iloc[-1] <= 1 / 40
    assert frame.leaderboard_error.iloc[-1] == pytest.approx(0.5 - frame.score_public.min())


def test_the_error_never_falls_within_a_game():
    frame = play(experiment(FORWARD, SHOWN, design="splits"), range(3), previews=False)
    keys = ["replicate", "setting"]
    steps = frame.groupby(keys, observed=True, dropna=False).leaderboard_error.diff().dropna()
    assert (steps >= 0).all()


def test_a_board_that_shows_every_score_is_further_from_the_truth_than_a_ladder():
    """Paired over 60 replicates; by chance alone it is with probability 1e-6."""
    boards = [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}]
    data = challenge(n=300, p=60, seed=2)
    frame = play(experiment(FORWARD, boards, data=data), range(60)).query("point == 3")
    error = frame.pivot(index="replicate", columns="setting", values="leaderboard_error")
    more = error["full_disclosure"] - error["ladder(alpha=0.01)"]
    assert more.mean() / more.sem() > stats.norm.isf(1e-6)

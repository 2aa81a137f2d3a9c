"""The board: what it counts, what it refuses, what it shares."""

from functools import partial

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board, Referee
from shakedown.leaderboard.catalogue import CATALOGUE, mechanism, mechanisms
from shakedown.metrics import find
from shakedown.rehearsal import _SETTINGS
from shakedown.seeding import stream

LUCK = partial(stream, 7)
R2 = "sklearn.metrics.r2_score"
EVERY = [mechanism(name, **_SETTINGS.get(name, {})) for name in CATALOGUE]


def submissions(m=20, n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    return y + rng.standard_normal((m, n)) * np.linspace(2, 0.5, m)[:, None], y


@pytest.fixture(params=EVERY, ids=lambda m: m.name)
def any_mechanism(request):
    return request.param


def test_batches_of_any_size_give_the_same_decisions(any_mechanism):
    predictions, y = submissions()
    at_once = Board(Referee(find("mse"), y), any_mechanism, LUCK)
    one_by_one = Board(Referee(find("mse"), y), any_mechanism, LUCK)
    whole = at_once.submit(predictions)
    parts = np.concatenate([one_by_one.submit(p[None]) for p in predictions])
    if not any_mechanism.gate.draws_weights:  # its stream is named by the batch
        assert at_once.accepted == one_by_one.accepted
        if not any_mechanism.is_noisy:
            np.testing.assert_array_equal(whole, parts)
    assert at_once.submissions == one_by_one.submissions == len(predictions)


def test_same_luck_same_scores_and_inputs_stay_as_they_were(any_mechanism):
    predictions, y = submissions()
    kept, y_kept = predictions.copy(), y.copy()
    shown = [
        Board(Referee(find("mse"), y), any_mechanism, LUCK).submit(predictions) for _ in range(2)
    ]
    np.testing.assert_array_equal(*shown)
    np.testing.assert_array_equal(predictions, kept)
    np.testing.assert_array_equal(y, y_kept)
    assert np.isfinite(shown[0]).all()
    assert shown[0].shape == (len(predictions),)


def test_the_opening_is_judged_once_and_shared(any_mechanism):
    predictions, y = submissions()
    shared, alone = Referee(find("mse"), y, predictions), Referee(find("mse"), y)
    first = Board(shared, any_mechanism, LUCK)
    first.submit(predictions)
    again = Board(shared, any_mechanism, LUCK)
    fresh = Board(alone, any_mechanism, LUCK)
    np.testing.assert_array_equal(again.submit(predictions), fresh.submit(predictions))
    more, _ = submissions(seed=1)
    np.testing.assert_array_equal(again.submit(more), fresh.submit(more))
    assert (again.accepted, again.changed) == (fresh.accepted, fresh.changed)


def test_a_buffer_that_is_used_again_is_judged_again():
    predictions, y = submissions()
    referee = Referee(find("mse"), y)
    before = referee.judge(predictions).risks.copy()
    predictions[:] = y
    assert (referee.judge(predictions).risks == 0).all()
    assert (before > 0).all()


def test_another_account_meets_another_luck():
    predictions, y = submissions(m=60)
    referee = Referee(find("mse"), y, predictions)
    test = mechanism("bayesboot_ladder", posterior_odds=1.0, draws=11)
    accepted = []
    for number in (1, 2):
        board = Board(referee, test, LUCK, number)
        board.submit(predictions)
        accepted.append(board.last_accepted.tolist())
    assert accepted[0] != accepted[1]


def test_releases_of_one_gate_share_its_decisions():
    predictions, y = submissions()
    referee = Referee(find("ccc"), y)
    accepted = set()
    for b in (1, 10, 100):
        board = Board(referee, mechanism("bayesboot_ladderboot", posterior_odds=1.0, b=b), LUCK)
        board.submit(predictions)
        accepted.add(tuple(board.last_accepted))
    board = Board(referee, mechanism("bayesboot_ladder", posterior_odds=1.0), LUCK)
    board.submit(predictions)
    assert accepted == {tuple(board.last_accepted)}


def test_a_preview_changes_nothing(any_mechanism):
    predictions, y = submissions()
    boards = [Board(Referee(find("mse"), y), any_mechanism, LUCK) for _ in range(2)]
    for board in boards:
        board.submit(predictions[:10])
    seen = boards[0].preview(predictions[10:])
    assert seen.shape == (10,)
    np.testing.assert_array_equal(*[b.submit(predictions[10:]) for b in boards])
    assert boards[0].accepted == boards[1].accepted
    assert boards[0].submissions == boards[1].submissions == 20


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (np.zeros((2, 29)), r"wanted predictions of shape \(1 or more, 30\).*got \(2, 29\)"),
        (np.zeros((0, 30)), r"wanted predictions of shape \(1 or more, 30\).*got \(0, 30\)"),
        (np.full((1, 30), np.nan), "submission 1 of this batch has no pearson.*not finite"),
        (np.full((1, 30), np.inf), "submission 1 of this batch has no pearson.*not finite"),
        (np.ones((1, 30)), "submission 1 of this batch has no pearson.*constant"),
    ],
)
def test_submissions_without_a_score_are_refused(predictions, message):
    _, y = submissions()
    with pytest.raises(InputError, match=message), np.errstate(invalid="ignore"):
        Referee(find("pearson"), y).judge(predictions)


@pytest.mark.parametrize("metric", ["spearman", "zero_one", "mse", "rmse", "mae", R2])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_no_metric_hides_a_prediction_that_is_not_finite(metric, bad):
    predictions, y = submissions(m=3)
    predictions[1, 4] = bad
    judge = Referee(find(metric), y).judge
    if bad == 1e200 and metric not in ("mse", "rmse", R2):
        judge(predictions)  # a number like any other where nothing is squared
    else:
        with (
            np.errstate(over="ignore"),
            pytest.raises(InputError, match="submission 2 of this batch .*not finite"),
        ):
            judge(predictions)


def test_a_metric_that_refuses_the_values_says_so_once():
    predictions, y = submissions(m=3)
    metric = "sklearn.metrics.mean_squared_log_error"
    with pytest.raises(InputError, match=f"metric '{metric}': wanted .* Choose another one"):
        Referee(find(metric), y).judge(predictions)
    assert (Referee(find(metric), abs(y)).judge(abs(predictions)).risks > 0).all()


@pytest.mark.parametrize(
    "metric",
    ["mse", "rmse", "mae", "pearson", "spearman", "ccc", R2, "sklearn.metrics.mean_absolute_error"],
)
def test_a_clearly_better_submission_gets_in_and_a_worse_one_does_not(any_mechanism, metric):
    """Correlations with the response of about .4, .95 and .4: errors of 4 and more than 10 sd."""
    if any_mechanism.name == "constant_board":
        pytest.skip("shows nothing")
    metric = find(metric)
    if any_mechanism.gate.needs_losses and not metric.has_losses:
        pytest.skip("no paired t-test of this metric")
    rng = np.random.default_rng(3)
    y = rng.standard_normal(200)
    predictions = y + rng.standard_normal((3, 200)) * [[2.0], [0.3], [2.0]]
    board = Board(Referee(metric, y), any_mechanism, LUCK)
    shown = board.submit(predictions) * (1 if metric.larger_is_better else -1)
    replaces_always = any_mechanism.gate.name == "always"
    assert board.last_accepted.tolist() == [True, True, replaces_always]
    assert shown[1] > shown[0] + 0.2
    assert (shown[2] < shown[1] - 0.2) == replaces_always


def test_a_simulation_scores_a_constant_prediction_zero():
    predictions, y = submissions(m=3)
    predictions[1] = 0.3
    for metric in ("pearson", "spearman", "ccc"):
        risks = Referee(find(metric), y, undefined_is_zero=True).judge(predictions).risks
        assert risks[1] == 0.0
        assert (risks[[0, 2]] < 0).all()
    predictions[1, 0] = np.nan
    with pytest.raises(InputError, match="submission 2 of this batch .*not finite"):
        Referee(find("pearson"), y, undefined_is_zero=True).judge(predictions)


def test_noise_is_redrawn_on_a_new_board():
    predictions, y = submissions()
    referee, boot = Referee(find("mse"), y), mechanism("ladderboot", alpha=0.15, b=10)
    first, second = (Board(referee, boot, LUCK, number) for number in (1, 2))
    assert (first.submit(predictions) != second.submit(predictions)).all()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("laddr", {}, r"mechanism 'laddr': wanted one of \['bayesboot_ladder'"),
        ("ladder", {}, r"mechanism 'ladder' needs \['alpha'\]"),
        ("ladder", {"alpha": 0.1, "b": 3}, r"takes no setting \['b'\]; it takes \['alpha'\]"),
        ("ladder", {"alpha": 1.5}, "`alpha` must be a significance level between 0 and 1; got 1.5"),
        ("ladder", {"alpha": "x"}, "`alpha` must be .* got 'x'"),
        ("ladderboot", {"alpha": 0.1, "b": 0}, "`b` must be a whole number .* got 0"),
        ("ladderboot", {"alpha": 0.1, "b": 2.5}, "`b` must be a whole number .* got 2.5"),
        ("general_ladder", {"eta": -0.1}, "`eta` must be a step above 0; got -0.1"),
        ("bayesboot_ladder", {"posterior_odds": 0}, "`posterior_odds` must be odds above 0; got 0"),
        (
            "bayesboot_ladder",
            {"posterior_odds": 1, "draws": -5},
            "`draws` must be a whole number of replications, 1 or more; got -5",
        ),
        (
            "bayesboot_ladderboot",
            {"posterior_odds": 1, "b": 1, "dirichlet": 3},
            "`dirichlet` must be true or false; got 3",
        ),
    ],
)
def test_settings_of_a_mechanism_are_checked(name, settings, message):
    with pytest.raises(InputError, match=message):
        mechanism(name, **settings)


def test_lists_of_settings_multiply_out():
    found = mechanisms([{"name": "ladderboot", "alpha": [0.1, 0.5], "b": [1, 10, 100]}])
    assert [(m.alpha, m.b) for m in found] == [
        (0.1, 1), (0.1, 10), (0.1, 100), (0.5, 1), (0.5, 10), (0.5, 100),
    ]  # fmt: skip


def test_equal_settings_are_one_mechanism_however_they_are_written():
    one, same = (mechanism("bayesboot_ladder", posterior_odds=odds) for odds in (1, 1.0))
    assert (one.id, one.gate_id) == (same.id, same.gate_id)


def test_mechanisms_that_the_tables_cannot_tell_apart_are_refused():
    entry = {"name": "bayesboot_ladderboot", "posterior_odds": 1, "b": 3}
    with pytest.raises(InputError, match="listed twice .* the tables tell mechanisms apart by"):
        mechanisms([{**entry, "dirichlet": [True, False]}])


def test_a_mechanism_listed_twice_is_refused():
    with pytest.raises(InputError, match="'ladder' is listed twice"):
        mechanisms([{"name": "ladder", "alpha": [0.1, 0.2]}, {"name": "ladder", "alpha": 0.2}])


def test_each_from_a_new_account_is_what_as_many_new_boards_show(any_mechanism):
    predictions, y = submissions()
    referee = Referee(find("mse"), y)
    at_once = Board(referee, any_mechanism, LUCK)
    shown = at_once.submit_each(predictions)
    singly = [
        Board(referee, any_mechanism, LUCK, number).submit(p[None])[0]
        for number, p in enumerate(predictions, start=1)
    ]
    if any_mechanism.is_noisy:  # another luck: each mean of b = 10 or 3 draws, 20 of them
        gap = np.mean(shown) - np.mean(singly)
        assert abs(gap) < 6 * np.std(shown - np.array(singly)) / np.sqrt(len(shown))
        assert (shown != singly)[1:].all()
    else:
        np.testing.assert_array_equal(shown, singly)
    assert at_once.accepted == at_once.changed == at_once.submissions == len(predictions)
    assert at_once.best.risk == np.inf

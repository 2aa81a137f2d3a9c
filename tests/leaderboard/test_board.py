"""The board: what it counts, what it refuses, what it shares."""

import dataclasses
from functools import partial

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board, Counts
from shakedown.leaderboard.mechanism import MECHANISMS, mechanism, mechanisms
from shakedown.leaderboard.responses import with_unit
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import METRICS, find
from shakedown.metrics.classes import NUMBERS
from shakedown.seeding import stream
from tests.fits import skip_unless_it_takes
from tests.kinds import fitting

STREAMS = partial(stream, 7)
R2 = "sklearn.metrics.r2_score"
EVERY = [kind(**example) for kind in MECHANISMS.classes.values() for example in kind.examples]


def submissions(m=20, n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    return y + rng.standard_normal((m, n)) * np.linspace(2, 0.5, m)[:, None], y


@pytest.fixture(params=EVERY, ids=lambda m: m.name)
def any_mechanism(request):
    return request.param


def test_batches_of_any_size_give_the_same_decisions(any_mechanism):
    predictions, y = submissions()
    at_once = Board(Scorer(find("mse"), y), any_mechanism, STREAMS)
    one_by_one = Board(Scorer(find("mse"), y), any_mechanism, STREAMS)
    whole = at_once.submit(predictions).released
    parts = np.concatenate([one_by_one.submit(p[None]).released for p in predictions])
    if not any_mechanism.gate.draws_weights:  # its stream is named by the batch
        assert at_once.counts.accepted == one_by_one.counts.accepted
        if not any_mechanism.is_noisy:
            np.testing.assert_array_equal(whole, parts)
    assert at_once.counts.submissions == one_by_one.counts.submissions == len(predictions)


def test_same_luck_same_scores_and_inputs_stay_as_they_were(any_mechanism):
    predictions, y = submissions()
    kept, y_kept = predictions.copy(), y.copy()
    shown = [
        Board(Scorer(find("mse"), y), any_mechanism, STREAMS).submit(predictions).released
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*shown)
    np.testing.assert_array_equal(predictions, kept)
    np.testing.assert_array_equal(y, y_kept)
    assert np.isfinite(shown[0]).all()
    assert shown[0].shape == (len(predictions),)


def test_the_opening_is_judged_once_and_shared(any_mechanism):
    predictions, y = submissions()
    shared, alone = Scorer(find("mse"), y, predictions), Scorer(find("mse"), y)
    first = Board(shared, any_mechanism, STREAMS)
    first.submit_opening()
    again = Board(shared, any_mechanism, STREAMS)
    fresh = Board(alone, any_mechanism, STREAMS)
    np.testing.assert_array_equal(again.submit_opening(), fresh.submit(predictions))
    more, _ = submissions(seed=1)
    np.testing.assert_array_equal(again.submit(more), fresh.submit(more))
    assert again.counts == fresh.counts


def test_an_opening_comes_first_or_not_at_all(any_mechanism):
    """Behind other submissions it would be held against an empty board."""
    predictions, y = submissions()
    late = Board(Scorer(find("mse"), y, predictions), any_mechanism, STREAMS)
    late.submit(predictions[:1])
    for board, got in [
        (late, "one after"),
        (Board(Scorer(find("mse"), y), any_mechanism, STREAMS), "none"),
    ]:
        counts = dataclasses.replace(board.counts)
        with pytest.raises(InputError, match=f"opening: wanted one .* got {got}"):
            board.submit_opening()
        assert board.counts == counts


@pytest.mark.parametrize("metric", ["mse", "pearson"])
def test_a_board_says_the_score_that_it_has_shown_last(metric):
    """Also where larger is better: others' ranks and the client's start are made of it."""
    predictions, y = submissions()
    board = Board(Scorer(find(metric), y), mechanism("full_disclosure"), STREAMS)
    assert np.isnan(board.shown)
    released = board.submit(predictions).released
    assert board.shown == released[-1] > 0.0


def test_a_buffer_that_is_used_again_is_judged_again():
    predictions, y = submissions()
    scorer = Scorer(find("mse"), y)
    before = scorer.judge(predictions).risks.copy()
    predictions[:] = y
    assert (scorer.judge(predictions).risks == 0).all()
    assert (before > 0).all()


def test_files_that_no_defence_compares_need_not_be_kept(any_mechanism):
    predictions, y = submissions()
    if any_mechanism.reads_files:
        pytest.skip("reads them")
    kept, lean = (Scorer(find("mse"), y, keeps_files=keeps) for keeps in (True, False))
    assert lean.judge(predictions).files is None
    boards = [Board(scorer, any_mechanism, STREAMS) for scorer in (kept, lean)]
    np.testing.assert_array_equal(*(board.submit(predictions) for board in boards))


def test_another_account_meets_another_luck():
    predictions, y = submissions(m=60)
    scorer = Scorer(find("mse"), y, predictions)
    test = mechanism("bayesboot_ladder", posterior_odds=1.0, draws=11)
    accepted = []
    for number in (1, 2):
        board = Board(scorer, test, STREAMS, number)
        accepted.append(board.submit(predictions).accepted.tolist())
    assert accepted[0] != accepted[1]


def test_releases_of_one_gate_share_its_decisions():
    predictions, y = submissions()
    scorer = Scorer(find("ccc"), y)
    accepted = set()
    for b in (1, 10, 100):
        board = Board(scorer, mechanism("bayesboot_ladderboot", posterior_odds=1.0, b=b), STREAMS)
        accepted.add(tuple(board.submit(predictions).accepted))
    board = Board(scorer, mechanism("bayesboot_ladder", posterior_odds=1.0), STREAMS)
    assert accepted == {tuple(board.submit(predictions).accepted)}


def test_a_preview_changes_nothing(any_mechanism):
    predictions, y = submissions()
    boards = [Board(Scorer(find("mse"), y), any_mechanism, STREAMS) for _ in range(2)]
    for board in boards:
        board.submit(predictions[:10])
    seen = boards[0].preview(boards[0].scorer.judge(predictions[10:]))
    assert seen.shape == (10,)
    np.testing.assert_array_equal(*[b.submit(predictions[10:]) for b in boards])
    assert boards[0].counts == boards[1].counts
    assert boards[0].counts.submissions == 20


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
        Scorer(find("pearson"), y).judge(predictions)


@pytest.mark.parametrize(
    "metric", ["spearman", "kendall", "zero_one", "mse", "rmse", "mae", "r2", "nrmse", "cosine", R2]
)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_no_metric_hides_a_prediction_that_is_not_finite(metric, bad):
    predictions, y = submissions(m=3)
    predictions[1, 4] = bad
    judge = Scorer(find(metric), y).judge
    if bad == 1e200 and metric not in ("mse", "rmse", "r2", "nrmse", "cosine", R2):
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
    with pytest.raises(InputError, match=f"metric '{metric}': wanted .* Choose another metric"):
        Scorer(find(metric), y).judge(predictions)
    assert (Scorer(find(metric), abs(y)).judge(abs(predictions)).risks > 0).all()


@pytest.mark.parametrize(
    "metric",
    [
        *(name for name in METRICS if find(name).response == NUMBERS),
        *(R2, "sklearn.metrics.mean_absolute_error"),
    ],
)
def test_a_clearly_better_submission_gets_in_and_a_worse_one_does_not(any_mechanism, metric):
    """Correlations with the response of about .4, .95 and .4: errors of 4 and more than 10 sd."""
    if any_mechanism.shows == "nothing":
        pytest.skip("shows nothing")
    if any_mechanism.every_defence:
        pytest.skip("the first submission need not be accepted")
    metric = find(metric)
    skip_unless_it_takes(any_mechanism, metric)
    rng = np.random.default_rng(3)
    y = rng.standard_normal(200)
    any_mechanism = with_unit(any_mechanism, y)
    predictions = y + rng.standard_normal((3, 200)) * [[2.0], [0.3], [2.0]]
    y, predictions = fitting(metric, y, predictions)
    board = Board(Scorer(metric, y), any_mechanism, STREAMS)
    shown, accepted = board.submit(predictions)
    shown = shown * (1 if metric.larger_is_better else -1)
    replaces_always = any_mechanism.replaces_always
    assert accepted.tolist() == [True, True, replaces_always]
    apart = 0.2 if metric.response == NUMBERS else 0.1  # of classes, a guess often has a half
    assert shown[1] > shown[0] + apart
    assert (shown[2] < shown[1] - apart) == replaces_always


def test_a_simulation_scores_a_constant_prediction_zero():
    predictions, y = submissions(m=3)
    predictions[1] = 0.3
    for metric in ("pearson", "spearman", "ccc"):
        risks = Scorer(find(metric), y, undefined_is_zero=True).judge(predictions).risks
        assert risks[1] == 0.0
        assert (risks[[0, 2]] < 0).all()
    predictions[1, 0] = np.nan
    with pytest.raises(InputError, match="submission 2 of this batch .*not finite"):
        Scorer(find("pearson"), y, undefined_is_zero=True).judge(predictions)


def test_noise_is_redrawn_on_a_new_board():
    predictions, y = submissions()
    scorer, boot = Scorer(find("mse"), y), mechanism("ladderboot", alpha=0.15, b=10)
    first, second = (Board(scorer, boot, STREAMS, number) for number in (1, 2))
    assert (first.submit(predictions).released != second.submit(predictions).released).all()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("laddr", {}, "mechanism 'laddr' is not known. Did you mean 'ladder'"),
        ("ladder", {}, "mechanism 'ladder' needs 'alpha'. Meaning: Significance level"),
        ("ladder", {"alpha": 0.1, "b": 3}, r"has no parameter .b.. It has: alpha"),
        ("ladder", {"alpha": 1.5}, "`alpha` must be a number above 0 and below 1; got 1.5"),
        ("ladderboot", {"alpha": 0.1, "b": 0}, "`b` must be a whole number .* got 0"),
        ("general_ladder", {"eta": -0.1}, "`eta` must be a number above 0; got -0.1"),
        (
            "bayesboot_ladder",
            {"posterior_odds": 0},
            "`posterior_odds` must be a number above 0; got 0",
        ),
        (
            "bayesboot_ladder",
            {"posterior_odds": 1, "draws": -5},
            "`draws` must be a whole number of at least 1 and at most 1,000,000; got -5",
        ),
    ],
)
def test_settings_of_a_mechanism_are_checked(name, settings, message):
    with pytest.raises(InputError, match=message):
        mechanism(name, **settings)


def test_lists_of_settings_multiply_out():
    boards = mechanisms([{"name": "ladderboot", "alpha": [0.1, 0.5], "b": [1, 10, 100]}])
    assert [(m.alpha, m.b) for m in boards] == [
        (0.1, 1), (0.1, 10), (0.1, 100), (0.5, 1), (0.5, 10), (0.5, 100),
    ]  # fmt: skip


def test_equal_settings_are_one_mechanism_however_they_are_written():
    first, same = (mechanism("bayesboot_ladder", posterior_odds=odds) for odds in (1, 1.0))
    assert (first.setting, first.gate_id) == (same.setting, same.gate_id)


def test_settings_differ_in_any_parameter():
    entry = {"name": "bayesboot_ladderboot", "posterior_odds": 1, "b": 3}
    boards = mechanisms([{**entry, "dirichlet": [True, False]}])
    assert [board.setting for board in boards] == [
        "bayesboot_ladderboot(posterior_odds=1,b=3,dirichlet=true)",
        "bayesboot_ladderboot(posterior_odds=1,b=3)",
    ]
    assert boards[0].title != boards[1].title


def test_a_mechanism_listed_twice_is_refused():
    with pytest.raises(InputError, match="'ladder' is listed twice"):
        mechanisms([{"name": "ladder", "alpha": [0.1, 0.2]}, {"name": "ladder", "alpha": 0.2}])


def test_each_from_a_new_account_is_what_as_many_new_boards_show(any_mechanism):
    predictions, y = submissions()
    scorer = Scorer(find("mse"), y)
    at_once = Board(scorer, any_mechanism, STREAMS)
    shown = at_once.submit_each(predictions).released
    singly = [
        Board(scorer, any_mechanism, STREAMS, number).submit(p[None]).released[0]
        for number, p in enumerate(predictions, start=1)
    ]
    if any_mechanism.is_noisy:  # another rng_factory: each mean of b = 10 or 3 draws, 20 of them
        gap = np.mean(shown) - np.mean(singly)
        assert abs(gap) < 6 * np.std(shown - np.array(singly)) / np.sqrt(len(shown))
        new = shown != at_once.shown  # not what the board begins with
        assert (shown != singly)[1:][new[1:]].all()
        assert new.sum() > 10
    else:
        np.testing.assert_array_equal(shown, singly)
    if any_mechanism.every_defence:
        return  # a submission need not replace what the board starts with
    assert at_once.counts == Counts(*[len(predictions)] * 3)
    assert at_once.state.risk == np.inf


@pytest.mark.parametrize("name", ["general_ladder", "kaggle", "ladder"])
def test_a_preview_is_of_each_file_by_itself(name):
    """A better file in the same preview is not in force."""
    predictions, y = submissions()
    given = {"eta": 0.05} if name == "general_ladder" else {}
    given = {"alpha": 0.4} if name == "ladder" else given
    board = Board(Scorer(find("mse"), y), mechanism(name, **given), STREAMS)
    board.submit(predictions[:3])
    mixed = predictions[::-1]
    singly = [board.preview(board.scorer.judge(file[None]))[0] for file in mixed]
    np.testing.assert_array_equal(board.preview(board.scorer.judge(mixed)), singly)
    assert len(set(singly)) > 1


def test_a_gate_that_cannot_judge_a_metric_is_refused():
    _, y = submissions()
    with pytest.raises(InputError, match="tests losses row by row, and metric 'pearson'"):
        Board(Scorer(find("pearson"), y), mechanism("ladder", alpha=0.4), STREAMS)


def test_new_accounts_draw_other_weights_in_the_next_batch():
    predictions, y = submissions()
    named = []

    def streams(*names):
        named.append(names)
        return STREAMS(*names)

    bayes = mechanism("bayesboot_ladder", posterior_odds=1.0, draws=50)
    board = Board(Scorer(find("mse"), y), bayes, streams)
    for _ in range(3):
        board.submit_each(predictions)
    gates = [names for names in named if names[0] == "gate"]
    assert len(set(gates)) == len(gates) == 3


def test_a_score_is_by_default_of_a_first_submission():
    predictions, y = submissions()
    assert Scorer(find("mse"), y).judge(predictions).before == 0

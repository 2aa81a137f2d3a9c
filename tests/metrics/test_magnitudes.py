"""Scores, gates and logs of numbers of any size: the same but for the unit, or refused by name."""

import numpy as np
import pytest

from shakedown.interface import LARGEST, SMALLEST_SPREAD, InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.live.judging import LiveJudge
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused, read_submission
from shakedown.live.truth import Truth
from shakedown.metrics import METRICS, find
from shakedown.seeding import stream
from tests.replay.logs import listing, messages_of, read_log, table

FORMULAS = [name for name in METRICS if find(name).formula is not None]
#: Powers of two, so that nothing but the exponent of a number changes; about 1e-50 and 1e48.
UNITS = (2.0**-163, 2.0**-20, 1.0, 2.0**20, 2.0**160)


def numbers(n=40, m=25, seed=2):
    """A response, and predictions that get better, with ties."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n).round(1)
    share = np.linspace(0, 0.9, m)[:, None]
    return y, share * y + (1 - share) * rng.standard_normal((m, n)).round(1)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", FORMULAS)
def test_a_score_has_the_unit_of_its_metric(name, unit):
    y, predictions = numbers()
    metric = find(name)
    usual = metric.score(y, predictions)
    np.testing.assert_allclose(
        metric.score(unit * y, unit * predictions), usual * unit**metric.degree, rtol=1e-12
    )


@pytest.mark.parametrize("exponent", range(-320, 50, 10))
def test_a_correlation_does_not_depend_on_the_unit_of_predictions(exponent):
    y, predictions = numbers(m=3)
    usual = find("pearson").score(y, predictions)
    scores = find("pearson").score(y, predictions * float(f"1e{exponent}"))
    if exponent < -52:
        assert np.isnan(scores).all()  # as for constant predictions
    else:
        np.testing.assert_allclose(scores, usual, rtol=1e-12)


@pytest.mark.parametrize("unit", [u for u in UNITS if u >= 1])
@pytest.mark.parametrize("metric", ["mse", "mae", "pearson", "ccc"])
@pytest.mark.parametrize("setting", ["ladderboot(alpha=0.15,b=20)", "general_ladder(eta=UNIT)",
                                     "bayesboot_ladderboot(posterior_odds=2,b=20)"])  # fmt: skip
def test_a_board_decides_the_same_in_another_unit(setting, metric, unit):
    if setting.startswith("ladderboot") and metric in ("pearson", "ccc"):
        setting = "full_disclosure"
    y, predictions = numbers()
    degree = find(metric).degree
    shown = []
    for size in (1.0, unit):
        mechanism = of_setting(setting.replace("UNIT", f"{0.02 * size**degree!r}"))
        scorer = Scorer(find(metric), y * size)
        receipt = Board(scorer, mechanism, lambda *axes: stream(1, *axes)).submit(
            predictions * size
        )
        shown.append((receipt.released / size**degree, receipt.accepted))
    np.testing.assert_allclose(shown[0][0], shown[1][0], rtol=1e-9)
    np.testing.assert_array_equal(shown[0][1], shown[1][1])
    assert shown[0][1].sum() > 1


@pytest.mark.parametrize(
    ("metric", "least"),
    [("mse", 1e-4), ("rmse", 1e-8), ("mae", 1e-8), ("pearson", 1e-50), ("ccc", 1e-50)],
)
def test_a_truth_whose_scores_cannot_be_told_apart_is_refused(tmp_path, metric, least):
    rows = table()
    numbers = rows.columns[3:].insert(0, "truth")
    rows[numbers] = rows[numbers].astype(float)
    spread = np.ptp(rows.loc[rows["set"] == "public", "truth"])
    for size, fits in ((1.1, True), (0.9, False)):
        small = rows.copy()
        small[numbers] *= size * least / spread
        small.loc[small["set"] == "private", numbers] *= 100
        values, public = small["truth"].to_numpy(float), (small["set"] == "public").to_numpy()
        truth = Truth.of(small["id"].tolist(), values, public)
        judge = LiveJudge(1, Rules.of("full_disclosure", metric, seed=1), truth)
        if fits:
            judge.check_metric()
            read_log(tmp_path, small, listing(), metric=metric)
            continue
        with pytest.raises(InputError) as live:
            judge.check_metric()
        with pytest.raises(InputError) as replayed:
            read_log(tmp_path, small, listing(), metric=metric)
        for caught in (live, replayed):
            assert (
                f"public values of the truth differ by {np.ptp(values[public]):g} at most; wanted "
                f"at least {least:g}, or all equal. Use a smaller unit." in str(caught.value)
            )


LIMITS = [("1e50", True), ("-1e50", True), ("1.0001e50", False), ("1e60", False), ("1e200", False),
          ("-1e308", False), ("1e400", False), ("-inf", False)]  # fmt: skip


@pytest.mark.parametrize(("cell", "is_taken"), LIMITS)
def test_a_replay_and_a_running_board_take_the_same_predictions(tmp_path, cell, is_taken):
    rows = table()
    rows.loc[4, "s2"] = cell
    log = read_log(tmp_path, rows, listing())
    assert ("s2" in set(log.submissions["submission"])) == is_taken
    text = rows[["id", "s2"]].rename(columns={"s2": "prediction"}).to_csv(index=False)
    ids = rows["id"].tolist()
    if is_taken:
        np.testing.assert_array_equal(log.predictions[1], read_submission(text.encode(), ids))
        return
    with pytest.raises(Refused, match=r"'r5'\): the prediction .* is infinite or above 1e\+50"):
        read_submission(text.encode(), ids)
    message = messages_of(log, "not_finite").iloc[0]
    assert message["done"] == (
        "1 prediction is infinite or above 1e+50 in size; treated as missing."
    )


@pytest.mark.parametrize("cell", ["1.1e50", "1e200", "-1e308"])
def test_so_are_truths(tmp_path, cell):
    rows = table()
    rows.loc[4, "truth"] = cell
    log = read_log(tmp_path, rows, listing())
    assert "r5" not in log.rows
    assert "missing, not finite or above 1e+50" in messages_of(log, "truth_missing")["done"].iloc[0]
    values = rows["truth"].astype(float).to_numpy()
    with pytest.raises(InputError, match=r"truth: wanted a number up to 1e\+50 in size .* 'r5'"):
        Truth.of(rows["id"].tolist(), values, np.arange(40) < 20)


@pytest.mark.parametrize("scale", [0.0, 1e-60, 1e-200, 1e-310])
def test_predictions_that_hardly_differ_have_no_correlation(tmp_path, scale):
    rows = table()
    rows["s2"] = rows["s2"].astype(float) * scale
    log = read_log(tmp_path, rows, listing(), metric="pearson")
    assert "s2" not in set(log.submissions["submission"])
    done = messages_of(log, "no_score")["done"].iloc[0]
    assert ("are all equal there" if scale == 0 else "differ by less than 1e-50 there") in done
    truth = Truth.of(rows["id"].tolist(), rows["truth"].to_numpy(float), np.arange(40) < 20)
    judge = LiveJudge(1, Rules.of("full_disclosure", "pearson", seed=1), truth)
    with pytest.raises(Refused, match="needs predictions that differ") as caught:
        judge.checked(rows["s2"].to_numpy(float))
    assert caught.value.reason == "constant"


def test_the_limits_leave_room():
    n = 10.0**7
    assert n * (2 * LARGEST) ** 4 < 1e300
    assert (n * (2 * LARGEST) ** 2) ** 2 < 1e300
    assert (SMALLEST_SPREAD**2 / 2) ** 2 / n > 1e-300


def test_a_running_board_says_it_when_it_is_made(tmp_path):
    values = np.random.default_rng(1).standard_normal(12) * 1e-9
    truth = Truth.of([f"r{k}" for k in range(12)], values, np.arange(12) < 6)
    rules = Rules.of("full_disclosure", "mse", seed=1)
    with pytest.raises(InputError, match="public values of the truth differ by .*; wanted at lea"):
        LiveBoard.create(f"sqlite:///{tmp_path}/b.db", rules, truth)

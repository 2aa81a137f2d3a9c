"""What a dry run may call proved: against the counts by hand, and against an attacker."""

from functools import cache, partial
from math import comb, log, sqrt

import numpy as np
import pytest
from scipy import stats

from shakedown.interface import Challenge, InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.replicate import Experiment, play
from shakedown.theory.gains import SquaredError
from shakedown.theory.proved import (
    digests_within,
    gain_bound,
    ladder_step_within,
    proved_limits,
    proved_nats,
    proved_submissions,
    proved_transcripts,
    rows_needed,
)

#: Chance that a test fails although the bound holds with equality, each.
FALSE_ALARM = 1e-6
THRESHOLDS = {"mse": -0.05, "rmse": -0.025}
LADDER = "general_ladder(eta=0.1)+baseline"
DIGEST = "digest(eta=0.1,floor=0.5,every=50,updates=10)"


def keeps(setting, metric, rows, submissions, quantile=None, threshold=None):
    """Whether the bound of the gain is within what is tolerated."""
    told = proved_transcripts(setting, rows, submissions)
    gain = -(threshold or THRESHOLDS[metric])
    return gain_bound(metric).keeps(told, rows, gain, quantile)


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("rows", [209, 1000])
@pytest.mark.parametrize("quantile", [None, 0.25])
def test_the_last_submission_that_is_proved_of_a_ladder(rows, metric, quantile):
    last = proved_submissions(LADDER, metric, rows, THRESHOLDS[metric], 3_000, quantile=quantile)
    assert not last or keeps(LADDER, metric, rows, last, quantile)
    if last < 3_000:
        assert not keeps(LADDER, metric, rows, last + 1) or not keeps(
            LADDER, metric, rows, last + 1, quantile
        )
    assert proved_submissions(LADDER, metric, rows, THRESHOLDS[metric], 1) == 1


def test_a_digest_is_proved_until_an_update_too_many():
    """At n = 209: 17 updates on average, 12 for three attackers in four."""
    many = DIGEST.replace("updates=10", "updates=40")
    assert proved_submissions(many, "mse", 209, -0.05, 5000) == 899
    assert proved_submissions(many, "mse", 209, -0.05, 5000, quantile=0.25) == 649
    assert proved_submissions(DIGEST, "mse", 209, -0.05, 2000, quantile=0.25) == 2000
    assert proved_submissions(DIGEST, "mse", 209, -0.05, 2000, accounts=2) == 249


def test_what_is_proved_at_a_quantile_and_on_average():
    """What is called proved is both; a smaller share of attackers leaves less."""
    many = DIGEST.replace("updates=10", "updates=40")
    given = many, "mse", 209, -0.05, 5000
    quarter, few = (proved_limits(*given, quantile=q) for q in (0.25, 0.01))
    assert quarter == (899, 649)
    assert quarter.both == 649
    assert few.mean == 899
    assert few.quantile < 649
    assert proved_limits("full_disclosure", "mse", 209, -0.05, 9, quantile=0.25) == (None, None)
    assert proved_limits("full_disclosure", "mse", 209, -0.05, 9, quantile=0.25).both is None
    assert proved_limits(LADDER, "mse", 30, -0.05, 9, quantile=0.25).both == 0


def test_a_cap_helps_and_accounts_harm():
    most = [
        proved_submissions(setting, "mse", rows, -0.05, 10_000, accounts)
        for setting, rows, accounts in (
            (LADDER, 600, 1), (f"{LADDER}+cap(improvements=2)", 600, 1), (LADDER, 600, 2)
        )
    ]  # fmt: skip
    assert most[2] < most[0] <= most[1]


@pytest.mark.parametrize("setting", [LADDER, DIGEST, "ladder(alpha=0.15)+baseline"])
def test_with_too_few_rows_no_submission_is_proved(setting):
    first = 49 if setting == DIGEST else 0  # a digest shows nothing before its first update
    assert proved_submissions(setting, "mse", 30, -0.05, 2000) == first


@pytest.mark.parametrize(
    "setting",
    [
        "full_disclosure",
        "full_disclosure+baseline",
        "general_ladder(eta=0.1)",  # without a start
        "kaggle(eta=0.1)+baseline",  # scores rise
        "ladder(alpha=0.6)+baseline",
        "ladderboot(alpha=0.15,b=10)+baseline+cap(improvements=3)",
        "rank_board",
    ],
)
def test_of_some_boards_nothing_is_proved(setting):
    assert proved_submissions(setting, "mse", 5000, -0.05, 100) is None


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("setting", [LADDER, DIGEST])
@pytest.mark.parametrize("quantile", [None, 0.25])
def test_the_fewest_rows_for_which_a_board_is_proved(setting, metric, quantile):
    rows = rows_needed(setting, metric, THRESHOLDS[metric], 500, quantile=quantile)
    assert rows > 100
    given = metric, THRESHOLDS[metric], 500
    for number, enough in ((rows, True), (rows - 1, False)):
        kept = keeps(setting, metric, number, 500) and (
            quantile is None or keeps(setting, metric, number, 500, quantile)
        )
        assert kept == enough
    assert proved_submissions(setting, given[0], rows, *given[1:], quantile=quantile) == 500


def test_known_rows():
    assert rows_needed(DIGEST, "mse", -0.05, 1000) == 163
    assert rows_needed(DIGEST, "mse", -0.05, 1000, quantile=0.25) == 195
    assert rows_needed(DIGEST, "mse", -0.05, 1000, accounts=10) == 1673
    assert rows_needed(DIGEST, "mse", -0.05, 49) == 1  # no update
    assert rows_needed("ladder(alpha=0.15)+baseline", "mse", -0.05, 1000) > 200_000
    assert rows_needed("full_disclosure", "mse", -0.05, 1000) is None
    assert rows_needed(DIGEST, "mae", -0.05, 1000) is None


@pytest.mark.parametrize("metric", ["mae", "spearman", "ccc"])
def test_of_other_metrics_nothing_is_proved(metric):
    assert proved_submissions(DIGEST, metric, 5000, -0.05, 100) is None
    assert digests_within(5000, -0.05, 100, metric=metric) == []
    assert ladder_step_within(5000, -0.05, 100, metric=metric) is None


def test_a_board_that_shows_nothing_is_proved_for_all():
    for metric in map(find, ("mse", "rmse")):
        assert proved_submissions(mechanism("constant_board"), metric, 209, -0.05, 500) == 500


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize(("rows", "submissions"), [(50, 100), (209, 500), (1000, 30)])
@pytest.mark.parametrize(("accounts", "quantile"), [(1, None), (2, None), (1, 0.25)])
def test_what_is_offered_is_proved_and_the_next_is_not(
    rows, submissions, metric, accounts, quantile
):
    threshold = THRESHOLDS[metric]
    proved = partial(
        proved_submissions, metric=metric, n_public=rows, threshold=threshold, most=submissions,
        accounts=accounts, quantile=quantile,
    )  # fmt: skip
    offered = {"metric": metric, "accounts": accounts, "quantile": quantile}
    offers = digests_within(rows, threshold, submissions, **offered)
    assert len(offers) <= 3
    lags = []
    for entry in offers:
        assert proved(mechanism("digest", **entry)) == submissions
        assert 0 <= submissions - entry["every"] * entry["updates"] < entry["updates"]
        lags.append(entry["eta"] + (1.0 - entry["floor"]) / entry["updates"])
        if entry["updates"] < min(100, submissions):
            more = entry["updates"] + 1
            entry = entry | {"updates": more, "every": submissions // more}
            assert proved(mechanism("digest", **entry)) < submissions
    assert lags == sorted(lags)
    eta = ladder_step_within(rows, threshold, submissions, **offered)
    if eta is not None:
        assert eta <= 0.25
        assert proved(f"general_ladder(eta={eta})+baseline") == submissions
        finer = float(f"{eta * (1 - 1e-9) - 0.5 * 10 ** np.floor(np.log10(eta) - 1):.1e}")
        assert proved(f"general_ladder(eta={finer})+baseline") < submissions


def test_known_offers():
    steps = {offer["eta"]: offer for offer in digests_within(209, -0.05, 500, quantile=0.25)}
    assert steps[0.1] == {"updates": 12, "eta": 0.1, "floor": 0.5, "every": 41}
    # All twelve are reached.
    assert digests_within(209, -0.05, 503, quantile=0.25)[0]["every"] == 41
    # A model that explains half of the variance has an RMSE of .7.
    assert {offer["floor"] for offer in digests_within(2000, -0.025, 500, metric="rmse")} == {0.7}
    assert digests_within(20, -0.05, 500) == []
    assert digests_within(500, -0.9, 500, floor=1.0) == []  # the mean is as good as that
    assert ladder_step_within(209, -0.05, 500) is None
    assert ladder_step_within(5000, -0.05, 500) == pytest.approx(0.0061)


def test_an_attacker_does_not_gain_more_than_is_proved():
    """It moves a little in a random direction and keeps what lowers the score."""
    rows, submissions, plays = 100, 2000, 200
    threshold = -0.3
    (entry, *_) = digests_within(rows, threshold, submissions)
    gains = []
    for number in range(plays):
        rng = np.random.default_rng(number)
        y = rng.standard_normal(rows)
        board = Board(Scorer(find("mse"), y), mechanism("digest", **entry), partial(stream, number))
        kept, shown = np.zeros(rows), board.shown
        for _ in range(entry["updates"]):
            # All files of an update are the same, so that it is known which one counted.
            way = rng.choice([-1.0, 1.0], rows)
            tried = kept + 0.15 * way
            score = board.submit(np.repeat(tried[None], entry["every"], axis=0)).released[-1]
            kept, shown = (tried, score) if score < shown else (kept, shown)
        gains.append(np.mean(y**2) - np.mean((y - kept) ** 2))
    gains = np.array(gains)
    error = gains.std(ddof=1) / sqrt(plays)
    assert gains.mean() <= -threshold + stats.norm.isf(FALSE_ALARM) * error
    assert gains.mean() > 4 * error  # it does gain


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize(("rows", "threshold"), [(100, -0.3), (209, -0.05)])
def test_the_reserve_attack_does_not_gain_more_than_is_proved(rows, threshold, metric):
    """The package's strongest attack, at the last submission that is proved of each board."""
    boards = [mechanism("digest", **entry) for entry in digests_within(rows, threshold, 300)]
    boards += [of_setting(LADDER.replace("0.1", eta)) for eta in ("0.02", "0.1")]
    limits = [proved_submissions(board, metric, rows, threshold, 300) for board in boards]
    # A control: far more submissions than are proved.
    control = of_setting("ladder(alpha=0.5)+baseline")
    assert proved_submissions(control, metric, rows, threshold, 300) < 30
    rng, ids = np.random.default_rng(1), np.arange(3 * rows).astype(str)
    X, y = rng.standard_normal((3 * rows, 3)), rng.standard_normal(3 * rows)
    data = Challenge("noise", X, y, ids, np.array(["a", "b", "c"]))

    def highest(board, submissions):
        """Mean Δ and a margin for 20 replicates."""
        around = [{"name": defence.name} for defence in board.defences]
        settings = {
            "metric": metric,
            "attack": {"name": "reserve", "submissions": submissions, "points": [submissions]},
            "mechanisms": [{"name": board.name, **board.parameters, "defences": around}],
        }
        deltas = play(Experiment("e", settings, data, "permuted", seed=1), range(20))["delta"]
        return deltas.mean() + stats.t.isf(FALSE_ALARM, 19) * deltas.std(ddof=1) / sqrt(20)

    for board, most in zip(boards, limits, strict=True):
        assert not most or highest(board, most) >= threshold, board.setting
    assert sum(map(bool, limits)) >= 3
    assert highest(control, 300) < threshold


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proved_submissions(DIGEST, "mse", 209, 0.05, 10), "`tolerated` must be a number"),
        (lambda: proved_submissions(DIGEST, "mse", 209, -0.05, 0), "`most` must be a whole number"),
        (lambda: proved_submissions(DIGEST, "mse", 0, -0.05, 9), "`n_public` must be a whole"),
        (lambda: digests_within(209, -0.05, 0), "`submissions` must be a whole number"),
        (lambda: digests_within(209, 0.05, 9), "`tolerated` must be a number above 0"),
        (lambda: ladder_step_within(209, -0.05, 9, accounts=0), "`accounts` must be a whole"),
        (lambda: proved_submissions("digest(eta=1)", "mse", 209, -0.05, 9), "digest"),
    ],
)
def test_numbers_out_of_range_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_setting_may_be_a_mechanism():
    for setting in (LADDER, DIGEST):
        numbers = (find("mse"), 1000, -0.05, 400)
        assert proved_submissions(setting, *numbers) == proved_submissions(
            of_setting(setting), *numbers
        )


def test_labels_by_hand():
    """A digest of 2 updates, from a loss of .5 down to .25 in steps of .1: C(2 + 3, 3) numbers."""
    setting = "digest(eta=0.1,floor=0.25,every=250,updates=2)"
    assert proved_submissions(setting, "zero_one", 1000, -0.05, 500) == 500
    assert proved_nats(setting, 1000, 500, start=0.5) == pytest.approx(log(comb(5, 3)))
    rows = rows_needed(setting, "zero_one", -0.05, 500)
    assert log(comb(5, 3)) / 0.05**2 <= rows < log(comb(5, 3)) / 0.05**2 + 1
    # With many rows it costs less to count the start.
    assert rows_needed(LADDER, "zero_one", -0.05, 500) == pytest.approx(
        (log(comb(505, 5)) + log(rows_needed(LADDER, "zero_one", -0.05, 500) // 2 + 1)) / 0.005,
        abs=1,
    )


@pytest.mark.parametrize(("rows", "start"), [(1000, None), (1000, 0.2), (5000, 0.05), (5000, None)])
def test_offers_for_labels_are_proved_from_their_start(rows, start):
    offers = digests_within(rows, -0.05, 500, metric="zero_one", start=start)
    assert offers
    for entry in offers:
        assert entry["floor"] == pytest.approx((start or 0.5) / 2)
        board = mechanism("digest", **entry)
        assert proved_submissions(board, "zero_one", rows, -0.05, 500, start=start) == 500
    assert ladder_step_within(209, -0.05, 500, metric="zero_one") is None


@pytest.mark.parametrize(
    ("rows", "share", "eta"), [(60, 0.5, 0.05), (60, 0.2, 0.05), (300, 0.5, 0.02)]
)
def test_no_climb_of_labels_breaks_the_bound(rows, share, eta):
    """Files with random flips of what the ladder last accepted, from the more frequent label.

    A count of everything that a ladder can show is far above what a climb learns.
    """
    rng, plays, submissions = np.random.default_rng(rows), 300, 30
    board = of_setting(f"general_ladder(eta={eta})+baseline")
    gains = np.empty(plays)
    for k in range(plays):
        y = (rng.random(rows) < share).astype(float)
        running = Board(Scorer(find("zero_one"), y), board, partial(stream, k))
        best = np.full(rows, float(y.mean() > 0.5))
        start = shown = np.mean(best != y)
        for _ in range(submissions):
            flips = rng.choice(rows, max(4, round(4 * eta * rows)), replace=False)
            file = best.copy()
            file[flips] = 1.0 - file[flips]
            new = running.submit(file[None]).released[0]
            if new < shown:
                best, shown = file, new
        gains[k] = start - np.mean(best != y)
    start = min(share, 1.0 - share)
    nats = proved_nats(board, rows, submissions, start=0.5)
    bound = gain_bound("zero_one").mean(nats, rows)
    error = gains.std(ddof=1) / sqrt(plays)
    assert gains.mean() <= bound + stats.norm.isf(FALSE_ALARM) * error
    if start == 0.5:
        assert gains.mean() > bound / 20  # so the test can fail


def most_right(rows, submissions):
    """Share of fair labels that the best strategy gets right, over all strategies.

    The board shows the fewest wrong labels so far, from those of the more frequent label.
    """
    every = range(2**rows)

    @cache
    def right(possible, shown, left):
        ones = [sum(y >> row & 1 for y in possible) for row in range(rows)]
        best = sum(max(count, len(possible) - count) for count in ones)
        for file in every if left else ():
            parts = {}
            for y in possible:
                parts.setdefault(min(shown, (y ^ file).bit_count()), set()).add(y)
            if len(parts) > 1:
                after = [right(frozenset(part), now, left - 1) for now, part in parts.items()]
                best = max(best, sum(after))
        return best

    starts = {}
    for y in every:
        starts.setdefault(min(y.bit_count(), rows - y.bit_count()), set()).add(y)
    total = sum(right(frozenset(part), shown, submissions) for shown, part in starts.items())
    return total / 2**rows / rows


@pytest.mark.parametrize(("rows", "submissions"), [(2, 2), (3, 3), (4, 2), (5, 1), (5, 2)])
def test_no_strategy_of_few_labels_breaks_the_bound(rows, submissions):
    """Every strategy on fair labels; without knowledge of them an honest file gets half."""
    setting = f"simplified_ladder(eta={1 / rows})+baseline"
    nats = proved_nats(setting, rows, submissions, start=0.5)
    gain = most_right(rows, submissions) - 0.5
    assert gain > 0.1
    assert gain <= gain_bound("zero_one").mean(nats, rows)
    assert most_right(rows, 0) == pytest.approx(0.5)


@pytest.mark.parametrize("rows", [3, 9])
def test_of_few_standardised_rows_no_rmse_is_proved(rows):
    coarse = "digest(eta=0.4,floor=0.5,every=1,updates=1)"
    assert proved_submissions(coarse, "rmse", rows, -0.4, 5) == 0
    assert digests_within(rows, -0.4, 5, metric="rmse") == []
    assert proved_submissions(coarse, "rmse", 10, -0.4, 5) == 5


def test_noise_that_varies_more_in_some_rows_takes_as_much_of_the_budget():
    unequal, equal = gain_bound("mse", 4.0), SquaredError(1.0)
    told = proved_transcripts(DIGEST, 100, 1000)
    assert unequal.mean(1.0, 100) == 4.0 * equal.mean(1.0, 100)
    # Half-spaces and levels are for equal variances.
    plain = {None: unequal.mean(told.nats, 100), 0.25: unequal.high(told.nats, 100, 0.25)}
    for delta, most in plain.items():
        assert unequal.bound(told, 100, delta) == most >= 4.0 * equal.bound(told, 100, delta)
    assert gain_bound("rmse", 4.0) is None
    assert gain_bound("rmse", 1.0) == gain_bound("rmse")
    assert gain_bound("zero_one", 4.0) == gain_bound("zero_one")
    rows = rows_needed(DIGEST, "mse", -0.05, 1000)
    assert rows_needed(DIGEST, "mse", -0.05, 1000, row_variance=4.0) > 4 * rows
    assert proved_submissions(DIGEST, "mse", 313, -0.05, 2000, row_variance=2.0) < 300
    eta = ladder_step_within(5000, -0.05, 500, row_variance=3.0)
    assert eta > ladder_step_within(5000, -0.05, 500)
    for entry in digests_within(1000, -0.05, 500, row_variance=3.0):
        board = mechanism("digest", **entry)
        assert proved_submissions(board, "mse", 1000, -0.05, 500, row_variance=3.0) == 500
    with pytest.raises(InputError, match="`row_variance` must be a number above 0"):
        proved_submissions(DIGEST, "mse", 209, -0.05, 9, row_variance=-1.0)


def test_of_unequal_variance_the_mean_alone_is_proved():
    board = "digest(eta=0.25,floor=0.5,every=50,updates=1)"
    for c, mean in [(1.0, 500), (2.0, 500), (100.0, None)]:
        limits = proved_limits(board, "mse", 209, -0.05, 500, quantile=0.25, row_variance=c)
        assert limits.mean == mean
        assert limits.quantile == (500 if c == 1.0 else None)
        assert limits.both == (500 if c == 1.0 else None)


@pytest.mark.parametrize(("n", "noisy"), [(10, 2), (20, 4), (10, 5)])
def test_with_few_noisy_rows_a_sign_is_worth_more_at_a_quantile_than_equal_noise_allows(n, noisy):
    """All the noise in a few rows, a standardised response, two files v and -v, and a sign told."""
    rng, plays = np.random.default_rng(n), 40_000
    y = np.zeros((plays, n))
    y[:, :noisy] = rng.standard_normal((plays, noisy))
    y -= y.mean(axis=1, keepdims=True)
    y *= np.sqrt((n - 1) / (y**2).sum(axis=1, keepdims=True))
    v = np.zeros(n)
    v[0] = 1.0
    v -= v.mean()
    v[noisy:] = v[noisy:].mean()
    gain = (y @ v) ** 2 / (v @ v) / n  # of the better sign, at its best length
    exceeded = np.mean(gain > gain_bound("mse", n / noisy).high(log(2), n, 0.25))
    assert exceeded > 0.25 + 4 * sqrt(0.25 * 0.75 / plays)

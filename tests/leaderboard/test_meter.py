"""The metered board: its literal twin, the meter by brute force, what its answers are worth."""

from decimal import Decimal, localcontext
from functools import partial
from math import inf
from operator import mul

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge

from shakedown.interface import InputError
from shakedown.leaderboard.account import Account
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.degrees import (
    charged_correlation,
    charged_gain,
    degrees_within,
    degrees_within_correlation,
)
from shakedown.leaderboard.grain import on_grid
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.meter import Meter
from shakedown.leaderboard.responses import LINEAR, measured_by
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.sequential import JudgedFile, SequentialBoard
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.terms import Metering
from tests.reference.metered import Metered

RNG = partial(stream, 3)


def response(n, seed=0):
    y = np.random.default_rng(seed).standard_normal(n)
    return (y - y.mean()) / y.std(ddof=1)


def files_like(n, count, seed=1):
    """Files of all kinds: new ones, some like earlier ones, repeated ones, constant ones."""
    rng = np.random.default_rng(seed)
    files = rng.standard_normal((count, n)) * rng.uniform(0.1, 3.0, (count, 1))
    for t in range(3, count, 4):
        files[t] = files[t - 2] + 0.1 * rng.standard_normal(n)
    files[7], files[8] = files[2], 1.5
    return files


def board(y, setting, metric="mse"):
    return Board(Scorer(find(metric), y, undefined_is_zero=True), of_setting(setting), RNG)


@pytest.mark.parametrize("n", [12, 69, 209])
@pytest.mark.parametrize("sd", [0.001, 0.02, 0.3])
def test_it_is_its_literal_twin(n, sd):
    y, files = response(n), files_like(n, 40)
    ours = board(y, f"metered(gain=0.3,files=30,sd={sd})")
    noise = RNG("release", ours.mechanism.setting, 1)
    theirs = Metered(y, 0.3 * n - 1.0, 30, sd, [])
    for t, file in enumerate(files):
        asked = ours.state.memory.asked(measured_by(find("mse"), file[None])[0][0])[1]
        theirs.noise.append(noise.standard_normal() if asked < inf else np.nan)
        shown = ours.submit(file[None]).released[0]
        assert shown == pytest.approx(theirs.submit(file), abs=1e-9), t
        memory = ours.state.memory
        assert memory.meter.spent == pytest.approx(theirs.spent, abs=1e-8), t
        error = ours.mechanism.release.quote(memory, find("mse"), file).error_now
        assert error == pytest.approx(theirs.error, abs=1e-6), t
    assert theirs.spent <= 0.3 * n - 1.0 + 1e-9


def meters_after(directions, sds, variance=1.0):
    meter, rng = Meter(directions.shape[1], variance), np.random.default_rng(5)
    for u, sd in zip(directions, sds, strict=True):
        meter = meter.after(meter.price(u), sd, rng.standard_normal())
    return meter


@pytest.mark.parametrize("variance", [1.0, 2.5])
@pytest.mark.parametrize(("n", "count"), [(5, 12), (40, 9), (100, 130)])
def test_the_meter_reads_the_degrees_of_freedom_of_a_ridge_regression(n, count, variance):
    rng = np.random.default_rng(2)
    directions, sds = rng.standard_normal((count, n)), rng.uniform(0.5, 4.0, count)
    meter = meters_after(directions, sds, variance)
    U = directions / sds[:, None]
    K = variance * U @ U.T
    assert meter.spent == pytest.approx(np.trace(K @ np.linalg.inv(np.eye(count) + K)), rel=1e-10)
    answers = np.random.default_rng(5).standard_normal(count)
    ridge = Ridge(alpha=1.0 / variance, fit_intercept=False).fit(U, answers / sds)
    np.testing.assert_allclose(meter.response(), ridge.coef_, atol=1e-9)
    np.testing.assert_allclose(directions @ meter.response(), directions @ ridge.coef_, atol=1e-9)


def test_prices_are_those_of_the_conditional_distribution():
    rng = np.random.default_rng(4)
    n, directions, sds = 30, rng.standard_normal((8, 30)), rng.uniform(0.5, 2.0, 8)
    meter, U = meters_after(directions, sds), directions / sds[:, None]
    S = np.linalg.inv(np.eye(n) + U.T @ U)
    u = rng.standard_normal(n)
    price = meter.price(u)
    assert price.variance == pytest.approx(u @ S @ u, rel=1e-10)
    assert price.mean == pytest.approx(u @ meter.response(), abs=1e-10)
    assert price.cost(0.7) == pytest.approx(u @ S @ S @ u / (u @ S @ u + 0.49), rel=1e-10)
    np.testing.assert_allclose(meter.left_of(u), S @ u, atol=1e-10)
    after = meter.after(price, 0.7, 1.3)
    mean, sd = price.estimate(0.7, 1.3)
    assert (mean, sd) == pytest.approx(after.price(u).estimate(), rel=1e-9)
    assert mean == pytest.approx(u @ after.estimate(), abs=1e-10)
    within = price.sd_within(0.2, 0.01)
    assert price.cost(within) == pytest.approx(0.2)
    assert price.sd_within(5.0, 0.01) == 0.01


@pytest.mark.parametrize("count", [0, 1, 20])
def test_an_answer_can_be_read_from_what_is_shown(count):
    """Also far from what was expected, where the odds of the scales change with it."""
    rng = np.random.default_rng(7)
    meter = meters_after(rng.standard_normal((count, 30)), rng.uniform(0.5, 2.0, count))
    price = meter.price(rng.standard_normal(30))
    for sd in (0.01, 1.0, 20.0):
        for answer in (-300.0, -9.0, 0.0, 0.3, 4.0, 1000.0):
            shown = price.estimate(sd, answer)[0]
            assert price.answer(sd, shown) == pytest.approx(answer, abs=1e-6 * (1 + abs(answer)))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("setting", ["metered(gain=0.05,files=100)", "metered(gain=0.2,files=100)"])
def test_standard_errors_are_those_of_scores_of_models_and_of_random_files(share, setting):
    """The share of the variance that files explain; with one scale, z^2 was 13 to 75 for models."""
    squares, n = [], 209
    for seed in range(20):
        rng, y = np.random.default_rng(seed), response(n, seed)
        steps = np.cumsum(rng.standard_normal((100, n)), axis=0) * 0.1 + rng.standard_normal(n)
        noise = steps - np.outer(steps @ y / (y @ y), y)
        noise /= noise.std(axis=1, keepdims=True)
        files = share * y + np.sqrt(share * (1 - share)) * noise if share else noise
        ours = board(y, setting)
        for file in files:
            shown, release = ours.submit(file[None]).released[0], ours.mechanism.release
            error = release.quote(ours.state.memory, find("mse"), file).error_now
            squares.append(((shown - ((y - file) ** 2).mean()) / error) ** 2)
    squares = np.reshape(squares, (20, 100))
    assert 0.3 < squares.mean() < 1.5
    assert (squares < 4.0).mean() > 0.92


def test_a_better_file_unlike_the_last_one_is_at_first_shown_worse_than_it_is():
    n, runs = 200, 40
    too_bad = np.empty((runs, 2))
    for run in range(runs):
        y, rng = response(n, run), np.random.default_rng((run, 1))
        # Models of predictions as certain as they are good, with errors of their own.
        files = np.array(
            [r2 * y + np.sqrt(r2 * (1 - r2)) * rng.standard_normal(n) for r2 in (0.1, 0.5)]
        )
        board = Board(
            Scorer(find("mse"), y), of_setting("metered(gain=0.0113,files=500)"),
            partial(stream, run),
        )  # fmt: skip
        too_bad[run] = board.submit(files).released - ((files - y) ** 2).mean(axis=1)
    # Each is off by more than its predecessor, and by many standard errors of the mean.
    first, second = too_bad.mean(axis=0)
    assert 0.1 < first < second - 0.5


def test_earlier_meters_stay_as_they_were():
    rng = np.random.default_rng(6)
    first = meters_after(rng.standard_normal((64, 20)), np.ones(64))  # all the room there is
    a, b = rng.standard_normal((2, 20))
    price = first.price(a)
    one = first.after(price, 1.0, 0.5)
    other = first.after(first.price(b), 2.0, -3.0)
    again = first.after(first.price(a), 1.0, 0.5)
    np.testing.assert_array_equal(one.response(), again.response())
    assert first.price(a).variance == price.variance
    assert other.spent != one.spent
    assert not np.allclose(other.response(), one.response())


@pytest.mark.parametrize("metric", LINEAR)
def test_a_score_is_linear_in_the_response(metric):
    y, files = response(40), files_like(40, 12)
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    directions, rests = measured_by(find(metric), files)
    np.testing.assert_allclose(rests - directions @ y, scorer.judge(files).risks, atol=1e-12)


@pytest.mark.parametrize("metric", ["rmse", "mae", "spearman", "aupr"])
def test_other_scores_are_refused(metric):
    with pytest.raises(InputError, match=f"metric '{metric}': wanted one that is linear .* Use"):
        of_setting("metered(gain=0.1,files=5)").check(find(metric))


#: Budgets that are spent within 90 files and after them, without a budget, and files refused.
SETTINGS = [
    "metered(files=300,gain=0.3)",
    "metered(files=40,gain=0.3)",
    "metered(files=90,gain=0.05,sd=0.3)",
    "metered(chance=0.25,files=40,gain=0.01)",
    "metered(files=70,gain=0.3)+cap(improvements=50)",
    "metered(files=70,gain=0.3)+cap_per_day(day=9,improvements=4)",
    "metered(files=70,gain=0.3)+baseline",
    "metered(files=70,gain=0.3)+distinct",
    "metered(files=70,gain=0.3)+value_range(variance=4.0)",
    "metered(files=70,gain=0.3)+one_board",
]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("metric", LINEAR)
def test_one_batch_is_as_good_as_many(setting, metric):
    """To the last bit, with repeated, constant, huge and refused files, on either side of the room
    that a meter has at first."""
    y, files = response(60), files_like(60, 90)
    files[30:33] *= 1e7
    boards = {size: board(y, setting, metric) for size in (90, 37, 16, 1)}
    shown = {
        size: np.concatenate([
            ours.submit(files[first : first + size]).released for first in range(0, 90, size)
        ])
        for size, ours in boards.items()
    }  # fmt: skip
    for size, ours in boards.items():
        np.testing.assert_array_equal(shown[size], shown[1], str(size))
        memory, single = ours.state.memory, boards[1].state.memory
        assert (memory.made, memory.meter.count) == (single.made, single.meter.count)
        assert memory.meter.spent == single.meter.spent
        np.testing.assert_array_equal(memory.meter.estimate(), single.meter.estimate())


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_accounts_that_share_a_meter_are_answered_alike_in_runs_and_file_by_file(share):
    """And as by prices: some of them use up their share, and the others go on."""
    directions, y = directions_of(60, 120), response(60)
    directions[::7] = directions[3]
    noise, rng = np.random.default_rng(4).standard_normal(120), np.random.default_rng(5)
    in_runs = each = priced = Account.opened(60, Metering(9.0, 60, 0.01, share))
    first = 0
    while first < 120:
        run, who = slice(first, first + int(rng.integers(1, 25))), "abc"[rng.integers(3)]
        means, in_runs = in_runs.answered(directions[run], y, noise[run], who)
        for u, xi, mean in zip(directions[run], noise[run], means, strict=True):
            (alone,), each = each.answered(u[None], y, np.array([xi]), who)
            assert alone == mean
            price, sd = priced.asked(u, who)
            answer = on_grid(float(u @ y) + sd * xi, sd) if sd < inf else 0.0
            assert price.estimate(sd, answer)[0] == pytest.approx(mean, abs=1e-9)
            priced = priced.after(price, sd, answer, who)
        assert in_runs.of == each.of == priced.of
        assert in_runs.left_to(who) == each.left_to(who)
        first = run.stop
    assert in_runs.meter.spent == each.meter.spent == priced.meter.spent
    assert share == 1.0 or in_runs.made < 60 or in_runs.files_left == 0


def test_files_that_are_each_the_next_one_leave_the_account_as_it_was():
    directions, y, noise = directions_of(60, 40), response(60), np.linspace(-2.0, 2.0, 20)
    _, account = Account.opened(60, Metering(9.0, 60, 0.01)).answered(directions[:20], y, noise)
    means, same = account.answered(directions[20:], y, noise, chain=False)
    assert same is account
    for u, xi, mean in zip(directions[20:], noise, means, strict=True):
        assert account.answered(u[None], y, np.array([xi]))[0] == mean


def test_a_preview_tells_nothing_twice():
    y, files = response(60), files_like(60, 10)
    ours = board(y, "metered(gain=0.3,files=20)")
    ours.submit(files[:5])
    before = ours.state.memory
    previews = ours.preview(ours.scorer.judge(files[5:]))
    assert ours.state.memory is before
    assert (previews == ours.preview(ours.scorer.judge(files[5:]))).all()


@pytest.mark.parametrize("cap", ["cap(improvements=5)", "cap_per_day(day=6,improvements=5)"])
def test_a_file_that_a_cap_turns_away_shows_the_last_score_and_no_exact_one(cap):
    y, files = response(60), files_like(60, 10)[:6]
    ours = board(y, f"metered(files=70,gain=0.3)+{cap}")
    shown = [ours.submit(file[None]).released[0] for file in files]
    assert shown[5] == shown[4]
    exact = ((y - files) ** 2).mean(axis=1)
    assert (np.abs(np.subtract.outer(shown, exact)) > 1e-6).all()


def test_the_account_keeps_to_its_budget_and_answers_every_file():
    account = Account.opened(50, Metering(4.0, 25, 0.01))
    rng, spent = np.random.default_rng(8), []
    for t in range(30):
        price, sd = account.asked(rng.standard_normal(50) / 25.0)
        assert (sd < inf) == (t < 25)
        spent.append(price.cost(sd))
        account = account.after(price, sd, 0.1)
    assert sum(spent) == pytest.approx(4.0)
    assert account.left_to(None).degrees == pytest.approx(0.0, abs=1e-9)
    assert spent[0] == pytest.approx(4.0 * (1.0 - (24 / 25) ** 0.75))
    assert (np.diff(spent[:25]) > 0.0).all()  # unlike each other, each costs all that it may


def test_a_repeated_file_costs_little_and_a_constant_one_nothing():
    meter, u = Meter(50), np.random.default_rng(8).standard_normal(50)
    first = meter.price(u)
    after = meter.after(first, 1.0, 0.1)
    assert first.cost(1.0) > 0.9
    assert 0.0 < after.price(u).cost(1.0) < 0.05 * first.cost(1.0)
    nothing = after.price(np.zeros(50))
    assert nothing.cost(0.01) == 0.0
    assert nothing.sd_within(0.0, 0.01) == 0.01


@pytest.mark.parametrize(("gain", "n", "chance"), [(0.05, 209, 0.25), (0.1, 1000, 0.05)])
def test_degrees_and_gains_are_inverses(gain, n, chance):
    for delta in (None, chance):
        degrees = degrees_within(gain, n, delta, 1.3)
        assert charged_gain(degrees, n, delta, 1.3) == pytest.approx(gain)
        degrees = degrees_within_correlation(8 * gain, n, delta)
        assert charged_correlation(degrees, n, delta) == pytest.approx(8 * gain)
    assert degrees_within(0.01, 50, 0.25) < 0.0
    assert degrees_within_correlation(0.1, 50, 0.25) < 0.0


@pytest.mark.parametrize("degrees", [0.5, 2.46, 8.0, 30.0])
def test_the_bound_with_a_probability_holds_where_the_gain_is_known(degrees):
    """D spread thinly over many rows: <y, m> / |m| is |m| and a normal number."""
    for chance in (0.25, 0.05, 0.01):
        bound = charged_gain(degrees, 1, chance)  # of n times the gain
        assert stats.norm.sf(np.sqrt(bound) - np.sqrt(degrees)) <= chance


def directions_of(n, count, seed=3):
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (count, n))
    return 2.0 / n * (signs - signs.mean(axis=1, keepdims=True))


def test_an_answer_that_is_not_charged_is_not_kept():
    """A file 1e5 x + d, with x known, is not charged; its answer would tell nearly all of d."""
    x, d = directions_of(69, 2)
    meter = Meter(69)
    first = meter.price(1e5 * x)
    meter = meter.after(first, 1e-6 * np.sqrt(first.square), 0.1)
    price = meter.price(1e5 * x + 0.1 * d)
    assert price.cost(0.005) == 0.0
    one, other = (meter.after(price, 0.005, price.mean + by) for by in (0.0, 0.05))
    np.testing.assert_array_equal(one.estimate(), other.estimate())
    assert one.spent == other.spent == meter.spent


def test_no_answer_is_more_precise_than_a_tenth_of_what_it_measures():
    """Else a file of positional weights would tell of many rows of a response of few values."""
    account = Account.opened(69, Metering(30.0, 40, 1e-6))
    for size in (1e-3, 1.0, 1e3):
        price, sd = account.asked(size * directions_of(69, 1)[0])
        assert sd >= 0.1 * np.sqrt(price.square)
        assert price.cost(sd) <= 1.0 / 1.01 + 1e-12


@pytest.mark.parametrize("size", [1e4, 1e6, 1e7, 1e12, 1e50])
def test_repeated_huge_files_do_not_break_a_meter(size):
    for seed in range(6):
        account = Account.opened(60, Metering(30.0, 40, 0.005))
        files = size * directions_of(60, 2, seed)
        for t in range(40):
            account = account.after(*account.asked(files[t % 2]), 0.1)
        assert account.meter.spent == pytest.approx(2.0, abs=2e-3)
        assert np.isfinite(account.meter.estimate()).all()


@pytest.mark.parametrize("size", [1e2, 1e3, 1e4])
def test_no_file_gives_anything_back(size):
    account, files = Account.opened(60, Metering(30.0, 40, 0.005)), size * directions_of(60, 2)
    for t in range(40):
        price, sd = account.asked(files[t % 2])
        assert price.cost(sd) >= 0.0, t
        account = account.after(price, sd, 0.1)


@pytest.mark.parametrize("setting", ["metered(gain=0.05,files=300)", "metered(gain=0.3,files=9)"])
@pytest.mark.parametrize("size", [1e8, 2.0**40, 2.0**48, 1e20])
def test_how_the_scores_of_huge_files_are_rounded_tells_nothing(setting, size):
    """Two responses with the same product with all files: what is shown is the same."""
    n, rng = 69, np.random.default_rng(4)
    y = response(n)
    d = np.eye(n)[[2, 40]] * np.array([[8.0], [3.0]])
    basis = np.linalg.qr(np.column_stack([np.ones(n), d.T, rng.standard_normal((n, n - 3))]))[0]
    turned = basis[:, 3:] @ np.linalg.qr(rng.standard_normal((n - 3, n - 3)))[0] @ basis[:, 3:].T
    other = basis[:, :3] @ (basis[:, :3].T @ y) + turned @ y
    files = np.vstack([size + d, 1e-3 * d, d])
    shown = [board(truth, setting).submit(files).released[2:] for truth in (y, other)]
    np.testing.assert_allclose(shown[0], shown[1], atol=1e-8)


def exact_degrees(directions):
    """tr K (I + K)^-1 with 80 digits."""
    rows, k = [[Decimal(float(x)) for x in row] for row in directions], len(directions)
    with localcontext() as context:
        context.prec = 80
        one = [[Decimal(int(i == j)) for j in range(k)] for i in range(k)]
        both = [
            [sum(map(mul, rows[i], rows[j])) + one[i][j] for j in range(k)] + one[i]
            for i in range(k)
        ]
        for i in range(k):
            both[i] = [x / both[i][i] for x in both[i]]
            for j in range(k):
                if j != i:
                    both[j] = [x - both[j][i] * z for x, z in zip(both[j], both[i], strict=True)]
        return float(k - sum(both[i][k + i] for i in range(k)))


def hostile(rng, n, count):
    """Files of all sizes, most of them nearly combinations of earlier ones."""
    basis, size, near = rng.standard_normal((4, n)), 10.0 ** rng.uniform(0, 8), rng.uniform(1, 7, 3)
    files, close = [], size * 10.0**-near
    for t in range(count):
        kind, last = rng.integers(5) if t > 1 else 0, files[rng.integers(t)] if t else None
        files.append(
            size * basis[rng.integers(4)] if kind == 0
            else last + close[0] * rng.standard_normal(n) if kind == 1
            else last * rng.uniform(0.1, 10.0) + close[1] * basis[rng.integers(4)] if kind == 2
            else 10.0 ** rng.uniform(-3, 3) * rng.standard_normal(n) if kind == 3
            else files[-1] - last + close[2] * rng.standard_normal(n)
        )  # fmt: skip
    return 2.0 / n * (np.array(files) - np.mean(files, axis=1, keepdims=True))


@pytest.mark.parametrize(("degrees", "files"), [(1.5, 16), (12.0, 16), (20.0, 24)])
def test_hostile_files_are_not_charged_less_than_they_tell(degrees, files):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        account, told = Account.opened(30, Metering(degrees, files, 0.005)), []
        for u in hostile(rng, 30, files):
            price, sd = account.asked(u)
            if price.variance:
                told.append(u / sd)
            account = account.after(price, sd, 0.1 * rng.standard_normal())
        assert np.isfinite(account.meter.estimate()).all()
        assert exact_degrees(told) < account.meter.spent + 0.02, seed


@pytest.mark.parametrize("metric", LINEAR)
@pytest.mark.parametrize("n", [40, 69, 209])
def test_a_constant_file_measures_nothing_though_its_mean_is_rounded(metric, n):
    constants = np.array([0.0, 0.1, -1 / 3, 1e8 / 7, 1e-40])
    directions, _ = measured_by(find(metric), np.repeat(constants[:, None], n, axis=1))
    assert (directions == 0.0).all()
    ours = board(response(n), "metered(gain=0.3,files=9)", metric)
    quote = ours.mechanism.release.quote(ours.state.memory, find(metric), np.full(n, 0.1))
    assert (quote.cost, quote.error, quote.error_now) == (0.0, 0.0, 0.0)


def assert_same_memory(first, second):
    """Two accounts are the same to the last bit."""
    assert (first.made, first.of, first.terms) == (second.made, second.of, second.terms)
    ours, others = first.meter, second.meter
    assert (ours.count, ours.spent) == (others.count, others.spent)
    assert ours.log_odds.tobytes() == others.log_odds.tobytes()
    m = ours.count
    for mine, other in zip(ours.room.tables, others.room.tables, strict=True):
        mine, other = (x[:m] if x.shape[0] > 3 else x[:, :m] for x in (mine, other))
        mine, other = (x[..., :m] if x.ndim == 3 else x for x in (mine, other))
        assert np.ascontiguousarray(mine).tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.mark.parametrize("metric", LINEAR)
@pytest.mark.parametrize("rows", [20, 60])
def test_a_file_is_answered_alike_with_its_products_known_or_not(rows, metric):
    """Beyond the room that a meter has at first, with constant files, files that were sent before,
    and more files than rows; products of another length are not used."""
    y, files = response(rows), files_like(rows, 90)
    files[7], files[30:33] = 1.0, files[2]
    scorer = Scorer(find(metric), y, undefined_is_zero=True)

    def new():
        return SequentialBoard(scorer, of_setting("metered(gain=0.3,files=80)"), RNG)

    ours, judged = new(), []
    for k, file in enumerate(files, 1):
        before = ours.state.memory
        ours.submit_one(file)
        assert (ours.products is None) == (before.allowance() <= 0.0)
        assert ours.products is None or len(ours.products) == before.meter.count
        judged.append(JudgedFile(k, None, ours.products))
    wrong = [known._replace(products=np.full(known.number + 1, np.nan)) for known in judged]
    for given in (judged, [known._replace(products=None) for known in judged], wrong):
        again = new()
        again.restore(ours.stored, files[-1], files, given)
        assert_same_memory(again.state.memory, ours.state.memory)
        assert again.stored == ours.stored
    judged[40] = judged[40]._replace(products=judged[40].products + 1e-3)
    again = new()
    again.restore(ours.stored, files[-1], files, judged)  # they are used
    assert (again.state.memory.meter.estimate() != ours.state.memory.meter.estimate()).all()


def test_products_of_one_file_are_not_those_of_a_batch():
    directions, y, noise = directions_of(60, 5), response(60), np.linspace(-2.0, 2.0, 5)
    _, account = Account.opened(60, Metering(9.0, 60, 0.01)).answered(directions[:3], y, noise[:3])
    plain, _ = account.answered(directions[3:], y, noise[3:])
    known = account.products(directions[3]) + 1.0
    given, _ = account.answered(directions[3:], y, noise[3:], known=known)
    np.testing.assert_array_equal(plain, given)
    scaled = Meter(60, 4.0)
    price = scaled.price(directions[0])
    scaled = scaled.after(price, 0.5, 1.0)
    expected = 4.0 / 0.5 * (directions[0] @ directions[1])
    assert scaled.products(directions[1]) == pytest.approx([expected], rel=1e-12)

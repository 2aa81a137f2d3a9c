"""The metered board of labels: what it asks, what it shows, and what the best attackers gain."""

from functools import partial
from itertools import product
from math import inf, log, sqrt

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard import label_meter
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_meter import LabelMeter
from shakedown.leaderboard.label_scores import Labels, measured_labels
from shakedown.leaderboard.label_sums import logarithm
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.responses import OF_LABELS
from shakedown.leaderboard.row_precision import precise_gain, precision_within
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.terms import Metering

RNG = partial(stream, 3)


def files_like(metric, n, count, seed=1):
    """Files of all kinds: new ones, some like earlier ones, repeated ones, constant ones."""
    rng = np.random.default_rng(seed)
    files = rng.uniform(0.02, 0.98, (count, n))
    for t in range(3, count, 3):
        files[t] = np.where(rng.random(n) < 0.2, rng.random(n), files[t - 2])
    files[5], files[6] = files[2], 0.25
    return np.round(files) if metric == "zero_one" else files


@pytest.mark.parametrize("metric", OF_LABELS)
@pytest.mark.parametrize("values", [(0.0, 1.0), (-0.6, 1.7)])
def test_scores_are_linear_in_labels(metric, values):
    low, high = values
    if metric == "zero_one":
        low, high = 0.0, 1.0
    y = np.where(np.random.default_rng(2).random(50) < 0.3, high, low)
    files = low + (high - low) * files_like(metric, 50, 9)
    files[8] = low + (high - low) * y  # not a class, or a probability beyond them
    labels, kind = Labels.of(y), find(metric)
    u, rest = measured_labels(kind, labels.without(files), labels.ones)
    risks = labels.of_scores(kind) * (rest - u @ labels.without(y))
    np.testing.assert_allclose(risks, kind.sign * kind.score(y, files), atol=1e-12)


@pytest.mark.parametrize("metric", OF_LABELS)
def test_no_row_is_measured_more_precisely_than_is_stated(metric):
    """By the literal sum over all that was asked, which does not depend on the labels."""
    n, sds = 60, []
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(n) % 3 == 0).astype(float)
        labels, terms = Labels.of(y), Metering(0.0, 20, 1e-4, gain=0.05)
        account = LabelAccount.opened(n, terms, find(metric), labels)
        spent, own = np.zeros(n), []
        for u in account.measured(files_like(metric, n, 24))[0]:
            question = account.asked(u)
            own.append(inf if question is None else question.sd)
            if own[-1] < inf:
                spent += (question.rest / question.sd) ** 2
                account = account._after(question, rng.standard_normal())
        np.testing.assert_allclose(spent, account.meter.of_rows, rtol=1e-9)
        assert spent.max() <= account.meter.precision
        assert spent.max() > 0.9 * account.meter.precision
        assert own[-1] == inf  # after 20 files
        sds.append(own)
    assert sds[0] == sds[1]


@pytest.mark.parametrize("metric", OF_LABELS)
def test_shown_scores_have_the_errors_that_are_stated(metric):
    """Without bias, whatever the files have in common with the labels."""
    n, deviations = 200, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < 0.3).astype(float)
        files = 0.6 * files_like(metric, n, 12, seed) + 0.2 * y
        files = np.round(files) if metric == "zero_one" else files
        labels, terms = Labels.of(y), Metering(0.0, 12, 1e-4, gain=0.05)
        account = LabelAccount.opened(n, terms, find(metric), labels)
        for u in account.measured(files)[0]:
            question = account.asked(u)
            shown = question.weights @ account.meter.answers
            if question.sd < inf:
                answer = question.rest @ y + question.sd * rng.standard_normal()
                account, shown = account._after(question, answer), shown + answer
            deviations.append((shown - u @ y) / question.error)
    assert abs(np.mean(deviations)) < 4.0 * np.std(deviations) / sqrt(len(deviations) / 4.0)
    assert 0.85 < np.mean(np.square(deviations)) < 1.15


def literal_question(meter, u, due, least):
    """`LabelMeter.question` with NumPy's linear algebra: weights, rest, noise and error."""
    directions = meter.directions[:, : len(u)]
    left = np.maximum(due * meter.precision - meter.of_rows, 0.0)

    def of(c):
        rest = u - c @ directions
        before = c * c @ meter.variances
        if (rest**2).max() <= 1e-24 * (u @ u):
            return c, np.zeros(len(u)), inf, sqrt(before)
        if ((rest != 0.0) & (left <= 0.0)).any():
            return c, rest, inf, inf
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(rest != 0.0, rest**2 / left, 0.0).max()
        sd = max(least, sqrt(needed))
        return c, rest, sd, sqrt(sd * sd + before)

    tried = [of(np.zeros(len(meter.answers)))]
    if len(meter.answers):
        for penalty in left.sum() * 0.25 ** np.arange(9):
            whole = directions @ directions.T + np.diag(penalty * meter.variances)
            tried.append(of(np.linalg.solve(whole, directions @ u)))
    return min(tried, key=lambda own: own[-1])


def literal_estimate(meter, u):
    """`LabelMeter.estimates` with the whole covariance of the answers, for each of the scales."""
    directions = meter.directions[:, : len(u)]
    means, variances, ln = [], [], []
    for scale in (0.25, 2.5, 25.0):
        whole = scale * directions @ directions.T + np.diag(meter.variances)
        off = meter.answers - 0.5 * directions.sum(axis=1)
        with_u = scale * directions @ u
        means.append(0.5 * u.sum() + with_u @ np.linalg.solve(whole, off))
        variances.append(scale * u @ u - with_u @ np.linalg.solve(whole, with_u))
        ln.append(-0.5 * (off @ np.linalg.solve(whole, off) + np.linalg.slogdet(whole)[1]))
    odds = np.exp(np.array(ln) - max(ln))
    mean = odds @ means / odds.sum()
    return mean, sqrt(odds @ (np.array(variances) + np.square(means)) / odds.sum() - mean**2)


@pytest.mark.parametrize("metric", OF_LABELS)
def test_questions_and_estimates_are_those_of_the_literal_sums(metric):
    n, rng = 90, np.random.default_rng(4)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(float)
    labels, terms = Labels.of(y), Metering(0.0, 20, 1e-4, gain=0.1)
    account = LabelAccount.opened(n, terms, find(metric), labels)
    for u in account.measured(files_like(metric, n, 20))[0]:
        question = account.asked(u)
        c, rest, sd, error = literal_question(account.meter, u, account.due, terms.sd)
        assert (question.sd, question.error) == pytest.approx((sd, error), rel=1e-9)
        np.testing.assert_allclose(question.rest, rest, rtol=1e-7, atol=1e-15)
        np.testing.assert_allclose(question.weights, c, rtol=1e-6, atol=1e-9)
        if question.sd < inf:
            answer = question.rest @ y + question.sd * rng.standard_normal()
            account = account._after(question, answer)
        (mean,), (own,) = account.meter.estimates(u[None])
        assert (mean, own) == pytest.approx(literal_estimate(account.meter, u), rel=1e-7, abs=1e-9)
    assert account.meter.count >= 18


@pytest.mark.parametrize("metric", OF_LABELS)
def test_an_account_of_many_files_keeps_the_latest_and_charges_all(metric, monkeypatch):
    monkeypatch.setattr(label_meter, "LATEST", 4)
    monkeypatch.setattr(label_meter, "KEPT", 7)
    n = 40
    y = (np.random.default_rng(1).random(n) < 0.4).astype(float)
    terms = Metering(0.0, 30, 1e-4, gain=0.1)
    account = LabelAccount.opened(n, terms, find(metric), Labels.of(y))
    files, spent = files_like(metric, n, 30), np.zeros(n)
    noise = np.random.default_rng(2).standard_normal(30)
    shown, at_once = account.answered(files, y, noise)
    for t, u in enumerate(account.measured(files)[0]):
        question = account.asked(u)
        assert len(question.weights) == min(account.meter.count, 4)
        if question.sd < inf:
            spent += (question.rest / question.sd) ** 2
        (rest,), known = account.measured(files[t : t + 1])[1], account.weights(files[t])
        literal, rounded = rest - account.meter.combined(question), 1e-12
        if question.sd < inf:
            rounded += 2.0**-26 * question.sd  # answers are on a grid
            literal -= question.rest @ y + question.sd * noise[t]
        each, account = account.answered(files[t : t + 1], y, noise[t : t + 1], known=known)
        assert each == shown[t]
        assert each == pytest.approx(literal, abs=rounded)
    np.testing.assert_allclose(spent, account.meter.of_rows, rtol=1e-9)
    assert spent.max() <= account.meter.precision
    assert (account.meter.count, account.meter.directions.shape[0]) == (7, 7)
    kept = account.meter.directions @ account.meter.directions.T
    np.testing.assert_allclose(account.meter.products, kept, rtol=1e-9, atol=1e-18)
    np.testing.assert_array_equal(account.meter.of_rows, at_once.meter.of_rows)


def test_logarithms_are_those_of_the_library_within_one_unit_of_the_last_place():
    rng = np.random.default_rng(1)
    numbers = [*rng.random(5000), *10.0 ** rng.uniform(-15, 0, 5000), 1.0, 0.5, 1e-15, 1.0 - 1e-15]
    for x in numbers:
        assert abs(logarithm(x) - log(x)) <= np.spacing(abs(log(x)))
    assert logarithm(1.0) == 0.0


@pytest.mark.parametrize("metric", OF_LABELS)
def test_what_is_known_of_files_of_models_lies_within_its_standard_error(metric):
    """Also where they tell much of the labels; with fair ones alone it is many errors off."""
    off, n = [], 400
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < 0.4).astype(float)
        noise = rng.normal(0, 0.4, (10, n)) + rng.normal(0, 0.5, n)
        files = 1.0 / (1.0 + np.exp(-3.0 * (y - 0.5 + noise)))
        files = np.round(files) if metric == "zero_one" else files
        account = LabelAccount.opened(
            n, Metering(0.0, 10, 1e-4, gain=0.1), find(metric), Labels.of(y)
        )
        _, account = account.answered(files, y, rng.standard_normal(10))
        risks, errors = account.known(files)
        exact = find(metric).sign * find(metric).score(y, files)
        off.append(np.abs(risks - exact) / errors)
    assert np.max(off) < 4.0
    assert np.mean(np.array(off) < 1.0) > 0.5


def test_a_repeated_file_is_averaged_and_a_small_change_costs_little():
    rng = np.random.default_rng(1)
    meter, u = LabelMeter.new(100, 1.0), rng.choice([-1.0, 1.0], 100) / 100.0
    first = meter.question(u, 0.2, 1e-6)
    assert first.sd == pytest.approx(0.01 / sqrt(0.2))
    meter = meter.after(first, 0.0)
    assert meter.spent == pytest.approx(0.2)
    again = meter.question(u, 0.4, 1e-6)
    assert again.error == pytest.approx(first.sd / sqrt(2.0), rel=0.03)
    near = meter.question(u + 1e-4 * rng.standard_normal(100), 0.201, 1e-6)
    assert near.error < 1.2 * first.sd  # with a 200th of the budget, where a new file has 14 times
    assert meter.question(rng.permutation(u), 0.201, 1e-6).error > 10.0 * first.sd
    # A file that was asked without noise to speak of is not asked again.
    known = LabelMeter.new(4, 1e9)
    known = known.after(known.question(np.ones(4), 1.0, 1e-6), 2.0)
    assert known.question(np.zeros(4), 1.0, 1e-6).sd == inf


@pytest.mark.parametrize("metric", OF_LABELS)
def test_files_of_a_batch_are_answered_as_single_ones(metric):
    n = 80
    y = (np.random.default_rng(1).random(n) < 0.4).astype(float)
    files = files_like(metric, n, 14)
    setting = of_setting("metered(gain=0.1,files=10)")
    boards = [Board(Scorer(find(metric), y), setting, RNG) for _ in range(2)]
    at_once = boards[0].submit(files).released
    one_by_one = np.concatenate([boards[1].submit(file[None]).released for file in files])
    np.testing.assert_array_equal(at_once, one_by_one)
    known = setting.release.known(boards[0].state.memory, find(metric), files)
    # After the last answer, what is known is shown.  The constant file has no area to ask about.
    np.testing.assert_allclose(find(metric).sign * at_once[11:], known[11:], atol=1e-12)
    assert 0.9 < setting.release.spent(boards[0].state.memory) <= 1.0


@pytest.mark.parametrize("metric", OF_LABELS)
def test_an_answer_can_be_read_from_what_is_shown(metric):
    n = 80
    y = (np.random.default_rng(1).random(n) < 0.4).astype(float)
    setting = of_setting("metered(gain=0.1,files=10)")
    board, kind = Board(Scorer(find(metric), y), setting, RNG), find(metric)
    terms = setting.terms(kind, n)
    reader = LabelAccount.opened(n, terms.metering, kind, Labels.of(y))
    for file in files_like(metric, n, 10):
        (u,), (rest,) = reader.measured(file[None])
        shown = kind.sign * board.submit(file[None]).released[0]
        _, _, _, reader = reader.read(u, rest - shown)
    theirs = board.state.memory.meter
    np.testing.assert_allclose(reader.meter.answers, theirs.answers, atol=1e-9)
    np.testing.assert_array_equal(reader.meter.of_rows, theirs.of_rows)


@pytest.mark.parametrize(("setting", "got"), [("chance=0.25", "0.25"), ("share=0.5", "0.5")])
def test_what_is_not_proved_of_labels_is_refused(setting, got):
    board = of_setting(f"metered(gain=0.1,files=10,{setting})")
    with pytest.raises(InputError, match=f"wanted none under the metric 'auroc'; got {got}"):
        board.check(find("auroc"))
    board.check(find("mse"))


def test_no_start_may_tell_how_many_labels_are_1():
    board = of_setting("metered(gain=0.1,files=10)+baseline")
    for metric in ("zero_one", "brier", "log_loss"):
        with pytest.raises(InputError, match="wanted no start .* got 'baseline'"):
            board.check(find(metric))
    board.check(find("auroc"))  # half of the pairs
    board.check(find("mse"))


@pytest.mark.parametrize("defence", ["value_range", "distinct(distance=0.1)"])
def test_no_refusal_may_tell_how_many_labels_are_1(defence):
    """The variance of labels follows from their mean; rules state it, and refusals tell it."""
    ones = []
    for count in (6, 15):
        y = (np.arange(30) < count).astype(float)
        terms = of_setting(f"full_disclosure+{defence}").terms(
            find("brier"), 30, Scorer(find("brier"), y)
        )
        ones.append((terms.largest_variance, terms.nearest))
    assert ones[0] != ones[1]
    board = of_setting(f"metered(gain=0.1,files=10)+{defence}")
    for metric in ("brier", "log_loss"):
        with pytest.raises(InputError, match=f"wanted no limit .* got '{defence.split('(')[0]}'"):
            board.check(find(metric))
    board.check(find("mse"))
    board.check(find("auroc"))  # which may know it
    of_setting("metered(gain=0.1,files=10)+distinct").check(find("brier"))  # equal files alone


def test_refusals_by_the_spread_of_labels_tell_how_many_are_1_for_nothing():
    """Why they are refused: a bisection by a column of 0 and 1 finds their number."""
    y = (np.random.default_rng(1).random(200) < 0.23).astype(float)
    setting = of_setting("metered(gain=0.1,files=10)+value_range")
    board = Board(Scorer(find("auroc"), y), setting, RNG)

    def is_refused(ones):
        made = board.state.judged
        board.submit((np.arange(200) < ones).astype(float)[None])
        return board.state.judged == made

    low, high = 0, 100  # refused are those that vary more than the labels do
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_refused(middle) else (middle, high)
    assert low == y.sum()


# Attackers: the gain is at most τ, but for 1 in 30,000 false alarms each


class Attacker:
    """It knows the chance p of each label, and reads all answers."""

    def __init__(self, metric, p, gain, files, seed):
        self.rng, self.p, self.metric = np.random.default_rng(seed), p, find(metric)
        if metric == "auroc":  # the number of ones is known
            self.y = self.rng.permutation(np.arange(len(p)) < p.sum()).astype(float)
        else:
            self.y = (self.rng.random(len(p)) < p).astype(float)
        terms = Metering(0.0, files, 1e-6, gain=gain)
        self.account = LabelAccount.opened(len(p), terms, self.metric, Labels.of(self.y))
        self.asked, self.sds, self.answers = [], [], []

    def ask(self, file):
        """What was measured, the answer, and its noise."""
        (u,), _ = self.account.measured(file[None])
        question = self.account.asked(u)
        if question is None or question.sd == inf:
            return np.zeros(len(u)), 0.0, inf
        answer = question.rest @ self.y + question.sd * self.rng.standard_normal()
        self.account = self.account._after(question, answer)
        self.asked.append(question.rest)
        self.sds.append(question.sd)
        self.answers.append(answer)
        return question.rest, answer, question.sd

    def mean(self):
        """The best linear estimate of the labels from all answers."""
        R, a = np.array(self.asked), np.array(self.answers)
        spread = self.p * (1.0 - self.p)
        K = (R * spread) @ R.T + np.diag(np.square(self.sds))
        return self.p + spread * (R.T @ np.linalg.solve(K, a - R @ self.p))

    def gain(self, m):
        """Over the file of the p."""
        ends = [np.clip(own, 1e-4, 1.0 - 1e-4) for own in (self.p, m)]
        if self.metric.name == "zero_one":
            ends = [(own > 0.5).astype(float) for own in ends]
        if self.metric.name == "log_loss":  # also where all labels are equal
            before, after = (-np.log(np.where(self.y, own, 1.0 - own)).mean() for own in ends)
        else:
            before, after = self.metric.score(self.y, np.array(ends))
        if self.metric.name == "auroc" and np.ptp(self.p) == 0.0:
            before = 0.5
        return self.metric.sign * (before - after)


GAINS = {"zero_one": 0.05, "brier": 0.0125, "log_loss": 0.025, "auroc": 0.05}


def mean_and_error(gains):
    return np.mean(gains), np.std(gains, ddof=1) / sqrt(len(gains))


@pytest.mark.parametrize("metric", OF_LABELS)
@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize(("rows", "files"), [(40, 40), (100, 30)])
def test_random_files_do_not_gain_more(metric, p, rows, files):
    gains = []
    for seed in range(80):
        attacker = Attacker(metric, np.full(rows, p), GAINS[metric], files, seed)
        for _ in range(files):
            file = attacker.rng.integers(0, 2, rows).astype(float)
            if metric == "log_loss":
                file = 0.01 + 0.98 * file
            if metric == "auroc":
                file = attacker.rng.random(rows)
            attacker.ask(file)
        gains.append(attacker.gain(attacker.mean()))
    mean, error = mean_and_error(gains)
    assert mean <= GAINS[metric] + 4.0 * error


@pytest.mark.parametrize("metric", OF_LABELS)
def test_copies_that_differ_in_the_last_bit_or_in_one_row_do_not_gain_more(metric):
    """Each is a measurement of next to nothing, or of one row, if a board takes it for one."""
    gains, rows = [], 30
    for seed in range(80):
        attacker = Attacker(metric, np.full(rows, 0.5), GAINS[metric], 40, seed)
        file = attacker.rng.integers(0, 2, rows) * 0.9 + 0.05
        file = np.round(file) if metric == "zero_one" else file
        for k in range(40):
            copy = file.copy()
            if k % 4 == 1 and metric != "zero_one":
                copy = np.nextafter(file, np.where(attacker.rng.random(rows) < 0.5, 0.0, 1.0))
            elif k % 4 > 1:
                copy[k % rows] = 1.0 - copy[k % rows]
            attacker.ask(copy)
        gains.append(attacker.gain(attacker.mean()))
    mean, error = mean_and_error(gains)
    assert mean <= GAINS[metric] + 4.0 * error


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_one_file_for_each_row_gains_what_is_proved(metric):
    """So the board spends what it may, and no smaller bound holds."""
    gains, rows = [], 40
    for seed in range(150):
        attacker = Attacker(metric, np.full(rows, 0.5), GAINS[metric], rows, seed)
        m = np.full(rows, 0.5)
        for row in range(rows):
            file = np.full(rows, 0.5)
            file[row] = 0.95
            u, answer, sd = attacker.ask(file)
            odds = (u[row] / sd) ** 2 * (answer / u[row] - 0.5)
            m[row] = 1.0 / (1.0 + np.exp(-odds))
        gains.append(attacker.gain(m))
    mean, error = mean_and_error(gains)
    assert mean <= GAINS[metric] + 4.0 * error
    # A row that is asked early has less than all of B: the schedule keeps some for later files.
    due = [0.1 + 0.9 * (t + 1) / rows for t in range(rows)]
    precision = precision_within(metric, GAINS[metric])
    expected = np.mean([precise_gain(metric, share * precision) for share in due])
    assert abs(mean - expected) < 4.0 * error


def exact(block, p, measured):
    """The chance of each label of a block given answers to questions about it alone."""
    states = np.array(list(product([0.0, 1.0], repeat=len(block))))
    ln = np.where(states > 0.0, np.log(p), np.log1p(-p)).sum(axis=1)
    for u, answer, sd in measured:
        ln = ln - 0.5 * ((answer - states @ u[block]) / sd) ** 2
    odds = np.exp(ln - ln.max())
    return states, odds / odds.sum()


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
@pytest.mark.parametrize("p", [0.5, 0.1, 0.05])
@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_positional_weights_do_not_gain_more(metric, p, gain):
    """Files weight the six rows of a block by powers of 2: most of all for normal responses."""
    rows, size, gains = 36, 6, []
    gain *= GAINS[metric]
    for seed in range(150):
        attacker, m = Attacker(metric, np.full(rows, p), gain, 12, seed), np.full(rows, p)
        known = [[] for _ in range(6)]
        for t in range(12):
            block = np.arange(size) + size * (t % 6)
            file = np.full(rows, 0.5)
            file[block] = 0.5 + 0.45 * 2.0 ** -np.arange(size)[:: 1 if t < 6 else -1]
            known[t % 6].append(attacker.ask(file))
            states, odds = exact(block, p, known[t % 6])
            m[block] = odds @ states
        gains.append(attacker.gain(m))
    mean, error = mean_and_error(gains)
    assert mean <= gain + 4.0 * error


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
@pytest.mark.parametrize("p", [0.1, 0.05])
@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_a_bisection_for_rare_labels_does_not_gain_more(metric, p, gain):
    """It asks for the half of a block in which a one is most in doubt, by all answers so far."""
    rows, size, gains = 32, 8, []
    gain *= GAINS[metric]
    for seed in range(120):
        attacker, m = Attacker(metric, np.full(rows, p), gain, 24, seed), np.full(rows, p)
        known = [[] for _ in range(rows // size)]
        for t in range(24):
            k = t if t < len(known) else int(np.argmax([
                (m[size * j : size * (j + 1)] * (1 - m[size * j : size * (j + 1)])).sum()
                for j in range(len(known))
            ]))  # fmt: skip
            block, file = np.arange(size) + size * k, np.full(rows, 0.5)
            likely = np.argsort(-m[block])[
                : size if not known[k] else max(1, size >> len(known[k]))
            ]
            file[block[likely]] = 0.95
            measured = attacker.ask(file)
            if measured[2] < inf and not np.delete(measured[0], block).any():
                known[k].append(measured)
            states, odds = exact(block, p, known[k])
            m[block] = odds @ states
        gains.append(attacker.gain(m))
    mean, error = mean_and_error(gains)
    assert mean <= gain + 4.0 * error
    assert mean > -4.0 * error

"""The mechanisms against worked examples, SciPy and closed forms.

With the metric "mae" and y = 0, a prediction of positive numbers is its own loss vector.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from .bayes import prob_better_mean_loss
from .mechanisms import (
    BayesBootLadder,
    BayesBootLadderBoot,
    FullDisclosure,
    GeneralLadder,
    KaggleReference,
    Ladder,
    LadderBoot,
    ParameterFreeLadder,
    SimplifiedLadder,
    nearest_multiple,
    nearest_nth,
    odds_reach,
    strictly_less,
)
from .metrics import METRICS

FALSE_ALARM = 1e-6


def flat(score, n=10):
    """Losses that are all the same: the mean absolute error is `score`, no spread."""
    return np.full(n, float(score))


def play(mechanism, predictions):
    for prediction in predictions:
        mechanism.submit(prediction)
    return mechanism


# --- the small rules ---


def test_rounding_as_in_the_paper():
    # [C], Methods, text above Algorithm 1
    assert nearest_multiple(0.8763, 0.1) == pytest.approx(0.9)
    assert nearest_multiple(0.8763, 0.01) == pytest.approx(0.88)
    assert nearest_multiple(0.8763, 0.001) == pytest.approx(0.876)


@pytest.mark.parametrize(
    ("x", "step", "multiple"),
    [(0.5, 1, 0), (1.5, 1, 2), (2.5, 1, 2), (-0.5, 1, 0), (0.125, 0.25, 0), (0.375, 0.25, 0.5)],
)
def test_halves_go_to_the_even_multiple(x, step, multiple):
    assert nearest_multiple(x, step) == multiple
    assert nearest_nth(x, 1 / step) == multiple


def test_rounding_to_multiples_not_to_decimals():
    assert nearest_nth(0.5, 3) == pytest.approx(2 / 3)  # 1.5 thirds: to two thirds
    assert nearest_nth(1.02, 7) == 1
    rng = np.random.default_rng(41)
    for x, n in zip(rng.uniform(0, 3, 200), rng.integers(2, 700, 200), strict=True):
        exact = Fraction(round(Fraction(x) * int(n)), int(n))  # Python's: halves to even
        assert nearest_nth(x, n) == pytest.approx(float(exact), abs=1e-15)


def test_strictly_less_knows_ties():
    assert not strictly_less(0.7, 0.8 - 0.1)  # true in floats, a tie in real arithmetic
    assert 0.7 < 0.8 - 0.1
    assert not strictly_less(0.3, 0.1 + 0.2)
    assert strictly_less(0.3, 0.3 + 1e-11)
    assert not strictly_less(1e6, 1e6 + 1e-7)  # the tolerance grows with the numbers
    assert strictly_less(1e9, np.inf)
    assert strictly_less(-np.inf, -1e9)
    assert not strictly_less(np.inf, np.inf)


@pytest.mark.parametrize(
    ("k", "threshold", "reached"),
    [
        (990, 99, True),
        (989, 99, False),
        (851, 5.67, True),
        (850, 5.67, False),
        (850, 0.85 / 0.15, True),  # exactly 17/3; the float is a little larger
        (849, 0.85 / 0.15, False),
        (500, 1, True),
        (499, 1, False),
        (1000, 1e300, True),  # no replication against: the odds are infinite
        (0, 1, False),
    ],
)
def test_posterior_odds_of_a_thousand(k, threshold, reached):
    assert odds_reach(k, 1000, threshold) == reached


# --- what goes for all ---

SETTINGS = [
    (FullDisclosure, {}),
    (KaggleReference, {}),
    (GeneralLadder, {"eta": 0.01}),
    (SimplifiedLadder, {"eta": 0.01}),
    (ParameterFreeLadder, {}),
    (Ladder, {"alpha": 0.15}),
    (LadderBoot, {"alpha": 0.15, "b": 3}),
    (BayesBootLadder, {"posterior_odds": 1, "B": 20}),
    (BayesBootLadderBoot, {"posterior_odds": 1, "B": 20, "b": 3}),
]


@pytest.mark.parametrize(("make", "settings"), SETTINGS)
def test_first_submission_is_accepted_and_all_is_recorded(make, settings):
    rng = np.random.default_rng(42)
    board = make(rng.normal(size=12), "mse", **settings, rng=rng)
    shown = [board.submit(rng.normal(size=12)) for _ in range(4)]
    assert board.released == shown
    assert np.all(np.isfinite(shown))
    assert len(board.accepted) == 4
    assert board.accepted[0] is True


@pytest.mark.parametrize(("make", "settings"), SETTINGS)
def test_a_score_that_is_not_finite_is_refused(make, settings):
    rng = np.random.default_rng(43)
    board = make(rng.normal(size=12), "mse", **settings, rng=rng)
    with pytest.raises(ValueError, match="the score of the submission is nan; nothing is released"):
        board.submit(np.full(12, np.nan))
    assert board.released == board.accepted == []


@pytest.mark.parametrize(("make", "settings"), SETTINGS[4:7])
def test_the_t_test_needs_a_mean_of_losses(make, settings):
    with pytest.raises(ValueError, match="metric 'ccc' is not a mean of losses"):
        make(np.zeros(12), "ccc", **settings, rng=np.random.default_rng(44))


# --- full disclosure, Kaggle, [B] Algorithm 1, [Z] Algorithm 2 ---


def test_full_disclosure_shows_every_score():
    board = play(FullDisclosure(np.zeros(10), "mae"), [flat(0.7), flat(0.9), flat(0.123456789)])
    assert board.released == pytest.approx([0.7, 0.9, 0.123456789], abs=1e-15)
    assert board.accepted == [True, True, True]


def test_kaggle_rounds_every_score():
    board = play(KaggleReference(np.zeros(10), "mae"), [flat(0.123456), flat(0.9), flat(0.123454)])
    assert board.released == pytest.approx([0.12346, 0.9, 0.12345], abs=1e-15)
    assert board.accepted == [True, True, True]


def test_general_ladder_step_by_step():
    scores = [0.80, 0.74, 0.70, 0.66, 0.61, 0.599]
    board = play(GeneralLadder(np.zeros(10), "mae", eta=0.1), map(flat, scores))
    # .74 and .70 are not below .8 - .1 (the latter a tie); .66 is, and is shown as .7; then .61
    # is not below .7 - .1, but .599 is.
    assert board.accepted == [True, False, False, True, False, True]
    assert board.released == pytest.approx([0.8, 0.8, 0.8, 0.7, 0.7, 0.6])


def test_simplified_ladder_step_by_step():
    scores = [0.84, 0.81, 0.80, 0.77, 0.76, 0.71]
    board = play(SimplifiedLadder(np.zeros(10), "mae", eta=0.1), map(flat, scores))
    # .84 is shown as .8; .81 and .80 are not below that.  .77 is, and is shown as .8 again, so
    # .76 is accepted too.
    assert board.accepted == [True, False, False, True, True, True]
    assert board.released == pytest.approx([0.8, 0.8, 0.8, 0.8, 0.8, 0.7])


@pytest.mark.parametrize("make", [GeneralLadder, SimplifiedLadder])
def test_larger_is_better_turns_round(make):
    y = np.array([1.0, 2.0, 3.0, 4.0])
    board = play(make(y, "pearson", eta=0.1), [[4.0, 3, 2, 1], [1.0, 2, 3, 4], [1.0, 3, 2, 4]])
    assert board.released == pytest.approx([-1, 1, 1])
    assert board.accepted == [True, True, False]


def test_margin_where_larger_is_better():
    # CCC of a y + (1 - a) mean(y) with y is 2 a / (1 + a^2): .8 for a = 1/2, .96 for a = 3/4.
    y = np.array([-1.0, 0.0, 1.0])
    boards = GeneralLadder(y, "ccc", eta=0.2), SimplifiedLadder(y, "ccc", eta=0.2)
    for board in boards:
        play(board, [0.5 * y, 0.75 * y])
    assert boards[0].accepted == [True, False]  # .96 does not exceed .8 + .2
    assert boards[1].accepted == [True, True]
    assert boards[1].released == pytest.approx([0.8, 1.0])


# --- [B] Algorithm 2, [C] Algorithms 2 and 3 ---


def random_losses(rng, n, m, falling=0.02):
    """Losses of m submissions that improve slowly, shape (m, n)."""
    common = rng.exponential(size=n)
    return [common * (1 + 0.3 * rng.random(n)) * (1 - falling * t) for t in range(m)]


def test_parameter_free_ladder_is_a_t_test_at_one():
    rng = np.random.default_rng(45)
    n = 50
    predictions = random_losses(rng, n, 40)
    board = play(ParameterFreeLadder(np.zeros(n), "mae"), predictions)
    shown, best = None, None
    for losses, accepted, released in zip(predictions, board.accepted, board.released, strict=True):
        if best is None:
            wins = True
        else:
            t = np.sqrt(n) * (losses.mean() - shown) / np.std(losses - best, ddof=1)
            assert abs(t + 1) > 1e-9
            wins = t < -1
        if wins:
            best, shown = losses, np.rint(losses.mean() * n) / n
        assert accepted == wins
        assert released == pytest.approx(shown, abs=1e-15)
    assert 3 < sum(board.accepted) < 37


def test_ladder_with_critical_value_one_is_parameter_free():
    rng = np.random.default_rng(46)
    n = 50
    predictions = random_losses(rng, n, 40)
    free = play(ParameterFreeLadder(np.zeros(n), "mae"), predictions)
    ladder = play(Ladder(np.zeros(n), "mae", alpha=stats.t.sf(1, n - 1)), predictions)
    assert ladder.c == pytest.approx(1)
    assert ladder.accepted == free.accepted
    assert ladder.released == free.released


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_critical_value_makes_small_alpha_demanding(alpha):
    for board in (
        Ladder(np.zeros(209), "mse", alpha),
        LadderBoot(np.zeros(209), "mse", alpha, 1, rng=np.random.default_rng(0)),
    ):
        assert stats.t.sf(board.c, 208) == pytest.approx(alpha)
        assert board.c >= -1e-12


@pytest.mark.parametrize("n", [3, 10, 77, 209])
def test_one_row_better_is_a_tie_two_are_not(n):
    # 0/1 losses have risks that are multiples of 1/n, so rounding does nothing.  One row right
    # instead of wrong: difference -1/n, margin sqrt(1/n)/sqrt(n) = 1/n, t = -1 exactly.
    wrong = np.ones(n)
    for row in range(n):
        one = wrong.copy()
        one[row] = 0
        two = one.copy()
        two[(row + 1) % n] = 0
        board = play(ParameterFreeLadder(np.zeros(n), "zero_one"), [wrong, one, two])
        assert board.accepted == [True, False, True]
        assert board.released == pytest.approx([1, 1, (n - 2) / n], abs=1e-15)


def test_one_row_of_any_loss_is_a_tie_against_raw():
    rng = np.random.default_rng(47)
    for _ in range(200):
        n = int(rng.integers(3, 60))
        alpha = stats.t.sf(1, n - 1)  # critical value 1
        best = rng.exponential(size=n) * 10 ** rng.uniform(-3, 3)
        better = best.copy()
        better[rng.integers(n)] *= rng.uniform(0.2, 0.9)
        board = LadderBoot(np.zeros(n), "mae", alpha, b=1, rng=rng)
        assert play(board, [best, better]).accepted == [True, False]


def test_the_same_file_again():
    # Mean .27, shown as .3 after rounding to tenths: resubmitted, .27 < .3 with no margin since
    # the losses do not differ.  Only mechanisms that compare with the rounded best do so.
    again = [flat(0.27), flat(0.27), flat(0.27)]
    y, rng = np.zeros(10), np.random.default_rng(48)
    for board in (ParameterFreeLadder(y, "mae"), Ladder(y, "mae", alpha=0.01)):
        assert play(board, again).accepted == [True, True, True]
        assert board.released == pytest.approx([0.3, 0.3, 0.3])
    for board in (
        LadderBoot(y, "mae", alpha=0.5, b=2, rng=rng),
        BayesBootLadder(y, "mae", 1, 50, rng=rng),
        BayesBootLadderBoot(y, "mae", 1, 50, 2, rng=rng),
    ):
        assert play(board, again).accepted == [True, False, False]


# --- [C] Algorithm 4 ---


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_ladderboot_decides_as_the_paired_t_test(alpha):
    rng = np.random.default_rng(49)
    n = 30
    predictions = random_losses(rng, n, 150, falling=0.004)
    board = play(LadderBoot(np.zeros(n), "mae", alpha, b=1, rng=rng), predictions)
    best = predictions[0]
    for losses, accepted in zip(predictions[1:], board.accepted[1:], strict=True):
        p = stats.ttest_rel(losses, best, alternative="less").pvalue
        assert abs(p - alpha) > 1e-9  # away from ties
        assert accepted == (p < alpha)
        if accepted:
            best = losses
    assert 2 < sum(board.accepted) < 148


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_null_submission_is_accepted_with_probability_alpha(alpha):
    # Normal loss differences: the t-test is exact.
    rng = np.random.default_rng(50)
    n, trials, wins = 20, 3000, 0
    y = np.zeros(n)
    for _ in range(trials):
        board = LadderBoot(y, "mae", alpha, b=1, rng=rng)
        wins += play(board, 1000 + 100 * rng.normal(size=(2, n))).accepted[1]
    assert stats.binomtest(wins, trials, alpha).pvalue > FALSE_ALARM


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_null_submission_to_the_ladder(alpha):
    # As above.  Rounding moves the threshold by at most 1/40 against a standard error of the
    # difference of 32, so the probability by less than .0004: far inside the binomial error.
    rng = np.random.default_rng(51)
    n, trials, wins = 20, 3000, 0
    for _ in range(trials):
        board = Ladder(np.zeros(n), "mae", alpha)
        wins += play(board, 1000 + 100 * rng.normal(size=(2, n))).accepted[1]
    assert stats.binomtest(wins, trials, alpha).pvalue > FALSE_ALARM


def assert_mean_and_variance(sample, mean, variance, excess_kurtosis):
    """Both within their sampling error; false alarm about 1e-6 each (normal approximation)."""
    size = len(sample)
    z = stats.norm.isf(FALSE_ALARM / 2)
    assert abs(np.mean(sample) - mean) < z * np.sqrt(variance / size)
    error = variance * np.sqrt((2 + excess_kurtosis) / size)
    assert abs(np.var(sample, ddof=1) - variance) < z * error


@pytest.mark.parametrize(("n", "b"), [(4, 1), (25, 7)])
def test_bootstrapped_release_of_a_mean_loss(n, b):
    rng = np.random.default_rng(52)
    best = rng.exponential(size=n)
    kurtosis = stats.kurtosis(best) / (b * n)  # a mean of b n independent rows
    for board in (
        LadderBoot(np.zeros(n), "mae", 0.01, b, rng=rng),
        BayesBootLadderBoot(np.zeros(n), "mae", 99, 2, b, rng=rng),
    ):
        play(board, [best] + [best + 1] * 3000)
        assert sum(board.accepted) == 1
        # The mean of the best so far, with variance sd_n^2 / (b n), drawn afresh every time.
        assert_mean_and_variance(board.released, np.mean(best), np.var(best) / (b * n), kurtosis)


def test_bootstrapped_release_after_an_acceptance():
    y, rng = np.zeros(5), np.random.default_rng(53)
    for board in (
        LadderBoot(y, "mae", 0.15, 2, rng=rng),
        BayesBootLadderBoot(y, "mae", 1, 10, 2, rng=rng),
    ):
        play(board, [flat(0.37, 5), flat(0.21, 5), flat(0.9, 5)])
        assert board.released == pytest.approx([0.37, 0.21, 0.21])  # losses without spread


# --- [C] Algorithms 5 and 6 ---


@pytest.mark.parametrize("shift", [-0.05, 0.0, 0.05])
def test_bayesian_share_is_the_exact_probability(shift):
    rng = np.random.default_rng(54)
    n, B = 40, 4000
    best = rng.exponential(size=n)
    new = np.abs(best + shift + 0.3 * rng.normal(size=n))
    board = play(BayesBootLadder(np.zeros(n), "mae", 1, B, rng=rng), [best, new])
    probability = prob_better_mean_loss(new - best)
    assert board.in_favour[0] is None
    assert stats.binomtest(board.in_favour[1], B, probability).pvalue > FALSE_ALARM


@pytest.mark.parametrize("metric", ["mse", "pearson", "spearman", "ccc"])
@pytest.mark.parametrize("make", [BayesBootLadder, BayesBootLadderBoot])
def test_fed_weights_decide(make, metric):
    """With weights from outside the decision is plain arithmetic."""
    rng = np.random.default_rng(55)
    n, B, m, odds = 15, 50, 12, 1.5
    y = rng.normal(size=n)
    predictions = 0.4 * y + rng.normal(size=(m, n))
    weights = rng.dirichlet(np.ones(n), size=(m - 1, B))
    boot = {"b": 2} if make is BayesBootLadderBoot else {}
    board = make(y, metric, odds, B, **boot, rng=rng, weights=weights)
    play(board, predictions)

    scorer = METRICS[metric]
    sign = 1 if scorer.larger_is_better else -1
    best = predictions[0]
    for t in range(1, m):
        delta = [
            scorer.score(y, predictions[t], w) - scorer.score(y, best, w) for w in weights[t - 1]
        ]
        k = int(np.sum(sign * np.array(delta) > 0))
        assert board.in_favour[t] == k
        assert board.accepted[t] == (k / max(B - k, 1e-300) >= odds)
        if board.accepted[t]:
            best = predictions[t]
        if make is BayesBootLadder:
            expected = np.rint(scorer.score(y, best) * n) / n
            assert board.released[t] == pytest.approx(expected, abs=1e-15)
    assert 1 < sum(board.accepted) < m


def test_own_weights_are_uniform_dirichlet():
    rng = np.random.default_rng(56)
    board = BayesBootLadder(np.zeros(6), "mae", 1, 5000, rng=rng)
    weights = next(board.weights)
    assert weights.shape == (5000, 6)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    # A coordinate of Dirichlet(1, ..., 1) of n rows is Beta(1, n - 1).
    assert stats.kstest(weights[:, 2], stats.beta(1, 5).cdf).pvalue > FALSE_ALARM


def test_affine_copy_of_the_best_is_never_better_by_correlation():
    rng = np.random.default_rng(57)
    n = 30
    y = rng.normal(size=n)
    best = y + rng.normal(size=n)
    board = BayesBootLadder(y, "pearson", 1, 100, rng=rng)
    play(board, [best] + [rng.normal() + rng.uniform(0.1, 10) * best for _ in range(10)])
    assert board.in_favour[1:] == [0] * 10
    assert sum(board.accepted) == 1


@pytest.mark.parametrize("metric", ["mse", "ccc"])
@pytest.mark.parametrize("b", [1, 4])
def test_bootstrapped_release_of_any_metric_by_enumeration(metric, b):
    """With four rows there are 256 resamples: mean and variance of a replication are exact."""
    rng = np.random.default_rng(58)
    y, best = np.array([0.3, -1.0, 2.0, 0.9]), np.array([0.6, -0.4, 0.7, 1.9])
    scorer = METRICS[metric]
    scores = np.array(
        [scorer.score(y[list(r)], best[list(r)]) for r in itertools.product(range(4), repeat=4)]
    )
    board = BayesBootLadderBoot(y, metric, 99, 2, b, rng=rng)
    released = [board.submit(best) for _ in range(2500)]
    kurtosis = stats.kurtosis(scores) / b
    assert_mean_and_variance(released, np.mean(scores), np.var(scores) / b, kurtosis)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_bootstrapped_release_of_a_correlation(metric):
    """Resampling rows is weighting them with multinomial counts; Spearman keeps its ranks."""
    rng = np.random.default_rng(59)
    n, size = 20, 1500
    y = rng.normal(size=n)
    best = np.exp(y + rng.normal(size=n))
    board = BayesBootLadderBoot(y, metric, 99, 2, 1, rng=rng)
    released = [board.submit(best) for _ in range(size)]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=size)
    pairs = (y, best) if metric == "pearson" else (stats.rankdata(y), stats.rankdata(best))
    weighted = [np.cov(*pairs, fweights=c) for c in counts]
    expected = [C[0, 1] / np.sqrt(C[0, 0] * C[1, 1]) for C in weighted]
    assert stats.ks_2samp(released, expected).pvalue > FALSE_ALARM

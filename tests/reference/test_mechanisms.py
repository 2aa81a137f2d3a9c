"""The small rules, what goes for all mechanisms, and the Ladders against worked examples.

With the metric "mae" and y = 0, a prediction of positive numbers is its own loss vector.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from .games import flat, play, random_losses
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


def test_under_a_root_the_shown_best_is_squared_for_the_test():
    # RMSE 1.15, shown as 1.25 = 5/4.  Losses without spread: no margin.  A mean squared error of
    # 1.5 is worse than 1.15^2 = 1.3225 and than 1.25, and below 1.25^2 = 1.5625.
    for board in (ParameterFreeLadder(np.zeros(4), "rmse"), Ladder(np.zeros(4), "rmse", 0.15)):
        play(board, [flat(1.15, 4), flat(np.sqrt(1.57), 4), flat(np.sqrt(1.5), 4)])
        assert board.accepted == [True, False, True]
        assert board.released == [1.25, 1.25, 1.25]


def test_the_unrounded_test_knows_no_root():
    rng = np.random.default_rng(60)
    predictions = 1.5 * rng.normal(size=(60, 20)) * np.linspace(1, 0.6, 60)[:, None]
    root, mean = (
        play(LadderBoot(np.zeros(20), metric, 0.15, b=1, rng=rng), predictions)
        for metric in ("rmse", "mse")
    )
    assert root.accepted == mean.accepted
    assert 2 < sum(root.accepted) < 58


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
        one_right = wrong.copy()
        one_right[row] = 0
        two_right = one_right.copy()
        two_right[(row + 1) % n] = 0
        board = play(ParameterFreeLadder(np.zeros(n), "zero_one"), [wrong, one_right, two_right])
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

"""What claims on growth need: numbers of submissions, exponents, and what theory says."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.claims import Tables
from shakedown.claims.language import parse
from shakedown.claims.quantity import NotAnswered
from shakedown.interface import InputError
from tests.claims import studies
from tests.claims.studies import measured, work_out
from tests.figures import frames, label_frames

COINS = {"experiment": "coins", "design": "labels"}


@pytest.fixture(scope="module")
def outcomes():
    boards = (label_frames.FULL, label_frames.FREE, label_frames.GENERAL)
    return label_frames.outcomes(boards, replicates=9)


@pytest.fixture(scope="module")
def tables(outcomes, tmp_path_factory):
    uneven = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=6)
    uneven["submissions"] = uneven["submissions"] - 10 * uneven["replicate"]
    ranks = label_frames.outcomes(({"mechanism": "rank_board", "eta": 0.1}, label_frames.RANKS))
    return Tables(
        outcomes=studies.write(
            tmp_path_factory.mktemp("study"),
            coins=studies.shuffled(outcomes),
            uneven=studies.shuffled(uneven),
            ranks=studies.shuffled(ranks),
        )
    )


def test_outcomes_are_chosen_by_the_number_of_submissions(outcomes, tables):
    full = outcomes[outcomes["mechanism"] == "full_disclosure"]
    for k in (10, 200, 500):
        wanted = full[full["submissions"] == k].score_public.median()
        expression = f'median("score_public", mechanism="full_disclosure", submissions={k})'
        assert measured(expression, tables, **COINS) == wanted
    last = 'median("score_public", mechanism="full_disclosure", submissions=last)'
    assert measured(last, tables, **COINS) == full[full["submissions"] == 500].score_public.median()


def test_numbers_of_submissions_make_an_axis(outcomes, tables):
    """The same axis whichever statistic asks for it, so that theory stands beside it."""
    every = 'value("submissions", mechanism="kaggle", submissions=each)'
    every = every.replace("kaggle", "full_disclosure")
    assert measured(f"span({every})", tables, **COINS) == 500 - 10
    medians = outcomes[outcomes["mechanism"] == "full_disclosure"].groupby("submissions")
    wanted = ((0.5 - medians.score_public.median()) / np.sqrt(medians.submissions.first())).max()
    bias = '0.5 - median("score_public", mechanism="full_disclosure", submissions=each)'
    assert measured(f"largest(({bias}) / sqrt({every}))", tables, **COINS) == wanted


def test_a_point_has_the_most_submissions_that_a_replicate_made(tables):
    of = {"experiment": "uneven", "mechanism": "ladder", "alpha": 0.15}
    frame = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=6)
    end = frame["submissions"].max()
    found = work_out(f'median("submissions", submissions={end})', tables, **of)
    assert found.values[0] == end - 25  # replicates 0 to 5 made end - 0, -10, ..., -50
    assert found.replicates == 6
    with pytest.raises(NotAnswered, match=f"no rows with .*submissions = {end - 10}"):
        work_out(f'median("submissions", submissions={end - 10})', tables, **of)


def test_none_chooses_what_has_no_such_setting(tables):
    of = {"experiment": "ranks", "mechanism": "rank_board", "submissions": 500}
    both = {
        eta: measured(f'mean("score_public", eta={eta})', tables, **of) for eta in (0.1, "none")
    }
    frame = label_frames.outcomes(({"mechanism": "rank_board", "eta": 0.1}, label_frames.RANKS))
    frame = frame[frame["submissions"] == 500]
    assert both[0.1] == frame[frame["eta"] == 0.1].score_public.mean()
    assert both["none"] == frame[frame["eta"].isna()].score_public.mean()
    assert both[0.1] != both["none"].expected
    with pytest.raises(NotAnswered, match=r"has 2 settings \(they differ in eta\)"):
        work_out('mean("score_public")', tables, **of)
    with pytest.raises(NotAnswered, match="has no rows with"):
        work_out('mean("score_public", eta=none, mechanism="general_ladder")', tables, **COINS)


def test_exponent_against_scipy(outcomes, tables):
    ks = [50, 100, 200, 500]
    full = outcomes[outcomes["mechanism"] == "full_disclosure"]
    bias = (0.5 - full.groupby("submissions").score_public.median()).loc[ks]
    wanted = stats.linregress(np.log(ks), np.log(bias)).slope
    median = f'median("score_public", mechanism="full_disclosure", submissions={ks})'
    found = work_out(f'exponent(0.5 - {median}, over="submissions")', tables, **COINS, resamples=40)
    assert found.values[0] == pytest.approx(wanted, rel=1e-12)
    assert 0 < found.values[1:].std() < 0.2
    assert found.axes == {}


@pytest.mark.parametrize("power", [-1, 0.5, 2])
def test_exponent_of_a_power_law(tables, power):
    k = 'value("submissions", mechanism="full_disclosure", submissions=each)'
    expression = f'exponent(3 * power({k}, {power}), over="submissions")'
    assert measured(expression, tables, **COINS) == power


def test_what_is_not_above_0_has_no_exponent(tables):
    k = 'value("submissions", mechanism="full_disclosure", submissions=each)'
    found = work_out(f'exponent({k} - 10, over="submissions")', tables, **COINS)
    assert np.isnan(found.values[0])


def test_an_exponent_needs_two_numbers_to_go_along(tables):
    one = (
        'exponent(median("score_public", submissions=[10], mechanism="kaggle"), over="submissions")'
    )
    with pytest.raises(NotAnswered, match="submissions has no two positive numbers"):
        work_out(one.replace("kaggle", "full_disclosure"), tables, **COINS)
    text = 'exponent(median("score_public", submissions=10, mechanism=each), over="mechanism")'
    with pytest.raises(NotAnswered, match="mechanism has no two positive numbers"):
        work_out(text, tables, **COINS)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("log(10) / log(100)", 0.5),
        ("sqrt(2) * sqrt(2)", 2),
        ("power(27, 1 / 3)", 3),
        # The best of two: E max of two normal numbers is 1 / sqrt(pi), the sd 1 / (2 sqrt n).
        ("largest_deviation(2, 1000000)", 0.5 / 1000 / math.sqrt(math.pi)),
        # One voter out of one, right with chance 1/2 + 1 / sqrt(2 pi n).
        ("mirrored_vote_loss(1, 1000000)", 0.5 - 1 / math.sqrt(2 * math.pi * 1e6)),
        ("0.5 - plain_vote_loss(200, 1000000)", math.sqrt(200 / 2e6) / math.pi),
        ("union_error(0.05, 10, 1000)", math.sqrt(math.log(400) / 2000)),
        (
            "ladder_error(0.01, 0.05, 1000, 4000)",
            0.01 + math.sqrt((102 * math.log(4e5) + 1 + math.log(20)) / 8000),
        ),
        (
            "simplified_ladder_error(0.01, 0.05, 1000, 4000)",
            0.005 + math.sqrt((101 * math.log(2000) + math.log(40)) / 8000),
        ),
    ],
)
def test_functions_of_numbers(expression, wanted):
    found = work_out(expression, Tables())
    assert found.values[0] == pytest.approx(wanted, rel=2e-3)
    assert found.replicates is None


def test_the_best_step_is_where_the_bound_is_met():
    """[Z] (1): exp(-eta^2 n / 2 + (1/eta + 1) log(2k) + 1) = delta."""
    eta = work_out("best_display_step(0.05, 2000, 1000)", Tables()).values[0]
    exponent = -(eta**2) * 1000 / 2 + (1 / eta + 1) * math.log(4000) + 1
    assert math.exp(exponent) == pytest.approx(0.05)


def test_the_best_ladder_error_is_the_smallest_over_the_steps():
    """[B] Theorem 3.1 = delta: eps^2 = ((1/eta + 2) log(4k/eta) + 1 - log(delta)) / 2n."""
    found = work_out("best_ladder_error(0.05, 1000, 10000)", Tables()).values[0]
    eta = np.linspace(0.001, 1, 100_000)
    square = ((1 / eta + 2) * np.log(4000 / eta) + 1 - math.log(0.05)) / 20000
    assert found == pytest.approx((np.sqrt(square) + eta).min(), rel=1e-6)


def test_theory_goes_point_by_point(tables):
    k = 'value("submissions", mechanism="full_disclosure", submissions=[10, 500])'
    found = work_out(f"span(largest_deviation({k}, 4000))", tables, **COINS)
    ends = [work_out(f"largest_deviation({k}, 4000)", Tables()).values[0] for k in (10, 500)]
    assert found.values[0] == pytest.approx(ends[1] - ends[0])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("log(1, 2)", r"log\(\) takes 1 number and no keyword"),
        ("largest_deviation(10)", r"largest_deviation\(\) takes 2 numbers"),
        ('median("delta", submissions="all")', "submissions must be a number, .* last or none"),
        ('exponent(median("delta", submissions=[1, 2]))', r"exponent\(\) needs over='...'"),
    ],
)
def test_says_what_is_wrong(expression, message):
    with pytest.raises(InputError, match=message):
        parse(expression, COINS)


def test_the_leaderboard_error_can_be_asked_for(outcomes, tables):
    frame = outcomes[(outcomes["mechanism"] == "general_ladder") & (outcomes["submissions"] == 500)]
    expression = (
        'quantile("leaderboard_error", at=0.95, mechanism="general_ladder", submissions=500)'
    )
    wanted = float(np.quantile(frame["leaderboard_error"], 0.95))
    assert measured(expression, tables, **COINS) == wanted
    assert pd.notna(wanted)

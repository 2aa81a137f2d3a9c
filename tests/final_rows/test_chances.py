"""Chances and rows needed, against brute force and cases that can be worked out."""

import numpy as np
import pytest
from scipy.stats import norm, spearmanr

from shakedown.final_rows.chances import Challenges, root_of
from shakedown.final_rows.teams import Teams
from shakedown.metrics import find
from shakedown.seeding import stream

MSE, PEARSON = find("mse"), find("pearson")


def of(scores, covariance=None, metric=MSE):
    covariance = np.eye(len(scores)) if covariance is None else covariance
    return Teams(metric, np.array(scores, float), np.array(covariance, float))


def challenges(*worlds, **given):
    return Challenges(worlds, rng=stream(1, "test"), **given)


def test_rows_needed_are_those_of_brute_force():
    teams = of([0.0, 0.3, 0.4, 0.9], np.eye(4) + 0.5)
    found = challenges(teams)
    z = stream(1, "test").standard_normal((20_000, 4)) @ root_of(teams.covariance)
    wins = [np.mean((teams.scores + z / np.sqrt(n)).argmin(axis=1) == 0) for n in range(1, 200)]
    for wanted in (0.5, 0.8, 0.9):
        assert found.rows_for(wanted) == 1 + next(n for n, p in enumerate(wins) if p >= wanted)
    assert [found.wins(n) for n in (1, 17, 100)] == [wins[n - 1] for n in (1, 17, 100)]


def test_two_teams_have_the_chance_of_a_normal_difference():
    found = challenges(of([0.7, 0.5], metric=PEARSON))
    for rows in (5, 40):
        exact = norm.cdf(0.2 * np.sqrt(rows / 2.0))
        assert found.wins(rows) == pytest.approx(exact, abs=3.3 * np.sqrt(0.25 / 20_000))


def test_a_pair_is_tied_within_two_thirds_of_a_standard_error():
    among, size = challenges(of([0.0, 0.0])).ties(10)
    assert size - 1.0 == pytest.approx(2 * norm.cdf(norm.ppf(0.75)) - 1.0, abs=0.03)
    assert among == pytest.approx(0.75, abs=0.03)
    assert challenges(of([0.0, 0.0]), tied=1.0).ties(10)[1] == 1.0


def test_copies_share_the_first_place_and_equal_teams_never_settle():
    copies = challenges(of([0.0, 0.0, 1.0], [[1, 1, 0], [1, 1, 0], [0, 0, 1]]))
    assert copies.rows_for(0.9) == challenges(of([0.0, 1.0])).rows_for(0.9)
    assert copies.ties(100)[1] >= 2.0
    assert challenges(of([0.0, 1e-9])).rows_for(0.8) is None
    equal = challenges(of([0.0, 0.0, 1.0]))
    assert equal.rows_for(0.8) is None
    assert equal.wins(10_000_000) == pytest.approx(0.5, abs=0.02)


def test_worlds_count_alike():
    sure, unsure = of([0.0, 9.0]), of([0.0, 0.0])
    assert challenges(sure, unsure).wins(1_000) == pytest.approx(0.75, abs=0.01)


def test_ranks_agree_as_ranks_of_simulated_scores_do():
    teams = of([0.0, 0.2, 0.5, 1.0])
    (row,) = challenges(teams).agreement([10], [10, 100_000])
    z = stream(2, "test").standard_normal((2, 2_000, 4)) / np.sqrt(10)
    brute = np.mean(
        [spearmanr(teams.scores + p, teams.scores + f)[0] for p, f in zip(*z, strict=True)]
    )
    assert row[0] == pytest.approx(brute, abs=0.05)
    assert row[1] > row[0]


def test_nothing_depends_on_the_order_of_questions():
    teams = of([0.0, 0.2, 0.5])
    one, two = challenges(teams), challenges(teams)
    first = one.wins(20), one.ties(20), one.agreement([5], [9])
    assert (two.agreement([5], [9]), two.ties(20), two.wins(20)) == first[::-1]

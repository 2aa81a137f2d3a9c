"""Dry runs of rows that belong together."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown.dryrun.coarse_boards import coarse_boards
from shakedown.dryrun.decision import decide
from shakedown.dryrun.estimation import estimate
from shakedown.dryrun.noise import findings_for, noise_factor
from shakedown.dryrun.plan import plan
from shakedown.dryrun.playing import play_share
from shakedown.dryrun.resolution import standard_error
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness.serving import serve
from shakedown.interface import Grouping, InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import find
from shakedown.theory.proved import proved_limits
from tests.data.test_grouped import challenge

MSE = find("mse")


def settings(**changes):
    quick = {"fewest_replicates": 13, "most_replicates": 13, "honest_replicates": 2, "jobs": 1}
    return DryRunEntry(**quick | {"submissions": 100, "largest_budget": 100} | changes)


def test_a_group_counts_as_one_row_or_by_its_correlation():
    mine = challenge()
    assert noise_factor(mine, settings()) == 8.0
    assert noise_factor(mine, settings(group_correlation=0.5, row_variance=2.0)) == 9.0
    assert noise_factor(replace(mine, group=None), settings()) == 1.0


def test_a_correlation_within_groups_is_refused_without_groups():
    alone = replace(challenge(), group=None)
    with pytest.raises(InputError, match="group_correlation is 0.5, and no rows of data set .* be"):
        plan(alone, settings(group_correlation=0.5))


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_the_factor_is_the_largest_eigenvalue_of_the_correlations(correlation):
    codes = np.repeat(np.arange(3), [8, 5, 1])
    R = np.where(codes[:, None] == codes, correlation, 0.0) + (1 - correlation) * np.eye(14)
    mine = replace(challenge(), group=Grouping("patient", codes, True))
    factor = noise_factor(mine, settings(group_correlation=correlation))
    assert factor == pytest.approx(np.linalg.eigvalsh(R).max())


@pytest.mark.parametrize("board", ["digest(eta=0.1,floor=0.5,every=25,updates=20)",
                                   "general_ladder(eta=0.3)+baseline"])  # fmt: skip
def test_what_is_proved_of_20_groups_is_that_of_20_rows_with_unequal_noise_at_most(board):
    """160 rows with the factor 8 allow no more than 20 rows, and much less than 160."""

    def limit(rows, factor):
        mechanism = of_setting(board)
        given = {"quantile": 0.25, "row_variance": factor}
        return proved_limits(mechanism, MSE, rows, -0.2, 500, 1, **given).mean or 0

    assert limit(160, 8.0) <= limit(20, 1.0) <= limit(160, 1.0)
    assert limit(160, 8.0) < limit(160, 1.0)


def test_boards_are_offered_for_the_rows_that_count():
    few = coarse_boards(MSE, -0.2, 160, 100, row_variance=8.0)
    many = coarse_boards(MSE, -0.2, 160, 100)
    most = [max(b["updates"] for b in boards if b["name"] == "digest") for boards in (few, many)]
    assert most[0] < most[1]


def test_stated_groups_are_told_first_and_withhold_nothing():
    mine = challenge()
    first, *rest = findings_for(mine, settings())
    assert first["check"] == "stated_groups"
    assert not first["withholds"]
    assert (first["assumed"], first["found"]) == (160, 20)
    assert "proofs count 20 of 160 public rows" in first["sentence"]
    assert not rest  # rows of a group resemble each other, and groups do not
    unstated = replace(mine, group=None, groupings=(mine.group,))
    assert findings_for(unstated, settings())[0]["withholds"]


def test_the_largest_group_counts():
    mine = replace(challenge(), group=Grouping("patient", np.repeat([0, 1, 2], [8, 8, 464]), True))
    (first, *_) = findings_for(mine, settings())
    assert (first["value"], first["found"]) == (464.0, 0)


def test_dependence_between_the_groups_is_still_found():
    mine, rng = challenge(groups=120, rows=4, alike=0.5), np.random.default_rng(1)
    site = mine.group.codes % 12
    y = mine.y + 2.0 * rng.standard_normal(12)[site]
    found = findings_for(replace(mine, y=y, groupings=(Grouping("site", site, True),)), settings())
    assert [f["check"] for f in found] == ["stated_groups", "groups"]
    assert "site" in found[1]["sentence"]


def test_the_answer_withstands_an_attacker_who_knows_the_groups():
    """The digest that seemed safe, or proved, for 160 rows is not for 20 patients."""
    board = {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 10, "updates": 10}
    mine, asked = challenge(), settings(mechanisms=[board], quantile=0.25)

    def answer(table):
        played, _ = play_share(table, asked, 0, 60.0, 1)
        limits, frontier = estimate(table, played, asked, seed=1)
        utility, _ = serve(table, asked, seed=1)
        return decide(table, asked, limits=limits, frontier=frontier, utility=utility)

    grouped, rows = answer(mine), answer(replace(mine, group=None))
    assert rows["answer"] == "safe"
    assert grouped["answer"] != "safe"
    assert grouped["rests_on"]["group"] == "patient"
    assert grouped["rests_on"]["noise_factor"] == 8.0


def test_the_standard_error_of_a_score_counts_groups():
    """Rows that are all alike in groups of 8 have the error of an eighth of them."""
    mine = challenge(alike=1.0)
    rows, groups = (standard_error(replace(mine, group=g), MSE) for g in (None, mine.group))
    assert groups == pytest.approx(rows * np.sqrt(8), rel=0.02)

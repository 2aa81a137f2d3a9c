"""A cell of the comparison, and its parts."""

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.comparison.attackers import attackers, best, gained, gains
from shakedown.comparison.candidates import candidates
from shakedown.comparison.cell import COLUMNS, compare
from shakedown.comparison.honest import served
from shakedown.comparison.proofs import proved
from shakedown.comparison.settings import ComparisonEntry
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.mechanisms.metered import degrees_of
from shakedown.theory.proved import proved_limits

GIVEN = [
    {"name": "general_ladder", "eta": 0.1, "defences": [{"name": "baseline"}]},
    {"name": "full_disclosure"},
]


def entry(**changes):
    few = {"replicates": 2, "honest_replicates": 2, "mechanisms": GIVEN}
    return ComparisonEntry(**{**few, **changes})


@pytest.fixture(scope="module")
def cell():
    return compare(69, 50, entry(), seed=3)


def test_boards_that_are_made_keep_what_is_tolerated():
    kept = {}
    for one in candidates(209, 300, entry()):
        kept.setdefault(one.kept, []).append(one.mechanism)
        if one.kept is not None:
            limits = proved_limits(one.mechanism, "mse", 209, -0.05, 300, quantile=0.25)
            assert limits.mean == 300
            assert (limits.quantile == 300) == (one.kept == "quantile")
    names = {what: [board.name for board in boards] for what, boards in kept.items()}
    assert names["mean"] == names["quantile"] == ["metered", "digest"]
    assert names[None] == ["general_ladder", "full_disclosure"]


def test_a_board_that_nobody_can_offer_is_missing():
    assert degrees_of(0.05, 69, 0.25, False) < 1.0
    offered = [(one.mechanism.name, one.kept) for one in candidates(69, 50, entry())]
    assert ("metered", "mean") in offered
    assert ("metered", "quantile") not in offered
    few = candidates(20, 50, entry(tolerated=0.0001))
    assert [one.kept for one in few] == [None, None]


def test_attackers_are_those_that_learn_something():
    def names(setting):
        return {kind.name for kind in attackers(of_setting(setting), 100)}

    assert "posterior_mean" in names("metered(gain=0.05,files=300)")
    assert "between_updates" in names("digest(eta=0.1,floor=0.5,every=10,updates=10)")
    assert {"level_saving", "reserve"} <= names("general_ladder(eta=0.1)+baseline")
    assert {"scan", "random_search"} <= names("ladderboot(alpha=0.15,b=10)+baseline")
    for setting in ("full_disclosure", "kaggle", "ladder(alpha=0.15)"):
        for name in names(setting):
            kind = ATTACKS.find(name)
            assert not kind.on_labels
            assert kind.threat == "null_adversary"
            assert not kind.metrics or "mse" in kind.metrics


def test_with_as_many_files_as_rows_everything_is_gained_where_scores_are_exact():
    board = of_setting("full_disclosure")
    attack = ATTACKS.make("linear_probe", submissions=40, points=[40])
    assert gained(attack, board, 40, 1) == pytest.approx(39 / 40)
    found = gains(board, 40, 40, 2, 1)
    assert found["linear_probe"] == pytest.approx([39 / 40, 39 / 40])
    assert best(found).gain == pytest.approx(proved(board, 40, 40, 0.25).mean)


def test_the_best_attack_has_the_largest_mean_and_zeros_are_as_good_as_none():
    reached = best({"a": np.array([0.1, 0.3]), "b": np.array([0.4, -0.2])})
    assert reached == ("a", pytest.approx(0.2), pytest.approx(0.1))
    same = {"a": np.array([0.2, 0.4]), "b": np.array([0.2, 0.4 + 1e-12])}
    assert best(same).attack == "a"
    for nothing in ({}, {"a": np.array([-0.3, 0.1])}, {"a": np.array([1e-12, 0.0])}):
        assert best(nothing) == (None, 0.0, 0.0)


def test_what_is_proved():
    metered = proved(of_setting("metered(gain=0.05,files=300)"), 209, 300, 0.25)
    assert metered.mean == pytest.approx(0.05)
    sharper = proved(of_setting("metered(gain=0.05,files=300,chance=0.25)"), 209, 300, 0.25)
    assert sharper.quantile == pytest.approx(0.05)
    assert sharper.mean < 0.02
    boot = of_setting("ladderboot(alpha=0.15,b=10)+baseline")
    assert proved(boot, 209, 300, 0.25) == (None, None)
    exact = proved(of_setting("full_disclosure"), 1000, 300, 0.25)
    assert exact == (pytest.approx(0.3), None)


def test_nobody_gains_more_than_there_is():
    board = of_setting("metered(gain=0.9,files=300)")
    assert proved(board, 10, 300, 0.25) == (pytest.approx(0.9), pytest.approx(0.9))


def test_teams_see_exact_scores_soonest():
    boards = [of_setting("full_disclosure"), of_setting("general_ladder(eta=0.1)+baseline")]
    exact, ladder = served(boards, 209, 100, 0.05, 2, 1)
    assert exact.lag < ladder.lag
    assert 0.8 < exact.order <= 1.0
    assert exact.error > 0.0


def test_a_row_for_each_board(cell):
    assert tuple(cell.columns) == COLUMNS
    assert cell[["mechanism", "kept"]].fillna("").to_numpy().tolist() == [
        ["metered", "mean"],
        ["digest", "mean"],
        ["digest", "quantile"],
        ["general_ladder", ""],
        ["full_disclosure", ""],
    ]
    assert (cell["public_rows"] == 69).all()
    assert (cell["submissions"] == 50).all()
    numbers = ["gain", "gain_se", "lag", "lag_se", "team_rank_correlation"]
    assert cell[numbers].notna().all(axis=None)


def test_a_board_does_not_depend_on_the_others(cell):
    alone = compare(69, 50, entry(mechanisms=GIVEN[1:]), seed=3)
    wanted = cell[cell["setting"] == "full_disclosure"].reset_index(drop=True)
    found = alone[alone["setting"] == "full_disclosure"].reset_index(drop=True)
    assert found.equals(wanted)

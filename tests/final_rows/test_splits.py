"""Ways of splitting rows, the rule, and what is said of each."""

import numpy as np
import pytest

from shakedown.final_rows.chances import Challenges
from shakedown.final_rows.splits import (
    Split,
    bears,
    by_rule,
    is_near,
    recommended,
    splits_of,
    table_of,
)
from shakedown.final_rows.teams import Teams
from shakedown.final_rows.telling_apart import (
    detected,
    rows_for_first_two,
    rows_to_tell,
    smallest_difference,
)
from shakedown.interface import InputError
from shakedown.leaderboard.degrees import charged_correlation, charged_gain
from shakedown.metrics import find
from shakedown.seeding import stream

TEAMS = Teams(find("mse"), np.array([0.5, 0.6, 0.8]), np.eye(3) * 0.5)
CHALLENGES = Challenges([TEAMS], rng=stream(1, "test"))


@pytest.mark.parametrize("rows", [20, 31, 300, 50_000])
@pytest.mark.parametrize("training", [True, False])
def test_splits_use_all_rows_and_no_set_is_tiny(rows, training):
    splits = splits_of(rows, training=training)
    assert {sum(split) for split in splits} == {rows}
    assert min(min(split.public, split.final) for split in splits) >= 3
    assert rows > 31 or min(split.final for split in splits) == 3
    least = min(split.train for split in splits)
    assert (least >= rows / 3) if training else {split.train for split in splits} == {0}


def test_what_is_left_is_halved_but_a_third_is_for_training():
    shown = {split.final: split for split in by_rule(splits_of(1_000, training=True))}
    assert shown[100] == Split(450, 450, 100)
    assert shown[50] == Split(500, 450, 50)
    assert shown[600] == Split(350, 50, 600)
    alone = {split.final: split for split in by_rule(splits_of(1_000, training=False))}
    assert alone[100] == Split(0, 900, 100)


def test_the_smallest_final_set_that_is_enough_is_recommended_or_else_the_largest():
    splits = splits_of(1_000, training=True)
    needed = CHALLENGES.rows_for(0.8)
    found = recommended(splits, CHALLENGES, 0.8)
    smaller = max(split.final for split in splits if split.final < found.final)
    assert smaller < needed <= found.final
    assert recommended(splits, CHALLENGES, 1.0).final == max(split.final for split in splits)


def test_a_public_set_bears_what_keeps_the_gain():
    assert charged_gain(bears("mse", 200, 0.05), 200) == pytest.approx(0.05)
    assert charged_correlation(bears("pearson", 200, 0.05), 200) == pytest.approx(0.05)
    assert bears("spearman", 200, 0.05) is None


def test_the_table_has_what_each_split_decides():
    splits = splits_of(100, training=True)
    table = table_of(splits, [TEAMS], CHALLENGES, metric="spearman", tolerated=0.05)
    assert list(map(tuple, table[["train", "public", "final"]].to_numpy())) == splits
    assert table["bears"].isna().all()
    for row in table.sample(5, random_state=1).itertuples():
        assert row.best_wins == CHALLENGES.wins(row.final)
        assert (row.best_tied, row.tied) == CHALLENGES.ties(row.final)
        assert row.difference == smallest_difference([TEAMS], row.final)
    assert table.groupby("final")["rank_correlation"].agg(np.ptp).max() > 0.05


def test_rows_that_tell_a_gap_are_the_fewest():
    for gap in (0.05, 0.1, 0.3, 1.0, 5.0):
        rows = rows_to_tell(gap, 1.0)
        assert detected(rows) <= gap
        assert rows == 2 or detected(rows - 1) > gap
    assert rows_to_tell(0.0, 1.0) is None
    assert rows_to_tell(1e-12, 1.0) is None
    assert rows_to_tell(0.5, 0.0) == 2
    assert rows_for_first_two([TEAMS]) == rows_to_tell(0.1, 1.0)


def test_the_smallest_difference_is_that_of_the_median_pair():
    assert smallest_difference([TEAMS], 100) == pytest.approx(detected(100))
    assert smallest_difference([TEAMS], 400) == pytest.approx(0.5 * detected(100), rel=0.01)
    unequal = Teams(find("mse"), np.array([0.8, 0.5, 0.6]), np.diag([12.0, 1.0, 3.0]))
    pairs = np.sqrt([1.0 + 3.0, 3.0 + 12.0])
    assert smallest_difference([unequal], 100) == pytest.approx(pairs.mean() * detected(100))


def test_too_few_rows_are_named():
    with pytest.raises(InputError, match="rows: wanted at least 20 independent ones .* got 19"):
        splits_of(19, training=True)


def test_splits_that_differ_by_half_a_step_of_the_grid_are_about_the_same():
    assert is_near(Split(40, 40, 40), Split(43, 37, 40))
    assert not is_near(Split(40, 40, 40), Split(44, 36, 40))
    assert not is_near(Split(40, 40, 40), Split(40, 36, 44))

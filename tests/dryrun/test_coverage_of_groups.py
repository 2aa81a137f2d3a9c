"""Rows in groups count as their groups: proofs, what adversaries gain, and intervals.

Each table has 60 groups of 8 rows, so that 20 groups (160 rows) are public.  Features and noise
have the correlation .9 within groups; a third of the variance is signal.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.dryrun.chance import beyond_chance
from shakedown.dryrun.coarse_boards import coarse_boards
from shakedown.dryrun.estimation import estimate
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.playing import planned, play_share
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge, Grouping
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.metrics import find
from shakedown.simulation.columns import Columns
from shakedown.simulation.replicate import Experiment, played
from shakedown.theory.proved import proved_limits

pytestmark = pytest.mark.full

GROUPS, SIZE, ALIKE, FILES = 60, 8, 0.9, 200
PUBLIC, ROWS = GROUPS // 3, GROUPS // 3 * SIZE
MSE = find("mse")
#: Tables of their own, whose means are compared with what is tolerated.
TABLES = 120
#: Chance that a test here fails although the mean overfit is what is tolerated.
FALSE_ALARM = 1e-3
#: Proved for 160 independent rows, a Δ of -.05 and any number of files.
FOR_ROWS = {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 33, "updates": 6}


def made(seed, size=SIZE):
    """A table whose response has variance 1."""
    rng = np.random.default_rng([seed, size])
    codes = rng.permutation(np.repeat(np.arange(GROUPS), size))

    def drawn():
        own, shared = rng.standard_normal(len(codes)), rng.standard_normal(GROUPS)[codes]
        return np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own

    X = np.column_stack([drawn() for _ in range(6)])
    y = (X[:, :3].sum(axis=1) + np.sqrt(6) * drawn()) / 3
    names = np.array(list("abcdef"))
    group = Grouping("patient", codes, True) if size > 1 else None
    y /= y.std(ddof=1)
    return Challenge("made", X, y, np.arange(len(y)).astype(str), names, group=group)


def first_rows(table):
    """A row of each group alone."""
    first = np.unique(table.group.codes, return_index=True)[1]
    y = table.y[first]
    y = y / y.std(ddof=1)
    return replace(table, X=table.X[first], y=y, rows=table.rows[first], group=None)


def alone(seed):
    return first_rows(made(seed))


def settings(boards, threshold, **changes):
    quick = {"fewest_replicates": 13, "most_replicates": 13, "jobs": 1}
    given = {"submissions": FILES, "largest_budget": FILES, "thresholds": [threshold]}
    return DryRunEntry(mechanisms=boards, **quick | given | changes)


def boards_for(threshold, factor):
    return coarse_boards(MSE, threshold, ROWS, FILES, row_variance=factor)


def setting_of(board):
    return mechanisms([board])[0].setting


def proved(board, rows, threshold, *, factor=1.0):
    given = {"quantile": 0.25, "row_variance": factor}
    return proved_limits(setting_of(board), MSE, rows, threshold, FILES, **given)


# What is proved ---------------------------------------------------------------------------------


def test_a_dry_run_proves_for_groups_no_more_than_for_as_many_rows():
    """On average; and nothing at the quantile, so that nothing is called proved."""
    threshold, table = -0.3, made(1)
    ladder = {"name": "general_ladder", "eta": 0.5, "defences": [{"name": "baseline"}]}
    boards = [FOR_ROWS, ladder, *boards_for(threshold, float(SIZE))]

    def limits(mine, *correlations):
        outcomes, _ = play_share(mine, settings(boards, threshold), 0, 60.0, 1)
        for correlation in correlations:
            asked = settings(boards, threshold, group_correlation=correlation)
            found, _ = estimate(mine, outcomes, asked, seed=1)
            found = found[found["threat"] == "adversary"]
            yield found.set_index(found["mechanism"].astype(str) + found["updates"].astype(str))

    (of_few,) = limits(first_rows(table), 1.0)
    (of_many,) = limits(replace(table, group=None), 1.0)
    few, many = (part["proved_mean"] for part in (of_few, of_many))
    assert len(few) == len(boards)
    assert (few <= many[few.index]).all()
    assert (many >= FILES).all()
    assert of_few["proved_submissions"].notna().all()
    for groups in limits(table, 1.0, ALIKE):
        mean = groups["proved_mean"]
        assert (mean <= few[mean.index]).all()
        assert groups["proved_submissions"].isna().all()
        assert (mean < FILES).sum() == 2  # the ladder, and the digest for rows
        assert (mean >= FILES).sum() == 3


# What adversaries gain --------------------------------------------------------------------------

THRESHOLDS = (-0.2, -0.3)


@pytest.fixture(scope="module")
def overfits():
    """Δ of each adversary on each board after all files, one play for each of `TABLES` tables.

    A frame with a row for each board and attack, and a column for each table.
    """
    boards = [FOR_ROWS, *(b for t in THRESHOLDS for b in boards_for(t, float(SIZE)))]
    asked, outcomes = settings(boards, THRESHOLDS[0]), Columns()
    for k in range(TABLES):
        for experiment in planned(made(k), asked, seed=k):
            if experiment.attack.threat != "modeller":
                outcomes.extend(played(experiment, [k], previews=False))
    frame = beyond_chance(outcomes.frame(), 0.25)
    last = frame[frame["submissions"] == FILES]
    # Settings are in standard deviations of the table, which are 1 up to the last digit.
    last = last.assign(setting=[rounded(setting) for setting in last["setting"].astype(str)])
    return last.pivot_table("delta", ["setting", "experiment"], "replicate", observed=True)


def rounded(setting):
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.6g}", setting)


def upper_ends(deltas, *, tests):
    """Upper ends of the mean of each row; all hold but for a chance of `FALSE_ALARM`."""
    steps = stats.t.ppf(1.0 - FALSE_ALARM / tests, deltas.shape[1] - 1)
    return deltas.mean(axis=1) + steps * deltas.sem(axis=1)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_no_adversary_exceeds_what_is_proved_for_groups(overfits, threshold):
    """Mean Δ of 120 tables; a mean at the threshold fails with a chance of at most 1 in 1,000."""
    boards = boards_for(threshold, float(SIZE))
    for board in boards:
        assert proved(board, ROWS, threshold, factor=float(SIZE)).mean == FILES
    mine = overfits.loc[list(map(setting_of, boards))]
    assert mine.notna().all(axis=None)
    assert mine.shape == (15 * len(boards), TABLES)
    assert (upper_ends(mine, tests=len(mine)) >= threshold).all()
    assert mine.mean(axis=1).min() < -0.02  # and they gain something


def test_an_adversary_breaks_what_would_be_proved_for_rows(overfits):
    """-.05 for 160 rows; with 20 groups the mean and the first quartile are beyond it."""
    assert proved(FOR_ROWS, ROWS, -0.05).both == FILES
    assert proved(FOR_ROWS, ROWS, -0.05, factor=float(SIZE)).mean < 33  # nothing is shown
    mine = overfits.loc[[(setting_of(FOR_ROWS), "between_updates")]]
    assert upper_ends(mine, tests=1).item() < -0.05
    assert np.quantile(mine, 0.25) < -0.05


# What intervals hold ----------------------------------------------------------------------------


def plays(table, seeds, replicates):
    """Outcomes of an adversary in a dry run's replicates, on tables by their seeds."""
    name = "between_updates"
    attack = {"name": name, "submissions": FILES, "points": [FILES]}
    entry = {"metric": "mse", "features": None, "model": "ols", "attack": attack}
    entry["mechanisms"] = [FOR_ROWS]
    for seed in seeds:
        experiment = Experiment(name, entry, table(seed), "splits", seed=seed, errors=False)
        frame = played(experiment, range(replicates), previews=False).frame()
        yield frame[frame["submissions"] == FILES]


@pytest.mark.parametrize("table", [made, alone], ids=["groups", "a row for each group"])
def test_intervals_of_a_dry_run_hold_the_first_quartile_of_all_tables(table):
    """In 95 % of 80 tables at least, with 24 replicates of each; the truth is that of 500 tables.

    Measured with 200 tables, and a truth from 800: 98.0 % with groups, 98.5 % with a row for each
    group (standard error 1 %).  Of intervals of the mean by Student's t, 92.5 and 94.0 % (2 %).
    """
    fresh = [beyond_chance(f, 0.25)["delta"] for f in plays(table, range(1000, 1500), 1)]
    truth = np.quantile(pd.concat(fresh), 0.25)
    misses = 0
    for outcomes in plays(table, range(80), 24):
        curve = frontier(outcomes, quantile=0.25)
        (row,) = curve[curve["threat"] == "null_adversary"].itertuples()
        assert row.replicates == 24
        misses += not row.delta_low <= truth <= row.delta_high
    assert misses <= stats.binom.ppf(1.0 - FALSE_ALARM, 80, 0.05)


def test_intervals_from_attackers_who_do_not_know_the_groups_miss_it():
    """So the test above can fail."""
    fresh = [beyond_chance(f, 0.25)["delta"] for f in plays(made, range(1000, 1200), 1)]
    truth = np.quantile(pd.concat(fresh), 0.25)

    def blind(seed):
        return replace(made(seed), group=None)

    for outcomes in plays(blind, range(8), 24):
        curve = frontier(outcomes, quantile=0.25)
        assert curve["delta_low"].min() > truth

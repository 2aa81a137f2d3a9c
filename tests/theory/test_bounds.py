"""Bounds beside outcomes: which theorem speaks of which board, and quantiles against SciPy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.simulation.outcomes import typed
from shakedown.theory import bounds, guarantees

ROWS = {"fair_labels": 4000, "few": 100}


def outcomes(name="general_ladder", errors=(), parameters=None, **columns):
    """Outcomes of two points of an attack; `errors` of the second, half as much at the first."""
    errors = np.asarray(errors if len(errors) else np.linspace(0.01, 0.05, 100), float)
    m = len(errors)
    row = {
        "experiment": "boosting_fair_labels", "dataset": "fair_labels", "design": "labels",
        "attack": "boosting", "iteration_board": "carried_on",
        "setting": mechanism(name, **({"eta": 0.05} if parameters is None else parameters)).setting,
    } | columns  # fmt: skip
    return typed(
        pd.DataFrame(
            {name: [value] * 2 * m for name, value in row.items()}
            | {
                "replicate": np.tile(np.arange(m), 2),
                "point": np.repeat([1, 2], m),
                "submissions": np.repeat([10, 400], m),
                "leaderboard_error": np.concatenate([errors / 2, errors]),
            }
        )
    )


def last(frame, delta=0.05, **rows):
    table = bounds.compare(frame, ROWS | rows, delta=delta)
    return table[table["submissions"] == 400].reset_index(drop=True)


def test_the_quantile_and_its_interval():
    errors = np.random.default_rng(3).permutation(np.linspace(0.001, 0.1, 100))
    row = last(outcomes(errors=errors), delta=0.1).iloc[0]
    assert row.simulated == pytest.approx(np.quantile(errors, 0.9))
    low, high = (round(row[name] * 1000) for name in ("simulated_low", "simulated_high"))
    # The errors are .001, ..., .1: value r is below the quantile unless r or more of 100 are.
    assert stats.binom.cdf(low - 1, 100, 0.9) <= 0.025 < stats.binom.cdf(low, 100, 0.9)
    assert stats.binom.sf(high - 1, 100, 0.9) <= 0.025 < stats.binom.sf(high - 2, 100, 0.9)
    assert (row.chance, row.replicates, row.public_rows) == (0.1, 100, 4000)


def test_few_replicates_leave_an_end_open():
    row = last(outcomes(errors=np.linspace(0.01, 0.02, 10))).iloc[0]
    assert np.isnan(row.simulated_high)
    assert row.simulated_low < row.simulated


def test_the_ladders_bound_is_theorem_3_1_for_one_account():
    row = last(outcomes()).iloc[0]
    assert row.theorem == bounds.LADDER
    assert row.bound == guarantees.ladder_error(0.05, 0.05, 401, 4000)
    assert row.ratio == row.bound / row.simulated > 1
    assert not row.vacuous
    many = last(outcomes(iteration_board="fresh")).iloc[0]
    assert many.accounts == 400
    assert (many.bound, many.vacuous, np.isnan(many.ratio)) == (np.inf, True, True)


def test_the_simplified_ladder_has_what_zheng_states_and_what_his_proof_says():
    table = last(outcomes("simplified_ladder"))
    assert table.theorem.tolist() == [bounds.SIMPLIFIED, bounds.ANY_STEP]
    error = guarantees.simplified_ladder_error(0.05, 0.05, 401, 4000)
    assert table.bound.tolist() == [np.inf, error]
    coarse = last(outcomes("simplified_ladder", parameters={"eta": 0.25}))
    assert coarse.bound[0] == 0.25
    assert coarse.bound[1] < 0.25
    two = last(outcomes("simplified_ladder", attack="two_accounts"))
    assert (two.accounts == 2).all()
    assert two.bound[1] == guarantees.simplified_ladder_error(0.05, 0.05, 401, 4000, accounts=2)


@pytest.mark.parametrize(("name", "eta"), [("full_disclosure", 0), ("kaggle", 1e-5)])
def test_boards_that_show_all_have_the_union_bound(name, eta):
    row = last(outcomes(name, parameters={"eta": eta} if eta else {})).iloc[0]
    assert row.theorem == bounds.FIXED
    expected = guarantees.union_error(0.05, 401, 4000)
    assert row.bound == pytest.approx(expected + eta / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("parameter_free_ladder", {}),
        ("ladder", {"alpha": 0.15}),
        ("general_ladder", {"eta": 1.5}),
        ("simplified_ladder", {"eta": 1.5}),
    ],
)
def test_of_other_boards_nothing_is_proved(name, parameters):
    table = last(outcomes(name, parameters=parameters))
    assert table[["theorem", "bound"]].to_numpy().tolist() == [[bounds.NONE, np.inf]]


@pytest.mark.parametrize(
    "rule", ["baseline", "cap(improvements=3)", "clip(times=1.5)", "one_board"]
)
@pytest.mark.parametrize("name", ["full_disclosure", "general_ladder(eta=0.05)"])
def test_with_defences_nothing_is_proved(name, rule):
    """The start of a baseline depends on the labels, and a capped board shows an old best."""
    board = of_setting(f"{name}+{rule}")
    assert bounds.theorems(board, 0.05, 400, 4000, 1) == {bounds.NONE: np.inf}


def test_an_error_of_a_half_says_nothing():
    assert last(outcomes(dataset="few")).vacuous.all()
    assert not last(outcomes(), fair_labels=10**6).vacuous.any()


def test_no_ratio_to_an_error_of_nothing():
    row = last(outcomes(errors=np.zeros(20))).iloc[0]
    assert (row.simulated, np.isnan(row.ratio)) == (0.0, True)


def test_points_without_a_score_are_left_out():
    blind = outcomes("constant_board", parameters={}).assign(leaderboard_error=np.nan)
    both = typed(pd.concat([outcomes(), blind], ignore_index=True))
    table = bounds.compare(both, ROWS, delta=0.05)
    assert set(table.setting) == {"general_ladder(eta=0.05)"}
    assert table.submissions.tolist() == [10, 400]
    with pytest.raises(InputError, match="with a leaderboard error, got none"):
        bounds.compare(blind, ROWS, delta=0.05)


def test_the_largest_attack_and_the_sharpest_bound():
    frame = pd.concat(
        [
            outcomes(),
            outcomes("simplified_ladder", dataset="few"),
            outcomes("parameter_free_ladder", parameters={}, errors=[0.1] * 5),
        ]
    )
    shown = bounds.largest_attacks(bounds.compare(frame, ROWS, delta=0.05))
    assert shown.submissions.tolist() == [400] * 3
    assert shown.theorem.tolist() == [bounds.LADDER, bounds.ANY_STEP, bounds.NONE]


def test_what_does_not_fit_is_refused():
    frame = outcomes()
    with pytest.raises(InputError, match="outcomes lack the column leaderboard_error; they have"):
        bounds.compare(frame.drop(columns="leaderboard_error"), ROWS, delta=0.05)
    with pytest.raises(InputError, match="design labels.* got permuted"):
        bounds.compare(frame.assign(design="permuted"), ROWS, delta=0.05)
    with pytest.raises(InputError, match="public rows .* those of fair_labels are missing"):
        bounds.compare(frame, {}, delta=0.05)
    with pytest.raises(InputError, match="`delta` must be a probability"):
        bounds.compare(frame, ROWS, delta=5)


def test_the_largest_step_has_a_bound():
    general, simplified = (
        bounds.theorems(mechanism(name, eta=1.0), 0.05, 10, 100, 1)
        for name in ("general_ladder", "simplified_ladder")
    )
    assert general == {bounds.LADDER: guarantees.ladder_error(1.0, 0.05, 10, 100)}
    assert simplified[bounds.ANY_STEP] == guarantees.simplified_ladder_error(1.0, 0.05, 10, 100)


def test_the_replicate_with_most_submissions_counts():
    frame = outcomes()
    fewer = (frame["submissions"] == 400) & (frame["replicate"] < 5)
    frame.loc[fewer, "submissions"] = 300
    table = bounds.compare(frame, ROWS, delta=0.05)
    assert table["submissions"].tolist() == [10, 400]
    assert table["bound"].iloc[1] == guarantees.ladder_error(0.05, 0.05, 401, 4000)

"""Who wins the challenge of a dry run: the planner's numbers, for its sets and for others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.dryrun.settings import DryRunEntry
from shakedown.final_rows import of_dryrun
from shakedown.final_rows.of_dryrun import COLUMNS, final_rows
from shakedown.final_rows.splits import Split
from shakedown.interface import Cells, Challenge, Grouping

N = 120
RNG = np.random.default_rng(4)
X = RNG.standard_normal((N, 6))
Y = 50.0 + 3.0 * (X @ [1.0, 0.6, 0.4, 0.0, 0.0, 0.0] + RNG.standard_normal(N))
TOY = Challenge("toy", X, Y, np.arange(N).astype(str), np.array([*"abcdef"]), None)


def one_of(table, column):
    (at,) = np.flatnonzero(table[column])
    return table.iloc[at]


def test_the_numbers_are_those_of_the_planner():
    frame = pd.DataFrame(X, columns=[*"abcdef"]).assign(y=Y)
    plan = shakedown.design(frame, response="y", metric="mse")
    table = final_rows(TOY_AS_A_FRAME, DryRunEntry(metric="mse"), seed=1607)
    assert list(table.columns) == COLUMNS
    best = one_of(table, "recommended")
    assert tuple(best[["train", "public", "final"]]) == plan.recommended
    own = plan.limits.set_index(["train", "public", "final"])
    for row in table.iloc[1:].itertuples():
        expected = own.loc[(row.train, row.public, row.final)]
        assert row.best_wins == expected["best_wins"]
        assert row.bears == expected["bears"]
        assert row.difference == pytest.approx(expected["difference"] * Y.var(ddof=1))
    assert table["rows_wanted"].eq(plan.metrics.loc[0, "rows_80"]).all()
    assert table["rows_first_two"].eq(plan.metrics.loc[0, "rows_first_two"]).all()
    assert table["why"].eq("").all()


#: As the planner reads it.
TOY_AS_A_FRAME = replace(TOY, name="table")


def test_the_sets_as_they_are_come_first():
    table = final_rows(TOY, DryRunEntry(metric="mse"), seed=1)
    assert tuple(table.loc[0, ["train", "public", "final"]]) == (40, 40, 40)
    assert table["played"].tolist() == [True] + [False] * (len(table) - 1)
    assert table["recommended"].sum() == 1
    official = np.repeat(["train", "public", "final"], [60, 40, 20])
    other = final_rows(replace(TOY, split=official), DryRunEntry(metric="mse"), seed=1)
    assert tuple(other.loc[0, ["train", "public", "final"]]) == (60, 40, 20)
    # Its models have more training rows.
    assert (other.loc[1:, "difference"] != table.loc[1:, "difference"]).all()
    assert table.equals(final_rows(TOY, DryRunEntry(metric="mse"), seed=1))
    assert not table.equals(final_rows(TOY, DryRunEntry(metric="mse"), seed=2))


def test_the_tolerated_overfit_is_the_dry_runs_own():
    usual, more = (
        final_rows(TOY, DryRunEntry(metric="mse", thresholds=given), seed=1)["bears"]
        for given in (None, [-0.1 * Y.var(ddof=1)])
    )
    np.testing.assert_allclose(more, 2.0 * usual)


@pytest.mark.parametrize(("near", "is_played"), [((43, 37, 40), True), ((44, 36, 40), False)])
def test_about_the_same_sets_are_recommended_as_they_are(near, is_played, monkeypatch):
    monkeypatch.setattr(of_dryrun, "recommended", lambda *_: Split(*near))
    table = final_rows(TOY, DryRunEntry(metric="mse"), seed=1)
    assert table.loc[0, "recommended"] == is_played


def test_rows_of_a_group_are_counted_once():
    group = Grouping("patient", np.arange(N) // 2, is_text=False)
    table = final_rows(replace(TOY, group=group), DryRunEntry(metric="mse"), seed=1)
    assert table["unit"].eq("group").all()
    assert table[["train", "public", "final"]].sum(axis=1).eq(N // 2).all()


def test_cells_of_a_row_are_counted_once():
    cells = Cells(("one", "two"), np.arange(N) % 2, np.arange(N) // 2)
    group = Grouping("row", np.arange(N) // 2, is_text=False)
    two = replace(TOY, X=np.repeat(X[::2], 2, axis=0), cells=cells, group=group)
    table = final_rows(two, DryRunEntry(metric="mse"), seed=1)
    assert table["unit"].eq("row").all()
    assert table[["train", "public", "final"]].sum(axis=1).eq(N // 2).all()


def test_weights_and_times_and_classes_have_an_answer():
    weighted = replace(TOY, weights=1.0 + np.arange(N) % 3)
    assert final_rows(weighted, DryRunEntry(metric="weighted mse"), seed=1)["why"].eq("").all()
    times = replace(TOY, y=np.where(np.arange(N) % 3 > 0, 1, -1) * np.exp(X[:, 0]), censored=True)
    classes = replace(TOY, y=(Y > 50.0).astype(float))
    for name, own in (("c_index", times), ("auroc", classes), ("kappa", classes)):
        table = final_rows(own, DryRunEntry(metric=name), seed=1)
        assert table["why"].eq("").all(), name
        assert table["best_wins"].between(0.0, 1.0).all()


def test_too_few_groups_are_a_reason():
    group = Grouping("patient", np.arange(N) // 8, is_text=False)
    table = final_rows(replace(TOY, group=group), DryRunEntry(metric="mse"), seed=1)
    assert len(table) == 1
    assert table.loc[0, "why"].startswith("rows: wanted at least 20 independent ones to split")
    assert tuple(table.loc[0, ["train", "public", "final"]]) == (5, 5, 5)
    assert table.loc[0, "played"]
    assert pd.isna(table.loc[0, "best_wins"])

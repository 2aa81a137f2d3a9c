"""All analyses at once: every table, the same every time, and no truth in any of them."""

import numpy as np
import pandas as pd
import pytest

from shakedown.metrics import find
from shakedown.replay import (
    average_ranks,
    by_response,
    comparisons,
    fresh_splits,
    learnt,
    ranks,
    reported,
    resolution,
)
from shakedown.replay.analyses import TABLES, analyse
from shakedown.replay.grouping import each_board, read_table, reference, write_table
from shakedown.replay.sizes import Analyses
from tests.replay import frames

LOG = frames.log()
SIZES = Analyses(best=20, splits=4).model_copy(update={"draws": 40})
COLUMNS = {
    "agreement": ranks.AGREEMENT,
    "ranks": ranks.CHANGES,
    "rank_intervals": ranks.INTERVALS,
    "comparisons": comparisons.COMPARISONS,
    "resolution": resolution.RESOLUTION,
    "splits": fresh_splits.SPLITS,
    "errors": reported.SUMMARY,
    "learnt": learnt.LEARNT,
    "average_ranks": average_ranks.AVERAGES,
    "by_response": by_response.RESPONSES,
    "reported": reported.REPORTED,
}


def tables(metric="mse"):
    seen, standings = frames.played(LOG, metric, per_rank=True)
    return analyse(LOG, find(metric), seen, standings, sizes=SIZES, seed=3)


def test_every_table_with_its_columns_and_the_same_again():
    results, again = tables(), tables()
    assert tuple(results) == TABLES
    for name, table in results.items():
        assert list(table.columns) == COLUMNS[name]
        assert len(table) or name in ("average_ranks", "by_response")  # not asked for
        pd.testing.assert_frame_equal(table, again[name])
    assert len(results["splits"]) == 20
    assert set(results["rank_intervals"]["draws"]) == {10_000}


@pytest.mark.parametrize("metric", ["mse", "ccc", "sklearn.metrics.r2_score"])
def test_no_truth_is_in_any_table(metric):
    # Ids and counts are whole numbers; no truth is one.
    assert not np.isclose(LOG.truth % 1, 0).any()
    for name, table in tables(metric).items():
        for column in table.select_dtypes("number"):
            values = table[column].dropna().to_numpy(float)
            close = np.isclose(values[:, None], LOG.truth[None, :], rtol=1e-12, atol=0)
            assert not close.any(), (name, column)


def test_corrected_p_can_get_below_the_level():
    log = frames.log(noise=np.append(0.02, np.full(59, 1.0)))
    seen, standings = frames.played(log, "spearman")
    results = analyse(log, find("spearman"), seen, standings, sizes=SIZES, seed=3)
    assert (results["comparisons"]["p_bonferroni"] < 0.05).all()


def test_tables_survive_their_files(tmp_path):
    odd = frames.log(m=12)
    names = ["NA", "007", "1e3", "=1+1", "'=1", "-3", "@a"]
    odd.submissions["team"] = [*names, *odd.submissions["team"].iloc[len(names) :]]
    odd.submissions["submission"] = [f"{k:03d}" for k in range(12)]
    seen, standings = frames.played(odd)
    write_table(standings, tmp_path / "standings.csv")
    cells = pd.read_csv(tmp_path / "standings.csv", dtype=str, keep_default_na=False)["team"]
    assert not cells.str.startswith(("=", "+", "-", "@")).any()
    back = read_table(tmp_path / "standings.csv")
    assert set(back["team"]) == set(standings["team"])
    assert back["in_force"].tolist() == standings["in_force"].tolist()
    first, second = (
        analyse(odd, find("mse"), seen, table, sizes=SIZES, seed=3) for table in (standings, back)
    )
    for name in TABLES:
        # Mechanisms are names, not categories, when they come from a file.
        pd.testing.assert_frame_equal(
            first[name], second[name], check_dtype=False, check_categorical=False
        )
    assert len(list(each_board(back))) == 3
    assert len(reference(back)) == 12

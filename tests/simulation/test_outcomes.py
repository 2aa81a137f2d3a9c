"""Tables: checked, written atomically, joined, summarised."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

from shakedown.interface import InputError
from shakedown.simulation import outcomes


def table(replicates=7, experiment="e", delta=None):
    columns = outcomes.Columns()
    rng = np.random.default_rng(replicates)
    for replicate in range(replicates):
        points = 2
        public, final = rng.random(points), rng.random(points)
        columns.append(
            points, experiment=experiment, dataset="d", design="permuted", metric="mse",
            attack="freedman", iteration_board=None, setting="ladder(alpha=0.15)",
            replicate=replicate, n_features=9, n_selected=np.arange(1, points + 1),
            point=np.arange(1, points + 1),
            submissions=np.full(points, 9), accepted=np.full(points, 3), score_public=public,
            score_final=final, delta=public - final if delta is None else delta[replicate],
            score_released=np.full(points, np.nan), changed=np.full(points, 2),
            leaderboard_error=np.linspace(0.1, 0.2, points) + replicate,
            score_honest=None,
        )  # fmt: skip
    return columns.frame()


def test_types_and_nulls():
    frame = table()
    assert {c: str(t) for c, t in frame.dtypes.items()} == outcomes.COLUMNS
    assert frame[["iteration_board", "score_released"]].isna().all(axis=None)
    outcomes.check(frame, "t")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_what_is_written_can_be_read(tmp_path, suffix):
    frame = table()
    outcomes.write(frame, tmp_path / "deep" / f"t.{suffix}")
    read = pd.read_parquet if suffix == "parquet" else pd.read_csv
    back = outcomes.typed(read(tmp_path / "deep" / f"t.{suffix}"))
    assert list(back.columns) == list(frame.columns)
    np.testing.assert_array_equal(back.delta, frame.delta)
    assert [p.name for p in (tmp_path / "deep").iterdir()] == [f"t.{suffix}"]


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def write_half():
        with outcomes.replacing(path) as temporary:
            temporary.write_text("new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_chunks_are_joined_in_order_and_checked(tmp_path):
    paths = []
    for k in (3, 4):
        paths.append(tmp_path / f"{k}.parquet")
        outcomes.write(table(k, experiment=f"e{k}"), paths[-1])
    outcomes.join(paths, tmp_path / "all.parquet")
    whole = outcomes.typed(pd.read_parquet(tmp_path / "all.parquet"))
    assert whole.experiment.tolist() == ["e3"] * 6 + ["e4"] * 8
    np.testing.assert_array_equal(whole.delta, [*table(3).delta, *table(4).delta])
    outcomes.write(table(4).assign(replicate=-1), paths[1])
    with pytest.raises(InputError, match=r"4.parquet: column 'replicate' has 8 values below 0"):
        outcomes.join(paths, tmp_path / "bad.parquet")
    assert not (tmp_path / "bad.parquet").exists()


def test_parts_lie_in_row_groups_of_their_own(tmp_path):
    """So that one replicate of many can be read alone, see `parts.read_part`."""
    parts = [table(k, experiment=f"e{k}") for k in (3, 4, 5)]
    outcomes.write_parts(iter(parts), tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [len(part) for part in parts]
    whole = outcomes.typed(pd.read_parquet(tmp_path / "t.parquet"))
    wanted = outcomes.typed(pd.concat(parts, ignore_index=True))
    pd.testing.assert_frame_equal(whole.astype(object), wanted.astype(object))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="delta"), "t: wanted the columns"),
        (lambda f: f.assign(delta="x"), "column 'delta' should be numbers, is"),
        (lambda f: f.assign(metric=1.0), "column 'metric' should be text, is float64"),
        (lambda f: f.assign(setting=None), "column 'setting' has 14 nulls"),
        (lambda f: f.assign(replicate=-1), "'replicate' has 14 values below 0, the first is -1"),
        (lambda f: f.assign(point=0), "'point' has 14 values below 1, the first is 0"),
        (lambda f: f.assign(design="foo"), r"'design' has 14 values other than .*first is foo"),
        (
            lambda f: f.assign(iteration_board="foo"),
            r"'iteration_board' has 14 values other than .*first is foo",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        outcomes.check(change(table()), "t")


def test_every_column_is_explained():
    for name, column in outcomes.TABLE.items():
        assert column.meaning.endswith("."), name
    assert set(outcomes.SETTING) < set(outcomes.TABLE)


def test_summary_has_the_quantiles():
    frame = table(41)
    summary = outcomes.summarise(frame)
    assert summary.point.tolist() == [1, 2]
    assert summary.replicates.tolist() == [41, 41]
    for _, row in summary.iterrows():
        delta = frame.delta[frame.point == row.point]
        assert row.median_delta == delta.median()
        assert row.mean_delta == pytest.approx(delta.mean())
        assert (row.q1_delta, row.q3_delta) == tuple(delta.quantile([0.25, 0.75]))
        assert row.delta_low <= row.median_delta <= row.delta_high
        # Order statistics 14 and 28 of 41: P(Bin(41, 1/2) < 14) = .0138 < .025.
        assert (row.delta_low, row.delta_high) == tuple(np.sort(delta)[[13, 27]])


def test_the_submissions_of_a_point_are_the_most_of_any_replicate():
    """An attack that ends early has made fewer."""
    frame = table(7)
    frame["submissions"] = 10 * frame["point"] - (frame["replicate"] - 3).abs()
    assert outcomes.summarise(frame).submissions.tolist() == [10, 20]


def test_too_few_replicates_have_no_interval():
    assert outcomes.summarise(table(5))[["delta_low", "delta_high"]].isna().all(axis=None)
    assert outcomes.summarise(table(6))[["delta_low", "delta_high"]].notna().all(axis=None)


def test_groups_of_different_sizes_are_refused():
    with pytest.raises(InputError, match="same number of replicates in every group, got 6 to 7"):
        outcomes.summarise(table(7).iloc[1:])


def test_the_interval_of_the_median_covers_it_as_often_as_it_says():
    """Coverage over 200 tables of 30 replicates with median 0; at least 95 % by construction."""
    rng = np.random.default_rng(1)
    frame = table(30)
    tables = [
        frame.assign(delta=np.repeat(rng.standard_t(2, size=30), 2), experiment=f"e{k}")
        for k in range(200)
    ]
    summary = outcomes.summarise(outcomes.typed(pd.concat(tables, ignore_index=True)))
    summary = summary[summary.point == 1]
    covered = ((summary.delta_low <= 0) & (summary.delta_high >= 0)).sum()
    # A procedure that covers 95 % falls below this with probability 1e-6.
    assert covered >= stats.binom.ppf(1e-6, 200, 0.95)


def test_groups_with_nulls_in_their_keys_are_kept():
    frame = pd.concat([table(5).assign(iteration_board="fresh"), table(5)])
    assert outcomes.summarise(outcomes.typed(frame)).iteration_board.isna().sum() == 2


def test_the_summary_has_the_median_error_of_the_board():
    frame = table(4)  # .1 and .2 at the two points, and 1 more in each replicate
    assert outcomes.summarise(frame).median_leaderboard_error.tolist() == pytest.approx([1.6, 1.7])
    none = outcomes.typed(frame.assign(leaderboard_error=np.nan))
    assert outcomes.summarise(none).median_leaderboard_error.isna().all()


def test_a_median_leaves_out_replicates_without_a_number():
    """Such as those before a board has shown a score; alone, they have none."""
    frame = table()
    first, last = frame["point"] == 1, frame["point"] == 2
    frame.loc[first & (frame["replicate"] < 6), "score_released"] = np.arange(6.0)
    summary = outcomes.summarise(frame).set_index("point")
    assert summary["median_score_released"][1] == 2.5
    assert np.isnan(summary["median_score_released"][2])
    assert frame.loc[last, "score_released"].isna().all()

"""Parts of a table are the rows that a filter of the whole table finds."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shakedown.simulation.parts import read_part


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "dataset": pd.Categorical(rng.permutation(np.repeat(["a", "b", "c"], 20))),
            "design": pd.Categorical(np.resize(["permuted", "splits"], 60)),
            "delta": rng.standard_normal(60),
        }
    )


@pytest.mark.parametrize("sorted_first", [True, False])
@pytest.mark.parametrize("rows", [7, 60])
def test_finds_the_rows_wherever_they_stand(table, tmp_path, sorted_first, rows):
    if sorted_first:
        table = table.sort_values(["dataset", "design"], ignore_index=True)
    path = tmp_path / "table.parquet"
    pq.write_table(pa.Table.from_pandas(table), path, row_group_size=rows)
    part = read_part(path, dataset="b", design="splits")
    wanted = table[(table["dataset"] == "b") & (table["design"] == "splits")]
    assert part["delta"].tolist() == wanted["delta"].tolist()
    assert len(part) > 0


def test_reads_no_more_row_groups_than_needed(table, tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    table = table.sort_values("dataset", ignore_index=True)
    pq.write_table(pa.Table.from_pandas(table), path, row_group_size=20)
    read = []
    original = pq.ParquetFile.read_row_groups
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_groups",
        lambda self, groups: read.append(groups) or original(self, groups),
    )
    assert set(read_part(path, dataset="b")["dataset"]) == {"b"}
    assert read == [[1]]


def test_what_is_not_there_gives_no_rows(table, tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.Table.from_pandas(table), path)
    for value in ("bb", "z"):
        part = read_part(path, dataset=value)
        assert len(part) == 0
        assert list(part.columns) == list(table.columns)

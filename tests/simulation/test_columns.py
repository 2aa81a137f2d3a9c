"""Tables that a job fills without pandas: as pandas makes them, to the byte."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shakedown.simulation import outcomes
from shakedown.simulation.columns import PARQUET_TYPES, Columns, Named, write_tables

ROOT = Path(__file__).parents[2]
TYPES = {"name": "category", "whole": "Int64", "real": "float64", "is": "bool"}


def filled(blocks):
    columns = Columns(TYPES)
    for rows, values in blocks:
        columns.append(rows, **values)
    return columns


def block(rows, name, whole, real, is_so):
    return rows, {"name": name, "whole": whole, "real": real, "is": is_so}


SOME = [
    block(2, "β", np.array([2**53 + 1, -1]), 0.5, np.array([True, False])),
    block(
        3, None, np.array([True, False, True]), np.array([np.nan, 1e300, -0.0]), np.ones(3, bool)
    ),
    block(0, "a", np.empty(0, int), None, np.empty(0, bool)),
    block(1, "a", np.array([7]), None, np.array([True])),
]


def test_rows_are_those_that_were_appended():
    table = filled(SOME).table().to_pydict()
    assert table["name"] == ["β", "β", None, None, None, "a"]
    assert table["whole"] == [2**53 + 1, -1, 1, 0, 1, 7]
    assert table["real"] == [0.5, 0.5, None, 1e300, 0.0, None]
    assert np.signbit(table["real"][4])
    assert table["is"] == [True, False, True, True, True, True]


def test_scalars_are_repeated_and_none_is_null():
    numbers = [block(2, None, None, 1, np.zeros(2, bool)), block(1, None, 3, 2, np.ones(1, bool))]
    table = filled(numbers).table()
    assert table.column("whole").to_pylist() == [None, None, 3]
    assert table.column("real").to_pylist() == [1.0, 1.0, 2.0]
    assert table.column("name").null_count == 3
    table.validate(full=True)


def test_named_texts_of_several_lists():
    first, second = np.array(["z", "b", "b"]), np.array(["c", "z"])
    rest = (np.arange(4), 0.0, np.zeros(4, bool))
    table = filled(
        [
            block(4, Named(first, np.array([2, 0, 1, 2])), *rest),
            block(4, Named(second, np.array([1, 1, 1, 1])), *rest),
        ]
    ).table()
    assert table.column("name").to_pylist() == ["b", "z", "b", "b", "z", "z", "z", "z"]
    assert table.column("name").chunk(0).dictionary.to_pylist() == ["b", "z"]  # in order, used


@pytest.mark.parametrize("blocks", [SOME, SOME[:1], []], ids=["nulls", "none", "empty"])
def test_the_file_is_the_one_that_pandas_writes(tmp_path, blocks):
    columns = filled(blocks)
    table = columns.table()
    table.validate(full=True)
    write_tables([table, table], tmp_path / "ours.parquet")
    frame = pd.DataFrame(
        {
            "name": pd.Series(
                [v for n, b in blocks for v in [b["name"]] * n], dtype="object"
            ).astype("category"),
            "whole": pd.array(table.column("whole").to_pylist(), dtype="Int64"),
            "real": pd.Series(table.column("real").to_pylist(), dtype=float),
            "is": pd.Series(table.column("is").to_pylist(), dtype=bool),
        }
    )
    schema = pa.schema([(name, PARQUET_TYPES[kind]) for name, kind in TYPES.items()])
    with pq.ParquetWriter(tmp_path / "theirs.parquet", schema) as writer:
        for _ in range(2):
            writer.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False))
    assert (tmp_path / "ours.parquet").read_bytes() == (tmp_path / "theirs.parquet").read_bytes()


def test_the_frame_has_the_types_of_outcomes():
    assert outcomes.Columns().frame().dtypes.astype(str).to_dict() == outcomes.COLUMNS


@pytest.mark.parametrize("script", ["play_experiments", "trace_experiment"])
def test_a_job_that_plays_imports_nothing_slow(tmp_path, script):
    """Neither does writing its table; pyarrow imports pandas where it can."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'workflow/scripts')!r}); import {script}\n"
        "from shakedown.simulation.columns import Columns, write_tables\n"
        "c = Columns({'a': 'category', 'x': 'float64'}); c.append(2, a='b', x=None)\n"
        f"write_tables([c.table()], {str(tmp_path / 't.parquet')!r})\n"
        "import scipy.linalg  # as Numba does for the first kernel\n"
        "slow = {'pandas', 'sklearn', 'matplotlib', 'scipy.stats', 'numpy.f2py.crackfortran'}\n"
        "print(*sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

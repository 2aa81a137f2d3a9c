"""Read the rows of a table for one data set, design or other value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from shakedown.data.files import reading_table
from shakedown.simulation import outcomes


def read_part(path: str | Path, **wanted: str) -> pd.DataFrame:
    """Rows of a Parquet table with given values.

    Parameters
    ----------
    path : str or Path
    **wanted
        Values by column, such as ``dataset="ad_like"``.

    Returns
    -------
    DataFrame
        With column types as from `outcomes.typed`.

    Raises
    ------
    InputError
        If the file is missing or cannot be read.

    Notes
    -----
    Only row groups that can contain such rows are read; a joined table has one for each chunk.  The
    filters of `pandas.read_parquet` find the same rows with five times the memory.
    """
    with reading_table(path):
        file = pq.ParquetFile(path)
        groups = [
            i for i in range(file.num_row_groups) if _may_hold(file.metadata.row_group(i), wanted)
        ]
        # Older versions of pyarrow cannot read no groups.
        table = file.read_row_groups(groups) if groups else file.schema_arrow.empty_table()
        frame = outcomes.typed(table.to_pandas())
    keep = np.ones(len(frame), dtype=bool)
    for column, value in wanted.items():
        keep &= (frame[column] == value).to_numpy(dtype=bool)
    return frame if keep.all() else frame[keep]


def _may_hold(group: pq.RowGroupMetaData, wanted: dict[str, str]) -> bool:
    columns = [group.column(i) for i in range(group.num_columns)]
    bounds = {c.path_in_schema: c.statistics for c in columns if c.path_in_schema in wanted}
    return all(
        bound is None or not bound.has_min_max or bound.min <= wanted[name] <= bound.max
        for name, bound in bounds.items()
    )

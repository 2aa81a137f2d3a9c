"""Tables that cannot be read are refused in one sentence with their path, without Arrow's words."""

import numpy as np
import pandas as pd
import pytest

from shakedown.claims.study_tables import Tables
from shakedown.interface import InputError
from shakedown.replay.grouping import read_table
from shakedown.simulation import outcomes
from shakedown.simulation.parts import read_part
from shakedown.simulation.result_checks import checked_parts

SETTINGS = {"datasets": ["d"], "designs": ["splits"], "metric": "mse", "replicates": 50}

READERS = {
    "read": outcomes.read,
    "join": lambda path: outcomes.join([path], path.with_name("joined.parquet")),
    "part": lambda path: read_part(path, dataset="d"),
    "checks": lambda path: list(checked_parts(path, experiment="e", **SETTINGS)),
    "claims": lambda path: Tables(outcomes={"e": path}).table("outcomes", "e"),
    "replay": read_table,
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "0.parquet"
    rows = {name: ["splits"] * 50 for name in ("dataset", "design")}
    outcomes.write(pd.DataFrame(rows | {"replicate": range(50), "x": np.arange(50.0)}), path)
    return path


def truncated(content):
    return content[: len(content) // 2]


def without_end(content):
    return content[:-1]


def short(content):
    return content[:5]


def empty(content):
    return b""


def without_pages(content):
    """The footer is as it was, but what it points to is not."""
    return content[:4] + bytes(len(content) // 3) + content[4 + len(content) // 3 :]


@pytest.mark.parametrize("damage", [truncated, without_end, short, empty, without_pages])
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_table_is_one_sentence_with_its_path(reader, damage, table):
    table.write_bytes(damage(table.read_bytes()))
    with pytest.raises(InputError, match="delete it and run the study again") as e:
        READERS[reader](table)
    message = str(e.value)
    assert message.startswith(f"{table} is not a table that can be read (")
    assert "\n" not in message
    assert "Arrow" not in message
    assert e.value.__cause__ is None
    assert e.value.__suppress_context__
    assert not table.with_name("joined.parquet").exists()


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_table_is_one_sentence_with_its_path(reader, tmp_path):
    with pytest.raises(InputError, match=r"absent\.parquet does not exist; run the study again"):
        READERS[reader](tmp_path / "absent.parquet")


def test_an_empty_csv_file_is_one_sentence_with_its_path(tmp_path):
    (tmp_path / "claims.csv").touch()
    with pytest.raises(InputError, match=r"claims\.csv is not a table that can be read"):
        outcomes.read(tmp_path / "claims.csv")

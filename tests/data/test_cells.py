"""Text to numbers; Python's own float() is the reference."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from shakedown import data
from shakedown.interface import InputError
from shakedown.tables import cells
from tests.data.tables import HEADER, numbers, read, rows, text, write

BODY = rows()


def spoiled(changes):
    """Body with other cells: (row, column) -> text."""
    body = [list(line) for line in BODY]
    for (row, column), cell in changes.items():
        body[row][column] = cell
    return text(HEADER, body)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1", 1.0),
        ("-0", 0.0),
        ("+1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e5", 1e5),
        ("1E+05", 1e5),
        ("  2.5  ", 2.5),
        ('"2.5"', 2.5),
        ("TRUE", 1.0),
        ("False", 0.0),
        ("9007199254740993", 9007199254740992.0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("4.9e-324", 5e-324),
        ("1e-400", 0.0),
        ("1.000000000000000015e50", 1e50),
        ("007", 7.0),
    ],
)
def test_what_counts_as_a_number(tmp_path, written, meant):
    challenge = read(write(tmp_path / "t.csv", spoiled({(3, 3): written})))
    assert challenge.X[3, 1] == meant
    # The other cells of the column are as they were.
    np.testing.assert_array_equal(
        np.delete(challenge.X, 3, 0), np.delete(numbers(BODY), 3, 0)[:, 1:]
    )


@pytest.mark.parametrize(
    "written", ["1,5", "abc", "1_000", "0x10", "12%", "1 2", "2020-01-31", "1e", "-", "²", "?"]
)
def test_what_does_not(tmp_path, written):
    path = write(tmp_path / "t.csv", spoiled({(3, 3): f'"{written}"'}))
    with pytest.raises(InputError) as error:
        read(path)
    assert f"column 'b', row 'r4' (row 4): '{written}' is not a number. " in str(error.value)


@pytest.mark.parametrize("written", ["1,5", "-1.234,5", "1,234", "1,234.5", "1,5e3"])
def test_a_comma_gets_its_own_hint(tmp_path, written):
    path = write(tmp_path / "t.csv", spoiled({(3, 3): f'"{written}"'}))
    with pytest.raises(InputError, match="with a decimal point and without thousands separators"):
        read(path)


def test_the_first_bad_cell_is_the_topmost_one(tmp_path):
    path = write(tmp_path / "t.csv", spoiled({(9, 2): "x", (4, 4): "y" * 50, (4, 3): "bad"}))
    message = (
        r"column 'b', row 'r5' \(row 5\): 'bad' is not a number\. 3 columns have such cells: "
        r"'a', 'b', 'c'\. Correct the cell, leave it empty if missing, add the column to 'ig"
    )
    with pytest.raises(InputError, match=message):
        read(path)
    with pytest.raises(InputError, match=r"column 'c', row 'r5' \(row 5\): 'y{40}\.\.\.' is not"):
        read(path, ignore=["b"])
    with pytest.raises(InputError, match=r"column 'b', row 5: 'bad' is not a number"):
        read(path, id=None, ignore=["id"])


def test_an_ignored_column_may_hold_anything(tmp_path):
    path = write(tmp_path / "t.csv", spoiled({(3, 3): '"two\nlines, and a comma"'}))
    challenge = read(path, ignore=["b"])
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, [1, 3]])


def test_a_bad_response_is_not_for_the_ignore_list(tmp_path):
    path = write(tmp_path / "t.csv", spoiled({(3, 1): "high"}))
    with pytest.raises(
        InputError, match=r"'y', row 'r4' .* 'high' .* The response must be numeric"
    ):
        read(path)


@pytest.mark.parametrize("written", ["inf", "-Inf", "Infinity", "+inf", "1e999"])
def test_infinite_cells_are_refused(tmp_path, written):
    path = write(tmp_path / "t.csv", spoiled({(3, 3): written}))
    with pytest.raises(InputError, match=r"column 'b', row 'r4' is infinite; wanted"):
        read(path)
    path = write(tmp_path / "t.csv", spoiled({(3, 3): written, (5, 3): "inf", (9, 1): "-inf"}))
    with pytest.raises(InputError, match=r"'y', row 'r10' is infinite; .* \(3 such cells in all\)"):
        read(path)


@pytest.mark.parametrize("written", [*sorted(cells.MISSING), "NA", "NaN", '"NULL"', " N/A "])
def test_what_counts_as_missing(tmp_path, written):
    path = write(tmp_path / "t.csv", spoiled({(3, 3): written}))
    with pytest.raises(InputError, match=r"1 missing cell in 1 of 3 feature columns, first in col"):
        read(path)
    challenge = read(path, missing="drop_rows")
    np.testing.assert_array_equal(challenge.X, np.delete(numbers(BODY), 3, 0)[:, 1:])


def test_ids_stay_as_they_are_written(tmp_path):
    ids = ["007", "7", "NA", "null", "nan", "1e5", "1.0", "TRUE", "2020-01-31", "é", '"a, b"']
    path = write(tmp_path / "t.csv", spoiled({(i, 0): cell for i, cell in enumerate(ids)}))
    assert read(path).rows[:11].tolist() == [*ids[:-1], "a, b"]


def test_rows_are_numbered_without_an_id(tmp_path):
    path = write(tmp_path / "t.csv", text(HEADER[1:], [line[1:] for line in BODY]))
    assert read(path, id=None).rows.tolist() == [str(i) for i in range(1, 41)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (text(HEADER, [*BODY[:8], [*BODY[8], "1"]]), r"row 9 has 6 cells, but the header has 5"),
        (text(HEADER, [*BODY[:8], BODY[8][:4]]), r"row 9 has 4 cells, but the header has 5"),
        ("\n" + text(HEADER, [*BODY[:8], ["x"]]), r"row 9 has 1 cell, but the header has 5"),
        (text(["", *HEADER], [["1", *line] for line in BODY]), r"column 1 has no name in the h"),
        (
            text([*HEADER, ""], [[*line, "5" if i == 6 else ""] for i, line in enumerate(BODY)]),
            r"column 6 has no name in the header, but row 7 contains '5' there\. Give it a name",
        ),
        (
            text(HEADER, rows(2000)).encode() + b"\xe9,1,2,3,4\n",
            r"t\.csv\): line 2,002 is not UTF-8 text \(byte 0xE9\); save it as UTF-8\.",
        ),
    ],
)
def test_rows_that_do_not_fit_the_header(tmp_path, content, message):
    path = write(tmp_path / "t.csv", content)
    with pytest.raises(InputError, match=message):
        read(path)


def test_blocks_of_a_table_come_back_in_order(tmp_path, monkeypatch):
    # Blocks of a few rows; the row of a bad cell counts from the top of the table.
    body = rows(300)
    path = write(tmp_path / "t.csv", text(HEADER, body))
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(cells, "_BLOCK", 1000)
    for suffix in ("csv", "parquet"):
        challenge = read(tmp_path / f"t.{suffix}")
        np.testing.assert_array_equal(challenge.y, numbers(body)[:, 0])
        np.testing.assert_array_equal(challenge.X, numbers(body)[:, 1:])
        assert challenge.rows.tolist() == [line[0] for line in body]
    body[250][3] = "bad"
    body[260][3] = "worse"
    body[270][2] = "late"
    write(path, text(HEADER, body))
    message = r"'b', row 'r251' \(row 251\): 'bad' is not a number\. 2 columns .*: 'a', 'b'\. C"
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_line_break_within_a_cell_is_no_end_of_a_block(tmp_path, monkeypatch):
    body = [[*line, f'"{"two lines" * i}\n{i}"'] for i, line in enumerate(rows(60))]
    path = write(tmp_path / "t.csv", text([*HEADER, "words"], body))
    monkeypatch.setattr(cells, "_BLOCK", 1000)
    challenge = read(path, ignore=["words"])
    np.testing.assert_array_equal(challenge.X, numbers([line[:-1] for line in body])[:, 1:])


NUMERIC = {
    "int8": pa.array([1, None, -3], pa.int8()),
    "uint64": pa.array([1, None, 2**63], pa.uint64()),
    "float16": pa.array(np.array([1, np.nan, 0.5], np.float16)),
    "float32": pa.array([1, None, 0.5], pa.float32()),
    "decimal": pa.array([decimal.Decimal("1.00"), None, decimal.Decimal("0.25")]),
    "bool": pa.array([True, None, False]),
    "null": pa.nulls(3),
    "text": pa.array(["1", None, "0.25"]),
    "large_text": pa.array(["1", "", " true"], pa.large_string()),
    "categories": pa.array(["1", None, "3"]).dictionary_encode(),
    "categories_of_numbers": pa.array([1.0, None, 3.0]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", NUMERIC)
def test_numbers_of_every_type(kind):
    expected = {
        "int8": [1, np.nan, -3],
        "uint64": [1, np.nan, 2.0**63],
        "bool": [1, np.nan, 0],
        "null": [np.nan] * 3,
        "large_text": [1, np.nan, 1],
        "float16": [1, np.nan, 0.5],
        "float32": [1, np.nan, 0.5],
        "categories": [1, np.nan, 3],
        "categories_of_numbers": [1, np.nan, 3],
    }.get(kind, [1, np.nan, 0.25])
    values, wrong = cells.to_numbers(pa.chunked_array([NUMERIC[kind]]))
    assert not wrong.any()
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    ("column", "bad"),
    [
        (pa.array(["1", "x", "+2", "y", None, "1e999"]), [1, 3]),
        (pa.array(["u", "1"]).dictionary_encode(), [0]),
        (pa.array([None, datetime.date(2020, 1, 31)]), [1]),
        (pa.array([None, [1.0]]), [1]),
    ],
)
def test_cells_that_are_no_numbers_are_found(column, bad):
    values, wrong = cells.to_numbers(pa.chunked_array([column]))
    assert np.flatnonzero(wrong).tolist() == bad
    assert np.isnan(values[bad]).all()


def test_a_cell_of_another_type_is_told_by_its_text(tmp_path):
    frame = pd.DataFrame(numbers(rows(40)), columns=HEADER[1:]).assign(
        a=[datetime.date(2020, 1, 31)] * 40
    )
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'a', row 1: '2020-01-31' is not a number"):
        read(tmp_path / "t.parquet", id=None)


def test_ids_and_labels_of_a_parquet_file_may_have_any_type(tmp_path):
    body = rows(60)
    frame = pd.DataFrame(numbers(body), columns=HEADER[1:])
    frame["id"] = range(1000, 1060)
    frame["set"] = pd.Categorical(["train"] * 20 + ["public"] * 20 + ["final"] * 20)
    frame["seen"] = pd.array([True, False, None] * 20, dtype="boolean")
    frame.to_parquet(tmp_path / "t.parquet")
    challenge = read(tmp_path / "t.parquet", split="set", missing="impute_median")
    assert challenge.rows[:2].tolist() == ["1000", "1001"]
    assert challenge.split[-1] == "final"
    # Of the 20 training rows 7 were seen, 7 were not, 6 are missing: the median is one half.
    np.testing.assert_array_equal(challenge.X[:, 3], [1, 0, 0.5] * 20)


def test_a_table_without_rows_is_told(tmp_path):
    pd.DataFrame(columns=HEADER).to_parquet(tmp_path / "t.parquet")
    data.check("mine", {"recipe": "table", "path": str(tmp_path / "t.parquet"), "response": "y"})
    with pytest.raises(InputError, match=r"t\.parquet\): the file has a header but no rows\."):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("beside", ["", "NA", "None", " 2", "True", "1e999", "x"])
def test_what_a_cell_means_does_not_depend_on_its_neighbours(beside):
    written = [
        *("", "NA", "n/a", "NaN", "nan", "null", "None", "-nan", " ", "1.#QNAN"),
        *("1", "-0", "+2", ".5", "1.", "1e-400", "1e999", "inf", "-Infinity", "0.1", "1E5", "true"),
        *("x", "1,5", "0x10", "1_000", "--1"),
    ]
    for cell in written:
        alone = cells.to_numbers(pa.chunked_array([[cell]]))
        together = cells.to_numbers(pa.chunked_array([[cell, beside]]))
        np.testing.assert_array_equal(together[0][:1], alone[0], err_msg=repr(cell))
        assert together[1][:1] == alone[1], cell

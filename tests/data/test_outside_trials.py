"""Tables that people from outside tried: read as they are meant, or refused in a sentence."""

import os
import time
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shakedown import data
from shakedown.interface import InputError
from tests.data.tables import HEADER, numbers, read, recipe, rows, text, write

BODY = rows(45)
NFC, NFD = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))


def parquet(path, **changes):
    columns = {
        "id": pa.array([line[0] for line in BODY]),
        **dict(zip(HEADER[1:], map(pa.array, numbers(BODY).T), strict=True)),
    }
    pq.write_table(pa.table(columns | changes), path)
    return path


@pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string()])
def test_text_of_every_type_is_text(tmp_path, kind):
    as_text = pa.array([line[3] for line in BODY]).cast(kind)
    ids = pa.array([line[0] for line in BODY]).cast(kind)
    challenge = read(parquet(tmp_path / "t.parquet", b=as_text, id=ids))
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])
    assert challenge.rows[0] == "r1"


@pytest.mark.parametrize("column", ["y", "b"])
@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(tmp_path, column, sign):
    wide = [sign * (2**60 + i) for i in range(45)]
    body = [list(line) for line in BODY]
    for line, number in zip(body, wide, strict=True):
        line[HEADER.index(column)] = str(number)
    for path in (
        parquet(tmp_path / "t.parquet", **{column: pa.array(wide)}),
        write(tmp_path / "t.csv", text(HEADER, body)),
    ):
        with pytest.raises(InputError) as error:
            read(path)
        assert (
            f"column '{column}', rows 1 and 2: {wide[0]} and {wide[1]} are the same number if "
            "rounded to 53 bits. " in str(error.value)
        )


def test_large_whole_numbers_that_differ_are_read(tmp_path):
    wide = [2**60 + 1000 * i for i in range(45)]
    challenge = read(parquet(tmp_path / "t.parquet", b=pa.array(wide)))
    np.testing.assert_array_equal(challenge.X[:, 1], np.array(wide, float))


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_an_id_that_is_nan_is_missing(tmp_path, kind):
    ids = pa.array(np.array([1.0, 2.0, np.nan, *range(4, 46)])).cast(kind)
    path = parquet(tmp_path / "t.parquet", id=ids)
    with pytest.raises(InputError, match=r"column 'id' has no id in 1 row, first in row 3\."):
        read(path)


def test_two_spellings_of_one_id_are_one(tmp_path):
    body = [list(line) for line in BODY]
    body[5][0], body[6][0] = NFC, NFD
    with pytest.raises(InputError, match=f"column 'id' has 1 id more than once: '{NFC}'"):
        read(write(tmp_path / "t.csv", text(HEADER, body)))


@pytest.mark.parametrize("written", [NFC, NFD])
@pytest.mark.parametrize("asked", [NFC, NFD])
def test_a_column_is_found_by_either_spelling(tmp_path, written, asked):
    path = write(tmp_path / "t.csv", text(["id", written, *HEADER[2:]], BODY))
    np.testing.assert_array_equal(read(path, response=asked).y, numbers(BODY)[:, 0])


def test_a_very_long_name_of_a_column_is_told(tmp_path):
    path = write(tmp_path / "t.csv", text([*HEADER[:-1], "c" * 131_073], BODY))
    with pytest.raises(InputError, match=r"cell of more than 131,072 characters in the header\. "):
        data.check("mine", recipe(path))


def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"t\.csv\): a pipe or a device; wanted a file\."):
        data.check("mine", recipe(tmp_path / "t.csv"))


@pytest.mark.parametrize("name", ["my{x}.csv", "}.csv", "a{b/t.csv"])
def test_braces_in_a_path_are_refused_before_a_study_starts(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    write(path, text(HEADER, BODY))
    with pytest.raises(InputError, match=r"braces in a path are wildcards to Snakemake\. Rename"):
        data.check("mine", recipe(path))
    assert read(path).X.shape == (45, 3)  # from Python


def test_a_wide_table_is_read_and_checked_in_seconds(tmp_path):
    """CPU time, so that other processes do not matter; one feature at a time took 11 s."""
    body = rows(45, 20_000)
    header = ["id", "y", *(f"x{j}" for j in range(19_999))]
    path = write(tmp_path / "t.csv", text(header, body))
    before = time.process_time()
    assert read(path).X.shape == (45, 19_999)
    assert time.process_time() - before < 5

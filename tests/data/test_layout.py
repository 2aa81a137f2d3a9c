"""What the header alone can tell; `check` and `read` must agree on it."""

import gzip

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.data.store import load, save
from shakedown.interface import InputError
from tests.data.tables import HEADER, numbers, read, recipe, rows, text, write

BODY = rows()


def refused(settings, message):
    with pytest.raises(InputError, match=message):
        data.check("mine", settings)
    with pytest.raises(InputError, match=message):
        data.read("mine", settings, seed=1)


def test_a_good_table_passes(tmp_path):
    path = write(tmp_path / "t.csv", text(HEADER, BODY))
    assert data.check("mine", recipe(path)) is None


def test_a_check_reads_the_header_only(tmp_path):
    # The body would never pass.
    path = write(tmp_path / "t.csv", text(HEADER, [["r1", "x", "y", "z", "?"]]))
    data.check("mine", recipe(path))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.csv", b"\xef\xbb\xbf" + text(HEADER, BODY).encode()),
        ("crlf.csv", text(HEADER, BODY, end="\r\n")),
        ("cr.csv", text(HEADER, BODY, end="\r")),
        ("no_last_newline.csv", text(HEADER, BODY).rstrip("\n")),
        ("tabs.tsv", text(HEADER, BODY, sep="\t")),
        ("packed.csv.gz", text(HEADER, BODY)),
        ("LOUD.TSV.GZ", text(HEADER, BODY, sep="\t")),
        ("quoted.csv", text([f'"{c}"' for c in HEADER], [[f'"{c}"' for c in r] for r in BODY])),
        ("blanks.csv", text([f" {c} " for c in HEADER], [[f" {c} " for c in r] for r in BODY])),
        (
            "empty_lines.csv",
            "\n\n" + text(HEADER, BODY[:9]) + "\n" + text(BODY[9], BODY[10:]) + "\n",
        ),
        ("empty_column.csv", text([*HEADER, ""], [[*r, ""] for r in BODY])),
        ("empty_column_in_rows.csv", text(HEADER, [[*r, ""] for r in BODY])),
        ("empty_rows.csv", text(HEADER, BODY + [[""] * 5] * 3)),
    ],
)
def test_spellings_of_one_table_are_one_table(tmp_path, name, content):
    challenge = read(write(tmp_path / name, content))
    expected = numbers(BODY)
    np.testing.assert_array_equal(challenge.X, expected[:, 1:])
    np.testing.assert_array_equal(challenge.y, expected[:, 0])
    assert challenge.rows.tolist() == [r[0] for r in BODY]
    assert challenge.features.tolist() == ["a", "b", "c"]
    assert challenge.X.flags.f_contiguous
    left_out = {
        "empty_column.csv": "1 empty column left out.",
        "empty_column_in_rows.csv": "1 empty column left out.",
        "empty_rows.csv": "3 empty rows left out.",
    }
    assert list(challenge.notes[1:]) == ([left_out[name]] if name in left_out else [])


def test_names_may_hold_commas_quotes_and_line_breaks(tmp_path):
    header = ["id", "y", '"a, b"', '"say ""c"""', '"two\nlines"']
    challenge = read(write(tmp_path / "t.csv", text(header, BODY)))
    assert challenge.features.tolist() == ["a, b", 'say "c"', "two\nlines"]
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])


def test_a_parquet_file_is_the_same_table(tmp_path):
    frame = pd.DataFrame(numbers(BODY), columns=HEADER[1:], index=[r[0] for r in BODY])
    for table in (frame.rename_axis("id"), frame.reset_index(names="id")):
        table.to_parquet(tmp_path / "t.PARQUET")
        data.check("mine", recipe(tmp_path / "t.PARQUET"))
        challenge = read(tmp_path / "t.PARQUET")
        np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])
        np.testing.assert_array_equal(challenge.y, numbers(BODY)[:, 0])
        assert challenge.rows.tolist() == [r[0] for r in BODY]


def test_row_labels_of_pandas_are_no_feature(tmp_path):
    frame = pd.DataFrame(numbers(BODY), columns=HEADER[1:], index=range(100, 140))
    frame.loc[[*range(120, 140), *range(100, 120)]].to_parquet(tmp_path / "t.parquet")
    challenge = read(tmp_path / "t.parquet", id=None)
    assert challenge.features.tolist() == ["a", "b", "c"]
    assert challenge.notes[1] == "Row labels written by pandas left out: __index_level_0__."
    # Unless asked for.
    labelled = read(tmp_path / "t.parquet", id="__index_level_0__")
    assert labelled.rows[:2].tolist() == ["120", "121"]


def test_a_relative_path_starts_at_the_folder(tmp_path):
    write(tmp_path / "t.csv", text(HEADER, BODY))
    settings = {**recipe("t.csv")}
    data.check("mine", settings, folder=tmp_path)
    challenge = data.read("mine", settings, seed=1, folder=str(tmp_path))
    assert challenge.notes == ("Read from t.csv: 40 rows, 3 feature columns, response 'y'.",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": None}, r"Data set mine: recipe 'table' needs 'path'"),
        ({"response": None}, "no response is named. Wanted the column to predict, or several"),
        ({"separator": ";"}, r"has no parameter 'separator'"),
        ({"missing": "drop"}, r"`missing` must be one of error, drop_rows, .*; got 'drop'"),
        ({"ignore": "a"}, r"`ignore` must be a list .*; got 'a'\. Write \['a'\]\."),
        ({"id": "idd"}, r"t\.csv\): no column 'idd', which 'id' names\. Did you mean 'id'\?"),
        ({"response": "Y"}, r"no column 'Y', which 'response' names\. Did you mean 'y'\?"),
        (
            {"split": "set"},
            r"no column 'set', which 'split' names\. The header reads 'id', 'y', 'a'",
        ),
        ({"ignore": ["a", "smiles"]}, r"no column 'smiles', which 'ignore' names\."),
        ({"response": " "}, r"no column '', which 'response' names"),
        (
            {"split": "y"},
            r"column 'y' is set as 'response' and as 'split'; remove one",
        ),
        ({"ignore": ["a", "id"]}, r"column 'id' is set as 'id' and as 'ignore'"),
        ({"ignore": ["a", "b", "c"]}, r"no column is left as a feature after id, response"),
    ],
)
def test_settings_that_do_not_fit_the_header(tmp_path, changes, message):
    path = write(tmp_path / "t.csv", text(HEADER, BODY))
    refused({**recipe(path), **changes}, message)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_missing_column_is_told_for_every_format(tmp_path, suffix):
    frame = pd.DataFrame(BODY, columns=HEADER)
    path = tmp_path / f"t{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    refused(recipe(path, response="yy"), r"no column 'yy', .* Did you mean 'y'\?")


def test_a_missing_file_is_told_with_its_neighbours(tmp_path):
    write(tmp_path / "olfaction.csv", text(HEADER, BODY))
    refused(
        recipe(tmp_path / "olfacton.csv"),
        r"olfacton\.csv\): no such file in .*\. Did you mean 'olfaction\.csv'\?",
    )
    refused(recipe(tmp_path / "zzz.parquet"), r"zzz\.parquet\): no such file in [^?]*\.$")
    refused(recipe(tmp_path / "no" / "t.csv"), r"no such file: the folder .*no does not exist\.")
    refused(recipe(tmp_path), r"is a folder; name the file in it\.")


@pytest.mark.parametrize("name", ["t.xlsx", "t.csv.zip", "t"])
def test_an_unknown_suffix_is_told(tmp_path, name):
    path = write(tmp_path / name, text(HEADER, BODY))
    refused(recipe(path), r"unknown format \(suffix '.*'\); wanted \.csv, \.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", r"t\.csv\): the file is empty; wanted a line of column names"),
        ("t.csv", " \n\n ,\n", r"is empty; wanted"),
        ("t.csv", "id,y,a\n", r"has a header but no rows\."),
        ("t.csv", "id,y,a\n\n,,\n", r"has a header but no rows\."),
        ("t.csv", "id,y,a,a ,b,b\n1,2,3,4,5,6\n", r"the header has 'a', 'b' more than once"),
        ("t.csv", "id;y;a\n1;2;3\n", r"seems to be separated by semicolons; wanted commas"),
        ("t.csv", "id\ty\ta\n1\t2\t3\n", r"seems to be separated by tabs; wanted commas"),
        ("t.tsv", "id,y,a\n1,2,3\n", r"seems to be separated by commas; wanted tabs"),
        ("t.csv", "1,0.5,3\n2,0.7,4\n", r"The first line looks like data; the table needs a line"),
        (
            "t.csv",
            "id,y,a\nr1,1,2,3\n",
            r"the first row has 4 cells, the header 3\. If the first c",
        ),
        (
            "t.csv",
            "id,y,é\n1,2,3\n".encode("latin1"),
            r"line 1 is not UTF-8 text \(byte 0xE9\); sa",
        ),
        ("t.csv", "id,y,a\n".encode("utf-16"), r"line 1 is not UTF-8 text \(byte 0xFF\)"),
        ("t.csv", gzip.compress(b"id,y,a\n1,2,3\n", mtime=0), r"the suffix \.gz"),
        ("t.csv", "id,y," + "a" * 200_000 + "\n", r"cannot be read \(field larger than"),
        ("t.parquet", "id,y,a\n1,2,3\n", r"is not a readable Parquet file"),
        ("t.parquet", "", r"is not a readable Parquet file"),
    ],
)
def test_files_that_are_no_such_table(tmp_path, name, content, message):
    refused(recipe(write(tmp_path / name, content)), message)


def test_damaged_gzip_is_told(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_text(text(HEADER, BODY))
    refused(recipe(path), r"cannot be read \(Not a gzipped file")
    path.write_bytes(gzip.compress(text(HEADER, BODY).encode())[:60])
    refused(recipe(path), r"cannot be read \(Compressed file ended")
    packed = bytearray(gzip.compress(b"\x80,y\n", mtime=0))
    packed[-8] ^= 1  # in the checksum
    path.write_bytes(packed)
    refused(recipe(path), r"line 1 is not UTF-8 text|is not UTF-8 text; save it")
    # The header is whole: only reading all of it shows the damage.
    path.write_bytes(gzip.compress(text(HEADER, rows(3000)).encode())[:-20_000])
    data.check("mine", recipe(path))
    with pytest.raises(InputError, match=r"t\.csv\.gz\): the file cannot be read: .*[Tt]runcated"):
        read(path)


def test_column_names_that_are_numbers_can_be_named_as_such(tmp_path):
    path = write(tmp_path / "t.csv", text(["id", "1", "2", "3", "4"], BODY))
    challenge = read(path, response=1, ignore=[3])
    assert challenge.features.tolist() == ["2", "4"]
    np.testing.assert_array_equal(challenge.y, numbers(BODY)[:, 0])


def test_ignored_columns_with_repeated_values_are_kept_to_tell_which_rows_belong_together(tmp_path):
    rows = [f"{i},{i % 7},p{i // 4},{i // 8}.0,{i},{'' if i < 3 else 'a'}" for i in range(32)]
    path = write(tmp_path / "t.csv", "\n".join(["y,x,patient,site,number,all", *rows]))
    aside = ["patient", "site", "number", "all"]
    challenge = read(path, response="y", id=None, ignore=aside)
    assert [(g.name, g.is_text) for g in challenge.groupings] == [
        ("patient", True),
        ("site", False),
    ]
    patients, sites = (g.codes for g in challenge.groupings)
    assert len(set(patients.tolist())) == 8
    assert sites.tolist() == [i // 8 for i in range(32)]
    save(challenge, tmp_path / "t.npz")
    for kept, again in zip(challenge.groupings, load(tmp_path / "t.npz").groupings, strict=True):
        assert (kept.name, kept.is_text) == (again.name, again.is_text)
        np.testing.assert_array_equal(kept.codes, again.codes)


def test_an_ignored_column_may_hold_bytes_that_are_no_text(tmp_path):
    lines = ["y,x,note", *(f"{i},{i * i % 11},{9999 * 't'}" for i in range(31)), "31,2,caf\xe9"]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("latin-1"))
    challenge = read(tmp_path / "t.csv", response="y", id=None, ignore=["note"])
    assert [g.name for g in challenge.groupings] == ["note"]


def test_a_row_without_a_value_in_an_ignored_column_belongs_to_none_of_its_values(tmp_path):
    rows = [f"{i},{i % 7},{'NA' if i % 5 == 0 else f'p{i // 8}'}" for i in range(32)]
    path = write(tmp_path / "t.csv", "\n".join(["y,x,patient", *rows]))
    (patient,) = read(path, response="y", id=None, ignore=["patient"]).groupings
    assert patient.codes.tolist() == [-1 if i % 5 == 0 else i // 8 for i in range(32)]

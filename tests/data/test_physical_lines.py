"""Every line of a text table is read, or the table is refused and the line named."""

import csv
import io
import random

import numpy as np
import pytest

from shakedown import data
from shakedown.interface import InputError
from tests.data.tables import HEADER, numbers, read, recipe, rows, text, write

BODY = rows(45)


def spoiled(changes, header=HEADER, **kwargs):
    """The table as text, with quotation marks around or within cells: (row, column) -> form."""
    body = [list(line) for line in BODY]
    for (row, column), form in changes.items():
        body[row][column] = form.format(body[row][column])
    return text(header, body, **kwargs)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("column", [0, 1, 3, 4])
@pytest.mark.parametrize(
    ("later", "message"),
    [
        ({}, r"line 7: a quotation mark opens a cell that is not closed\. Remove it"),
        ({19: '"{}'}, r"line 7: a quotation mark opens a cell that goes on to line 21, w.* text"),
        ({19: '{}"'}, r"line 7: a quotation mark opens a cell that goes on to line 21, and each"),
        ({6: '{}"'}, r"line 7: a quotation mark opens a cell that goes on to line 8, and each"),
    ],
)
def test_a_quotation_mark_swallows_no_rows(tmp_path, end, column, later, message):
    changes = {(5, column): '"{}', **{(row, column): form for row, form in later.items()}}
    path = write(tmp_path / "t.csv", spoiled(changes, end=end))
    with pytest.raises(InputError, match=rf"t\.csv\): {message}"):
        read(path, ignore=["c"])


@pytest.mark.parametrize("name", ["t.tsv", "t.tsv.gz"])
def test_nor_in_other_formats(tmp_path, name):
    path = write(tmp_path / name, spoiled({(42, 4): '"{}'}, sep="\t"))
    with pytest.raises(InputError, match=r"line 44: a quotation mark opens a cell that is not cl"):
        read(path, ignore=["c"])


@pytest.mark.parametrize(
    ("header", "body", "message"),
    [
        (['"id', *HEADER[1:]], {}, "line 1: .* not closed"),
        ([*HEADER[:-1], '"c'], {}, "line 1: .* not closed"),
        (['"id', *HEADER[1:]], {(9, 0): '{}"'}, "line 1: .* goes on to line 11, and each"),
        ([*HEADER[:-1], '"c'], {(9, 4): '{}"'}, "line 1: .* goes on to line 11, and each"),
        ([*HEADER[:-1], '"c'], {(9, 4): '"{}'}, "line 1: .* goes on to line 11, where text"),
    ],
)
def test_nor_in_the_header(tmp_path, header, body, message):
    settings = recipe(write(tmp_path / "t.csv", spoiled(body, header)), ignore=["c"])
    for how in (lambda: data.check("mine", settings), lambda: data.read("mine", settings, seed=1)):
        with pytest.raises(InputError, match=message):
            how()


@pytest.mark.parametrize(
    "cell",
    [
        '"two\nlines, and a comma"', '"a\n\n\nb"', '"1\n2,3,4,5,6,7"', '"say ""so""\n"', '"\n"',
        'an inch is 1"', '"5" pipe', '"a, b"', '""""', '"" and more', ' "blank first',
    ],
)  # fmt: skip
@pytest.mark.parametrize("column", [0, 4])
def test_cells_with_quotation_marks_and_line_breaks_are_read(tmp_path, cell, column):
    header = HEADER[:column] + ["words"] + HEADER[column:]
    body = [[*line[:column], cell if i % 3 else "x", *line[column:]] for i, line in enumerate(BODY)]
    challenge = read(write(tmp_path / "t.csv", text(header, body)), ignore=["words"])
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])


@pytest.mark.parametrize("seed", range(40))
def test_all_rows_of_any_table_of_a_spreadsheet_are_read(tmp_path, seed):
    """Random words, written by Python's csv module."""
    draw = random.Random(seed)
    file = io.StringIO()
    lines = csv.writer(file, quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    lines.writerow(["words", *HEADER])
    for line in BODY:
        words = "".join(draw.choices('ab"\n\r,; ', k=draw.randint(0, 9))).replace(",", "", 4)
        lines.writerow([words, *line])
    challenge = read(write(tmp_path / "t.csv", file.getvalue()), ignore=["words"])
    assert challenge.rows.tolist() == [line[0] for line in BODY]
    np.testing.assert_array_equal(challenge.X, numbers(BODY)[:, 1:])

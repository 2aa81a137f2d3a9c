"""Files of several responses: wide or long, read and refused by what they hold."""

import gzip
import re

import numpy as np
import pytest

from shakedown.live import submission_matrix
from shakedown.live.submission_file import Refused
from shakedown.live.submission_matrix import MATRIX, read_matrix
from tests.docs.markdown import ROOT, blocks

IDS, RESPONSES = ("r1", "r2", "r,3"), ("sweet", "Sour", "b c")
VALUES = np.array([[0.5, -1.0, 2.0], [3.0, 4e-3, 5.0], [6.0, 7.0, 8.5]])
WIDE = 'id,sweet,Sour,b c\nr1,0.5,-1,2\nr2,3,4e-3,5\n"r,3",6,7,8.5\n'
LONG = (
    "id,target,prediction\nr1,sweet,0.5\nr1,Sour,-1\nr1,b c,2\nr2,sweet,3\nr2,Sour,4e-3\n"
    'r2,b c,5\n"r,3",sweet,6\n"r,3",Sour,7\n"r,3",b c,8.5\n'
)


def reason_of(source, ids=IDS, responses=RESPONSES):
    with pytest.raises(Refused) as refused:
        read_matrix(source if isinstance(source, bytes) else source.encode(), ids, responses)
    return refused.value.reason, str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        WIDE,
        LONG,
        'Sour,ID,b c,sweet\n-1,r1,2,.5\n7,"r,3",8.5,6\n\n4e-3, r2 ,5,3\n',
        'Target,PREDICTION,Id\nb c,8.5,"r,3"\nSour,7,"r,3"\nsweet,6,"r,3"\nb c,5,r2\nSour,4e-3,r2\n'
        "sweet,3,r2\nb c,2,r1\nSour,-1,r1\nsweet,0.5,r1\n",
        WIDE.replace('"r,3"', "r.3").replace(",", "\t").replace("r.3", "r,3").replace("\n", "\r\n"),
    ],
    ids=["wide", "long", "any order of columns", "any order of long columns", "tabs"],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_wide_and_long_files_hold_the_same(text, packed):
    raw = gzip.compress(text.encode()) if packed else b"\xef\xbb\xbf" + text.encode()
    np.testing.assert_array_equal(read_matrix(raw, IDS, RESPONSES), VALUES)


@pytest.mark.parametrize(
    ("text", "reason", "said"),
    [
        ("", "empty", "The file is empty"),
        ("<html>", "type", "a web page"),
        (WIDE.replace("b c", "d"), "columns", "the response 'b c' has no column, and 'd' is no"),
        (WIDE.replace("Sour", "sour"), "columns", "Did you mean 'Sour'"),
        ("id,response,prediction\n", "columns", "or the columns id, target and prediction"),
        ("id,b c\nr1,1\n", "columns", "2 responses have no column, such as 'Sour'"),
        ("id,sweet,Sour,b c,d\n", "columns", "the column 'd' is none of the 3 responses"),
        (",id,sweet,Sour,b c\n", "columns", r"to_csv\(\.\.\., index=False\)"),
        ("sweet,Sour,b c\n", "columns", "the column id is missing"),
        ("id,sweet,Sour,b c,sweet\n", "columns", "'sweet' stands there more than once"),
        (WIDE.partition("\n")[2], "columns", "The first line is data: write a header"),
        ("x,y\n1,2\n", "columns", r"got 'x', 'y'\. Use their names, such as 'Sour'"),
        (WIDE.replace(",", ";"), "separator", "separated by semicolons"),
        (WIDE + "r1,1,2,3\n", "twice", "line 5 repeats id 'r1' of line 2"),
        (LONG + "r1,b c,3\n", "twice", "repeats target 'b c' of id 'r1' of line 4"),
        (WIDE.replace("r2,", "r4,"), "unknown", "line 3: id 'r4' is not known"),
        (LONG.replace("r2,b c", "r2,bc"), "unknown", r"'bc' is none of the 3 .* mean 'b c'"),
        (WIDE.replace("4e-3", ""), "no_number", r"\(id 'r2', response 'Sour'\) has no prediction"),
        (LONG.replace("4e-3", "nan"), "no_number", r"\(id 'r2', response 'Sour'\) has no pred"),
        (WIDE.replace("4e-3", "1_0"), "no_number", "'1_0' is not a number"),
        (WIDE.replace("4e-3", "1e51"), "infinite", "infinite or above 1e"),
        (LONG.replace("4e-3", "x"), "no_number", "'x' is not a number"),
        (WIDE.replace(",4e-3", ""), "columns", "line 3: wanted 4 cells, as in the header; got 3"),
        (WIDE + "r1\n", "columns", "line 5: wanted 4 cells, as in the header; got 1 cell;"),
        (LONG + "r1\n", "columns", "line 11: wanted 3 cells, got 1 cell;"),
        (LONG.replace(",4e-3", ""), "columns", "wanted 3 cells, got 2 cells"),
        (WIDE.replace("r2,3,4e-3,5\n", ""), "missing", "1 id is missing of 3: 'r2'"),
        (LONG.replace("r2,b c,5\n", ""), "missing", "1 prediction is missing of 9: 'b c' of id"),
        ("id,sweet,Sour,b c\n" + "\n" * 1500, "size", "More than 1,000 lines are empty"),
        ("id,sweet,Sour,b c\nr1," + "1" * 9000, "columns", "is longer than"),
        (b"x" * (MATRIX.limit(9) + 1), "size", "the limit for 9 predictions"),
    ],
)
def test_an_error_is_named_with_its_cure(text, reason, said):
    got, message = reason_of(text)
    assert got == reason, message
    assert re.search(said, message), message


@pytest.mark.parametrize("text", [WIDE, LONG])
def test_a_refusal_does_not_depend_on_the_order_of_ids_and_responses(text):
    for changed in (text.replace("r2", "r9"), text[: text.index("r2")], text.replace("4e-3", "?")):
        messages = {
            reason_of(changed, IDS[a:] + IDS[:a], RESPONSES[b:] + RESPONSES[:b])
            for a in range(3)
            for b in range(3)
        }
        assert len(messages) == 1


def test_many_files_are_read_whatever_block_an_error_is_in():
    ids, names = [f"r{k}" for k in range(700)], ["a", "b"]
    values = np.random.default_rng(0).normal(size=(700, 2))
    lines = [f"{i},{a!r},{b!r}" for i, (a, b) in zip(ids, values.tolist(), strict=True)]
    np.testing.assert_array_equal(
        read_matrix("\n".join(["id,a,b", *lines]).encode(), ids, names), values
    )
    lines[600] = lines[600].replace("r600", "r10")
    message = reason_of("\n".join(["id,a,b", *lines]), ids, names)[1]
    assert message.startswith("line 602 repeats id 'r10' of line 12")


def test_a_long_file_that_repeats_a_cell_in_a_later_block_is_refused():
    ids, names = [f"r{k}" for k in range(400)], ["a", "b"]
    lines = [f"{i},{name},1" for i in ids for name in names]
    lines[700] = "r3,b,2"
    message = reason_of("\n".join(["id,target,prediction", *lines]), ids, names)[1]
    assert message == "line 702 repeats target 'b' of id 'r3' of line 9. Write each once."


def test_the_limit_of_the_size_grows_with_the_predictions():
    assert [MATRIX.limit(cells) for cells in (0, 1000)] == [2**20, 2**20 + 256_000]


@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_file_without_an_error_is_read_many_lines_at_a_time(form, monkeypatch):
    """Line by line, 50,000 predictions take several times as long."""
    n, q = 1000, 50
    values = np.random.default_rng(1).normal(size=(n, q))
    ids, names = [f"r{k}" for k in range(n)], [f"a{j}" for j in range(q)]
    lines = [",".join(["id", *names])]
    lines += [",".join([i, *map(repr, row)]) for i, row in zip(ids, values.tolist(), strict=True)]
    if form == "long":
        lines = ["id,target,prediction"] + [
            f"{i},{name},{value!r}"
            for i, row in zip(ids, values.tolist(), strict=True)
            for name, value in zip(names, row, strict=True)
        ]
    for reader in (submission_matrix._Wide, submission_matrix._Long):
        monkeypatch.setattr(reader, "add_one", None)
    np.testing.assert_array_equal(read_matrix("\n".join(lines).encode(), ids, names), values)


def test_the_page_of_the_format_shows_both():
    examples = blocks(ROOT / "docs/submission_file.md", "csv")[1:3]
    wide, long = (read_matrix(text.encode(), ("r1", "r2"), ("sweet", "sour")) for text in examples)
    np.testing.assert_array_equal(wide, long)

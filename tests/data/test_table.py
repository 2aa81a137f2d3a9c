"""What is done to a table once its cells are numbers."""

import subprocess
import sys

import numpy as np
import pytest

from shakedown.data import checks
from shakedown.interface import InputError
from tests.data.tables import HEADER, SETS, numbers, read, rows, text, write

BODY = rows()
NUMBERS = numbers(BODY)


def table(path, changes=(), *, header=HEADER, body=BODY, split=None):
    """Write the body with other cells ((row, column) -> text), and maybe a column `set`."""
    body = [list(line) for line in body]
    for (row, column), cell in dict(changes).items():
        body[row][column] = cell
    if split is not None:
        header = [*header, "set"]
        body = [[*line, label] for line, label in zip(body, split, strict=True)]
    return write(path / "t.csv", text(header, body))


def test_a_plain_table_is_read_as_it_stands(tmp_path):
    challenge = read(table(tmp_path))
    assert challenge.name == "mine"
    np.testing.assert_array_equal(challenge.X, NUMBERS[:, 1:])
    np.testing.assert_array_equal(challenge.y, NUMBERS[:, 0])
    assert challenge.X.dtype == challenge.y.dtype == np.float64
    assert challenge.features.tolist() == ["a", "b", "c"]
    assert challenge.split is None
    assert challenge.notes == (
        f"Read from {tmp_path / 't.csv'}: 40 rows, 3 feature columns, response 'y'.",
    )


def test_more_columns_than_rows_and_scales_far_apart(tmp_path):
    p = 4000
    body = rows(71, p + 1)
    scales = 10 ** np.linspace(-3, 5, p + 1)
    X = numbers(body) * scales
    lines = [[line[0], *map(repr, x.tolist())] for line, x in zip(body, X, strict=True)]
    path = write(tmp_path / "t.csv", text(["id", "y", *(f"f{j}" for j in range(p))], lines))
    challenge = read(path)
    np.testing.assert_array_equal(challenge.X, X[:, 1:])


# Ids ------------------------------------------------------------------------------------------


def test_missing_ids_are_refused(tmp_path):
    path = table(tmp_path, {(4, 0): " ", (6, 0): ""})
    with pytest.raises(InputError, match=r"column 'id' has no id in 2 rows, first in row 5"):
        read(path)


def test_repeated_ids_are_refused(tmp_path):
    changes = {(i, 0): BODY[i - 20][0] for i in range(20, 27)}
    with pytest.raises(
        InputError,
        match=r"column 'id' has 7 ids more than once: 'r1', 'r2', 'r3', 'r4', 'r5' and 2 more\. G",
    ):
        read(table(tmp_path, changes))
    with pytest.raises(
        InputError, match=r"column 'id' has 1 id more than once: 'r2'\. Give every row"
    ):
        read(table(tmp_path, {(3, 0): "r2 "}))


# The official split -----------------------------------------------------------------------------


def test_an_official_split_is_read(tmp_path):
    challenge = read(table(tmp_path, split=SETS), split="set")
    assert challenge.split.tolist() == SETS
    assert challenge.features.tolist() == ["a", "b", "c"]
    assert challenge.notes[-1] == "Official split: 20 train, 10 public, 10 final."


def test_other_words_for_the_sets_are_understood(tmp_path):
    words = {"train": " Train", "public": "LEADERBOARD ", "final": "test"}
    path = table(tmp_path, split=[words[label] for label in SETS])
    assert read(path, split="set").split.tolist() == SETS


def test_unknown_labels_are_refused(tmp_path):
    labels = ["valid", "", *SETS[2:]]
    message = (
        r"column 'set' has 2 rows with a label other than train, public \(or leaderboard\) and "
        r"final \(or test\): '', 'valid', first in row 'r1'"
    )
    with pytest.raises(InputError, match=message):
        read(table(tmp_path, split=labels), split="set")


def test_a_set_without_rows_is_refused(tmp_path):
    labels = [label.replace("final", "public") for label in SETS]
    with pytest.raises(InputError, match=r"column 'set' has no row labelled 'final'; wanted all"):
        read(table(tmp_path, split=labels), split="set")


def test_a_small_set_is_refused(tmp_path):
    labels = ["train", *SETS[:-1]]
    with pytest.raises(InputError, match=r"9 rows left in the set 'final' of the official split"):
        read(table(tmp_path, split=labels), split="set")


# Missing values -----------------------------------------------------------------------------------

HOLES = {(3, 3): "", (5, 3): "NA", (5, 4): "NaN"}


def test_missing_cells_are_an_error_unless_configured(tmp_path):
    path = table(tmp_path, HOLES)
    message = (
        r"3 missing cells in 2 of 3 feature columns, first in column 'b', row 'r4'\. Set 'missing' "
        r"to drop_rows, drop_columns or impute_median"
    )
    for settings in ({}, {"missing": "error"}, {"missing": None}):
        with pytest.raises(InputError, match=message):
            read(path, **settings)


def test_rows_with_missing_cells_can_be_dropped(tmp_path):
    challenge = read(table(tmp_path, HOLES, split=SETS), missing="drop_rows", split="set")
    kept = np.delete(np.arange(40), [3, 5])
    np.testing.assert_array_equal(challenge.X, NUMBERS[kept, 1:])
    np.testing.assert_array_equal(challenge.y, NUMBERS[kept, 0])
    assert challenge.rows.tolist() == [BODY[i][0] for i in kept]
    assert challenge.split.tolist() == [SETS[i] for i in kept]
    assert challenge.X.flags.f_contiguous
    assert challenge.notes[1] == (
        "2 rows of 40 with missing cells dropped (3 missing cells in 2 of 3 feature columns)."
    )


def test_columns_with_missing_cells_can_be_dropped(tmp_path):
    challenge = read(table(tmp_path, HOLES), missing="drop_columns")
    assert challenge.features.tolist() == ["a"]
    np.testing.assert_array_equal(challenge.X, NUMBERS[:, [1]])
    assert challenge.notes[1] == "2 of 3 feature columns dropped for their 3 missing cells."
    holes = {**HOLES, (0, 2): "", (1, 2): ""}
    with pytest.raises(InputError, match=r"no feature is left after dropping; wanted at least one"):
        read(table(tmp_path, holes), missing="drop_columns")


def test_missing_cells_can_be_filled_with_the_median_of_all_rows(tmp_path):
    challenge = read(table(tmp_path, HOLES), missing="impute_median")
    expected = NUMBERS[:, 1:].copy()
    for rows_, column in (([3, 5], 1), ([5], 2)):
        expected[rows_, column] = np.median(np.delete(expected[:, column], rows_))
    np.testing.assert_array_equal(challenge.X, expected)
    assert challenge.notes[1] == (
        "3 missing cells in 2 of 3 feature columns filled with the column's median over all rows."
    )


def test_with_an_official_split_medians_are_those_of_the_training_rows(tmp_path):
    holes = {**HOLES, (35, 3): ""}
    challenge = read(table(tmp_path, holes, split=SETS), missing="impute_median", split="set")
    median = np.median(np.delete(NUMBERS[:20, 2], [3, 5]))
    assert challenge.X[[3, 5, 35], 1].tolist() == [median] * 3
    assert challenge.X[5, 2] == np.median(np.delete(NUMBERS[:20, 3], 5))
    assert "4 missing cells" in challenge.notes[1]
    assert challenge.notes[1].endswith("median over the training rows.")


@pytest.mark.parametrize("policy", ["error", "drop_columns", "impute_median"])
def test_a_missing_response_is_never_made_up(tmp_path, policy):
    path = table(tmp_path, {(i, 1): "" for i in range(7)})
    message = r"the response 'y' is missing in 7 rows: 'r1', .* and 2 more; it is never imputed"
    with pytest.raises(InputError, match=message):
        read(path, missing=policy)


def test_rows_without_a_response_can_be_dropped(tmp_path):
    challenge = read(table(tmp_path, {(2, 1): "NA"}), missing="drop_rows")
    np.testing.assert_array_equal(challenge.X, np.delete(NUMBERS, 2, 0)[:, 1:])
    assert challenge.notes[1] == "1 row without a response dropped."


@pytest.mark.parametrize("policy", ["error", "drop_rows", "impute_median"])
def test_a_column_without_any_value_is_refused(tmp_path, policy):
    path = table(tmp_path, {(i, 3): "" for i in range(40)})
    message = r"1 column without a single value: 'b'. Add to 'ignore', or set 'missing' to drop_c"
    with pytest.raises(InputError, match=message):
        read(path, missing=policy)
    assert read(path, missing="drop_columns").features.tolist() == ["a", "c"]


def test_a_column_without_a_training_value_has_no_median(tmp_path):
    path = table(tmp_path, {(i, 3): "" for i in range(20)}, split=SETS)
    message = r"1 column without a value, and so without a median, in the training rows: 'b'. Add"
    with pytest.raises(InputError, match=message):
        read(path, missing="impute_median", split="set")
    # Without the split there are values to take it of.
    assert read(path, missing="impute_median", ignore=["set"]).X.shape == (40, 3)


# Sizes ------------------------------------------------------------------------------------------


def test_too_few_rows_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"29 rows left; wanted at least 30, for three sets of 10"):
        read(table(tmp_path, body=BODY[:29]))
    assert read(table(tmp_path, body=BODY[:30])).X.shape == (30, 3)


def test_too_few_rows_after_dropping_are_told_with_the_reason(tmp_path):
    path = table(tmp_path, {(i, 3): "" for i in range(15)})
    message = r"25 rows left; wanted at least 30, .* \(15 rows of 40 with missing cells dropped"
    with pytest.raises(InputError, match=message):
        read(path, missing="drop_rows")


def test_a_constant_response_is_refused(tmp_path):
    path = table(tmp_path, {(i, 1): "2.5" for i in range(40)})
    with pytest.raises(InputError, match=r"the response is 2\.5 in every row; there is nothing to"):
        read(path)


def test_a_table_of_empty_rows_is_refused(tmp_path):
    body = [["", "NA", "NA", "NA", "NA"]] * 40
    with pytest.raises(InputError, match=r"has a header, but all rows are empty\."):
        read(table(tmp_path, body=body))


def test_a_row_with_an_id_or_a_label_is_not_empty(tmp_path):
    path = table(tmp_path, {(7, j): "" for j in range(1, 5)}, split=SETS)
    with pytest.raises(InputError, match=r"the response 'y' is missing in 1 row: 'r8'"):
        read(path, split="set")
    path = table(tmp_path, {(7, j): "" for j in range(5)}, split=SETS)
    with pytest.raises(InputError, match=r"column 'id' has no id in 1 row, first in row 8"):
        read(path, split="set")


# Columns and rows that say nothing new --------------------------------------------------------


def repeated_columns(path):
    header = [*HEADER, "one", "b2", "zero", "minus_zero", "b3", "a2"]
    body = [
        [*line, "1", line[3], "0" if i else "1", "-0.0" if i else "1.0", line[3], line[2]]
        for i, line in enumerate(BODY)
    ]
    return table(path, header=header, body=body)


def test_constant_and_repeated_columns_are_dropped_with_a_warning(tmp_path):
    with pytest.warns(UserWarning, match="Data set mine: ") as caught:
        challenge = read(repeated_columns(tmp_path))
    assert challenge.features.tolist() == ["a", "b", "c", "zero"]
    np.testing.assert_array_equal(challenge.X[:, :3], NUMBERS[:, 1:])
    np.testing.assert_array_equal(challenge.X[:, 3], [1, *[0] * 39])
    assert challenge.X.flags.f_contiguous
    sentences = [
        "1 of 9 feature columns dropped as constant: 'one'.",
        "4 of 9 feature columns dropped as identical to an earlier one, the first being 'b2' = "
        "'b'.",
    ]
    assert list(challenge.notes[1:]) == sentences
    assert [str(w.message) for w in caught] == [f"Data set mine: {s}" for s in sentences]


def test_a_column_that_differs_in_the_last_bit_is_another(tmp_path):
    header = [*HEADER, "b2"]
    near = repr(float(np.nextafter(NUMBERS[0, 2], 9)))
    body = [[*line, near if i == 0 else line[3]] for i, line in enumerate(BODY)]
    assert read(table(tmp_path, header=header, body=body)).features.tolist() == [*"abc", "b2"]


def test_a_table_of_constant_columns_is_refused(tmp_path):
    path = table(tmp_path, {(i, j): "1" for i in range(40) for j in (2, 3, 4)})
    with (
        pytest.warns(
            UserWarning, match="3 of 3 feature columns dropped as constant: 'a', 'b', 'c'"
        ),
        pytest.raises(InputError, match="no feature is left after dropping"),
    ):
        read(path)


def test_repeated_rows_stay_and_are_noted(tmp_path):
    # Other responses: it is the features that give a twin away.
    twins = {(i, j): BODY[i - 19][j] for i in (19, 20, 21) for j in (2, 3, 4)}
    challenge = read(table(tmp_path, twins, split=SETS), split="set")
    assert len(challenge.y) == 40
    assert challenge.notes[1] == (
        "3 rows with the same features as an earlier row, kept: 'r20 = r1', 'r21 = r2', 'r22 = "
        "r3'; a copy in another set reveals the response (2 of them in a different set)."
    )
    assert read(table(tmp_path, twins)).notes[1].endswith("reveals the response.")


def test_first_equal_agrees_with_plain_comparison():
    X = np.random.default_rng(1).integers(0, 2, (60, 4)).astype(float)
    plain = [next(j for j in range(60) if (X[j] == x).all()) for x in X]
    assert checks.first_equal(iter(X)).tolist() == plain
    assert len(checks.first_equal(iter(X[:0]))) == 0


def test_rows_are_compared_across_blocks():
    X = np.random.default_rng(1).standard_normal((3, 700))
    X[:, 650] = X[:, 2]
    first = checks.first_equal(checks._columns(X, block=100))
    assert np.flatnonzero(first != np.arange(700)).tolist() == [650]
    assert first[650] == 2


# Costs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "readers"),
    [
        ("", {"pandas", "pyarrow", "sklearn", "scipy"}),
        (
            "data.check('a', {'recipe': 'table', 'path': 'my.csv', 'response': 'y'})",
            {"pandas", "pyarrow"},
        ),
    ],
    ids=["import", "check"],
)
def test_readers_are_imported_when_a_file_is_read(tmp_path, work, readers):
    table(tmp_path).rename(tmp_path / "my.csv")
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; from shakedown import data; {work}\n"
        f"print(sorted({readers!r} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert out.stdout.strip() == "[]"

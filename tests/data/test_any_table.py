"""Any table: it is read and can be split, or one message says what to change."""

import gzip
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from shakedown.data.checks import MIN_ROWS, MIN_ROWS_PER_SET
from shakedown.data.splits import SETS, Splitter
from shakedown.interface import LARGEST, InputError
from tests.data import tables
from tests.generated import cases, cells, check_message, cut, cuts, odd_cells

HEADER = [*tables.HEADER, "set"]
BODY = [[*line, label] for line, label in zip(tables.rows(), tables.SETS, strict=True)]
_NUMBER = itertools.count()

settings = st.fixed_dictionaries(
    {},
    optional={
        "split": st.sampled_from(["set", "set", "a", "no"]),
        "missing": st.sampled_from(["error", "drop_rows", "drop_columns", "impute_median"]),
        "ignore": st.lists(st.sampled_from(["a", "b", "c", "y", "set", "no"]), max_size=3),
        "response": st.sampled_from(["y", "y", "a", "id", "set", "no", ""]),
        "id": st.sampled_from(["id", None, "a", "no"]),
    },
)


@st.composite
def texts(draw):
    """The suffix of a text table, and its bytes."""
    rows = [list(line) for line in (HEADER, *BODY)]
    for kind in draw(
        st.lists(st.sampled_from(["cell", "cell", "name", "column", "row"]), max_size=4)
    ):
        line = draw(st.integers(1, len(rows) - 1))
        column = draw(st.integers(0, len(HEADER) - 1))
        if kind == "cell":
            rows[line][column : column + 1] = [draw(cells)] * draw(st.sampled_from([1, 1, 1, 0, 2]))
        elif kind == "name":
            rows[0][column : column + 1] = [draw(st.one_of(odd_cells, st.sampled_from(HEADER)))]
        elif kind == "column":  # one value, or another column
            other = draw(st.one_of(st.integers(0, len(HEADER) - 1), odd_cells))
            for row in rows[1:]:
                if column < len(row):
                    row[column] = row[other % len(row)] if isinstance(other, int) else other
        else:
            rows[line:] = rows[line + draw(st.integers(1, 12)) :] if draw(st.booleans()) else [
                rows[line], *rows[line:]
            ]  # fmt: skip
    suffix = draw(st.sampled_from([".csv", ".csv", ".tsv", ".csv.gz"]))
    sep = "\t" if draw(st.booleans()) and suffix == ".tsv" else ","
    raw = tables.text(rows[0], rows[1:], sep=sep, end=draw(st.sampled_from(["\n", "\n", "\r\n"])))
    raw = cut(raw.encode(errors="replace"), draw(st.lists(cuts, max_size=1)))
    if suffix.endswith(".gz"):
        raw = cut(gzip.compress(raw, mtime=0), draw(st.lists(cuts, max_size=1)))
    return suffix, raw


odd_columns = st.one_of(
    st.sampled_from(
        [
            pd.Categorical(["u", "v"] * 20), pd.Categorical([1.5, 2.5] * 20), [True, False] * 20,
            pd.date_range("2024-01-01", periods=40), [[1.0, 2.0]] * 40, [{"k": 1}] * 40,
            [b"1"] * 40,
            [None] * 40, ["1.5", "x"] * 20, np.arange(40, dtype=np.uint8),
            np.arange(40, dtype=np.float16),
            np.full(40, np.inf), np.full(40, 1e300), pd.array([1, None] * 20, dtype="Int64"),
            pd.to_timedelta(np.arange(40), unit="s"), np.arange(40) * 10**17 + 1,
        ]
    ),
    st.lists(st.floats(), min_size=40, max_size=40),
)  # fmt: skip


@st.composite
def parquets(draw):
    """A Parquet table with odd columns."""
    frame = pd.DataFrame(BODY, columns=HEADER)
    frame[["y", "a", "b", "c"]] = frame[["y", "a", "b", "c"]].astype(float)
    for column in draw(st.lists(st.sampled_from([*HEADER, "", "d"]), max_size=2)):
        frame[column] = draw(odd_columns)
    return frame


def check(path, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of columns that were dropped
        try:
            challenge = tables.read(path, **given)
        except InputError as e:
            check_message(e)
            return
    n, p = challenge.X.shape
    assert n >= MIN_ROWS
    assert p >= 1
    assert len(challenge.y) == len(challenge.rows) == len(set(challenge.rows)) == n
    assert len(challenge.features) == len(set(challenge.features)) == p
    assert (np.abs(challenge.X) <= LARGEST).all()
    assert (np.abs(challenge.y) <= LARGEST).all()
    assert (np.ptp(challenge.X, axis=0) > 0).all()
    assert all(note.isprintable() for note in challenge.notes)
    if challenge.split is not None:
        sizes = [np.count_nonzero(challenge.split == name) for name in SETS]
        assert sum(sizes) == n
        assert min(sizes) >= MIN_ROWS_PER_SET
    for design in ("permuted", "splits"):
        try:
            split = Splitter(challenge, design, seed=1).split(0)
        except InputError as e:  # such as a response that is constant in a set
            check_message(e)
            continue
        parts = [split.view.X_train, split.view.X_public, split.view.X_final]
        assert sum(map(len, parts)) == n
        for part in (*parts, split.view.y_train, split.y_public, split.y_final):
            np.testing.assert_allclose(part.mean(axis=0), 0.0, atol=1e-9)
            np.testing.assert_allclose(part.std(axis=0, ddof=1), 1.0, rtol=1e-9)


def check_text(folder, table, given):
    suffix, raw = table
    path = folder / f"any{next(_NUMBER)}{suffix}"
    path.write_bytes(raw)
    check(path, given)
    path.unlink()


@cases(30, table=texts(), options=settings)
def test_a_table_is_read_or_refused(tmp_path_factory, table, options):
    check_text(tmp_path_factory.getbasetemp(), table, options)


@pytest.mark.full
@cases(900, table=texts(), options=settings)
def test_any_table_is_read_or_refused(tmp_path_factory, table, options):
    check_text(tmp_path_factory.getbasetemp(), table, options)


@pytest.mark.slow
@cases(150, frame=parquets(), options=settings)
def test_any_parquet_table_is_read_or_refused(tmp_path_factory, frame, options):
    path = tmp_path_factory.getbasetemp() / f"any{next(_NUMBER)}.parquet"
    frame.to_parquet(path)
    check(path, options)
    path.unlink()

"""Any submission log: it is read, every change is told, or one message says what to change."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from shakedown.data.checks import MIN_ROWS_PER_SET
from shakedown.interface import LARGEST, InputError
from shakedown.metrics import find
from shakedown.replay.cleaning import RULES
from shakedown.replay.log import SUBMISSIONS
from shakedown.replay.reading import read
from tests.generated import cases, cells, check_message, cut, cuts, odd_cells

from .logs import listing, settings, table

_NUMBER = itertools.count()
ROWS, LISTED = table(), listing()

options = st.fixed_dictionaries(
    {"public": st.sampled_from(["set", "set", "set", None, ["r1"], [1, None], "no", "list.csv"])},
    optional={
        "metric": st.sampled_from(["mse", "rmse", "mae", "pearson", "spearman", "ccc", "zero_one"]),
        "missing": st.sampled_from(["leave_out", "fill_median"]),
        "public_share": st.floats(0.01, 0.99),
        "ignore": st.lists(st.sampled_from(["s1", "s2", "set", "truth", "no"]), max_size=2),
        "id": st.sampled_from(["id", "id", "s1", "no", ""]),
        "truth": st.sampled_from(["truth", "s1", "id", "no"]),
    },
)  # fmt: skip


def spoilt(draw, frame):
    """A table with other cells, names and rows."""
    frame = frame.astype(object)
    for kind in draw(
        st.lists(st.sampled_from(["cell", "cell", "name", "column", "row"]), max_size=4)
    ):
        at = draw(st.integers(0, len(frame) - 1))
        column = draw(st.integers(0, frame.shape[1] - 1))
        if kind == "cell":
            frame.iloc[at, column] = draw(cells)
        elif kind == "name":
            names = list(frame.columns)
            names[column] = draw(st.one_of(odd_cells, st.sampled_from(names)))
            frame.columns = names
        elif kind == "column":
            frame.iloc[at:, column] = draw(st.one_of(cells, st.just(None)))
        elif draw(st.booleans()):
            frame = pd.concat([frame, frame.iloc[[at]]], ignore_index=True)
        else:
            frame = frame.drop(index=frame.index[at : at + draw(st.integers(1, 12))])
        if not len(frame):
            break
    return frame


@st.composite
def logs(draw):
    """The files of a log, and the settings."""
    given = dict(draw(options))
    files = {"log.csv": spoilt(draw, ROWS).to_csv(index=False)}
    if draw(st.booleans()):
        files["list.csv"] = spoilt(draw, LISTED).to_csv(index=False)
        given["submissions"] = "list.csv"
    if draw(st.integers(0, 3)) == 0:
        own = ROWS[["id", "truth", "set"]]
        files["log.csv"] = own.to_csv(index=False)
        for name in ("s1", "s2"):
            files[f"sent/{name}.csv"] = spoilt(draw, ROWS[["id", name]]).to_csv(index=False)
        given["folder"] = "sent"
    raw = {name: text.encode(errors="replace") for name, text in files.items()}
    name = draw(st.sampled_from(sorted(raw)))
    raw[name] = cut(raw[name], draw(st.lists(cuts, max_size=1)))
    return raw, given


def check(folder: Path, case):
    raw, given = case
    where = folder / f"any{next(_NUMBER)}"
    for name, content in raw.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_bytes(content)
    try:
        log = read("trial", settings(**given), seed=1, folder=where)
    except InputError as e:
        check_message(e)
        return
    m, n = log.predictions.shape
    assert m >= 1
    assert len(log.rows) == len(set(log.rows)) == len(log.truth) == len(log.public) == n
    assert min(log.public.sum(), (~log.public).sum()) >= MIN_ROWS_PER_SET
    assert (np.abs(log.truth) <= LARGEST).all()
    assert (np.abs(log.predictions) <= LARGEST).all()
    metric = find(settings(**given).metric)
    for which in (log.public, ~log.public):
        assert np.isfinite(metric.score(log.truth[which], log.predictions[:, which])).all()
    assert list(log.submissions) == list(SUBMISSIONS)
    assert log.submissions["submission"].is_unique
    assert log.submissions["order"].tolist() == list(range(1, m + 1))
    assert log.submissions["team"].notna().all()
    assert set(log.messages["rule"]) <= set(RULES)
    assert (log.messages["count"] >= 1).all()
    for done in log.messages["done"]:
        assert done.isprintable(), repr(done)
        assert len(done) < 2000


@cases(15, case=logs())
def test_a_log_is_read_or_refused(tmp_path_factory, case):
    check(tmp_path_factory.getbasetemp(), case)


@pytest.mark.full
@cases(350, case=logs())
def test_any_log_is_read_or_refused(tmp_path_factory, case):
    check(tmp_path_factory.getbasetemp(), case)

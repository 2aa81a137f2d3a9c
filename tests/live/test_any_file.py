"""Any file that is sent to a running board: it is read, or refused with a reason."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import strategies as st

from shakedown.interface import LARGEST
from shakedown.live.submission_file import Refused, read_submission
from tests.generated import cases, cells, cut, cuts, odd_cells

IDS = ("r1", "007", "a,b", "Ä", "10", "1e5", "A", "a", "x y", "1.0")
HEADERS = (("id", "prediction"), ("prediction", "id"), ("ID", "Prediction"), ())

numbers = st.floats(-LARGEST, LARGEST)
places = st.tuples(st.integers(0, 10), st.integers(0, 2), st.one_of(cells, odd_cells))


@st.composite
def files(draw):
    """Bytes, and the predictions if nothing was spoilt."""
    values = draw(st.lists(numbers, min_size=len(IDS), max_size=len(IDS)))
    header = draw(st.sampled_from(HEADERS))
    order = draw(st.permutations(range(len(IDS))))
    swapped = header[:1] == ("prediction",)
    body = [[IDS[k], repr(values[k])][:: -1 if swapped else 1] for k in order]
    rows = [list(header)] * bool(header) + body
    spoilt = draw(st.lists(places, max_size=2))
    for line, column, cell in spoilt:
        row = rows[line % len(rows)]
        row[column : column + 1] = [cell]
    lost = draw(st.lists(st.integers(0, len(rows) - 1), max_size=1))
    rows = [row for k, row in enumerate(rows) if k not in lost]
    stream = io.StringIO()
    separator = draw(st.sampled_from(",,,\t\t;|"))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    try:
        csv.writer(stream, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
        encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]))
        raw = stream.getvalue().encode(encoding, errors="replace")
    except csv.Error:
        raw = repr(rows).encode(errors="replace")
        spoilt = [None]
    changed = draw(st.lists(cuts, max_size=2)) if draw(st.booleans()) else []
    raw = cut(raw, changed)
    if draw(st.integers(0, 5)) == 0:
        raw = gzip.compress(raw, mtime=0)
        again = draw(st.lists(cuts, max_size=1))
        raw, changed = cut(raw, again), changed + again
    clean = not (spoilt or lost or changed or separator not in ",\t" or encoding == "latin-1")
    return raw, np.array(values) if clean else None


def check(case):
    raw, wanted = case
    outcomes = []
    for ids in (IDS, IDS[::-1]):
        try:
            values = read_submission(raw, ids)
        except Refused as e:
            message = str(e)
            assert 10 < len(message) < 400
            assert message.isprintable()
            assert not set("<>&") & set(message)
            outcomes.append((message, e.reason))
        else:
            assert values.shape == (len(ids),)
            assert (np.abs(values) <= LARGEST).all()
            outcomes.append(dict(zip(ids, values.tolist(), strict=True)))
    assert outcomes[0] == outcomes[1], "depends on the order of the ids"
    assert isinstance(outcomes[0], dict) or outcomes[0][1].isidentifier()
    if wanted is not None:
        assert outcomes[0] == dict(zip(IDS, wanted.tolist(), strict=True))


@cases(150, case=files())
def test_a_file_is_read_or_refused(case):
    check(case)


@pytest.mark.full
@cases(5500, case=files())
def test_any_file_is_read_or_refused(case):
    check(case)


@cases(50, raw=st.binary(max_size=300))
def test_bytes_are_refused(raw):
    check((raw, None))

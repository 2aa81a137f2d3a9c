"""The file of a submission: what is read, what is refused and how, and that no file does harm."""

import gzip
import io
import os
import pickle
import re
import tracemalloc
import zipfile
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shakedown.interface import LARGEST
from shakedown.live.judging import NO_SCORE, LiveJudge
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.submission_file import SUBMISSION, Refused, read_submission, shown
from shakedown.live.truth import Truth

IDS = ("r1", "007", "a,b", "Ä")
VALUES = [0.5, -1.0, 3e-2, 7.0]
GOOD = 'id,prediction\nr1,0.5\n007,-1\n"a,b",3e-2\nÄ,7\n'
HEAD = "id,prediction\n"


def refusal(source, ids=IDS):
    with pytest.raises(Refused) as caught:
        read_submission(source if isinstance(source, bytes | Path) else source.encode(), ids)
    message = str(caught.value)
    assert message.isprintable()
    assert not set("<>&") & set(message)
    assert len(message) < 400
    return caught.value.reason, message


@pytest.mark.parametrize(
    "raw",
    [
        GOOD.encode(),
        GOOD.encode("utf-8-sig"),
        GOOD.encode("utf-16"),
        b"\xfe\xff" + GOOD.encode("utf-16-be"),
        gzip.compress(GOOD.encode()),
        gzip.compress(GOOD.encode("utf-16")),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.strip().encode(),
        ("\n\n" + GOOD + "\n \n,\n\r\n").encode(),
        GOOD.upper().replace("R1", "r1").replace("A,B", "a,b").encode(),
        GOOD.replace("r1,0.5", ' r1 , "0.5"').replace(' "0.5"', " 0.5").encode(),
        GOOD.replace("r1,0.5", '"r1","0.5"').encode(),
        GOOD.replace("r1,0.5\n", "").encode() + b"r1,0.5",
        GOOD.removeprefix(HEAD).encode(),
        'prediction,id\n0.5,r1\n-1,007\n3e-2,"a,b"\n7,Ä\n'.encode(),
        "r1\t0.5\n007\t-1\na,b\t3e-2\nÄ\t7".encode(),
        "Id\tPrediction\nr1\t0.5\n007\t-1\na,b\t3e-2\nÄ\t7".encode(),
    ],
    ids=count(),
)
def test_files_as_programs_write_them_are_read(raw, tmp_path):
    assert read_submission(raw, IDS).tolist() == VALUES
    path = tmp_path / "any name"
    path.write_bytes(raw)
    assert read_submission(path, IDS).tolist() == VALUES
    assert read_submission(str(path), IDS).tolist() == VALUES


def test_an_id_with_a_comma_before_a_tab_is_not_split():
    assert read_submission(b"a,b\t1\na\t2", ("a", "a,b")).tolist() == [2.0, 1.0]


@pytest.mark.parametrize("header", ["id,prediction", "prediction,id", ""])
def test_ids_that_are_numbers_are_not_taken_for_predictions(header):
    rows = [("3", "0.5"), ("1", "-2"), ("2", "3")]
    swapped = header.startswith("prediction")
    lines = [",".join(row[::-1] if swapped else row) for row in rows]
    raw = "\n".join([*([header] if header else []), *lines]).encode()
    assert read_submission(raw, ("1", "2", "3")).tolist() == [-2.0, 3.0, 0.5]


def test_numbers_are_those_that_pandas_wrote_in_any_order():
    rng = np.random.default_rng(0)
    ids = tuple(f"id_{k:04}" for k in range(3000))  # more than one chunk
    values = rng.normal(size=3000) * 10.0 ** rng.integers(-40, 40, 3000)
    order = rng.permutation(3000)
    table = pd.DataFrame({"id": np.array(ids)[order], "prediction": values[order]})
    raw = table.to_csv(index=False).encode()
    np.testing.assert_array_equal(read_submission(raw, ids), values)


def test_the_example_of_the_documentation_is_read():
    text = (Path(__file__).parents[2] / "docs/submission_file.md").read_text()
    example = re.search(r"```csv\n(.*?)```", text, re.DOTALL)[1]
    values = read_submission(example.encode(), ("r1", "r2", "r3"))
    assert values.tolist() == [0.25, -1.5, 0.03]


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        ("", "empty", "is empty"),
        ("\n ,\n\t\n", "empty", "is empty"),
        (HEAD, "missing", "4 ids are missing of 4: such as '007', 'a,b', 'r1'. Write one line"),
        (GOOD.replace("r1,0.5\n", ""), "missing", "1 id is missing of 4: 'r1'"),
        (GOOD + "x,1", "unknown", "line 6: id 'x' is not known. Use the ids .* such as '007'"),
        (GOOD + ",1", "unknown", "line 6 has no id"),
        (GOOD + "r1,1", "twice", "line 6 repeats id 'r1' of line 2"),
        (GOOD.replace("007", "7"), "unknown", "Did you mean '007'. Did you lose leading zeros"),
        (GOOD.replace("007", "0007"), "unknown", "Did you mean '007'. Write it exactly so"),
        (GOOD.replace("007", "7.0"), "unknown", "Did you mean '007'. .* read ids as numbers"),
        (GOOD.replace("r1", "R1"), "unknown", "Did you mean 'r1'"),
        (GOOD.replace("Ä", "A\u0308"), "unknown", "Did you mean 'Ä'"),
        (GOOD.replace("007", "1.5E+15"), "unknown", "Did a spreadsheet shorten it"),
        ("x,1\n", "unknown", "line 1: id 'x' is not known"),
        (GOOD.replace("0.5", ""), "no_number", r"line 2 \(id 'r1'\) has no prediction\. Write"),
        (GOOD.replace("0.5", "NaN"), "no_number", r"has no prediction \('NaN'\)"),
        (GOOD.replace("0.5", "-nan"), "no_number", "'-nan' is not a number"),
        (GOOD.replace("0.5", "0.5%"), "no_number", "percent sign"),
        (GOOD.replace("0.5", '"0,5"'), "no_number", "decimal point instead of the comma"),
        (GOOD.replace("0.5", "0,5"), "columns", "got 3 cells.*decimal comma"),
        ("r1,0,5\n", "columns", "line 1: wanted 2 cells, got 3 cells.*decimal comma"),
        (GOOD.replace("0.5", "1_0"), "no_number", "'1_0' is not a number"),
        (GOOD.replace("0.5", "１"), "no_number", "is not a number"),
        (GOOD.replace("0.5", "=cmd|' /C calc'!A0"), "no_number", "Formulas are not computed"),
        (GOOD.replace("0.5", "<script>x</script>"), "no_number", "script"),
        (GOOD.replace("0.5", "-Infinity"), "infinite", "'-Infinity' is infinite or above 1e.50"),
        (GOOD.replace("0.5", "1e400"), "infinite", "finite number of the size"),
        (GOOD.replace("0.5", "-1.1e50"), "infinite", "above 1e.50"),
        (GOOD.replace("0.5", "0.5,1,2"), "columns", "line 2: wanted 2 cells, got 4 cells"),
        (GOOD.replace("r1,", "r1;"), "columns", "got 1 cell; .* Separate id and prediction"),
        (GOOD.replace('"a,b"', '"a,b'), "quotes", "line 4: a quotation mark is not closed"),
        (GOOD.replace('"a,b"', '"a\nb"'), "quotes", "line 4: a quotation mark is not closed"),
        (GOOD.replace(",", ";"), "separator", "line 1: .* by semicolons.* decimal points"),
        ("r1;0,5\n", "separator", "semicolons"),
        ("id|prediction\n", "separator", "bars"),
        ("r1 0.5\n", "separator", "blanks"),
        ("id,pred\nr1,1", "columns", "got 'id', 'pred'. Did you mean 'prediction' by 'pred'"),
        ("idd,predictions\n", "columns", "Did you mean 'id'. Rename them"),
        ("x,y\n", "columns", "got 'x', 'y'. Rename them"),
        (",id,prediction\n0,r1,1", "columns", "Leave out all other columns.*index=False"),
        ("id,prediction,set\nr1,1,a", "columns", "Leave out all other columns.$"),
        ("import os\n", "columns", "got 'import os'. Write two columns"),
        ("1,2,3,4\n", "columns", "got '1', '2', '3', .... Write two columns"),
        ("0.5,r1\n", "columns", "columns are swapped"),
        ("<!doctype html><html>", "type", "web page"),
        ('[{"id": "r1"}]', "type", "JSON"),
        (GOOD + "\n" * 2000, "size", "1,000 lines are empty"),
        (HEAD + "x" * 9000, "columns", "line 2 is longer than"),
    ],
    ids=count(),
)
def test_refusals_name_line_id_and_cure(text, reason, message):
    answer = refusal(text)
    assert answer[0] == reason
    assert re.search(message, answer[1])


def packed(names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "x")
    return buffer.getvalue()


def saved(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("raw", "reason", "message"),
    [
        (packed(["mine.csv"]), "type", "zip archive. Unpack it"),
        (packed(["[Content_Types].xml"]), "type", "Excel workbook .*CSV UTF-8"),
        (packed(["x.npy"]), "type", "NumPy archive"),
        (b"PK\x03\x04 mimetypeapplication/vnd.oasis.opendocument", "type", "OpenDocument"),
        (saved(np.ones(4)), "type", "NumPy array.*to_csv"),
        (pickle.dumps(VALUES), "type", "pickle"),
        (b"PAR1....PAR1", "type", "Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "type", "Excel workbook .*xls"),
        (b"\x00\x01\x02\x03\x04", "type", "binary"),
        (b"\xff\xfea\x00\x00\x00", "type", "binary"),
        (gzip.compress(gzip.compress(GOOD.encode())), "type", "compressed twice"),
        (gzip.compress(GOOD.encode())[:-9], "type", "damaged or cut off"),
        (gzip.compress(GOOD.encode()) * 2, "type", "several parts"),
        (b"\x1f\x8b nonsense", "type", "damaged"),
        (GOOD.encode("latin-1"), "encoding", r"line 5 is not in UTF-8 \(byte 0xC4\)"),
        (GOOD.replace("\n", "\r").encode("latin-1"), "encoding", "line 5 is not in UTF-8"),
        (GOOD.encode("utf-16-le"), "encoding", "UTF-16 without its mark"),
        (GOOD.encode("utf-16") + b"x", "encoding", "damaged UTF-16"),
        (GOOD.encode("utf-32"), "type", "UTF-32"),
    ],
    ids=count(),
)
def test_other_types_and_encodings_are_named(raw, reason, message):
    answer = refusal(raw)
    assert answer[0] == reason
    assert re.search(message, answer[1])


def test_paths_that_are_no_file_are_refused(tmp_path):
    assert refusal(tmp_path)[0] == "type"
    assert refusal(Path("/dev/zero"))[0] == "type"
    os.mkfifo(tmp_path / "pipe")  # nobody writes to it
    assert refusal(tmp_path / "pipe")[0] == "type"
    assert refusal(tmp_path / "none")[0] == "unreadable"
    assert refusal(Path("a\0b"))[0] == "unreadable"
    # A server's paths are not for participants.
    assert str(tmp_path) not in refusal(tmp_path / "none")[1]


def test_cells_are_shown_short_and_harmless():
    assert shown("a" * 40) == "a" * 40
    assert shown("a" * 41) == "a" * 37 + "..."
    assert shown("<b>\x1b[31m\u202e\n\\'\"&`") == "?b??[31m???????"


def bombs(tmp_path):
    sparse = tmp_path / "large.csv"
    with open(sparse, "wb") as file:
        file.write(HEAD.encode())
        file.truncate(2**30)
    full = SUBMISSION.limit(len(IDS)) - len(HEAD)
    fills = (
        "x",
        "\n",
        ",",
        '"',
        "a,",
        "ab,",
        "é,",
        "😀,",
        "r1,1\n",
        "ab\t",
        '"\n',
        "x,1\r",
        "\U0001f600\n",
    )
    texts = [HEAD + fill * (full // len(fill.encode())) for fill in fills]
    return [
        sparse,
        gzip.compress(bytes(2**28), 9),
        gzip.compress(b"\n" * 2**26, 9),
        *(text.encode() for text in texts),
        *(gzip.compress(text.encode()) for text in texts),
        *(text.removeprefix(HEAD).encode() for text in texts),
    ]


def test_large_files_and_bombs_take_little_memory(tmp_path):
    # At most 4 bytes for each byte of a file as text, once more to read it line by line, and the
    # file itself, packed and unpacked; the cells of 256 lines.
    limit = SUBMISSION.limit(len(IDS))
    for bomb in bombs(tmp_path):
        tracemalloc.start()
        try:
            refusal(bomb)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 12 * limit, bomb[:30]


@pytest.mark.parametrize("seed", range(4))
def test_any_bytes_give_finite_numbers_or_a_refusal(seed):
    rng = np.random.default_rng(seed)
    parts = [
        *GOOD.encode().splitlines(keepends=True), b",", b"\n", b"\r", b'"', b";", b"\t", b"\0",
        b"=", b"nan", b"inf", b"1e999", b"-", b"_", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b",
        b"PK\x03\x04", b"\x80", b"\xe9", "😀".encode(), "\u202e".encode(), b"\x1b[2J",
        b"<script>", b" ", b"\x85", "\u2028".encode(), b"r1", b"0.5", b"0x1p3", b"1" * 400,
    ]  # fmt: skip
    read = 0
    for _ in range(1500):
        kind = rng.integers(4)
        if kind == 0:
            raw = rng.bytes(rng.integers(60))
        elif kind == 1:
            raw = b"".join(parts[k] for k in rng.integers(len(parts), size=rng.integers(1, 12)))
        else:  # a good file with some bytes changed, inserted or left out
            raw = bytearray(GOOD.encode("utf-16" if kind == 3 and rng.random() < 0.2 else "utf-8"))
            for _ in range(rng.integers(3)):
                at, part = rng.integers(len(raw)), parts[rng.integers(len(parts))]
                raw[at : at + rng.integers(3)] = part if rng.random() < 0.5 else rng.bytes(1)
            raw = bytes(raw)
        if rng.random() < 0.1:
            raw = gzip.compress(raw)
        try:
            values = read_submission(raw, IDS)
        except Refused:
            refusal(raw)
        else:
            read += 1
            assert values.shape == (len(IDS),)
            assert (np.abs(values) <= LARGEST).all()
    assert 100 < read < 1400


METRICS = "mse", "rmse", "mae", "pearson", "spearman", "ccc"


def judge(metric, public, seed=0):
    values = np.random.default_rng(seed).normal(size=12)
    truth = Truth.of([f"r{k}" for k in range(12)], values, public)
    return LiveJudge(1, Rules.of("kaggle", metric, seed=1), truth)


@pytest.mark.parametrize("metric", METRICS)
def test_refusals_do_not_depend_on_who_is_public_nor_on_the_truth(metric):
    rng = np.random.default_rng(5)
    public = [rng.permutation(12) < 5 for _ in range(6)]
    refused = []
    for _ in range(60):
        # Two rows whose squares overflow together, or a file that is constant on some rows.
        probe = np.where(rng.random(12) < 0.3, rng.choice([1e154, 1e50, -1e50, 1e-200, 1.0]), 0.0)
        outcomes = set()
        for seed, rows in enumerate(public):
            try:
                made = judge(metric, rows, seed)
                probe = made.checked(probe)
                assert np.abs(made.scores(probe)).max() < NO_SCORE
                outcomes.add("")
            except ValueError as e:
                outcomes.add(str(e))
        assert len(outcomes) == 1, (probe, outcomes)
        refused.append(outcomes != {""})
    assert 0 < sum(refused) < len(refused)


@pytest.mark.parametrize("metric", METRICS)
def test_constants_are_refused_where_they_have_no_correlation(metric, tmp_path):
    truth = Truth.of([f"r{k}" for k in range(12)], np.arange(12.0), np.arange(12) < 6)
    rules = Rules.of("kaggle", metric, seed=1, per_team=2)
    live = LiveBoard.create(f"sqlite:///{tmp_path}/board.db", rules, truth)[0]
    raw = (HEAD + "".join(f"r{k},0.5\n" for k in range(12))).encode()
    if metric not in ("pearson", "spearman"):
        assert live.submit("a", raw).left == 1
        return
    with pytest.raises(Refused, match="All predictions are 0.5: .* needs predictions that") as e:
        live.submit("a", raw)
    assert e.value.reason == "constant"
    # It did not count.
    part = raw.replace(b"r11,0.5", b"r11,0.6")
    assert live.submit("a", part).left == 1


@pytest.mark.parametrize("text", [
    "id,prediction\n", "id,prediction\nc,1\n", "id,prediction\nzz,1\n", "zz,1\n",
    "id,prediction\nC.,1\n", "id,prediction\n7,1\n", "id,prediction\n_B,1\n",
])  # fmt: skip
def test_messages_do_not_tell_the_order_of_the_truth(text):
    # A truth that is sorted by its sets would tell who is public.
    names = ["c", "C", "c-", "b", "B", "007", "07", "a"]
    messages = set()
    for shift in range(len(names)):
        with pytest.raises(Refused) as refused:
            read_submission(text.encode(), names[shift:] + names[:shift])
        messages.add(str(refused.value))
    assert len(messages) == 1

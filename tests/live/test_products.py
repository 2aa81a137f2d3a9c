"""Products of files that a metered board keeps: a restart does not compute them again."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from shakedown.leaderboard import account
from shakedown.leaderboard.meter import Meter
from shakedown.leaderboard.responses import measured_by
from shakedown.live import audit, database
from shakedown.live.live_board import LiveBoard
from tests.leaderboard.test_meter import assert_same_memory
from tests.live.surfing import unprotected
from tests.live.test_contents import before_precision
from tests.live.test_metered import CENTRE, ROWS, SCALE, SETTING, board, files, truth

#: Settings, and the metric.
BOARDS = (
    (SETTING, "mse"),
    ("metered(files=8,gain=0.3)", "pearson"),
    ("metered(files=40,gain=4.9,share=0.2)+one_board", "mse"),
    ("metered(files=40,gain=4.9)+cap(improvements=6)", "mse"),
    ("metered(files=40,gain=4.9)+distinct", "mse"),
)


def sent():
    """Files of models, random, constant and repeated ones, and the teams that send them."""
    own = files(14)
    own[3] = CENTRE + SCALE * np.random.default_rng(2).normal(size=ROWS)
    own[5], own[6] = CENTRE + np.arange(ROWS) % 2, own[4]
    return [("abc"[k % 5 % 3], file) for k, file in enumerate(own)]


def opened(path, name="board"):
    return LiveBoard.open(f"sqlite:///{path}/{name}.db")


def memories(live):
    """What the boards of all teams remember, once they are restored."""
    for team in "abc":
        live.quote(team, truth().values)
    return {team: board.state.memory for team, board in live._judge._boards.items()}


def assert_same_boards(first, second):
    ours, others = memories(first), memories(second)
    assert ours.keys() == others.keys()
    for team, memory in ours.items():
        assert_same_memory(memory, others[team])


def products(path):
    """Number of each submission and its products."""
    with closing(sqlite3.connect(path)) as tables:
        rows = tables.execute("SELECT submission_id, products FROM products ORDER BY 1").fetchall()
    return {number: np.frombuffer(row) for number, row in rows}


@pytest.mark.parametrize(("setting", "metric"), BOARDS)
def test_a_board_restored_with_products_is_one_that_computes_them_and_one_that_ran_on(
    setting, metric, tmp_path, monkeypatch
):
    live = board(tmp_path, setting, metric)
    for k, (team, file) in enumerate(sent()):
        live.submit(team, file, f"k{k}")
    assert_same_boards(live, opened(tmp_path))
    with monkeypatch.context() as without:
        without.setattr("shakedown.live.judging.products_of", lambda _: None)
        assert_same_boards(live, opened(tmp_path))
    assert live.audit() == []
    assert live.copy_to(f"sqlite:///{tmp_path}/copy.db") == []
    own, copied = products(tmp_path / "board.db"), products(tmp_path / "copy.db")
    assert own.keys() == copied.keys()
    assert len(own) >= 8
    for number, row in own.items():
        np.testing.assert_array_equal(row, copied[number])
    assert_same_boards(live, opened(tmp_path, "copy"))


def test_each_file_has_its_products_with_those_that_its_meter_keeps(tmp_path):
    live = board(tmp_path)
    for k, (team, file) in enumerate(sent()):
        live.submit(team, file, f"k{k}")
    release, own = live.rules.mechanism.release, products(tmp_path / "board.db")
    lengths = {team: [] for team in "abc"}
    for number, (team, file) in enumerate(sent(), 1):
        public = file.astype(np.float32).astype(float)[None, live.truth.public]
        (u,), _ = measured_by(live.rules.judged_by, release.unit.without(public))
        rows = live._judge._boards[team].state.memory.meter.room.files[: len(own[number]), : len(u)]
        np.testing.assert_allclose(own[number], rows @ u, rtol=1e-9, atol=1e-12)
        lengths[team].append(len(own[number]))
    assert lengths["a"] == [*range(len(lengths["a"]))]  # no constant among them


def test_a_restart_reads_no_file_for_a_product(tmp_path, monkeypatch):
    live = board(tmp_path)
    for team, file in sent():
        live.submit(team, file)
    asked = []
    answered = account.Account.answered
    monkeypatch.setattr(
        account.Account, "answered",
        lambda self, *given, known, **named: asked.append(
            known is not None and len(known) == self.meter.count
        ) or answered(self, *given, known=known, **named),
    )  # fmt: skip
    monkeypatch.setattr(Meter, "products", lambda *_: pytest.fail("computed again"))
    memories(opened(tmp_path))
    assert len(asked) == len(sent())
    assert all(asked)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM products WHERE submission_id = 9",
        "DELETE FROM products",
        "UPDATE products SET products = x'0102030405060708' WHERE submission_id = 9",
        "UPDATE products SET products = x'01020304' WHERE submission_id = 9",
        "UPDATE products SET products = x'' WHERE submission_id = 9",
    ],
)
def test_products_that_are_missing_or_cut_are_computed_again_and_the_audit_says_so(
    change, tmp_path
):
    live = board(tmp_path)
    for k, (team, file) in enumerate(sent()):
        live.submit(team, file, f"k{k}")
    with closing(unprotected(tmp_path / "board.db")) as tables:
        tables.execute(change)
        tables.commit()
    assert_same_boards(live, opened(tmp_path))
    (finding,) = opened(tmp_path).audit()
    assert finding.startswith("table products: row ")


def test_products_that_were_changed_are_found_by_the_audit(tmp_path):
    live = board(tmp_path)
    for k, (team, file) in enumerate(sent()):
        live.submit(team, file, f"k{k}")
    own = products(tmp_path / "board.db")[9]
    with closing(unprotected(tmp_path / "board.db")) as tables:
        last_bit = np.nextafter(own, np.inf).tobytes()
        tables.execute("UPDATE products SET products = ? WHERE submission_id = 9", (last_bit,))
        tables.commit()
    (finding,) = opened(tmp_path).audit()
    assert finding.startswith("table products: row ")


def test_products_cannot_be_changed(tmp_path):
    live = board(tmp_path)
    for team, file in sent()[:3]:
        live.submit(team, file)
    for change in ("UPDATE products SET products = x''", "DELETE FROM products"):
        with (
            pytest.raises(database.InputError, match="append-only"),
            database.transaction(live._engine) as connection,
        ):
            connection.exec_driver_sql(change)
    assert live.audit() == []


def test_a_submission_that_is_not_stored_leaves_no_products(tmp_path, monkeypatch):
    live = board(tmp_path)
    live.submit("a", files(2)[0], "k0")
    with monkeypatch.context() as broken:
        broken.setattr(audit, "append", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            live.submit("a", files(2)[1], "k1")
    assert list(products(tmp_path / "board.db")) == [1]
    live.submit("a", files(2)[1], "k1")
    assert list(products(tmp_path / "board.db")) == [1, 2]
    assert live.audit() == []


def test_files_that_are_not_judged_or_not_answered_have_none(tmp_path):
    live = board(tmp_path, "metered(files=2,gain=4.9)+distinct")
    own = files(4)
    for file in (own[0], own[0], own[1], own[2], own[3]):
        live.submit("a", file)
    assert live.log()["refused"].tolist() == [False, True, False, False, False]
    assert list(products(tmp_path / "board.db")) == [1, 3]


def test_boards_without_a_meter_and_those_made_with_doubles_keep_none(tmp_path, monkeypatch):
    for part in ("other", "before"):
        (tmp_path / part).mkdir()
    other = board(tmp_path / "other", "full_disclosure")
    before = before_precision(tmp_path / "before", monkeypatch)
    for live, part in ((other, "other"), (before, "before")):
        for team, file in sent()[:4]:
            live.submit(team, file)
        assert products(tmp_path / part / "board.db") == {}
        assert live.audit() == []
    assert_same_boards(before, opened(tmp_path / "before"))

"""What an audit finds: with a head from before, also what was taken away or rewritten."""

import hashlib
import json
import re
import sqlite3
from contextlib import closing

import pytest

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live import heads
from shakedown.live.audit import FIRST, _hash
from shakedown.live.backup import backup
from shakedown.live.live_board import LiveBoard
from shakedown.live.showing import of_board
from tests.live.surfing import unprotected
from tests.live.test_live_board import board, submissions
from tests.live.test_quotas import Clock, made


@pytest.fixture
def path(tmp_path):
    """A closed board with five files of two teams."""
    live = board(tmp_path)
    for k, file in enumerate(submissions(5)):
        live.submit("ab"[k % 2], file, f"k{k}")
    live.close()
    return tmp_path / "board.db"


def opened(path):
    return LiveBoard.open(f"sqlite:///{path}")


def change(path, *statements):
    """Change a database as one can who writes to its file."""
    with closing(unprotected(path)) as tables:
        for statement in statements:
            tables.execute(statement)
        tables.commit()


def chained_anew(path):
    """Give all entries the hashes of what they now are."""
    with closing(unprotected(path)) as tables:
        rows = tables.execute("select id, number, at, kind, payload from audit order by number")
        previous = FIRST
        for id_, number, at, kind, payload in rows.fetchall():
            made = _hash(previous, number, at, kind, payload)
            given = (previous, made, id_)
            tables.execute("update audit set previous = ?, hash = ? where id = ?", given)
            previous = made
        tables.commit()


def removed_close(path):
    change(
        path,
        "delete from audit where kind = 'close'",
        "update boards set closed_at = null, last_at = (select max(at) from audit)",
    )


def test_an_audit_alone_says_what_it_cannot_find(path, capsys):
    assert main(["board", "audit", "--url", f"sqlite:///{path}"]) == 0
    said = capsys.readouterr().out
    assert "nothing was changed within it" in said
    assert "or lost" not in said
    assert "A head printed earlier can: shakedown board audit --expect HEAD" in said
    head, entries = opened(path).head()
    assert f"Entries of the log: {entries}. Its head: {head}" in said
    assert main(["board", "audit", "--url", f"sqlite:///{path}", "--expect", head]) == 0
    assert "nothing was lost" in capsys.readouterr().out


def test_a_rollback_is_found_by_a_head_and_by_a_receipt(tmp_path, path):
    early = board(_folder(tmp_path, "second"))
    kept = []
    for k, file in enumerate(submissions(3)):
        receipt = early.submit("a", file, f"k{k}")
        kept.append(receipt.head)
        if k == 1:
            backup(f"sqlite:///{tmp_path}/second/board.db", tmp_path / "old.db")
    assert early.audit(kept) == []
    old = opened(tmp_path / "old.db")
    assert old.audit() == []
    assert old.audit(kept[:2]) == []
    (found,) = old.audit(kept)
    assert kept[2][:12] in found
    assert "an old backup" in found
    assert len(opened(path).audit(kept)) == 3  # another board's


def _folder(parent, name):
    (parent / name).mkdir()
    return parent / name


def test_a_close_that_was_removed_is_found(path):
    head, _ = opened(path).head()
    removed_close(path)
    live = opened(path)
    assert live.audit() == []
    assert ["does not have it" in said for said in live.audit([head])] == [True]


def test_a_log_that_is_lost_has_no_head(path):
    change(path, "delete from audit")
    assert opened(path).head() == ("", 0)


def test_a_score_that_was_changed_is_found_if_it_is_the_only_one(tmp_path):
    board(tmp_path).submit("a", submissions(1)[0], "k0")
    change(tmp_path / "board.db", "update decisions set score_final = 0.5")
    assert opened(tmp_path / "board.db").audit() == ["table decisions: row 1 differs."]


def test_a_log_that_was_written_anew_is_found(path):
    receipts = [opened(path).submit("ab"[k % 2], file, f"k{k}").head
                for k, file in enumerate(submissions(5))]  # fmt: skip
    head, _ = opened(path).head()
    # The second team's name is changed everywhere, and the chain made again.
    change(
        path,
        "update teams set name = 'c' where name = 'b'",
        "update submissions set account = 'c' where account = 'b'",
        "update states set account = 'c' where account = 'b'",
        """update audit set payload = replace(payload, '"team": "b"', '"team": "c"')""",
    )
    chained_anew(path)
    live = opened(path)
    forged = [said for said in live.audit() if "rebuilt with another" not in said]
    assert [said for said in forged if "does not follow" in said] == []
    missing = [said for said in live.audit([*receipts, head]) if "does not have it" in said]
    # What came before the forgery is still there.
    assert len(missing) == 5
    assert live.audit([receipts[0]]) == live.audit()


def test_a_receipt_is_the_same_each_time_and_for_a_copy(path, tmp_path):
    live = opened(path)
    files = submissions(5)
    first = [live.submit("ab"[k % 2], files[k], f"k{k}") for k in range(5)]
    assert len({answer.head for answer in first}) == 5
    assert live.copy_to(f"sqlite:///{tmp_path}/copy.db") == []
    copied = LiveBoard.open(f"sqlite:///{tmp_path}/copy.db")
    assert [copied.submit("ab"[k % 2], files[k], f"k{k}") for k in range(5)] == first
    assert copied.head() == live.head()
    assert of_board(live)["head"] == live.head()[0]


def test_receipts_of_one_moment_differ(tmp_path):
    live = made(tmp_path, now=Clock())  # its time stands still
    receipts = [
        live.submit(team, file, "k").head for team, file in zip("abc", submissions(3), strict=True)
    ]
    assert len(set(receipts)) == 3
    assert live.submit("b", submissions(3)[1], "k").head == receipts[1]
    assert live.audit(receipts) == []


def test_nobody_can_guess_scores_with_a_head(path):
    """A head does not follow from an entry alone, whatever its parts are."""
    with closing(sqlite3.connect(path)) as tables:
        hashes = [row[0] for row in tables.execute("select hash from audit")]
    head, _ = opened(path).head()
    assert not [entry for entry in hashes if head in entry]
    assert head not in {hashlib.sha256(entry.encode()).hexdigest()[: heads.DIGITS]
                        for entry in hashes}  # fmt: skip


def test_heads_are_signed_if_there_is_a_key(path, monkeypatch, tmp_path):
    live = opened(path)
    plain, _ = live.head()
    key = tmp_path / "key"
    key.write_text("a long secret\n")
    monkeypatch.setenv(heads.FILE_VARIABLE, str(key))
    with pytest.raises(InputError, match="other users can read the file of SHAKEDOWN_SIGNING"):
        live.head()
    key.chmod(0o600)
    signed, _ = live.head()
    assert signed.startswith(f"{plain}-")
    assert live.submit("a", submissions(5)[0], "k0").head.count("-") == 1
    assert live.audit([signed, plain]) == []
    head, _, code = signed.partition("-")
    (found,) = live.audit([f"{head}-{code[::-1]}"])
    assert "this key did not sign it" in found
    monkeypatch.delenv(heads.FILE_VARIABLE)
    assert live.audit([signed]) == []  # nothing to check it with
    monkeypatch.setenv(heads.VARIABLE, "another")
    assert "this key did not sign it" in live.audit([signed])[0]


def test_what_is_no_head_is_a_mistake(path, capsys):
    url = f"sqlite:///{path}"
    assert main(["board", "audit", "--url", url, "--expect", "12"]) == 2
    assert "expect: wanted a head" in capsys.readouterr().err


@pytest.mark.parametrize(("damage", "wanted"), [
    ("update boards set rules = '{'", "the text of its rules"),
    ("update boards set rules = '{}'", "the text of its rules"),
    ("update boards set rules = replace(rules, 'ladderboot', 'ladr')", "ladr"),
    ("update boards set challenge_id = 9", "the board's row"),
    ("delete from challenges", "the board's row"),
    ("delete from boards", "table boards has lost 1 board"),
    ("delete from contents", "content "),
    ("update contents set content = 'text'", "the truth"),
    ("update contents set content = x'7b7d'", "the truth"),
    ("delete from teams", "table teams"),
    ("delete from states", "table states"),
    ("delete from submissions", "table submissions"),
    ("delete from decisions", "table decisions"),
    ("delete from releases", "table releases"),
    ("delete from audit", "table"),
    ("delete from audit where number = 3", "entry 3"),
    ("update audit set payload = x'ff' where number = 2", "entry 2"),
    ("update audit set at = 'noon' where number = 2", "entry 2"),
    ("update releases set released = 'good'", "table releases"),
    ("update decisions set accepted = 'yes'", "decisions|a row of its tables"),
    ("update states set state = '{'", "table states"),
    ("update teams set registered_at = 'noon'", "table teams"),
    ("drop table releases", "lacks a table or a column"),
    ("drop table audit", "lacks a table or a column"),
    ("alter table teams drop column final_key", "lacks a table or a column"),
    ("delete from alembic_version", "does not have the one version"),
    ("insert into alembic_version values ('0001')", "does not have the one version"),
    ("update alembic_version set version_num = '0001'", "lacks a table or a column"),
    ("update alembic_version set version_num = '0009'", "of version 0009"),
    ("drop table alembic_version", "another program made its table"),
])  # fmt: skip
def test_damage_is_a_finding(path, damage, wanted, capsys):
    change(path, damage)
    assert main(["board", "audit", "--url", f"sqlite:///{path}"]) == 1
    said, err = capsys.readouterr()
    assert re.search(wanted, said), said
    assert err == ""


@pytest.mark.parametrize(("part", "wanted"), [
    ('"team": "b"', "entry "),
    ('"key": "k1"', "entry "),
    ('"content"', "entry "),
])  # fmt: skip
def test_a_payload_that_lacks_a_part_is_a_finding_in_a_chain_made_anew(path, part, wanted):
    given = json.dumps(part.replace('"', ""))
    change(path, f"update audit set payload = replace(payload, '{part}', '{given}: 1')"
                 " where kind = 'submit'")  # fmt: skip
    chained_anew(path)
    assert wanted in " ".join(opened(path).audit())


@pytest.mark.parametrize("kind", ["create", "other"])
def test_an_event_of_another_kind_is_a_finding_in_a_chain_made_anew(path, kind):
    change(path, f"update audit set kind = '{kind}' where number = 4")
    chained_anew(path)
    assert "entry 4" in opened(path).audit()[0]


def test_a_damaged_state_is_a_sentence_to_who_submits(path):
    change(path, "update boards set closed_at = null", "update states set state = '[1]'")
    with pytest.raises(InputError, match="the state of a team's board is damaged"):
        opened(path).submit("a", submissions(1)[0])

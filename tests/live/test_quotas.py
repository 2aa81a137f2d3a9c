"""Limits, clocks and full disks."""

from datetime import datetime

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.live import audit, clock, database
from shakedown.live.answers import rounded
from shakedown.live.live_board import LiveBoard
from shakedown.live.quotas import left_to
from shakedown.live.rules import Rules
from shakedown.live.submission_file import Refused
from tests.live.test_live_board import submissions, truth

HOUR = 3_600_000_000
DIGEST = "digest(eta=0.1,floor=0.1,every=100,updates=4)"


class Clock:
    """A clock that the test sets."""

    def __init__(self, at="2026-03-28T12:00"):
        self.set(at)

    def set(self, at):
        self.at = clock.read(at, "at", "UTC")

    def __call__(self):
        return self.at


def made(path, setting="full_disclosure", now=None, **rules):
    rules = Rules.of(setting, "mse", **({"seed": 3} | rules))
    return LiveBoard.create(f"sqlite:///{path}/board.db", rules, truth(), now=now or Clock())[0]


def test_limits_of_a_team_a_day_and_all_teams(tmp_path):
    now, files = Clock(), submissions(8)
    live = made(tmp_path, per_team=3, per_day=2, in_total=5, now=now)
    first, second = (live.submit("a", files[k]) for k in (0, 1))
    assert (first.left, first.left_today) == (2, 1)
    assert (second.left, second.left_today) == (1, 0)
    with pytest.raises(Refused, match=r"limit is 2 submissions of a team in a day \(UTC\), and 2"):
        live.submit("a", files[2])
    now.set("2026-03-29T00:00")
    assert live.submit("a", files[2]).left == 0
    with pytest.raises(Refused, match="limit is 3 submissions of a team, and 3 were made"):
        live.submit("a", files[3])
    assert live.submit("a", files[1], key=second.submission) == second  # sent again: free
    for k in (4, 5):
        live.submit("b", files[k])
    with pytest.raises(Refused, match="limit is 5 submissions of all teams together"):
        live.submit("c", files[6])
    assert live.audit() == []


def test_files_with_errors_do_not_count(tmp_path):
    live = made(tmp_path, per_team=1)
    for bad in (np.full(40, np.nan), np.zeros(39), {"r0": 1.0}, b"id,prediction\nr0,1\n"):
        with pytest.raises(Refused):
            live.submit("a", bad)
    assert live.submit("a", submissions(1)[0]).number == 1


def test_days_are_those_of_the_time_zone_and_can_have_23_hours(tmp_path):
    now, files = Clock("2026-03-28T22:59"), submissions(6)
    live = made(tmp_path, per_day=1, zone="Europe/Berlin", now=now)
    live.submit("a", files[0])
    now.set("2026-03-28T23:01")  # 0:01 in Berlin, on the day when summer time begins
    live.submit("a", files[1])
    now.set("2026-03-29T21:59")
    with pytest.raises(Refused, match="Europe/Berlin"):
        live.submit("a", files[2])
    now.set("2026-03-29T22:01")  # an hour earlier than the day before
    live.submit("a", files[2])
    since, until = clock.bounds_of_day(clock.read("2026-03-29", "at", "UTC"), "Europe/Berlin")
    assert until - since == 23 * HOUR


def test_a_day_begins_at_midnight_and_less_is_left_of_it_than_in_all(tmp_path):
    now, files = Clock("2026-03-27T23:59"), submissions(5)
    live = made(tmp_path, per_day=2, per_team=4, in_total=5, now=now)

    def left():
        with live.reading() as (connection, board_id, at):
            return left_to(connection, board_id, live.rules, "a", at)

    assert live.submit("a", files[0]).left_today == 1
    now.set("2026-03-28T00:00")  # the first moment of the next day
    assert live.submit("a", files[1]).left_today == 1
    assert left() == (2, 1, False)
    now.set("2026-03-28T23:59")
    assert live.submit("a", files[2]).left_today == 0
    with pytest.raises(Refused, match="limit is 2 submissions of a team in a day"):
        live.submit("a", files[3])
    now.set("2026-03-29T00:00")
    assert left() == (1, 1, False)  # of the day two, but one in all
    live.submit("a", files[3])
    assert left() == (0, 0, False)
    live.submit("b", files[4])
    assert left() == (0, 0, True)


def test_a_clock_that_is_set_back_does_not_turn_back_the_board(tmp_path):
    now, files = Clock(), submissions(4)
    live = made(tmp_path, per_day=2, now=now)
    for k in (0, 1):
        live.submit("a", files[k])
    now.set("2026-03-20T12:00")
    with pytest.raises(Refused, match="in a day"):
        live.submit("a", files[2])
    assert live.submit("b", files[3]).received == "2026-03-28T12:00:00Z"
    assert live.audit() == []


def test_a_board_opens_and_closes(tmp_path):
    now, file = Clock(), submissions(1)[0]
    live = made(tmp_path, opens="2026-03-29", closes="2026-03-30T12:00", now=now)
    with pytest.raises(Refused, match="opens 2026-03-29T00:00:00Z"):
        live.submit("a", file)
    now.set("2026-03-29T00:00")
    live.submit("a", file)
    now.set("2026-03-30T12:00")
    with pytest.raises(Refused, match="closed 2026-03-30T12:00:00Z"):
        live.submit("a", file)


def test_a_board_that_is_closed_early_says_when(tmp_path):
    now = Clock()
    live = made(tmp_path, closes="2026-03-30T12:00", now=now)
    live.close()
    now.set("2026-03-29T12:00")
    with pytest.raises(Refused, match="closed 2026-03-28T12:00:00Z"):
        live.submit("a", submissions(1)[0])


def test_an_organiser_closes_a_board(tmp_path):
    live = made(tmp_path)
    live.close()
    live.close()
    with pytest.raises(Refused, match="The board closed"):
        live.submit("a", submissions(1)[0])
    assert live.audit() == []


def test_a_digest_moves_at_its_times_and_not_on_arrival(tmp_path):
    now, files = Clock("2026-03-01T01:00"), 0.9 * truth().values * np.linspace(0.3, 1, 8)[:, None]
    live = made(tmp_path, DIGEST, opens="2026-03-01", closes="2026-03-05", now=now)
    days = [f"2026-03-0{d}T00:00:00Z" for d in (2, 3, 4, 5)]
    assert [clock.text(update) for update in live.rules.updates] == days
    start = rounded(live.start)
    shown = [live.submit("a", file) for file in files[:3]]
    assert {answer.score for answer in shown} == {start}
    assert {answer.next_update for answer in shown} == {days[0]}
    now.set("2026-03-02T00:00")
    after = live.submit("a", files[3])
    # What the three files of the first day reached, on the grid and never better than that.
    y, public = truth().values[truth().public], truth().public
    best = min(np.mean((file[public] - y) ** 2) for file in files[:3])
    assert after.score == pytest.approx(np.ceil(best / 0.1) * 0.1)
    assert after.next_update == days[1]
    now.set("2026-03-04T23:59")
    assert live.submit("a", files[7]).score <= after.score
    assert live.audit() == []


@pytest.mark.parametrize("times", [{}, {"opens": "2026-03-01"}, {"closes": "2026-03-05"}])
def test_a_digest_needs_its_times(times, tmp_path):
    with pytest.raises(InputError, match="shows scores 4 times: wanted `opens` and `closes`"):
        made(tmp_path, DIGEST, **times)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"per_team": 0}, "per_team: wanted a whole number of at least 1; got 0"),
        ({"per_day": 1.5}, "per_day: wanted"),
        ({"zone": "Berlin"}, "zone: wanted a time zone such as UTC"),
        ({"opens": "soon"}, "opens: wanted a time such as"),
        ({"opens": "2026-03-02", "closes": "2026-03-01"}, "closes: wanted a time after"),
        ({"seed": -1}, "seed: wanted"),
        ({"setting": "rank_board"}, "shows only ranks"),
        ({"setting": "metered(gain=0.1,files=9)", "metric": "mae"}, "linear in the response"),
        ({"setting": "fresh_holdout"}, "never used"),
        ({"setting": "ladder(alpha=2)"}, "alpha"),
        ({"metric": "mean"}, "mean"),
    ],
)
def test_rules_that_cannot_be_are_refused(rules, message):
    given = {"setting": "full_disclosure", "metric": "mse"} | rules
    with pytest.raises(InputError, match=message):
        Rules.of(given.pop("setting"), given.pop("metric"), **given)


def _submit_all(live, files):
    for k, file in enumerate(files):
        live.submit("a", file, f"k{k}")


def test_a_full_disk_loses_nothing(tmp_path):
    live, files = made(tmp_path), submissions(40)
    live.submit("a", files[0], "first")
    url = f"sqlite:///{tmp_path}/board.db"
    # A database that may have no more pages is a disk without room.
    with database.transaction(live._engine) as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
    full = r"the disk is full\. Free some space; nothing was counted"
    with pytest.raises(InputError, match=full):
        _submit_all(live, files[1:])
    counted = len(live.log())
    assert 1 < counted < 40
    again = LiveBoard.open(url)
    assert len(again.log()) == counted
    assert again.audit() == []
    assert again.submit("a", files[39], "later").number == counted + 1


def test_times_are_read_in_the_zone_of_the_board():
    summer = clock.read(datetime(2026, 7, 1, 12), "at", "Europe/Berlin")
    assert clock.text(summer) == "2026-07-01T10:00:00Z"
    assert clock.text(clock.read("2026-07-01T12:00+05:30", "at", "UTC")) == "2026-07-01T06:30:00Z"


def test_what_was_decided_cannot_be_changed(tmp_path):
    live = made(tmp_path)
    live.submit("a", submissions(1)[0])
    for statement in ("UPDATE releases SET released = 0", "DELETE FROM audit"):
        with (
            pytest.raises(InputError, match="append-only"),
            database.transaction(live._engine) as connection,
        ):
            connection.exec_driver_sql(statement)
    assert live.audit() == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "UPDATE audit SET payload = replace(payload, '\"a\"', '\"b\"') WHERE number = 3",
            "entry 3",
        ),
        ("DELETE FROM audit WHERE number = 2", "entry 2"),
        ("UPDATE contents SET content = zeroblob(320) WHERE length(content) = 320", "was changed"),
        ("UPDATE releases SET released = 0", "table releases: row 1 differs"),
        ("UPDATE states SET state = replace(state, '\"made\": 2', '\"made\": 1')", "table states"),
    ],
)
def test_the_audit_finds_what_was_changed_behind_its_back(change, message, tmp_path):
    live = made(tmp_path)
    for file in submissions(2):
        live.submit("a", file)
    with database.transaction(live._engine) as connection:
        for name in connection.exec_driver_sql(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).scalars():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql(change)
    assert any(message in difference for difference in live.audit())


def test_a_board_has_one_id_however_its_numbers_are_written():
    for written in (DIGEST.replace("0.1", ".1"), DIGEST.replace("0.1", "0.10"), DIGEST):
        assert Rules.of(written, "mse", by_count=True).setting == DIGEST


def test_a_digest_with_a_clock_says_so_and_one_that_moves_only_at_the_close_warns():
    times = {"opens": "2026-03-01", "closes": "2026-03-05"}
    at_close = DIGEST.replace("updates=4", "updates=1")
    by_clock, by_count = Rules.of(DIGEST, "mse", **times), Rules.of(DIGEST, "mse", by_count=True)
    said = by_clock.sentences[0]
    assert said.startswith("Board: Digest. Begins with")
    assert "At the times below, it shows the best score so far, rounded in steps of" in said
    assert "every" not in said
    assert "W" not in said
    assert (
        "Scores change only at these times, however many files arrive: " in by_clock.sentences[-3]
    )
    assert "After every 100 submissions, four times in all, it shows" in by_count.sentences[0]
    assert by_clock.warnings == by_count.warnings == []
    for late in ({}, {"updates": ["2026-03-05T01:00"]}):
        (said,) = Rules.of(at_close, "mse", **times, **late).warnings
        assert "shows nothing new before the end" in said


def test_an_audit_takes_one_moment_while_the_board_goes_on(tmp_path, monkeypatch):
    live, files = made(tmp_path), submissions(2)
    live.submit("a", files[0])
    compared, other = audit.compared, LiveBoard.open(f"sqlite:///{tmp_path}/board.db")

    def late(*given):
        other.submit("b", files[1])
        return compared(*given)

    monkeypatch.setattr(audit, "compared", late)
    assert live.audit() == []
    assert len(live.log()) == 2

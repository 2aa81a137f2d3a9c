"""When a submission came in: dates of one convention, zones, Unix times."""

import pandas as pd
import pytest

from shakedown.interface import InputError

from .logs import listing, read_log, table, told


def times_of(where, cells):
    """The log, and the times by submission, of a list with these cells."""
    log = read_log(where, table(), listing().assign(time=cells))
    found = log.submissions.set_index("submission")["time"]
    return log, [found[f"s{k}"] for k in range(1, 7)]


DAYS = ["2025-02-28", "2025-03-02", "2025-03-05", "2025-03-12", "2025-04-01", "2025-12-11"]


@pytest.mark.parametrize(
    "pattern",
    ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y-%m-%d", "%Y/%m/%d", "%d %B %Y",
     "%b %d, %Y", "%a, %d %b %Y %H:%M:%S +0000", "%d/%m/%Y %H:%M", "%m/%d/%Y %I:%M:%S %p",
     "%Y%m%dT%H%M%S", "%Y-%m-%dT%H:%M:%SZ"],
)  # fmt: skip
def test_a_column_of_dates_has_one_convention(tmp_path, pattern):
    wanted = [pd.Timestamp(day) for day in DAYS]
    if "%H" in pattern or "%I" in pattern:
        wanted = [day + pd.Timedelta(hours=4 * k) for k, day in enumerate(wanted)]
    log, times = times_of(tmp_path, [day.strftime(pattern) for day in wanted])
    assert times == wanted
    assert log.submissions["submission"].tolist() == [f"s{k}" for k in range(1, 7)]
    assert log.messages.empty


def test_dotted_dates_are_day_first_without_a_proof(tmp_path):
    _, times = times_of(tmp_path, [f"0{k}.03.2025" for k in range(1, 7)])
    assert times == [pd.Timestamp(f"2025-03-0{k}") for k in range(1, 7)]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([f"0{k}/03/2025" for k in range(1, 7)],
         r"'time'.*'01/03/2025'.*day or month first.*YYYY-MM-DD"),
        ([f"0{k}-03-2025" for k in range(1, 6)] + ["2025-03-06"], "YYYY-MM-DD"),
        (["28/02/2025", "02/28/2025"] + ["01/01/2025"] * 4,
         r"'28/02/2025'.*'02/28/2025'.*YYYY-MM-DD"),
        (["02.28.2025"] * 6, "YYYY-MM-DD"),
        (["28/02/25"] * 6, r"'28/02/25'.*two digits.*YYYY-MM-DD"),
    ],
)  # fmt: skip
def test_dates_that_can_be_read_in_two_ways_are_refused(tmp_path, cells, message):
    with pytest.raises(InputError, match=message):
        times_of(tmp_path, cells)


def test_a_date_that_reads_the_same_both_ways_is_no_question(tmp_path):
    _, times = times_of(tmp_path, [f"0{k}/0{k}/2025" for k in range(1, 7)])
    assert times[2] == pd.Timestamp("2025-03-03")


@pytest.mark.parametrize(
    "cell",
    [
        "10:00",
        "2025-13-02",
        "31/02/2025",
        "2025-03-01 10:00 EST",
        "soon",
        "30/30/2025",
        "9999-12-31",
        "2025-03-01 25:00",
        "2025-03-01 13:00 pm",
    ],
)
def test_what_is_no_date_is_told(tmp_path, cell):
    log, times = times_of(tmp_path, [cell, "13/01/2025", *["14/01/2025"] * 4])
    assert pd.isna(times[0])
    assert told(log, "no_order")["submission"].tolist() == ["s1"]
    assert log.submissions["submission"].iloc[-1] == "s1"


def test_times_without_a_zone_beside_some_with_one_are_told(tmp_path):
    zoned = ["2025-01-01T10:00:00+02:00", "2025-01-01 10:00 UTC", "2025-01-01T10:00:00-0500"]
    log, times = times_of(tmp_path, [*zoned, "2025-01-01 09:00", "2025-01-01", None])
    hours = [one.hour for one in times[:5]]
    assert hours == [8, 10, 15, 9, 0]
    (row,) = told(log, "zone_missing").to_dict("records")
    assert row["count"] == 2
    assert row["done"] == (
        "2 times without a zone, such as '2025-01-01 09:00', beside 3 with one; taken as UTC."
    )


@pytest.mark.parametrize("unit", [1, 1000])
def test_unix_times_are_kept(tmp_path, unit):
    moments = [1_735_689_600 + 3600 * k for k in range(6)]
    log, times = times_of(tmp_path, [unit * one for one in moments])
    assert times == [pd.Timestamp("2025-01-01") + pd.Timedelta(hours=k) for k in range(6)]
    assert told(log, "unix_times")["count"].tolist() == [6]
    log, times = times_of(tmp_path, [1, 2, 3, 4, 5, 6])  # days of some calendar
    assert pd.isna(times).all()
    assert log.submissions["submission"].tolist() == [f"s{k}" for k in range(1, 7)]

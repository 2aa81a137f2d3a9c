"""When a submission came in: dates without a guess, zones, Unix times."""

import pandas as pd
import pytest

from shakedown.interface import InputError

from .logs import listing, messages_of, read_log, table


def times_of(where, cells):
    """The log, and the times by submission, of a list with these cells."""
    log = read_log(where, table(), listing().assign(time=cells))
    times = log.submissions.set_index("submission")["time"]
    return log, [times[f"s{k}"] for k in range(1, 7)]


DAYS = ["2025-02-28", "2025-03-02", "2025-03-05", "2025-03-12", "2025-04-01", "2025-12-11"]


@pytest.mark.parametrize(
    "pattern",
    ["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%b %d, %Y", "%a, %d %b %Y %H:%M:%S +0000",
     "%Y%m%dT%H%M%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S UTC"],
)  # fmt: skip
def test_dates_that_say_what_they_mean_are_read(tmp_path, pattern):
    wanted = [pd.Timestamp(day) for day in DAYS]
    if "%H" in pattern:
        wanted = [day + pd.Timedelta(hours=4 * k) for k, day in enumerate(wanted)]
    log, times = times_of(tmp_path, [day.strftime(pattern) for day in wanted])
    assert times == wanted
    assert log.submissions["submission"].tolist() == [f"s{k}" for k in range(1, 7)]
    assert log.messages.empty


def test_a_date_that_reads_the_same_both_ways_is_no_question(tmp_path):
    _, times = times_of(tmp_path, ["03/03/2025", "28/02/2025", "02/28/2025", "28.02.2025 14:30",
                                   "May 2025", "2024"])  # fmt: skip
    last_of_february = pd.Timestamp("2025-02-28")
    assert times == [
        pd.Timestamp("2025-03-03"), last_of_february, last_of_february,
        pd.Timestamp("2025-02-28 14:30"), pd.Timestamp("2025-05-01"), pd.Timestamp("2024-01-01"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cell",
    [
        "01/03/2025", "01.03.2025", "05-03-2025 10:00", "28/02/25", "10:00", "1 May", "now",
        "2025-13-02", "31/02/2025", "2025-03-01 10:00 EST", "soon", "30/30/2025", "9999-12-31",
        "2025-03-01 25:00", "2025-03-01 13:00 pm", "17",
    ],
)  # fmt: skip
def test_what_would_have_to_be_guessed_is_refused_with_its_cure(tmp_path, cell):
    message = rf"list.csv.*column 'time': '{cell}' in line 4 is not a date, .*Write 2024-03-01"
    with pytest.raises(InputError, match=message):
        times_of(tmp_path, ["2025-03-01", None, cell, "13/01/2025", "soon", "soon"])


def test_times_without_a_zone_beside_some_with_one_are_told(tmp_path):
    zoned = ["2025-01-01T10:00:00+02:00", "2025-01-01 10:00 UTC", "2025-01-01T10:00:00-0500"]
    log, times = times_of(tmp_path, [*zoned, "2025-01-01 09:00", "2025-01-01", None])
    hours = [time.hour for time in times[:5]]
    assert hours == [8, 10, 15, 9, 0]
    (row,) = messages_of(log, "zone_missing").to_dict("records")
    assert row["count"] == 2
    assert row["done"] == (
        "2 times without a zone, such as '2025-01-01 09:00', and 3 with one; taken as UTC."
    )


@pytest.mark.parametrize("unit", [1, 1000])
def test_unix_times_are_kept(tmp_path, unit):
    moments = [1_735_689_600 + 3600 * k for k in range(6)]
    log, times = times_of(tmp_path, [unit * moment for moment in moments])
    assert times == [pd.Timestamp("2025-01-01") + pd.Timedelta(hours=k) for k in range(6)]
    assert messages_of(log, "unix_times")["count"].tolist() == [6]
    log, times = times_of(tmp_path, [1, 2, 3, 4, 5, 6])  # days of some calendar
    assert pd.isna(times).all()
    assert log.submissions["submission"].tolist() == [f"s{k}" for k in range(1, 7)]

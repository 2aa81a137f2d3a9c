"""Signs of life of a long job."""

import io

import pytest

from shakedown.cli.watching import Watched
from shakedown.simulation.progress import Progress, duration


def lines_at(seconds, done, *, total=100, every=5.0):
    """Lines told when `done` replicates are reported at `seconds` after the start."""
    times = iter([0.0, *seconds])
    stream = io.StringIO()
    tell = Progress("job", total, [stream, None], every=every, clock=lambda: next(times))
    for n in done:
        tell(n)
    return stream.getvalue().splitlines()


def test_tells_what_is_left_at_the_pace_so_far():
    assert lines_at([10.0], [40]) == ["job: 40 of 100 replicates, about 15 s left"]


def test_keeps_silent_between_and_at_the_end():
    lines = lines_at([1, 4.9, 5, 6, 9.9, 10, 20], [10, 20, 30, 40, 50, 60, 100])
    assert [line.split()[1] for line in lines] == ["30", "60"]


def test_every_stream_is_told_at_once():
    class Recorder(io.StringIO):
        flushed = 0

        def flush(self):
            self.flushed += 1

    times = iter([0.0, 6.0])
    streams = [Recorder(), Recorder()]
    Progress("job", 2000, streams, clock=lambda: next(times))(1000)
    assert {s.getvalue() for s in streams} == {"job: 1,000 of 2,000 replicates, about 6 s left\n"}
    assert all(s.flushed for s in streams)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (99.4, "99 s"), (99.6, "2 min"), (5969, "99 min"), (5971, "1.7 h")],
)
def test_a_duration_has_the_unit_that_suits_it(seconds, text):
    assert duration(seconds) == text


def test_the_time_that_is_left_is_the_time_that_is_given_once_the_fewest_are_done():
    out = io.StringIO()
    seconds = iter([0.0, 30.0, 40.0, 50.0, 70.0])
    tell = Progress("job", 1000, [out], every=0, clock=lambda: next(seconds), fewest=4, seconds=60)
    for done in (1, 4, 995, 1200):
        tell(done)
    # At their pace 3 more take 90 s, but 30 s are given; 20 s are; 5 more replicates take less.
    assert out.getvalue().splitlines() == [
        "job: 1 replicate, about 30 s left",
        "job: 4 replicates, about 20 s left",
        "job: 995 replicates, about 0 s left",
    ]


def test_beyond_the_time_that_is_given_the_fewest_are_the_goal():
    out = io.StringIO()
    seconds = iter([0.0, 80.0, 100.0])
    tell = Progress("job", 1000, [out], every=0, clock=lambda: next(seconds), fewest=4, seconds=60)
    for done in (2, 5):
        tell(done)
    assert out.getvalue().splitlines() == [
        "job: 2 of 4 replicates, about 80 s left",
        "job: 5 replicates, about 0 s left",
    ]


def test_a_dry_run_calls_replicates_plays():
    out, seconds = io.StringIO(), iter([0.0, 10.0])
    Progress("my, job 1", 100, [out], clock=lambda: next(seconds), called="play")(40)
    line = out.getvalue().rstrip()
    assert line == "my, job 1: 40 of 100 plays, about 15 s left"
    assert Watched().take(line) == "replicates"

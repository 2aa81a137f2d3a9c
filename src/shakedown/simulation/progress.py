"""Report the progress of a long job and the remaining time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import TextIO

from shakedown.wording import counted


class Progress:
    """Reports from time to time how many replicates are done, or plays in the words of a dry run.

    Parameters
    ----------
    label : str
        Name of the job, such as "freedman / ad_like / permuted".
    total : int
        Total number of replicates.
    streams : iterable of text files
        Files to write to; None, for a closed stream, is skipped.
    every : float
        Seconds between two lines.
    clock : callable
        The time, in seconds.
    fewest : int, optional
        Number of replicates that are always played; by default all.
    seconds : float, optional
        Time after which no replicate is started, once `fewest` are done.  With it, `total` is no
        goal, and is not told.
    called : str
        What readers call a replicate.

    Examples
    --------
    >>> import sys
    >>> seconds = iter([0.0, 6.0])
    >>> tell = Progress("freedman", 250, [sys.stdout], clock=lambda: next(seconds))
    >>> tell(120)
    freedman: 120 of 250 replicates, about 7 s left
    """

    def __init__(
        self,
        label: str,
        total: int,
        streams: Iterable[TextIO | None],
        *,
        every: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        fewest: int | None = None,
        seconds: float = math.inf,
        called: str = "replicate",
    ) -> None:
        self._fewest, self._seconds = total if fewest is None else fewest, seconds
        self._label, self._total, self._every, self._clock = label, total, every, clock
        self._called = called
        self._streams = [stream for stream in streams if stream is not None]
        self._start = self._last = clock()

    def __call__(self, done: int) -> None:
        """Report that `done` replicates are done; at least 1."""
        now = self._clock()
        if now - self._last < self._every or done >= self._total:
            return
        self._last = now
        each = (now - self._start) / done
        in_time, is_timed = self._seconds - (now - self._start), self._seconds < math.inf
        if not is_timed or (in_time <= 0.0 and done < self._fewest):
            goal = self._fewest if is_timed else self._total
            played, left = f"{done:,} of {goal:,} {self._called}s", each * (goal - done)
        else:
            # The first replicates are slow, so the time that is given says more than their pace.
            played = counted(done, self._called)
            left = min(each * (self._total - done), max(in_time, 0.0))
        line = f"{self._label}: {played}, about {duration(left)} left"
        for stream in self._streams:
            print(line, file=stream, flush=True)


def duration(seconds: float) -> str:
    """A duration in a suitable unit: "12 s", "3 min", "1.5 h"."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"

"""How long an experiment takes: a few of its replicates are played and timed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from time import process_time

from shakedown.simulation.replicate import Experiment, played

#: CPU seconds after which a trial ends.
LONG = 0.1


def trial(experiment: Experiment) -> float:
    """CPU seconds of a replicate; the first one may have to compile, and is not timed."""
    seconds = 0.0

    def replicates() -> Iterator[int]:
        nonlocal seconds
        yield 0
        begun = process_time()
        for number in count(1):
            yield number
            seconds = (process_time() - begun) / number
            if seconds * number >= LONG:
                return

    played(experiment, replicates())
    return seconds

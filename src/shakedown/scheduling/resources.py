"""What a job may take: memory, and the code that it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil

from shakedown.interface import Shape
from shakedown.simulation.cost import memory

#: MiB that every job may take, as Snakemake's own default.
LEAST = 1000


def job_memory(shapes: Mapping[str, Shape], datasets: Iterable[str]) -> int:
    """MiB that a job with these data sets may take: a third more than the model says."""
    largest = max((memory(shapes[name]) for name in datasets), default=0)
    return max(LEAST, ceil(4 * largest / 3))

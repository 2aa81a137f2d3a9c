"""The jobs of a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

#: The figures of its page.
FIGURES = (
    *("safe_limits", "threat_map", "frontier_split", "use_and_safety"),
    *("protection", "acceptance"),
)


def challenge(config: Mapping[str, Any]) -> str:
    """The data set of a dry run."""
    return config["dryrun"]["dataset"] or next(iter(config["datasets"]))


def job_seconds(config: Mapping[str, Any], cores: int) -> int:
    """Seconds that each job may play, if as many jobs run at a time as there are cores."""
    jobs = config["dryrun"]["jobs"]
    return ceil(60 * config["dryrun"]["minutes"] * min(jobs, cores) / jobs)


def job_files(config: Mapping[str, Any]) -> list[str]:
    """The outcomes of each job, and why it stopped."""
    jobs = range(config["dryrun"]["jobs"])
    return [f"jobs/{job}.{kind}" for job in jobs for kind in ("parquet", "json")]

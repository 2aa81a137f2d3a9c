"""All files of a study of any kind, which a run makes again if they are lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.scheduling import comparison, dryrun, replay, study
from shakedown.scheduling.figures import files_of


def results(config: Mapping[str, Any]) -> list[str]:
    """The files: also those that are read only once, such as chunks."""
    if config["dryrun"]:
        return [
            *dryrun.job_files(config),
            f"datasets/{dryrun.challenge(config)}.npz",
            *("limits.csv", "frontier.csv", "settings.csv"),
            *("utility.csv", "acceptance.csv", "final_rows.csv", "recommendation.json"),
            *files_of(dryrun.FIGURES),
            "report.html",
        ]
    if config["replay"]:
        return [
            *("log.npz", "submissions.csv", "messages.csv", "dropped_teams.csv"),
            *("seen.parquet", "standings.csv", "settings.csv"),
            *("agreement.csv", "ranks.csv", "rank_intervals.csv", "comparisons.csv"),
            *("resolution.csv", "splits.csv", "errors.csv", "learnt.csv", "reported.parquet"),
            *("average_ranks.csv", "by_response.csv"),
            *files_of(replay.FIGURES),
            "report.html",
        ]
    if config["boards"]:
        return [
            *comparison.cell_files(config),
            "boards.csv",
            *files_of([comparison.FIGURE]),
            "report.html",
        ]
    bounds = [f"bounds/{name}.parquet" for name in study.bounded(config)]
    return [
        *study.tables(config),
        *(f"summary/{name}.csv" for name in config["experiments"]),
        *("checks.csv", "settings.csv"),
        *study.answers(config).values(),
        *(["bounds.csv", *bounds] if config["bounds"] else []),
        *files_of(config["figures"]),
        "report.html",
    ]

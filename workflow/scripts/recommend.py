"""Recommend a leaderboard and a number of submissions."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.dryrun.decision import decide, written
from shakedown.dryrun.settings import DryRunEntry
from shakedown.simulation import outcomes


def main(files, path_to_recommendation, *, settings):
    names = ("limits", "frontier", "utility", "final_rows")
    tables = {name: outcomes.typed(outcomes.read(files[name])) for name in names}
    recommendation = decide(load(files.data), settings, **tables)
    Path(path_to_recommendation).write_text(written(recommendation), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.recommendation,
            settings=DryRunEntry.part(snakemake.params.settings),
        )

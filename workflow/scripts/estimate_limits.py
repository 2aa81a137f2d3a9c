"""Estimate how many submissions are safe, and how an attacker would spend them best."""

import pandas as pd

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.dryrun.estimation import estimate
from shakedown.dryrun.settings import DryRunEntry
from shakedown.leaderboard.settings import settings_in, settings_table
from shakedown.simulation import outcomes


def main(path_to_data, paths_to_jobs, paths, *, settings, seed):
    played = outcomes.typed(pd.concat(map(outcomes.read, paths_to_jobs), ignore_index=True))
    limits, frontier = estimate(load(path_to_data), played, settings, seed=seed)
    outcomes.write(frontier, paths.frontier)
    outcomes.write(limits, paths.limits)
    outcomes.write(settings_table(settings_in(limits)), paths.settings)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.input.jobs,
            snakemake.output,
            settings=DryRunEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

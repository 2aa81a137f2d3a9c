"""Play replicates of one or several experiments."""

import sys
from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.progress import Progress
from shakedown.simulation.replicate import experiments, played


def main(paths_to_data, paths_to_outcomes, *, games, seed):
    challenges = {Path(path).stem: load(path) for path in paths_to_data}
    for (name, game), path in zip(games.items(), paths_to_outcomes, strict=True):
        write_tables(tables(name, game, challenges, seed), path)


def tables(name, game, challenges, seed):
    replicates = range(*game["replicates"])
    for experiment in experiments(name, game, challenges, seed=seed):
        what = f"{name} / {experiment.challenge.name} / {experiment.design}"
        progress = Progress(what, len(replicates), [sys.stderr, sys.__stderr__])
        yield played(experiment, replicates, progress=progress).table()


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.outcomes,
            games=snakemake.params.games,
            seed=snakemake.params.seed,
        )

"""Play replicates of one or several experiments."""

import sys
from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.progress import Progress
from shakedown.simulation.replicate import Part, experiments, played


def main(paths_to_data, paths_to_outcomes, *, parts, seed):
    challenges = {Path(path).stem: load(path) for path in paths_to_data}
    for (name, part), path in zip(parts.items(), paths_to_outcomes, strict=True):
        write_tables(tables(name, part, challenges, seed), path)


def tables(name, part, challenges, seed):
    replicates = range(*part.replicates)
    for experiment in experiments(name, part, challenges, seed=seed):
        what = f"{name} / {experiment.challenge.name} / {experiment.design}"
        progress = Progress(what, len(replicates), [sys.stderr, sys.__stderr__])
        yield played(experiment, replicates, progress=progress).table()


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.outcomes,
            parts={name: Part(**game) for name, game in snakemake.params.games.items()},
            seed=snakemake.params.seed,
        )

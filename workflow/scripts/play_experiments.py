"""Play replicates of one or several experiments."""

import sys
from itertools import product
from pathlib import Path

from shakedown.data import checksums
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.progress import Progress
from shakedown.simulation.replicate import Experiment, played


def main(paths_to_data, paths_to_outcomes, *, games, seed):
    challenges = {Path(path).stem: load(path) for path in paths_to_data}
    for (name, game), path in zip(games.items(), paths_to_outcomes, strict=True):
        write_tables(tables(name, game, [challenges[id] for id in game["datasets"]], seed), path)


def tables(name, game, challenges, seed):
    replicates = range(*game["replicates"])
    for challenge, design in product(challenges, game["designs"]):
        experiment = Experiment(name, game["settings"], challenge, design, seed=seed)
        what = f"{name} / {challenge.name} / {design}"
        progress = Progress(what, len(replicates), [sys.stderr, sys.__stderr__])
        yield played(experiment, replicates, progress=progress).table()


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    checksums.prepare(snakemake.input, snakemake.output)
    main(
        snakemake.input.data,
        snakemake.output.outcomes,
        games=snakemake.params.games,
        seed=snakemake.params.seed,
    )
    checksums.seal(snakemake.output)

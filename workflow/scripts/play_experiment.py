"""Play some replicates of an experiment on one data set under one design."""

import sys

from shakedown.data.store import load
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress
from shakedown.simulation.replicate import Experiment, play


def main(path_to_data, path_to_outcomes, *, experiment, design, settings, replicates, seed):
    game = Experiment(experiment, settings, load(path_to_data), design, seed=seed)
    tell = Progress(
        f"{experiment} / {game.challenge.name} / {design}",
        len(replicates),
        [sys.stderr, sys.__stderr__],
    )
    outcomes.write_parts([play(game, replicates, progress=tell)], path_to_outcomes)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.output.outcomes,
        experiment=snakemake.wildcards.experiment,
        design=snakemake.params.design,
        settings=snakemake.params.settings,
        replicates=range(*snakemake.params.replicates),
        seed=snakemake.params.seed,
    )

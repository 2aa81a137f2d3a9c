"""Play some replicates of an experiment on its data sets and designs."""

import sys
from itertools import product

from shakedown.data.store import load
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress
from shakedown.simulation.replicate import Experiment, play


def main(paths_to_data, path_to_outcomes, *, experiment, designs, settings, replicates, seed):
    outcomes.write_parts(
        (
            play(game, replicates, progress=progress(game, len(replicates)))
            for challenge, design in product(map(load, paths_to_data), designs)
            for game in [Experiment(experiment, settings, challenge, design, seed=seed)]
        ),
        path_to_outcomes,
    )


def progress(game, replicates):
    what = f"{game.name} / {game.challenge.name} / {game.design}"
    return Progress(what, replicates, [sys.stderr, sys.__stderr__])


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.output.outcomes,
        experiment=snakemake.wildcards.experiment,
        designs=snakemake.params.designs,
        settings=snakemake.params.settings,
        replicates=range(*snakemake.params.replicates),
        seed=snakemake.params.seed,
    )

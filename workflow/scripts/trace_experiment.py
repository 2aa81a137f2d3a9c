"""Trace every submission of an experiment's first replicates, on all its data sets and designs."""

import sys
from itertools import product

from shakedown.data import checksums
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.replicate import Experiment, traced


def main(paths_to_data, path_to_trace, *, experiment, designs, settings, replicates, seed):
    write_tables(
        (
            traced(game, replicate).table()
            for challenge, design in product(map(load, paths_to_data), designs)
            for game in [Experiment(experiment, settings, challenge, design, seed=seed)]
            for replicate in range(replicates)
        ),
        path_to_trace,
    )


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    checksums.prepare(snakemake.input, snakemake.output)
    main(
        snakemake.input.data,
        snakemake.output.trace,
        experiment=snakemake.wildcards.experiment,
        designs=snakemake.params.designs,
        settings=snakemake.params.settings,
        replicates=snakemake.params.replicates,
        seed=snakemake.params.seed,
    )
    checksums.seal(snakemake.output)

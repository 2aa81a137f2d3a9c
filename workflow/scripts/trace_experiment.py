"""Trace every submission of replicate 0 of an experiment, on all its data sets and designs."""

import sys
from itertools import product

import pandas as pd

from shakedown import outcomes
from shakedown.datasets.store import load
from shakedown.replicate import Experiment, trace


def main(paths_to_data, path_to_trace, *, experiment, designs, settings, seed):
    traces = [
        trace(Experiment(experiment, settings, challenge, design, seed=seed), replicate=0)
        for challenge, design in product(map(load, paths_to_data), designs)
    ]
    joined = pd.concat(traces, ignore_index=True)
    outcomes.write(outcomes.typed(joined), path_to_trace)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.output.trace,
        experiment=snakemake.wildcards.experiment,
        designs=snakemake.params.designs,
        settings=snakemake.params.settings,
        seed=snakemake.params.seed,
    )

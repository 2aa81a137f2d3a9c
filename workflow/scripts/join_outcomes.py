"""Join the chunks of an experiment into one table, check it, and summarise it."""

import sys
from itertools import product

import pandas as pd

from shakedown.leaderboard.mechanism import with_parameters
from shakedown.simulation import outcomes
from shakedown.simulation.parts import read_part


def main(paths_to_chunks, path_to_outcomes, path_to_summary, *, settings):
    outcomes.join(paths_to_chunks, path_to_outcomes)
    # One data set and design at a time: all outcomes together may need more than a gigabyte.
    parts = [
        outcomes.summarise(read_part(path_to_outcomes, dataset=dataset, design=design))
        for dataset, design in product(settings["datasets"], settings["designs"])
    ]
    outcomes.write(with_parameters(outcomes.typed(pd.concat(parts))), path_to_summary)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.chunks,
        snakemake.output.outcomes,
        snakemake.output.summary,
        settings=snakemake.params.settings,
    )

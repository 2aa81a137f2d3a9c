"""Summarise the outcomes of an experiment over its replicates."""

import sys
from itertools import product

import pandas as pd

from shakedown import outcomes
from shakedown.parts import read_part


def main(path_to_outcomes, path_to_summary, *, datasets, designs):
    # One data set and design at a time: all outcomes together may need more than a gigabyte.
    parts = [
        outcomes.summarise(read_part(path_to_outcomes, dataset=dataset, design=design))
        for dataset, design in product(datasets, designs)
    ]
    outcomes.write(outcomes.typed(pd.concat(parts)), path_to_summary)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.outcomes,
        snakemake.output.summary,
        datasets=snakemake.params.settings["datasets"],
        designs=snakemake.params.settings["designs"],
    )

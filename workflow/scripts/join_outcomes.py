"""Join the chunks of an experiment into one table, held against its schema, and summarise it."""

import sys
from itertools import product

import pandas as pd

from shakedown import outcomes
from shakedown.parts import read_part


def main(paths_to_chunks, path_to_outcomes, path_to_summary, *, schema, settings):
    outcomes.join(paths_to_chunks, path_to_outcomes, schema)
    # One data set and design at a time: all outcomes together may need more than a gigabyte.
    parts = [
        outcomes.summarise(read_part(path_to_outcomes, dataset=dataset, design=design))
        for dataset, design in product(settings["datasets"], settings["designs"])
    ]
    outcomes.write(outcomes.typed(pd.concat(parts)), path_to_summary)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.chunks,
        snakemake.output.outcomes,
        snakemake.output.summary,
        schema=snakemake.params.schema,
        settings=snakemake.params.settings,
    )

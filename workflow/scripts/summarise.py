"""Summarise the outcomes of an experiment over its replicates."""

import sys

import pandas as pd

from shakedown import outcomes


def main(path_to_outcomes, path_to_summary):
    frame = pd.read_parquet(path_to_outcomes)
    outcomes.write(outcomes.summarise(frame), path_to_summary)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(snakemake.input.outcomes, snakemake.output.summary)

"""Compare boards with one number of public rows and one of submissions."""

import sys

from shakedown.comparison.cell import compare
from shakedown.comparison.settings import ComparisonEntry
from shakedown.data.job import job
from shakedown.simulation import outcomes


def main(path_to_cell, *, rows, submissions, settings, seed):
    table = compare(rows, submissions, settings, seed=seed, tell=sys.stderr)
    outcomes.write(table, path_to_cell)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.output.cell,
            rows=int(snakemake.wildcards.rows),
            submissions=int(snakemake.wildcards.submissions),
            settings=ComparisonEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

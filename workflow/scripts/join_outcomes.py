"""Join the chunks of an experiment into one table."""

import sys

from shakedown.data import checksums
from shakedown.simulation import outcomes


def main(paths_to_chunks, path_to_outcomes):
    outcomes.join(paths_to_chunks, path_to_outcomes)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    checksums.prepare(snakemake.input, snakemake.output)
    main(snakemake.input.chunks, snakemake.output.outcomes)
    checksums.seal(snakemake.output)

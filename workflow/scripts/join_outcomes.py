"""Join the chunks of an experiment into one table, held against its schema."""

import sys

from shakedown import outcomes

if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    outcomes.join(snakemake.input.chunks, snakemake.output.outcomes, snakemake.params.schema)

"""Join the chunks of an experiment into one table."""

from shakedown.data.job import job
from shakedown.simulation import outcomes


def main(paths_to_chunks, path_to_outcomes):
    outcomes.join(paths_to_chunks, path_to_outcomes)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input.chunks, snakemake.output.outcomes)

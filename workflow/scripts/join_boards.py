"""Join the tables of all cells of a comparison of boards."""

import pandas as pd

from shakedown.data.job import job
from shakedown.simulation import outcomes


def main(paths_to_cells, path_to_boards):
    outcomes.write(pd.concat(map(outcomes.read, paths_to_cells)), path_to_boards)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input.cells, snakemake.output.boards)

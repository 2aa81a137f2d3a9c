"""Compare the leaderboard error that theory guarantees with the one that attacks reached."""

import pandas as pd

from shakedown.data.job import job
from shakedown.leaderboard.settings import with_parameters
from shakedown.simulation import outcomes
from shakedown.theory.bounds import compare


def main(paths_to_outcomes, path_to_bounds, paths_to_tables, *, rows, delta):
    parts = []
    for path, path_to_table in zip(paths_to_outcomes, paths_to_tables, strict=True):
        parts.append(compare(outcomes.typed(outcomes.read(path)), rows, delta=delta))
        outcomes.write(parts[-1], path_to_table)
    outcomes.write(with_parameters(pd.concat(parts)), path_to_bounds)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.outcomes,
            snakemake.output.bounds,
            snakemake.output.tables,
            rows=snakemake.params.rows,
            delta=snakemake.params.delta,
        )

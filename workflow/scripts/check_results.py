"""Check the tables of every experiment."""

import sys

import pandas as pd

from shakedown.simulation import outcomes
from shakedown.simulation.result_checks import check_results


def main(paths_to_outcomes, paths_to_summaries, path_to_checks, *, experiments):
    checks = [
        check_results(table, summary, experiment=name, settings=settings)
        for (name, settings), table, summary in zip(
            experiments.items(), paths_to_outcomes, paths_to_summaries, strict=True
        )
    ]
    outcomes.write(pd.concat(checks), path_to_checks)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.outcomes,
        snakemake.input.summaries,
        snakemake.output.checks,
        experiments=snakemake.params.experiments,
    )

"""Check the tables of an experiment."""

import sys

from shakedown import outcomes
from shakedown.consistency import check_results


def main(path_to_outcomes, path_to_summary, path_to_checks, *, experiment, schema, settings):
    checks = check_results(
        path_to_outcomes, path_to_summary, schema, experiment=experiment, settings=settings
    )
    outcomes.write(checks, path_to_checks)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.outcomes,
        snakemake.input.summary,
        snakemake.output.checks,
        experiment=snakemake.wildcards.experiment,
        schema=snakemake.params.schema,
        settings=snakemake.params.settings,
    )

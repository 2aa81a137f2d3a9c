"""Check and summarise the outcomes of every experiment, and list the settings in them."""

import pandas as pd

from shakedown.data.job import job
from shakedown.leaderboard.settings import settings_in, settings_table, with_parameters
from shakedown.simulation import outcomes
from shakedown.simulation.result_checks import checked_parts


def main(paths_to_outcomes, paths_to_summaries, path_to_checks, path_to_settings, *, experiments):
    checks, summaries = [], []
    for (name, settings), path, path_to_summary in zip(
        experiments.items(), paths_to_outcomes, paths_to_summaries, strict=True
    ):
        parts = []
        for frame, check in checked_parts(path, experiment=name, **settings):
            checks.append(check)
            parts.append(outcomes.summarise(frame))
        summaries.append(outcomes.typed(pd.concat(parts)))
        outcomes.write(with_parameters(summaries[-1]), path_to_summary)
    outcomes.write(pd.DataFrame(checks), path_to_checks)
    outcomes.write(settings_table(settings_in(pd.concat(summaries))), path_to_settings)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.outcomes,
            snakemake.output.summaries,
            snakemake.output.checks,
            snakemake.output.settings,
            experiments=snakemake.params.experiments,
        )

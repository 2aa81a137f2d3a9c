"""Write down how far each attack got against each leaderboard, and what is proved of it."""

import pandas as pd

from shakedown.data.job import job
from shakedown.figures import FIGURE_KINDS
from shakedown.simulation import outcomes
from shakedown.simulation.parts import read_part


def main(paths_to_outcomes, path_to_threats, *, settings):
    kind = FIGURE_KINDS.find(settings["kind"])
    figure = kind(**{key: settings[key] for key in kind.model_fields if key in settings})
    parts = [
        read_part(path, dataset=dataset)
        for path in paths_to_outcomes
        for dataset in settings["dataset"]
    ]
    outcomes.write(figure.numbers(pd.concat(parts)), path_to_threats)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input.tables, snakemake.output.threats, settings=snakemake.params.settings)

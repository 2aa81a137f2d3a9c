"""Draw the figures of a dry run or of a replay, with their captions."""

import json
from pathlib import Path

from shakedown.data.job import job
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.pages import draw_files, figures_of
from shakedown.figures.replay.figure import REPLAY_FIGURES
from shakedown.replay.grouping import read_table

FIGURES = {"dryrun": DRY_RUN_FIGURES, "replay": REPLAY_FIGURES}


def main(paths_to_tables, paths_to_svgs, *, purpose, settings, study, seed):
    given = settings | settings.get("analyses", {})
    tables = {
        name: json.loads(Path(path).read_text("utf-8"))
        if path.endswith(".json")
        else read_table(path)
        for name, path in paths_to_tables.items()
    }
    figures = figures_of(FIGURES[purpose], given)
    draw_files(figures, tables, paths_to_svgs, study=study, seed=seed)


if __name__ == "__main__":
    with job(snakemake):
        main(
            dict(snakemake.input.items()),
            snakemake.output.svgs,
            purpose=snakemake.params.purpose,
            settings=snakemake.params.settings,
            study=snakemake.params.study,
            seed=snakemake.params.seed,
        )

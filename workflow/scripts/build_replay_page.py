"""Write the page of a replay."""

from pathlib import Path

import yaml

from shakedown.data.job import job
from shakedown.figures.replay.figure import REPLAY_FIGURES
from shakedown.provenance import versions
from shakedown.replay.grouping import read_table
from shakedown.replay.log import dropped_teams, load
from shakedown.report.pictures import figure_cards
from shakedown.report.replay import READ, ReplayContent, render_replay

TITLES = {name: figure.label for name, figure in REPLAY_FIGURES.classes.items()}
PACKAGES = ("numpy", "scipy", "numba", "pandas", "matplotlib")


def main(files, path_to_page, *, config, command):
    log = load(files.log)
    of_log = {"messages": log.messages, "dropped_teams": dropped_teams(log)}
    content = ReplayContent(
        study=config["study"],
        seed=config["seed"],
        metric=config["replay"]["metric"],
        sizes={
            "public": int(log.public.sum()),
            "private": int((~log.public).sum()),
            "submissions": len(log.submissions),
            "teams": log.submissions["team"].nunique(),
        },
        tables={name: read_table(files[name]) for name in READ if name not in of_log} | of_log,
        figures=figure_cards(files.svgs, TITLES, command),
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )
    Path(path_to_page).write_text(render_replay(content), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.page,
            config=snakemake.params.config,
            command=snakemake.params.command,
        )

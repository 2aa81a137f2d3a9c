"""Write the page of a replay."""

import sys
from pathlib import Path

import yaml

from shakedown.provenance import versions
from shakedown.replay.grouping import read_table
from shakedown.replay.log import load
from shakedown.report import ReplayContent, figure_cards, render_replay
from shakedown.report.replay import READ

TITLES = {
    "replay_ranks": "Places on every board",
    "replay_scores": "What each board reported of the best submissions",
    "replay_error": "Reported minus private scores over time",
    "replay_splits": "Public and private scores, and fresh splits",
    "replay_rungs": "What the teams in front were shown",
}
PACKAGES = ("numpy", "scipy", "numba", "pandas", "matplotlib")


def main(files, path_to_page, *, config, command):
    log = load(files.log)
    wide, narrow = figure_cards(files.svgs, files.pngs, files.captions, TITLES, command)
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
        tables={name: read_table(files[name]) for name in READ if name != "messages"}
        | {"messages": log.messages},
        figures=wide,
        narrow=narrow,
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )
    Path(path_to_page).write_text(render_replay(content), encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.page,
        config=snakemake.params.config,
        command=snakemake.params.command,
    )

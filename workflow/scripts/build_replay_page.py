"""Write the page of a replay."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.replay.grouping import read_table
from shakedown.replay.log import load
from shakedown.report.replay import FROM_FILES, content_of, render_replay


def main(files, path_to_page, *, config, command):
    content = content_of(
        load(files.log),
        config,
        tables={name: read_table(files[name]) for name in FROM_FILES},
        svgs=files.svgs,
        command=command,
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

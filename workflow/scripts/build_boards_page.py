"""Write the page of a comparison of boards."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.report.boards import content_of, render_boards
from shakedown.simulation import outcomes


def main(files, path_to_page, *, config):
    content = content_of(outcomes.read(files.boards), config, svgs=files.svgs)
    Path(path_to_page).write_text(render_boards(content), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.output.page, config=snakemake.params.config)

"""Write the page of a dry run."""

import json
from pathlib import Path

from shakedown.cli.dryrun import typed_again
from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.report.dryrun import content_of, render_dryrun
from shakedown.simulation import outcomes


def main(files, path_to_page, *, config, command, config_path):
    recommendation = json.loads(Path(files.recommendation).read_text("utf-8"))
    content = content_of(
        load(files.data),
        config,
        recommendation=recommendation,
        limits=outcomes.typed(outcomes.read(files.limits)),
        frontier=outcomes.typed(outcomes.read(files.frontier)),
        svgs=files.svgs,
        jobs=[json.loads(Path(path).read_text("utf-8")) for path in files.stopped],
        command=command,
        config_path=config_path,
        longer=typed_again(config, **recommendation["longer"]) if recommendation["longer"] else "",
        planner=f"shakedown design --dryrun results/{config['study']}",
    )
    Path(path_to_page).write_text(render_dryrun(content), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.page,
            config=snakemake.params.config,
            command=snakemake.params.command,
            config_path=snakemake.params.config_path,
        )

"""Write the page of a dry run."""

import json
from pathlib import Path

import yaml

from shakedown.cli.dryrun import typed_again
from shakedown.data.job import job
from shakedown.data.splits import set_sizes
from shakedown.data.store import load
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.provenance import versions
from shakedown.report.dryrun import DryRunContent, render_dryrun
from shakedown.report.pictures import figure_cards
from shakedown.simulation import outcomes

TITLES = {name: figure.label for name, figure in DRY_RUN_FIGURES.classes.items()}
PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")


def main(files, path_to_page, *, config, command, config_path):
    challenge = load(files.data)
    recommendation = json.loads(Path(files.recommendation).read_text("utf-8"))
    content = DryRunContent(
        study=config["study"],
        dataset=challenge.name,
        seed=config["seed"],
        n_features=len(challenge.features),
        sizes=set_sizes(challenge),
        settings=config["dryrun"],
        recommendation=recommendation,
        limits=outcomes.typed(outcomes.read(files.limits)),
        frontier=outcomes.typed(outcomes.read(files.frontier)),
        figures=figure_cards(files.svgs, TITLES, command),
        notes=challenge.notes,
        jobs=[
            {"job": job, **json.loads(Path(path).read_text("utf-8"))}
            for job, path in enumerate(files.stopped)
        ],
        config_path=config_path,
        longer=typed_again(config, **recommendation["longer"]) if recommendation["longer"] else "",
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
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

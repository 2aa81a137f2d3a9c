"""Write the report, one page that needs nothing else."""

from pathlib import Path

import pandas as pd
import yaml

from shakedown.attacks.attack import sizes
from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.provenance import versions
from shakedown.report.page import ReportContent, render
from shakedown.report.pictures import figure_cards
from shakedown.simulation import outcomes

PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "ruptures", "matplotlib")


def main(files, path_to_page, *, config, command):
    titles = {id: of["title"] or id for id, of in config["figures"].items()}
    limits = {id: of for id, of in config["figures"].items() if of["kind"] == "limits"}
    first = next(iter(limits), "")
    maps = [id for id, of in config["figures"].items() if of["kind"] == "threat_map"]
    answers = ("claims", "sensitivity", "bounds", "threats")
    content = ReportContent(
        study=config["study"],
        seed=config["seed"],
        summary=outcomes.typed(pd.concat(map(outcomes.read, files.summaries))),
        attacks=[
            attack for of in config["experiments"].values() for _, attack in sizes(of["attack"])
        ],
        figures=figure_cards(files.svgs, titles, command),
        limits_figure=first,
        threats_figure=next(iter(maps), ""),
        **({"threshold": limits[first]["threshold"]} if first else {}),
        checks=outcomes.read(files.checks),
        data_notes={challenge.name: challenge.notes for challenge in map(load, files.data)},
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
        **{name: outcomes.read(files[name]) for name in answers if files.get(name)},
    )
    Path(path_to_page).write_text(render(content), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.page,
            config=snakemake.params.config,
            command=snakemake.params.command,
        )

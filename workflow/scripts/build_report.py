"""Write the report, one page that needs nothing else."""

import sys
from pathlib import Path

import pandas as pd
import yaml

from shakedown.attacks.attack import sizes
from shakedown.data.store import load
from shakedown.provenance import versions
from shakedown.report.page import ReportContent, render
from shakedown.report.pictures import FigureCard
from shakedown.simulation import outcomes

PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "ruptures", "matplotlib")


def main(files, path_to_page, *, config, command):
    drawn = zip(config["figures"].items(), files.captions, files.svgs, files.pngs, strict=True)
    limits = {id: of for id, of in config["figures"].items() if of["kind"] == "limits"}
    first = next(iter(limits), "")
    answers = ("claims", "sensitivity", "bounds")
    content = ReportContent(
        study=config["study"],
        seed=config["seed"],
        summary=outcomes.typed(pd.concat(map(pd.read_csv, files.summaries))),
        attacks=[one for of in config["experiments"].values() for _, one in sizes(of["attack"])],
        figures=[
            FigureCard(
                id,
                of["title"] or id,
                Path(caption).read_text("utf-8"),
                *pictures,
                f"{command} {id}",
            )
            for (id, of), caption, *pictures in drawn
        ],
        limits_figure=first,
        **({"threshold": limits[first]["threshold"]} if first else {}),
        checks=pd.read_csv(files.checks),
        data_notes={challenge.name: challenge.notes for challenge in map(load, files.data)},
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
        **{name: pd.read_csv(files[name]) for name in answers if files.get(name)},
    )
    Path(path_to_page).write_text(render(content), encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.page,
        config=snakemake.params.config,
        command=snakemake.params.command,
    )

"""Write the report, one page that needs nothing else."""

import sys
from pathlib import Path

import pandas as pd
import yaml

from shakedown import bounds, outcomes
from shakedown.datasets.store import load
from shakedown.provenance import versions
from shakedown.report import FigureCard, ReportContent, TableCard, headline, key_results, render
from shakedown.sensitivity import side_by_side

PLAYED = "A row per experiment, data set and design."
PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "ruptures", "matplotlib")


def main(files, path_to_page, *, config, command):
    summary = outcomes.typed(pd.concat(map(pd.read_csv, files.summaries)))
    figures = zip(config["figures"].items(), files.captions, files.svgs, files.pngs, strict=True)
    challenges = list(map(load, files.data))
    claims = pd.read_csv(files.claims) if files.get("claims") else None
    content = ReportContent(
        study=config["study"],
        seed=config["seed"],
        headline=headline(summary, rows={data.name: len(data.y) for data in challenges}),
        key_results=key_results(summary),
        figures=[
            FigureCard(
                id,
                of["title"] or id,
                Path(told).read_text("utf-8"),
                *drawn,
                f"{command} {id}",
                None if claims is None else claims[claims["figure"] == id],
            )
            for (id, of), told, *drawn in figures
        ],
        tables=[
            TableCard(
                "What was played and checked",
                "A row per data set and design.",
                pd.read_csv(files.checks),
            )
        ],
        data_notes={challenge.name: challenge.notes for challenge in challenges},
        versions=versions(PACKAGES),
        claims=claims,
        sensitivity=open_questions(files.get("sensitivity")),
        bounds=guarantees(files.get("bounds")),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )
    Path(path_to_page).write_text(render(content), encoding="utf-8")


def open_questions(path_to_sensitivity):
    if not path_to_sensitivity:
        return []
    questions = outcomes.typed(pd.read_csv(path_to_sensitivity)).groupby("question", sort=False)
    return [TableCard(question, "", side_by_side(rows)) for question, rows in questions]


def guarantees(path_to_bounds):
    if not path_to_bounds:
        return None
    rows = outcomes.typed(pd.read_csv(path_to_bounds))
    return TableCard("What theory guarantees", bounds.explained(rows), bounds.largest_attacks(rows))


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.page,
        config=snakemake.params.config,
        command=snakemake.params.command,
    )

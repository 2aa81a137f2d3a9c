"""Write the page of a dry run."""

import json
import sys
from pathlib import Path

import pandas as pd
import yaml

from shakedown.datasets.store import load
from shakedown.outcomes import typed
from shakedown.provenance import versions
from shakedown.report import DryRunContent, figure_cards, render_dryrun
from shakedown.splits import set_sizes

TITLES = {
    "safe_limits": "How many submissions are safe",
    "frontier_split": "How an attacker would spend them",
    "protection": "Protection against usefulness",
    "acceptance": "What an honest participant gets to see",
}
PACKAGES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")


def main(files, path_to_page, *, config, command):
    challenge = load(files.data)
    wide, narrow = figure_cards(files.svgs, files.pngs, files.captions, TITLES, command)
    content = DryRunContent(
        study=config["study"],
        dataset=challenge.name,
        seed=config["seed"],
        n_features=len(challenge.features),
        sizes=set_sizes(challenge),
        settings=config["dryrun"],
        recommendation=json.loads(Path(files.recommendation).read_text("utf-8")),
        limits=typed(pd.read_csv(files.limits)),
        frontier=typed(pd.read_csv(files.frontier)),
        figures=wide,
        narrow=narrow,
        notes=challenge.notes,
        lanes=[
            {"lane": lane, **json.loads(Path(path).read_text("utf-8"))}
            for lane, path in enumerate(files.stopped)
        ],
        versions=versions(PACKAGES),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )
    Path(path_to_page).write_text(render_dryrun(content), encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.page,
        config=snakemake.params.config,
        command=snakemake.params.command,
    )

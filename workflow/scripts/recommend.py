"""Recommend a leaderboard and a number of submissions."""

import json
import sys
from pathlib import Path

import pandas as pd

from shakedown.data.splits import set_sizes
from shakedown.data.store import load
from shakedown.dryrun.plan import tolerated, unit
from shakedown.dryrun.recommendation import recommend
from shakedown.metrics import find
from shakedown.simulation.outcomes import typed


def main(files, path_to_recommendation, *, settings):
    challenge = load(files.data)
    found = recommend(
        typed(pd.read_csv(files.limits)),
        typed(pd.read_csv(files.utility)),
        settings=settings,
        threshold=tolerated(challenge, settings)[0],
        unit=unit(challenge, find(settings["metric"])),
        n_public=set_sizes(challenge)["public"],
        frontier=typed(pd.read_csv(files.frontier)),
        leaks=challenge.leaks,
        n_features=len(challenge.features),
    )
    text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
    Path(path_to_recommendation).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.recommendation,
        settings=snakemake.params.settings,
    )

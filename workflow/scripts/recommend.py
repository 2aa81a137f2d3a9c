"""Recommend a leaderboard and a number of submissions."""

import json
import sys
from pathlib import Path

import pandas as pd

from shakedown.datasets.store import load
from shakedown.dryrun.plan import tolerated
from shakedown.metrics import find
from shakedown.outcomes import typed
from shakedown.recommendation import recommend, unit_words
from shakedown.splits import set_sizes


def main(path_to_data, path_to_limits, path_to_utility, path_to_recommendation, *, settings):
    challenge = load(path_to_data)
    found = recommend(
        typed(pd.read_csv(path_to_limits)),
        typed(pd.read_csv(path_to_utility)),
        settings=settings,
        threshold=tolerated(challenge, settings)[0],
        unit_name=unit_words(find(settings["metric"]).degree),
        n_public=set_sizes(challenge)["public"],
    )
    text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
    Path(path_to_recommendation).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.input.limits,
        snakemake.input.utility,
        snakemake.output.recommendation,
        settings=snakemake.params.settings,
    )

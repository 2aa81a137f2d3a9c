"""Recommend a leaderboard and a number of submissions."""

import json
from pathlib import Path

from shakedown.data.job import job
from shakedown.data.splits import set_sizes
from shakedown.data.store import load
from shakedown.dryrun.recommendation import recommend
from shakedown.dryrun.thresholds import tolerated, unit
from shakedown.metrics import find
from shakedown.simulation import outcomes


def main(files, path_to_recommendation, *, settings):
    challenge = load(files.data)
    recommendation = recommend(
        outcomes.typed(outcomes.read(files.limits)),
        outcomes.typed(outcomes.read(files.utility)),
        settings=settings,
        threshold=tolerated(challenge, settings)[0],
        unit=unit(challenge, find(settings["metric"])),
        n_public=set_sizes(challenge)["public"],
        frontier=outcomes.typed(outcomes.read(files.frontier)),
        leaks=challenge.leaks,
        n_features=len(challenge.features),
    )
    text = json.dumps(recommendation, indent=2, ensure_ascii=False, allow_nan=False)
    Path(path_to_recommendation).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.recommendation,
            settings=snakemake.params.settings,
        )

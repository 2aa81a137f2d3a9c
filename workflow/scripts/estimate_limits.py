"""Estimate how many submissions are safe, and how an attacker would spend them best."""

import sys

import pandas as pd

from shakedown import outcomes
from shakedown.datasets.store import load
from shakedown.dryrun.plan import in_own_unit, tolerated, unit
from shakedown.frontier import frontier
from shakedown.limits import safe_submissions
from shakedown.metrics import find


def main(path_to_data, paths_to_lanes, path_to_limits, path_to_frontier, *, settings):
    challenge, metric = load(path_to_data), find(settings["metric"])
    played = pd.concat(map(pd.read_parquet, paths_to_lanes), ignore_index=True)
    curve = frontier(
        outcomes.typed(played),
        quantile=settings["quantile"],
        unit=unit(challenge, metric),
        also=[settings["submissions"]],
    )
    curve = in_own_unit(curve, challenge, metric)
    outcomes.write(curve, path_to_frontier)
    outcomes.write(safe_submissions(curve, tolerated(challenge, settings)), path_to_limits)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.input.lanes,
        snakemake.output.limits,
        snakemake.output.frontier,
        settings=snakemake.params.settings,
    )

"""Estimate how many submissions are safe, and how an attacker would spend them best."""

import pandas as pd

from shakedown.data.job import job
from shakedown.data.splits import set_sizes
from shakedown.data.store import load
from shakedown.dryrun.bootstrap import upper_ends
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.dryrun.plan import baseline_score, in_own_unit
from shakedown.dryrun.proof import with_proofs
from shakedown.dryrun.thresholds import tolerated, unit
from shakedown.dryrun.unattacked import (
    attacked_only,
    is_idle,
    unattacked,
    with_unattacked,
)
from shakedown.leaderboard.settings import settings_in, settings_table, with_parameters
from shakedown.metrics import find
from shakedown.simulation import outcomes


def main(
    path_to_data,
    paths_to_jobs,
    path_to_limits,
    path_to_frontier,
    path_to_settings,
    *,
    settings,
    seed,
):
    challenge, metric = load(path_to_data), find(settings["metric"])
    played = outcomes.typed(pd.concat(map(outcomes.read, paths_to_jobs), ignore_index=True))
    how = {
        "quantile": settings["quantile"],
        "unit": unit(challenge, metric),
        "also": [settings["submissions"]],
        "accounts": settings["accounts"],
    }
    n_public, thresholds = set_sizes(challenge)["public"], tolerated(challenge, settings)
    idle = is_idle(played, n_public)
    missing, played = unattacked(played, idle), played[~idle]
    curve = attacked_only(frontier(played, **how), missing)
    upper = upper_ends(played, thresholds, **how, seed=seed)
    limits = safe_submissions(curve, thresholds, upper)
    limits = with_proofs(
        with_unattacked(limits, missing, thresholds, settings["quantile"], n_public),
        n_public=n_public,
        unit=unit(challenge, metric),
        accounts=settings["accounts"],
        start=baseline_score(challenge, metric),
    )
    curve, limits = (in_own_unit(table, challenge, metric) for table in (curve, limits))
    outcomes.write(with_parameters(curve), path_to_frontier)
    outcomes.write(with_parameters(limits), path_to_limits)
    outcomes.write(settings_table(settings_in(limits)), path_to_settings)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.input.jobs,
            snakemake.output.limits,
            snakemake.output.frontier,
            snakemake.output.settings,
            settings=snakemake.params.settings,
            seed=snakemake.params.seed,
        )

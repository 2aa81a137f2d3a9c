"""Measure how well each board serves honest participants."""

import sys

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.dryrun.plan import entries, in_own_unit
from shakedown.dryrun.thresholds import thresholds, unit
from shakedown.dryrun.usefulness.measure import measure
from shakedown.dryrun.usefulness.teams import Participation
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress


def main(path_to_data, path_to_utility, path_to_acceptance, *, settings, seed):
    challenge, metric = load(path_to_data), find(settings["metric"])
    replicates = settings["honest_replicates"]
    tell = Progress(
        f"honest participants / {challenge.name}", 2 * replicates, [sys.stderr, sys.__stderr__]
    )
    utility, acceptance = measure(
        challenge,
        settings,
        mechanisms(entries(challenge, settings)),
        Participation(settings["submissions"], threshold=thresholds(challenge, settings)[0]),
        replicates=replicates,
        seed=seed,
        unit=unit(challenge, metric),
        progress=tell,
    )
    for table, path in ((utility, path_to_utility), (acceptance, path_to_acceptance)):
        outcomes.write(with_parameters(in_own_unit(table, challenge, metric)), path)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.utility,
            snakemake.output.acceptance,
            settings=snakemake.params.settings,
            seed=snakemake.params.seed,
        )

"""Measure how well each board serves honest participants, and how often the best of them wins."""

import sys

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.usefulness.serving import parts, serve
from shakedown.final_rows.of_dryrun import final_rows
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress


def main(path_to_data, path_to_utility, path_to_acceptance, path_to_final_rows, *, settings, seed):
    challenge = load(path_to_data)
    label = f"honest participants / {challenge.name}"
    tell = Progress(label, parts(settings), [sys.stderr, sys.__stderr__], called="play")
    utility, acceptance = serve(challenge, settings, seed=seed, progress=tell)
    outcomes.write(utility, path_to_utility)
    outcomes.write(acceptance, path_to_acceptance)
    outcomes.write(final_rows(challenge, settings, seed=seed), path_to_final_rows)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.utility,
            snakemake.output.acceptance,
            snakemake.output.final_rows,
            settings=DryRunEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

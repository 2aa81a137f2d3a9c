"""Play attacks against the boards of a dry run, on one job of replicates."""

import json
import sys
from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.dryrun.playing import play_share, shares
from shakedown.dryrun.settings import DryRunEntry
from shakedown.simulation import outcomes
from shakedown.simulation.progress import Progress


def main(path_to_data, path_to_outcomes, path_to_stopped, *, settings, job, seconds, seed):
    challenge = load(path_to_data)
    fewest, most = shares(settings)
    tell = Progress(
        f"{challenge.name}, job {job}",
        most,
        [sys.stderr, sys.__stderr__],
        fewest=fewest,
        seconds=seconds,
        called="play",
    )
    played, stopped = play_share(
        challenge, settings, job=job, seconds=seconds, seed=seed, progress=tell
    )
    outcomes.write(played, path_to_outcomes)
    Path(path_to_stopped).write_text(f"{json.dumps(stopped)}\n", encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.outcomes,
            snakemake.output.stopped,
            settings=DryRunEntry.part(snakemake.params.settings),
            job=int(snakemake.wildcards.job),
            seconds=snakemake.resources.seconds,
            seed=snakemake.params.seed,
        )

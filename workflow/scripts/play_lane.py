"""Play attacks against the boards of a dry run, on one lane of replicates."""

import json
import sys
from pathlib import Path

from shakedown import outcomes
from shakedown.datasets.store import load
from shakedown.dryrun.lanes import play_lane, shares
from shakedown.progress import Progress


def main(path_to_data, path_to_outcomes, path_to_stopped, *, settings, lane, seconds, seed):
    challenge = load(path_to_data)
    fewest, most = shares(settings)
    tell = Progress(
        f"{challenge.name}, lane {lane}",
        most,
        [sys.stderr, sys.__stderr__],
        fewest=fewest,
        seconds=seconds,
    )
    played, stopped = play_lane(
        challenge, settings, lane=lane, seconds=seconds, seed=seed, progress=tell
    )
    outcomes.write(played, path_to_outcomes)
    Path(path_to_stopped).write_text(f"{json.dumps(stopped)}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.data,
        snakemake.output.outcomes,
        snakemake.output.stopped,
        settings=snakemake.params.settings,
        lane=int(snakemake.wildcards.lane),
        seconds=snakemake.resources.seconds,
        seed=snakemake.params.seed,
    )

"""Replay a submission log on every leaderboard."""

import sys

from shakedown import outcomes
from shakedown.metrics import find
from shakedown.replay import games
from shakedown.replay.boards import boards_of
from shakedown.replay.log import load


def main(path_to_log, path_to_seen, path_to_standings, *, settings, seed):
    log, metric = load(path_to_log), find(settings["metric"])
    seen = games.play(log, metric, boards_of(settings, log), settings["boards"], seed=seed)
    outcomes.write(seen, path_to_seen)
    outcomes.write(games.standings(seen, metric), path_to_standings)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.log,
        snakemake.output.seen,
        snakemake.output.standings,
        settings=snakemake.params.settings,
        seed=snakemake.params.seed,
    )

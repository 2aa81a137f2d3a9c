"""Replay a submission log on every leaderboard."""

from shakedown.data.job import job
from shakedown.leaderboard.settings import settings_table
from shakedown.metrics import find
from shakedown.replay import games
from shakedown.replay.boards import boards_of
from shakedown.replay.grouping import write_table
from shakedown.replay.log import load
from shakedown.replay.settings import ReplayEntry
from shakedown.simulation import outcomes


def main(path_to_log, path_to_seen, path_to_standings, path_to_settings, *, settings, seed):
    log, metric = load(path_to_log), find(settings.metric)
    mechanisms = boards_of(settings, log)
    seen = games.play(log, metric, mechanisms, settings.boards, seed=seed)
    write_table(seen, path_to_seen)
    write_table(games.standings(seen, metric), path_to_standings)
    outcomes.write(settings_table(mechanisms), path_to_settings)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.log,
            snakemake.output.seen,
            snakemake.output.standings,
            snakemake.output.settings,
            settings=ReplayEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

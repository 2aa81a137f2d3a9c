"""Compare what the leaderboards of a replay showed, with each other and with the private scores."""

from shakedown.data.job import job
from shakedown.metrics import find
from shakedown.replay.analyses import analyse
from shakedown.replay.grouping import read_table, write_table
from shakedown.replay.log import load
from shakedown.replay.settings import ReplayEntry
from shakedown.simulation import outcomes


def main(path_to_log, path_to_seen, path_to_standings, paths_to_tables, *, settings, seed):
    tables = analyse(
        load(path_to_log),
        find(settings.metric),
        outcomes.read(path_to_seen),
        read_table(path_to_standings),
        sizes=settings.analyses,
        seed=seed,
        rank_by=settings.rank_by,
        rank_ties=settings.rank_ties,
        winner=settings.winner,
    )
    for name, path in paths_to_tables.items():
        write_table(tables[name], path)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.log,
            snakemake.input.seen,
            snakemake.input.standings,
            dict(snakemake.output.items()),
            settings=ReplayEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

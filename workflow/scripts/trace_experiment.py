"""Trace every submission of experiments' first replicates, on all their data sets and designs."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.replicate import experiments, traced


def main(paths_to_data, paths_to_traces, *, games, seed):
    challenges = {Path(path).stem: load(path) for path in paths_to_data}
    for (name, game), path in zip(games.items(), paths_to_traces, strict=True):
        write_tables(tables(name, game, challenges, seed), path)


def tables(name, game, challenges, seed):
    for experiment in experiments(name, game, challenges, seed=seed):
        for replicate in range(game["replicates"]):
            yield traced(experiment, replicate).table()


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.traces,
            games=snakemake.params.games,
            seed=snakemake.params.seed,
        )

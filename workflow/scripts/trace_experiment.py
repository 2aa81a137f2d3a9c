"""Trace every submission of experiments' first replicates, on all their data sets and designs."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.simulation.columns import write_tables
from shakedown.simulation.replicate import Part, experiments
from shakedown.simulation.tracing import traced


def main(paths_to_data, paths_to_traces, *, parts, seed):
    challenges = {Path(path).stem: load(path) for path in paths_to_data}
    for (name, part), path in zip(parts.items(), paths_to_traces, strict=True):
        write_tables(tables(name, part, challenges, seed), path)


def tables(name, part, challenges, seed):
    for experiment in experiments(name, part, challenges, seed=seed):
        for replicate in range(part.replicates):
            yield traced(experiment, replicate).table()


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.traces,
            parts={name: Part(**game) for name, game in snakemake.params.games.items()},
            seed=snakemake.params.seed,
        )

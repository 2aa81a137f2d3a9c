"""Read a submission log: what can be played, and what became of the rest."""

from shakedown.data.job import job
from shakedown.replay.log import dropped_teams, save
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry
from shakedown.simulation import outcomes


def main(paths, *, study, settings, seed):
    log = read(study, settings, seed=seed)
    save(log, paths.log)
    outcomes.write(log.submissions, paths.submissions)
    outcomes.write(log.messages, paths.messages)
    outcomes.write(dropped_teams(log), paths.dropped_teams)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.output,
            study=snakemake.params.study,
            settings=ReplayEntry.part(snakemake.params.settings),
            seed=snakemake.params.seed,
        )

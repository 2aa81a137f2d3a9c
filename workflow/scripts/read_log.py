"""Read a submission log: what can be played, and what became of the rest."""

import sys

from shakedown import outcomes
from shakedown.replay.log import save
from shakedown.replay.reading import read


def main(path_to_log, path_to_submissions, path_to_messages, *, study, settings, seed):
    log = read(study, settings, seed=seed)
    save(log, path_to_log)
    outcomes.write(log.submissions, path_to_submissions)
    outcomes.write(log.messages, path_to_messages)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.output.log,
        snakemake.output.submissions,
        snakemake.output.messages,
        study=snakemake.params.study,
        settings=snakemake.params.settings,
        seed=snakemake.params.seed,
    )

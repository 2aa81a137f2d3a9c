"""Compare the attack under each reading of what the papers leave open."""

from pathlib import Path

import pandas as pd

from shakedown.claims.sensitivity import compare
from shakedown.data.job import job
from shakedown.leaderboard.settings import with_parameters
from shakedown.simulation import outcomes


def main(paths_to_summaries, path_to_sensitivity, *, questions):
    summaries = {Path(p).stem: outcomes.typed(outcomes.read(p)) for p in paths_to_summaries}
    parts = [
        compare(summaries, entry["variants"]).assign(question=entry["question"])
        for entry in questions.values()
    ]
    outcomes.write(with_parameters(pd.concat(parts)), path_to_sensitivity)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.summaries,
            snakemake.output.sensitivity,
            questions=snakemake.params.questions,
        )

"""Hold the tables of a study against the statements of the papers."""

import sys
from pathlib import Path

from shakedown.claims import load
from shakedown.claims.evaluation import evaluate
from shakedown.claims.study_tables import Tables
from shakedown.claims.verdicts import tally
from shakedown.data.job import job
from shakedown.simulation import outcomes


def main(files, path_to_claims, *, modules, seed):
    paths = {
        kind: {Path(path).stem: path for path in files.get(kind) or []}
        for kind in ("outcomes", "traces", "release_variability")
    }
    claims = evaluate(load(modules), Tables(**paths), seed=seed)
    print(tally(claims).to_string(), file=sys.stderr)
    outcomes.write(claims, path_to_claims)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input,
            snakemake.output.claims,
            modules=snakemake.params.modules,
            seed=snakemake.params.seed,
        )

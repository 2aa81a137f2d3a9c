"""Hold the tables of a study against the statements of the papers."""

import sys
from pathlib import Path

from shakedown import outcomes
from shakedown.claims import Tables, evaluate, load


def main(files, path_to_claims, *, seed):
    paths = {
        kind: {Path(path).stem: path for path in files.get(kind) or []}
        for kind in ("outcomes", "traces", "spreads")
    }
    outcomes.write(evaluate(load(*files.ledger), Tables(**paths), seed=seed), path_to_claims)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(snakemake.input, snakemake.output.claims, seed=snakemake.params.seed)

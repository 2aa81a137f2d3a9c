"""Make or read a data set."""

import sys

from shakedown import data
from shakedown.data import checksums
from shakedown.data.store import save


def main(path_to_data, *, name, recipe, seed):
    save(data.read(name, recipe, seed=seed), path_to_data)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    checksums.prepare(snakemake.input, snakemake.output)
    main(
        snakemake.output.data,
        name=snakemake.wildcards.dataset,
        recipe=snakemake.params.recipe,
        seed=snakemake.params.seed,
    )
    checksums.seal(snakemake.output)

"""Score the same predictions of random splits again and again."""

import sys

from shakedown.data import checksums
from shakedown.data.store import load
from shakedown.simulation import outcomes
from shakedown.simulation.release_variability import drawn_releases


def main(path_to_data, path_to_releases, *, recipe, settings, seed):
    frame = drawn_releases(load(path_to_data), recipe, settings, seed=seed)
    outcomes.write(frame, path_to_releases)


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    checksums.prepare(snakemake.input, snakemake.output)
    main(
        snakemake.input.data,
        snakemake.output.releases,
        recipe=snakemake.params.recipe,
        settings=snakemake.params.settings,
        seed=snakemake.params.seed,
    )
    checksums.seal(snakemake.output)

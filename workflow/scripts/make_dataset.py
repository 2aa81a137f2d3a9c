"""Make or read a data set."""

from shakedown import data
from shakedown.data.job import job
from shakedown.data.store import save


def main(path_to_data, *, name, recipe, seed):
    save(data.read(name, recipe, seed=seed), path_to_data)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.output.data,
            name=snakemake.wildcards.dataset,
            recipe=snakemake.params.recipe,
            seed=snakemake.params.seed,
        )

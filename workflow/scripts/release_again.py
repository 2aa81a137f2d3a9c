"""Score the same predictions of random splits again and again."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.data.store import load
from shakedown.simulation import outcomes
from shakedown.simulation.release_settings import ReleaseVariabilityEntry
from shakedown.simulation.release_variability import drawn_releases


def main(paths_to_data, paths_to_releases, *, recipes, settings, seed):
    paths = {Path(path).stem: path for path in paths_to_data}
    for entry, path in zip(settings, paths_to_releases, strict=True):
        name = entry.dataset
        frame = drawn_releases(load(paths[name]), recipes[name], entry, seed=seed)
        outcomes.write(frame, path)


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.data,
            snakemake.output.releases,
            recipes=snakemake.params.recipes,
            settings=[ReleaseVariabilityEntry(**e) for e in snakemake.params.settings.values()],
            seed=snakemake.params.seed,
        )

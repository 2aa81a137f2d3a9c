"""Draw the figures of some tables, and write their captions."""

from pathlib import Path

import pandas as pd

from shakedown.data.job import job
from shakedown.figures import FIGURE_KINDS, picture, save
from shakedown.simulation.parts import read_part


def main(paths_to_tables, path_to_svg, path_to_png, path_to_caption, *, settings, study, seed):
    wanted = dict(settings)
    kind = wanted.pop("kind")
    # Several experiments or designs are read one by one; `picture` chooses by everything else.
    of = {key: wanted.pop(key) for key in ("experiment", "dataset", "design") if key in wanted}
    table = FIGURE_KINDS.find(kind).table
    tables = {Path(path).parts[-2:]: path for path in paths_to_tables}
    paths = [tables[table, f"{name}.parquet"] for name in _listed(of["experiment"])]
    parts = [{}]
    if "design" in of:
        parts = [
            {"dataset": name, "design": design}
            for name in _listed(of["dataset"])
            for design in _listed(of["design"])
        ]
    if table == "traces":  # there may be more of them, for the claims
        parts = [{**part, "replicate": 0} for part in parts]
    frame = pd.concat([read_part(path, **part) for path in paths for part in parts])
    figure, caption = picture(kind, frame, **wanted)
    save(figure, path_to_svg, path_to_png)
    text = f"{caption} Study {study}, seed {seed}.\n"
    Path(path_to_caption).write_text(text, encoding="utf-8")


def _listed(value):
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    # A figure is so many objects, all of use until it is written.
    with job(snakemake, collect_every=200_000):
        output = snakemake.output
        for settings, *paths in zip(
            snakemake.params.settings, output.svgs, output.pngs, output.captions, strict=True
        ):
            main(
                snakemake.input.tables,
                *paths,
                settings=settings,
                study=snakemake.params.study,
                seed=snakemake.params.seed,
            )

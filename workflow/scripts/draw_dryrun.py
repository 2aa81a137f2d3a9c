"""Draw the figures of a dry run, for pages and for phones, and write their captions."""

import json
import sys
from pathlib import Path

import pandas as pd

from shakedown.figures import DRY_RUN_KINDS, save
from shakedown.figures.style import PAGE_WIDTH, PHONE_WIDTH


def main(tables, paths_to_svgs, paths_to_pngs, paths_to_captions, *, wanted, study, seed):
    limits, frontier, utility, acceptance = map(pd.read_csv, tables[:4])
    found = json.loads(Path(tables[4]).read_text("utf-8"))
    # What is only to be used until more is known is not recommended.
    recommended = None if found["answer"] == "undecided" else found["recommended"]
    threshold = float(limits["threshold"].iloc[0])
    safe = {"threshold": threshold, "wanted": wanted}
    shown = {
        "safe_limits": ((frontier, limits), safe),
        "frontier_split": ((frontier,), {}),
        "protection": ((limits, utility), {**safe, "recommended": recommended}),
        "acceptance": ((acceptance, utility), {}),
    }
    layouts = [(kind, w) for kind in shown for w in (PAGE_WIDTH, PHONE_WIDTH)]
    paths = zip(paths_to_svgs, paths_to_pngs, paths_to_captions, strict=True)
    for (kind, width), (svg, png, text) in zip(layouts, paths, strict=True):
        draw, tell = DRY_RUN_KINDS[kind]
        given, settings = shown[kind]
        save(draw(*given, **settings, width=width), svg, png)
        caption = f"{tell(*given, **settings)} Study {study}, seed {seed}.\n"
        Path(text).write_text(caption, encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.svgs,
        snakemake.output.pngs,
        snakemake.output.captions,
        wanted=snakemake.params.settings["submissions"],
        study=snakemake.params.study,
        seed=snakemake.params.seed,
    )

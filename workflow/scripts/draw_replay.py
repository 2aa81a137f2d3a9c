"""Draw the figures of a replay, for pages and for phones, and write their captions."""

import sys
from pathlib import Path

import pandas as pd

from shakedown.figures import REPLAY_KINDS, save
from shakedown.figures.style import PAGE_WIDTH, PHONE_WIDTH
from shakedown.replay.grouping import read_table


def main(tables, paths_to_svgs, paths_to_pngs, paths_to_captions, *, settings, study, seed):
    seen = pd.read_parquet(tables.seen)
    standings, intervals = read_table(tables.standings), read_table(tables.rank_intervals)
    splits = read_table(tables.splits)
    shown = {
        "replay_ranks": ((standings, intervals), {"top": settings["analyses"]["top"]}),
        "replay_scores": ((seen,), {"top": settings["analyses"]["best"]}),
        "replay_splits": ((splits,), {}),
        "replay_rungs": ((seen, standings), {}),
        "replay_error": ((pd.read_parquet(tables.reported),), {}),
    }
    layouts = [(kind, w) for kind in shown for w in (PAGE_WIDTH, PHONE_WIDTH)]
    paths = zip(paths_to_svgs, paths_to_pngs, paths_to_captions, strict=True)
    for (kind, width), (svg, png, text) in zip(layouts, paths, strict=True):
        draw, tell = REPLAY_KINDS[kind]
        given, own = shown[kind]
        save(draw(*given, metric=settings["metric"], **own, width=width), svg, png)
        told = tell(*given, metric=settings["metric"], **own)
        Path(text).write_text(f"{told} Study {study}, seed {seed}.\n", encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input,
        snakemake.output.svgs,
        snakemake.output.pngs,
        snakemake.output.captions,
        settings=snakemake.params.settings,
        study=snakemake.params.study,
        seed=snakemake.params.seed,
    )

"""Draw a figure and write its caption."""

import sys
from pathlib import Path

from shakedown.figures import caption, draw, save
from shakedown.parts import read_part


def main(path_to_table, path_to_svg, path_to_png, path_to_caption, *, settings, study, seed):
    wanted = dict(settings)
    kind = wanted.pop("kind")
    frame = read_part(path_to_table, dataset=wanted["dataset"], design=wanted["design"])
    save(draw(kind, frame, **wanted), path_to_svg, path_to_png)
    text = caption(kind, frame, study=study, seed=seed, **wanted)
    Path(path_to_caption).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.stderr = open(snakemake.log[0], "w", buffering=1)
    main(
        snakemake.input.table,
        snakemake.output.svg,
        snakemake.output.png,
        snakemake.output.caption,
        settings=snakemake.params.settings,
        study=snakemake.params.study,
        seed=snakemake.params.seed,
    )

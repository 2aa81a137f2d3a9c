"""Draw the lag of honest teams on each board, with its caption."""

from pathlib import Path

from shakedown.data.job import job
from shakedown.figures.lag_by_rows import lag_by_rows
from shakedown.figures.saving import save
from shakedown.simulation import outcomes


def main(path_to_boards, output, *, tolerated, study, seed):
    picture = lag_by_rows(outcomes.read(path_to_boards), tolerated)
    save(picture.figure, output.svg, output.png)
    text = f"{picture.caption} Study {study}, seed {seed}.\n"
    Path(output.caption).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake):
        main(
            snakemake.input.boards,
            snakemake.output,
            tolerated=snakemake.params.tolerated,
            study=snakemake.params.study,
            seed=snakemake.params.seed,
        )

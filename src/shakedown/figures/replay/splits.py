"""Public and private scores under fresh splits ([B] Fig. 3)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import (
    ReplayFigure,
    direction,
    ends_of,
    in_lines,
    note_on_outliers,
)
from shakedown.figures.selection import floats
from shakedown.figures.style import CHOSEN, DOT, PAGE_WIDTH, REFERENCE


class Splits(ReplayFigure):
    """Scores on either half of fresh splits, and the gap of the challenge's own split."""

    name: ClassVar[str] = "replay_splits"
    label: ClassVar[str] = "Public and private scores, and fresh splits"
    sentence: ClassVar[str] = "Whether public and private rows differ more than random halves."
    source: ClassVar[str] = "[B] Fig. 3, the left panel"
    order: ClassVar[float] = 4
    reads = {"splits": ()}

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.figure import Figure

        table = tables["splits"]
        public, private, mean, sd, gap, spread = (
            floats(table[c])
            for c in ("score_public", "score_private", "mean_half", "sd_half", "gap", "sd_gap")
        )
        ends, limits = ends_of(public, private, mean - sd, mean + sd), ends_of(gap, spread, -spread)
        rank = np.arange(1, len(table) + 1)
        count, within, metric = len(table), int(table["within"].sum()), self.scores.label
        figure = Figure(figsize=(PAGE_WIDTH, 3.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.axline((0, 0), slope=1, color=REFERENCE, linewidth=0.9)
        left.errorbar(
            mean, mean, xerr=sd, yerr=sd, fmt="s", markersize=3, color=DOT, elinewidth=0.6,
            label="fresh splits, mean ± sd",
        )  # fmt: skip
        own = {"color": CHOSEN, "s": 20, "zorder": 3}
        sns.scatterplot(
            x=private, y=public, label="the challenge's own split", legend=False, ax=left, **own
        )
        left.set(xlim=ends, ylim=ends, xlabel=in_lines(f"Private {metric}"))
        left.set_ylabel(in_lines(f"Public {metric} ({direction(self.scores)})"))
        right.fill_between(
            rank, -spread, spread, step="mid", color=DOT, alpha=0.35, linewidth=0,
            label="one sd of fresh splits",
        )  # fmt: skip
        right.axhline(0, color=REFERENCE, linewidth=0.9)
        sns.scatterplot(x=rank, y=gap, legend=False, ax=right, **own)
        right.set(ylim=limits, xlabel="Submission, by private rank (1 = best)")
        right.set_ylabel(in_lines(f"Public − private {metric}"))
        share = f"{within} of {count} {'gap' if count == 1 else 'gaps'}"
        right.set_title(f"{share} within one sd", weight="bold")
        figure.legend(loc="outside upper center", ncols=3)
        verb = "is" if count == 1 else "are"
        each = "the best submission" if count == 1 else f"each of the {count} best submissions"
        caption = (
            f"{share} between public and private scores {verb} within one standard deviation (sd) "
            "of fresh splits; if the public rows were a random sample, we would expect about two "
            "in three. Submissions of one team are alike, so their gaps tend to have one sign. "
            "Fresh splits halve the "
            f"private rows at random, {int(table['repeats'].max())} times. Left: squares, the mean "
            f"score of {each} on a half, with its sd; dots, its own public and private scores. On "
            "the line both are equal. Right: dots, the gap between its public and private score; "
            "grey, one sd of the gap between halves."
            f"{note_on_outliers(ends, public, private)}{note_on_outliers(limits, gap)}"
        )
        return Picture(figure, caption)

"""Reported and private scores, beside their private scores ([B] Fig. 2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.figures.facets import panels
from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import (
    ReplayFigure,
    boards_shown,
    direction,
    ends_of,
    note_on_boards,
    note_on_outliers,
)
from shakedown.figures.selection import floats, require
from shakedown.figures.style import INK, line_colour, short
from shakedown.replay.grouping import BOARD

_MOST = 6


class Scores(ReplayFigure):
    """The score that each board reported after a submission, against its private rank."""

    name: ClassVar[str] = "replay_scores"
    label: ClassVar[str] = "Reported and private scores"
    sentence: ClassVar[str] = "Reported and private scores of the best submissions."
    source: ClassVar[str] = "[B] Fig. 2, with a panel for each board"
    order: ClassVar[float] = 2
    reads = {"seen": (*BOARD, "submission", "released", "score_private")}

    best: int = parameter(50, ge=1, description="How many submissions, by private score.")

    def picture(self, tables):
        import seaborn as sns

        seen = tables["seen"]
        seen = seen[seen["released"].notna().to_numpy()]
        require(seen, (), kind=self.name)
        up = not self.scores.larger_is_better
        parts = {
            one: part.sort_values("score_private", ascending=up, kind="stable").head(self.best)
            for one, part in boards_shown(seen, _MOST).items()
        }
        values = [floats(p[c]) for p in parts.values() for c in ("released", "score_private")]
        ends = ends_of(*values)
        count = len(next(iter(parts.values())))

        figure, axes = panels(
            [short(one) for one in parts], "Submission, by private rank (1 = best)",
            self.score_axis, across=3, height=1.9,
        )  # fmt: skip
        for (one, part), ax in zip(parts.items(), axes, strict=True):
            rank = np.arange(1, len(part) + 1)
            ax.plot(rank, floats(part["score_private"]), color=INK, label="private score")
            dots = {"color": line_colour(one), "s": 18, "legend": False}
            dots["label"] = "public score that the board reported"
            sns.scatterplot(x=rank, y=floats(part["released"]), **dots, ax=ax)
        ax.set(ylim=ends, xlim=(0, count + 1))
        keys = axes[0].get_legend_handles_labels()
        figure.legend(*keys, loc="outside upper center", ncols=3)
        which = f"The {count} submissions with the best private scores" if count > 1 else (
            "The submission with the best private score"
        )  # fmt: skip
        caption = (
            f"{which}, best on the left; {direction(self.scores)}. Line: the private score. Dots: "
            "what the board showed the team right after that submission; "
            f"{'above' if self.scores.larger_is_better else 'below'} the line it looks better than "
            "it is. Dots in a level row repeat an earlier score: the board did not accept the "
            f"submission.{note_on_outliers(ends, *values)}"
            f"{note_on_boards(seen, parts)}"
        )
        return Picture(figure, caption)

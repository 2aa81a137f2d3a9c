"""Reported and private scores, beside their private scores ([B] Fig. 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.figures.facets import explain
from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import (
    ReplayFigure,
    direction,
    ends_of,
    note_on_boards,
    note_on_outliers,
    panels_of_boards,
)
from shakedown.figures.selection import floats, require
from shakedown.figures.style import INK, REFERENCE, line_colour
from shakedown.replay.grouping import shows_every_score
from shakedown.wording import listed

if TYPE_CHECKING:
    from shakedown.leaderboard.mechanism import Mechanism


class Scores(ReplayFigure):
    """The score that each board reported after a submission, against its private rank."""

    name: ClassVar[str] = "replay_scores"
    label: ClassVar[str] = "Reported and private scores"
    sentence: ClassVar[str] = "Reported and private scores of the best submissions."
    source: ClassVar[str] = "[B] Fig. 2, with a panel for each board"
    order: ClassVar[float] = 2
    reads = {"seen": ()}

    best: int = parameter(50, ge=1, description="How many submissions, by private score.")

    def picture(self, tables):
        import seaborn as sns

        seen = tables["seen"]
        seen = seen[seen["released"].notna().to_numpy()]
        require(seen, (), kind=self.name)
        parts, figure, axes = panels_of_boards(
            seen, "Submission, by private rank (1 = best)", self.score_axis
        )
        up = not self.scores.larger_is_better
        up_sign = -1 if up else 1
        for board, part in parts.items():
            ordered = part.sort_values("score_private", ascending=up, kind="stable")
            parts[board] = ordered.head(self.best)
        values = [floats(p[c]) for p in parts.values() for c in ("released", "score_private")]
        ends, count = ends_of(*values), len(next(iter(parts.values())))
        for (board, part), ax in zip(parts.items(), axes, strict=True):
            rank = np.arange(1, len(part) + 1)
            ax.plot(rank, floats(part["score_private"]), color=INK)
            dots = {"color": line_colour(board), "s": 18, "legend": False}
            sns.scatterplot(x=rank, y=floats(part["released"]), **dots, ax=ax)
        ax.set(ylim=ends, xlim=(0, count + 1))
        explain(figure, {
            "private score": {"color": INK, "linestyle": "-"},
            "public score that the board reported": {"color": REFERENCE, "marker": "o"},
        })  # fmt: skip
        which = f"The {count} submissions with the best private scores" if count > 1 else (
            "The submission with the best private score"
        )  # fmt: skip
        flattered = {
            board.title: int((up_sign * floats(part["released"] - part["score_private"]) > 0).sum())
            for board, part in parts.items()
        }
        caption = (
            f"{_finding(flattered, count)} "
            f"{which}, best on the left; {direction(self.scores)}. Line: the private score. Dots: "
            "what the board showed the team right after that submission; "
            f"{'above' if self.scores.larger_is_better else 'below'} the line it looks better than "
            f"it is. Several dots at the same height{_but(parts)}: one was accepted, and for the "
            f"others the board repeated that team's score.{note_on_outliers(ends, *values)}"
            f"{note_on_boards(seen, parts)}"
        )
        return Picture(figure, caption)


def _but(boards: Iterable[Mechanism]) -> str:
    """Boards of which equal scores say nothing, in brackets with a blank in front."""
    exact = [board.title for board in boards if shows_every_score(board)]
    return f" (not on {listed(exact)})" if exact else ""


def _finding(flattered: Mapping[str, int], count: int) -> str:
    """How many submissions look better than they are, on the boards that flatter most and least."""
    order = sorted(flattered, key=lambda board: -flattered[board])
    look = (
        "submission looks better than it is"
        if count == 1
        else "submissions look better than they are"
    )
    text = f"On {order[0]} {flattered[order[0]]} of {count} {look}"
    if flattered[order[-1]] < flattered[order[0]]:
        text += f", on {order[-1]} {flattered[order[-1]]}"
    elif len(order) > 1:
        text += ", and as many on every other board"
    return f"{text}."

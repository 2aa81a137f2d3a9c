"""Reported minus private score, while the challenge runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pandas as pd

from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import ReplayFigure, in_lines, note_on_boards, panels_of_boards
from shakedown.figures.style import INK, REFERENCE, line_colour
from shakedown.wording import amount


class Error(ReplayFigure):
    """How far what stands on each board is from the private score, over the submissions.

    Line: the median of all teams that are on the board by then; band: the middle half of them.
    """

    name: ClassVar[str] = "replay_error"
    label: ClassVar[str] = "Reported minus private scores over time"
    sentence: ClassVar[str] = "How far the scores on a board are from the private ones, over time."
    order: ClassVar[float] = 3
    reads = {"reported": ()}

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.patches import Patch

        above = self.scores.larger_is_better
        parts, figure, axes = panels_of_boards(
            tables["reported"],
            "Submissions of all teams so far",
            in_lines(f"Reported − private {self.scores.label}") + "\n"
            f"({'above' if above else 'below'} 0: looks better than it is)",
        )
        line = {"color": INK, "linewidth": 1.8, "estimator": None, "drawstyle": "steps-post"}
        band = {"alpha": 0.3, "linewidth": 0, "step": "post"}
        last = {}
        for (board, part), ax in zip(parts.items(), axes, strict=True):
            spread = quartiles(part)
            last[board.title] = float(spread["median"].iloc[-1])
            sns.lineplot(spread["median"], **line, label="median of the teams", legend=False, ax=ax)
            ax.fill_between(
                spread.index, spread["low"], spread["high"], color=line_colour(board), **band
            )
            ax.axhline(0, color=REFERENCE, linewidth=0.9, linestyle="--")
            ax.set(xlabel="", ylabel="")
        lines, names = axes[0].get_legend_handles_labels()
        patch = Patch(facecolor=REFERENCE, alpha=0.3)  # each panel has a colour of its own
        figure.legend(
            [*lines, patch], [*names, "middle half of the teams"],
            loc="outside upper center", ncols=3,
        )  # fmt: skip
        caption = (
            f"{_finding(last, sign=1 if above else -1)} Plotted: a team’s score on the board minus "
            "the private score of the same submission, after each "
            "submission of the challenge, for the teams that are on the board by then. "
            f"{'Above' if above else 'Below'} 0 the public score looks better than the private "
            "one. A gap from the start: the public rows are easier or harder than the private "
            "ones. A gap that grows can be overfit; whether it is more than chance, compare with "
            "the figure of fresh splits."
            f"{note_on_boards(tables['reported'], parts)}"
        )
        return Picture(figure, caption)


def quartiles(part: pd.DataFrame) -> pd.DataFrame:
    """Over the submissions, `low`, `median` and `high`: quartiles of all teams' errors by then."""
    now = part.astype({"team": str}).pivot(index="order", columns="team", values="error").ffill()
    ends = {"low": 0.25, "median": 0.5, "high": 0.75}
    return pd.DataFrame({name: now.quantile(q, axis=1) for name, q in ends.items()})


def _finding(last: Mapping[str, float], *, sign: int) -> str:
    """How the median team looks at the end, on the board where it is nearest, and furthest off."""
    order = sorted(last, key=lambda board: abs(last[board]))
    sizes = {board: amount(abs(last[board]), 2) for board in order}
    looks = {board: "better" if sign * last[board] > 0 else "worse" for board in order}
    near, far = order[0], order[-1]
    text = "At the end the median team looks"
    if len(set(zip(sizes.values(), looks.values(), strict=True))) == 1:
        others = ", as on the other boards" * (len(order) > 1)
        return f"{text} {sizes[far]} {looks[far]} than it is on {far}{others}."
    if looks[near] == looks[far]:
        return f"{text} {sizes[near]} ({near}) to {sizes[far]} ({far}) {looks[far]} than it is."
    return (
        f"{text} {sizes[far]} {looks[far]} than it is on {far}, and {sizes[near]} {looks[near]} "
        f"on {near}."
    )

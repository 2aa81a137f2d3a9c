"""What the top teams were shown after each of their submissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pandas as pd

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
    team_name,
)
from shakedown.figures.selection import floats
from shakedown.figures.style import DOT, line_colour
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.replay.grouping import reference, shows_every_score
from shakedown.wording import counted, listed

_TEAM = 22
# Widths and opacities: lines that lie on one another are seen as stripes, in grey, too.
_LINES = ((5.5, 0.35), (3.2, 0.6), (1.2, 1.0))


class Rungs(ReplayFigure):
    """The score that each board showed a team, submission by submission; a panel per team.

    Grey dots: what each submission scored; lines: what a board showed, with a mark where it
    accepted the submission.
    """

    name: ClassVar[str] = "replay_rungs"
    label: ClassVar[str] = "What the teams in front were shown"
    sentence: ClassVar[str] = "What boards showed the top teams after each of their submissions."
    order: ClassVar[float] = 5
    reads = {"seen": (), "standings": ()}

    teams: int = parameter(
        6,
        ge=1,
        description=(
            "How many teams, by their place on the board that shows every score; those with one "
            "submission come last."
        ),
    )

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.ticker import MaxNLocator

        seen = tables["seen"].astype({"team": str})
        places = self._teams(seen, tables["standings"])
        parts = boards_shown(seen[seen["team"].isin(list(places))], len(_LINES) + 1)
        exact, own = next(iter(parts.items()))  # which the grey dots show
        # The grey dots are the exact public scores, so a board that shows these needs no panel.
        hidden = [board for board in parts if not shows_every_score(board)] or list(parts)
        parts = {board: parts[board] for board in hidden[: len(_LINES)]}
        values = [floats(own["score_public"]), *(floats(p["released"]) for p in parts.values())]
        ends = ends_of(*values)

        titles = [f"{place}. {team_name(team, _TEAM)}" for team, place in places.items()]
        figure, axes = panels(
            titles, "Submission of the team", self.score_axis, across=3, height=1.9, sharex=False
        )
        for team, ax in zip(places, axes, strict=True):
            rows = own[own["team"] == team]
            dots = {"color": DOT, "s": 30, "label": "own public score", "legend": False}
            sns.scatterplot(rows, x="order_in_team", y="score_public", ax=ax, **dots)
            ax.set(ylim=ends, xlabel="", ylabel="", xlim=(0.5, len(rows) + 0.5))
            ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
            for (board, part), (width, alpha) in zip(parts.items(), _LINES, strict=False):
                rows = part[part["team"] == team].sort_values("order_in_team")
                x, y = floats(rows["order_in_team"]), floats(rows["released"])
                taken = [*np.flatnonzero(rows["accepted"].to_numpy(bool))]
                ax.plot(
                    [*x, x[-1] + 0.4], [*y, y[-1]], drawstyle="steps-post",
                    color=line_colour(board), linewidth=width, alpha=alpha, marker="o",
                    markersize=width + 2.5, markevery=taken, label=board.title,
                )  # fmt: skip
        keys = axes[0].get_legend_handles_labels()
        figure.legend(*keys, loc="outside upper center", ncols=2)
        first, whose = (f"The first {len(places)} teams", "their places") if len(places) > 1 else (
            ("The first team", "its place")
        )  # fmt: skip
        accepted = {board.title: int(part["accepted"].sum()) for board, part in parts.items()}
        caption = (
            f"{_finding(accepted, len(own))} "
            f"{first} on {exact.title}, with {whose} there; {direction(self.scores)}. Grey dots: "
            "the public score of each submission. Lines: what each board showed the team; marks on "
            "them: submissions that the board accepted as better, which hide the dots. Where a "
            f"line has no mark, the board did not find the submission better{_noisy(parts)}."
            f"{note_on_outliers(ends, *values)}{note_on_boards(seen, {*parts, exact})}"
        )
        return Picture(figure, caption)

    def _teams(self, seen: pd.DataFrame, standings: pd.DataFrame) -> dict[str, int]:
        """Places by team: those in front, the ones with one submission last."""
        best = reference(standings).astype({"team": str})
        made = reference(seen)["team"].value_counts()
        order = best.assign(once=best["team"].map(made) < 2).sort_values(["once", "place"])
        return order.head(self.teams).set_index("team")["place"].astype(int).to_dict()


def _finding(accepted: Mapping[str, int], made: int) -> str:
    """How many submissions each board accepted as better, the strictest board last."""
    order = sorted(accepted, key=lambda board: -accepted[board])
    counts = list(dict.fromkeys(accepted[board] for board in order))
    made_of = f"Of {counted(made, 'submission')} of these teams,"
    if len(set(accepted.values())) == 1:
        each = order[0] if len(order) == 1 else f"each of the {len(order)} boards"
        return f"{made_of} {each} accepted {accepted[order[0]]}."
    said = []
    for number in counts:
        boards = [board for board in order if accepted[board] == number]
        said.append(f"{listed(boards)} accepted {number}{' each' * (len(boards) > 1)}")
    return f"{made_of} {'; '.join(said) if len(counts) < len(order) else listed(said)}."


def _noisy(parts: Mapping[Mechanism, pd.DataFrame]) -> str:
    """Which boards showed another score after a submission that they did not accept; or ""."""
    moved = []
    for board, part in parts.items():
        rows = part.sort_values(["team", "order_in_team"])
        changed = rows.groupby("team", observed=True)["released"].diff().fillna(0.0) != 0
        if (changed.to_numpy(bool) & ~rows["accepted"].to_numpy(bool)).any():
            moved.append(board.label)
    if not moved:
        return ""
    return f"; {listed(list(dict.fromkeys(moved)))} can move a little all the same"

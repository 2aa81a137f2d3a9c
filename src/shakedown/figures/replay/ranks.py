"""Who is where among the top ten: on each board, and in private with a confidence set."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from shakedown.component import parameter
from shakedown.figures.final_ranks import ticks_of_ranks
from shakedown.figures.kind import Picture
from shakedown.figures.replay.figure import (
    ReplayFigure,
    boards_shown,
    note_on_boards,
    of_teams,
    team_name,
)
from shakedown.figures.selection import rows_of
from shakedown.figures.style import DOT, MARKERS, PAGE_WIDTH, by_order, short
from shakedown.wording import counted

_MOST = 5
_TEAM = 16
# Dark enough for white paper, and apart from each other for every kind of eye (Okabe and Ito).
_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#6A3D9A", "#8C564B",
    "#222222", "#882255",
)  # fmt: skip


class RanksFigure(ReplayFigure):
    """Places of the top teams on each board, their private places, and how sure these are.

    Left, a line per team from board to board, coloured where its place is not the same on all of
    them, and with a white centre where it shares the place.  Teams that share one stand in the
    order of the first board.  Right, the private place with its confidence set.
    """

    name: ClassVar[str] = "replay_ranks"
    label: ClassVar[str] = "Places on every board"
    sentence: ClassVar[str] = "Places of the top teams on every board, and how sure they are."
    order: ClassVar[float] = 1
    reads = {"standings": (), "rank_intervals": ()}

    top: int = parameter(10, ge=1, description="How many teams, by their place on the first board.")

    def picture(self, tables):
        import seaborn as sns
        from matplotlib.figure import Figure

        parts = boards_shown(tables["standings"], _MOST)
        boards = list(parts)
        start = parts[boards[0]].sort_values("place", kind="stable")
        first = start.set_index(start["team"].astype(str))["place"].astype(int).head(self.top)
        columns = [places_on(part, "place", first) for part in parts.values()]
        columns.append(places_on(start, "private_place", first))
        moved, top = moved_teams(columns[:-1]), len(first)
        colours = dict.fromkeys(first.index, DOT) | {
            team: by_order(k, _COLOURS) for k, team in enumerate(moved)
        }
        tidy = pd.concat([places.assign(column=k) for k, places in enumerate(columns)])
        tidy = tidy.rename_axis("team").reset_index()
        tidy["slot"] = tidy["slot"].clip(upper=top + 1)

        figure = Figure(figsize=(PAGE_WIDTH, 1.9 + 0.27 * top), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(2.2, 1))
        sns.lineplot(
            tidy, x="column", y="slot", hue="team", style="team", palette=colours, dashes=False,
            markers=[by_order(k, MARKERS) for k in range(top)], markersize=7, linewidth=2,
            estimator=None, legend=False, ax=left,
        )  # fmt: skip
        shared = tidy[tidy["shared"] > 1]
        left.scatter(shared["column"], shared["slot"], c="white", s=8, zorder=4)
        ranks = range(1, top + 1)
        left.set_yticks(ranks, [f"{p}. {team_name(t, _TEAM)}" for t, p in first.items()])
        heads = [*map(short, boards), "Private"]
        left.set_xticks(range(len(heads)), heads, rotation=35, ha="right", rotation_mode="anchor")
        left.set(xlabel="", ylabel="", ylim=(tidy["slot"].max() + 0.5, 0.5))
        numbers = left.secondary_yaxis("right")
        numbers.set_yticks([*ranks, top + 1], [*ranks, f"> {top}"])
        left.set_title(f"{len(moved)} of {top} change place between public boards", weight="bold")

        bounds = rows_of(of_teams(tables["rank_intervals"]), boards[0])
        bounds = bounds.set_index(bounds["team"].astype(str)).loc[
            columns[-1].sort_values("slot").index
        ]
        y, shown = np.arange(top), [colours[team] for team in bounds.index]
        right.hlines(y, bounds["place_low"], bounds["place_high"], colors=shown, linewidth=2.5)
        right.scatter(bounds["private_place"], y, marker="D", c=shown, s=30, zorder=3)
        right.set_yticks(y, [team_name(team, _TEAM) for team in bounds.index])
        last = int(bounds["place_high"].max())
        right.set(xlim=(0.5, last + 0.5), ylim=(top - 0.5, -0.5))
        right.set_xlabel("Private place, 95 % set")
        leaders = int((bounds["place_low"] <= 1).sum())
        right.set_title(f"{leaders} of {top} can be first", weight="bold")
        right.set_xticks(ticks_of_ranks(last))
        right.grid(visible=True, axis="x")
        for ax in (left, right, numbers):
            ax.tick_params(axis="y", length=0)
        coloured = f" Coloured: the {counted(len(moved), 'team')} whose public place differs."
        tied = " White centres: teams that share a place."
        some = "team" if top == 1 else f"{top} teams"
        differ = int((columns[-1]["place"] != first).sum())
        caption = (
            f"Of the first {some} on the board {boards[0].title}, {len(moved) or 'none'} "
            f"{'changes' if len(moved) < 2 else 'change'} place between public boards, and "
            f"{differ or 'none'} {'has' if differ < 2 else 'have'} another place in private; "
            f"{leaders} of {top} can be first there. Left: the place of each on every public "
            "board and, on the right, its private place."
            f"{coloured * bool(moved)}{tied * (not shared.empty)} "
            "Right: the private place (diamond) and where it can be with a confidence of 95 % "
            f"(bar), by {int(bounds['draws'].max()):,} bootstrap samples of the private rows."
            f"{note_on_boards(tables['standings'], boards)}"
        )
        return Picture(figure, caption)


def places_on(standings: pd.DataFrame, column: str, first: pd.Series) -> pd.DataFrame:
    """Places on one board of the teams of `first`, which has their places on another one, by team.

    Columns, by team: `place`; `shared`, how many teams have it; `slot`, from 1, a place that nobody
    shares: teams with the same place in the order of `first`, those that it does not have last.
    `column`, "place" or "private_place", says which places.
    """
    own = standings.set_index(standings["team"].astype(str))[column].astype(int)
    order = pd.DataFrame({"place": own, "first": first.reindex(own.index)})
    order = order.sort_values(["place", "first"], kind="stable", na_position="last")
    order["slot"] = np.arange(1, len(order) + 1)
    order["shared"] = order.groupby("place")["place"].transform("size")
    return order.reindex(first.index)[["place", "shared", "slot"]]


def moved_teams(columns: list[pd.DataFrame]) -> list[str]:
    """The teams whose place on the first board is not covered by theirs on all others."""
    start = columns[0]["place"]
    same = [
        start.between(places["place"], places["place"] + places["shared"] - 1) for places in columns
    ]
    return list(start.index[~np.all(same, axis=0)])

"""How much leaderboards can reveal, against how much the number of public rows allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.component import parameter
from shakedown.figures import captions, panels
from shakedown.figures.curves import name_ends, tick
from shakedown.figures.findings import MANY
from shakedown.figures.kind import FigureKind, Picture
from shakedown.interface import InputError
from shakedown.wording import counted, listed, signed

if TYPE_CHECKING:
    from shakedown.leaderboard.mechanism import Mechanism
    from shakedown.metrics import Metric

#: Public rows at the two ends of the figure.
FEWEST, MOST = 50, 10_000


class InformationBudget(FigureKind):
    """Nats that a tolerated Δ allows, by the number of public rows, and nats of each setting."""

    name: ClassVar[str] = "information_budget"
    label: ClassVar[str] = "Information budget"
    sentence: ClassVar[str] = "What a board can reveal, against what its public rows allow."
    order: ClassVar[float] = 11
    several: ClassVar[tuple[str, ...]] = (
        *("experiment", "dataset", "design", "attack", "iteration_board"),
    )

    submissions: int = parameter(1000, ge=1, description="Submissions of each participant.")
    threshold: float = parameter(
        -0.05, lt=0.0, description="Tolerated Δ on standardised data, below 0."
    )

    def picture(self, rows):
        import numpy as np
        from matplotlib.figure import Figure

        from shakedown.figures.style import BAND, INK, PAGE_WIDTH, line_colour
        from shakedown.leaderboard.settings import settings_in
        from shakedown.metrics import ZERO_ONE
        from shakedown.theory.metric_bounds import gain_bound
        from shakedown.theory.proved import proved_nats

        metric, settings = panels.metric_of(rows), settings_in(rows)
        bound = gain_bound(metric)
        if bound is None or metric.loss == ZERO_ONE or metric.larger_is_better:
            raise InputError(
                f"figure kind {self.name!r}: wanted the metric mse or rmse, got {metric.name}, for "
                "which no budget is proved. Choose other experiments."
            )
        needed = self._needed(settings, metric)
        if not needed:
            raise InputError(
                f"figure kind {self.name!r}: wanted a board that is proved for some number of rows "
                f"up to {MOST:,}, got none. Show digests, or Ladders with a baseline start."
            )
        figure = Figure(figsize=(PAGE_WIDTH, 3.9), layout="constrained")
        ax = figure.subplots()
        x = np.unique(np.geomspace(FEWEST, MOST, 120).astype(int))
        allowed = [bound.budget(-self.threshold, int(n)) for n in x]
        top = 1.5 * max(allowed)
        ax.set(
            xscale="log", yscale="log", xlim=(FEWEST, MOST), ylim=(min(allowed[0], 1.0), top),
            xlabel="Public rows (n)", ylabel="Information about the responses (nats)",
        )  # fmt: skip
        ax.fill_between(x, allowed, top, facecolor=BAND, linewidth=0, zorder=0.5)
        ax.plot(x, allowed, color=INK, linewidth=2.4)
        ends = {}
        for setting, enough in needed.items():
            nats = np.array([proved_nats(setting, int(n), self.submissions) for n in x])
            at, colour = proved_nats(setting, enough, self.submissions), line_colour(setting)
            kept = x >= enough
            ax.plot(x[~kept], nats[~kept], color=colour, linewidth=1.0, linestyle=(0, (2, 2)))
            ax.plot([enough, *x[kept]], [at, *nats[kept]], color=colour, linewidth=1.8)
            ax.plot([enough], [at], "o", color=colour, markersize=6)
            few = enough == FEWEST
            ax.annotate(
                f"{enough:,} rows{' or fewer' * few}", (enough, at), xytext=(7 if few else -7, 4),
                textcoords="offset points", ha="left" if few else "right", fontsize=8.5,
            )  # fmt: skip
            ends[setting.title] = (MOST, nats[-1], colour)
        words = {"fontsize": 9, "color": INK, "transform": ax.transAxes}
        ax.text(0.03, 0.95, "solid from its dot on: proved\ndashed: not proved", va="top", **words)
        ax.text(0.97, 0.07, "below the thick line: proved by its nats alone", ha="right", **words)
        tick(ax.xaxis)
        tick(ax.yaxis)
        name_ends(ax, ends)
        return Picture(figure, self._caption(metric, settings, needed))

    def _needed(self, settings: list[Mechanism], metric: Metric) -> dict[Mechanism, int]:
        """The fewest rows for which each board that shows anything is proved, in the figure."""
        from shakedown.theory.proved import proved_nats, rows_needed

        shows = [setting for setting in settings if proved_nats(setting, MOST, self.submissions)]
        fewest = [
            rows_needed(setting, metric, self.threshold, self.submissions) for setting in shows
        ]
        return {
            setting: max(enough, FEWEST)
            for setting, enough in zip(shows, fewest, strict=True)
            if enough is not None and enough <= MOST
        }

    def _caption(
        self, metric: Metric, settings: list[Mechanism], needed: dict[Mechanism, int]
    ) -> str:
        from shakedown.theory.proved import proved_nats

        nothing = [
            setting for setting in settings if proved_nats(setting, MOST, self.submissions) == 0.0
        ]
        left = [setting.title for setting in settings if setting not in [*needed, *nothing]]
        first = min(needed, key=needed.__getitem__)
        text = [
            f"Proved with at most {MOST:,} public rows: {len(needed)} of "
            f"{counted(len(settings), 'board')}; fewest rows, {needed[first]:,}, are needed by "
            f"{first.title}.",
            f"From its dot on, the mean {metric.delta_name} of a board stays within "
            f"{signed(self.threshold)} on a standardised response, whatever one participant "
            "submits.",
            f"Coloured lines: the nats that it can show in "
            f"{counted(self.submissions, 'submission')}. Thick line: the nats that the rows allow "
            "by themselves; above it (grey) a board is proved because its deep levels are "
            "improbable.",
        ]
        if left:
            who = listed(left) if len(left) <= MANY else f"the other {len(left)} boards"
            text.append(f"With up to {MOST:,} rows nothing is proved of {who}.")
        if nothing:
            text.append(f"Nothing is shown by {listed([setting.title for setting in nothing])}.")
        text += captions.parameters(needed)
        return " ".join(text)

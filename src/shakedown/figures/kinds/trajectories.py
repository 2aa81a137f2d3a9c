"""What a board shows to each attacker as submissions go by, a line per replicate ([Z] Fig. 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.component import parameter
from shakedown.figures import captions, facets
from shakedown.figures.curves import along, tick
from shakedown.figures.kind import CurveKind, Picture
from shakedown.figures.panels import REFERENCE_LINE, letter, metric_of
from shakedown.figures.style import INK, PUBLIC_LOOK, line_colour
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.wording import capitalised, counted, listed, signed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_PANEL = ["experiment", "dataset", "setting"]


class Trajectories(CurveKind):
    """Released scores against submissions, replicate by replicate, and medians.

    The median of the actual public scores lies beside that of what is shown.

    Each experiment, data set and setting has a panel.  With accuracies the layout is that of
    Fig. 2 of [Z].
    """

    name: ClassVar[str] = "trajectories"
    label: ClassVar[str] = "Trajectories"
    sentence: ClassVar[str] = "What the board shows against submissions, replicate by replicate."
    source: ClassVar[str] = "[Z] Fig. 2"
    order: ClassVar[float] = 8
    several: ClassVar[tuple[str, ...]] = ("experiment", "dataset", "attack", "iteration_board")

    lines: int = parameter(20, ge=1, description="Replicates that are drawn, from the first.")

    @property
    def needs(self) -> tuple[str, ...]:
        return (*super().needs, "score_released")

    def picture(self, rows):
        metric = metric_of(rows)
        name = "accuracy" if self.accuracy else metric.label
        rows = along(rows.astype(dict.fromkeys(_PANEL, str)), _PANEL, kind=self.name)
        parts = [(of_setting(key[-1]), part) for key, part in rows.groupby(_PANEL, sort=False)]
        titles = [setting.title + self._size(part) for setting, part in parts]
        several = rows["attack"].nunique() > 1
        heads = [
            f"{letter(i)}   {title}" + f"\n{captions.attacks_in(part)}" * several
            for i, (title, (_, part)) in enumerate(zip(titles, parts, strict=True))
        ]
        figure, axes = facets.panels(
            heads, "Submissions", capitalised(name), across=2, height=2.5,
            sharex=False,
        )  # fmt: skip
        ends, handles = [], {}
        for ax, (setting, part) in zip(axes, parts, strict=True):
            ends.append(self._draw(ax, setting, part))
            ax.set(xlabel="", ylabel="")
        # Lines nearer than this share of the axis to the dashed one would hide it.
        low, high = axes[0].get_ylim()
        steps = [_step(setting) for setting, _ in parts]
        stepped = [step > 0.03 * (high - low) for step in steps]
        for ax, step, wide in zip(axes, steps, stepped, strict=True):
            if metric.yardstick:
                at, meaning = self.yardstick(metric)
                ax.axhline(at, label=f"{at:g}: {meaning}", zorder=1.5, **REFERENCE_LINE)
                lines = {"label": f"{at:g} ± η", "linestyle": (0, (1.2, 1.5)), "zorder": 1.5}
                for height in (at - step, at + step) if wide else ():
                    ax.axhline(height, **(REFERENCE_LINE | lines))
            handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        place = {"loc": "outside upper left", "ncols": 3, "handlelength": 2}
        figure.legend(handles.values(), handles, **place)

        whole = rows.groupby(_PANEL)["replicate"].nunique()
        many = whole.max() > self.lines
        thin = f"the first {self.lines:,} replicates" if many else "the replicates"
        said = "; ".join(f"{letter(i)} {end}" for i, end in enumerate(ends))
        text = [
            f"Median {name} that the board shows: {said}.",
            f"Lines: the {name} that the board shows if the attack ends after so many submissions, "
            f"and the actual public {name} of the same submission; thin lines: one for each of "
            f"{thin}; thick ones: medians of {captions.replicates(whole)}.",
        ]
        if metric.yardstick and any(stepped):
            far = [letter(i) for i, wide in enumerate(stepped) if wide]
            near = [letter(i) for i, (wide, step) in enumerate(zip(stepped, steps, strict=True))
                    if step and not wide]  # fmt: skip
            rest = f"; in {listed(near)} they would lie on the dashed one" * bool(near)
            text.append(f"Dotted lines in {listed(far)}: one step η above and below{rest}.")
        text += captions.attacks_say(rows)
        text += [*captions.after(self.after), f"Data: {captions.data(rows, self.rows)}."]
        text += captions.parameters(setting for setting, _ in parts)
        return Picture(figure, " ".join(text))

    def _size(self, rows: pd.DataFrame) -> str:
        """The number of public rows for a title, where it is known."""
        n = (self.rows or {}).get(rows["dataset"].iloc[0])
        return f", n = {n:,}" if n else ""

    def _draw(self, ax: Axes, setting: Mechanism, rows: pd.DataFrame) -> str:
        """Draw the lines of one panel; words on where they end."""
        from matplotlib.ticker import MaxNLocator

        public = f"actual public {'accuracy' if self.accuracy else 'score'}"
        columns = {"score_released": "what the board shows", "score_public": public}
        looks = {
            "score_released": {"color": INK, "linewidth": 2.0},
            "score_public": {"color": PUBLIC_LOOK.line, "linewidth": 2.0, "dashes": (2, 1)},
        }
        table = rows.pivot(index=["k", "point"], columns="replicate", values=[*columns])
        table = table.droplevel("point").astype(float)
        table = 1 - table if self.accuracy else table
        shown = [column for column in columns if table[column].notna().any(axis=None)]
        # Steps: nothing is known of a replicate between two points.
        steps = {"drawstyle": "steps-post"}
        scores = table[shown[0]]
        thin = {"color": line_colour(setting), "linewidth": 0.7, "alpha": 0.5}
        one = {"label": f"{columns[shown[0]]}, one attack"}
        ax.plot(scores.iloc[:, : self.lines], **thin, **one, **steps)
        for column in shown:
            median = {"label": f"{columns[column]}, median", "zorder": 3} | looks[column]
            ax.plot(table[column].median(axis=1), **median, **steps)
        last, end = table.index[-1], scores.iloc[-1].dropna()
        ax.set_xlim(0, 1.02 * last)
        ax.xaxis.set_major_locator(MaxNLocator(5))
        tick(ax.xaxis)
        none = "" if len(shown) > 1 else " (the public one, because it shows none)"
        span = f"{signed(end.min(), 3)} to {signed(end.max(), 3)}"
        return (
            f"{signed(end.median(), 3)}{none} after {last:,.0f} submissions ({span} in "
            f"{counted(end.size, 'replicate')})"
        )


def _step(setting: Mechanism) -> float:
    """The board's step if it is the same for any number of public rows; 0 if not."""
    of_one, of_two = (setting.release.step_for(n) for n in (1, 2))
    return of_one if of_one == of_two else 0.0

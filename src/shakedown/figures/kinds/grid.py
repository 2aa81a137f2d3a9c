"""Mechanisms over all combinations of the test's level and b (Fig. 4, 6, S2 to S5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from shakedown.component import parameter
from shakedown.figures import captions, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.roles import Roles
from shakedown.figures.selection import rows_of, settings_in
from shakedown.figures.style import look_of
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import signed

if TYPE_CHECKING:
    import pandas as pd


class Grid(FigureKind):
    """Box plots in panels: level of the test (columns) by bootstrap replications b (rows).

    A mechanism without a level, or without b, stands in each panel of the row or column.
    """

    name: ClassVar[str] = "grid"
    label: ClassVar[str] = "Grid"
    sentence: ClassVar[str] = "Δ, or the public score, by level of the test and b."
    source: ClassVar[str] = "[C] Fig. 4, 6, S2 to S5"
    order: ClassVar[float] = 4

    value: Literal["delta", "score_public"] = parameter("delta", description="What is shown.")

    def picture(self, rows):
        figure, text = draw_grid(rows, kind=self.name, value=self.value, row_height=1.9)
        metric = panels.metric_of(rows)
        what = metric.delta_name if self.value == "delta" else f"Public {metric.label}"
        ends = self._say_ends(rows)
        return Picture(figure, f"{what} {captions.of_final_model(rows)} {ends} {text}")

    def _say_ends(self, rows: pd.DataFrame) -> str:
        """The largest and the smallest median of a setting at the last point."""
        last = rows[(rows["point"] == rows["point"].max()).to_numpy(dtype=bool)]
        values = last.astype({self.value: float}).groupby("setting", observed=True)[self.value]
        medians = values.median().rename(lambda setting: of_setting(str(setting)).title)
        medians = medians.sort_values(kind="stable")
        ends = [f"{signed(medians.iloc[i], 3)} ({medians.index[i]})" for i in (0, -1)]
        if len(medians) == 1:
            return f"Median at the right: {ends[0]}."
        return f"Medians at the right of panels: from {ends[0]} to {ends[1]}."


def draw_grid(rows: pd.DataFrame, *, kind: str, value: str = "delta", **settings) -> Picture:
    """Draw a panel for each level of the test, and for each noise, its settings side by side.

    Parameters
    ----------
    value : {"delta", "score_public"}
    **settings
        Of `draw_spread`.

    Raises
    ------
    InputError
        If the settings cannot share a grid.
    """
    from shakedown.figures.spread import PanelPart, draw_spread

    roles = Roles(settings_in(rows), kind=kind)
    parts, looks = [], {}
    for row, column, setting in roles.panels():
        name = roles.series(setting)
        looks[name] = look_of(setting, variant=roles.variant(setting))
        parts.append(PanelPart(row, column, column, rows_of(rows, setting), value, {value: name}))
    figure, text = draw_spread(rows, parts, looks, **settings)
    if len(roles.noises) > 1:
        text = f"A mechanism without {roles.noise} is repeated in each row of panels. {text}"
    return Picture(figure, text)

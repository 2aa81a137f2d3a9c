"""Mechanisms over all combinations of the test's level and b (Fig. 4, 6, S2 to S5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from shakedown.component import parameter
from shakedown.figures import captions, findings, panels
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.roles import Roles
from shakedown.figures.selection import rows_of, settings_in
from shakedown.figures.style import look_of
from shakedown.wording import listed

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
        ends = findings.range_of_medians(rows, self.value)
        real = self.value != "delta" and "splits" in set(rows["design"].astype(str))
        part = "Part of the gain is real, as the signal is kept. " * real
        caption = f"{ends} {part}{what} {captions.of_final_model(rows)} {text}"
        return Picture(figure, caption.strip())


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
        noisy = list(dict.fromkeys(s.label for s in roles.settings if type(s).noises()))
        head = f"{listed(noisy)} with {row}" if row else ""
        parts.append(PanelPart(head, column, column, rows_of(rows, setting), value, {value: name}))
    figure, text = draw_spread(rows, parts, looks, **settings)
    labels = [s.label for s in roles.settings if s.parameters.get(roles.noise) is None]
    if len(roles.noises) > 1 and labels:
        names = listed(list(dict.fromkeys(labels)))
        sign = next(s.symbol(roles.noise) for s in roles.settings if roles.noise in s.parameters)
        have = "has" if len(set(labels)) == 1 else "have"
        text = f"{names} {have} no {sign}: the same boxes in every row. {text}"
    return Picture(figure, text)

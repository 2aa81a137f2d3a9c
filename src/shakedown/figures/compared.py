"""Mechanisms side by side in panels: levels of a test across, noise of the release down."""

from __future__ import annotations

import pandas as pd

from shakedown.figures.kind import Picture
from shakedown.figures.roles import Roles
from shakedown.figures.selection import rows_of, settings_in
from shakedown.figures.spread import Part, draw_spread
from shakedown.figures.style import look_of

SCORES = {"score_public": ", public", "score_final": ", final"}


def draw_compared(
    rows: pd.DataFrame, *, kind: str, value: str = "delta", by_noise: bool = False, **settings
) -> Picture:
    """Draw a panel for each level of the test, and for each noise, its settings side by side.

    Parameters
    ----------
    value : {"delta", "score_public", "scores"}
        "scores" draws the public score filled and the final score hollow.
    by_noise : bool
        Whether there may be several values of the noise, in rows of panels.
    **settings
        Of `draw_spread`.

    Raises
    ------
    InputError
        If the settings cannot share a grid.
    """
    roles = Roles(settings_in(rows), kind=kind)
    if not by_noise:
        roles.check_one_noise()
    columns = SCORES if value == "scores" else {value: ""}
    parts, looks = [], {}
    for row, column, setting in roles.panels():
        series = {name: f"{roles.series(setting)}{words}" for name, words in columns.items()}
        for name, words in series.items():
            looks[words] = look_of(
                setting, variant=roles.variant(setting), hollow=name == "score_final"
            )
        row = row if by_noise else ""
        parts.append(Part(row, column, column, rows_of(rows, setting), value, series))
    figure, text = draw_spread(rows, parts, looks, **settings)
    if by_noise and roles.noise:
        text = f"A mechanism without {roles.noise} is repeated in each row of panels. {text}"
    return Picture(figure, text)

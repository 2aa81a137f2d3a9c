"""Drawing a figure of a kind, and writing its caption, from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shakedown.figures.kind import KINDS, Picture, pictured

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def picture(kind: str, frame: pd.DataFrame, **settings: object) -> Picture:
    """Draw a figure and write its caption.

    Parameters
    ----------
    kind : str
        One of `KINDS`, or the import path of a `FigureKind`.
    frame : DataFrame
        The table that the kind reads: outcomes, traces, release_variability or bounds.
    **settings
        Parameters of the kind, and criteria that select rows (see `selection.choose`), such as
        ``dataset="ad_like", mechanism=["ladder", "ladderboot"], alpha=0.15``.

    Returns
    -------
    Picture
        The figure, `style.PAGE_WIDTH` inches wide, and its caption.

    Raises
    ------
    InputError
        If the kind or a setting is unknown, or the selected rows do not fit the kind.
    """
    from shakedown.figures.selection import choose

    own = KINDS.find(kind).model_fields
    one = KINDS.make(kind, **{k: v for k, v in settings.items() if k in own})
    criteria = {k: v for k, v in settings.items() if k not in own and v is not None}
    return pictured(one, choose(frame, criteria, kind=kind, own=own))


def draw(kind: str, frame: pd.DataFrame, **settings: object) -> Figure:
    """The figure alone; parameters and errors are those of `picture`."""
    return picture(kind, frame, **settings).figure


def caption(kind: str, frame: pd.DataFrame, *, study: str, seed: int, **settings: object) -> str:
    """The caption with study and seed; other parameters and errors are those of `picture`."""
    return f"{picture(kind, frame, **settings).caption} Study {study}, seed {seed}."

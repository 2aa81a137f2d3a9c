"""A figure with its words, ready for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from shakedown.report.page import FigureCard
from shakedown.report.svg import embedded


def figure_cards(
    svgs: Iterable[str], pngs: Iterable[str], captions: Iterable[str],
    titles: Mapping[str, str], command: str,
) -> tuple[dict[str, FigureCard], dict[str, FigureCard]]:  # fmt: skip
    """Cards of figures that are laid out for a page and, as ``<name>_narrow``, for phones.

    Parameters
    ----------
    svgs, pngs, captions : iterable of str
        The files of each figure.
    titles : mapping of str to str
        By the figure's name.
    command : str
        What draws a figure again, if its .svg file stands behind it.

    Returns
    -------
    wide, narrow : dict of str to FigureCard
        By name.
    """
    wide, narrow = {}, {}
    for svg, png, told in zip(svgs, pngs, captions, strict=True):
        id = Path(svg).stem
        name = id.removesuffix("_narrow")
        caption = Path(told).read_text("utf-8")
        card = FigureCard(id, titles[name], caption, svg, png, f"{command} {svg}")
        (wide if id == name else narrow)[name] = card
    return wide, narrow


def picture(
    wide: Mapping[str, FigureCard], narrow: Mapping[str, FigureCard], name: str, number: int
) -> dict[str, Any] | None:
    """A figure by its name, wide and, where there is one, for phones; None where it is missing.

    `number` keeps the ids of the figures of a page apart.
    """
    card = wide.get(name)
    if card is None:
        return None
    slim = narrow.get(name)
    # Our own files, rebuilt element by element: safe to put in as they are.
    return {
        "card": card,
        "wide": Markup(
            embedded(card.svg_path, card.png_path, prefix=f"w{number}-", alt=card.title)
        ),
        "narrow": slim
        and Markup(embedded(slim.svg_path, slim.png_path, prefix=f"n{number}-", alt=card.title)),
    }

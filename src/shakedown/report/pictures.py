"""A figure with its words, ready for a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from shakedown.report.page import FigureCard
from shakedown.report.svg import embedded


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

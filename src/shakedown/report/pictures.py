"""A figure of a page: its files, its words, and the picture inside of the page."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from shakedown.interface import InputError

#: Bytes up to which an SVG is put into a page; a larger one is shown as pixels.
SMALL = 40_000


@dataclass(frozen=True)
class FigureCard:
    """A figure of a page.

    Attributes
    ----------
    id : str
        Its id in the configuration.
    title, caption : str
    svg_path, png_path : path
        The files it was saved to.
    command : str
        What to type to draw just this one again.
    """

    id: str
    title: str
    caption: str
    svg_path: str | Path
    png_path: str | Path
    command: str

    @property
    def anchor(self) -> str:
        """Where links to it lead."""
        return "figure-" + re.sub(r"[^A-Za-z0-9_-]+", "-", self.id)


def figure_cards(
    svgs: Iterable[str], pngs: Iterable[str], captions: Iterable[str],
    titles: Mapping[str, str], command: str,
) -> dict[str, FigureCard]:  # fmt: skip
    """Cards of figures, by name.

    Parameters
    ----------
    svgs, pngs, captions : iterable of str
        The files of each figure.
    titles : mapping of str to str
        By the figure's name.
    command : str
        What draws a figure again, if its name stands behind it.
    """
    cards = {}
    for svg, png, path in zip(svgs, pngs, captions, strict=True):
        name = Path(svg).stem
        caption = Path(path).read_text("utf-8")
        cards[name] = FigureCard(name, titles[name], caption, svg, png, f"{command} {name}")
    return cards


def placed(
    cards: Mapping[str, FigureCard], names: Sequence[str], page: str
) -> dict[str, FigureCard | None]:
    """A page's figures by name; None for missing ones.

    Raises
    ------
    InputError
        If a figure has no place among `names`.
    """
    if unknown := sorted(set(cards) - set(names)):
        raise InputError(
            f"the {page}'s page has no place for the figures {unknown}; wanted some of "
            f"{list(names)}."
        )
    return {name: cards.get(name) for name in names}


def picture(card: FigureCard) -> Markup:
    """An ``<img>`` that holds the figure itself: the SVG where that is small, else its pixels.

    Raises
    ------
    InputError
        If the file that is needed does not exist.
    """
    svg, png = Path(card.svg_path), Path(card.png_path)
    if svg.is_file() and svg.stat().st_size <= SMALL:
        kind, content = "svg+xml", svg.read_bytes()
    elif png.is_file():
        kind, content = "webp", _in_few_colours(png)
    else:
        raise InputError(
            f"the page needs the figure {png}, which does not exist. Draw it first: "
            f"{card.command or 'run the study again'}."
        )
    data = base64.b64encode(content).decode()
    return Markup('<img alt="{}" src="data:image/{};base64,{}">').format(card.title, kind, data)


def _in_few_colours(png: Path) -> bytes:
    """The same figure in 64 colours, which nobody tells apart, and in half the bytes."""
    from PIL import Image

    file = io.BytesIO()
    with Image.open(png) as image:
        few = image.convert("RGB").quantize(64, dither=Image.Dither.NONE)
        few.convert("RGB").save(file, "WEBP", lossless=True, quality=20)
    return file.getvalue()

"""A figure of a page: its files, its words, and the picture inside of the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture

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
    path : path
        The SVG that it was saved to; `figures.save` puts a PNG of the same name beside it.
    command : str
        What to type to draw just this one again.
    """

    id: str
    title: str
    caption: str
    path: Path
    command: str

    @classmethod
    def drawn(cls, drawing: Picture, name: str, title: str, folder: str) -> FigureCard:
        """The card of a picture that is drawn for one page, and saved in this folder for it."""
        from shakedown.figures.saving import save

        path = Path(folder, f"{name}.svg")
        save(drawing.figure, path, path.with_suffix(".png"))
        return cls(name, title, drawing.caption, path, "")

    def picture(self) -> Markup:
        """An ``<img>`` with the figure inside: the SVG where that is small, else its pixels."""
        if self.path.stat().st_size <= SMALL:
            kind, content = "svg+xml", self.path.read_bytes()
        else:
            kind, content = "webp", _smaller(self.path.with_suffix(".png"))
        data = base64.b64encode(content).decode()
        return Markup('<img alt="{}" src="data:image/{};base64,{}">').format(self.title, kind, data)

    def cells(self) -> Markup:
        """The layer of cells that lies over the figure of a map; "" for other figures."""
        from shakedown.figures.cells import layer_in

        return Markup(layer_in(self.path.read_text("utf-8")))


def figure_cards(
    svgs: Iterable[str], titles: Mapping[str, str], command: str
) -> dict[str, FigureCard]:
    """Cards of figures, by name.

    Parameters
    ----------
    svgs : iterable of str
        The file of each figure; its caption lies beside it.
    titles : mapping of str to str
        By the figure's name.
    command : str
        What draws a figure again, if its name stands behind it; "" for nothing.
    """
    cards = {}
    for path in map(Path, svgs):
        name, caption = path.stem, path.with_suffix(".txt").read_text("utf-8")
        again = f"{command} {name}" if command else ""
        cards[name] = FigureCard(name, titles[name], caption, path, again)
    return cards


def _smaller(png: Path) -> bytes:
    """A PNG as a WebP, with the same pixels."""
    from PIL import Image

    file = io.BytesIO()
    with Image.open(png) as image:
        image.convert("RGB").save(file, "WEBP", lossless=True, quality=20, method=2)
    return file.getvalue()

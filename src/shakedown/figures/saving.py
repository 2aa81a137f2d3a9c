"""Writing a figure: the same figure gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shakedown.data.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = {
    # Ids in the file are hashed with this instead of something random.
    "svg.hashsalt": "shakedown",
    # Letters as shapes: the page then looks the same on machines without the font.  matplotlib
    # stores each letter once and reuses it, so this costs some 20 KB a figure.
    "svg.fonttype": "path",
}
_DPI = 150


def save(figure: Figure, path_svg: str | Path, path_png: str | Path) -> None:
    """Write a figure as SVG and as PNG (150 dpi, 256 colours), each in one go.

    Each file is written under another name and then renamed, so that nobody reads half a file.
    Directories are made where needed.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from PIL import Image

    from shakedown.figures.cells import layer
    from shakedown.figures.style import THEME

    # Both files have the layout of the first.  Figure.savefig would draw each of them once more
    # to find a layout, which takes as long as drawing.
    engine, dpi = figure.get_layout_engine(), figure.dpi
    figure.set_dpi(_DPI)
    with mpl.rc_context(THEME | _SVG):  # some ticks are made as late as here
        with replacing(Path(path_svg)) as part:
            about = {"Date": None, "Creator": None}
            FigureCanvasSVG(figure).print_svg(part, metadata=about)
            _add(layer(figure), part)
        figure.set_layout_engine("none")
        figure.set_dpi(_DPI)  # which the SVG has set to its own
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    figure.set_layout_engine(engine)
    figure.set_dpi(dpi)
    # Where bands overlap there are thousands of colours, which would take three times the bytes.
    # The method keeps a rare colour, such as that of a mark in the legend; means of the pixels of
    # each then take its colour casts away, which show in greys.
    pixels = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    few = pixels.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    with replacing(Path(path_png)) as part:
        few.save(part, format="png", dpi=(_DPI, _DPI))


def _add(layer: str, path: Path) -> None:
    """Put a layer over what an SVG shows."""
    if layer:
        drawn, end, _ = path.read_text("utf-8").rpartition("</svg>")
        path.write_text(f"{drawn}{layer}\n{end}\n", encoding="utf-8")

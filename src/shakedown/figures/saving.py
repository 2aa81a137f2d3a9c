"""Writing a figure: the same figure gives the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib as mpl
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
    """Write a figure as SVG and as PNG (150 dpi), each in one go.

    A reader never meets half a file: it is written beside its place and then moved there.

    Parameters
    ----------
    figure : Figure
    path_svg, path_png : path
        Their directories are made where needed.
    """
    with mpl.rc_context(_SVG):
        _write(figure, Path(path_svg), format="svg", metadata={"Date": None, "Creator": None})
        # Both files have the layout of the first; to find it costs as much as to draw.
        engine = figure.get_layout_engine()
        figure.set_layout_engine("none")
        _write(figure, Path(path_png), format="png", dpi=_DPI, metadata={"Software": None})
        figure.set_layout_engine(engine)


def _write(figure: Figure, path: Path, **how) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        figure.savefig(part, **how)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

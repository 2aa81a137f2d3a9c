"""Figures inside a page: as SVG where that is small, else as a picture."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

from shakedown.interface import InputError

#: Bytes up to which an SVG is put into the page as it is.
SMALL = 400_000

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def embedded(path_svg: str | Path, path_png: str | Path, *, prefix: str, alt: str) -> str:
    """A figure as HTML that refers to nothing outside the page.

    Parameters
    ----------
    path_svg, path_png : path
        The two files of a figure.
    prefix : str
        Set before the ids in the SVG, so that those of two figures do not clash.
    alt : str
        What a reader hears who cannot see the figure.

    Returns
    -------
    str
        An ``<svg>`` or ``<img>`` element.

    Raises
    ------
    InputError
        If the file that is needed does not exist, or the SVG is none.
    """
    svg, png = Path(path_svg), Path(path_png)
    if svg.is_file() and svg.stat().st_size <= SMALL:
        return inline(svg.read_text(encoding="utf-8"), prefix=prefix, alt=alt, name=str(svg))
    if not png.is_file():
        raise InputError(
            f"the report needs the figure {png}, which does not exist. "
            "Draw it first: the figure's id is a target of its own."
        )
    image = ElementTree.Element("img")
    image.set("src", "data:image/png;base64," + base64.b64encode(png.read_bytes()).decode())
    image.set("alt", alt)
    return ElementTree.tostring(image, encoding="unicode", method="html")


def inline(text: str, *, prefix: str, alt: str, name: str = "figure") -> str:
    """An SVG document as an element of a page.

    Comments, metadata, styles and scripts are left out, ids get the prefix, and the size is left to
    the page.

    Raises
    ------
    InputError
        If the text is not SVG.
    """
    try:
        root = ElementTree.fromstring(text)  # drops comments and the document type
    except ElementTree.ParseError as e:
        raise InputError(f"{name} is not an SVG file ({e}). Delete it and draw it again.") from e
    if root.tag != f"{{{_SVG}}}svg":
        raise InputError(f"{name} is not an SVG file. Delete it and draw it again.")
    # matplotlib's <style> has rules for every element of the page; style.css holds what it needs.
    _drop(root, {f"{{{_SVG}}}{tag}" for tag in ("metadata", "style", "script")})
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            element.set(key, _with_prefix(key, value, prefix))
            if key.startswith("on"):
                del element.attrib[key]
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _with_prefix(key: str, value: str, prefix: str) -> str:
    if key == "id":
        return prefix + value
    if key in ("href", f"{{{_XLINK}}}href") and value.startswith("#"):
        return f"#{prefix}{value[1:]}"
    return _REFERENCE.sub(rf"url(#{prefix}\1)", value)


def _drop(element: ElementTree.Element, tags: set[str]) -> None:
    for child in list(element):
        if child.tag in tags:
            element.remove(child)
        else:
            _drop(child, tags)

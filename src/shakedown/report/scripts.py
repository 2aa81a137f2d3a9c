"""The scripts of pages: each is a file beside the templates, and stands inside of the pages."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from markupsafe import Markup


@dataclass(frozen=True)
class Script:
    """A script as a page holds it.

    Attributes
    ----------
    text : Markup
        The program, between the tags.
    digest : str
        By which the page's policy lets it run; no other script does.
    """

    text: Markup
    digest: str


@cache
def script(name: str) -> Script:
    """The script of a file `<name>.js`."""
    text = files("shakedown.report").joinpath(f"{name}.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(Markup(text), f"sha256-{digest}")

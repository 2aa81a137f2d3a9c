"""The templates of the pages, and what they print numbers and names with."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from shakedown.report.pictures import picture
from shakedown.wording import amount, counted, signed


def environment() -> Environment:
    """Templates of the pages, which escape whatever is put in."""
    # The template's name ends in .j2, so escaping must be the default and not go by the suffix.
    made = Environment(
        loader=PackageLoader("shakedown.report", "."),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"picture": picture, "signed": signed, "amount": amount, "counted": counted}
    made.filters |= {"thousands": "{:,}".format, "firm": firm}
    return made


def firm(text: str) -> str:
    """The text with each "α = 0.5" and each "5 %" kept in one line."""
    return text.replace(" = ", "\u00a0=\u00a0").replace("≥ ", "≥\u00a0").replace(" %", "\u00a0%")

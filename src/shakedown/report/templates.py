"""What all pages hold, and the templates that they are written with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from shakedown.interface import InputError
from shakedown.report.pictures import FigureCard
from shakedown.report.scripts import script
from shakedown.wording import amount, counted, signed

# An option of a command line with its value, which may be in quotes.
_OPTION = re.compile(r"""--[\w-]+(?:[ =](?!--)(?:'[^']*'|"[^"]*"|\S+))?""")


@dataclass(frozen=True, eq=False, kw_only=True)
class PageContent:
    """What all pages hold.

    Attributes
    ----------
    study : str
    seed : int
    figures : mapping of str to FigureCard
        By name.
    versions : mapping of str to str
        Package (and Python) to version.
    config_text : str
        The complete configuration.
    """

    study: str
    seed: int
    figures: Mapping[str, FigureCard] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""

    def placed(self, names: Sequence[str]) -> dict[str, FigureCard | None]:
        """The figures that have a place on a page; None for missing ones.

        Raises
        ------
        InputError
            If a figure has no place among `names`.
        """
        if unknown := sorted(set(self.figures) - set(names)):
            raise InputError(
                f"the page has no place for the figures {unknown}; wanted some of {list(names)}."
            )
        return {name: self.figures.get(name) for name in names}


def environment() -> Environment:
    """What all templates know; they escape whatever is put in."""
    # The template's name ends in .j2, so escaping does not go by the suffix.
    made = Environment(
        loader=PackageLoader("shakedown.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"signed": signed, "amount": amount, "counted": counted, "firm": firm}
    made.filters |= {"thousands": "{:,}".format, "command": command}
    made.globals["script"] = script
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}  # keys in their order
    return made


def rendered(template: str, content: PageContent, **parts: object) -> str:
    """A page of a template."""
    return environment().get_template(template).render(content=content, **parts)


def firm(text: str) -> str:
    """The text with each "α = 0.5" and each "5 %" kept in one line."""
    return text.replace(" = ", "\u00a0=\u00a0").replace("≥ ", "≥\u00a0").replace(" %", "\u00a0%")


def command(text: str) -> Markup:
    """A command line of which each option stays on one line with its value, if there is room."""
    parts, end = [], 0
    for option in _OPTION.finditer(text):
        parts += [escape(text[end : option.start()])]
        parts += [Markup('<span class="option">{}</span>').format(option[0])]
        end = option.end()
    return Markup("").join([*parts, escape(text[end:])])

"""The report page: one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from shakedown.interface import InputError
from shakedown.report.glossary import GLOSSARY
from shakedown.report.ledger import summed_up, tally, verdicts
from shakedown.report.overview import COLUMNS, overview
from shakedown.report.svg import embedded
from shakedown.report.tables import table

# Questions of the overview that are seen at once, and rows of a table that is not folded away.
_FIRST = 6
_SHORT = 15


@dataclass(frozen=True)
class FigureCard:
    """A figure of the report.

    Attributes
    ----------
    id : str
        Its id, which is also its target.
    title, caption : str
    svg_path, png_path : path
        The files it was saved to.
    command : str
        What to type to draw just this one again.
    claims : DataFrame, optional
        What the paper says of it, and what was found; see `ledger.verdicts`.
    """

    id: str
    title: str
    caption: str
    svg_path: str | Path
    png_path: str | Path
    command: str
    claims: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class TableCard:
    """A table of the report: title, a note on what it holds, and the rows."""

    title: str
    note: str
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class ReportContent:
    """All that a report holds.

    Attributes
    ----------
    study : str
    seed : int
    headline : sequence of str
        The sentences on top; see `shakedown.report.headline`.
    key_results : DataFrame
        See `shakedown.report.key_results`; the page starts with an `overview` of them.
    figures : sequence of FigureCard
    tables : sequence of TableCard
    data_notes : mapping of str to sequence of str
        For each data set how it was made, read and checked.
    versions : mapping of str to str
        Package (and Python) to version.
    config_text : str
        The complete configuration.
    claims : DataFrame, optional
        The whole ledger; see `ledger.verdicts`.
    sensitivity : sequence of TableCard
        What the paper leaves open: a table for each question.
    bounds : TableCard, optional
        The errors that theory guarantees beside those that attacks reached.
    """

    study: str
    seed: int
    headline: Sequence[str]
    key_results: pd.DataFrame
    figures: Sequence[FigureCard] = ()
    tables: Sequence[TableCard] = ()
    data_notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""
    claims: pd.DataFrame | None = None
    sensitivity: Sequence[TableCard] = ()
    bounds: TableCard | None = None


def render(content: ReportContent) -> str:
    """The page as HTML.

    The same content gives the same bytes: nothing in it depends on the clock or the machine.

    Parameters
    ----------
    content : ReportContent

    Returns
    -------
    str

    Raises
    ------
    InputError
        If two figures have the same id, a figure's file is missing or damaged, or the claims
        lack a column.
    """
    anchors: dict[str, FigureCard] = {}
    for card in content.figures:
        anchor = "figure-" + re.sub(r"[^A-Za-z0-9_-]+", "-", card.id)
        if anchor in anchors:
            raise InputError(
                f"two figures of the report are called {anchors[anchor].id!r} and {card.id!r}; "
                "give one of them another id."
            )
        anchors[anchor] = card
    figures = [
        {
            "anchor": anchor,
            "card": card,
            "claims": None if card.claims is None else verdicts(card.claims, study=content.study),
            # Our own file, rebuilt element by element: safe to put in as it is.
            "picture": Markup(
                embedded(card.svg_path, card.png_path, prefix=f"f{n}-", alt=card.title)
            ),
        }
        for n, (anchor, card) in enumerate(anchors.items(), start=1)
    ]
    ledger = [] if content.claims is None else verdicts(content.claims, study=content.study)
    template = environment().get_template("template.html.j2")
    return template.render(
        content=content,
        questions=overview(content.key_results),
        columns=list(COLUMNS),
        first=_FIRST,
        boards=len(content.key_results),
        tally=tally(ledger),
        summed_up=summed_up,
        ledger=ledger,
        failed=[v for v in ledger if v.verdict == "does not hold"],
        near=[v for v in ledger if v.verdict.startswith("does not hold,")],
        places={card.id: anchor for anchor, card in anchors.items()},
        figures=figures,
        sensitivity=[{"card": card, "table": table(card.frame)} for card in content.sensitivity],
        bounds=None if content.bounds is None else table(content.bounds.frame),
        tables=[
            {"card": card, "table": table(card.frame), "long": len(card.frame) > _SHORT}
            for card in content.tables
        ],
        glossary=GLOSSARY,
    )


def environment() -> Environment:
    """Templates of the pages, which escape whatever is put in."""
    # The template's name ends in .j2, so escaping must be the default and not go by the suffix.
    return Environment(
        loader=PackageLoader("shakedown.report", "."),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

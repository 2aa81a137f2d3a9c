"""The page of a meter: what files can reveal, team by team; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shakedown.provenance import versions
from shakedown.report.leak import PACKAGES
from shakedown.report.pictures import FigureCard
from shakedown.report.templates import rendered

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture


@dataclass(frozen=True, eq=False, kw_only=True)
class PageTable:
    """A table of a page: its heads, and the cells of its rows."""

    heads: Sequence[str]
    cells: Sequence[Sequence[str]]

    @property
    def columns(self) -> list[tuple[str, str]]:
        return [(head, str(k)) for k, head in enumerate(self.heads)]

    @property
    def rows(self) -> list[Mapping[str, str]]:
        return [{str(k): cell for k, cell in enumerate(row)} for row in self.cells]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeterContent:
    """All that the page shows.

    Attributes
    ----------
    files, sentence : str
        The files with the board, and the answer.
    paragraphs : sequence of str
        What can be revealed and gained.
    within : str
        What the table `needs` is for.
    needs, teams, costly : PageTable
    conditions : str
    picture : Picture
    """

    files: str
    sentence: str
    paragraphs: Sequence[str]
    within: str
    needs: PageTable
    teams: PageTable
    costly: PageTable
    conditions: str
    picture: Picture
    config_text: str = ""

    @property
    def versions(self) -> dict[str, str]:
        return versions(PACKAGES)


def render_meter(content: MeterContent) -> str:
    """The page as HTML; the same content gives the same bytes."""
    with TemporaryDirectory() as folder:
        card = FigureCard.drawn(content.picture, "degrees_by_file", "Degrees by file", folder)
        return rendered("meter.html.j2", content, card=card)

"""The page of a bound: what a leaderboard can reveal, and what follows; one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shakedown.provenance import versions
from shakedown.report.pictures import FigureCard
from shakedown.report.templates import rendered

if TYPE_CHECKING:
    from shakedown.figures.kind import Picture

PACKAGES = ("numpy", "scipy", "matplotlib")


@dataclass(frozen=True, eq=False, kw_only=True)
class LeakContent:
    """All that the page shows.

    Attributes
    ----------
    board, sentence : str
        The board with its use, and the answer.
    paragraphs : sequence of str
        What can be revealed and gained.
    within : str
        What the table is for; its columns are `heads`, its rows `needs` in words with their cells.
    conditions : str
        Of the bound.
    picture : Picture or None
    """

    board: str
    sentence: str
    paragraphs: Sequence[str]
    within: str
    heads: Sequence[str]
    needs: Sequence[Sequence[str]]
    conditions: str
    picture: Picture | None
    config_text: str = ""

    @property
    def versions(self) -> dict[str, str]:
        return versions(PACKAGES)


def render_leak(content: LeakContent) -> str:
    """The page as HTML; the same content gives the same bytes."""
    with TemporaryDirectory() as folder:
        card = None
        if content.picture is not None:
            title = "Gain by public rows"
            card = FigureCard.drawn(content.picture, "gain_by_rows", title, folder)
        return rendered(
            "leak.html.j2",
            content,
            card=card,
            columns=[("Needed", "0"), *((head, str(k)) for k, head in enumerate(content.heads, 1))],
            rows=[{str(k): cell for k, cell in enumerate(row)} for row in content.needs],
        )

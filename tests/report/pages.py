"""What the tests of the pages of dry runs and replays share."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt

from shakedown.figures import save
from shakedown.report.pictures import FigureCard
from tests.report.test_page import Page, words


def cards_of(names, folder) -> dict[str, FigureCard]:
    """A card with a picture for each figure."""
    cards = {}
    for name in names:
        figure, ax = plt.subplots()
        ax.plot([0, 1])
        path = folder / f"{name}.svg"
        save(figure, path, path.with_suffix(".png"))
        plt.close(figure)
        said = {"title": f"The {name}", "caption": f"What {name} shows.", "command": ""}
        cards[name] = FigureCard(id=name, path=path, **said)
    return cards


def section(text: str, name: str) -> str:
    """A section of a page."""
    return text.split(f'<section id="{name}">')[1].split("</section>")[0]


def read(html: str) -> str:
    """The text of a piece of a page."""
    return words(Page(html)).replace("\u00a0", " ")


def check_links(html: str, sections: list[str]) -> None:
    """See that ids are unique, all sections are there in order, and links lead to some of them."""
    page = Page(html)
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    assert [i for i in page.ids if i in sections] == sections
    assert set(sections) <= set(inside)


def check_alone(html: str) -> None:
    """See that a page loads nothing, from anywhere, and runs the package's scripts alone."""
    page = Page(html)
    assert all(link.startswith(("#", "data:image/")) for link in page.links)
    assert page.has_only_own_scripts()
    assert not {"link", "iframe", "object"} & set(page.tags)
    assert not re.findall(r"https?://", html)
    assert not re.search(r"url\((?!#)", html)
    assert "default-src 'none'" in html

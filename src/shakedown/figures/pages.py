"""Figures of a page: each shows tables of one analysis as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from shakedown.component import Component, Registry
from shakedown.figures.kind import Picture, pictured


class PageFigure(Component):
    """A figure of a page.

    Derive from it, declare the parameters, and write `picture`.

    Attributes
    ----------
    reads : mapping of str to tuple of str
        The tables that it shows, by name, and the columns that it needs of each.
    """

    kind: ClassVar[str] = "page figure"
    reads: ClassVar[Mapping[str, tuple[str, ...]]]

    def check(self, tables: Mapping[str, Any]) -> None:
        """See that there are rows with the columns that it needs.

        Raises
        ------
        InputError
            If a column or all rows are missing.
        """
        from shakedown.figures.selection import require

        for name, columns in self.reads.items():
            require(tables[name], columns, kind=self.name)

    def picture(self, tables: Mapping[str, Any]) -> Picture:
        """The figure, `style.PAGE_WIDTH` inches wide, and its caption without study and seed."""
        raise NotImplementedError


def figures_of(registry: Registry, settings: Mapping[str, object]) -> list[PageFigure]:
    """All figures of a page, each with those of the settings that it has a parameter for."""
    return [
        kind(**{key: settings[key] for key in kind.model_fields if key in settings})
        for kind in registry.classes.values()
    ]


def titles_of(registry: Registry) -> dict[str, str]:
    """What a page calls the figures of a registry, by name."""
    return {name: figure.label for name, figure in registry.classes.items()}


def draw_files(
    figures: Iterable[PageFigure],
    tables: Mapping[str, Any],
    paths: Iterable[str],
    *,
    study: str,
    seed: int,
) -> None:
    """Draw figures of a page, and write their captions.

    `paths` are the .svg files, which say which figures; .png and .txt files are put beside them.
    """
    from shakedown.figures.saving import save

    by_name = {figure.name: figure for figure in figures}
    for path in map(Path, paths):
        figure, caption = pictured(by_name[path.stem], tables)
        save(figure, path, path.with_suffix(".png"))
        text = f"{caption} Study {study}, seed {seed}.\n"
        path.with_suffix(".txt").write_text(text, encoding="utf-8")

"""What all answers have: a sentence, a table of limits, figures and a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

from shakedown.data.files import replacing
from shakedown.interface import InputError, guess

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from shakedown.component import Registry
    from shakedown.figures.kind import Picture

# What needs pandas or matplotlib is imported where it is used: a command prints a sentence at once.


class Answer:
    """The answer to a question, as a function returns it and a command prints it.

    Derive from it, and write `answer`, `sentence`, `limits`, `picture` and `page`.

    Attributes
    ----------
    figures : tuple of str
        Names of its figures.
    """

    figures: ClassVar[tuple[str, ...]]

    @property
    def answer(self) -> str | dict[str, Any]:
        """The answer: a sentence, or a record of JSON types."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """The answer in words."""
        raise NotImplementedError

    @property
    def limits(self) -> pd.DataFrame:
        """The numbers behind the sentence."""
        raise NotImplementedError

    def picture(self, name: str) -> Picture:
        """A figure of `figures` with its caption."""
        raise NotImplementedError

    def page(self) -> str:
        """The page, as HTML that needs no other file."""
        raise NotImplementedError

    def figure(self, name: str) -> Figure:
        """Draw a figure.

        Parameters
        ----------
        name : str
            One of `figures`.

        Raises
        ------
        InputError
            If there is no such figure.
        """
        return self._picture(name).figure

    def caption(self, name: str) -> str:
        """What a figure shows, and how to read it; parameters as in `figure`."""
        return self._picture(name).caption

    def report(self, path: str | Path) -> Path:
        """Write the page, one HTML file; missing folders are made.

        Returns
        -------
        Path
            That of the file.
        """
        page = self.page()
        with replacing(path) as unfinished:
            unfinished.write_text(page, encoding="utf-8")
        return Path(path)

    def _picture(self, name: str) -> Picture:
        if name not in self.figures:
            raise InputError(
                f"There is no figure '{name}'.{guess(name, self.figures)} Wanted one of: "
                f"{', '.join(self.figures)}."
            )
        return self.picture(name)

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>\n{_html(self.limits)}"


class PageAnswer(Answer):
    """An answer whose figures and page are those that a command makes of its tables.

    Derive from it, and write `answer`, `limits` and `written(svgs)`.

    Attributes
    ----------
    config : dict
        The complete configuration.
    tables : dict of str to DataFrame
        What files of the command hold, as results/README.md describes them.
    """

    registry: ClassVar[Registry]
    config: dict[str, Any]
    tables: dict[str, pd.DataFrame]

    @property
    def sentence(self) -> str:
        """The same as `answer`."""
        return self.answer

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings that the figures have parameters for."""
        raise NotImplementedError

    @property
    def shown(self) -> Mapping[str, Any]:
        """What the figures show, by name."""
        return self.tables

    def written(self, svgs: Sequence[Path]) -> str:
        """The page with these figures."""
        raise NotImplementedError

    def picture(self, name: str) -> Picture:
        """One of `figures`, as on the page."""
        from shakedown.figures.kind import pictured
        from shakedown.figures.pages import figures_of

        drawn = {figure.name: figure for figure in figures_of(self.registry, self.settings)}
        return pictured(drawn[name], self.shown)

    def page(self) -> str:
        """The page that the command writes, without the commands that draw it again."""
        from shakedown.figures.pages import draw_files, figures_of

        with TemporaryDirectory() as folder:
            svgs = [Path(folder, f"{name}.svg") for name in self.figures]
            study, seed = self.config["study"], self.config["seed"]
            figures = figures_of(self.registry, self.settings)
            draw_files(figures, self.shown, svgs, study=study, seed=seed)
            return self.written(svgs)


def _html(table: pd.DataFrame) -> str:
    """A table with numbers of six digits."""
    return table.to_html(index=False, na_rep="–", float_format="{:,.6g}".format)


class ArgumentError(InputError):
    """A mistake in the arguments of a question.

    Parameters
    ----------
    sentence : str
        Names arguments as options of the command, such as ``--rows``; Python has them without.

    Attributes
    ----------
    of_command : str
        The sentence as the command prints it.
    """

    def __init__(self, sentence: str) -> None:
        named = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda name: name[1].replace("-", "_"), sentence)
        super().__init__(named)
        self.of_command = str(InputError(sentence))

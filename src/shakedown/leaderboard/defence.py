"""Defences, which an organiser adds to a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shakedown.component import Component, Registry
from shakedown.interface import InputError
from shakedown.leaderboard.own import unsaid

if TYPE_CHECKING:
    from shakedown.leaderboard.disclosure import Disclosure
    from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
    from shakedown.leaderboard.state import BoardState
    from shakedown.metrics import Metric
    from shakedown.terms import Terms


class Defence(Component):
    """A defence that can be added to any mechanism.

    Derive from it, declare the parameters, and override the methods that it changes.  One that acts
    otherwise than the one that it derives from says nothing of it, unless it says it itself.

    Attributes
    ----------
    one_by_one : bool
        Whether `limit` needs `best.replaced_at`; boards then judge one submission at a time.
    compares_files : bool
        Whether `refuse` needs the files that were judged before.
    one_board : bool
        Whether all accounts of a participant submit to the same board.
    """

    kind: ClassVar[str] = "defence"
    one_by_one: ClassVar[bool] = False
    compares_files: ClassVar[bool] = False
    one_board: ClassVar[bool] = False

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        does = "start", "rescore", "refuse", "limit", "reuse"
        unsaid(cls, Defence, does, ["terms", "disclosure"])

    @property
    def refuses(self) -> bool:
        """Whether it may refuse files."""
        return type(self).refuse is not Defence.refuse

    @property
    def tells_spread(self) -> bool:
        """Whether its refusals or its terms tell the standard deviation of the public response."""
        return self.refuses

    @property
    def starts(self) -> bool:
        """Whether something is in force on a new board."""
        return type(self).start is not Defence.start

    @property
    def judges(self) -> bool:
        """Whether it may refuse files, score them otherwise, or overrule the gate."""
        own, base = type(self), Defence
        acts = own.rescore, own.refuse, own.limit
        return acts != (base.rescore, base.refuse, base.limit)

    def check(self, metric: Metric) -> None:
        """Raise an InputError if it cannot be used with this metric."""

    def start(self, best: BoardState, scorer: Scorer) -> BoardState:
        """The state of a new board; by default `best`, the one without this defence."""
        return best

    def rescore(self, batch: ScoredSubmissions, scorer: Scorer) -> ScoredSubmissions:
        """Submissions as the board scores them; by default `batch`, by the metric alone."""
        return batch

    def refuse(
        self, files: np.ndarray, earlier: np.ndarray, scorer: Scorer, *, chain: bool
    ) -> np.ndarray:
        """Which files are refused without being judged; bool, shape (m,).

        A refused file counts as a submission.  It shows the last score again: no noise is drawn.

        Parameters
        ----------
        files : ndarray, shape (m, n)
        earlier : ndarray, shape (k, n)
            The files that the board has judged, if the defence `compares_files`; else empty.
        scorer : Scorer
        chain : bool
            Whether the files come in this order; if not, each is the next one.
        """
        return np.zeros(len(files), bool)

    def limit(self, standing: np.ndarray, best: BoardState, *, chain: bool) -> np.ndarray:
        """The submission in force after each of a batch, given the gate's decision `standing`.

        Parameters are as in `gates.Gate.decide`.  By default the decision stands.
        """
        return standing

    def reuse(self, shown: np.ndarray, standing: np.ndarray, best: BoardState) -> np.ndarray:
        """The released risks of a noisy release, shape (m,), given those just drawn, `shown`.

        `standing` and `best` are as in `limit`, after it.  By default each is shown.
        """
        return shown

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        """`terms` with what participants are told of this defence; nothing by default.

        Without a `scorer`, the unit of the response is its standard deviation.  One that only
        changes what a board begins with has nothing to tell: participants see that.
        """
        if self.judges or type(self).reuse is not Defence.reuse:
            return replace(terms, silent=(*terms.silent, "defence"))
        return terms

    def disclosure(self, shown: Disclosure) -> Disclosure:
        """What the board can show with it; `shown` is what it can show without."""
        return shown


DEFENCES = Registry(Defence, "shakedown.leaderboard.defences")


def defences(entries: Iterable[Mapping[str, Any]]) -> tuple[Defence, ...]:
    """The defences of a mechanism's entry in a configuration, in their order.

    Raises
    ------
    InputError
        If one has no name, is unknown or listed twice, or a parameter is missing, unknown or out of
        range.
    """
    by_name: dict[str, Defence] = {}
    for entry in [entries] if isinstance(entries, str | Mapping) else entries:
        if not isinstance(entry, Mapping) or "name" not in entry:
            raise InputError(
                "defences: wanted a list of mappings with a name, such as [{'name': 'baseline'}]; "
                f"got {entry!r}. Write its name and its parameters into a mapping."
            )
        parameters = {key: value for key, value in entry.items() if key != "name"}
        defence = DEFENCES.make(entry["name"], **parameters)
        if defence.name in by_name:
            raise InputError(f"defence '{defence.name}' is listed twice. Remove one.")
        by_name[defence.name] = defence
    return tuple(by_name.values())

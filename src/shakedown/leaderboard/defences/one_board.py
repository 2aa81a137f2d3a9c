"""One board for all accounts of a participant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from shakedown.leaderboard.defence import Defence

if TYPE_CHECKING:
    from shakedown.leaderboard.disclosure import Disclosure
    from shakedown.leaderboard.scorer import Scorer
    from shakedown.terms import Terms


class OneBoard(Defence):
    """One board for all accounts."""

    name: ClassVar[str] = "one_board"
    label: ClassVar[str] = "one board"
    sentence: ClassVar[str] = (
        "All accounts of a participant submit to one board and see its scores, so new accounts "
        "give no new start."
    )
    order: ClassVar[float] = 7
    one_board: ClassVar[bool] = True

    def terms(self, terms: Terms, scorer: Scorer | None) -> Terms:
        return replace(terms, is_shared=True)

    def disclosure(self, shown: Disclosure) -> Disclosure:
        return replace(shown, shared=True)

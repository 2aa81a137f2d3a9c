"""The boards that are compared: those made for what is tolerated, and those that are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shakedown.comparison.settings import ComparisonEntry
from shakedown.dryrun.metered_boards import metered_boards
from shakedown.interface import InputError
from shakedown.leaderboard.entries import made
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.mechanisms.digest import Digest
from shakedown.metrics import find
from shakedown.simulation.playable import check_shown
from shakedown.theory.proved import digests_within

#: All boards are compared on normal responses, of which most is proved.
MSE = find("mse")
#: What a board is made to keep: the tolerated gain on average, or at the quantile.
MEAN, QUANTILE = "mean", "quantile"


class Candidate(NamedTuple):
    """A board of the comparison.

    Attributes
    ----------
    mechanism : Mechanism
    kept : {"mean", "quantile"} or None
        What it is made to keep; None for a board that is given.
    """

    mechanism: Mechanism
    kept: str | None


def candidates(rows: int, submissions: int, settings: ComparisonEntry) -> list[Candidate]:
    """The boards for so many public rows and submissions: metered ones, digests, and given ones.

    A metered board or a digest is missing where none is proved, or a meter would answer less than
    one degree of freedom.  Of the digests it is the sharpest.
    """
    return [
        *(
            Candidate(mechanism(**entry), kept)
            for entry, kept in _made(rows, submissions, settings)
        ),
        *(Candidate(board, None) for board in made(settings.mechanisms)),
    ]


def _made(rows: int, submissions: int, settings: ComparisonEntry) -> Iterator[tuple[dict, str]]:
    """Entries of the boards that keep what is tolerated, and what each keeps."""
    threshold = -settings.tolerated
    metered = metered_boards(MSE, threshold, rows, submissions, quantile=settings.quantile)
    for kept in (MEAN, QUANTILE):
        for board in metered:
            if ("chance" in board) == (kept == QUANTILE):
                yield board, kept
    for kept, quantile in ((MEAN, None), (QUANTILE, settings.quantile)):
        for digest in digests_within(rows, threshold, submissions, quantile=quantile)[:1]:
            yield {"name": Digest.name, **digest}, kept


def check(settings: ComparisonEntry) -> None:
    """Check, without playing, that the given boards can be compared.

    Raises
    ------
    InputError
        If a board does not take the MSE, shows no scores, or is only a control.
    """
    for board in made(settings.mechanisms):
        board.check(MSE)
        check_shown(board)
        if board.is_control:
            raise InputError(
                f"mechanism '{board.name}' is a control, which nobody can offer to participants: "
                "wanted a board that shows scores of the public rows. Remove it."
            )

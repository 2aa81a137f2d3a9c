r"""What a board can show, level by level: how many transcripts, and which files reach a level.

`shakedown.theory.leakage` counts all transcripts of a board.  Most of them end at a level that no
file reaches but by luck.  Here they are counted by the lowest level that they reach, with what it
takes to get there: how many files, all of them fixed beforehand, could be the first beyond it, and
how good such a file must be.  `shakedown.theory.levels` bounds the gain with these numbers.

Derivations are in ``docs/proofs/squared_error.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, log
from typing import NamedTuple

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.theory.leakage import _TIE, board_nats, levels_below, monotone_nats, times_shown

#: With more levels, they are not told apart; nor are transcripts beyond the second number.
_MOST_LEVELS, _MOST_SHOWN = 400, 10**7


class Charged(NamedTuple):
    """What a board can tell that charges for files: so many degrees of freedom at most."""

    degrees: float


class ChargedRows(NamedTuple):
    """What a metered board can tell of labels, which charges for how precisely rows are measured.

    It keeps this gain on average; and there are so many boards.
    """

    gain: float
    boards: int


@dataclass(frozen=True)
class Transcripts:
    """What a board can show one attacker.

    Level 0 is the start, level L the last one.

    Attributes
    ----------
    nats : float
        ln N, the number of transcripts.
    up_to : tuple of float
        ln of the number of transcripts that end at level j or before, j = 0, ..., L; empty if
        levels are not told apart.
    files : tuple of float
        ln of the number of files, fixed beforehand, that can be the first beyond level j, j = 0,
        ..., L - 1.
    risks : tuple of float
        The largest risk of a file that is shown beyond level j, j = 0, ..., L - 1; it falls.
    """

    nats: float
    up_to: tuple[float, ...] = ()
    files: tuple[float, ...] = ()
    risks: tuple[float, ...] = ()

    def squared(self) -> Transcripts:
        """The same with risks squared: mean squared errors in place of their roots."""
        return replace(self, risks=tuple(max(risk, 0.0) ** 2 for risk in self.risks))


def board_transcripts(
    disclosure: Disclosure,
    *,
    submissions: int | None,
    start: float,
    floor_: float,
    accounts: int = 1,
    shared: bool = False,
    improvements: int | None = None,
    acceptance: bool = False,
) -> Transcripts | None:
    """The transcripts of a board, by level where that is possible.

    Parameters and errors are those of `leakage.board_nats`.

    Returns
    -------
    Transcripts or None
        None if they cannot be counted.  Levels are told apart if the shown score only falls, it is
        known how far it may be from an exact one, acceptance is not told, and the number of
        submissions is known.

    Notes
    -----
    With W updates and m files for each there are C(W + j, j) transcripts up to level j, and

        m sum_{w < W} C(w + j, j) = m C(W + j, j + 1)

    files that can be the first beyond it: one for each of these files and each way to level j or
    before.  If updates come by the clock, at most k files can meet C(W - 1 + j, j) ways each.  A
    cap on improvements leaves fewer ways.  Of G accounts with a board each, C(W + j, j)^G
    transcripts end up to level j, and of at most G k files each meets as many ways.
    """
    nats = board_nats(
        disclosure, submissions=submissions, start=start, floor_=floor_, accounts=accounts,
        shared=shared, improvements=improvements, acceptance=acceptance,
    )  # fmt: skip
    if nats is None:
        return None
    by_files = disclosure.updates is not None and disclosure.every is not None
    told_apart = disclosure.falls and disclosure.slack is not None
    told_apart = told_apart and (submissions is not None or by_files)
    if not told_apart or (acceptance and not disclosure.shows_acceptance):
        return Transcripts(nats)
    if disclosure.floor is not None:
        floor_ = max(floor_, disclosure.floor)
    if disclosure.improvements is not None:
        own = disclosure.improvements
        improvements = own if improvements is None else min(improvements, own)
    shared = shared or disclosure.shared
    shown = times_shown(disclosure, submissions, accounts if shared else 1)
    levels = levels_below(start, floor_, disclosure.step)
    if levels > _MOST_LEVELS or shown > _MOST_SHOWN:
        return Transcripts(nats)
    if by_files:
        files = disclosure.every
    else:
        files = 1 if disclosure.updates is None else submissions * (accounts if shared else 1)
    return _by_level(
        nats, shown, files, disclosure.updates is not None and disclosure.every is None,
        _risks(start, floor_, disclosure.step, disclosure.slack, levels),
        1 if shared else accounts, improvements,
    )  # fmt: skip


@lru_cache(maxsize=512)
def _by_level(
    nats: float,
    shown: int,
    files: int,
    by_clock: bool,
    risks: tuple[float, ...],
    boards: int,
    improvements: int | None,
) -> Transcripts:
    """`files` are those of each update, or `by_clock` of the whole challenge."""
    if shown == 0:
        return Transcripts(nats)
    up_to = [
        monotone_nats(shown, level, improvements=improvements) for level in range(len(risks) + 1)
    ]
    capped = improvements is not None and improvements < min(shown, len(risks))
    if by_clock or capped or boards > 1:
        # Ways of one board before its last update, and any transcript of the others.
        before = [
            monotone_nats(shown - 1, level, improvements=improvements) + (boards - 1) * up_to[level]
            for level in range(len(risks))
        ]
        tries = boards * files * (1 if by_clock else shown)
        first = [log(tries) + ways for ways in before]
    else:  # C(W + j, j + 1) = C(W + j, j) W / (j + 1)
        first = [log(files * shown / (level + 1.0)) + up_to[level] for level in range(len(risks))]
    return Transcripts(nats, tuple(boards * ways for ways in up_to), tuple(first), risks)


@lru_cache(maxsize=256)
def _risks(
    start: float, floor_: float, step: float, slack: float, levels: int
) -> tuple[float, ...]:
    """The largest exact risk at each level below the start, as `levels_below` counts them."""
    from math import ceil

    top = ceil(start / step - _TIE)
    multiples = [step * (top - level) for level in range(1, levels)] + [floor_]
    more = slack + _TIE * step
    risks, last = [], inf
    for risk in multiples:
        last = min(last, risk + more)
        risks.append(last)
    return tuple(risks)

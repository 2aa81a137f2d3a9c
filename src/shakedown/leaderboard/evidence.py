"""What the answers of a board follow from, which bounds what files can have learnt from them."""

from __future__ import annotations

from typing import NamedTuple

from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.mechanism import Mechanism


class Evidence(NamedTuple):
    """What a board's answers to given files follow from.

    Attributes
    ----------
    by_scores : bool
        Whether all shown scores follow from the exact scores of the files, from which of them were
        accepted, and from random numbers that no row changes.  Then they tell no more than these.
    by_acceptance : bool
        Whether acceptance may follow from something else than scores, such as the losses by row.
    normal_sd : float or None
        Standard deviation of independent normal noise, if every file is answered once by its score
        with such noise, and by nothing else; in units of the score.
    """

    by_scores: bool
    by_acceptance: bool
    normal_sd: float | None


def evidence(mechanism: Mechanism) -> Evidence:
    """What a board's answers follow from; nothing is taken for granted of what does not say it."""
    gate, release = mechanism.gate, mechanism.release
    around = mechanism.every_defence
    rescores = any(type(defence).rescore is not Defence.rescore for defence in around)
    limits = any(type(defence).limit is not Defence.limit for defence in around)
    by_scores = release.by_scores and not rescores
    # A file that is not accepted may show the one in force again, with new noise.
    once = gate.replaces_always and not limits
    return Evidence(
        by_scores=by_scores,
        by_acceptance=limits or not gate.by_scores,
        normal_sd=release.normal_sd if by_scores and once else None,
    )

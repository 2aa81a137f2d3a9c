"""The winner's rule: who is tied with the first, and what decides between tied files.

It is that of DREAM challenges.  The file with the best score is the first.  Files whose Bayes
factor K against it is at most 3 are tied with it (`bayes_factor`).  Among these the best score by a
second metric decides, then the file that was submitted first.  What nothing decides is shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shakedown.component.keys import MOST
from shakedown.interface import InputError
from shakedown.leaderboard.ties import less
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED
from shakedown.ranking.bayes_factor import COUNTS, TIED, VARIANTS

#: Bootstrap samples, unless somebody asks for others.
DRAWS = 10_000


@dataclass(frozen=True)
class Rule:
    """How the winner is found.

    Attributes
    ----------
    second : Metric or None
        Decides between files that are tied with the first; None for none.
    tied : float
        The largest K of a tie.
    variant : str
        Of K, one of `bayes_factor.VARIANTS`.
    draws : int
        Bootstrap samples.
    level : float
        Of sets and intervals.
    """

    second: Metric | None = None
    tied: float = TIED
    variant: str = COUNTS
    draws: int = DRAWS
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.tied >= 1.0:
            raise InputError(f"tied: wanted a K of at least 1; got {self.tied:g}.")
        if self.variant not in VARIANTS:
            raise InputError(f"variant: wanted {' or '.join(VARIANTS)}; got '{self.variant}'.")
        if self.draws < 100:
            raise InputError(f"draws: wanted 100 bootstrap samples or more; got {self.draws}.")
        if self.draws > MOST:
            raise InputError(f"draws: wanted up to {MOST:,} bootstrap samples; got {self.draws:,}.")
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level: wanted at least .5 and below 1; got {self.level:g}.")


def strata_of(metric: Metric, truth: np.ndarray) -> np.ndarray:
    """The classes of the rows, from which each bootstrap sample draws as many as there are.

    Parameters
    ----------
    metric : Metric
        On these rows, with their groups.
    truth : ndarray, shape (n,)

    Returns
    -------
    ndarray of int, shape (n,)
        From 0 without gaps.

    Raises
    ------
    InputError
        If the metric is none of classes, or the rows of a group have several classes.
    """
    if metric.response not in CLASSED:
        raise InputError(
            f"stratified: '{metric.name}' is no metric of classes, and strata are classes. Leave "
            "it out."
        )
    strata = np.unique(truth, return_inverse=True)[1]
    if metric.groups is not None:
        of_group = np.zeros((int(metric.groups.max()) + 1, strata.max() + 1), bool)
        of_group[metric.groups, strata] = True
        if mixed := int((of_group.sum(axis=1) > 1).sum()):
            raise InputError(
                f"stratified: wanted groups whose rows have one class; {mixed} of {len(of_group)} "
                "groups have rows of several, and samples draw groups whole. Leave it out."
            )
    return strata


def keys_of(
    second: Metric | None, scores: np.ndarray, times: Sequence | None
) -> dict[str, np.ndarray]:
    """What decides between tied files, in this order and the smallest first; shape (m,) each.

    Parameters
    ----------
    second : Metric or None
    scores : ndarray, shape (m,)
        By the second metric; a file without one comes last.
    times : sequence or None
        When each file was submitted, in any type that can be compared; None for unknown, which
        comes last.
    """
    keys = {}
    if second is not None:
        keys["second"] = np.nan_to_num(second.sign * scores, nan=np.inf)
    if times is not None:
        known = sorted({time for time in times if time is not None})
        keys["time"] = np.array(
            [known.index(t) if t is not None else len(known) for t in times], float
        )
    return keys


def places(
    risks: np.ndarray, tied: np.ndarray, keys: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, str]:
    """The places of files, and what decided the first one.

    Parameters
    ----------
    risks : ndarray, shape (m,)
    tied : ndarray of bool, shape (m,)
        Who is tied with the first, that one included.
    keys : mapping of str to ndarray
        From `keys_of`.

    Returns
    -------
    place : ndarray of int, shape (m,)
    decided_by : str
        "score", a key, or "" if the first place is shared.
    """
    place = np.empty(len(risks), int)
    place[~tied] = tied.sum() + ranks_of(risks[~tied])
    place[tied], decided_by = 1, "" if tied.sum() > 1 else "score"
    for name, values in keys.items():
        for shared in np.unique(place[tied]):
            own = np.flatnonzero(tied & (place == shared))
            place[own] += ranks_of(values[own]) - 1
        if not decided_by and (place == 1).sum() == 1:
            decided_by = name
    return place, decided_by


def ranks_of(risks: np.ndarray) -> np.ndarray:
    """Ranks from 1; ties, as boards take them, share the best."""
    return np.array([1 + sum(bool(less(other, own)) for other in risks) for own in risks], int)

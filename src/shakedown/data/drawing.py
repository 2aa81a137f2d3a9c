"""Draw the rows of random train, public and final sets, by strata or by groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from shakedown.data.checks import SETS
from shakedown.data.grouped import drawn_sets
from shakedown.interface import Challenge, InputError
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED
from shakedown.metrics.composite_names import BY_GROUP, BY_ROW
from shakedown.metrics.responses import check_responses, scored


def strata_of(challenge: Challenge, metric: Metric) -> np.ndarray | None:
    """The strata that have about the same share in all random sets, under a metric.

    Returns
    -------
    ndarray of int, shape (n,), or None
        The classes of the response, from 0; for censored times, whether a row has an event.  None
        if the metric scores numbers, whole groups are drawn, or there are several responses.
    """
    if challenge.group is not None or challenge.cells is not None:
        return None
    if challenge.censored:
        return (challenge.y > 0.0).astype(int)
    if metric.response not in CLASSED:
        return None
    return np.unique(challenge.y, return_inverse=True)[1]


def check_classes(metric: Metric, challenge: Challenge) -> None:
    """Check that a response has classes if a metric, or a term of it, scores classes.

    Raises
    ------
    InputError
        If it has too many values, or a single one; or if classes of several responses are scored
        together, which are not the same ones once each response is standardised.
    """
    what = f"data set '{challenge.name}'"
    for kind, over in scored(metric):
        is_of_classes = kind.response in CLASSED and kind.formula is None
        if challenge.cells is not None and is_of_classes and over in ("", BY_ROW, BY_GROUP):
            raise InputError(
                f"metric '{metric.name}': {what} has several responses, each with classes of its "
                f"own. Write '{kind.name} by response', or '{kind.name} of' and a response."
            )
    check_responses(metric, challenge.y, challenge.cells, what)


def sets_of(
    challenge: Challenge,
    rng: np.random.Generator,
    sizes: Sequence[int] | None = None,
    strata: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Three random sets of rows of these sizes, or thirds; as nearly as whole groups allow.

    With `strata`, shape (n,), each stratum is divided among the sets in the ratio of their sizes.
    """
    n = len(challenge.y)
    wanted = thirds(n) if sizes is None else sizes
    if challenge.group is not None:
        return drawn_sets(challenge.group.codes, rng, wanted)
    order = rng.permutation(n)
    if strata is None:
        parts = np.split(order[: sum(wanted)], np.cumsum(wanted)[:-1])
    else:
        order = order[np.argsort(strata[order], kind="stable")]
        dealt = _dealt(tuple(wanted), n)
        parts = [order[dealt == k] for k in range(len(wanted))]
    return [np.sort(part) for part in parts]


def thirds(n: int) -> list[int]:
    """Sizes of three sets that differ by at most one row."""
    return [len(part) for part in np.array_split(np.arange(n), len(SETS))]


@lru_cache(maxsize=16)
def _dealt(sizes: tuple[int, ...], n: int) -> np.ndarray:
    """The set of each of n rows, assigned one after another; shape (n,).

    Each row goes to the set that lacks most of its share so far, so the sets have about the same
    shares in any stretch of rows.  Rows beyond `sizes` go to one more set, which is not used.
    """
    wanted = np.array([*sizes, n - sum(sizes)])
    given, dealt = np.zeros(len(wanted)), np.empty(n, int)
    for k in range(n):
        dealt[k] = at = int(np.argmax(wanted * ((k + 1.0) / n) - given))
        given[at] += 1.0
    return dealt

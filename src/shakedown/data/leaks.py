"""Features that give the response away."""

from __future__ import annotations

import numpy as np

from shakedown.data.draft import Draft, warn
from shakedown.wording import some

#: A feature is the response, or nearly, from this correlation on: with values or with ranks.
NEARLY = 0.999
#: Fewest rows in which both are present.
MIN_ROWS = 10
#: A coding repeats: on average, this many rows have each of its values.
ROWS_PER_CODE = 10
#: Cells that are compared at a time.
_BLOCK = 1_000_000


def revealing(values: np.ndarray, y: np.ndarray) -> dict[int, str]:
    """The features from which the response can be read off.

    Parameters
    ----------
    values : ndarray of float, shape (p, n)
        One row per feature; NaN where a cell is missing, and no infinite cell.
    y : ndarray of float, shape (n,)

    Returns
    -------
    dict of int to str
        The position of each such feature, and how it relates to the response: "a straight line"
        (|Pearson's correlation| > .999, such as a copy in another unit), "the same order" (the
        same for Spearman's, such as its logarithm) or "another coding" (each value of one goes
        with one value of the other, and at least ten rows share a value on average).
    """
    relations = {}
    step = max(1, _BLOCK // max(1, len(y)))
    for start in range(0, len(values), step):
        for j, how in enumerate(_relations(values[start : start + step], y)):
            if how:
                relations[start + j] = how
    return relations


def find_leaks(draft: Draft) -> None:
    """Find the features that give the response away, before medians fill their missing cells."""
    responses = [draft.y] if draft.responses is None else draft.responses
    if draft.events is not None:
        responses = [*responses, draft.events]
    for y in responses:
        relations = revealing(draft.values, y)
        draft.leaks |= {str(draft.features[j]): how for j, how in relations.items()}


def note_leaks(draft: Draft, response: str) -> None:
    """Note the features that give the response away; they are kept.

    Warns
    -----
    UserWarning
        If there are any; the same sentence goes to the notes.
    """
    kept = set(draft.features.tolist())
    draft.leaks = {name: how for name, how in draft.leaks.items() if name in kept}
    for how in dict.fromkeys(draft.leaks.values()):
        named = [name for name, other in draft.leaks.items() if other == how]
        single = len(named) == 1
        warn(
            draft,
            f"Possible leak: {'feature' if single else 'features'} {some(named)} "
            f"{'gives' if single else 'give'} the response '{response}' away ({how}). Add to "
            "'ignore', unless participants may know it.",
        )


def _relations(features: np.ndarray, y: np.ndarray) -> list[str]:
    """How each feature of a block, shape (k, n), relates to the response; "" for not at all."""
    a = np.where(np.isnan(y), np.nan, features)
    b = np.where(np.isnan(features), np.nan, y)  # the response where both are present
    n = (~np.isnan(a)).sum(axis=1)
    ranks_a, values_a = _ranks(a, n)
    ranks_b, values_b = _ranks(b, n)
    usable = (n >= MIN_ROWS) & (values_a > 1) & (values_b > 1)
    # Each value of one goes with one of the other: there are as many pairs as values.
    pairs = _ranks(ranks_a * (2 * len(y) + 1) + ranks_b, n)[1]
    coding = (values_a <= n // ROWS_PER_CODE) & (values_a == values_b) & (pairs == values_a)
    line, order = _correlations(a, b, n), _correlations(ranks_a, ranks_b, n)
    return np.select(
        [~usable, line > NEARLY, order > NEARLY, coding],
        ["", "a straight line", "the same order", "another coding"],
        "",
    ).tolist()


def _ranks(values: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks in each row, ties at their mean, NaN where a cell is missing; and its distinct values.

    Parameters
    ----------
    values : ndarray of float, shape (k, m)
    n : ndarray of int, shape (k,)
        Cells that are present.
    """
    order = np.argsort(values, axis=1)  # NaN last
    ordered = np.take_along_axis(values, order, axis=1)
    k, m = values.shape
    new = np.ones((k, m), bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(new)  # of runs of equal values, in all rows one after the other
    sizes = np.diff(starts, append=k * m)
    middle = np.repeat(starts % m + (sizes + 1) / 2, sizes).reshape(k, m)
    ranks = np.empty((k, m))
    np.put_along_axis(ranks, order, middle, axis=1)
    distinct = (new & (np.arange(m) < n[:, None])).sum(axis=1)
    return np.where(np.isnan(values), np.nan, ranks), distinct


def _correlations(a: np.ndarray, b: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The absolute correlation of each pair of rows, 0 if one is constant; NaN is left out."""
    a, b = (_centred(v, n) for v in (a, b))
    norm = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.abs((a * b).sum(axis=1)) / np.where(norm > 0, norm, np.inf)


def _centred(values: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Rows of mean 0, and 0 where a cell is missing; scaled first, so nothing overflows."""
    missing = np.isnan(values)
    values = np.where(missing, 0.0, values)
    largest = np.abs(values).max(axis=1, keepdims=True)
    values = values / np.where(largest > 0, largest, 1.0)
    values = values - values.sum(axis=1, keepdims=True) / np.maximum(n, 1)[:, None]
    return np.where(missing, 0.0, values)

"""Features that give the response away."""

from __future__ import annotations

import numpy as np

from shakedown.data.checks import Draft, warn
from shakedown.wording import some

#: A feature is the response, or nearly, from this correlation on: with values or with ranks.
NEARLY = 0.999
#: Fewest rows in which both are present.
MIN_ROWS = 10
#: A coding repeats: on average, this many rows have each of its values.
ROWS_PER_CODE = 10


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
    for j, feature in enumerate(values):
        present = ~(np.isnan(feature) | np.isnan(y))
        a, b = (feature, y) if present.all() else (feature[present], y[present])
        if how := _relation(a, b):
            relations[j] = how
    return relations


def find_leaks(draft: Draft) -> None:
    """Find the features that give the response away, before medians fill their missing cells."""
    relations = revealing(draft.values, draft.y)
    draft.leaks = {str(draft.features[j]): how for j, how in relations.items()}


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


def _relation(a: np.ndarray, b: np.ndarray) -> str:
    from scipy.stats import rankdata  # slow to import, and simulated data need no such check

    if len(a) < MIN_ROWS or np.ptp(a) == 0 or np.ptp(b) == 0:
        return ""
    if _correlation(a, b) > NEARLY:
        return "a straight line"
    if _correlation(rankdata(a), rankdata(b)) > NEARLY:
        return "the same order"
    return "another coding" if _is_coding(a, b) else ""


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """The absolute correlation of two vectors that vary; scaled first, so nothing overflows."""
    a, b = (v / np.abs(v).max() for v in (a, b))
    a, b = (v - v.mean() for v in (a, b))
    norm = np.sqrt((a @ a) * (b @ b))
    return abs(a @ b) / norm if norm > 0 else 0.0


def _is_coding(a: np.ndarray, b: np.ndarray) -> bool:
    most = len(a) // ROWS_PER_CODE
    codes = np.unique(a, return_inverse=True)[1]
    if codes.max() >= most:
        return False
    others = np.unique(b, return_inverse=True)[1]
    if others.max() != codes.max():
        return False
    pairs = np.unique(codes * (others.max() + 1) + others)
    return len(pairs) == codes.max() + 1

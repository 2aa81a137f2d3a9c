"""Areas under the ROC curve, which adversaries read as Spearman's correlations.

A response with two values is a linear function of its ranks.  With n_1 of n rows in the positive
class, n_0 in the other one, and s the standard deviation (``ddof=0``) of the ranks of a file,

    area - 1/2 = s / sqrt(n_0 n_1) x Spearman's correlation,

exactly, also with ties.  s is sqrt((n^2 - 1) / 12) without ties, and n / 4 if a file has two
numbers, which are equally frequent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shakedown.attacks.units import Rows
from shakedown.interface import ParticipantData
from shakedown.metrics import Metric, average_ranks
from shakedown.terms import Terms

#: Metrics that are such areas, and the area of a file that tells nothing.
AREAS, CHANCE = ("auroc",), 0.5


class Areas(Rows):
    """A number for each row, or each group of rows, under an area.

    Where a board shows each file's own score, s is that of this file; elsewhere, and for what a
    board publishes, that of a usual file of the attack.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        As for `Rows`.
    n : int
        Number of rows.
    ones : int
        Rows of the positive class.
    signs : bool
        Whether the attack sends files of signs; others have no ties.
    """

    def __init__(self, codes: np.ndarray | None, n: int, ones: int, *, signs: bool) -> None:
        super().__init__(codes)
        self._root = float(np.sqrt(ones * (n - ones)))
        numbers = np.arange(n if codes is None else int(codes.max()) + 1, dtype=float)
        usual = self.files((numbers % 2.0 if signs else numbers)[None])
        self._factor = max(float(self._factors(usual)[0]), 0.5 / n)

    def _factors(self, files: np.ndarray) -> np.ndarray:
        """The area less 1/2 over the correlation, for each file of rows, shape (m,)."""
        return average_ranks(files).std(axis=1) / self._root

    def score(self, terms: Terms) -> float:
        return 1.0 / self._factor

    def read(self, terms: Terms, files: np.ndarray, shown: np.ndarray) -> np.ndarray:
        factors = self._factor
        if terms.replaces_always:
            own = self._factors(files)
            factors = np.where(own > 0.0, own, self._factor)  # constants have no correlation
        return (shown - CHANCE) / factors

    def _seen_as(self, metric: Metric) -> str:
        return metric.read_as

    def seen(self, terms: Terms) -> Terms:
        return shifted(super().seen(terms), CHANCE / self._factor)


def shifted(terms: Terms, shift: float) -> Terms:
    """What a board publishes of scores that are smaller by `shift`."""
    changes = {"origin": terms.origin - shift}
    if terms.start is not None:
        changes["start"] = terms.start - shift
    if terms.schedule is not None:
        changes["schedule"] = terms.schedule._replace(floor=terms.schedule.floor - shift)
    return replace(terms, **changes)


def areas_of(view: ParticipantData, *, signs: bool) -> tuple[Rows, Rows]:
    """The units of the public and of the final rows under an area."""
    n = len(view.X_public)
    codes = (None, None) if view.groups is None else view.groups[1:]
    return Areas(codes[0], n, ones_of(view.y_train, n), signs=signs), Rows(codes[1])


def ones_of(y: np.ndarray, n: int) -> int:
    """Rows of the positive class among n, if its share is that in training rows y; 1 to n - 1."""
    return min(max(round(share_of(y) * n), 1), n - 1)


def share_of(y: np.ndarray) -> float:
    """The share of the rows, shape (n,), that have the larger of two values; 1/2 of no rows."""
    return float(np.mean(y > 0.5 * (y.min() + y.max()))) if len(y) else 0.5

"""What an adversary sends a number for: a row, a group of rows, or a direction of a row's cells.

Whoever knows that some responses are alike gets further with files that have one number for all of
them: its scores tell of fewer numbers, each of which is worth more.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from shakedown.data.grouped import means
from shakedown.interface import Cells, ParticipantData


class Rows:
    """A number for each row; of rows that belong together, one for each group.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        Groups, from 0 without gaps.
    """

    def __init__(self, codes: np.ndarray | None) -> None:
        self._codes = codes

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """Files with a number for each row, from files of units, shape (m, units)."""
        return numbers if self._codes is None else np.ascontiguousarray(numbers[:, self._codes])

    def numbers(self, file: np.ndarray) -> np.ndarray:
        """The numbers of units that are nearest to a file, shape (n,)."""
        return file if self._codes is None else means(file, self._codes)


class Directions:
    """Numbers for some directions of a row's cells, in which its responses vary most.

    The predictions of a row are W a: a, shape (r,), are its numbers, and W, shape (q, r), is
    orthogonal, so that the mean square of a file is that of its numbers.

    Parameters
    ----------
    cells : Cells
        Of the set.
    weights : ndarray, shape (q, r)
        W, whose columns have squared length q / r.
    """

    def __init__(self, cells: Cells, weights: np.ndarray) -> None:
        self._rows, self._count = cells.rows, int(cells.rows.max()) + 1
        self._weights, self._responses = weights, cells.responses
        # Where the cells are in a table of all of them.
        self._places = cells.rows * len(weights) + cells.responses
        self._is_whole = np.array_equal(self._places, np.arange(self._count * len(weights)))

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """As `Rows.files`."""
        m, r = len(numbers), self._weights.shape[1]
        if not numbers.any():  # as of those who only wait
            return np.zeros((m, len(self._rows)))
        table = (numbers.reshape(m * self._count, r) @ self._weights.T).reshape(m, -1)
        return table if self._is_whole else np.ascontiguousarray(table[:, self._places])

    def numbers(self, file: np.ndarray) -> np.ndarray:
        """As `Rows.numbers`."""
        q, r = self._weights.shape
        if self._is_whole:
            return (file.reshape(-1, q) @ self._weights * (r / q)).ravel()
        table, given = np.zeros((self._count, q)), np.zeros((self._count, q), bool)
        table[self._rows, self._responses] = file
        given[self._rows, self._responses] = True
        patterns, of_row = np.unique(given, axis=0, return_inverse=True)
        numbers = np.empty((self._count, r))
        for k, pattern in enumerate(patterns):
            own = of_row.ravel() == k
            numbers[own] = table[own][:, pattern] @ np.linalg.pinv(self._weights[pattern]).T
        return numbers.ravel()


def units_of(view: ParticipantData, submissions: int) -> tuple[Rows | Directions, ...]:
    """The units of the public and of the final rows.

    Of several responses an adversary uses as many directions as its submissions can tell apart: the
    leading eigenvectors of the responses' correlations in the training set.
    """
    if view.cells is None:
        codes = (None, None) if view.groups is None else view.groups[1:]
        return tuple(map(Rows, codes))
    train, *others = view.cells
    q, rows = len(train.names), int(others[0].rows.max()) + 1
    r = min(q, max(1, ceil(submissions / rows)))
    if r == q:  # a number for each cell
        return Rows(None), Rows(None)
    weights = _leading(view)[1][:, :r] * np.sqrt(q / r)
    return tuple(Directions(cells, weights) for cells in others)


def units_of_signs(view: ParticipantData, submissions: int) -> tuple[Rows | Directions, ...]:
    """As `units_of`, where files of signs must stay files of signs.

    Of several responses, either all have the same number in a row, up to a sign, or each its own:
    whatever tells more of them.
    """
    if view.cells is None:
        return units_of(view, submissions)
    train, *others = view.cells
    q, rows = len(train.names), int(others[0].rows.max()) + 1
    shares, directions = _leading(view)
    if min(submissions, rows) / rows * shares[0] <= submissions / (q * rows):
        return Rows(None), Rows(None)
    weights = np.where(directions[:, :1] < 0.0, -1.0, 1.0)
    return tuple(Directions(cells, weights) for cells in others)


def _leading(view: ParticipantData) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors of the responses' correlations in the training set, and their shares.

    Returns
    -------
    shares : ndarray, shape (q,)
        Of the variance of the responses, falling.
    directions : ndarray, shape (q, q)
        In columns.
    """
    train = view.cells[0]
    table = np.zeros((int(train.rows.max()) + 1, len(train.names)))
    table[train.rows, train.responses] = view.y_train
    values, directions = np.linalg.eigh(table.T @ table)
    return values[::-1] / values.sum(), directions[:, ::-1]

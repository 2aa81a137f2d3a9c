"""What an adversary sends a number for: a row, a group of rows, or a direction of a row's cells.

An attacker who knows that responses are correlated gains more from files with one number for all of
them: the scores then tell of fewer numbers, each of which is worth more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shakedown.data.grouped import means
from shakedown.data.several import table_of
from shakedown.interface import SMALLEST_SPREAD, Cells, ParticipantData
from shakedown.metrics import Metric, average_ranks, find
from shakedown.metrics.composite import CORRELATIONS
from shakedown.terms import Terms

#: Share of the responses' variance in the directions for which an adversary has numbers: several
#: times what is tolerated.
SHARE = 0.3
#: The least spread, and the least length of a row.
LEAST = 1e-6


class Rows:
    """A number for each row; of rows that belong together, one for each group.

    An attack takes its n units for the rows of a standardised response, with |y|^2 = n - 1.  The N
    rows have |y|^2 = N - q, with q responses: mean squares are `ratio` times as large for the
    attack, and files sqrt(`ratio`) times what it sends.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        Groups, from 0 without gaps.
    noise : float
        The variance of the mean of a bootstrap, over what it is if units are drawn.
    variance : float
        Of the numbers that fit the response best.
    """

    #: Whether `form` makes other numbers than ranks.
    has_marks = False

    def __init__(self, codes: np.ndarray | None, noise: float = 1.0, variance: float = 1.0) -> None:
        self._codes, self._noise, self.variance = codes, noise, variance
        n, rows = (1, 1) if codes is None else (int(codes.max()) + 1, len(codes))
        self._set_ratio(n, rows)

    def _set_ratio(self, n: int, rows: int, responses: int = 1) -> None:
        is_same = n == rows and responses == 1
        self.ratio = 1.0 if is_same else (1.0 - 1.0 / n) / (1.0 - responses / rows)
        self._size = self.ratio**-0.5

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """Files with a number for each row, from files of units, shape (m, units)."""
        if self._codes is None:
            return numbers
        return self._size * np.ascontiguousarray(numbers[:, self._codes])

    def form(self, numbers: np.ndarray) -> np.ndarray:
        """What a correlation of ranks reads of a file of units, shape (n,)."""
        return average_ranks(numbers[None])[0]

    def score(self, terms: Terms) -> float:
        """By what shown scores are multiplied for the attack."""
        known = find(terms.metric).read_as
        return {"mse": self.ratio, "rmse": self.ratio**0.5}.get(known, 1.0)

    def read(self, terms: Terms, files: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Shown scores of files of rows, shape (m,), for the attack."""
        times = self.score(terms)
        return shown if times == 1.0 else times * shown

    def seen(self, terms: Terms) -> Terms:
        """What a board publishes, as if it had units for rows."""
        times, b = self.score(terms), terms.replications
        terms = replace(terms, metric=self._seen_as(find(terms.metric)))
        if times == 1.0 and self._noise == 1.0:
            return terms
        changes = {"step": terms.step * times, "noise_sd": terms.noise_sd * times}
        for name in ("acceptance", "gate_acceptance"):
            if (own := getattr(terms, name)) is not None:
                changes[name] = own._replace(margin=own.margin * times, noise=own.noise * times)
        if terms.start is not None:
            changes["start"] = terms.start * times
        if terms.schedule is not None:
            changes["schedule"] = terms.schedule._replace(floor=terms.schedule.floor * times)
        # Replications that draw units have the noise of more, or fewer, that draw rows.
        return replace(terms, replications=max(1, round(b / self._noise)) if b else 0, **changes)

    def _seen_as(self, metric: Metric) -> str:
        """The name of the metric as which the attack reads scores."""
        return metric.name if is_of_order(metric) else metric.read_as

    def numbers(self, file: np.ndarray) -> np.ndarray:
        """The numbers of units that are nearest to a file, shape (n,)."""
        return file if self._codes is None else means(file, self._codes) / self._size


class Directions(Rows):
    """Numbers for some directions of a row's cells, in which its responses vary most.

    The predictions of a row are W a: a, shape (r,), are its numbers, and W, shape (q, r), is
    orthogonal, so that the mean square of a file is that of its numbers.

    Parameters
    ----------
    cells : Cells
        Of the set.
    weights : ndarray, shape (q, r)
        W, whose columns have squared length q / r.
    noise : float
        As for `Rows`.
    variance : float
        As for `Rows`.
    """

    def __init__(
        self, cells: Cells, weights: np.ndarray, noise: float = 1.0, variance: float = 1.0
    ) -> None:
        super().__init__(None, noise, variance)
        self._cells, self._count = cells, int(cells.rows.max()) + 1
        # Files of signs have the mean square 1, also where cells are missing.
        squares = (weights[cells.responses] ** 2).sum()
        self._weights = weights * np.sqrt(len(cells.rows) / squares)
        # Where the cells are in a table of all of them.
        self._places = cells.rows * len(weights) + cells.responses
        self._is_whole = np.array_equal(self._places, np.arange(self._count * len(weights)))
        self._set_ratio(self._count * weights.shape[1], len(cells.rows), len(weights))

    def files(self, numbers: np.ndarray) -> np.ndarray:
        m, r = len(numbers), self._weights.shape[1]
        if not numbers.any():  # as of those who only wait
            return np.zeros((m, len(self._cells.rows)))
        numbers = self._size * numbers.reshape(m * self._count, r)
        table = (numbers @ self._weights.T).reshape(m, -1)
        return table if self._is_whole else np.ascontiguousarray(table[:, self._places])

    def numbers(self, file: np.ndarray) -> np.ndarray:
        q, r = self._weights.shape
        if self._is_whole:
            return (file.reshape(-1, q) @ self._weights * (r / q)).ravel() / self._size
        table = table_of(file, self._cells, missing=np.nan)
        given = ~np.isnan(table)
        patterns, of_row = np.unique(given, axis=0, return_inverse=True)
        numbers = np.empty((self._count, r))
        for k, pattern in enumerate(patterns):
            own = of_row.ravel() == k
            numbers[own] = table[own][:, pattern] @ np.linalg.pinv(self._weights[pattern]).T
        return numbers.ravel() / self._size


class OneDirection(Directions):
    """A number for each row, where a mean over responses or rows is read as a correlation.

    Scores are `spread` times the correlation of the numbers with those of the response, whose
    standard deviation is `spread`.  As they do not depend on the scale of files, these are as long
    as the numbers.

    Parameters
    ----------
    cells : Cells
        Of the set.
    direction : ndarray, shape (q,)
        By which the numbers are multiplied for each response, with the square q.
    spread : float
    """

    def __init__(self, cells: Cells, direction: np.ndarray, spread: float) -> None:
        super().__init__(cells, direction[:, None])
        self._spread = max(spread, LEAST)

    def score(self, terms: Terms) -> float:
        return 1.0 / self._spread

    def numbers(self, file: np.ndarray) -> np.ndarray:
        """The numbers that are nearest to a file, in standard deviations of the response's."""
        return super().numbers(file) / self._spread


def is_of_order(metric: Metric) -> bool:
    """Whether a metric's scores can be read as correlations of an order: see `orders`."""
    return metric.read_as == "spearman" != metric.name and not metric.terms


def units_read(view: ParticipantData, metric: Metric) -> tuple[Rows, Rows]:
    """The units of the public and of the final rows under a metric that is read as another one.

    Direction and spread are those of the training rows.
    """
    of_training = _by_row if metric.reads_signs else _by_response
    direction, spread = of_training(view, metric)
    public, final = (OneDirection(cells, direction, spread) for cells in view.cells[1:])
    return public, final


def _by_response(view: ParticipantData, metric: Metric) -> tuple[np.ndarray, float]:
    """Signs of the responses, and the standard deviation of the rows' mean with these signs.

    Responses are standardised; one counts the more in a row's mean, the fewer of its cells are
    given.  Files have the same number for all responses of a row, up to the signs.
    """
    train, base = view.cells[0], find(metric.read_as)
    rows, q = int(train.rows.max()) + 1, len(train.names)
    parts = np.zeros((rows, q))
    for k in range(q):
        own = train.responses == k
        if own.any():
            y = base.prepare(view.y_train[own])
            z = (y - y.mean()) / max(float(y.std()), SMALLEST_SPREAD)
            parts[train.rows[own], k] = z * (rows / (q * len(z)))
    signs = np.where(_leading(parts) < 0.0, -1.0, 1.0)
    return signs, float(np.sqrt(np.mean((parts @ signs) ** 2)))


def _by_row(view: ParticipantData, metric: Metric) -> tuple[np.ndarray, float]:
    """The direction in which rows of length 1 vary most, and the size of its scores.

    The score of a row of a file is its sign times that of the direction.
    """
    train = view.cells[0]
    table = table_of(view.y_train, train, missing=np.nan)
    given = ~np.isnan(table)
    table = np.where(given, table, 0.0)
    if metric.terms[0].metric.name in CORRELATIONS:
        means = table.sum(axis=1, keepdims=True) / np.maximum(given.sum(axis=1, keepdims=True), 1)
        table = np.where(given, table - means, 0.0)
    lengths = np.sqrt((table**2).sum(axis=1, keepdims=True))
    direction = np.sqrt(len(train.names)) * _leading(table / np.maximum(lengths, LEAST))
    scores, _ = metric.on(train).judge(view.y_train, direction[None, train.responses])
    return direction, float(np.sqrt(np.mean(scores**2)))


def _leading(table: np.ndarray) -> np.ndarray:
    """The leading eigenvector of the products of the columns, shape (q,)."""
    return np.linalg.eigh(table.T @ table)[1][:, -1]


def units_of(view: ParticipantData, *, signs: bool = False) -> tuple[Rows, Rows]:
    """The units of the public and of the final rows.

    Of several responses an adversary uses the leading eigenvectors of their correlations in the
    training set: the fewest that hold `SHARE` of the variance.  It learns less of each with more of
    them, and the first are worth most.

    Parameters
    ----------
    view : ParticipantData
    signs : bool
        Whether files of signs must stay files of signs: then there is one direction, with the same
        number for all responses of a row, up to a sign.
    """
    if view.cells is None:
        codes = (None, None) if view.groups is None else view.groups[1:]
        public, final = map(Rows, codes)
        return public, final
    train, *others = view.cells
    q, rows = len(train.names), int(others[0].rows.max()) + 1
    table = table_of(view.y_train, train)
    values, vectors = np.linalg.eigh(table.T @ table)
    held = np.cumsum(values[::-1]) / values.sum()
    r = 1 if signs else int(np.searchsorted(held, SHARE)) + 1
    weights = vectors[:, ::-1][:, :r] * np.sqrt(q / r)
    if signs:
        weights = np.where(weights < 0.0, -1.0, 1.0)
    # Bootstraps draw rows; the variance of the squares of normal units is 2.
    noise = float(np.var((table**2).mean(axis=1)) / rows / (2.0 / (rows * r)))
    public, final = (Directions(cells, weights, noise, float(held[r - 1])) for cells in others)
    return public, final

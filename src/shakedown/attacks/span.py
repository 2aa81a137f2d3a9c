"""Files in few coordinates, so that a posterior of many rows stays small.

The rows are dealt into groups.  The rows of a group have random signs and share one coordinate, so
a file is written and read in one pass over its rows.  One more coordinate holds the part of an
honest file that the groups cannot express.  The basis is orthonormal, so products and squares of
files are those of their coordinates.
"""

from __future__ import annotations

import numpy as np

from shakedown.compiled import kernel


class Span:
    """The files that `groups` groups of rows and an honest file span.

    Parameters
    ----------
    signs : ndarray, shape (n,)
        Random signs; not used if each row is a group.
    groups : int
        At most n.
    honest : ndarray, shape (n,)

    Attributes
    ----------
    size : int
        Number of coordinates.
    group : ndarray of int, shape (n,)
        The coordinate of each row.
    weight, extra : ndarray, shape (n,)
        Of each row in the vector of its group, and in that of the honest file (zeros for none).
    honest : ndarray, shape (size,)
        Coordinates of the honest file.
    """

    def __init__(self, signs: np.ndarray, groups: int, honest: np.ndarray) -> None:
        n = len(signs)
        self.group = np.arange(n) % groups
        sizes = np.bincount(self.group)
        self.weight = (signs if groups < n else np.ones(n)) / np.sqrt(sizes[self.group])
        own = self._own(honest)
        rest = honest - self.weight * own[self.group] if groups < n else np.zeros(n)
        length = np.sqrt(rest @ rest)
        self.extra = rest / length if length > 0.0 else np.zeros(n)
        self.honest = np.append(own, length) if length > 0.0 else own
        self.size = len(self.honest)
        # The constant, of which a standardised response has nothing.
        ones = np.append(self._own(np.ones(n)), self.extra.sum())[: self.size]
        self.ones = ones / np.sqrt(n)

    def prior(self, variance: float) -> np.ndarray:
        """Covariance of a response of mean 0 and this variance; shape (size, size)."""
        return variance * (np.eye(self.size) - np.outer(self.ones, self.ones))

    def _own(self, file: np.ndarray) -> np.ndarray:
        """Coordinates of a file in the groups, shape (groups,)."""
        return np.bincount(self.group, self.weight * file)

    def coordinates(self, file: np.ndarray) -> np.ndarray:
        """Those of the part of a file, shape (n,), that the span can express; shape (size,)."""
        return np.append(self._own(file), self.extra @ file)[: self.size]

    def file(self, coordinates: np.ndarray) -> np.ndarray:
        """The file with these coordinates, shape (n,)."""
        out = np.empty(len(self.group))
        expand(coordinates, self.group, self.weight, self.extra, out)
        return out


@kernel
def expand(coordinates, group, weight, extra, out):
    """A file from its coordinates, into `out`, shape (n,)."""
    last = coordinates[-1]
    for i in range(len(group)):
        out[i] = weight[i] * coordinates[group[i]] + extra[i] * last


@kernel
def spreads(S, ones, variance, group, weight, extra, out):
    """Variance of each row of the response given S, into `out`, shape (n,).

    That of the prior, less what the coordinates have lost of theirs.
    """
    n, last = len(group), len(S) - 1
    lost_last = variance * (1.0 - ones[last] ** 2) - S[last, last]
    for i in range(n):
        g, a, e = group[i], weight[i], extra[i]
        lost = a * a * (variance * (1.0 - ones[g] ** 2) - S[g, g])
        if e != 0.0:
            lost += e * e * lost_last
            lost -= 2.0 * a * e * (variance * ones[g] * ones[last] + S[g, last])
        out[i] = variance * (1.0 - 1.0 / n) - lost

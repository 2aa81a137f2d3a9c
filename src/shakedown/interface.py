"""What the parts of the package agree on.  Imports nothing from the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class InputError(ValueError):
    """A mistake in what the user gave.

    The message names the thing, what was wanted, what was got, and the cure.
    """


@dataclass(frozen=True, eq=False)
class Challenge:
    """A data set that a challenge is made of.

    Attributes
    ----------
    name : str
        The data set's id in the configuration.
    X : ndarray of float, shape (n, p)
        Features in the table's own units; no missing value.
    y : ndarray of float, shape (n,)
        Response in its own unit.
    rows : ndarray of str, shape (n,)
        Ids of the rows.
    features : ndarray of str, shape (p,)
        Names of the features.
    split : ndarray of str, shape (n,), or None
        The official set of each row ("train", "public" or "final"), where there is one.
    notes : tuple of str
        What was done to the table on the way here, one sentence each.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    features: np.ndarray
    split: np.ndarray | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """Everything a participant sees: the information barrier.

    Columns and response are standardised within each set (mean 0, standard deviation 1 with
    ``ddof=1``), so the intercept of a least-squares fit on the training set is zero.

    Attributes
    ----------
    X_train : ndarray of float, shape (n_train, p), Fortran order
    y_train : ndarray of float, shape (n_train,)
    X_public : ndarray of float, shape (n_public, p), Fortran order
    X_final : ndarray of float, shape (n_final, p), Fortran order
    """

    X_train: np.ndarray
    y_train: np.ndarray
    X_public: np.ndarray
    X_final: np.ndarray


#: Hands predictions of the public response, shape (m, n_public), to the board in order and
#: returns the released scores, shape (m,).  All that an attack learns comes through this.
Submit = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class FinalModel:
    """The model that a participant ends with, at one point of the attack.

    Attributes
    ----------
    public : ndarray of float, shape (n_public,)
        Its predictions of the public response.
    final : ndarray of float, shape (n_final,)
        Its predictions of the final response.
    n_selected : int
        Features in the model.
    iterations : int or None
        Iterations of the attack so far; None for an attack without iterations.
    submissions : int
        Submissions made so far.
    """

    public: np.ndarray
    final: np.ndarray
    n_selected: int
    iterations: int | None
    submissions: int


class Attack(Protocol):
    """A way to play a participant.  Randomness, if any, enters as `rng`."""

    def __call__(
        self, view: View, submit: Submit, *, rng: np.random.Generator
    ) -> list[FinalModel]: ...

"""What the parts of the package agree on.  Imports nothing from the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class Climbed(NamedTuple):
    """What a participant learns from a climb of m submissions.

    `shown`, shape (m,): released scores; `kept`, bool, shape (m,): the changes that stay.
    """

    shown: np.ndarray
    kept: np.ndarray


class Window(Protocol):
    """A participant's side of a leaderboard: its published rules, and what it shows.

    Attributes
    ----------
    larger_is_better : bool
        The metric's direction.
    is_noisy : bool
        Whether the board adds noise to what it shows.
    replaces_always : bool
        Whether it shows every submission's own score, better or not.
    step : float
        What scores are rounded to a multiple of; 0 for not at all.
    """

    larger_is_better: bool
    is_noisy: bool
    replaces_always: bool
    step: float

    def submit(
        self, predictions: np.ndarray, final: Callable[[], np.ndarray] | None = None
    ) -> np.ndarray:
        """Released scores, shape (m,), of predictions, shape (m, n_public), in this order.

        On a board of ranks: the account's rank among all accounts after each of them, 1 for the
        lead; accounts that it does not tell apart share the mean of their ranks.

        `final` returns what the same models predict for the final rows, shape (m, n_final).  The
        board never sees it: whoever keeps the record of a simulation asks for it where the true
        risk of a submission can only be estimated.
        """
        ...

    def submit_each(self, predictions: np.ndarray) -> np.ndarray:
        """Released scores, shape (m,), of predictions, shape (m, n_public), each from an account of
        its own."""
        ...

    def climb(self, labels: np.ndarray, moves: np.ndarray, lowest: float) -> Climbed:
        """Submit small changes of `labels`, shape (n_public,), one after another.

        Submission t is `labels` with those at moves[t] (positions, -1 for none) changed from 0 to 1
        or from 1 to 0.  A change stays in the later ones, and in `labels`, if the score shown after
        it is below `lowest` and below all shown since.
        """
        ...

    def told_accepted(self) -> np.ndarray:
        """An oracle's help, for attacks that the paper helps so: which submissions of the last
        batch replaced the best; bool, shape (m,).  No real board tells."""
        ...


@dataclass(frozen=True, eq=False)
class FinalModels:
    """What a participant ends with, at each of q points of the attack.

    Attributes
    ----------
    public : ndarray, shape (q, n_public)
        Predictions of the public response.
    final : ndarray, shape (q, n_final)
        Predictions of the final response.
    n_selected : ndarray of int, shape (q,)
        Features in the model; for guesses of labels the submissions that it is made of, each a vote
        or a change that was kept.
    iterations : ndarray of int, shape (q,), or None
        Iterations so far; None for an attack without iterations.
    submissions : ndarray of int, shape (q,)
        Submissions so far.
    """

    public: np.ndarray
    final: np.ndarray
    n_selected: np.ndarray
    iterations: np.ndarray | None
    submissions: np.ndarray


@dataclass(frozen=True, eq=False)
class Game:
    """One play of an attack against one mechanism.

    Attributes
    ----------
    models : FinalModels
    submitted : list of ndarray of int
        For each batch, the feature that each submission tried.
    selected : list of ndarray of int
        For each batch, the features that the attack took because of it.
    sets : list of ndarray of int, or None
        For an attack whose submissions try several features each: these, set by set; `submitted`
        and `selected` then count the sets, from 0.
    ends_anew : bool
        Whether the participant would submit the final model from a new account.
    """

    models: FinalModels
    submitted: list[np.ndarray]
    selected: list[np.ndarray]
    sets: list[np.ndarray] | None = None
    ends_anew: bool = False


class Attack(Protocol):
    """A way to play a participant.

    Made once per replicate with the participant's view, so that whatever does not depend on the
    board is done once; then played against each mechanism.

    Attributes
    ----------
    opening : ndarray, shape (m, n_public), or None
        What it submits first on every board, if that is always the same array.
    size : int
        Most features that it selects.
    board : str or None
        Whether its iterations share a board; a column of the tables.
    draws : bool
        Whether it is made with `rng`, random numbers of its own, the same for all mechanisms.
    """

    opening: np.ndarray | None
    size: int
    board: str | None
    draws: bool

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play against boards of one kind; each call of `open_board` opens a new one."""
        ...

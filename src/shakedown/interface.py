"""The types that all parts of the package share.  Imports nothing from the package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

#: Largest absolute value of a response, a feature or a prediction, and smallest difference of two
#: responses of a set that are not all equal.  Paired tests of squared errors add fourth powers, and
#: correlations multiply two sums of squares.  Within these limits such numbers stay between 1e-204
#: and 1e216 for ten million rows; outside, they could be 0 or infinite (below 1e-308, above 1e308).
LARGEST = 1e50
SMALLEST_SPREAD = 1e-50
#: Most digits of a whole number in a configuration, such as the seed; more have no float.
MOST_DIGITS = 300


class InputError(ValueError):
    """An error in the user's input.

    The message names the thing, what was wanted, what was got, and the cure; it is as `in_a_line`.

    Examples
    --------
    >>> import shakedown
    >>> try:
    ...     shakedown.find_metric("pearsn")
    ... except shakedown.InputError as e:
    ...     print(e)
    metric 'pearsn' is not known. Did you mean 'pearson'?
    """

    def __init__(self, message: str) -> None:
        super().__init__(in_a_line(message))


def in_a_line(message: str) -> str:
    """A message that may repeat names and cells of a file, as a line of readable length.

    What a terminal obeys, or nobody sees, is escaped; words beyond 300 characters are cut.
    """
    seen = "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in message
    )
    return re.sub(r"(\S{300})\S+", r"\1...", seen)


def guess(what: object, among: Iterable[str]) -> str:
    """A "did you mean" sentence to append to a message; empty if nothing is close."""
    known = {str(name).lower(): str(name) for name in among}
    close = get_close_matches(str(what).lower(), known, n=1)
    return f" Did you mean '{known[close[0]]}'?" if close else ""


class Shape(NamedTuple):
    """Numbers of rows and features of a data set."""

    rows: int
    features: int


class Grouping(NamedTuple):
    """A column of a table that is no feature, and may group its rows.

    Attributes
    ----------
    name : str
    codes : ndarray of int, shape (n,)
        Equal cells have equal codes; -1 where a cell is missing.  Codes follow the order of the
        cells, which is that of numbers if all are.
    is_text : bool
        Whether a cell is not a number.
    """

    name: str
    codes: np.ndarray
    is_text: bool


class Cells(NamedTuple):
    """The cells of a table with several responses: which row and which response each one is of.

    Attributes
    ----------
    names : tuple of str
        Of the q responses.
    responses, rows : ndarray of int, shape (n,)
        Codes from 0 without gaps.
    """

    names: tuple[str, ...]
    responses: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Challenge:
    """The data set of a challenge.

    With several responses, what is called a row here is a cell: one response of one row of the
    table, with the features of that row.  Each response is standardised, and the cells of a row
    belong together.

    Attributes
    ----------
    name : str
        The data set's id in the configuration.
    X : ndarray of float, shape (n, p)
        Features in the table's own units; no missing value.
    y : ndarray of float, shape (n,)
        Response in its own unit; if `censored`, t for an event at the time t, and -t for a row
        that was censored then.
    rows : ndarray of str, shape (n,)
        Ids of the rows.
    features : ndarray of str, shape (p,)
        Names of the features.
    split : ndarray of str, shape (n,), or None
        The official set of each row ("train", "public" or "final"); None without one.
    notes : tuple of str
        What was done to the table, one sentence per step.
    leaks : tuple of str
        Names of the features that equal the response, or nearly.
    groupings : tuple of Grouping
        Columns that are no features, and tell whether rows belong together.
    group : Grouping or None
        Which rows belong together; each has a code, from 0.  None: all are independent.
    cells : Cells or None
        None if there is one response.
    weights : ndarray of float, shape (n,), or None
        Of the rows in a weighted score, 0 or more; None without weights.
    censored : bool
        Whether the response is a time, which may be censored.
    horizons : tuple of float
        The time points of censored times that are cut at some: a response for each, 1 for an event
        up to then and 0 for a row observed beyond it, less the probability of an event; `weights`
        are those of cells.  Empty for any other response.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    features: np.ndarray
    split: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    groupings: tuple[Grouping, ...] = ()
    group: Grouping | None = None
    cells: Cells | None = None
    weights: np.ndarray | None = None
    censored: bool = False
    horizons: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class ParticipantData:
    """Everything that a participant sees; no public or final response is part of it.

    Columns and response are standardised within each set (mean 0, standard deviation 1 with
    ``ddof=1``), so the intercept of a least-squares fit on the training set is zero.

    Attributes
    ----------
    X_train : ndarray of float, shape (n_train, p), Fortran order
    y_train : ndarray of float, shape (n_train,)
    X_public : ndarray of float, shape (n_public, p), Fortran order
    X_final : ndarray of float, shape (n_final, p), Fortran order
    groups : tuple of ndarray of int, or None
        Which rows belong together in each set, shape (n_set,), from 0.  None: all are independent.
    cells : tuple of Cells, or None
        The cells of each set; None if there is one response.
    weights : tuple of ndarray of float, or None
        Of the rows of each set, shape (n_set,); None without weights.
    times : ndarray of float, shape (n_train,), or None
        Signed times of the training rows, whose risk scores are `y_train`; None for a response of
        numbers.
    """

    X_train: np.ndarray
    y_train: np.ndarray
    X_public: np.ndarray
    X_final: np.ndarray
    groups: tuple[np.ndarray, ...] | None = None
    cells: tuple[Cells, ...] | None = None
    weights: tuple[np.ndarray, ...] | None = None
    times: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class FinalModels:
    """The final model of a participant at each of q points of the attack.

    Attributes
    ----------
    public : ndarray, shape (q, n_public)
        Predictions of the public response.
    final : ndarray, shape (q, n_final)
        Predictions of the final response.
    n_selected : ndarray of int, shape (q,)
        Number of features in the model; for attacks on labels, the number of submissions in it:
        votes, or changes that were kept.
    point : ndarray of int, shape (q,)
        Points of the attack; `Attack.point_name` says what they count.
    submissions : ndarray of int, shape (q,)
        Number of submissions so far.
    """

    public: np.ndarray
    final: np.ndarray
    n_selected: np.ndarray
    point: np.ndarray
    submissions: np.ndarray


@dataclass(frozen=True, eq=False)
class Game:
    """One play of an attack against one mechanism.

    Attributes
    ----------
    models : FinalModels
    submitted : list of ndarray of int
        For each batch, the feature of each submission.
    selected : list of ndarray of int
        For each batch, the features that the attack selected because of it.
    sets : list of ndarray of int, or None
        For an attack that submits several features at a time: the features of each set; `submitted`
        and `selected` then hold indices of sets, from 0.
    new_account : bool
        Whether the participant would submit the final model from a new account.
    honest : FinalModels or None
        The file that the participant would end with if it were honest (q = 1); None if its final
        models are all that it has.
    """

    models: FinalModels
    submitted: list[np.ndarray]
    selected: list[np.ndarray]
    sets: list[np.ndarray] | None = None
    new_account: bool = False
    honest: FinalModels | None = None

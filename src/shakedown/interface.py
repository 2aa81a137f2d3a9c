"""The types that all parts of the package share.  Imports nothing from the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple, Protocol

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


@dataclass(frozen=True, eq=False)
class Challenge:
    """The data set of a challenge.

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
        The official set of each row ("train", "public" or "final"); None without one.
    notes : tuple of str
        What was done to the table, one sentence per step.
    leaks : tuple of str
        Names of the features that equal the response, or nearly.
    groupings : tuple of Grouping
        Columns that are no features, and tell whether rows belong together.
    group : Grouping or None
        Which rows belong together; each has a code, from 0.  None: all are independent.
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
    """

    X_train: np.ndarray
    y_train: np.ndarray
    X_public: np.ndarray
    X_final: np.ndarray
    groups: tuple[np.ndarray, ...] | None = None


class Receipt(NamedTuple):
    """The result of m submissions.

    `released`, shape (m,): the score released after each, in the metric's own direction.
    `accepted`, bool, shape (m,): whether each replaced the best, which some attacks use.
    """

    released: np.ndarray
    accepted: np.ndarray


class HillClimb(NamedTuple):
    """The result of a climb of m submissions, as a participant sees it.

    `shown`, shape (m,): released scores; `kept`, bool, shape (m,): whether each change was kept.
    """

    shown: np.ndarray
    kept: np.ndarray


class Acceptance(NamedTuple):
    """When a submission replaces the best, as a board publishes it.

    It must beat the shown score by `margin` and by `critical` standard errors of the difference;
    a `margin` of minus infinity: every submission does.  `noise` is the standard deviation of the
    comparison's own noise.
    """

    margin: float
    critical: float
    noise: float = 0.0


class Schedule(NamedTuple):
    """When a board shows the best score so far, if it does so at a few updates only.

    After every `every` submissions, at most `updates` times, and never a better one than `floor`.
    """

    every: int
    updates: int
    floor: float


class Metering(NamedTuple):
    """How a metered board charges for files; see `shakedown.leaderboard.meter.Account`.

    Of an account at most `files` are answered, which tell at most so many `degrees` of freedom
    together; `sd` is the smallest standard deviation of the noise of an answer.  Where several
    accounts share a meter, each may use at most a `share` of both.
    """

    degrees: float
    files: int
    sd: float
    share: float = 1.0


@dataclass(frozen=True)
class Terms:
    """What a board publishes.  The gate, the release and the defences each state their part.

    Nothing is known of a part that is silent: the numbers that it would state are as by default.

    Attributes
    ----------
    metric : str
        Name of the metric.
    larger_is_better : bool
        The metric's direction.
    begins : bool
        Whether something is in force on a new board before any submission.
    start : float or None
        The score that a new board then shows; None if it shows none, or none is known yet.
    is_shared : bool
        Whether all accounts submit to one board.
    is_noisy : bool
        Whether the released scores are noisy.
    replaces_always : bool
        Whether every submission replaces the one before, so that its own score is released.
    acceptance : Acceptance or None
        When a submission replaces the best, on a board that then shows its score; None for others.
    gate_acceptance : Acceptance or None
        The same as the gate states it, if the release is silent, so that nobody knows whether the
        board then shows its score.
    step : float
        Scores are rounded to a multiple of this; 0 for no rounding.
    replications : int
        Bootstrap replications of each released score (at first, if they fall); 0 for a board
        without such noise.
    noise_sd : float
        Standard deviation of the noise of a shown score, if it is the same for every score; else 0.
    tells_replacement : bool
        Whether a shown number with noise changes exactly when a submission replaces the best.
    improvements : int or None
        Submissions of an account that may replace its best; None for any number.
    improvements_per_day : tuple of int, or None
        How many may do so in a day, and the submissions of a day; None for any number.
    largest_variance : float or None
        Variance of predictions (``ddof=1``) above which a file is refused; None for no limit.
    nearest : float
        Root mean square difference from an earlier file up to which a file is refused; 0 for none.
    schedule : Schedule or None
        The updates of a digest; None for a board that shows a score after each submission.
    shows_best : bool
        Whether it shows the score in force after each submission, exact, rounded or with noise.
    largest_loss : float or None
        Largest loss of a row, in mean losses of the intercept-only prediction; None for no limit.
    metering : Metering or None
        The meter of a board that shows what is known of each file's score; None for others.
    silent : tuple of {"gate", "release", "defence"}
        The parts of the board that publish nothing.
    """

    metric: str
    larger_is_better: bool = False
    begins: bool = False
    start: float | None = None
    is_shared: bool = False
    is_noisy: bool = False
    replaces_always: bool = False
    acceptance: Acceptance | None = None
    gate_acceptance: Acceptance | None = None
    step: float = 0.0
    replications: int = 0
    noise_sd: float = 0.0
    tells_replacement: bool = False
    improvements: int | None = None
    improvements_per_day: tuple[int, int] | None = None
    largest_variance: float | None = None
    nearest: float = 0.0
    schedule: Schedule | None = None
    shows_best: bool = False
    largest_loss: float | None = None
    metering: Metering | None = None
    silent: tuple[str, ...] = ()

    @property
    def fresh_noise(self) -> bool:
        """Whether every shown number has new noise, so that a better one need not be better."""
        return self.is_noisy and not self.tells_replacement

    @property
    def shows_own_scores(self) -> bool:
        """Whether every shown number is certainly the exact score of the file just submitted."""
        return self.replaces_always and not self.is_noisy and self.acceptance is not None

    @property
    def shows_levels(self) -> bool:
        """Whether it shows the levels of a digest, without noise and from a known start."""
        digest = self.schedule is not None and self.step > 0.0
        return digest and self.begins and not self.is_noisy

    @property
    def shows_scores(self) -> bool:
        """Whether an account may see scores: a silent part counts as one that shows them."""
        return self.shows_best or self.schedule is not None or bool(self.silent)


class LeaderboardClient(Protocol):
    """A leaderboard as a participant sees it: its published terms and its released scores."""

    @property
    def terms(self) -> Terms:
        """What the board publishes."""
        ...

    def submit(
        self,
        predictions: np.ndarray,
        final: Callable[[], np.ndarray | Iterator[np.ndarray]] | None = None,
    ) -> Receipt:
        """Submit predictions, shape (m, n_public), in this order.

        A board of ranks releases the account's rank among all accounts after each submission; 1
        leads, and tied accounts share the mean of their ranks.

        `final` returns the same models' predictions for the final rows, shape (m, n_final), or an
        iterator over blocks of them, in this order.  The board does not use them; a simulation
        estimates the true risks of the submissions with them.
        """
        ...

    def submit_opening(self, final: Callable[[], np.ndarray] | None = None) -> Receipt:
        """Submit the opening, the first batch on every board, which the attack has prepared.

        It is scored once for all boards, and each gate decides on it once.
        """
        ...

    def submit_each(self, predictions: np.ndarray) -> Receipt:
        """Submit predictions, shape (m, n_public), each from a new account.

        A board of ranks has neither this nor `climb`: both return scores.
        """
        ...

    def climb(self, labels: np.ndarray, moves: np.ndarray, lowest: float) -> HillClimb:
        """Submit small changes of `labels`, shape (n_public,), one after another.

        Submission t is `labels` with the labels at moves[t] (positions, -1 for none) flipped.  The
        change is kept, also in `labels`, if the score released after it is below `lowest` and below
        all scores released in this climb.
        """
        ...


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

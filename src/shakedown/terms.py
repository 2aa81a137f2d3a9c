"""What a board publishes, and the board as a participant sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np


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
    accounts share a meter, each may use at most a `share` of both.  A board of labels states the
    `gain` that it keeps in place of degrees of freedom; see `shakedown.leaderboard.label_account`.
    """

    degrees: float
    files: int
    sd: float
    share: float = 1.0
    gain: float | None = None


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
    origin : float
        From which these multiples count: 0, unless scores are read as those of another metric.
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
        Largest loss of a row, in mean losses of a constant prediction; None for no limit.
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
    origin: float = 0.0
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

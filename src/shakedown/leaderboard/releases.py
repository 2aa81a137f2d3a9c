"""Releases, which determine the released score.

A release computes the score that the participant sees after each submission from the submission in
force (see `gates`).  It works on risks, for which smaller is better.  It has access to the batch,
to the submission in force before it, to what was shown then, and to the number of submissions
before each; to nothing older.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.bootstrap.bits import room_for_indices, side_by_side
from shakedown.leaderboard.bootstrap.resampling import (
    bootstrap_of_any_metric,
    poisson_table,
    resampled_losses,
    resampled_roots,
    resampled_scores,
    weighted_means,
)
from shakedown.leaderboard.bootstrap.sums import drawn_together
from shakedown.leaderboard.disclosure import NOTHING, Disclosure, uncounted
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.own import unsaid
from shakedown.leaderboard.ties import rounded
from shakedown.metrics import Metric
from shakedown.terms import Schedule, Terms

if TYPE_CHECKING:
    from shakedown.leaderboard.account import Quote


class Release:
    """Determines the released score.

    Derive a frozen dataclass from it, give it a `name`, and write `show`.  A class with another
    `show` than the one that it derives from says nothing of it, unless it says it itself.

    Attributes
    ----------
    name : str
    is_noisy : bool
        Whether it draws random numbers; if not, its `rng` is None.
    in_force_only : bool
        Whether it releases the score in force, rounded to a multiple of `step_for`, and no more.
    shows_in_force : bool
        Whether it releases the score in force after each submission, rounded or with noise.
    reads_files : bool
        Whether it needs the submitted files, and not only their scores.
    standardises : bool
        Whether its mechanism has the mean and the spread of the public responses as parameters
        `centre` and `scale`, by which it standardises them; see `responses.with_unit`.
    by_scores : bool
        Whether what it shows follows from scores, and from random numbers that no row changes.
    normal_sd : float or None
        Standard deviation of the normal noise, new for each score, that it adds and does no more;
        in units of the score.
    schedule : Schedule or None
        The only submissions after which it may release another score; None for all.
    """

    name: ClassVar[str]
    is_noisy: ClassVar[bool] = False
    in_force_only: ClassVar[bool] = False
    shows_in_force: ClassVar[bool] = False
    reads_files: ClassVar[bool] = False
    standardises: ClassVar[bool] = False
    by_scores: ClassVar[bool] = False
    normal_sd: float | None = None
    schedule: Schedule | None = None

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        does = ["show", "show_next"]
        says = "terms", "disclosure", "in_force_only", "shows_in_force", "by_scores", "normal_sd"
        unsaid(cls, Release, does, says)

    def check(self, metric: Metric) -> None:
        """Raise an InputError if it cannot release scores of this metric."""

    def step_for(self, n: int) -> float:
        """The step to a multiple of which scores of n rows are rounded; 0 for no rounding."""
        return 0.0

    def terms(self, terms: Terms, n: int) -> Terms:
        """`terms`, the gate's, with what participants are told of this release on n rows.

        Nothing by default; `stated` has what most releases tell.
        """
        return replace(
            terms,
            acceptance=None,
            gate_acceptance=terms.acceptance,
            silent=(*terms.silent, "release"),
        )

    def stated(self, terms: Terms, n: int) -> Terms:
        """`terms` with its step, and without the gate's acceptance unless it shows the best.

        When a submission replaces the best means nothing to a participant who does not see the
        score in force.
        """
        acceptance = terms.acceptance if self.shows_in_force else None
        return replace(
            terms, acceptance=acceptance, step=self.step_for(n), shows_best=self.shows_in_force
        )

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        """The released risk after each submission of a batch; shape (m,).

        Parameters
        ----------
        batch, best, metric, y, rng
            As in `gates.Gate.decide`.  `batch.before`, a number or of shape (m,), is the number of
            submissions that the participant's board has judged before each.
        standing : ndarray of int, shape (m,)
            The gate's decisions: the submission in force after each; -1 for `best`.
        """
        raise NotImplementedError

    def begins_with(self, metric: Metric, n: int) -> Any:
        """What it remembers on a new board of n rows: nothing by default.

        What is remembered must not change; `show_next` returns what takes its place.
        """
        return None

    def begins_on(self, metric: Metric, y: np.ndarray) -> Any:
        """`begins_with`, on the responses y, shape (n,)."""
        return self.begins_with(metric, len(y))

    def show_next(
        self, memory: Any, batch, best, standing, metric: Metric, y, rng, *, chain: bool
    ) -> tuple[np.ndarray, Any]:
        """As `show`, with what it remembers of earlier files; and what it remembers then.

        Without `chain` each submission is the next one, and nothing new is remembered.
        """
        return self.show(batch, best, standing, metric, y, rng), memory

    def known(self, memory: Any, metric: Metric, files: np.ndarray) -> np.ndarray | None:
        """Posterior mean of the risks of files, shape (m, n), given all answers so far.

        None where an answer tells nothing of other files.
        """
        return None

    def errors(self, memory: Any, metric: Metric, files: np.ndarray) -> np.ndarray | None:
        """Standard errors of what is `known`, shape (m,); None where that is None."""
        return None

    def shown_error(
        self, before: Any, after: Any, metric: Metric, file: np.ndarray, products: np.ndarray | None
    ) -> float | None:
        """The standard error of the score that was shown for a file, shape (n,).

        `before` and `after` are what was remembered, and `products` is what `products` gave before.
        By default that of what is known then.
        """
        errors = self.errors(after, metric, file[None])
        return None if errors is None else float(errors[0])

    def products(self, memory: Any, metric: Metric, file: np.ndarray) -> np.ndarray | None:
        """What it computes of a file, shape (n,), and of all that it remembers; None for nothing.

        A board that is restored need not compute it again; see `ScoredSubmissions.products`.
        """
        return None

    def spent(self, memory: Any) -> float | None:
        """What all answers have cost, as in a `Quote`; None where files have no price."""
        return None

    def quote(
        self, memory: Any, metric: Metric, file: np.ndarray, account: str | None = None
    ) -> Quote | None:
        """What a file, shape (n,), would cost and tell now; None where files have no price."""
        return None

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        """What it can show of n rows with this gate; `sign` is -1 if larger scores are better."""
        if self.is_noisy:
            return uncounted("Every score has fresh noise: it takes any value, and averages out.")
        if not self.in_force_only:
            return uncounted("Its release does not say which scores it can show.")
        step = self.step_for(n)
        if step == 0.0:
            return uncounted("Exact scores take any value: one file per row reveals everything.")
        # Between multiples of a step, any rounding moves a score by less than a step.
        return Disclosure(step, falls=gate.only_lowers(step, n), slack=step)


@dataclass(frozen=True)
class Exact(Release):
    """Release the exact score."""

    name = "exact"
    in_force_only = True
    by_scores = True
    shows_in_force = True

    def terms(self, terms: Terms, n: int) -> Terms:
        return self.stated(terms, n)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, 0.0)


@dataclass(frozen=True)
class Rounded(Release):
    """Release the nearest multiple of `step` (None: of 1/n), with halves to the even multiple."""

    step: float | None
    name = "rounded"
    in_force_only = True
    by_scores = True
    shows_in_force = True

    def step_for(self, n: int) -> float:
        return 1.0 / n if self.step is None else self.step

    def terms(self, terms: Terms, n: int) -> Terms:
        return self.stated(terms, n)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, self.step_for(len(y)))

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        shown = super().disclosure(gate, n, sign)
        return replace(shown, slack=shown.step and shown.step / 2.0)


@dataclass(frozen=True)
class Constant(Release):
    """Release the same number for every submission (a control)."""

    name = "constant"
    by_scores = True

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return NOTHING

    def terms(self, terms: Terms, n: int) -> Terms:
        return self.stated(terms, n)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return np.zeros(len(standing))


@dataclass(frozen=True)
class Ranks(Release):
    """Release the account's rank among all accounts of the board, without scores.

    This is the board of [Z] section 2.2.  Accounts are ranked by the score in force, rounded to a
    multiple of `step` (0: exact).  A single board does not know the other accounts, so `show`
    returns the score by which accounts are ranked.
    """

    step: float
    name = "rank"

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        return uncounted("A rank can take as many values as there are accounts of all teams.")

    def terms(self, terms: Terms, n: int) -> Terms:
        return self.stated(terms, n)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        return _rounded(batch.risks, best.risk, standing, self.step)


@dataclass(frozen=True)
class Bootstrap(Release):
    """Release the mean score over b bootstrap samples, drawn anew for every submission.

    [C] Algorithms 4 and 6, lines 12-13 and 15-16.  The samples are resampled rows or, with
    `dirichlet`, Dirichlet weights as in the Bayesian bootstrap; the text of Algorithm 6 allows
    both.
    """

    b: int
    dirichlet: bool = False
    name = "bootstrap"
    is_noisy = True
    shows_in_force = True

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(self.stated(terms, n), replications=self.b)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        if metric.formula is None:
            return bootstrap_of_any_metric(
                batch, best, standing, metric, y, self.b, self.dirichlet, rng
            )
        states, rows, n = side_by_side(rng), batch.rows, batch.rows.shape[1]
        if metric.is_mean_loss and not self.dirichlet:
            table, room = poisson_table(self.b - sqrt(self.b / n)), room_for_indices(128, n)
            return resampled_losses(rows, best.row, standing, self.b, *table, room, states)
        y = y[:n]  # of losses, groups of rows may be fewer, and only their number counts
        groups = drawn_together(metric)
        if self.dirichlet:
            return weighted_means(
                rows, best.row, standing, y, metric.formula, metric.root, self.b, groups, states
            )
        if metric.root:
            room = room_for_indices(n, n)
            return resampled_roots(rows, best.row, standing, self.b, room, states)
        n = int(groups.max()) + 1 if len(groups) else n
        # Few are drawn at a time, so that they stay close to the processor.
        room = room_for_indices(n * max(1, min(self.b, 10, 4096 // n)), n)
        return resampled_scores(
            rows, best.row, standing, y, metric.formula, self.b, groups, room, states
        )


@dataclass(frozen=True)
class FallingBootstrap(Release):
    """As `Bootstrap`, but b decreases with the participant's submissions ([C] discussion).

    The text does not say how b decreases.  Here it is halved after every `halving` submissions,
    rounded down, with a minimum of 1.
    """

    b: int
    halving: int
    name = "falling_bootstrap"
    is_noisy = True
    shows_in_force = True

    def terms(self, terms: Terms, n: int) -> Terms:
        return replace(self.stated(terms, n), replications=self.b)

    def show(self, batch, best, standing, metric: Metric, y, rng) -> np.ndarray:
        halved = np.minimum(np.asarray(batch.before) // self.halving, self.b.bit_length())
        sizes = np.broadcast_to(np.maximum(self.b >> halved, 1), len(standing))
        shown = np.empty(len(standing))
        for b in np.unique(sizes)[::-1]:
            now = sizes == b
            shown[now] = Bootstrap(int(b)).show(batch, best, standing[now], metric, y, rng)
        return shown


@kernel
def _rounded(risks, best_risk, standing, step):
    """Risk in force after each round, shape (m,), rounded to a multiple of `step`; 0: exact."""
    shown = np.empty(len(standing))
    for t in range(len(standing)):
        shown[t] = rounded(risks[standing[t]] if standing[t] >= 0 else best_risk, step)
    return shown

"""A participant's leaderboard, and the referee who holds the public response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.gates import Gate, check
from shakedown.metrics import Metric


@dataclass(frozen=True, eq=False)
class Batch:
    """Judged submissions: what enters the metric row by row (m, n), and the risks (m,)."""

    rows: np.ndarray
    risks: np.ndarray


@dataclass(frozen=True, eq=False)
class Best:
    """The submission in force: its row (n,) and its risk; infinite before the first one."""

    row: np.ndarray
    risk: float


class Referee:
    """Holds the public response and judges submissions; serves the boards of one replicate.

    Before anything has been released every attacker of a replicate submits the same batch, the
    *opening*.  It is judged once, and each gate decides on it once, however many mechanisms play.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The public response.
    """

    def __init__(self, metric: Metric, y: np.ndarray) -> None:
        self.metric = metric
        self.y = metric.prepare(y)
        self._opening: np.ndarray | None = None
        self._opening_batch: Batch | None = None
        self._decisions: dict[Gate, np.ndarray] = {}

    def judge(self, predictions: np.ndarray) -> Batch:
        """Scores of submissions.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)

        Raises
        ------
        InputError
            If the shape is wrong or a score is undefined (a missing or infinite prediction, a
            constant one under a correlation).
        """
        if predictions is self._opening:
            return self._opening_batch
        if predictions.ndim != 2 or predictions.shape[1] != len(self.y):
            raise InputError(
                f"submissions: wanted predictions of shape (any number, {len(self.y)}), one column "
                f"per public row; got {predictions.shape}."
            )
        rows, risks = self.metric.judge(self.y, predictions)
        if not np.isfinite(risks.sum()):
            first = int(np.flatnonzero(~np.isfinite(risks))[0])
            kind = "constant" if np.isfinite(predictions[first]).all() else "not finite"
            raise InputError(
                f"submission {first + 1} of this batch has no {self.metric.name}: its predictions "
                f"are {kind}. Submit finite predictions that differ between rows."
            )
        batch = Batch(rows, risks)
        if self._opening is None:
            self._opening, self._opening_batch = predictions, batch
        return batch

    def decide(
        self, gate: Gate, batch: Batch, best: Best, rng, *, chain: bool = True
    ) -> np.ndarray:
        """The submission in force after each of the batch; see `gates`."""
        shared = batch is self._opening_batch and best.risk == np.inf and chain
        if shared and gate in self._decisions:
            return self._decisions[gate]
        standing = gate.decide(batch, best, self.metric, self.y, chain=chain, rng=rng)
        if shared:
            self._decisions[gate] = standing
        return standing


class Board:
    """One participant on one leaderboard.

    Parameters
    ----------
    referee : Referee
    mechanism : Mechanism
    luck : callable
        ``luck(*axes) -> Generator``: named streams of random numbers.  A gate's stream does not
        contain the release, so mechanisms that share a gate make the same decisions.
    number : int
        Which board of this participant it is (1, 2, ...); names its streams.

    Attributes
    ----------
    submissions, accepted, changed : int
        Submissions so far; those that replaced the best; those after which another number was
        shown than before.  A mechanism that compares with a best that was rounded up can accept
        the same file twice, so the two differ.
    """

    def __init__(
        self,
        referee: Referee,
        mechanism: Mechanism,
        luck: Callable[..., np.random.Generator],
        number: int = 1,
    ) -> None:
        check(mechanism.gate, referee.metric)
        self.referee = referee
        self.mechanism = mechanism
        self.submissions = self.accepted = self.changed = 0
        self.last_accepted = np.zeros(0, bool)
        self._best = Best(np.zeros(len(referee.y)), np.inf)
        self._shown = np.nan
        self._luck = luck
        self._number = number
        self._batches = 0
        self._release_rng = luck("release", mechanism.id, number) if mechanism.is_noisy else None

    def submit(self, predictions: np.ndarray) -> np.ndarray:
        """Judge submissions in order and show a score after each.

        Parameters
        ----------
        predictions : ndarray, shape (m, n)

        Returns
        -------
        ndarray, shape (m,)
            Released scores, in the metric's own direction.
        """
        referee = self.referee
        batch = referee.judge(predictions)
        self._batches += 1
        standing = referee.decide(self.mechanism.gate, batch, self._best, self._gate_rng("play"))
        shown = self._show(batch, standing)
        self.submissions += len(standing)
        self.last_accepted = standing == np.arange(len(standing))
        self.accepted += int(self.last_accepted.sum())
        self.changed += int(np.count_nonzero(shown[1:] != shown[:-1]) + (shown[0] != self._shown))
        if standing[-1] >= 0:
            self._best = Best(batch.rows[standing[-1]].copy(), float(batch.risks[standing[-1]]))
        self._shown = shown[-1]
        return shown

    def preview(self, predictions: np.ndarray) -> np.ndarray:
        """What each of these would be shown if it were the next submission; changes nothing."""
        batch = self.referee.judge(predictions)
        standing = self.referee.decide(
            self.mechanism.gate, batch, self._best, self._gate_rng("preview"), chain=False
        )
        return self._show(batch, standing)

    def _gate_rng(self, occasion: str):
        if not self.mechanism.gate.draws_weights:
            return None
        return self._luck(occasion, self.mechanism.gate_id, self._number, self._batches)

    def _show(self, batch: Batch, standing: np.ndarray) -> np.ndarray:
        metric, y = self.referee.metric, self.referee.y
        return metric.sign * self.mechanism.release.show(
            batch, self._best, standing, metric, y, self._release_rng
        )

"""Resubmission, on boards that show the best loss of labels with new noise for every file.

The attack flips some random labels of its best file.  The shown loss is that of the file in force
and noise, and the file is accepted or not, which the board does not tell.  So the attack submits
the same file again and again: if it is in force already it is not better than itself, and if it has
failed it fails again; the board draws new noise each time.  It stops once the average tells whether
the file was accepted, by Bayes' rule: with the level L in force before, known up to a normal error,
and g labels more right than wrong, the scores are L - g / n in the mean.

The number of flips is the one that promises most labels for each submission: few flips pass often,
many give a larger gain, which fewer submissions can tell from noise.

It begins with the honest file (see `on_labels`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

import numpy as np

from shakedown.attacks.flipping import FlippingAttack, PreparedFlipping
from shakedown.attacks.label_climb import CLOSE, demanded_gain
from shakedown.interface import Game, ParticipantData
from shakedown.terms import Acceptance, LeaderboardClient, Terms

#: A file counts as accepted, or as refused, once that is so likely.
CERTAIN = 0.95
#: Most submissions of one file.
PATIENCE = 64
#: The gains with which a file passes if it passes never.
NEVER = np.empty(0)
#: Submissions that tell a gain of one standard deviation of the noise from none, about.
COST = 3.0


class Resubmission(FlippingAttack):
    """Resubmission; the labels last taken for accepted are the final model."""

    name: ClassVar[str] = "resubmission"
    label: ClassVar[str] = "Resubmission"
    phrase: ClassVar[str] = "resubmission"
    sentence: ClassVar[str] = (
        "Flips a few labels of its best file, and submits the same file again until the average of "
        "the noisy scores tells whether it was accepted."
    )
    order: ClassVar[float] = 7.6

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        return terms.is_noisy and terms.shows_best and not terms.replaces_always

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedResubmission:
        return PreparedResubmission(self, participant, model, rng)


class PreparedResubmission(PreparedFlipping):
    """The attack in one replicate."""

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        most, base, n = self._submissions, self._honest.public, len(self._honest.public)
        turns, rng = self._turns(open_board), self._rng()
        terms = turns.board.terms
        if not Resubmission.learns_from(terms):
            return self._idle(turns.board)
        after: list[np.ndarray] = []  # the labels that it would end with after each submission
        kept: list[int] = []

        def shown(file: np.ndarray) -> float:
            after.append(base)
            kept.append(kept[-1] if kept else 0)
            return float(turns.board.submit(file[None]).released[0])

        level = Level(1.0 - self._honest.share, n, terms)
        level.learn(np.array([shown(base)]))
        while len(after) < most:
            if turns.is_over(len(after)):  # an account begins with the best labels
                level.learn(np.array([shown(base)]))
                continue
            size = best_size(level.mean, level.noise, terms.acceptance, n)
            file = base.copy()
            flips = rng.choice(n, size, replace=False)
            file[flips] = 1.0 - file[flips]
            gains, chances = passing(level.mean, size, terms.acceptance, n)
            scores: list[float] = []
            accepted = 0.5
            while len(after) < turns.end and len(scores) < PATIENCE:
                scores.append(shown(file))
                accepted = level.accepted(np.array(scores), gains, chances)
                if not 1.0 - CERTAIN < accepted < CERTAIN:
                    break
            if accepted > 0.5:
                base = file
                after[-1], kept[-1] = base, kept[-1] + 1
            level.learn(np.array(scores), gains, chances)
        lists, counts = ([values[point - 1] for point in self._points] for values in (after, kept))
        return self._game(lists, counts, [np.array([t]) for t in range(most)])


class Level:
    """What is known of the loss in force: a normal variable.

    Attributes
    ----------
    mean, variance : float
    """

    def __init__(self, guess: float, n: int, terms: Terms) -> None:
        self._n, self._terms = n, terms
        self.mean, self.variance = guess, 0.25 / n

    @property
    def noise(self) -> float:
        """Standard deviation of the noise of a shown loss."""
        if not self._terms.replications:
            return max(self._terms.noise_sd, CLOSE / self._n)
        loss = float(np.clip(self.mean, 1.0 / self._n, 1.0 - 1.0 / self._n))
        return float(np.sqrt(loss * (1.0 - loss) / (self._n * self._terms.replications)))

    def accepted(self, scores: np.ndarray, gains: np.ndarray, chances: np.ndarray) -> float:
        """Probability that a file is in force, by its scores.

        `gains`, shape (m,), are those with which it passes, and `chances` their probabilities.
        """
        weights = self._weights(scores, gains, chances)
        return float(weights[1:].sum())

    def _weights(self, scores, gains, chances) -> np.ndarray:
        """Probabilities of no gain and of each of the gains, shape (m + 1,)."""
        variance = self.noise**2 / len(scores) + self.variance
        means = self.mean - np.append(0.0, gains) / self._n
        logs = -0.5 * (scores.mean() - means) ** 2 / variance
        weights = np.append(1.0 - chances.sum(), chances) * np.exp(logs - logs.max())
        return weights / weights.sum()

    def learn(self, scores, gains=NEVER, chances=NEVER) -> None:
        """Take in the scores of a file that may have passed."""
        weights = self._weights(scores, gains, chances)
        means = self.mean - np.append(0.0, gains) / self._n
        error = self.noise**2 / len(scores)
        share = self.variance / (self.variance + error)
        means = means + share * (scores.mean() - means)
        mean = float(weights @ means)
        self.variance = share * error + float(weights @ (means - mean) ** 2)
        self.mean = float(np.clip(mean, 0.0, 1.0))


def passing(
    level: float, size: int, rule: Acceptance | None, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gains with which so many flips pass, in labels, and their probabilities; shape (m,) each."""
    wrong = int(np.clip(round(level * n), 1, n - 1))
    return _passing(wrong, size, rule, n)


@lru_cache(maxsize=4096)
def _passing(wrong: int, size: int, rule: Acceptance | None, n: int):
    from scipy.stats import hypergeom  # slow to import

    right = np.arange(size + 1)
    gains = 2.0 * right - size
    passes = gains > demanded_gain(size, rule, 0.0, n, least=1.0)
    return gains[passes], hypergeom.pmf(right[passes], n, wrong, size)


def best_size(level: float, noise: float, rule: Acceptance | None, n: int) -> int:
    """The number of flips that promises most labels for a submission; from 1 to n/2."""
    wrong = int(np.clip(round(level * n), 1, n - 1))
    return _best_size(wrong, float(f"{noise:.2g}"), rule, n)


@lru_cache(maxsize=4096)
def _best_size(wrong: int, noise: float, rule: Acceptance | None, n: int) -> int:
    best, chosen = -1.0, 1
    for size in np.unique(np.round(np.geomspace(1, max(n // 2, 1), 40)).astype(int)):
        gains, chances = _passing(wrong, int(size), rule, n)
        if chances.sum() > 0.0:
            gain = gains @ chances / chances.sum()
            rate = gains @ chances / (1.0 + COST * (noise * n / gain) ** 2)
            if rate > best:
                best, chosen = rate, int(size)
    return chosen

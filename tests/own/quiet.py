"""Mechanisms of a user's own that publish nothing: copies of the General Ladder, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.leaderboard.gates import Always
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Rounded


@dataclass(frozen=True)
class Below:
    """Better than the rounded best by more than the step."""

    eta: float
    name = "below"
    needs_losses = draws_weights = False

    def decide(self, batch, best, metric, y, *, chain, rng):
        standing, last, risk = np.empty(len(batch.risks), int), -1, best.risk
        for t, new in enumerate(batch.risks):
            standing[t] = last
            if new < np.round(risk / self.eta) * self.eta - self.eta:
                standing[t] = t
                if chain:
                    last, risk = t, new
        return standing


@dataclass(frozen=True)
class Until(Below):
    """The same, as long as the new score is above 2; below by a hundred steps."""

    name = "until"

    def decide(self, batch, best, metric, y, *, chain, rng):
        standing, last, risk = np.empty(len(batch.risks), int), -1, best.risk
        for t, new in enumerate(batch.risks):
            standing[t] = last
            margin = self.eta if new > 2.0 else 100.0 * self.eta
            if new < np.round(risk / self.eta) * self.eta - margin:
                standing[t] = t
                if chain:
                    last, risk = t, new
        return standing


@dataclass(frozen=True)
class Nearest:
    """The score in force, rounded to a multiple of the step."""

    eta: float
    name = "nearest"
    is_noisy = False

    def step_for(self, n):
        return self.eta

    def show(self, batch, best, standing, metric, y, rng):
        risks = np.where(standing >= 0, batch.risks[standing], best.risk)
        return np.round(risks / self.eta) * self.eta


@dataclass(frozen=True)
class Hazed(Nearest):
    """The score in force, with noise of a step."""

    name = "hazed"
    is_noisy = True

    def step_for(self, n):
        return 0.0

    def show(self, batch, best, standing, metric, y, rng):
        risks = np.where(standing >= 0, batch.risks[standing], best.risk)
        return risks + self.eta * rng.standard_normal(len(standing))


class Quiet(Mechanism):
    """A General Ladder whose gate publishes nothing."""

    label: ClassVar[str] = "Quiet Ladder"
    sentence: ClassVar[str] = "Shows the best score so far, rounded, if it is better by a step."
    colour: ClassVar[str] = "#882255"

    eta: float = parameter(gt=0.0, symbol="η", unit="score", description="Step.")

    @cached_property
    def gate(self):
        return Below(self.eta)

    @cached_property
    def release(self):
        return Rounded(self.eta)


class Silent(Quiet):
    """A General Ladder of which nothing is published."""

    label: ClassVar[str] = "Silent Ladder"
    colour: ClassVar[str] = "#44AA99"

    @cached_property
    def release(self):
        return Nearest(self.eta)


class Hazy(Quiet):
    """The same with noise, so that nobody can find out what it does."""

    label: ClassVar[str] = "Hazy Ladder"
    colour: ClassVar[str] = "#DDCC77"

    @cached_property
    def release(self):
        return Hazed(self.eta)


class Fickle(Silent):
    """A silent Ladder with another margin near the response than far above it."""

    label: ClassVar[str] = "Fickle Ladder"

    @cached_property
    def gate(self):
        return Until(self.eta)


@dataclass(frozen=True)
class Forgotten(Nearest):
    """States its terms, but not that it shows the best score."""

    name = "forgotten"

    def terms(self, terms, n):
        return self.stated(terms, n)


@dataclass(frozen=True)
class Cloudy(Hazed):
    """The same with noise."""

    name = "cloudy"

    def terms(self, terms, n):
        return self.stated(terms, n)


@dataclass(frozen=True)
class Percent(Forgotten):
    """Shows a hundred times the score, and states that it is the score."""

    name = "percent"
    shows_in_force = True

    def show(self, batch, best, standing, metric, y, rng):
        return 100.0 * super().show(batch, best, standing, metric, y, rng)

    def terms(self, terms, n):
        return self.stated(terms, n)


class Forgetful(Silent):
    """Full disclosure, rounded, that forgets to say that it shows a score."""

    label: ClassVar[str] = "Forgetful board"

    @cached_property
    def gate(self):
        return Always()

    @cached_property
    def release(self):
        return Forgotten(self.eta)


class Overcast(Forgetful):
    """The same with noise."""

    label: ClassVar[str] = "Overcast board"

    @cached_property
    def release(self):
        return Cloudy(self.eta)


class Percentage(Forgetful):
    """Full disclosure in percent."""

    label: ClassVar[str] = "Percentage board"

    @cached_property
    def release(self):
        return Percent(self.eta)


@dataclass(frozen=True)
class Later(Below):
    """Better by 25 steps for 66 files, those of an estimate and its comparison; then by one."""

    name = "later"

    def decide(self, batch, best, metric, y, *, chain, rng):
        standing, last, risk = np.empty(len(batch.risks), int), -1, best.risk
        made = np.broadcast_to(batch.before, len(standing))
        for t, new in enumerate(batch.risks):
            standing[t] = last
            margin = self.eta if made[t] >= 66 else 25 * self.eta
            if new < np.round(risk / self.eta) * self.eta - margin:
                standing[t] = t
                if chain:
                    last, risk = t, new
        return standing


class Tired(Silent):
    """A silent Ladder with a large margin for the first files."""

    label: ClassVar[str] = "Tired Ladder"

    @cached_property
    def gate(self):
        return Later(self.eta)


@dataclass(frozen=True)
class Delayed(Nearest):
    """The score of the file before."""

    name = "delayed"

    def show(self, batch, best, standing, metric, y, rng):
        force = np.where(standing >= 0, batch.risks[standing], best.risk)
        first = best.risk if np.isfinite(best.risk) else 1.0
        return np.append(first, force[:-1])


@dataclass(frozen=True)
class Turned(Nearest):
    """The negative score."""

    name = "turned"

    def show(self, batch, best, standing, metric, y, rng):
        return -np.where(standing >= 0, batch.risks[standing], best.risk)


class Slow(Forgetful):
    """Full disclosure, one file late."""

    label: ClassVar[str] = "Slow board"

    @cached_property
    def release(self):
        return Delayed(self.eta)


class Inverse(Forgetful):
    """Full disclosure of the negative score."""

    label: ClassVar[str] = "Inverse board"

    @cached_property
    def release(self):
        return Turned(self.eta)

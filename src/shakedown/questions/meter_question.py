"""What a meter says of files that were sent, or that an honest team may send."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, sqrt

import numpy as np

from shakedown.leaderboard.charges import (
    degrees,
    first_within,
    independent,
    prices,
    sd_within,
    spectrum,
)
from shakedown.leaderboard.degrees import (
    LENGTH,
    charged_correlation,
    charged_gain,
    degrees_within,
    degrees_within_correlation,
)
from shakedown.leaderboard.responses import measured_by
from shakedown.metrics import find
from shakedown.replay.sent_files import SentFiles

#: The share of the last files whose mean price is that of further files.
RECENT = 0.25


@dataclass(frozen=True, eq=False)
class MeterQuestion:
    """Files, a board of so many rows that answers them, and the gain that is tolerated.

    Attributes
    ----------
    files : SentFiles
    rows : int
        Public rows of the board.  If they are not those of the files, a file is taken to be as long
        on average in each row as it was, and files to be as much alike.
    metric : str
        mse or pearson.
    noise_sd : float
        Standard deviation of the noise of each answer, in units of the score.
    variance : float
        c, the largest variance of a row's response given all that a participant knows; 1 for
        correlations.
    tolerated : float
        Above 0, in units of the score.
    """

    files: SentFiles
    rows: int
    metric: str
    noise_sd: float
    variance: float
    tolerated: float

    @cached_property
    def u(self) -> np.ndarray:
        """What the scores measure, shape (m, n), so large as for `rows` rows."""
        u, _ = measured_by(find(self.metric), self.files.predictions)
        given = u.shape[1]
        if self.metric == "mse":
            return u * sqrt(given / self.rows)
        return u * sqrt((given - 1) / (self.rows - 1))

    @cached_property
    def whole(self) -> FileSet:
        """All files together."""
        return FileSet(self, self.u)

    @cached_property
    def teams(self) -> dict[str, FileSet]:
        """The files of each team, in the order of their first ones."""
        teams = self.files.teams
        return {team: FileSet(self, self.u[teams == team]) for team in dict.fromkeys(teams)}

    def gain(self, spent: float, delta: float | None = None) -> float:
        """The largest gain, on average or but for a chance delta."""
        if self.metric == "mse":
            return charged_gain(spent + LENGTH, self.rows, delta, self.variance)
        return charged_correlation(spent + LENGTH, self.rows, delta)

    def budget(self, delta: float | None = None) -> float:
        """The degrees of freedom that keep the gain within the tolerated; 0 if none do."""
        if self.metric == "mse":
            within = degrees_within(self.tolerated, self.rows, delta, self.variance)
        else:
            within = degrees_within_correlation(self.tolerated, self.rows, delta)
        return max(within - LENGTH, 0.0)


@dataclass(frozen=True, eq=False)
class FileSet:
    """Files on one meter, by what their scores measure, u, shape (m, n)."""

    question: MeterQuestion
    u: np.ndarray

    @cached_property
    def spectrum(self) -> np.ndarray:
        return spectrum(self.u)

    @cached_property
    def independent(self) -> int:
        return min(independent(self.u), self.question.rows - 1)

    @cached_property
    def degrees(self) -> float:
        spent = degrees(self.spectrum, self.question.noise_sd, self.question.variance)
        return min(spent, float(self.independent))

    @cached_property
    def prices(self) -> np.ndarray:
        """What each file adds, in their order; shape (m,)."""
        return prices(self.u, self.question.noise_sd, self.question.variance)

    def first_within(self, budget: float) -> int:
        """How many files, from the first on, keep a budget."""
        return first_within(self.prices, budget)

    def further(self, budget: float) -> int | None:
        """How many more files keep a budget, if each costs as the last ones did on average.

        None if there is no limit.  Prices fall as files repeat earlier ones, so there may be more.
        """
        if self.degrees > budget or not self.first_within(budget):
            return 0
        each = float(self.prices[-max(1, round(RECENT * len(self.prices))) :].mean())
        return floor((budget - self.degrees) / each) if each > 0.0 else None

    def sd_within(self, budget: float) -> float:
        """The least noise with which all of the files keep a budget."""
        return sd_within(self.spectrum, budget, self.question.variance)

r"""Teams from four numbers: how many, the best score, the spread of scores, how alike errors are.

The response is normal, or whether a normal number is above 0 for metrics of two classes.  The file
of team j is

    r_j (r_j y + sqrt(1 - r_j^2) e_j),

which has the correlation r_j with the response and, for mean losses, the right size; the errors e_j
of two teams have the wanted correlation.  r_j is such that the team has its score, read from a
curve over 20,000 rows.  Scores are the quantiles of a normal distribution: the best one is as
wanted, and so is their standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from shakedown.final_rows.teams import Part, Teams
from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.metrics.classes import NUMBERS, PROBABILITIES, SCORES, TWO_CLASSES
from shakedown.seeding import stream
from shakedown.wording import amount

#: Rows of the population of a curve, how they are spread evenly over the unit square (powers of the
#: plastic number), and the correlations at which the curve is known.
ROWS = 20_000
EVEN = np.array([0.7548776662466927, 0.5698402909980532])
GRID = np.linspace(1e-6, 0.999, 200)  # a constant may have no score
#: A covariance is that of scores on samples of so many rows: fewest and most samples, and how many
#: predictions they may have.
SAMPLE, SAMPLES, CELLS = 200, (1_000, 4_000), 20_000_000


@dataclass(frozen=True)
class Numbers:
    """What is known of the teams.

    Attributes
    ----------
    teams : int
    best : float
        Score of the best team.
    spread : float
        Standard deviation of the teams' scores.
    correlation : float
        Between the errors of two teams, in [0, 1).
    """

    teams: int
    best: float
    spread: float
    correlation: float

    def __post_init__(self) -> None:
        if not self.spread > 0.0:
            raise InputError(
                f"spread: wanted a standard deviation of scores above 0; got {self.spread:g}."
            )
        if not 0.0 <= self.correlation < 1.0:
            raise InputError(
                f"correlation: wanted that of two teams' errors, at least 0 and below 1; got "
                f"{self.correlation:g}."
            )


def teams_of(numbers: Numbers, metrics: Sequence[Metric], *, seed: int) -> list[Teams]:
    """The teams under each metric; the numbers are scores of the first one.

    Raises
    ------
    InputError
        If files for a metric cannot be made up, or no file has such a score.
    """
    for metric in metrics:
        check_simulated(metric)
    r, found = files_like(numbers, metrics[0]), []
    for metric in metrics:
        rng = stream(seed, "design", "samples", metric.name)
        covariance = _covariance(metric, r, numbers.correlation, rng=rng)
        found.append(Teams(metric, np.interp(r, GRID, _curve(metric)), covariance))
    return found


def check_simulated(metric: Metric) -> None:
    """Check that files for a metric can be made up from numbers.

    Raises
    ------
    InputError
        If it scores predicted classes or censored times, more than two classes, or several terms.
    """
    of_what = {metric.predicts} <= {NUMBERS, SCORES, PROBABILITIES}
    if not of_what or metric.response not in (NUMBERS, TWO_CLASSES) or metric.terms:
        raise InputError(
            f"metric '{metric.name}': wanted one that scores numbers or probabilities, to make up "
            f"teams from numbers; got one of {_what(metric)}. Give a table, or a truth and files."
        )


def _what(metric: Metric) -> str:
    if metric.terms:
        return "several terms"
    return f"predicted {metric.predicts}" if metric.response != NUMBERS else metric.predicts


def _scores(numbers: Numbers, metric: Metric) -> np.ndarray:
    """True scores, the best first, shape (m,)."""
    at = ndtri((np.arange(1, numbers.teams + 1) - 0.375) / (numbers.teams + 0.25))
    behind = (at - at[0]) / at.std(ddof=1) * numbers.spread
    return numbers.best + metric.sign * behind


def files_like(numbers: Numbers, metric: Metric) -> np.ndarray:
    """The correlation of each team's file with the response, the best first, shape (m,).

    Raises
    ------
    InputError
        If no file has such a score.
    """
    curve, scores = _curve(metric), _scores(numbers, metric)
    risks, wanted = metric.sign * curve, metric.sign * scores
    if wanted[0] < risks[-1] or wanted[-1] > risks[0]:
        which, score = ("best", scores[0]) if wanted[0] < risks[-1] else ("worst", scores[-1])
        raise InputError(
            f"best and spread: the {which} team would have {metric.label} {amount(score)}; wanted "
            f"scores between {amount(round(curve[0], 3))}, of a file that knows nothing, and "
            f"{amount(curve[-1])}. Change the best score, or give a smaller spread."
        )
    return np.interp(-wanted, -risks, GRID)


@cache
def _curve(metric: Metric) -> np.ndarray:
    """The score of a file by its correlation with the response, shape (grid,); never worse."""
    even = (0.5 + np.arange(ROWS) * EVEN[:, None]) % 1.0
    latent, error = map(_whitened, ndtri(even))
    error = _whitened(error - latent * (latent @ error) / ROWS)
    risks = metric.sign * np.concatenate([
        metric.score(_response(metric, latent), _files(metric, latent, error[None], block))
        for block in np.array_split(GRID, 20)
    ])  # fmt: skip
    return metric.sign * np.minimum.accumulate(risks)


def _covariance(
    metric: Metric, r: np.ndarray, correlation: float, *, rng: np.random.Generator
) -> np.ndarray:
    """The covariance of one row's contribution, shape (m, m)."""
    samples = int(np.clip(CELLS // (SAMPLE * len(r)), *SAMPLES))
    drawn = np.empty((samples, len(r)))
    for scores in drawn:
        part = drawn_rows(metric, r, correlation, SAMPLE, rng=rng)
        scores[:] = metric.score(part.truth, part.files)
    return SAMPLE * np.cov(drawn.T)


def drawn_rows(
    metric: Metric, r: np.ndarray, correlation: float, rows: int, *, rng: np.random.Generator
) -> Part:
    """New rows of the population, with the files of all teams."""
    latent, shared = rng.standard_normal((2, rows))
    errors = rng.standard_normal((len(r), rows))
    errors = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * errors
    return Part(metric, _response(metric, latent), _files(metric, latent, errors, r))


def _response(metric: Metric, latent: np.ndarray) -> np.ndarray:
    return latent if metric.response == NUMBERS else (latent > 0.0).astype(float)


def _files(metric: Metric, latent: np.ndarray, errors: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Predictions as the metric takes them, shape (m, n)."""
    r = r[:, None]
    sight = r * latent + np.sqrt(1.0 - r**2) * errors
    if metric.predicts == PROBABILITIES:  # of the response being above 0, given what is seen
        return ndtr(r * sight / np.sqrt(1.0 - r**2))
    return r * sight if metric.response == NUMBERS else sight


def _whitened(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std()

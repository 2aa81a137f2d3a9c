"""Honest teams that improve steadily: what each board tells of them, and how late.

Predictions are made from the response (`honest.calibrated`), so their true scores are known.  The
share of the variance that team i explains rises at a constant rate from 0 to its own end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shakedown.data.censored import numbers_of
from shakedown.dryrun.usefulness.honest import calibrated, following
from shakedown.dryrun.usefulness.improvements import POINTS, true_scores
from shakedown.dryrun.usefulness.summaries import Statistic, rank_correlation
from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.ties import TIE
from shakedown.metrics import Metric

#: Number of teams, and the most submissions that each of them makes.  With more allowed, each
#: stands for several, and parameters in submissions (`Mechanism.in_pace`) are shortened.
TEAMS, SUBMISSIONS = 12, 100

#: The largest share of the variance that a team explains, and the smallest correlation.
MOST, LEAST = 0.95, 1e-3

#: ASSUME: the best team explains at most this share of what a middling team leaves.
AHEAD = 1 / 3

#: Shares of the replicates that are played: for gates without random numbers, for gates that draw
#: weights, and for metrics that are Python functions.
SHARES = {"plain": 0.25, "drawn": 0.1, "function": 0.05}

STATISTICS = (
    Statistic("lag"),
    Statistic("team_rank_correlation", -1.0, 1.0, scored=False),
    Statistic("shown_error"),
    Statistic("gains_seen", 0.0, 1.0, scored=False),
    Statistic("seen_after", scored=False),
    Statistic("answered", 0.0, 1.0, scored=False),
    Statistic("answer_error"),
)


@dataclass(frozen=True)
class Participation:
    """How participants take part, and what the organiser tolerates.

    Attributes
    ----------
    submissions : int
        Number of submissions that the organiser allows each participant; at least 1.
    error_correlation : float
        Correlation between the errors of a participant's successive submissions, in [0, 1).  It is
        positive if participants improve a model rather than start again.
    threshold : float
        Tolerated Δ, below 0, on standardised data: the size of a gain that is worth seeing.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    submissions: int = SUBMISSIONS
    error_correlation: float = 0.8
    threshold: float = -0.05

    def __post_init__(self) -> None:
        if not 0.0 <= self.error_correlation < 1.0:
            raise InputError(
                "`error_correlation` must be at least 0 and below 1, got "
                f"{self.error_correlation}: at 1, all submissions would have the same errors."
            )
        if self.submissions < 1:
            raise InputError(f"`submissions` must be 1 or more, got {self.submissions}.")
        if not self.threshold < 0.0:
            raise InputError(f"`threshold` must be below 0, got {self.threshold:g}.")


@dataclass(frozen=True, eq=False)
class TrueScores:
    """True scores of calibrated predictions.

    Attributes
    ----------
    metric : Metric
    r : ndarray, shape (m,)
        Correlations with the response, rising from `LEAST`.
    gains : ndarray, shape (m,)
        Their true gains over the first, which explains nothing; rising.
    start : float
        The true score of the first.
    """

    metric: Metric
    r: np.ndarray
    gains: np.ndarray
    start: float

    def gain(self, r: np.ndarray) -> np.ndarray:
        """True gains of predictions with these correlations; the shape of r."""
        return np.interp(r, self.r, self.gains)

    def reached(self, gain: float) -> float:
        """The correlation of predictions with a true gain."""
        return float(np.interp(gain, self.gains, self.r))

    def score(self, gain: np.ndarray) -> np.ndarray:
        """True scores of these gains; the shape of `gain`."""
        return self.start - self.metric.sign * gain


def truth(metric: Metric, y: np.ndarray, *, rng: np.random.Generator) -> TrueScores:
    """True scores under a metric, on a large sample of a table's response of shape (n,)."""
    r = np.cos(np.linspace(np.arccos(LEAST), np.arccos(np.sqrt(MOST)), POINTS))
    scores = true_scores(metric, y, r, rng=rng)
    gains = np.maximum.accumulate(-metric.sign * (scores - scores[0]))
    return TrueScores(metric, r, gains, float(scores[0]))


def submissions_made(allowed: int) -> int:
    """Number of submissions of each team."""
    return min(allowed, SUBMISSIONS)


def correlations(base: float, made: int) -> np.ndarray:
    """Correlations of the teams' submissions with the response; shape (teams, submissions).

    The shares of the variance that the teams explain in the end are equally spaced, with the square
    of `base` in the middle.  The worst explains 0 or more, the best at most `AHEAD` of what a
    middling team leaves.
    """
    middle = min(base * base, MOST)
    half = min(middle, AHEAD * (1.0 - middle))
    ends = middle + half * (2.0 * np.arange(TEAMS) + 1.0 - TEAMS) / TEAMS
    return np.sqrt(np.maximum(ends[:, None] * np.arange(1, made + 1) / made, LEAST**2))


def is_played(
    mechanism: Mechanism, metric: Metric, replicate: int, replicates: int, times: float = 1.0
) -> bool:
    """Whether teams play a board in a replicate, or what is played so many times as often.

    Slow boards are played in the first few alone.
    """
    kind = "drawn" if mechanism.gate.draws_weights else "plain"
    share = times * SHARES["function" if metric.formula is None else kind]
    return replicate < max(2, round(share * replicates))


def served(
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    y: np.ndarray,
    known: TrueScores,
    base: float,
    participation: Participation,
    rng_factory: Callable[..., np.random.Generator],
) -> list[tuple[float, ...]]:
    """The `STATISTICS` of each mechanism, on one public set.

    Parameters
    ----------
    metric : Metric
    mechanisms : sequence of Mechanism
    y : ndarray, shape (n,)
        Public response.
    known : TrueScores
    base : float
        Correlation of a middling team's last submission with the response.
    participation : Participation
    rng_factory : callable
        ``rng_factory(*axes) -> Generator``: the replicate's streams of random numbers.

    Returns
    -------
    list of tuple
        - lag: mean over the teams and their submissions of the true gain of the best submission so
          far, less that of the submission in force (see `in_force`).
        - team_rank_correlation: Spearman's correlation of shown and true scores of the teams in the
          end; 0 if all shown scores are equal.  Of a board that shows every submission's score, a
          team's is its best.
        - shown_error: root mean square, over the teams, of the difference of these scores.
        - gains_seen: a team makes a gain when it has improved by 1, 2, ... times `-threshold`; the
          share of gains that are seen, when the submission in force is truly as good.  NaN if no
          team gains so much.
        - seen_after: mean number of submissions, of those allowed, from a gain until it is seen, or
          until the end if it never is.
        - answered: the share of a team's submissions after which the board shows a new score: that
          of this submission or, on a board with few updates, of the best one.
        - answer_error: root mean square, over these, of the difference of the score shown and the
          true score of what it is about.  NaN if nothing is shown.
    """
    submissions, threshold = participation.submissions, participation.threshold
    r = correlations(base, submissions_made(submissions))  # (teams, submissions)
    gains = known.gain(r)
    pace = r.shape[1] / submissions
    boards = [board.in_pace(pace) for board in mechanisms]
    draws, numbers = rng_factory("errors"), numbers_of(metric, y)
    ends = np.empty((len(boards), TEAMS))
    lags = np.empty_like(ends)
    seen: list[list[tuple[bool, int]]] = [[] for _ in boards]
    off: list[list[np.ndarray]] = [[] for _ in boards]
    for team in range(TEAMS):
        errors = following(r.shape[1], len(y), participation.error_correlation, rng=draws)
        predictions = calibrated(numbers, errors, r[team])
        scorer = Scorer(metric, y, predictions, undefined_is_zero=True)
        for k, mechanism in enumerate(boards):
            board = Board(scorer, mechanism, partial(rng_factory, "team", team))
            reached, end, answers = _season(board, mechanism, gains[team], known)
            off[k].append(answers)
            lags[k, team] = (gains[team] - reached).mean()
            ends[k, team] = metric.sign * end
            seen[k] += when_seen(gains[team], reached, -threshold)
    true = known.score(gains[:, -1])
    return [
        _summary(lag, end, true, when, pace) + _answers(answers)
        for lag, end, when, answers in zip(lags, ends, seen, map(np.array, off), strict=True)
    ]


def _season(
    board: Board, mechanism: Mechanism, gains: np.ndarray, known: TrueScores
) -> tuple[np.ndarray, float, np.ndarray]:
    """A team's submissions to a board, its opening.

    Returns
    -------
    reached : ndarray, shape (m,)
        True gain of the submission in force after each, of their true `gains`.
    end : float
        The shown risk that the team ends with.
    answers : ndarray, shape (m,)
        The score shown after each less the true score of what it is about; NaN if it is not new.
    """
    sign, start = board.scorer.metric.sign, board.shown
    if mechanism.release.reads_files:
        shown, standing, end = _in_hindsight(board, mechanism)
        of_each, answered = True, None
    else:
        shown, accepted = board.submit_opening()
        standing = in_force(mechanism, sign * shown, accepted, sign * start)
        of_each = mechanism.replaces_always
        end = np.min(sign * shown) if of_each else sign * shown[-1]
        # With noise, an old score looks new.
        answered = accepted if mechanism.release.shows_in_force and not of_each else None
    reached = np.where(standing >= 0, gains[standing], 0.0)
    new = shown != np.append(start, shown[:-1])
    if answered is not None:
        new &= answered
    about = gains if of_each else reached
    return reached, float(end), np.where(new, shown - known.score(about), np.nan)


def _in_hindsight(board: Board, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, float]:
    """The score shown after each, the best submission as it is known then, and its risk in the end.

    An answer also tells of earlier files.
    """
    files, metric = board.scorer.opening.files, board.scorer.metric
    shown, standing = np.empty(len(files)), np.empty(len(files), int)
    for t in range(len(files)):
        shown[t] = board.submit(files[t : t + 1]).released[0]
        risks = mechanism.release.known(board.state.memory, metric, files[: t + 1])
        standing[t] = np.argmin(risks)
    return shown, standing, float(risks.min())


def _summary(
    lags: np.ndarray, ends: np.ndarray, true: np.ndarray, seen: list[tuple[bool, int]], pace: float
) -> tuple[float, ...]:
    """The `STATISTICS` of a mechanism from those of its teams, shape (teams,) each."""
    order, error = rank_correlation(ends, true), np.sqrt(np.mean((ends - true) ** 2))
    share, wait = np.mean(seen, axis=0) if seen else (np.nan, np.nan)
    return float(lags.mean()), order, float(error), float(share), float(wait / pace)


def _answers(off: np.ndarray) -> tuple[float, float]:
    """`answered` and `answer_error`, from the `answers` of all teams, shape (teams, m)."""
    new = ~np.isnan(off)
    error = float(np.sqrt(np.mean(off[new] ** 2))) if new.any() else np.nan
    return float(new.mean()), error


def in_force(
    mechanism: Mechanism, risks: np.ndarray, accepted: np.ndarray, start: float
) -> np.ndarray:
    """The submission that a board's best score is about, after each; -1 for none; shape (m,).

    Usually it is the last one that was accepted.  Of a board that accepts every submission, it is
    the one with the best shown score.  Of a board with few updates, it is the one that was the best
    when the shown score last got better.

    Parameters
    ----------
    mechanism : Mechanism
    risks : ndarray, shape (m,)
        The risk shown after each submission.
    accepted : ndarray of bool, shape (m,)
    start : float
        The risk shown before; NaN for none.
    """
    numbers = np.arange(len(risks))
    standing = np.maximum.accumulate(np.where(accepted, numbers, -1))
    if mechanism.release.shows_in_force and not mechanism.replaces_always:
        return standing
    lowest = np.minimum.accumulate(np.append(np.inf if np.isnan(start) else start, risks))[:-1]
    known = np.where(np.isinf(lowest), 0.0, lowest)
    better = risks < lowest - TIE * np.maximum(1.0, np.abs(known))
    news = np.maximum.accumulate(np.where(better, numbers, -1))
    return np.where(news >= 0, standing[news], -1)


def when_seen(gains: np.ndarray, reached: np.ndarray, size: float) -> list[tuple[bool, int]]:
    """Whether each gain of a team is seen, and after how many submissions.

    Parameters
    ----------
    gains : ndarray, shape (m,)
        True gain of the best submission so far; rising.
    reached : ndarray, shape (m,)
        True gain of the submission in force.
    size : float
        Above 0; the gains of interest are its multiples.

    Returns
    -------
    list of (bool, int)
        If a gain is never seen, the submissions until the end are counted.
    """
    seen = []
    for wanted in size * (1.0 - 1e-9) * np.arange(1, int(gains[-1] / size + 1e-9) + 1):
        made, visible = np.argmax(gains >= wanted), np.flatnonzero(reached >= wanted)
        last = visible[0] if len(visible) else len(gains)
        seen.append((bool(len(visible)), int(last - made)))
    return seen

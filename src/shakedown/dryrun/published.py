"""Whether a leaderboard shows what it publishes, on a simulated response.

An attack believes what a release publishes.  If the release says that it shows no score and shows
every one, or shows a hundred times the score, the attack reads nothing from it, and that says
nothing of the leaderboard.  Modellers only believe that a better file is shown as better.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

from shakedown.attacks.estimating import DIGIT
from shakedown.data.scaling import standardised
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import ZERO_ONE, Metric, find
from shakedown.metrics.classes import simulated
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Terms

#: Files on the way to the response, and the share of new numbers that may not be as published.
FILES, WRONG = 40, 0.15
#: Files of any order that show whether a better one is shown as better, and the fewest changes.
ORDERED, FEWEST = 120, 3
#: Noise of so many numbers has a larger correlation with the scores once in 1,000 leaderboards.
CORRELATED = 0.5


@cache
def shows_it(setting: str, metric: str, n: int, *, on_labels: bool = False) -> bool:
    """Whether all numbers that a leaderboard shows are what its release publishes.

    With noise, only whether it shows a score although it is said to show none.  True where a number
    is not that of a file alone (at updates, of clipped losses, of other rows, a rank), and where
    the release or a defence publishes nothing.

    Parameters
    ----------
    setting : str
        Of a leaderboard.
    metric : str
        Name of the metric.
    n : int
        Public rows.
    on_labels : bool
        Whether the response is labels 0 and 1.
    """
    mechanism, kind = of_setting(setting), find(metric).on_simulated(n)
    terms = mechanism.terms(find(metric), n)
    if not _is_comparable(mechanism, terms):
        return True
    rng = stream(0, "published")
    y, files = _labels(n, rng) if on_labels else _numbers(simulated_response(kind, n, rng), rng)
    scorer = Scorer(kind, y, undefined_is_zero=True)
    board = Session(scorer, mechanism, partial(stream, 0)).open()
    own, shown = np.empty(FILES), np.empty(FILES)
    for t, file in enumerate(files):
        own[t] = scorer.metric.score(y, file[None])[0]
        shown[t] = board.submit(file[None]).released[0]
    if terms.is_noisy:
        return not _goes_with(shown, own)
    new = np.append(False, shown[1:] != shown[:-1])
    wrong = np.abs(shown - own)[new] > (terms.step + DIGIT if terms.shows_best else -1.0)
    return bool(wrong.sum() <= WRONG * new.sum())


def _goes_with(shown: np.ndarray, own: np.ndarray) -> bool:
    """Whether numbers with noise tell the scores."""
    return bool(shown.std() > 0.0 and abs(np.corrcoef(shown, own)[0, 1]) > CORRELATED)


@cache
def follows(setting: str, metric: str, n: int) -> bool:
    """Whether what a leaderboard shows gets better when a better file is submitted, and not worse.

    Modellers need no terms, but this: on a leaderboard that shows a score one file late, or its
    negative, they learn nothing, which says nothing of it.  True where it cannot be seen: with
    noise or an update now and then, if a defence refuses files, and for labels' probabilities.

    Parameters are as in `shows_it`.
    """
    mechanism, kind = of_setting(setting), find(metric).on_simulated(n)
    terms = mechanism.terms(kind, n)
    if not _is_immediate(mechanism, terms):
        return True
    rng = stream(0, "follows")
    spreads = rng.uniform(0.3, 2.0, ORDERED)
    if kind.loss == ZERO_ONE:
        y, _ = _labels(n, rng)
        files = [np.where(rng.random(n) < 0.2 * spread, 1.0 - y, y) for spread in spreads]
    else:
        y, _ = _numbers(simulated_response(kind, n, rng), rng)
        files = [y + spread * rng.standard_normal(n) for spread in spreads]
    try:
        scorer = Scorer(kind, y, undefined_is_zero=True)
        board = Session(scorer, mechanism, partial(stream, 0)).open()
        shown = np.array([board.submit(file[None]).released[0] for file in files])
        own = np.array([kind.score(y, file[None])[0] for file in files])
    except InputError:  # the metric takes other predictions
        return True
    with np.errstate(invalid="ignore"):
        change, better = np.sign(np.diff(shown)), np.sign(np.diff(own))
    changes = np.abs(change) == 1.0
    agree = np.count_nonzero(change[changes] == better[changes])
    return changes.sum() < FEWEST or 2 * agree >= changes.sum()


def _is_immediate(mechanism: Mechanism, terms: Terms) -> bool:
    """Whether a file is judged by its own score, and what that shows is seen at once."""
    limits = (terms.improvements, terms.improvements_per_day, terms.largest_variance,
              terms.largest_loss, terms.schedule)  # fmt: skip
    others = mechanism.fresh or mechanism.shows_ranks or terms.is_noisy or terms.nearest
    return not others and "defence" not in terms.silent and all(one is None for one in limits)


def _is_comparable(mechanism: Mechanism, terms: Terms) -> bool:
    """Whether each new number is at most the score of the file just submitted, and noise."""
    if "release" in terms.silent or "defence" in terms.silent:
        return False
    # How far a score with noise may be from its own is not known.
    if mechanism.fresh or mechanism.shows_ranks or (terms.is_noisy and terms.shows_best):
        return False
    return terms.schedule is None and terms.largest_loss is None


def simulated_response(metric: Metric, n: int, rng: np.random.Generator) -> np.ndarray:
    """A standardised response that the metric takes, shape (n,)."""
    return standardised(simulated(metric.response, n, rng)[None])[0]


def _numbers(y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """A response, and files that come closer to it."""
    is_classed = len(np.unique(y)) < len(y)
    start = (1.0 if is_classed else 0.1) * rng.standard_normal(len(y))
    # The rest of the way falls in equal ratios, to a tenth.
    return y, (y + 0.1 ** (t / FILES) * (start - y) for t in range(FILES))


def _labels(n: int, rng: np.random.Generator) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """Labels, and files that come closer to them."""
    y = rng.permutation(np.arange(n) % 2).astype(float)
    start, order = rng.permutation(y), rng.permutation(n)
    return y, (np.where(order < t * n // FILES, y, start) for t in range(FILES))

"""Whether what attacks estimate of a leaderboard is what it does, on simulated responses.

An attacker cannot tell that an estimate is wrong: a gate may do something else near the response
than far above it, or later than at first.  We have the leaderboard and a response that we know, so
we can: the estimate predicts what is shown of each of a series of files.  If that is not what is
shown, adversaries are weaker than they would be, and what they reach says nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from shakedown.attacks import estimating
from shakedown.dryrun.published import simulated_response
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Terms

#: Boards on which an estimate is compared, on how many it may fail, and the files on each.
TRIALS, MOST_WRONG, FILES = 5, 1, 40
#: Files of zeros before them on each board: it may do something else later.
WAITS = (0, 30, 100, 300, 1000)
#: The share of files that may not do what is predicted.  It is not predicted if what they gain is
#: within CLEAR of what a test demands: estimates know its critical value to about a tenth.
WRONG, CLEAR = 0.15, 0.3
#: Factor by which the variance of the noise may differ from the estimate.
NOISE = 10.0


@cache
def holds(setting: str, metric: str, n: int, *, needs_margin: bool = True) -> bool:
    """Whether what attacks estimate of a leaderboard with n public rows is what it does.

    Parameters
    ----------
    setting : str
        Of a leaderboard with silent parts, of which an estimate is possible.
    metric : str
        Name of the metric.
    n : int
    needs_margin : bool
        As in `estimating.is_possible`.
    """
    wrong = 0
    for trial in range(TRIALS):
        wrong += not _holds_once(setting, metric, n, trial, needs_margin)
        if wrong > MOST_WRONG:
            return False
    return True


def _holds_once(setting: str, metric: str, n: int, trial: int, needs_margin: bool) -> bool:
    """Whether the estimate of one board holds."""
    rng = stream(trial, "estimate")
    kind = find(metric).on_simulated(n)
    scorer = Scorer(kind, simulated_response(kind, n, rng), undefined_is_zero=True)
    board = Session(scorer, of_setting(setting), partial(stream, trial)).open()

    def submit(file: np.ndarray) -> float:
        return float(board.submit(file[None]).released[0])

    # As attacks read it.
    known = replace(board.terms, metric=kind.read_as)
    terms = estimating.estimated(
        known, estimating.signs_for(n), submit, estimating.SCALE, needs_margin=needs_margin
    )
    if terms.silent:
        return False
    for _ in range(WAITS[trial]):
        submit(np.zeros(n))
    if terms.noise_sd or terms.replications:
        return _shows_noise(terms, scorer, submit)
    if terms.replaces_always:
        return _shows_own(terms, scorer, submit, rng)
    return _shows_best(terms, scorer, submit, rng, knows_gate=needs_margin)


def _shows_own(terms: Terms, scorer: Scorer, submit, rng: np.random.Generator) -> bool:
    """Whether random files show their own scores, up to the step."""
    files = rng.standard_normal((FILES, len(scorer.response)))
    own = scorer.metric.score(scorer.response, files)
    shown = np.array([submit(file) for file in files])
    return bool(np.mean(np.abs(shown - own) > terms.step + estimating.DIGIT) <= WRONG)


def _shows_noise(terms: Terms, scorer: Scorer, submit) -> bool:
    """Whether zeros, again and again, show the noise that was estimated."""
    n, losses = len(scorer.response), scorer.response**2
    shown = np.array([submit(np.zeros(n)) for _ in range(FILES)])
    variance = terms.noise_sd**2
    if terms.replications:
        variance = losses.var() / (n * terms.replications)
        variance /= 4.0 * losses.mean() if terms.metric == "rmse" else 1.0
    return bool(variance / NOISE <= shown.var(ddof=1) <= variance * NOISE)


class _Best(NamedTuple):
    """The file in force: its losses, shape (n,), and what is shown of it."""

    losses: np.ndarray
    shown: float


def _shows_best(
    terms: Terms, scorer: Scorer, submit, rng: np.random.Generator, *, knows_gate: bool
) -> bool:
    """Whether files of all sizes on the way to the response are accepted as they should be."""
    y = scorer.response
    root, resolution = terms.metric == "rmse", terms.step + estimating.LEAST
    file = np.zeros(len(y))
    best, wrong, clear = _Best(y * y, submit(file)), 0, 0
    for share in 10.0 ** rng.uniform(-3.5, -0.5, FILES):
        residual = y - file
        new = file + share * residual + 0.3 * share * rng.standard_normal(len(y))
        losses = (y - new) ** 2
        own = float(np.sqrt(losses.mean()) if root else losses.mean())
        number = submit(new)
        accepted = number != best.shown
        verdict = _verdict(terms.acceptance, best, losses, root, resolution)
        if knows_gate and verdict is not None:
            clear, wrong = clear + 1, wrong + (accepted != verdict)
        if accepted:
            clear, wrong = clear + 1, wrong + (abs(number - own) > resolution)
            file, best = new, _Best(losses, number)
    return wrong <= WRONG * max(clear, 1)


def _verdict(
    acceptance: Acceptance, best: _Best, losses: np.ndarray, root: bool, resolution: float
) -> bool | None:
    """Whether a file is accepted, and shown as better; None if that is not clear."""
    bar = best.shown - acceptance.margin
    mean, at = losses.mean(), bar * bar if root else bar
    error = (losses - best.losses).std(ddof=1) / np.sqrt(len(losses))
    hidden = resolution * (2.0 * best.shown if root else 1.0)
    demanded = acceptance.critical * error
    if mean < at - (1.0 + CLEAR) * demanded - hidden:
        return True
    if mean > at - (1.0 - CLEAR) * demanded + hidden:
        return False
    return None

"""What a board does without publishing it, estimated from an account's own receipts.

- *When a gate accepts a file*: by a `descent`.
- *The step of a release.*  All shown numbers are multiples of it.  So it is the largest number of
  which their differences are multiples, as far as a computer's numbers can tell.
- *Whose score a release shows*: that of the best if a worse file changes nothing, a file's own if
  it then shows that.
- *The noise of a release.*  The same file, submitted again and again, shows it.  A second file with
  larger losses shows whether the noise grows with them, as a bootstrap's does.

A gate under noise is not estimated: a margin would take hundreds of files.  If the shown numbers
contradict what is estimated from them, the attack does not play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from shakedown.attacks.descent import CRITICALS, FIRST, MARGINS, Descent, roundest
from shakedown.metrics import find
from shakedown.terms import Acceptance, Terms

#: Scale of the files.  The scores, about its square, must be exact to far below a margin.
SCALE = 1000.0
#: The same if a descent looks for the step: the linear probe scales its files up by the step, to as
#: much if it is .2, and they have to be better than what is in force.
HIGH = 20_000.0
#: Falls of the files that show the step.  The scores of many rows fall by almost exactly these
#: numbers, which must not be multiples of any.  Then a fall of at least LAST and, to see if a part
#: of the step would do, of so many steps and a PART of one; and falls that a root takes beside the
#: first files.
FALLS = tuple(1.6 + 2.1 * float(np.sqrt(k) % 1.0) for k in (2, 3, 5, 7, 11))
LAST, PARTS = 2.0, (1.0 / 2.0, 1.0 / 3.0)
ODD = (1.37, 0.61, 1.13, 0.83)
#: Files that show the step of their own scores, and how often one is submitted to see the noise.
OWN, REPEATS = 8, 8
#: Scales of the files that show the noise.  Variances of noise that is the same for both scales
#: differ by more than the factor ALIKE in 1 of 50,000 estimates.
NOISY, ALIKE = (100.0, 1.0), 60.0
#: The least step that is looked for: of scores near the response, whose digits an attack may read,
#: and in a descent, whose scores are less exact.  There it hides a ten-thousandth of the standard
#: deviation of a product with 209 rows.
DIGIT, LEAST = 5e-7, 1e-4
#: Most parts into which the smallest difference of scores is divided.
MOST = 2e6
#: Metrics that are mean squares, or their roots: the score of a file of known signs is known.
SQUARES = ("mse", "rmse")

Part = Literal["own scores", "noise", "descent", "step", "root", "acceptance"]
#: How many files each part of an estimate takes.
FILES: dict[Part, int] = {
    "own scores": OWN,
    "noise": len(NOISY) * REPEATS,
    "descent": len(FIRST),
    "step": len(FALLS) + len(PARTS) + 1,
    "root": len(ODD),
    "acceptance": MARGINS + CRITICALS,
}


def files_of(terms: Terms, *, needs_margin: bool = True) -> int:
    """How many files `estimated` takes; 0 if nothing is unknown, or an attack cannot play.

    It stops earlier if the board shows what fits no estimate.
    """
    return sum(FILES[part] for part in _parts(terms, needs_margin=needs_margin) or ())


def is_possible(terms: Terms, *, needs_margin: bool = True) -> bool:
    """Whether all that matters is published, or can be estimated.

    Without `needs_margin` it is enough that a file was accepted if the shown score changes.
    """
    return _parts(terms, needs_margin=needs_margin) is not None


def _parts(terms: Terms, *, needs_margin: bool) -> tuple[Part, ...] | None:
    """The parts of an estimate; none if it needs none, None if it is not possible."""
    if "defence" in terms.silent:
        return None
    release, silent_gate = "release" in terms.silent, "gate" in terms.silent
    # What a gate does matters to those who see it.
    seen = release or terms.shows_best or terms.schedule is not None
    gate = silent_gate and needs_margin and seen and not terms.replaces_always
    if not (release or gate):
        return ()
    limits = (terms.improvements, terms.improvements_per_day, terms.largest_variance,
              terms.largest_loss, terms.schedule)  # fmt: skip
    if terms.nearest or any(limit is not None for limit in limits):
        return None
    if terms.begins and not terms.replaces_always:
        return None
    if terms.is_noisy:
        # Numbers that stay until a file is accepted do not show their noise.
        plain = not (terms.tells_replacement or silent_gate)
        return ("noise",) if plain and find(terms.metric).read_as in SQUARES else None
    if terms.replaces_always:
        return ("own scores",)
    if find(terms.metric).read_as not in SQUARES:
        return None
    root = terms.metric == "rmse" and not release  # the step takes other files, which do as well
    parts: list[tuple[Part, bool]] = [
        ("descent", True), ("step", release), ("root", root), ("acceptance", gate)
    ]  # fmt: skip
    return tuple(part for part, needed in parts if needed)


def signs_for(n: int) -> np.ndarray:
    """Two patterns of signs, orthogonal to each other and independent of the response; (2, n)."""
    return 1.0 - 2.0 * np.array([np.arange(n) % 2, np.arange(n) // 2 % 2])


def estimated(
    terms: Terms,
    signs: np.ndarray,
    submit: Callable[[np.ndarray], float],
    scale: float,
    *,
    needs_margin: bool = True,
) -> Terms:
    """The terms of a board with an estimate of what it does not publish.

    If what it shows fits no estimate, they are as silent as before, without `acceptance`.

    Parameters
    ----------
    terms : Terms
        What it publishes; `is_possible` holds.
    signs : ndarray, shape (2, n)
        Signs that are independent of the response.
    submit : callable
        ``submit(file) -> released``, for `files_of(terms)` files of shape (n,).
    scale : float
        Scale of the files: `SCALE`, or more to stay above what follows.
    needs_margin : bool
        As in `is_possible`.
    """
    parts = _parts(terms, needs_margin=needs_margin) or ()
    known = terms
    if "release" in terms.silent:
        known = replace(terms, acceptance=terms.gate_acceptance)
    if "gate" in terms.silent and ("release" in terms.silent or terms.shows_best):
        known = replace(known, acceptance=Acceptance(0.0, 0.0))  # at least that is needed
    if "noise" in parts:
        complete = _with_noise(known, signs[0], submit, scale)
    elif "own scores" in parts:
        complete = _with_own_scores(known, submit, signs.shape[1])
    elif "descent" in parts:
        scale = max(scale, HIGH) if "step" in parts else scale
        complete = _with_descent(known, Descent(known, signs, submit, scale), parts)
    else:
        complete = known
    if complete is None:
        return replace(terms, acceptance=None)
    return replace(complete, silent=(), gate_acceptance=None)


def _with_descent(terms: Terms, descent: Descent, parts: tuple[Part, ...]) -> Terms | None:
    """`terms` with what a descent shows of the step, the best and the gate."""
    if "step" in parts:
        margin = 0.0 if terms.acceptance is None else max(terms.acceptance.margin, 0.0)
        step = _step_of(descent, margin)
        if step is None:
            return None
        descent.learn_step(max(step, LEAST))
        own = descent.shows_worse()
        if own is None or not descent.fits():
            return None
        terms = replace(terms, step=step, shows_best=True)
        if own:  # whatever the gate does
            return replace(terms, acceptance=Acceptance(-np.inf, 0.0), replaces_always=True)
    if "root" in parts:
        descent.fall_visibly(ODD)
    if "acceptance" in parts:
        terms = replace(terms, acceptance=descent.acceptance())
    return terms if descent.fits() and terms.acceptance is not None else None


def _step_of(descent: Descent, margin: float) -> float | None:
    """The step of a descent's scores, on a board that demands a margin; see `common_step`."""
    shown = descent.fall([fall + margin for fall in FALLS])
    for part in PARTS:
        step, fall = common_step(shown, LEAST), LAST + margin
        if step:
            fall = (np.ceil(fall / step) + part) * step
        shown = np.append(shown, descent.fall([fall])[1:])
    return common_step(shown, LEAST)


def _with_own_scores(terms: Terms, submit: Callable[[np.ndarray], float], n: int) -> Terms | None:
    """`terms` with the step of the scores of irregular files, the last the first one's negative."""
    files = irregular(n)
    shown = np.array([submit(file) for file in files])
    step = common_step(shown, DIGIT)
    if step is None:
        return None
    if terms.metric in SQUARES:
        # The products with the response cancel.
        hidden = 0.5 * max(step, DIGIT)
        ends = shown[[0, -1]] + hidden * np.array([[-1.0], [0.0], [1.0]])
        low, mean, high = (ends**2 if terms.metric == "rmse" else ends).sum(axis=1)
        exact = 2.0 * ((n - 1.0) / n + np.mean(files[0] ** 2))
        if not low - 1e-9 * mean <= exact <= high + 1e-9 * mean:
            return None
    return replace(terms, step=step, shows_best=True)


def _with_noise(
    terms: Terms, signs: np.ndarray, submit: Callable[[np.ndarray], float], scale: float
) -> Terms | None:
    """`terms` with the noise of two files that are submitted again and again."""
    scales = scale * np.array(NOISY)
    shown = np.array([[submit(a * signs) for _ in range(REPEATS)] for a in scales])
    if not np.isfinite(shown).all():
        return None
    variances = shown.var(axis=1, ddof=1)
    means = shown**2 if terms.metric == "rmse" else shown
    if not (variances.min() > 0.0 and np.all(np.abs(means.mean(axis=1) / scales**2 - 1.0) < 0.5)):
        return None  # numbers that stay, or not those of the file
    terms = replace(terms, shows_best=True)
    # The loss of a row, (a - s y)^2, has variance 4 a^2 + 2; a score is a mean of b n of them.
    spread = (4.0 * scales**2 + 2.0) / len(signs)
    if terms.metric == "rmse":
        spread /= 4.0 * scales**2
    shares = variances / spread
    # The noise of a bootstrapped root hardly depends on the scale, so it could be either.
    if _are_alike(variances) and (terms.replaces_always or not _are_alike(shares)):
        return replace(terms, noise_sd=float(np.sqrt(variances.mean())))
    if not _are_alike(shares):
        return None
    return replace(terms, replications=max(1, round(1.0 / float(shares.mean()))))


def _are_alike(variances: np.ndarray) -> bool:
    return bool(variances.max() <= ALIKE * variances.min())


def irregular(n: int) -> np.ndarray:
    """Files without a pattern, on different scales, the last the first's negative; (OWN, n)."""
    at = np.arange(1.0, n + 1.0)
    files = [0.7 * 1.45**k * np.cos((k + 1.618) * at * at) for k in range(OWN - 1)]
    return np.array([*files, -files[0]])


def common_step(shown: np.ndarray, least: float) -> float | None:
    """The largest number of which all differences of scores, shape (k,), are multiples.

    0 if there is none from `least` on; None if the scores do not differ, or are no numbers.

    Notes
    -----
    The smallest difference is a whole number of steps, so it is divided by each.  Of k scores that
    are not rounded, all other differences are such multiples of a number g with a probability of
    about (2 r e / g)^(k - 2), where e is the rounding error of a computer's number and r a ratio of
    differences.
    """
    if not np.isfinite(shown).all():
        return None
    gaps = np.sort(np.diff(np.sort(shown)))
    error = 8.0 * np.finfo(float).eps * float(np.abs(shown).max())
    gaps = gaps[gaps > error]
    if not len(gaps):
        return None
    smallest = gaps[0]
    steps = smallest / np.arange(1.0, min(max(1.0, smallest / least), MOST) + 1.0)
    for gap in gaps[1:]:
        far = error * (1.0 + gap / smallest)
        steps = steps[np.abs(gap - np.round(gap / steps) * steps) <= np.minimum(far, 0.1 * steps)]
    return _tidied(float(steps[0]), error) if len(steps) else 0.0


def _tidied(step: float, error: float) -> float:
    """The whole part of 1, or else the number with the fewest digits, that is nearly a step."""
    part = 1.0 / max(round(1.0 / step), 1)
    return part if abs(part - step) <= error else roundest(step - error, step + error)

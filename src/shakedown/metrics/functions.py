"""Metrics given as a Python function: refused values, and the effect of a change of units."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics.classes import NUMBERS, USUAL

if TYPE_CHECKING:
    from shakedown.metrics.metric import Metric


def computed(
    metric: Metric, y: np.ndarray, prediction: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """The score of one prediction by the metric's function; all of shape (n,).

    Raises
    ------
    InputError
        If the function refuses the values.
    """
    try:
        if weights is None:
            return float(metric.function(y, prediction))
        return float(metric.function(y, prediction, sample_weight=weights))
    except (TypeError, ValueError) as e:
        raise refusal(metric, e) from e


def refusal(metric: Metric, error: Exception) -> InputError:
    """What to raise where a metric's function refuses the response or a prediction."""
    why = str(error).rstrip(".")
    if metric.response != NUMBERS:
        return InputError(
            f"metric '{metric.name}' refuses the response or a prediction ({why}). Use another "
            f"response or metric, such as {USUAL}."
        )
    return InputError(
        f"metric '{metric.name}': wanted one that accepts any response and prediction; got an "
        f"error ({why}). The designs standardise the response, so some values are below 0 and none "
        "is a label. Choose another metric, such as mse, rmse, mae or r2."
    )


def is_known(metric: Metric) -> bool:
    """Whether the metric's function is this package's or scikit-learn's, and so safe to call."""
    module = str(getattr(metric.function, "__module__", ""))
    is_own = module.partition(".")[0] in ("shakedown", "sklearn")
    return is_own and all(t.metric.formula is not None or is_known(t.metric) for t in metric.terms)


@cache
def trials() -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Fixed pairs of response and prediction with several spreads; shape (30,) each."""
    rng = np.random.default_rng(1)
    pairs = []
    for spread in (0.1, 1.0, 10.0):
        y = rng.standard_normal(30)
        y = spread * (y - y.mean()) / y.std(ddof=1)
        pairs.append((y, 0.6 * y + 0.5 * spread * rng.standard_normal(30) + 0.1 * spread))
    return tuple(pairs)


def check_standardised(metric: Metric) -> None:
    """Check that a metric can score predictions of a standardised response.

    Raises
    ------
    InputError
        If it cannot.
    """
    if metric.formula is None and metric.response == NUMBERS:
        computed(metric, *trials()[1])


@cache
def found_degree(metric: Metric) -> float:
    """`Metric.degree` of a function: a whole or half power that fits several data sets.

    Raises
    ------
    InputError
        If the function refuses the data, or no power fits all of them.
    """
    scores = np.array([[computed(metric, c * y, c * p) for c in (1.0, 2.0)] for y, p in trials()])
    with np.errstate(all="ignore"):
        powers = np.log2(scores[:, 1] / scores[:, 0])
    if np.isfinite(powers).all():
        degree = round(2.0 * powers[0]) / 2.0
        if np.allclose(powers, degree, rtol=0.0, atol=1e-9):
            return degree
    changes = ", ".join(f"{before:.4g} to {after:.4g}" for before, after in scores)
    raise InputError(
        f"metric '{metric.name}': wanted one that scales with a power of the response's units, so "
        "that scores can be converted to these units; when response and predictions doubled, three "
        f"scores changed from {changes}. Use another metric, such as mse, rmse, mae or r2."
    )

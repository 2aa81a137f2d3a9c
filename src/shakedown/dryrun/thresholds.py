"""The tolerated Δ of a dry run, on standardised data and in the metric's own unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakedown.data.checks import SETS, too_close
from shakedown.data.horizons import variance
from shakedown.dryrun.settings import DryRunEntry
from shakedown.interface import Challenge, InputError
from shakedown.metrics import Metric, find

#: Default tolerated Δ of standardised data: 5 % of the variance, for MSE.
THRESHOLD = -0.05
#: The same for a score in the response's units: an MSE of .95 is an RMSE of .975.
THRESHOLD_OF_ROOTS = -0.025
#: Smallest and largest tolerated Δ of standardised data; values beyond are in another unit.
SMALLEST, LARGEST = 1e-6, 1e3


def tolerated(challenge: Challenge, settings: DryRunEntry) -> list[float]:
    """The tolerated Δ, below 0, in the metric's own unit; one or more."""
    metric = find(settings.metric)
    return settings.thresholds or [usual(metric) * unit(challenge, metric)]


def thresholds(challenge: Challenge, settings: DryRunEntry) -> list[float]:
    """The tolerated Δ, below 0, on standardised data; one or more."""
    given, metric = settings.thresholds, find(settings.metric)
    if not given:
        return [usual(metric)]
    return [value / unit(challenge, metric) for value in given]


def check_thresholds(challenge: Challenge, settings: DryRunEntry) -> None:
    """Check that the tolerated Δ have a plausible size.

    Raises
    ------
    InputError
        If one is below a millionth or above a thousand times a Δ of 1 on standardised data.
    """
    metric, given = find(settings.metric), settings.thresholds or ()
    for own, standardised in zip(given, thresholds(challenge, settings), strict=False):
        if not SMALLEST <= -standardised <= LARGEST:
            size = unit(challenge, metric)
            what = f"the response's {metric.spread}, {size:.3g} {metric.unit}" if size != 1 else "1"
            raise InputError(
                f"dryrun.thresholds: wanted {SMALLEST:g} to {LARGEST:g} times {what}, below 0; "
                f"got {own:g}."
            )


def usual(metric: Metric) -> float:
    """The default tolerated Δ, below 0, on standardised data."""
    if metric.tolerated is not None:
        return metric.tolerated
    return THRESHOLD_OF_ROOTS if metric.degree == 1 else THRESHOLD


def unit(challenge: Challenge, metric: Metric) -> float:
    """A Δ of 1 on standardised data, in the metric's own unit.

    The scores of a metric of degree d scale with the d-th power of the response.  Several responses
    have no unit of their own: scores are those of standardised ones.  Those at horizons share one.
    """
    if challenge.horizons:
        return variance(challenge.y, challenge.weights) ** (metric.degree / 2.0)
    if challenge.cells is not None:
        return 1.0
    return float(np.std(challenge.y, ddof=1) ** metric.degree)


def sized(
    threshold: float, unit: float | None, metric: Metric, responses: int = 1
) -> dict[str, Any]:
    """A tolerated Δ, its unit, and what share of the response's spread it is.

    Parameters
    ----------
    threshold : float
        Below 0, in the metric's unit.
    unit : float or None
        As the function `unit` returns it; None if it is unknown.
    metric : Metric
    responses : int
        How many there are.

    Returns
    -------
    dict
        threshold, unit, spread, share (None without a spread), responses.
    """
    own = f"{metric.spread}s of the responses" if metric.spread else ""
    return {
        "threshold": float(threshold),
        "unit": own if responses > 1 else metric.unit,
        "spread": metric.spread if unit else "",
        "share": -threshold / unit if unit and metric.spread else None,
        "responses": responses,
    }


def resting(challenge: Challenge, settings: DryRunEntry) -> dict[str, Any]:
    """The first tolerated Δ of a dry run, as `sized` returns it."""
    metric = find(settings.metric)
    responses = 1 if challenge.cells is None else len(challenge.cells.names)
    return sized(tolerated(challenge, settings)[0], unit(challenge, metric), metric, responses)


def check_spread(challenge: Challenge, metric: Metric) -> None:
    """Check that a running board could tell the scores of the response apart.

    Raises
    ------
    InputError
        If the response, or its values in the public or the final set, differ too little for the
        metric.
    """
    y, split = challenge.y, challenge.split
    parts = {"": y} if split is None else {f"{name} ": y[split == name] for name in SETS[1:]}
    for part, values in parts.items():
        if why := too_close(values, metric.smallest_spread):
            raise InputError(
                f"data set '{challenge.name}': {part}values of the response {why} A board would "
                f"refuse them as its truth, for the metric {metric.name}."
            )

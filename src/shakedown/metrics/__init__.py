"""Metrics: one module each; a user's own are named by import path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from inspect import signature

from shakedown.component import Registry, imported
from shakedown.interface import InputError, guess
from shakedown.metrics.composite import is_composite
from shakedown.metrics.functions import check_standardised, computed, is_known
from shakedown.metrics.hints import hint
from shakedown.metrics.kernels import (
    ABSOLUTE,
    CONCORDANCE,
    MEAN_LOSS,
    PEARSON,
    SQUARED,
    ZERO_ONE,
    concordance_risk,
    correlation_risk,
    offset,
)
from shakedown.metrics.metric import Metric, average_ranks
from shakedown.metrics.row_terms import composite

__all__ = [
    "ABSOLUTE",
    "CONCORDANCE",
    "MEAN_LOSS",
    "METRICS",
    "PEARSON",
    "SQUARED",
    "ZERO_ONE",
    "Metric",
    "average_ranks",
    "check_standardised",
    "computed",
    "concordance_risk",
    "correlation_risk",
    "find",
    "is_known",
    "of_function",
    "offset",
]

METRICS = Registry(Metric, "shakedown.metrics")


@cache
def find(name: str) -> Metric:
    """The metric with this name or import path.

    Parameters
    ----------
    name : str
        One of `METRICS`, a composite of them (`composite.composite`), the import path of a class
        derived from `Metric`, or that of a function such as
        ``sklearn.metrics.mean_pinball_loss``.  For a function scikit-learn's naming rule applies:
        larger is better for ``*_score``, smaller is better for ``*_error`` and ``*_loss``.

    Raises
    ------
    InputError
        If there is no such metric, it has no ``sample_weight``, or it is unknown whether larger is
        better.

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> y = np.array([0.2, 1.4, 2.5, 0.1, 1.9, 2.2])
    >>> files = np.array([[0.0, 1.0, 2.0, 0.0, 2.0, 2.0], y[::-1]])
    >>> for name in ("rmse", "spearman", "0.5*pearson + 0.5*spearman"):
    ...     metric = shakedown.find_metric(name)
    ...     print(metric.label, metric.score(y, files).round(3))
    RMSE [0.292 1.827]
    Spearman correlation [ 0.926 -1.   ]
    0.5 × Pearson correlation + 0.5 × Spearman correlation [ 0.952 -0.957]
    """
    if name in METRICS:
        return METRICS.make(name)
    if is_composite(name):
        try:
            return composite(name, find)
        except InputError:
            if not (close := hint(name)):  # such as "coefficient of determination"
                raise
            raise InputError(f"metric '{name}' is not known.{close}") from None
    what = f"metric '{name}'"
    wanted = f"one of {sorted(METRICS)}, or an import path"
    if "." not in name:
        close = hint(name) or guess(name, METRICS)
        raise InputError(f"{what} is not known.{close or f' Wanted {wanted}.'}")
    candidate = imported(name, what, wanted)
    if isinstance(candidate, type):
        metric = METRICS.make(name)
        if not hasattr(metric, "larger_is_better"):
            raise InputError(
                f"{what}: cannot tell whether larger is better. Add `larger_is_better = True` or "
                "`= False` to the class."
            )
    elif callable(candidate):
        metric = of_function(name, candidate)
    else:
        raise InputError(
            f"{what}: wanted a function, or a class derived from shakedown.metrics.Metric; got an "
            f"object of type {type(candidate).__name__}."
        )
    if metric.formula is None:
        _check_weighted(metric)
    return metric


def of_function(name: str, function: Callable, larger_is_better: bool | None = None) -> Metric:
    """A metric of a function ``f(y, prediction, sample_weight=None)`` that returns a score.

    Parameters
    ----------
    name : str
        Its import path; readers see the last part.
    function : callable
    larger_is_better : bool, optional
        By default it follows from the name.

    Raises
    ------
    InputError
        If the name does not show whether larger is better.
    """
    if larger_is_better is None:
        larger_is_better = name.endswith("_score")
        if not name.endswith(("_score", "_error", "_loss")):
            raise InputError(
                f"metric '{name}': cannot tell whether larger is better. By scikit-learn's rule "
                "the name must end in _score (larger is better), _error or _loss (smaller is "
                "better)."
            )
    last = name.rsplit(".", 1)[-1]
    words = {"name": name, "label": last, "sentence": f"The score that `{name}` computes."}
    code = {"larger_is_better": larger_is_better, "function": staticmethod(function)}
    return type("OfFunction", (Metric,), {"__module__": __name__, **words, **code})()


def _check_weighted(metric: Metric) -> None:
    if metric.function is None:
        raise InputError(
            f"metric '{metric.name}' has no `function` and no `formula`. Write the method "
            "`function(self, y, prediction, sample_weight=None)`."
        )
    if "sample_weight" not in _arguments(metric.function):
        raise InputError(
            f"metric '{metric.name}': the bootstrap needs a parameter `sample_weight`, which this "
            "metric does not have. Add it, or choose another metric."
        )


def _arguments(function: Callable) -> Iterable[str]:
    try:
        return signature(function).parameters
    except ValueError:  # some functions in C do not tell
        return ()

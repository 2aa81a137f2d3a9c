"""Scores that are linear in the response: risk = rest - <y, u>, for a file that is known."""

from __future__ import annotations

from math import sqrt

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics import Metric

#: Metrics whose scores are linear in a standardised response, whose mean and length are known.
LINEAR = ("mse", "pearson", "ccc")


def check_linear(metric: Metric) -> None:
    """Raise an `InputError` if a score is not linear in the response."""
    if metric.name not in LINEAR:
        raise InputError(
            f"metric '{metric.name}': wanted one that is linear in the response "
            f"({', '.join(LINEAR)}), because a metered board measures it; got another one. Use "
            "another mechanism, or one of these metrics."
        )


def measured_by(metric: Metric, file: np.ndarray) -> tuple[np.ndarray, float]:
    """What a score measures of a standardised response y: u, shape (n,), and the rest.

    y has the mean 0 and the square n - 1.  The risk is rest - <y, u>:

    ========  =======================  =====================
    MSE       u = 2 p / n              (n - 1 + |p|^2) / n
    Pearson   u = p / sqrt(n - 1)|p|   0
    Lin       u = 2 p / (n-1+|q|^2)    0
    ========  =======================  =====================

    with p the centred file; q is the file itself, and |p|^2 of the MSE is |q|^2.
    """
    n, centred = len(file), file - file.mean()
    if metric.name == "mse":
        return (2.0 / n) * centred, (n - 1.0 + float(file @ file)) / n
    if metric.name == "ccc":
        return (2.0 / (n - 1.0 + float(file @ file))) * centred, 0.0
    length = float(centred @ centred)
    return centred / sqrt((n - 1.0) * length) if length > 0.0 else centred, 0.0

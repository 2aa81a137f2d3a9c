"""Scores that are linear in the response: risk = rest - <y, u>, both known from the file."""

from __future__ import annotations

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


def measured_by(metric: Metric, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What scores of files, shape (m, n), measure of a standardised response y.

    y has the mean 0 and the square n - 1.  The risk is rest - <y, u>:

    ========  ============================  =====================
    MSE       u = 2 p / n                   (n - 1 + |q|^2) / n
    Pearson   u = p / (sqrt(n - 1) |p|)     0
    Lin       u = 2 p / (n - 1 + |q|^2)     0
    ========  ============================  =====================

    with q the file, and p the same less its mean.

    Returns
    -------
    u : ndarray, shape (m, n)
    rest : ndarray, shape (m,)
    """
    n = files.shape[1]
    centred = files - files.mean(axis=1, keepdims=True)
    squares = (files * files).sum(axis=1)
    if metric.name == "mse":
        return (2.0 / n) * centred, (n - 1.0 + squares) / n
    if metric.name == "ccc":
        scale = 2.0 / (n - 1.0 + squares)
    else:
        lengths = np.sqrt((n - 1.0) * (centred * centred).sum(axis=1))
        scale = np.divide(1.0, lengths, out=np.zeros(len(files)), where=lengths > 0.0)
    return scale[:, None] * centred, np.zeros(len(files))

"""Scores that are linear in the response: risk = rest - <y, u>, both known from the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shakedown.interface import InputError
from shakedown.metrics import Metric

if TYPE_CHECKING:
    from shakedown.leaderboard.mechanism import Mechanism

#: Metrics whose scores are linear in a standardised response, whose mean and length are known.
LINEAR = ("mse", "pearson", "ccc")
#: Metrics of two classes whose scores are linear in the labels; of the AUROC, given their numbers.
OF_LABELS = ("zero_one", "brier", "log_loss", "auroc")
#: Fewest different values of a response whose noise can be about normal.
FEWEST_VALUES = 10


def check_linear(metric: Metric) -> None:
    """Raise an `InputError` if a score is not linear in the response."""
    if metric.name not in LINEAR + OF_LABELS:
        raise InputError(
            f"metric '{metric.name}': wanted one that is linear in the response "
            f"({', '.join(LINEAR)}) or in labels ({', '.join(OF_LABELS)}), because a metered board "
            "measures it; got another one. Use another mechanism, or one of these metrics."
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
    add = np.add.reduce  # as `mean` and `sum` do, in a third of the time for one file
    centred = files - add(files, axis=1, keepdims=True) / n
    if len(constant := np.flatnonzero((files == files[:, :1]).all(axis=1))):
        centred[constant] = 0.0  # also where the mean of equal numbers is rounded
    squares = add(files * files, axis=1)
    if metric.name == "mse":
        return (2.0 / n) * centred, (n - 1.0 + squares) / n
    if metric.name == "ccc":
        scale = 2.0 / (n - 1.0 + squares)
    else:
        lengths = np.sqrt((n - 1.0) * add(centred * centred, axis=1))
        scale = np.divide(1.0, lengths, out=np.zeros(len(files)), where=lengths > 0.0)
    return scale[:, None] * centred, np.zeros(len(files))


class Unit(NamedTuple):
    """The unit of a response: it is centre + scale x a standardised one."""

    centre: float
    scale: float

    @property
    def variance(self) -> float:
        """That of the response."""
        return self.scale * self.scale

    def without(self, files: np.ndarray) -> np.ndarray:
        """Files, shape (m, n), as if the response were standardised."""
        return files if self == STANDARDISED else (files - self.centre) / self.scale

    def of_scores(self, metric: Metric) -> float:
        """What scores of a standardised response are multiplied by."""
        return 1.0 if metric.larger_is_better else self.variance


#: That of a standardised response.
STANDARDISED = Unit(0.0, 1.0)


def with_unit(mechanism: Mechanism, y: np.ndarray, metric: Metric | None = None) -> Mechanism:
    """The mechanism on the public responses y, shape (n,): it states their mean and their spread.

    Only a mechanism that takes the response to be standardised does so.  Of labels, under a metric
    of `OF_LABELS`, it states nothing, as their mean would tell how many of them are 1.

    Raises
    ------
    InputError
        If it states others, or the responses have few different values.
    """
    if not mechanism.release.standardises:
        return mechanism
    if metric is not None and metric.name in OF_LABELS:
        return mechanism
    own = {"centre": float(np.mean(y)), "scale": float(np.std(y, ddof=1))}
    if own["scale"] == 0.0:
        raise InputError(
            f"mechanism '{mechanism.name}': all public responses are {y[0]:g}, so that no file is "
            "better than another. Choose other public rows."
        )
    if (values := len(np.unique(y))) < FEWEST_VALUES:
        raise InputError(
            f"mechanism '{mechanism.name}': wanted public responses of {FEWEST_VALUES} values or "
            f"more; got {values}. With so few, one answer can tell of many rows, and the proof "
            "fails. Choose a board that shows levels, such as a digest."
        )
    for key, value in own.items():
        given = getattr(mechanism, key)
        if given is not None and not abs(given - value) <= 1e-9 * max(abs(value), own["scale"]):
            raise InputError(
                f"mechanism '{mechanism.name}', {key}: wanted {value!r}, that of the public "
                f"responses; got {given!r}. Leave it out: it is taken from them."
            )
    return type(mechanism)(**(mechanism.parameters | own)).defended(mechanism.defences)

"""Metrics: what a prediction is worth.

Three kinds, by what a gate or a release needs of them.  `MeanLoss`: a mean over the rows of a
loss (mean squared error, mean absolute error, 0/1 loss).  `Correlation`: a function of weighted
moments (Pearson, Spearman as Pearson of ranks, Lin's concordance).  `Weighted`: any function
``f(y, prediction, sample_weight=...)``, slower.

Inside the leaderboard every score is turned into a *risk*, for which smaller is better: the score
itself for a loss, minus the score for a correlation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from shakedown.compiled import kernel
from shakedown.interface import InputError

# Formulas that the compiled loops know.
MEAN_LOSS, PEARSON, CONCORDANCE = 0, 1, 2
SQUARED, ABSOLUTE, ZERO_ONE = 0, 1, 2


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes
    ----------
    name : str
        As in the configuration and in the tables.
    larger_is_better : bool
    formula : int or None
        MEAN_LOSS, PEARSON or CONCORDANCE; None where only `function` knows.
    loss : int or None
        SQUARED, ABSOLUTE or ZERO_ONE, for a mean loss.
    ranks : bool
        Whether response and predictions are replaced by their ranks first.
    function : callable or None
        ``f(y, prediction, sample_weight=...)`` for a metric without a formula.
    """

    name: str
    larger_is_better: bool
    formula: int | None = None
    loss: int | None = None
    ranks: bool = False
    function: Callable | None = None

    @property
    def is_mean_loss(self) -> bool:
        return self.formula == MEAN_LOSS

    @property
    def sign(self) -> int:
        """Risk = sign x score."""
        return -1 if self.larger_is_better else 1

    def prepare(self, y: np.ndarray) -> np.ndarray:
        """The response as the formulas use it (its ranks, for Spearman); shape (n,)."""
        return average_ranks(y[None])[0] if self.ranks else np.ascontiguousarray(y, dtype=float)

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What of each submission enters the metric row by row, and the risks.

        Parameters
        ----------
        y : ndarray, shape (n,)
            Response, prepared.
        predictions : ndarray, shape (m, n)

        Returns
        -------
        rows : ndarray, shape (m, n)
            Losses for a mean loss, ranks for Spearman, else the predictions.
        risks : ndarray, shape (m,)
            NaN where the metric is undefined.
        """
        if self.is_mean_loss:
            return losses_and_means(predictions, y, self.loss)
        if self.function is not None:
            scores = [self.function(y, prediction) for prediction in predictions]
            return predictions, self.sign * np.array(scores, dtype=float)
        rows = average_ranks(predictions) if self.ranks else predictions
        return rows, correlation_risks(rows, y, self.formula)

    def score(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Scores, in the metric's own direction, of predictions of shape (m, n); shape (m,)."""
        y = self.prepare(y)
        return self.sign * self.judge(y, np.ascontiguousarray(predictions))[1]

    def delta(self, public: np.ndarray, final: np.ndarray) -> np.ndarray:
        """Overfit: public - final for a loss, final - public for a correlation; < 0 is overfit."""
        return self.sign * (public - final)


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row, ties sharing their average; shape (m, n)."""
    from scipy.stats import rankdata  # slow to import, and only Spearman needs it

    return rankdata(values, axis=1)


@kernel
def losses_and_means(predictions, y, loss):
    """Losses of m submissions on n rows, shape (m, n), and their means, shape (m,).

    [C] Algorithm 2, lines 6 and 7.
    """
    m, n = predictions.shape
    losses, means = np.empty((m, n)), np.empty(m)
    for t in range(m):
        total = 0.0
        for i in range(n):
            error = predictions[t, i] - y[i]
            if loss == SQUARED:
                value = error * error
            elif loss == ABSOLUTE:
                value = abs(error)
            else:
                value = 1.0 if error != 0.0 else 0.0
            losses[t, i] = value
            total += value
        means[t] = total / n
    return losses, means


@kernel
def correlation_risk(formula, w, wy, wyy, wp, wpp, wyp):
    """Minus Pearson's or Lin's correlation, from the sums of weighted products.

    [C], equation for ΔCOR under Algorithm 6; Lin (1989).  The weights need not sum to one.
    """
    mean_y, mean_p = wy / w, wp / w
    var_y = max(wyy / w - mean_y * mean_y, 0.0)
    var_p = max(wpp / w - mean_p * mean_p, 0.0)
    cov = wyp / w - mean_y * mean_p
    if formula == PEARSON:
        scale = np.sqrt(var_y * var_p)
    else:
        scale = 0.5 * (var_y + var_p + (mean_y - mean_p) ** 2)
    # A sample without spread, as a bootstrap can draw one, shows no correlation.
    return -cov / scale if scale > 0.0 else 0.0


@kernel
def offset(formula, row, y):
    """What the products of a row are taken about, while those of the response are about y[0].

    About 0 an offset of the predictions would cost digits.  Only a concordance feels a difference
    between the offsets of response and predictions.
    """
    if formula == MEAN_LOSS:
        return 0.0
    return row[0] if formula == PEARSON else y[0]


@kernel
def correlation_risks(predictions, y, formula):
    """Minus the correlation of each of m submissions with the response, shape (m,).

    Centred before it multiplies, so that an offset costs no digits.  For predictions without
    spread Pearson's correlation is undefined, NaN here, and the concordance is 0.
    """
    m, n = predictions.shape
    mean_y = y.mean()
    out = np.empty(m)
    for t in range(m):
        mean_p = predictions[t].mean()
        yy = pp = yp = 0.0
        for i in range(n):
            a, b = y[i] - mean_y, predictions[t, i] - mean_p
            yy += a * a
            pp += b * b
            yp += a * b
        if not pp < np.inf or yy == 0.0:
            out[t] = np.nan
        elif pp <= 1e-24 * n * mean_p * mean_p:
            out[t] = np.nan if formula == PEARSON else 0.0
        elif formula == PEARSON:
            out[t] = -yp / np.sqrt(yy * pp)
        else:
            out[t] = -2.0 * yp / (yy + pp + n * (mean_y - mean_p) ** 2)
    return out


METRICS = {
    metric.name: metric
    for metric in (
        Metric("mse", False, MEAN_LOSS, loss=SQUARED),
        Metric("mae", False, MEAN_LOSS, loss=ABSOLUTE),
        Metric("zero_one", False, MEAN_LOSS, loss=ZERO_ONE),
        Metric("pearson", True, PEARSON),
        Metric("spearman", True, PEARSON, ranks=True),
        Metric("ccc", True, CONCORDANCE),
    )
}


def find(name: str) -> Metric:
    """The metric of that name, or a scikit-learn metric by its import path.

    Parameters
    ----------
    name : str
        A key of `METRICS`, or a path such as ``sklearn.metrics.r2_score``.  Whether larger is
        better is read off the name by scikit-learn's own rule: ``*_score`` is larger-is-better,
        ``*_error`` and ``*_loss`` are smaller-is-better.

    Raises
    ------
    InputError
        If there is no such metric, it takes no ``sample_weight``, or its name ends otherwise.
    """
    if name in METRICS:
        return METRICS[name]
    function = imported(name, f"metric '{name}'", f"one of {sorted(METRICS)} or an import path")
    from inspect import signature

    if "sample_weight" not in signature(function).parameters:
        raise InputError(
            f"metric '{name}': a metric must take `sample_weight`, for the bootstrap; this one "
            "does not. Choose another one."
        )
    if name.endswith("_score"):
        return Metric(name, True, function=function)
    if name.endswith(("_error", "_loss")):
        return Metric(name, False, function=function)
    raise InputError(
        f"metric '{name}': cannot tell whether larger is better. By scikit-learn's rule the name "
        "must end in _score (larger is better), _error or _loss (smaller is better)."
    )


def imported(path: str, what: str, wanted: str):
    """The object at an import path, or an error that says what it was wanted for."""
    module, _, attribute = path.rpartition(".")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as e:
        raise InputError(f"{what}: wanted {wanted}; '{path}' cannot be imported ({e}).") from e

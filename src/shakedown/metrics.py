"""Metrics: what a prediction is worth.

Three kinds, by what a gate or a release needs of them.  Losses: a mean over the rows of a loss
(mean squared error, mean absolute error, 0/1 loss), or the root of one (root mean squared error).
Correlations: a function of weighted moments (Pearson, Spearman as Pearson of ranks, Lin's
concordance).  Any function ``f(y, prediction, sample_weight=...)``, slower.

Inside the leaderboard every score is turned into a *risk*, for which smaller is better: the score
itself for a loss, minus the score for a correlation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
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
    root : bool
        Whether the score is the root of the mean loss.
    ranks : bool
        Whether response and predictions are replaced by their ranks first.
    function : callable or None
        ``f(y, prediction, sample_weight=...)`` for a metric without a formula.
    """

    name: str
    larger_is_better: bool
    formula: int | None = None
    loss: int | None = None
    root: bool = False
    ranks: bool = False
    function: Callable | None = None

    @property
    def has_losses(self) -> bool:
        """Whether a submission has a loss in each row, whose mean alone says which one is better.

        So two submissions can be compared row by row, by a paired t-test.
        """
        return self.formula == MEAN_LOSS

    @property
    def is_mean_loss(self) -> bool:
        """Whether the score itself is the mean of the losses, and not its root."""
        return self.has_losses and not self.root

    @property
    def sign(self) -> int:
        """Risk = sign x score."""
        return -1 if self.larger_is_better else 1

    @property
    def degree(self) -> float:
        """The power d with ``f(c y, c p) = c**d f(y, p)`` for every c > 0.

        2 for the mean squared error, 1 for its root and for the mean absolute error, 0 for the 0/1
        loss and for correlations.  So a score on the standardised response times ``sd(y)**d`` is
        one in the response's own units.  For a function it is found by trial, see `found_degree`.

        Raises
        ------
        InputError
            If a function has no such power, or does not take a standardised response.
        """
        if self.function is not None:
            return found_degree(self)
        whole = {SQUARED: 2.0, ABSOLUTE: 1.0}.get(self.loss, 0.0)
        return whole / 2 if self.root else whole

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
            Losses (squared ones for their root mean), ranks for Spearman, else the predictions.
        risks : ndarray, shape (m,)
            NaN where the metric is undefined.

        Raises
        ------
        InputError
            If a function does not take the response or the predictions.
        """
        if self.has_losses:
            losses, means = losses_and_means(predictions, y, self.loss)
            return losses, np.sqrt(means) if self.root else means
        if self.function is not None:
            scores = [computed(self, y, prediction) for prediction in predictions]
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
        for i in range(n):
            error = predictions[t, i] - y[i]
            if loss == SQUARED:
                value = error * error
            elif loss == ABSOLUTE:
                value = abs(error)
            else:
                value = 1.0 if error != 0.0 else 0.0
            losses[t, i] = value
        # A loop of its own: one that also writes uses vector units only where the arrays lie far
        # enough apart, and the order of the sum, and its last bit, would depend on that.
        total = 0.0
        for i in range(n):
            total += losses[t, i]
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
        Metric("rmse", False, MEAN_LOSS, loss=SQUARED, root=True),
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
    if close := get_close_matches(name.lower(), METRICS, n=1):
        raise InputError(f"metric '{name}' is not known. Did you mean '{close[0]}'?")
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


def computed(metric: Metric, y: np.ndarray, prediction: np.ndarray) -> float:
    """The score of one prediction, shape (n,), by the metric's function.

    Raises
    ------
    InputError
        If the function refuses the values.
    """
    try:
        return float(metric.function(y, prediction))
    except (TypeError, ValueError) as e:
        raise InputError(
            f"metric '{metric.name}': wanted one that takes any response and prediction; got an "
            f"error ({str(e).rstrip('.')}). The designs standardise the response, so that some "
            "values lie below 0 and none is a label. Choose another one, such as mse, rmse, mae or "
            "sklearn.metrics.r2_score."
        ) from e


@cache
def trials() -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Fixed responses with predictions of them, of several spreads; shape (30,) each."""
    rng = np.random.default_rng(1)
    pairs = []
    for spread in (0.1, 1.0, 10.0):
        y = rng.standard_normal(30)
        y = spread * (y - y.mean()) / y.std(ddof=1)
        pairs.append((y, 0.6 * y + 0.5 * spread * rng.standard_normal(30) + 0.1 * spread))
    return tuple(pairs)


def check_standardised(metric: Metric) -> None:
    """Refuse a metric that cannot score predictions of a standardised response.

    Raises
    ------
    InputError
        With the metric's name and what it says.
    """
    if metric.function is not None:
        computed(metric, *trials()[1])


@cache
def found_degree(metric: Metric) -> float:
    """`Metric.degree` of a function: a whole or half power that fits several data sets.

    Raises
    ------
    InputError
        If the function refuses the data, or no power fits them all.
    """
    scores = np.array([[computed(metric, c * y, c * p) for c in (1.0, 2.0)] for y, p in trials()])
    with np.errstate(all="ignore"):
        powers = np.log2(scores[:, 1] / scores[:, 0])
    if np.isfinite(powers).all():
        degree = round(2.0 * powers[0]) / 2.0
        if np.allclose(powers, degree, rtol=0.0, atol=1e-9):
            return degree
    changes = ", ".join(f"{one:.4g} to {two:.4g}" for one, two in scores)
    raise InputError(
        f"metric '{metric.name}': wanted one that a change of units multiplies by a power of the "
        "factor, so that its scores can be told in the response's own units; response and "
        f"predictions doubled, three scores went from {changes}. Use another metric, such as mse, "
        "rmse, mae or sklearn.metrics.r2_score."
    )


def imported(path: str, what: str, wanted: str):
    """The object at an import path, or an error that says what it was wanted for."""
    module, _, attribute = path.rpartition(".")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as e:
        raise InputError(f"{what}: wanted {wanted}; '{path}' cannot be imported ({e}).") from e

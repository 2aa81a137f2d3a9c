"""Which bound a metric of a dry run has, and between which risks its leaderboards show scores."""

from __future__ import annotations

from shakedown.metrics import PEARSON, SQUARED, ZERO_ONE, Metric, find
from shakedown.metrics.classes import NUMBERS, TWO_CLASSES
from shakedown.theory.correlations import StandardisedCorrelation
from shakedown.theory.gains import GainBound, UnequalSquaredError
from shakedown.theory.losses import LabelLoss, LabelSquaredError, RowByRow
from shakedown.theory.standardised import StandardisedRootSquaredError, StandardisedSquaredError
from shakedown.theory.transcripts import Charged, ChargedRows, Transcripts

#: The score of the mean of a standardised response, MSE or RMSE: a little more than (n - 1)/n.
START = 1.0
#: The largest 0/1 loss of the more frequent of two labels.
LABELS_START = 0.5


def gain_bound(metric: Metric | str, row_variance: float = 1.0) -> GainBound | None:
    """The bound of a metric's gain on a standardised response, or for the 0/1 loss on labels.

    None if nothing is proved.  With a `row_variance` above 1, the largest variance of a row's noise
    as a multiple of the average, nothing is proved of the RMSE and of correlations.  For the Brier
    score it is what `dryrun.noise.noise_factor` makes of the labels: a quarter of their squared
    distance over their variance.
    """
    metric = metric_of(metric)
    if metric.loss == ZERO_ONE:
        return LabelLoss()
    if is_squared_of_labels(metric):
        return LabelSquaredError(row_variance)
    if metric.response != NUMBERS:  # the other bounds are of Gaussian noise
        return None
    if metric.formula == PEARSON and not metric.ranks:
        return StandardisedCorrelation() if row_variance == 1.0 else None
    if metric.loss != SQUARED or (metric.root and row_variance > 1.0):
        return None
    if row_variance > 1.0:
        return UnequalSquaredError(row_variance)
    return StandardisedRootSquaredError() if metric.root else StandardisedSquaredError()


def bound_of(
    told: Transcripts | Charged | ChargedRows | None,
    metric: Metric | str,
    row_variance: float = 1.0,
) -> GainBound | None:
    """The bound of a metric's gain on a board that can tell this; as `gain_bound`."""
    if not isinstance(told, ChargedRows):
        return gain_bound(metric, row_variance)
    metric = metric_of(metric)
    if is_squared_of_labels(metric):
        return RowByRow(metric.name, 4.0 * row_variance)
    return RowByRow(metric.name) if row_variance == 1.0 else None


def start_of(metric: Metric | str) -> float:
    """The risk at which a board with a baseline start begins, or the worst that it can be.

    A correlation's risk has a minus sign; that of a constant counts as 0.
    """
    metric = metric_of(metric)
    if metric.larger_is_better:
        return 0.0
    return LABELS_START if metric.loss == ZERO_ONE else START


def best_of(metric: Metric | str) -> float:
    """The risk of a perfect file."""
    return -1.0 if metric_of(metric).larger_is_better else 0.0


def is_squared_of_labels(metric: Metric) -> bool:
    """Whether the score is a mean of squared errors of two labels: the Brier score."""
    return metric.is_mean_loss and metric.loss == SQUARED and metric.response == TWO_CLASSES


def metric_of(metric: Metric | str) -> Metric:
    """A metric, also by its name."""
    return find(metric) if isinstance(metric, str) else metric

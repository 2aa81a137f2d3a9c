"""A metric: the score of a prediction, and its names."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from shakedown.component import Component
from shakedown.interface import SMALLEST_SPREAD, Cells, InputError
from shakedown.metrics.classes import NUMBERS
from shakedown.metrics.functions import computed, found_degree, refusal
from shakedown.metrics.kernels import (
    ABSOLUTE,
    MEAN_LOSS,
    SQUARED,
    ZERO_ONE,
    correlation_risks,
    grouped,
    losses_and_means,
    ranks_of,
)

#: Submissions that are scored at a time.
BLOCK = 512
#: Smallest difference of two responses, to the power of the metric's degree.  Boards take scores
#: that differ by 1e-12 for equal (`leaderboard.ties`): a ten-thousandth of this.
_SMALLEST_SCORE = 1e-8


class Metric(Component):
    """A metric.

    There are three kinds: the mean of a loss over the rows, or its root (`formula` MEAN_LOSS and a
    `loss`); a correlation, computed from weighted moments (`formula` PEARSON or CONCORDANCE); and
    any Python `function`, which is slower.

    Leaderboards use *risks*, for which smaller is better: the score itself, or minus the score if
    larger scores are better.

    Derive from it, set `larger_is_better`, and write the method `function`, or set a formula.

    Attributes
    ----------
    short : str
        Its name after a Δ; by default the label.
    axis : str
        The label of an axis of scores; by default the label.
    yardstick : tuple of (float, str), or None
        A score at which figures draw a line, and its meaning.
    larger_is_better : bool
    formula : int or None
        MEAN_LOSS, PEARSON or CONCORDANCE; None for a metric with a `function`.
    loss : int or None
        SQUARED, ABSOLUTE or ZERO_ONE, for a mean loss.
    root : bool
        Whether the score is the root of the mean loss.
    ranks : bool
        Whether response and predictions are first replaced by their ranks.
    tolerated : float or None
        The default tolerated Δ of a dry run, below 0, on standardised data; None for that of the
        metric's degree (`dryrun.thresholds`).
    response, predicts : str
        What the response is, and what a prediction is: constants of `classes`.  To a metric of
        classes these are the values of the response, so that standardised ones have the same
        score.
    needs_horizons : bool
        Whether it scores censored times that are cut at horizons (`data.horizons`).
    is_weighted : bool
        Whether each row has a weight.
    groups : ndarray of int, shape (n,), or None
        See `on`.
    terms : tuple of composite_names.Term
        Of a composite score.
    function : method or None
        ``function(self, y, prediction, sample_weight=None)``, the score as a float, for a metric
        without a formula; all three of shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> class Near(shakedown.Metric):
    ...     name, label, larger_is_better = "my_metrics.Near", "Share within 0.5", True
    ...
    ...     def function(self, y, prediction, sample_weight=None):
    ...         return float(np.average(abs(y - prediction) <= 0.5, weights=sample_weight))
    >>> y = np.array([0.0, 1.0, 2.0, 3.0])
    >>> Near().score(y, np.array([y + 0.4, y * 0.8, 3.0 - y]))
    array([1.  , 0.75, 0.  ])
    """

    kind: ClassVar[str] = "metric"
    short: ClassVar[str]
    axis: ClassVar[str]
    yardstick: ClassVar[tuple[float, str] | None] = None
    larger_is_better: ClassVar[bool]
    formula: ClassVar[int | None] = None
    loss: ClassVar[int | None] = None
    root: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    tolerated: ClassVar[float | None] = None
    function: ClassVar[Callable | None] = None
    response: ClassVar[str] = NUMBERS
    predicts: ClassVar[str] = NUMBERS
    needs_horizons: ClassVar[bool] = False
    is_weighted: ClassVar[bool] = False
    terms: ClassVar[tuple] = ()
    groups: ClassVar[np.ndarray | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """`short` and `axis` default to the label."""
        super().__pydantic_init_subclass__(**kwargs)
        own = vars(cls)
        if "label" in own:
            cls.short, cls.axis = own.get("short", cls.label), own.get("axis", cls.label)

    @cached_property
    def has_losses(self) -> bool:
        """Whether the score is a mean of losses, one for each row, or its root.

        If so, a paired t-test can compare two submissions.
        """
        return self.formula == MEAN_LOSS

    @property
    def scores_constants(self) -> bool:
        """Whether a constant prediction certainly has a score; 0 for a correlation."""
        return self.formula is not None or self.response != NUMBERS

    @property
    def is_compiled(self) -> bool:
        """Whether no Python function scores each file; such a metric is slower."""
        return self.formula is not None or type(self).scores_of is not Metric.scores_of

    @property
    def is_quick(self) -> bool:
        """Whether a bootstrap is fast: a replication takes microseconds."""
        return self.formula is not None or type(self).weighted is not Metric.weighted

    @property
    def is_resampled_together(self) -> bool:
        """Whether a bootstrap of many files is fast, by a formula or for all samples at once."""
        return self.is_quick or type(self).resampled_files is not Metric.resampled_files

    @property
    def compares_labels(self) -> bool:
        """Whether predictions of a standardised response would never match."""
        return self.loss == ZERO_ONE

    @property
    def tells_group_means(self) -> bool:
        """Whether files with one number for all rows of a group have scores that differ."""
        return True

    @property
    def scores_alone(self) -> bool:
        """Whether the score is defined where each group has one row."""
        return True

    @property
    def read_as(self) -> str:
        """The name of the metric as which adversaries read its scores, up to a factor.

        Its own, unless files with one number for each row have another one's: see `attacks.units`.
        """
        return self.name

    @property
    def reads_signs(self) -> bool:
        """Whether adversaries read it as another metric if these numbers are signs, and only then.

        It then tells nothing of the numbers but their signs.
        """
        return False

    @cached_property
    def is_mean_loss(self) -> bool:
        """Whether the score is the mean of the losses and not its root."""
        return self.has_losses and not self.root

    @cached_property
    def sign(self) -> int:
        """Risk = sign x score."""
        return -1 if self.larger_is_better else 1

    @property
    def degree(self) -> float:
        """The power d with ``f(c y, c p) = c**d f(y, p)`` for every c > 0.

        2 for the mean squared error, 1 for its root and for the mean absolute error, 0 for the 0/1
        loss and for correlations.  Multiplying a score on the standardised response by ``sd(y)**d``
        gives the score in the response's own units.  For a function see `found_degree`.

        Raises
        ------
        InputError
            If a function has no such power, or refuses a standardised response.
        """
        if self.formula is None:
            return found_degree(self) if self.response == NUMBERS else 0.0
        whole = {SQUARED: 2.0, ABSOLUTE: 1.0}.get(self.loss, 0.0)
        return whole / 2 if self.root else whole

    @property
    def smallest_spread(self) -> float:
        """Smallest difference of two responses that are not all equal and not standardised.

        With a smaller one, boards could not tell scores apart.
        """
        if self.formula is None or self.degree == 0:
            return SMALLEST_SPREAD
        return max(SMALLEST_SPREAD, _SMALLEST_SCORE ** (1.0 / self.degree))

    @property
    def unit(self) -> str:
        """The unit of scores; "" for a metric without a unit."""
        known = {0: "", 1: "units of the response", 2: "squared units of the response"}
        return known.get(self.degree, f"units of the response to the power of {self.degree:g}")

    @property
    def spread(self) -> str:
        """The quantity of the response that equals a score of 1 on standardised data; or "".

        For example, a Δ of .05 is 5 % of the response's variance for the mean squared error, and
        5 % of its standard deviation for the root.
        """
        return {1: "standard deviation", 2: "variance"}.get(self.degree, "")

    @property
    def delta_name(self) -> str:
        """The name of Δ, such as ΔMSE."""
        return f"Δ{self.short}"

    @property
    def delta_formula(self) -> str:
        """The formula of Δ, in words."""
        return "final − public" if self.larger_is_better else "public − final"

    @property
    def delta_axis(self) -> str:
        """The label of an axis of Δ."""
        return f"{self.delta_name} = {self.delta_formula}\n(below 0: overfit)"

    def on(
        self,
        cells: Cells | None,
        groups: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> Metric:
        """The metric on a set of several responses, or whose rows belong together or have weights.

        Parameters
        ----------
        cells : Cells or None
            Of the set.
        groups : ndarray of int, shape (n,), optional
            Rows that belong together, from 0 without gaps.  Boards then compare and draw groups.
        weights : ndarray, shape (n,), optional
            Of the rows, 0 or more and not all 0.  Only a weighted score has them (`composite`).
        """
        return self if groups is self.groups else self._bound(groups=groups)

    def on_simulated(self, n: int) -> Metric:
        """The metric on n simulated rows, which belong to no table."""
        return self

    def _bound(self, **attributes: Any) -> Metric:
        """A copy with these attributes, which are no parameters."""
        bound = self.model_copy()
        for name, value in attributes.items():
            object.__setattr__(bound, name, value)  # as components are frozen
        return bound

    def prepare(self, y: np.ndarray) -> np.ndarray:
        """The response as the formulas use it (its ranks, for Spearman); shape (n,)."""
        return average_ranks(y[None])[0] if self.ranks else np.ascontiguousarray(y, dtype=float)

    def judge(self, y: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The metric's terms for each submission and row, and the risks.

        Parameters
        ----------
        y : ndarray, shape (n,)
            Response, prepared.
        predictions : ndarray, shape (m, n)

        Returns
        -------
        rows : ndarray, shape (m, n)
            Losses (squared errors for the root mean squared error), or for each group their sum
            over n / groups; ranks for Spearman's correlation; otherwise the predictions.
        risks : ndarray, shape (m,)
            NaN if the metric is undefined.

        Raises
        ------
        InputError
            If a function refuses the response or the predictions.
        """
        if self.has_losses:
            losses, means = np.empty(predictions.shape), np.empty(len(predictions))
            losses_and_means(predictions, y, self.loss, losses, means)
            if self.groups is not None:
                if len(self.groups) != predictions.shape[1]:
                    raise ValueError("groups are those of another set: use `on` for each set")
                losses = grouped(losses, self.groups, int(self.groups.max()) + 1)
            return losses, np.sqrt(means) if self.root else means
        if self.formula is None:
            try:
                return predictions, self.sign * self.scores_of(y, predictions)
            except InputError:
                raise
            except (TypeError, ValueError) as e:
                raise refusal(self, e) from e
        rows = average_ranks(predictions) if self.ranks else predictions
        return rows, correlation_risks(rows, y, self.formula)

    def scores_of(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """The scores of a metric with a `function`, shape (m,); predictions have shape (m, n).

        A metric may have a faster way than one call for each.
        """
        return np.array([computed(self, y, prediction) for prediction in predictions], dtype=float)

    def weighted(self, y: np.ndarray, prediction: np.ndarray) -> Callable[[np.ndarray], float]:
        """The score of a metric with a `function`, given weights of the rows, shape (n,).

        A bootstrap computes many scores of one file; a metric may have a faster way (`is_quick`).
        """
        return lambda weights: self.function(y, prediction, sample_weight=weights)

    def resampled(
        self, y: np.ndarray, prediction: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """The scores of a metric with a `function`, shape (draws,), given weights, (draws, n).

        Only `resampled_files` calls it; a metric that is quicker for many samples overrides either.
        """
        score = self.weighted(y, prediction)
        return lambda weights: np.array([float(score(own)) for own in weights])

    def resampled_files(
        self, y: np.ndarray, predictions: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """As `resampled`, of several files, shape (m, n): scores, shape (draws, m)."""
        scorers = [self.resampled(y, prediction) for prediction in predictions]
        return lambda weights: np.array([score(weights) for score in scorers]).T

    def score(self, y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Scores, in the metric's own direction, shape (m,); predictions have shape (m, n)."""
        y = self.prepare(y)
        # In blocks, because the terms of all submissions take as much memory as the submissions.
        starts = range(0, max(len(predictions), 1), BLOCK)
        blocks = (np.ascontiguousarray(predictions[start : start + BLOCK]) for start in starts)
        risks = [self.judge(y, block)[1] for block in blocks]
        return self.sign * (risks[0] if len(risks) == 1 else np.concatenate(risks))

    def delta(self, public: np.ndarray, final: np.ndarray) -> np.ndarray:
        """Overfit: public - final for a loss, final - public for a correlation; < 0 is overfit."""
        return self.sign * (public - final)


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row, ties sharing their average; shape (m, n).  NaN in a row with a NaN."""
    order = np.argsort(values, axis=1)  # NumPy sorts many times faster than a compiled sort
    return ranks_of(np.ascontiguousarray(values, dtype=float), order)

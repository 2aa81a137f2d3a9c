"""The linear probe: each exact score is a linear measurement of the public response.

From the score of a file p on n rows follows <y, p>, and the attack ends with the mean of y given
these products for k random files (Xie 2018, arXiv 1802.04947).  With y of mean 0 and |y|^2 = n - 1:

=================  =================================================================
MSE, its root      <y, p> = (n - 1 + |p|^2 - n MSE) / 2
R^2                the same with n MSE = (n - 1) (1 - R^2)
MAE                <y, p> = M (n M - n MAE), if each entry of p is M or -M and M > max |y|
Pearson's r        <y, p> = r sqrt(n - 1) |p - mean(p)|
Spearman's         the same with the standardised ranks of y, if p has two values only
Lin's CCC          <y, p> = CCC (n - 1 + |p|^2) / 2
=================  =================================================================

The mean absolute error is linear far away from the response: for a sign s, |s M - y| = M - s y.
No entry of y exceeds (n - 1) / sqrt(n), so M = sqrt(n) is enough.  The ranks of a file with two
values are a linear function of it, so its Spearman correlation is Pearson's with the ranks of y.

Rounding does not protect a board that shows squared errors, because files can be scaled up until it
no longer matters.  The other scores grow no faster than the product does, or not at all: there a
step hides a part of <y, p>.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, PreparedAdversary, Run
from shakedown.attacks.posterior import Measurements, measure_all, prior, product
from shakedown.attacks.units import units_of
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Scale of the files, in steps of the board.  Rounding the score then changes <y, p> / scale by at
#: most 1e-5 n / 4, which is small against its standard deviation, sqrt(n).
STEPS = 1e5
#: The same in square roots of n times the standard deviation of the board's noise.
NOISES = 100.0
#: R², and the same of scikit-learn.
R2 = ("r2", "sklearn.metrics.r2_score")
#: Metrics whose scores are a linear function of the response if a file has two values only.
OF_SIGNS = ("mae", "spearman")
#: Decimals of predicted ranks: rows with equal responses get equal ranks again.
DECIMALS = 6


class LinearProbe(Holder):
    """The linear probe."""

    name: ClassVar[str] = "linear_probe"
    label: ClassVar[str] = "Linear probe"
    phrase: ClassVar[str] = "the linear probe"
    sentence: ClassVar[str] = (
        "Submits random signs, computes the product of each with the response from its released "
        "score, and ends with the mean of the response given these products."
    )
    source: ClassVar[str] = "Xie 2018 (arXiv 1802.04947)"
    order: ClassVar[float] = 8
    needs_margin: ClassVar[bool] = False
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse", "mae", "pearson", "spearman", "ccc", *R2)
    sends_signs: ClassVar[bool] = True
    # With more files than rows another path is taken.
    examples: ClassVar[tuple[dict, ...]] = (*Holder.examples, {"submissions": 14, "points": [3]})

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        hidden = terms.is_noisy and not (terms.replaces_always and terms.noise_sd)
        return terms.acceptance is not None and not hidden

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLinearProbe:
        return PreparedLinearProbe(self, participant, model, rng)


class PreparedProbe(PreparedAdversary):
    """An attack that measures products with random signs, in one replicate."""

    def _suit(self, terms: Terms) -> None:
        """Some scores tell nothing of a file but of its signs: the same for each board."""
        super()._suit(terms)
        if terms.metric in OF_SIGNS and self._view.cells is not None and not self._is_suited:
            self._send_for(*units_of(self._view, signs=True))
            self._is_suited = True

    @cached_property
    def all_signs(self) -> np.ndarray:
        """Random signs of all submissions; float, shape (k, n)."""
        return self.signs(0, self.submissions)

    @cached_property
    def _measurements(self) -> Measurements:
        return Measurements(self.all_signs)

    def means(
        self,
        run: Run,
        scales: np.ndarray,
        values: np.ndarray,
        variances: np.ndarray,
        use: np.ndarray,
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each point with the mean of the response given what is known there.

        Parameters
        ----------
        run : Run
        scales : ndarray, shape (k,)
            Scale of the signs of each file.
        values, variances : ndarray, shape (k,)
            <y, p> for each file p, and the variance of its error.
        use : ndarray of bool, shape (k,)
            Which of the files are used.
        """
        points = [t for t in range(1, self.submissions + 1) if run.is_point(t)]
        if self.n >= self.submissions:
            products = values / scales - self.all_signs @ self.honest
            errors = variances / scales**2 / self.residual
            taken = self._measurements.taken(products, errors, use)
            for t in points:
                yield t, self.honest + taken.mean(int(use[:t].sum()))
            return
        m, S = prior(self.n)
        m, S = m + self.honest, self.residual * S
        for start, t in pairwise([0, *points]):
            at = slice(start, t)
            files = scales[at, None] * self.all_signs[at]
            measure_all(m, S, files, values[at], variances[at], use[at])
            yield t, m


class PreparedLinearProbe(PreparedProbe):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        files = scale_of(run.terms, self.n) * self.all_signs
        shown = run.submit(files)
        values, errors = products(run, files, shown)
        variances = errors**2 / 12.0 + products(run, files, shown, run.terms.noise_sd)[1] ** 2
        use = own_scores(run, shown)
        ranks = run.terms.metric == "spearman"
        for t, m in self.means(run, np.abs(files[:, 0]), values, variances, use):
            run.would_end(m.round(DECIMALS) if ranks else m, t, int(use[:t].sum()))


def scale_of(terms: Terms, n: int) -> float:
    """The scale of random signs at which a score on n rows tells most of <y, p>."""
    scale = 1.0
    if terms.metric == "mae":
        scale = float(np.sqrt(n))
    elif terms.metric not in ("pearson", "spearman", "ccc"):
        scale = max(1.0, STEPS * terms.step, NOISES * np.sqrt(n) * terms.noise_sd)
    if terms.largest_variance is not None:  # that of signs is at most n / (n - 1)
        scale = min(scale, float(np.sqrt(terms.largest_variance * (n - 1.0) / n)))
    return scale


def own_scores(run: Run, shown: np.ndarray) -> np.ndarray:
    """Which shown scores are certainly the submitted file's own; bool, shape (k,)."""
    if run.terms.replaces_always:
        return np.isfinite(shown)
    # A board that shows the best so far shows a file's own score when it changes.
    return run.changed(shown)


def products(
    run: Run, files: np.ndarray, shown: np.ndarray, step: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """<y, p> of files, shape (k, n), from their scores, and the width of its rounding error.

    The width is what a step (by default the board's) in the score is in <y, p>.

    For Spearman's correlation y are the standardised ranks.
    """
    n, metric = files.shape[1], run.terms.metric
    step = run.terms.step if step is None else step
    squares = (files**2).sum(axis=1)
    if metric in ("pearson", "spearman"):
        spread = np.sqrt((n - 1.0) * (squares - n * files.mean(axis=1) ** 2))
        return spread * shown, spread * step
    if metric == "ccc":
        spread = 0.5 * (n - 1.0 + squares)  # the response has mean 0
        return spread * shown, spread * step
    if metric == "mae":
        scale = np.abs(files[:, 0])
        return scale * n * (scale - shown), scale * n * step
    if metric in R2:
        shown, step = (n - 1.0) / n * (1.0 - shown), (n - 1.0) / n * step
    means = shown**2 if run.root else shown
    steps = 2.0 * shown * step if run.root else np.full(len(shown), step)
    return product(n - 1.0, squares, n, means), 0.5 * n * steps

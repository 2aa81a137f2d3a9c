"""The linear probe: each exact score is a linear measurement of the public response.

From the mean squared error of a file p follows <y, p>, and the attack ends with the mean of y given
these products for k random files (Xie 2018, arXiv 1802.04947).  Rounding does not protect a board,
because files can be scaled up until it no longer matters.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import Adversary, PreparedAdversary, Run
from shakedown.attacks.posterior import measure_all, prior, product
from shakedown.interface import ParticipantData

#: Scale of the files, in steps of the board.  Rounding the score then changes <y, p> / scale by at
#: most 1e-5 n / 4, which is small against its standard deviation, sqrt(n).
STEPS = 1e5


class LinearProbe(Adversary):
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
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse", "pearson", "ccc")

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedLinearProbe:
        return PreparedLinearProbe(self, participant, model, rng)


class PreparedLinearProbe(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k = self.n, self.submissions
        scale = max(1.0, STEPS * run.board.step) if not run.board.larger_is_better else 1.0
        files = scale * self.signs(0, k)
        shown = run.submit(files)
        values, errors = products(run, files, shown)
        use = own_scores(run, shown)
        m, S = prior(n)
        for t in range(k):
            at = slice(t, t + 1)
            measure_all(m, S, files[at], values[at], errors[at] ** 2 / 12.0, use[at])
            run.would_end(m, t + 1, int(use[: t + 1].sum()))


def own_scores(run: Run, shown: np.ndarray) -> np.ndarray:
    """Which shown scores are certainly the submitted file's own; bool, shape (k,)."""
    if run.board.rule is None or run.board.is_noisy:
        return np.zeros(len(shown), bool)
    if run.board.replaces_always:
        return np.ones(len(shown), bool)
    # A board that shows the best so far shows a file's own score when it changes.
    return np.concatenate([[False], shown[1:] != shown[:-1]])


def products(run: Run, files: np.ndarray, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """<y, p> of files, shape (k, n), from their scores, and the width of its rounding error."""
    n, step = files.shape[1], run.board.step
    squares = (files**2).sum(axis=1)
    if run.board.metric == "pearson":
        spread = np.sqrt((n - 1.0) * (squares - n * files.mean(axis=1) ** 2))
        return spread * shown, spread * step
    if run.board.metric == "ccc":
        spread = 0.5 * (n - 1.0 + squares)  # the response has mean 0
        return spread * shown, spread * step
    means = shown**2 if run.root else shown
    steps = 2.0 * shown * step if run.root else np.full(len(shown), step)
    return product(n - 1.0, squares, n, means), 0.5 * n * steps

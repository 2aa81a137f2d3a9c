"""The staircase: random signs whose scale falls, so that each file is significantly better.

The squared losses of files a s and a' s' of random signs s and s' differ by a'^2 - a^2 in the mean,
with a standard deviation of about 2 sqrt(a^2 + a'^2) in a row.  With c the critical value of the
board's test, a fall of the scale by 1.5 (c + 2.5) / sqrt(n) makes every file significantly better.
So a Ladder shows the score of every file, as long as it has no good file to begin with.

Under the mean absolute error the last scale is sqrt(n), so that every score is linear in the
response (see `linear_probe`).  The losses then differ by a' - a in the mean, with a standard
deviation of sqrt(2) in a row, and the same fall is enough.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from shakedown.attacks.adversary import Holder, Run
from shakedown.attacks.attack import Scope
from shakedown.attacks.linear_probe import R2, PreparedProbe, products, scale_of
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Critical value for a board that publishes no rule: that of a level of .006.
UNKNOWN = 2.5
#: Standard deviations by which a file's own score may differ from what is expected of it.
FAR = 6.0


class Staircase(Holder):
    """The staircase."""

    name: ClassVar[str] = "staircase"
    label: ClassVar[str] = "Staircase"
    phrase: ClassVar[str] = "the staircase"
    sentence: ClassVar[str] = (
        "Submits random signs on a scale that falls so fast that each file is significantly "
        "better than the one before, and reads their scores as the linear probe does."
    )
    order: ClassVar[float] = 9
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse", "mae", *R2)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        return super(Holder, cls).for_dry_run(scope)  # other holders get about as far

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # It knows the noise of a bootstrap sample's mean loss, which R² is not, and of numbers that
        # stay.
        known = terms.replications and terms.metric not in R2
        return terms.acceptance is not None and bool(known or not terms.fresh_noise)

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedStaircase:
        return PreparedStaircase(self, participant, model, rng)


class PreparedStaircase(PreparedProbe):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        n, k, terms = self.n, self.submissions, run.terms
        # Each account climbs down a staircase of its own.
        scales = self._scales(terms, -(-k // run.accounts)).repeat(run.accounts)[:k]
        files = scales[:, None] * self.all_signs
        shown = run.submit(files)
        values, widths = products(run, files, shown)
        # What the score of the file's own tells is <y, p>, of which it is known that it is about
        # 0; any other number is that of another file, or of none.
        variances = scales**2 * n
        noise = widths**2 / 12.0
        if terms.replications:
            # Squared losses of rows have the variance 4 a^2 + 2, absolute ones 1, and the score is
            # a mean of b n of them.
            spread = scales**2 if terms.metric == "mae" else 0.25 * (4.0 * scales**2 + 2.0)
            noise = noise + n * spread / terms.replications
        use = (terms.acceptance is not None) & (values**2 < FAR**2 * (variances + noise))
        if not (terms.replaces_always or terms.is_noisy):
            new = run.changed(shown)
            new[0] |= run.accounts == 1  # a board without a baseline shows the first file's score
            use &= new
        for t, m in self.means(run, scales, values, noise, use):
            run.would_end(m, t, int(use[:t].sum()))

    def _scales(self, terms: Terms, steps: int) -> np.ndarray:
        """Scales of an account's files, from the first to the last, shape (steps,)."""
        critical, margin = UNKNOWN, 0.0
        if terms.acceptance is not None:
            critical, margin = terms.acceptance.critical, max(terms.acceptance.margin, 0.0)
        fall = 1.5 * (critical + 2.5) / np.sqrt(self.n)
        if terms.metric == "mae":  # a fall lowers the score by as much, not by twice as much
            last, fall = scale_of(terms, self.n), fall + margin
        else:
            last, fall = 1.0, max(fall, margin)
        return last + fall * np.arange(steps)[::-1]

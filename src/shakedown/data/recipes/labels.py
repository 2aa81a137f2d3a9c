"""Fair labels without features.

The challenge of Blum & Hardt's experiment ([B] section 5.1) and of Zheng's ([Z] section 2): labels
are 0 or 1 and there are no features, so participants learn about them only from the leaderboard,
and the true 0/1 loss of every submission is 1/2.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.data.checks import MIN_ROWS_PER_SET, MOST_ROWS
from shakedown.data.recipe import Recipe
from shakedown.interface import Challenge, Shape


class Labels(Recipe):
    """Fair labels."""

    name: ClassVar[str] = "labels"
    label: ClassVar[str] = "Fair labels"
    sentence: ClassVar[str] = (
        "Independent labels, 0 or 1 with probability 1/2 each, without features."
    )
    source: ClassVar[str] = "[B] section 5.1, [Z] section 2"
    order: ClassVar[float] = 3
    examples: ClassVar[tuple[dict, ...]] = ({"public": 20, "final": 30},)

    public: int = parameter(
        ge=MIN_ROWS_PER_SET,
        le=MOST_ROWS,
        description="Number of public labels n; each is 0 or 1 with probability 1/2.",
    )
    final: int = parameter(
        ge=MIN_ROWS_PER_SET,
        le=MOST_ROWS,
        description="Number of final labels, which no board uses.",
    )

    @property
    def public_rows(self) -> int:
        return self.public

    def planned_shape(self, folder: Path) -> Shape:
        return Shape(self.public + self.final, 0)

    def read(self, name: str, *, rng: np.random.Generator, folder: Path) -> Challenge:
        """Draw labels.

        Returns
        -------
        Challenge
            X of shape (n + n_final, 0); y of independent labels, 0 or 1 with probability 1/2; a
            split of these sizes, without a training set.  The design "labels" draws new labels in
            each replicate.
        """
        n = self.public + self.final
        return Challenge(
            name=name,
            X=np.empty((n, 0), order="F"),
            y=rng.integers(0, 2, n).astype(float),
            rows=np.array([str(i + 1) for i in range(n)]),
            features=np.empty(0, dtype="<U1"),
            split=np.repeat(["public", "final"], [self.public, self.final]),
            notes=(
                f"Drawn: {n:,} labels, each 0 or 1 with chance 1/2, {self.public:,} of them "
                "public.",
            ),
        )

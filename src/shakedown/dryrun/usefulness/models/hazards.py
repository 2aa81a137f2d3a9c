"""Models of censored times: Cox regressions, and lassos of martingale residuals."""

from __future__ import annotations

import numpy as np

from shakedown.attacks.cox import coefficients
from shakedown.data.censored import risk_score
from shakedown.dryrun.usefulness.models.linear import LASSO, Linear, lasso
from shakedown.interface import ParticipantData

#: Penalties per feature of the Cox regressions.
PENALTIES = (10.0, 3.0, 1.0, 0.3, 0.1)


class Hazards(Linear):
    """Five Cox regressions with ridge penalties, and five lassos.

    The martingale residual is the derivative of the partial likelihood by a row's risk where all
    are equal.  So a feature is as promising as it correlates with it, and the lassos, which choose
    few features, are fitted to it.
    """

    def response(self, view: ParticipantData) -> np.ndarray:
        """The signed times."""
        return view.times

    def worth(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The absolute correlation with the martingale residual, up to a factor."""
        return super().worth(X, risk_score(y))

    def fitted(
        self, X: np.ndarray, y: np.ndarray, targets: np.ndarray, *, rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        m, p = X.shape
        found = np.zeros((len(PENALTIES) + len(LASSO), p))
        if (y > 0.0).any():  # without an event all risks are equal
            found[: len(PENALTIES)] = coefficients(X, y, p * np.array(PENALTIES))
            found[len(PENALTIES) :] = lasso(X - X.mean(axis=0), risk_score(y))
        return (found @ targets.T)[None], np.count_nonzero(found, axis=1)

"""What the papers prove, as functions of the ledger's expressions: numbers in, a number out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.theory import boosting, guarantees


def _of_numbers(function: Callable[..., float]) -> Callable[..., np.ndarray]:
    """The same for arrays; whole numbers are handed on as such, as counts must be."""

    def one(*numbers: float) -> float:
        return function(*(int(x) if float(x).is_integer() else float(x) for x in numbers))

    return np.vectorize(one, otypes=[float])


#: Name -> function, number of arguments.
THEORY = {
    # Of k submissions and n public labels: `shakedown.theory.boosting`.
    "largest_deviation": (_of_numbers(boosting.largest_deviation), 2),
    "plain_vote_loss": (_of_numbers(boosting.plain_vote_loss), 2),
    "mirrored_vote_loss": (_of_numbers(boosting.mirrored_vote_loss), 2),
    # Of (eta,) delta, k and n: `shakedown.theory.guarantees`.
    "union_error": (_of_numbers(guarantees.union_error), 3),
    "ladder_error": (_of_numbers(guarantees.ladder_error), 4),
    "simplified_ladder_error": (_of_numbers(guarantees.simplified_ladder_error), 4),
    "best_ladder_error": (_of_numbers(lambda *of: guarantees.best_ladder_step(*of).error), 3),
    "best_display_step": (_of_numbers(guarantees.best_display_step), 3),
}

"""The boosting attack: random labels, and the majority vote of those that the board liked.

[B] section 5: submit u_1, ..., u_k in {0, 1}^n at random, keep those of a loss of at most 1/2, and
put out their majority, label by label.  [Z] section 2.1 keeps all, the worse ones turned around.
Against a Ladder [B] section 5.1 keeps those "that successfully lowered the score compared to the
previous best".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.attacks.guesses import Guesser, checked_points, coins
from shakedown.compiled import kernel
from shakedown.interface import FinalModels, Game, InputError, View, Window

#: A loss of 1/2, where a float has rounded it up or down.
HALF, CLOSE = 0.5, 1e-9
KEEPS = ("better_half", "mirrored", "lowered")
ACCOUNTS = ("one", "many")


class Boosting(Guesser):
    """The boosting attack on labels 0 and 1.

    Parameters
    ----------
    view : View
        Only its numbers of public and final rows are used.
    model
        Not used: the vote is the final model.
    rng : numpy.random.Generator
        Draws the labels, the same for every board.
    submissions : int
        k.
    keep : {"better_half", "mirrored", "lowered"}
        Who votes: the submissions shown a loss of at most 1/2 ([B]); all, those not below 1/2 with
        their labels turned around ([Z]); those that were shown less than any before ([B], against a
        Ladder).
    accounts : {"one", "many"}
        Whether all come from one account, or each from a new one ([Z] sections 4 and 6).
    points : sequence of int, optional
        Submissions after which the vote is an outcome; None for some fifty up to k.

    Attributes
    ----------
    board : {"carried_on", "fresh"}
        Whether its submissions share a board; the other attributes are those of `Guesser`.

    Raises
    ------
    InputError
        If `keep`, `accounts` or `points` is none of the above, or new accounts are to lower a score
        that none of them has seen.
    """

    def __init__(
        self,
        view: View,
        model,
        *,
        rng: np.random.Generator,
        submissions: int,
        keep: str = "better_half",
        accounts: str = "one",
        points=None,
    ) -> None:
        for name, value, known in (("keep", keep, KEEPS), ("accounts", accounts, ACCOUNTS)):
            if value not in known:
                raise InputError(f"boosting: `{name}` must be one of {known}, got {value!r}.")
        if accounts == "many" and keep == "lowered":
            raise InputError(
                "boosting: `keep` is lowered, and with `accounts` many every score is the first of "
                "its account. Use keep: mirrored or better_half."
            )
        self._keep, self._accounts = keep, accounts
        self._points = checked_points("boosting", points, submissions)
        self.board = "fresh" if accounts == "many" else "carried_on"
        self._n = len(view.X_public)
        self._labels = coins(rng, submissions, self._n + len(view.X_final))

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play from one account, or from one for each submission."""
        n, points = self._n, self._points
        board = open_board()
        submit = board.submit_each if self._accounts == "many" else board.submit
        votes = np.zeros(self._labels.shape[1], np.int32)
        lowest, voters, start = np.inf, 0, 0
        lists = np.empty((len(points), len(votes)))
        counts = np.empty(len(points), int)
        submitted = []
        for at, stop in enumerate(points):
            tried = np.arange(start, stop)
            labels = self._labels[start:stop, :n].astype(float)
            shown = submit(labels)
            submitted.append(tried)
            weights = self._weights(shown, lowest)
            lowest = min(lowest, shown.min())
            add_votes(votes, self._labels[start:stop], weights)
            voters += int(np.count_nonzero(weights))
            lists[at], counts[at] = votes > 0, voters  # a tie is a 0, as in [Z]
            start = stop
        models = FinalModels(
            lists[:, :n], lists[:, n:], counts, np.arange(1, len(points) + 1), np.array(points)
        )
        return Game(
            models, submitted, [np.arange(0)] * len(submitted), ends_anew=self._accounts == "many"
        )

    def _weights(self, shown: np.ndarray, lowest: float) -> np.ndarray:
        """How each of a batch votes: 1 as it is, -1 turned around, 0 not at all; int8, (m,)."""
        if self._keep == "better_half":
            return (shown <= HALF + CLOSE).astype(np.int8)  # [B] section 5, step 3
        if self._keep == "mirrored":
            return np.where(shown < HALF - CLOSE, 1, -1).astype(np.int8)  # [Z] section 2.1
        before = np.minimum.accumulate(np.concatenate([[lowest], shown[:-1]]))
        return (shown < before).astype(np.int8)  # [B] section 5.1


@kernel
def add_votes(votes, labels, weights):
    """Add the votes of m submissions to `votes`, int32, shape (N,): +1 for a 1 and -1 for a 0."""
    for t in range(len(labels)):
        if weights[t] != 0:
            weight = np.int32(weights[t])
            for i in range(len(votes)):
                votes[i] += weight * (np.int32(2) * np.int32(labels[t, i]) - np.int32(1))

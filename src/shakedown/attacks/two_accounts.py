"""Two accounts on a board that shows ranks alone: [Z] section 2.2.

One account holds the lead.  The other submits the leader's labels with one of them flipped: if that
was an improvement it takes the lead, and the two change roles; if not, its rank stays.  After every
label was flipped once, all are right.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakedown.attacks.guesses import Guesser, checked_points, final_guesses
from shakedown.interface import Game, View, Window


class TwoAccounts(Guesser):
    """The enumeration attack with two accounts that see each other's rank.

    Parameters
    ----------
    view : View
        Only its numbers of public and final rows are used.
    model
        Not used: the leader's labels are the final model.
    rng : numpy.random.Generator
        Draws the first submission and the order of the labels.
    points : sequence of int, optional
        Submissions after which there is an outcome, from 2 to n + 1; None for some fifty.

    Raises
    ------
    InputError
        If a point lies outside.
    """

    def __init__(self, view: View, model, *, rng: np.random.Generator, points=None) -> None:
        n = len(view.X_public)
        self._points = checked_points("two_accounts", points, n + 1)
        self._first = rng.integers(0, 2, n).astype(float)
        self._final = rng.integers(0, 2, len(view.X_final)).astype(float)
        self._order = rng.permutation(n)

    def play(self, open_board: Callable[[], Window]) -> Game:
        """Play two accounts against each other."""
        leader, follower = open_board(), open_board()
        labels = self._first.copy()
        leader.submit(labels[None])  # u^1, by account A
        kept, lists, counts = 1, [], []
        for done in range(1, len(labels) + 2):
            if done > 1:
                i = self._order[done - 2]
                flipped = labels.copy()
                flipped[i] = 1.0 - flipped[i]
                # A rank of 1 is the lead; accounts that cannot be told apart share 1.5.
                if follower.submit(flipped[None])[0] < 1.5:
                    labels, kept = flipped, kept + 1
                    leader, follower = follower, leader
            if done in self._points:
                lists.append(labels)
                counts.append(kept)
        models = final_guesses(lists, self._final, counts, self._points)
        submitted = [np.array([t]) for t in range(len(labels) + 1)]
        return Game(models, submitted, [np.arange(0)] * len(submitted))

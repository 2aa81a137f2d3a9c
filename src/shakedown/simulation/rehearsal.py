"""Rehearse an attack from outside the package: its points must not depend on board or replicate.

Figures and dry runs compare the points of all replicates.  An attack that ends early in some would
be shown by the others alone, so it is refused, and before the first replicate is played.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting

if TYPE_CHECKING:
    from shakedown.attacks.attack import Attack
    from shakedown.simulation.replicate import Experiment, Play

#: Boards that differ as much as boards can, by what an attack reads: one accepts what it gets, the
#: other only what is much better than the mean of the response, or nothing.
BOARDS = {
    "scores": {
        "full_disclosure": "on a board that accepts every file",
        "general_ladder(eta=1000000000)+baseline": "on a board that accepts no file",
    },
    "ranks": {
        "rank_board": "on a board that shows ranks",
        "rank_board(eta=1000000000)+baseline": "on a board that shows the same rank each time",
    },
}
#: Replicates of the rehearsal; their data differ.
REPLICATES = (0, 1)


class Points:
    """The points of an attack of one's own, by its budget and the number of features.

    Only these may change them: a feature that is constant in a set is left out of a replicate.

    Parameters
    ----------
    experiment : str
    attack : type of Attack
    """

    def __init__(self, experiment: str, attack: type[Attack]) -> None:
        self._experiment, self._attack = experiment, attack
        self._first: dict[tuple[int, int], tuple[list[int], str]] = {}

    @property
    def is_needed(self) -> bool:
        """Whether the attack is from outside the package; the tests compare ours."""
        return "." in self._attack.name

    @property
    def is_rehearsed(self) -> bool:
        """Whether there is something to compare with."""
        return bool(self._first)

    def check(self, play: Play, place: str) -> None:
        """Compare the points of a play with those of the first; `place` says which play it is.

        Raises
        ------
        InputError
            If they differ.
        """
        if not self.is_needed:
            return
        points = np.asarray(play.game.models.point).astype(int).tolist()
        key = play.described["n_features"], len(play.split.features)
        first, where = self._first.setdefault(key, (points, place))
        if points != first:
            raise InputError(
                f"attack '{self._attack.name}' (experiment '{self._experiment}'): wanted the same "
                f"points in every replicate and on every board; got {span(first)} {where}, and "
                f"{span(points)} {place}. Give `FinalModels` a row for each point: where the "
                "attack ends early, repeat its last model."
            )


def rehearse(experiment: Experiment) -> None:
    """Play an attack from outside the package on boards that differ, once for an experiment.

    Attack, data and design are those of the experiment; no outcome is kept, and none changes.

    Raises
    ------
    InputError
        If its points differ between boards or replicates.
    """
    points = experiment.points
    if not points.is_needed or points.is_rehearsed:
        return
    boards = BOARDS[experiment.attack.reads]
    rehearsed = copy(experiment)
    rehearsed.mechanisms, rehearsed.errors = [of_setting(setting) for setting in boards], False
    for replicate in REPLICATES:
        for play in rehearsed.plays(replicate):
            points.check(play, f"in replicate {replicate} {boards[play.mechanism.setting]}")


def span(points: list[int]) -> str:
    """Points in words, such as "1 to 5", or a list if some are left out."""
    if not points:
        return "none"
    if points == list(range(points[0], points[-1] + 1)):
        return f"{points[0]} to {points[-1]}" if len(points) > 1 else f"{points[0]}"
    return ", ".join(map(str, points))

"""Shared parts of the attacks on labels.

In the papers these attacks begin with random labels, and guess the final labels at random.  Where
one label is more frequent, both are worse than the file that anybody would submit: the more
frequent label of the training rows for every row.  With `honest` an attack begins with this file,
changes it as far as the scores tell it to, and ends with it if they tell nothing; it predicts the
final rows by it, whatever it does to the public ones, so no noise on the final rows counts as
overfit.  A dry run plays the attacks in this way.  Δ is then the public loss of the file that they
end with less that of the honest one (the column score_honest of the outcomes), which is the same in
all replicates.

A holder's honest file has the labels that a model predicts (`held`), public and final.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from shakedown.attacks.attack import (
    HELD,
    HOLDER,
    HOLDS,
    Attack,
    Scope,
    spaced,
)
from shakedown.attacks.classifier import classified
from shakedown.component import parameter
from shakedown.interface import FinalModels, InputError, ParticipantData
from shakedown.terms import LeaderboardClient

#: Submissions at once that tell nothing new.
IDLE = 64
#: About so many outcomes a game has, if its points are not named.
USUAL_POINTS = 54
#: Type of the parameter `points`.
Points = list[Annotated[int, Field(ge=1)]] | None


class LabelAttack(Attack):
    """An attack that guesses labels 0 and 1."""

    on_labels: ClassVar[bool] = True
    point_name: ClassVar[str] = "outcome"
    design: ClassVar[str] = "labels"

    def extent(self, features: int) -> tuple[int, int]:
        made = getattr(self, "submissions", None) or 1000
        return made, min(made, USUAL_POINTS)

    @property
    def uses_features(self) -> bool:
        return getattr(self, "held", 0) > 0

    @classmethod
    def spent(cls, features: int, point: int, board: str | None) -> str:
        return f"files on top of a model of {HELD} features" if features else "files of labels"

    @classmethod
    def threat_of(cls, experiment: str) -> str | None:
        return HOLDER if experiment.endswith(HOLDS) else cls.threat


def points_parameter() -> Any:
    """The parameter `points` of an attack on labels."""
    return parameter(
        None,
        min_length=1,
        description="Numbers of submissions after which there is an outcome; null for about fifty.",
    )


def held_parameter() -> Any:
    """The parameter `held` of an attack on labels that may hold an honest model."""
    return parameter(
        0,
        ge=0,
        description=(
            "Features of the honest model, whose labels are then the honest file: those with the "
            "largest correlation with the labels in the training set.  0: no model, the honest "
            "file is the more frequent label."
        ),
    )


def with_holders(entries: dict[str, dict[str, Any]], scope: Scope) -> dict[str, dict[str, Any]]:
    """Experiments of a dry run, and the same on top of an honest model."""
    features = min(HELD, scope.features, scope.carried)
    holders = {f"{name}{HOLDS}": entry | {"held": features} for name, entry in entries.items()}
    return entries | (holders if features else {})


def honest_parameter() -> Any:
    """The parameter `honest` of an attack on labels."""
    return parameter(
        False,
        description=(
            "Whether it begins with the honest file, and ends with it if the scores tell nothing: "
            "the more frequent label of the training rows (0 without any) for every row, public "
            "and final.  If not, it begins with random labels and guesses the final ones."
        ),
    )


class HonestFile:
    """The more frequent label of the training rows (0 without any), for every row; or a model's.

    Parameters
    ----------
    participant : ParticipantData
    model
        The final model, see `models`.
    held : int
        Features of the model; 0 for none.

    Attributes
    ----------
    share : float
        Estimated share of right labels, from the training rows; from 1/2 to below 1.
    public, final : ndarray, shape (n_public,) and (n_final,)
    """

    def __init__(self, participant: ParticipantData, model=None, held: int = 0) -> None:
        if held and not participant.X_train.shape[1]:
            raise InputError("`held` needs features, and this data set has none. Leave it out.")
        if held:
            self.public, self.final, self.share = classified(participant, model, held)
            return
        y = participant.y_train
        ones = float(np.mean(y)) if len(y) else 0.5
        label = float(ones > 0.5)
        # One more row of each label: a label that was not seen is possible.
        self.share = (max(ones, 1.0 - ones) * len(y) + 1.0) / (len(y) + 2.0)
        self.public = np.full(len(participant.X_public), label)
        self.final = np.full(len(participant.X_final), label)

    def models(self) -> FinalModels:
        """The file as a final model, for `Game.honest`."""
        return final_labels([self.public], self.final, [0], [0])


def idle(board: LeaderboardClient, labels: np.ndarray, submissions: int) -> list[np.ndarray]:
    """Submit labels that are known again and again, a few at a time.

    An attack that knows all that it can learn does this up to its last point, so that it is known
    how far it gets with more submissions: no further.  Returns the numbers in each batch, from 0.
    """
    batches = [
        np.arange(start, min(start + IDLE, submissions)) for start in range(0, submissions, IDLE)
    ]
    for batch in batches:
        board.submit(np.repeat(labels[None], len(batch), axis=0))
    return batches


def dry_points(scope: Scope) -> dict[str, Any]:
    """`submissions` and `points` of an attack on labels in a dry run.

    Twice the wanted number of submissions shows how much room there is.  All are those of all
    accounts together.
    """
    most = min(scope.most, 2 * scope.wanted)
    points = sorted({*spaced(2, most, 20), min(scope.wanted, most)})
    return {
        "submissions": scope.accounts * most,
        "points": [scope.accounts * point for point in points],
    }


def final_labels(
    public: list[np.ndarray], final: np.ndarray, kept: list[int], submissions: list[int]
) -> FinalModels:
    """Models of an attack that changes public labels and never its guesses of the final labels.

    Parameters
    ----------
    public : list of ndarray, shape (n_public,)
        The labels at each of q points.
    final : ndarray, shape (n_final,)
    kept, submissions : list of int
        For each point, the number of submissions that were kept and the number made so far.
    """
    q = len(public)
    return FinalModels(
        np.array(public),
        np.repeat(final[None], q, axis=0),
        np.array(kept),
        np.arange(1, q + 1),
        np.array(submissions),
    )


def fair_labels(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """m lists of n labels, each 0 or 1 with probability 1/2; uint8, shape (m, n)."""
    words = np.frombuffer(rng.bytes(m * (-(-n // 8))), np.uint8).reshape(m, -1)
    return np.unpackbits(words, axis=1, count=n)


def checked_points(points: Sequence[int] | None, submissions: int) -> list[int]:
    """Numbers of submissions at which an attack has an outcome, in increasing order.

    By default about fifty, half of them evenly spaced and half on a logarithmic scale.

    Raises
    ------
    InputError
        If a point is below 1 or above `submissions`.
    """
    if not points:
        spaced = [space(1, submissions, 30) for space in (np.geomspace, np.linspace)]
        return np.unique(np.round(spaced).astype(int)).tolist()
    if min(points) < 1 or max(points) > submissions:
        raise InputError(
            f"`points` must be numbers of submissions from 1 to {submissions}, got {list(points)}."
        )
    return sorted({*points, submissions})

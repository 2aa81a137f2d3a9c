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

from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from shakedown.attacks.attack import (
    HELD,
    HOLDER,
    HOLDS,
    MOST_SUBMISSIONS,
    Attack,
    PreparedAttack,
    Scope,
    spaced,
)
from shakedown.attacks.classifier import classified
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, InputError, LeaderboardClient, ParticipantData

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


class FlippingAttack(LabelAttack):
    """An attack that flips labels of its best file, by what the board publishes."""

    needs_terms: ClassVar[bool] = True
    examples: ClassVar[tuple[dict, ...]] = ({"submissions": 5},)
    threat: ClassVar[str] = "null_adversary"

    submissions: int = parameter(
        ge=1,
        le=MOST_SUBMISSIONS,
        description="Number of submissions, of all accounts together.",
    )
    accounts: int = parameter(
        1,
        ge=1,
        description=(
            "Number of accounts, each with a board of its own.  They submit one after another, as "
            "many files each, and go on with the best labels known.  If all accounts have one "
            "board, they do not matter."
        ),
    )
    held: int = held_parameter()
    points: Points = points_parameter()

    @model_validator(mode="after")
    def _within(self) -> FlippingAttack:
        checked_points(self.points, self.submissions)
        return self

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        entry = {"name": cls.name, **dry_points(scope)}
        if scope.accounts > 1:
            entry["accounts"] = scope.accounts
        return with_holders({cls.name: entry}, scope)


class Turns:
    """The boards of accounts that submit one after another.

    Parameters
    ----------
    open_board : callable
    accounts, submissions : int
        As the parameters of `FlippingAttack`.

    Attributes
    ----------
    board : LeaderboardClient
        Of the account whose turn it is.
    began : int
        Submissions of the accounts before it.
    """

    def __init__(
        self, open_board: Callable[[], LeaderboardClient], accounts: int, submissions: int
    ) -> None:
        self._open, self.board, self.began = open_board, open_board(), 0
        accounts = 1 if self.board.terms.is_shared else min(accounts, submissions)
        self._each, self._most = -(-submissions // accounts), submissions

    @property
    def end(self) -> int:
        """Submissions up to the end of this turn."""
        return min(self.began + self._each, self._most)

    def is_over(self, done: int) -> bool:
        """Whether a new account takes its turn after so many submissions; it does so then."""
        if done < self.end or done >= self._most:
            return False
        self.board, self.began = self._open(), done
        return True


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


class PreparedFlipping(PreparedAttack):
    """A flipping attack in one replicate; derive from it and write `play`.

    `rng` draws the seed of what it tries, the same for every board.
    """

    iteration_board = "carried_on"

    def __init__(
        self, attack: FlippingAttack, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        self.size, self._submissions = attack.held, attack.submissions
        self._accounts = attack.accounts
        self._points = checked_points(attack.points, attack.submissions)
        self._honest = HonestFile(participant, model, attack.held)
        self._seed = int(rng.integers(2**63))

    def _turns(self, open_board: Callable[[], LeaderboardClient]) -> Turns:
        """A board for each account, or the one that they share."""
        return Turns(open_board, self._accounts, self._submissions)

    def _rng(self) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64(self._seed))

    def _game(
        self, lists: list[np.ndarray], counts: list[int], submitted: list[np.ndarray]
    ) -> Game:
        """The game with the labels at each point, and how many submissions they rest on."""
        models = final_labels(lists, self._honest.final, counts, self._points)
        nothing = [np.arange(0)] * len(submitted)
        return Game(models, submitted, nothing, honest=self._honest.models())

    def _idle(self, board: LeaderboardClient) -> Game:
        """Submit the honest file all along, and end with it."""
        labels, count = self._honest.public, len(self._points)
        submitted = idle(board, labels, self._submissions)
        return self._game([labels] * count, [0] * count, submitted)

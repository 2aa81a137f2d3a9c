"""Attacks, which are strategies of a participant, and their names in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from shakedown.component import Component, Registry
from shakedown.interface import Game, ParticipantData
from shakedown.metrics import Metric
from shakedown.terms import LeaderboardClient, Terms
from shakedown.wording import ITERATION_BOARDS, counted

#: Chooses among the attacks that submit fitted models.
MODELLER = "modeller"
#: Builds on an honest model.
HOLDER = "holder"
#: Chooses among all attacks.
ANYBODY = "adversary"
#: Kinds of participants, by the word for them in tables: how a sentence calls them.
THREATS = {
    MODELLER: "participants who submit fitted models",
    "null_adversary": "adversaries who submit arbitrary numbers",
    HOLDER: "adversaries who add what they learn to an honest model",
    ANYBODY: "anybody, with or without a model",
}


@dataclass(frozen=True)
class Scope:
    """The range of sizes that a dry run gives an attack.

    Attributes
    ----------
    features : int
        Number of features of the data set.
    most : int
        Largest number of submissions of an account.
    carried : int
        Largest number of features in a model; the training rows limit it.
    train_rows : int
    grain : {"fine", "coarse", "coarsest"}
        How many sizes to play: fewer if scoring a submission takes longer.
    metric : str
        Name of the metric.
    wanted : int
        Number of submissions that the organiser wants to allow.
    accounts : int
        Accounts that may work together.
    values : int
        Number of values that the response takes; 0 if nobody counted them.
    public_rows : int
        Rows of the public set; 0 if nobody counted them.
    """

    features: int
    most: int
    carried: int
    train_rows: int
    grain: Literal["fine", "coarse", "coarsest"] = "fine"
    metric: str = "mse"
    wanted: int = 1
    accounts: int = 1
    values: int = 0
    public_rows: int = 0


#: Features of the honest model of a dry run, and how the experiments that have one end.
HELD, HOLDS = 10, "_holder"
#: What a page adds to the name of an attack that a holder plays.
BY_HOLDER = ", holder"
#: Most submissions of an attack.  Those of 1,000 public rows take 8 GB.
MOST_SUBMISSIONS = 1_000_000


class PreparedAttack:
    """An attack prepared for one replicate, to be played against each mechanism.

    All work that does not depend on the board is done before.  Derive from it, and write `play`.

    Attributes
    ----------
    opening : ndarray, shape (m, n_public), or None
        Its first submissions (`LeaderboardClient.submit_opening`), if these are the same on every
        board.  They are scored once for all boards, so the array must not be modified.
    size : int
        Largest number of features that it selects.
    iteration_board : {"fresh", "carried_on"} or None
        Whether its iterations share a board; a column of the tables.  A class may call it `board`,
        its name in older versions.
    """

    opening: np.ndarray | None = None
    size: int = 0
    board: str | None = None

    @cached_property
    def iteration_board(self) -> str | None:
        return self.board

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against boards of one kind; each call of `open_board` opens a new one."""
        raise NotImplementedError


class Attack(Component):
    """A strategy of a participant, with its parameters.

    Derive from it, declare the parameters, and write `prepare`.

    Attributes
    ----------
    phrase : str
        Its name in a sentence, such as "the step-forward attack".
    point_name : str
        What the points of its outcomes count, such as "iteration", "round" or "outcome".
    points_are_sizes : bool
        Whether its points are models of several sizes after the same submissions; `point_name` is
        then the symbol of the size, and `made_of` says which model it is.
    accounts_at_once : int
        Number of accounts that it uses at once; the papers' bounds depend on it.
    metrics : tuple of str
        Names of the metrics whose scores it can read; empty for any.
    sends_signs : bool
        Whether its files are signs, times a number, where it reads a correlation.
    on_labels : bool
        Whether it guesses labels 0 and 1.
    classifies : bool
        Whether it also plays on labels, which its models predict; see `Classifying`.
    reads : {"scores", "ranks"}
        What a board must show.
    threat : str or None
        Its threat in a dry run, see `THREATS`; None for an attack that counts for itself alone.
    design : {"permuted", "splits", "labels", "permuted_labels"}
        How a dry run makes its sets: with permuted responses a model can learn nothing but the
        public rows; an attack that needs an honest model needs the responses as they are; labels
        are not scaled, and permuted unless the attack uses features.
    hardly_varies : bool
        Whether its Δ hardly varies between replicates, so that a dry run need not play it in all.
    needs_terms : bool
        Whether it plans with what each part of the board publishes.
    recipes : mapping of str to str
        Experiments of `for_dry_run` that follow a published recipe, with a sentence on each; each
        of them is also a separate threat.

    Examples
    --------
    A participant who keeps the best of some random files:

    >>> import numpy as np
    >>> import shakedown
    >>> from shakedown.attacks.attack import PreparedAttack
    >>> from shakedown.interface import FinalModels, Game
    >>> class PreparedLuck(PreparedAttack):
    ...     def __init__(self, files, zeros):
    ...         self.files, self.zeros = files, zeros
    ...
    ...     def play(self, open_board):
    ...         shown = open_board().submit(self.files).released
    ...         best, count = self.files[[np.argmin(shown)]], np.array([len(shown)])
    ...         return Game(FinalModels(best, self.zeros, count, count, count), [], [])
    >>> class Luck(shakedown.Attack):
    ...     name, label = "my_attacks.Luck", "Luck"
    ...     files: int = shakedown.parameter(100, ge=1, description="Number of random files.")
    ...
    ...     def prepare(self, participant, model, rng):
    ...         files = 0.3 * rng.normal(size=(self.files, len(participant.X_public)))
    ...         return PreparedLuck(files, np.zeros((1, len(participant.X_final))))

    It plays against a board of its own, without any feature.  A constant file scores 1:

    >>> from shakedown.interface import ParticipantData
    >>> empty = np.empty((30, 0))
    >>> participant = ParticipantData(empty, np.zeros(30), empty, empty)
    >>> y = shakedown.stream(1, "response").normal(size=30)
    >>> y = (y - y.mean()) / y.std()
    >>> scorer = shakedown.Scorer(shakedown.find_metric("mse"), y)
    >>> full = shakedown.mechanism("full_disclosure")
    >>> luck = Luck().prepare(participant, None, shakedown.stream(1, "attack"))
    >>> game = luck.play(lambda: shakedown.Board(scorer, full, shakedown.stream))
    >>> scorer.metric.score(y, game.models.public).round(2)
    array([0.9])
    """

    kind: ClassVar[str] = "attack"
    phrase: ClassVar[str] = ""
    point_name: ClassVar[str] = "iteration"
    points_are_sizes: ClassVar[bool] = False
    accounts_at_once: ClassVar[int] = 1
    metrics: ClassVar[tuple[str, ...]] = ()
    sends_signs: ClassVar[bool] = False
    on_labels: ClassVar[bool] = False
    classifies: ClassVar[bool] = False
    reads: ClassVar[str] = "scores"
    threat: ClassVar[str | None] = None
    design: ClassVar[str] = "permuted"
    hardly_varies: ClassVar[bool] = False
    needs_terms: ClassVar[bool] = False
    recipes: ClassVar[Mapping[str, str]] = {}

    @property
    def uses_features(self) -> bool:
        """Whether what it submits depends on features."""
        return True

    def extent(self, features: int) -> tuple[int, int]:
        """About how many submissions it makes, and how many outcomes a game has.

        By default its parameter `submissions`, or a submission for each feature, and its `points`.
        """
        points = getattr(self, "points", None)
        return getattr(self, "submissions", None) or features, len(points or ()) + 1

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedAttack:
        """Prepare it for one replicate.

        Parameters
        ----------
        participant : ParticipantData
            The data that the participant sees.
        model
            The final model, see `models`.
        rng : numpy.random.Generator
            The attack's random numbers, the same for all mechanisms.
        """
        raise NotImplementedError

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        """The experiments in which a dry run plays it, by name; none by default.

        Returns
        -------
        dict of str to dict
            Entries of a configuration's `attack`: parameters, or `budgets` of them.
        """
        return {}

    @classmethod
    def reads_metric(cls, metric: Metric) -> bool:
        """Whether it can read the scores of a metric, also as those of another one."""
        if not cls.metrics or metric.name in cls.metrics:
            return True
        return metric.read_as in cls.metrics and (cls.sends_signs or not metric.reads_signs)

    @classmethod
    def cannot_play(cls, terms: Terms) -> bool:
        """Whether it cannot play on a board with these terms: what it does says nothing of it."""
        return cls.needs_terms and bool(terms.silent)

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        """Whether a board with these terms tells it anything; elsewhere adversaries send zeros."""
        return cls.reads != "scores" or terms.shows_scores

    @classmethod
    def threat_of(cls, experiment: str) -> str | None:
        """The threat of one of its experiments in a dry run; `threat`, unless it is another."""
        return cls.threat

    @classmethod
    def made_of(cls, points: str) -> str:
        """How its final model is made at some points, such as "1 to 5", in a caption.

        By default: after so many of what they count.
        """
        several = "" if points == "1" else "s"
        return f"after {points} {cls.point_name}{several}"

    @classmethod
    def spent(cls, features: int, point: int, iteration_board: str | None) -> str:
        """How the attack spends its submissions, in words for a dry run's page.

        Parameters
        ----------
        features : int
            Features submitted.
        point : int
            The point of the outcome.
        iteration_board : {"fresh", "carried_on"} or None
        """
        return f"{counted(features, 'feature')}, {cls.point_name} {point:,}"


ATTACKS = Registry(Attack, "shakedown.attacks")


def sizes(entry: Mapping[str, Any]) -> list[tuple[int | None, Attack]]:
    """The attack of a configuration's entry, for each of its budgets.

    Parameters
    ----------
    entry : mapping
        `name`, parameters, and perhaps `budgets`: a list of features with other parameters.

    Returns
    -------
    list of (int or None, Attack)
        For each budget, the number of features that the attack submits (None if not given), and
        the attack.

    Raises
    ------
    InputError
        If it is unknown, or a parameter is missing, unknown or out of range.
    """
    shared = {key: value for key, value in entry.items() if key not in ("name", "budgets")}
    attacks = []
    for budget in entry.get("budgets") or [{}]:
        parameters = {key: value for key, value in budget.items() if key != "features"}
        attacks.append((budget.get("features"), ATTACKS.make(entry["name"], **shared | parameters)))
    return attacks


def attack_name(name: str) -> str:
    """The name of an attack within a sentence."""
    attack = ATTACKS.find(name)
    return attack.phrase or f"the attack {attack.label}"


def title_of(attack: str, experiment: str) -> str:
    """The name of an attack's experiment in a dry run, such as "Reserve, holder"."""
    kind, words = ATTACKS.find(attack), experiment.replace("_", " ")
    if kind.threat_of(experiment) == HOLDER:
        return f"{kind.label}{BY_HOLDER}"
    if experiment in (kind.name, attack):
        return kind.label
    return f"{kind.label}, {words}" if experiment in kind.recipes else words.capitalize()


def board_name(board: str) -> str:
    """Description of the boards of an attack's iterations, for a sentence."""
    return ITERATION_BOARDS[board]


def spaced(low: int, high: int, count: int) -> list[int]:
    """About `count` whole numbers in equal ratios, from at most `low` and `high` / 4 to `high`."""
    low = min(low, max(2, high // 4), high)
    return sorted({round(value) for value in np.geomspace(low, high, count)})

"""What attacks that submit arbitrary numbers share.

They begin with an honest file, the mean of the response (zeros) or the predictions of a model, and
predict the final rows honestly, whatever they do to the public ones.  Noise on the final rows would
make Δ as large as one likes.

With zeros the final score is that of a constant prediction, and Δ is the public score of
what they end with less the public score of zeros (up to 1/n_final - 1/n_public of the response's
variance, as each set is scaled to variance 1).  Zeros have no correlation, and theirs counts as 0,
as that of any file that is independent of the final response does on average; so Δ is minus the
public correlation.

With a model, Δ also has the difference that the honest file itself shows between the sets.  A dry
run takes that off: it counts the public score of what they end with less that of the honest file
(the column score_honest of the outcomes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import model_validator

from shakedown.attacks import estimating
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
from shakedown.attacks.models import half_of, of_best_features
from shakedown.attacks.on_labels import Points, checked_points, fair_labels, points_parameter
from shakedown.attacks.orders import orders_of
from shakedown.attacks.units import Rows, is_of_order, units_of, units_read
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, ParticipantData
from shakedown.metrics import find
from shakedown.metrics.classes import PROBABILITIES, probable
from shakedown.terms import LeaderboardClient, Terms

#: In a dry run: points, and submissions for each that is wanted.
POINTS, BEYOND = 14, 2


class Adversary(Attack):
    """An attack that submits arbitrary numbers; derive from it and write `prepare`."""

    point_name: ClassVar[str] = "outcome"
    metrics: ClassVar[tuple[str, ...]] = ("mse", "rmse")
    examples: ClassVar[tuple[dict, ...]] = ({"submissions": 12, "points": [3]},)
    threat: ClassVar[str] = "null_adversary"
    design: ClassVar[str] = "splits"
    hardly_varies: ClassVar[bool] = True
    #: Whether it plans with what a file must gain to be accepted.
    needs_margin: ClassVar[bool] = True

    submissions: int = parameter(
        ge=1,
        le=MOST_SUBMISSIONS,
        description="Number of submissions, of all accounts together.",
    )
    points: Points = points_parameter()
    accounts: int = parameter(
        1,
        ge=1,
        description=(
            "Number of accounts, each with a board of its own.  They submit in turn, and share "
            "what they learn.  If all accounts have one board, they do not matter."
        ),
    )

    @model_validator(mode="after")
    def _within(self) -> Adversary:
        checked_points(self.points, self.submissions)
        return self

    @property
    def uses_features(self) -> bool:
        return False

    @classmethod
    def cannot_play(cls, terms: Terms) -> bool:
        return not estimating.is_possible(terms, needs_margin=cls.needs_margin)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        if not cls.reads_metric(find(scope.metric)):
            return {}
        # Twice the wanted number shows how much room there is; more would only take time.
        most = min(scope.most, (BEYOND if scope.grain == "fine" else 1) * scope.wanted)
        points = sorted({*spaced(3, most, POINTS), min(scope.wanted, most)})
        # Of all accounts together.
        points, most = [scope.accounts * point for point in points], scope.accounts * most
        entry = {"name": cls.name, "submissions": most, "points": points}
        return {cls.name: entry | ({"accounts": scope.accounts} if scope.accounts > 1 else {})}

    @classmethod
    def spent(cls, features: int, point: int, board: str | None) -> str:
        return f"files on top of a model of {HELD} features" if features else "files of numbers"


class Holder(Adversary):
    """An adversary that may hold an honest model."""

    examples: ClassVar[tuple[dict, ...]] = (
        {"submissions": 12, "points": [3]},
        {"submissions": 12, "points": [3], "honest": 2},
    )

    honest: int = parameter(
        0,
        ge=0,
        description=(
            "Features of the honest model: those with the largest correlation with the response in "
            "the training set.  0: no model, the honest file is the mean of the response."
        ),
    )

    @property
    def uses_features(self) -> bool:
        return self.honest > 0

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        entries = super().for_dry_run(scope)
        features = min(HELD, scope.features, scope.carried)
        return entries | {
            f"{name}{HOLDS}": entry | {"honest": features}
            for name, entry in entries.items()
            if features
        }

    @classmethod
    def threat_of(cls, experiment: str) -> str | None:
        return HOLDER if experiment.endswith(HOLDS) else cls.threat


class PreparedAdversary(PreparedAttack):
    """An adversary in one replicate; derive from it and write `_play`.

    It knows which responses are alike: its files have numbers for `units`, which are its rows.

    Attributes
    ----------
    n : int
        Public rows, or units of them.
    submissions : int
    honest : ndarray, shape (n,)
        The honest file.
    residual : float
        The variance of the response about it.
    """

    iteration_board = "carried_on"
    _is_suited = False  # whether its units are those that a metric asks for

    def __init__(
        self, attack: Adversary, participant: ParticipantData, model, rng: np.random.Generator
    ) -> None:
        self.attack, self.submissions = attack, attack.submissions
        self.honest = np.zeros(len(participant.X_public))
        self._final = np.zeros(len(participant.X_final))
        self.residual = 1.0
        if size := getattr(attack, "honest", 0):
            self.size = size
            self._hold(participant, model, size)
        self._view, self._files = participant, (self.honest, self._final, self.residual)
        self._use(*units_of(participant))
        # The last submission is always a point.
        self._points = sorted({*checked_points(attack.points, self.submissions), self.submissions})
        self._rng, self._signs = rng, fair_labels(rng, self.submissions, self.n)

    def _use(self, units: Rows, final_units: Rows) -> None:
        """Send numbers for these units."""
        honest, final, residual = self._files
        self._units, self.honest = units, units.numbers(honest)
        self._final = final_units.files(final_units.numbers(final)[None])[0]
        self.residual, self.n = units.variance * residual, len(self.honest)

    def _suit(self, terms: Terms) -> None:
        """Send numbers for other units where those of before tell nothing, or less.

        That is, a number for each row where files with one for each group tell nothing, where a
        mean over responses or rows is read as another metric, and of which the order counts.
        """
        metric, view = find(terms.metric), self._view
        is_another = bool(metric.terms) and metric.read_as != metric.name
        is_held = self.size > 0 and not self._is_suited
        if is_held and metric.predicts == PROBABILITIES and view.cells is None:
            honest, final, residual = self._files
            self._files = *(probable(file, view.y_train) for file in (honest, final)), residual
            self._use(*units_of(view))
            self._is_suited = True
        if self.attack.metrics and is_of_order(metric):
            if metric.name not in self.attack.metrics and not self._is_suited:
                self._use(*orders_of(view, metric, self._rng, signs=self.attack.sends_signs))
                self._is_suited = True
        elif view.cells is None:
            if self.n < len(view.X_public) and not metric.tells_group_means:
                self._send_for(Rows(None), Rows(None))
        elif self.attack.metrics and is_another and not self._is_suited:
            self._send_for(*units_read(view, metric))
            self._is_suited = True

    def _send_for(self, units: Rows, final_units: Rows) -> None:
        """Send numbers for these units from now on, with new signs."""
        self._use(units, final_units)
        self._signs = fair_labels(self._rng, self.submissions, self.n)

    def _hold(self, participant: ParticipantData, model, size: int) -> None:
        """Fit the honest model, and shrink its predictions.

        Predictions of a fitted model are too large: without the factor, taken from a model of half
        of the training rows on the other half, the attacker would gain by shrinking them, which
        takes no secret of the board.  Predicted classes are sent as they are.  The residual
        variance is that on this other half.
        """
        half, rest = half_of(participant)
        fitted = of_best_features(half, model, size)[0]
        factor = float(np.clip(rest @ fitted / max(fitted @ fitted, 1e-300), 0.0, 1.0))
        factor = 1.0 if model.sends_classes else factor
        self.residual = min(float(np.mean((rest - factor * fitted) ** 2)), 1.0)
        self.honest, self._final = (factor * x for x in of_best_features(participant, model, size))

    def signs(self, start: int, stop: int, rows: int | None = None) -> np.ndarray:
        """Random signs of some of the submissions; float, shape (stop - start, rows).

        They are those of the first `rows` rows, by default all n.
        """
        return 2.0 * self._signs[start:stop, :rows] - 1.0

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play on a board for each account, or on the one that they share."""
        boards = [open_board()]
        self._suit(boards[0].terms)
        if not boards[0].terms.is_shared:
            accounts = min(self.attack.accounts, self.submissions)
            boards += [open_board() for _ in range(accounts - 1)]
        run = Run(boards, self._points, self.honest, self._final, self._units)
        if run.terms.silent and not self.attack.cannot_play(run.terms):
            run.learn_terms(needs_margin=self.attack.needs_margin)
        # An open board may hide what it begins with.
        if self.attack.learns_from(replace(run.terms, begins=run.terms.start is not None)):
            self._play(run)
        else:
            self._idle(run)
        return run.game()

    def _play(self, run: Run) -> None:
        raise NotImplementedError

    def _stay(self, run: Run, end: np.ndarray, done: int, used: int) -> None:
        """Submit the file with which it ends from now on, after so many submissions."""
        if done < self.submissions:
            run.submit(end[None].repeat(self.submissions - done, axis=0))
        for t in range(done, self.submissions):
            run.would_end(end, t + 1, used)

    def _idle(self, run: Run) -> None:
        """Submit zeros where nothing can be learnt, and end with the honest file."""
        run.submit(np.zeros((self.submissions, self.n)))
        for t in range(self.submissions):
            run.would_end(self.honest, t + 1, 0)


class Run:
    """One run of an adversary: its submissions, and what it would end with.

    Attributes
    ----------
    accounts : int
        Number of accounts.  Each has a board of its own; they submit in turn.
    terms : Terms
        What the boards publish, or what was estimated of it.
    spent : int
        Files that the estimate took, beside those of the attack.
    root : bool
        Whether scores are roots of a mean square.
    score : float
        By what shown scores are multiplied for the attack.
    form, has_marks : callable, and bool
        What a correlation of ranks reads of a file, and whether that are other numbers than ranks.
    """

    def __init__(
        self,
        boards: list[LeaderboardClient],
        points: list[int],
        honest: np.ndarray,
        final: np.ndarray,
        units: Rows,
    ) -> None:
        self._units = units
        self._published = boards[0].terms
        self.terms, self.accounts, self.spent = units.seen(self._published), len(boards), 0
        self.score = units.score(self._published)
        self.form, self.has_marks = units.form, units.has_marks
        self.root = self.terms.metric == "rmse"
        self._boards, self._done = boards, 0
        self._points, self._honest, self._final = points, honest, final[None].copy()
        self._final.setflags(write=False)
        self._sizes: list[int] = []
        self._files: list[np.ndarray] = []
        self._used: list[int] = []

    def submit(self, files: np.ndarray) -> np.ndarray:
        """Submit files, shape (m, n); returns the released scores, shape (m,)."""
        if self.accounts > 1 and len(files) > 1:
            return np.concatenate([self.submit(file[None]) for file in files])
        return self._submit_to(self._done % self.accounts, files)

    def rows_of(self, file: np.ndarray) -> np.ndarray:
        """What a file, shape (n,), is for the boards: a number for each public row."""
        return self._units.files(file[None])[0]

    def learn_terms(self, *, needs_margin: bool) -> None:
        """Find out what the board does not publish; see `estimating`."""
        before = self._done

        def submit(file: np.ndarray) -> float:
            return float(self._submit_to(0, file[None])[0])

        # The staircase falls by up to 3 with each file, on 20 rows; this account stays above it.
        scale = max(estimating.SCALE, 4.0 * max(self._points))
        signs = estimating.signs_for(len(self._honest))
        self.terms = estimating.estimated(
            self.terms, signs, submit, scale, needs_margin=needs_margin
        )
        self.spent, self._done = self._done - before, before

    def _submit_to(self, account: int, files: np.ndarray) -> np.ndarray:
        board = self._boards[account]
        self._sizes.append(len(files))
        self._done += len(files)
        rows = self._units.files(files)
        shown = board.submit(rows, lambda: self._repeated(len(files))).released
        return self._units.read(self._published, rows, shown)

    def wait(self, count: int) -> None:
        """Submit so many files of zeros, in turn, without reading their scores.

        Those of an account go together, because its board does not depend on the others.  The
        account whose turn is last comes last.
        """
        n, start, stop = len(self._honest), self._done, self._done + count
        for last in range(max(start, stop - self.accounts), stop):
            files = len(range(last, start - 1, -self.accounts))
            self._submit_to(last % self.accounts, np.zeros((files, n)))

    def changed(self, shown: np.ndarray) -> np.ndarray:
        """Whether each of all scores, shape (k,), is new on its board; bool, shape (k,).

        The first score of a single account counts as old.
        """
        m, start = self.accounts, self.terms.start
        first = np.full(m, m > 1) if start is None else (shown[:m] != start) & (m > 1)
        return np.concatenate([first, shown[m:] != shown[:-m]])

    def is_point(self, submissions: int) -> bool:
        """Whether it is scored after so many submissions."""
        return submissions in self._points

    def would_end(self, file: np.ndarray, submissions: int, used: int) -> None:
        """Note its final file, shape (n,), if `submissions` is a point.

        `used` is the number of submissions that it learned from.
        """
        if self.is_point(submissions):
            self._files.append(file.copy())
            self._used.append(used)

    def game(self) -> Game:
        """The game played."""
        m, points = len(self._sizes), np.array(self._points) + self.spent
        models = self._models(np.array(self._files), np.array(self._used), points)
        honest = self._models(self._honest[None], np.array([0]), np.array([0]))
        starts = np.cumsum([0, *self._sizes])
        submitted = [np.arange(a, b) for a, b in zip(starts, starts[1:], strict=False)]
        # Sets of no feature, for a trace.
        sets = [np.arange(0)] * int(starts[-1])
        return Game(models, submitted, [np.arange(0)] * m, sets=sets, honest=honest)

    def _models(self, files: np.ndarray, used: np.ndarray, submissions: np.ndarray) -> FinalModels:
        q = len(files)
        public, points = self._units.files(files), np.arange(1, q + 1)
        return FinalModels(public, self._repeated(q), used, points, submissions)

    def _repeated(self, count: int) -> np.ndarray:
        """The final predictions, the same for each of so many files."""
        return self._final if count == 1 else self._final.repeat(count, axis=0)

"""The step-forward attack: [C] Algorithm 7.

Each iteration submits a model for every remaining feature, fitted to the selected features and this
one, and selects the feature at the last jump in the released scores.  Line 5, which submits all
univariate models again in every iteration, is left out: it contradicts line 4 and all numbers of
submissions in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from shakedown.attacks import jumps
from shakedown.attacks.attack import Attack, PreparedAttack, Scope, spaced
from shakedown.attacks.least_squares import (
    Extension,
    candidate_predictions,
    carried,
    extend,
    larger_fit,
)
from shakedown.component import parameter
from shakedown.interface import FinalModels, Game, ParticipantData
from shakedown.metrics.metric import BLOCK
from shakedown.terms import LeaderboardClient, Receipt
from shakedown.wording import counted

#: In a dry run: the number of iterations that the attack with the most features can make, and the
#: numbers of sizes on fresh boards, on one board, and of the paper's recipe.  With more features
#: and fewer iterations an attacker does worse: with 628 rows and 2,000 submissions the best number
#: of features was 85 in most cases, and never above 413.
_GRAIN = {"fine": (5, 7, 5, 8), "coarse": (15, 3, 2, 3), "coarsest": (15, 2, 2, 2)}
#: The paper's recipe makes one iteration for each 50 features ([C], Text S3).
RECIPE_STEP = 50


class _Averaging:
    """A board that is given each model several times and averages the released scores.

    It is given the opening like other submissions.
    """

    def __init__(self, board: LeaderboardClient, repeats: int, opening: np.ndarray) -> None:
        self._board, self._repeats, self._opening = board, repeats, opening
        self.terms = board.terms

    def submit(self, predictions: np.ndarray, final: Callable) -> Receipt:
        receipt = self._board.submit(self._repeated(predictions), lambda: self._each(final()))
        released, accepted = (part.reshape(-1, self._repeats) for part in receipt)
        # Without noise the scores are equal, and their average could differ by rounding errors.
        released = released.mean(axis=1) if self.terms.is_noisy else released[:, -1].copy()
        return Receipt(released, accepted.any(axis=1))

    def submit_opening(self, final: Callable) -> Receipt:
        return self.submit(self._opening, final)

    def _each(self, final: np.ndarray | Iterator[np.ndarray]) -> Iterator[np.ndarray]:
        blocks = [final] if isinstance(final, np.ndarray) else final
        return (self._repeated(block) for block in blocks)

    def _repeated(self, predictions: np.ndarray) -> np.ndarray:
        return np.repeat(predictions, self._repeats, axis=0)


class _Rows:
    """The candidates on public or final rows; steps are applied when predictions are needed."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows, self._base = rows, np.zeros(rows.shape[1])
        self._is_own = False
        self._steps: list[Extension] = []
        self._slopes = np.zeros(len(rows))

    def take(self, step: Extension) -> None:
        """Add a candidate to the set."""
        self._steps.append(step)

    def predictions(self) -> np.ndarray:
        """Predictions of the models on the set and one candidate; the set must not be empty.

        They are not kept, because they take as much memory as the rows.
        """
        return next(self.blocks(len(self._rows)))

    def blocks(self, size: int = BLOCK) -> Iterator[np.ndarray]:
        """Yield the same predictions, those of so many models at a time.

        All must be taken before the next step.
        """
        if not self._steps:
            for start in range(0, len(self._rows), size):
                some = slice(start, start + size)
                yield self._base + self._slopes[some, None] * self._rows[some]
        while self._steps:
            step, rows, last = self._steps.pop(0), self._rows, not self._steps
            pivot = rows[step.chosen].copy()
            self._base = base = larger_fit(self._base, step, pivot)
            # The first rows are the participant's, later ones are our own.
            own = rows[:-1] if self._is_own else np.empty_like(rows[:-1])
            self._rows, self._is_own, self._slopes = own, True, step.slopes
            for start in range(0, len(own), size):
                stop = min(start + size, len(own))
                predictions = carried(rows, pivot, base, step, own, start, stop)
                if last:
                    yield predictions


class StepForward(Attack):
    """The step-forward attack.

    Its outcomes have a point for each iteration.  An iteration without a jump ends the attack, and
    later points repeat its outcome.
    """

    name: ClassVar[str] = "step_forward"
    label: ClassVar[str] = "Step-forward"
    phrase: ClassVar[str] = "the step-forward attack"
    sentence: ClassVar[str] = (
        "Submits the selected features with each remaining one added, selects the feature at the "
        "last jump in the released scores, and repeats."
    )
    source: ClassVar[str] = "[C] Algorithm 7"
    order: ClassVar[float] = 2
    threat: ClassVar[str] = "modeller"
    classifies: ClassVar[bool] = True
    recipes: ClassVar[dict[str, str]] = {
        "paper_recipe": (
            "The step-forward attack as in the paper by Chaibub Neto and colleagues, with one "
            "iteration for every 50 features."
        )
    }
    examples: ClassVar[tuple[dict, ...]] = (
        {"iterations": 3, "iteration_board": "carried_on"},
        {"iterations": 2, "repeats": 2},
    )
    former_names: ClassVar[dict[str, str]] = {"board": "iteration_board"}
    former_values: ClassVar[dict[str, dict[str, str]]] = {"detector": {"told": "known_number"}}

    iterations: int = parameter(
        5, ge=1, description="Largest number of iterations; each selects one feature."
    )
    iteration_board: Literal["fresh", "carried_on"] = parameter(
        "fresh",
        description=(
            "Whether each iteration uses a fresh board, as with a new account, or all use one "
            "board (carried_on).  [C] does not say; its Fig. 6 requires fresh."
        ),
    )
    detector: Literal["known_number", "maximum", "penalised"] = parameter(
        "known_number",
        description=(
            "How the attack finds the last jump in noisy scores.  known_number: binary "
            "segmentation into the true number of jumps, as in [C].  maximum: binary segmentation "
            "into at most that number, with the default penalty of R's changepoint (modified BIC). "
            " penalised: penalised least squares, which does not know the number."
        ),
    )
    min_segment: int = parameter(
        2, ge=1, description="Fewest submissions between two jumps that the detector considers."
    )
    repeats: int = parameter(
        1,
        ge=1,
        description=(
            "How often each model is submitted in a row; the attacker averages the scores ([C], "
            "discussion)."
        ),
    )

    def extent(self, features: int) -> tuple[int, int]:
        return features * self.iterations * self.repeats, self.iterations

    def prepare(self, participant: ParticipantData, model, rng) -> PreparedStepForward:
        return PreparedStepForward(self, participant, model)

    @classmethod
    def for_dry_run(cls, scope: Scope) -> dict[str, dict[str, Any]]:
        fewest, fresh, carried_on, recipes = _GRAIN[scope.grain]
        largest = max(2, scope.most // fewest)

        def entry(
            iteration_board: str, count: int, detector: str = "known_number"
        ) -> dict[str, Any]:
            sizes = spaced(8, min(scope.features, largest), count)
            budgets = [
                {"features": m, "iterations": iterations(m, scope.most, scope.carried)}
                for m in sizes
            ]
            return {
                "name": cls.name,
                "iteration_board": iteration_board,
                "detector": detector,
                "budgets": budgets,
            }

        return {
            "step_forward_fresh": entry("fresh", fresh),
            "step_forward_carried_on": entry("carried_on", carried_on),
            # With many small jumps, the true number of jumps, as in [C], makes the attack weaker:
            # against LadderBoot(.5, 100), Δ was about 0 with this number and -.14 without it
            # (n = 476).
            "step_forward_unaided": entry("fresh", carried_on, "penalised"),
            "paper_recipe": {
                "name": cls.name,
                "iteration_board": "fresh",
                "budgets": recipe(scope.features, scope.most, scope.carried, recipes),
            },
        }

    @classmethod
    def spent(cls, features: int, point: int, iteration_board: str | None) -> str:
        text = f"{counted(point, 'round')} over {counted(features, 'feature')}"
        if point == 1:
            return text
        account = "a new account for each round, all of which count"
        return f"{text}, {account if iteration_board == 'fresh' else 'one account'}"


class PreparedStepForward(PreparedAttack):
    """The attack in one replicate.

    Attributes
    ----------
    opening : ndarray, shape (p, n_public)
        The first iteration's submissions, made again each time: they take as much memory as the
        public rows.
    """

    def __init__(self, attack: StepForward, participant: ParticipantData, model) -> None:
        self._attack, self._participant, self._model = attack, participant, model
        self.size = min(attack.iterations, participant.X_train.shape[1])
        self.iteration_board = attack.iteration_board
        # On several boards the attack often selects the same features.
        self._known: dict[bytes, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    @property
    def opening(self) -> np.ndarray:
        return self._opening(self._participant.X_public)

    def play(self, open_board: Callable[[], LeaderboardClient]) -> Game:
        """Play against boards of one kind."""
        seen, repeats = self._participant, self._attack.repeats
        train, residual = seen.X_train.T, seen.y_train
        public, final = _Rows(seen.X_public.T), _Rows(seen.X_final.T)
        on_final = partial(self._opening, seen.X_final)
        repeated = self.opening if repeats > 1 else None
        remaining = np.arange(len(train))
        selected: list[int] = []
        submitted, taken, counts = [], [], []
        board = None
        for _ in range(self.size):
            if self.iteration_board == "fresh" or board is None:
                board = open_board()
                if repeated is not None:
                    board = _Averaging(board, repeats, repeated)
                reader = jumps.Reader(
                    self._attack.detector, self._attack.min_segment, board.terms.start
                )
            # Algorithm 7, line 4
            if submitted:
                receipt = board.submit(public.predictions(), on_final)
            else:
                receipt = board.submit_opening(on_final)
            submitted.append(np.repeat(remaining, repeats) if repeats > 1 else remaining)
            counts.append(len(submitted[-1]))
            jump = self._last_jump(board, receipt, reader)  # line 6
            if jump is None:
                taken.append(np.empty(0, int))
                break
            selected.append(int(remaining[jump]))  # line 7
            taken.append(remaining[jump : jump + 1])
            remaining = np.concatenate([remaining[:jump], remaining[jump + 1 :]])  # line 8
            if len(submitted) < self.size:
                is_own = len(submitted) > 1  # at first they are the participant's rows
                step, train, residual = extend(train, residual, jump, in_place=is_own)
                public.take(step)
                final.take(step)
                on_final = final.blocks
        models = self._models(np.array(selected, int), np.array(counts).cumsum())
        return Game(models, submitted, taken)

    def _opening(self, X: np.ndarray) -> np.ndarray:
        """Predictions of the first iteration's models, shape (p, n), for X, shape (n, p)."""
        seen = self._participant
        return candidate_predictions(seen.X_train.T, X.T, seen.y_train, np.zeros(len(X)))

    def _last_jump(
        self, board: LeaderboardClient, receipt: Receipt, reader: jumps.Reader
    ) -> int | None:
        """Index, in this batch, of the first submission after the last jump."""
        if board.terms.replaces_always:
            # Every score is a jump on this board, so the attacker selects the best score.
            return jumps.best(receipt.released, board.terms.larger_is_better)
        return reader.read(board, receipt)

    def _models(self, selected: np.ndarray, submissions: np.ndarray) -> FinalModels:
        """The model after each iteration, with the number of submissions made then."""
        if (key := selected.tobytes()) not in self._known:
            self._known[key] = self._nested(selected)
        points = np.arange(self._attack.iterations)
        made = submissions[np.minimum(points, len(submissions) - 1)]
        return FinalModels(*self._known[key], points + 1, made)

    def _nested(self, selected: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Public and final predictions of these models, and the number of features in each.

        The model does not change after the last jump.
        """
        seen, points, k = self._participant, self._attack.iterations, len(selected)
        public = np.zeros((points + 1, len(seen.X_public)))
        final = np.zeros((points + 1, len(seen.X_final)))
        if k:
            public[1 : k + 1], final[1 : k + 1] = self._model.nested(seen, selected)
        n_selected = np.minimum(np.arange(1, points + 1), k)
        return public[n_selected], final[n_selected], n_selected


def needed(features: int, made: int) -> int:
    """Number of submissions of the attack: iteration i submits ``features - i + 1`` models."""
    return made * features - made * (made - 1) // 2


def iterations(features: int, submissions: int, most: int) -> int:
    """The largest number of iterations, up to `most`, that the submissions allow; at least 1."""
    fitting = (i for i in range(min(most, features), 1, -1) if needed(features, i) <= submissions)
    return next(fitting, 1)


def recipe(features: int, submissions: int, most: int, count: int) -> list[dict]:
    """Budgets of the paper's recipe: the number of iterations is 2 % of the number of features.

    If none fits the submissions, it is one iteration with as many features as they allow.
    """
    budgets = [
        {"features": RECIPE_STEP * i, "iterations": i}
        for i in range(1, min(most, features // RECIPE_STEP) + 1)
        if needed(RECIPE_STEP * i, i) <= submissions
    ]
    if not budgets:
        return [{"features": min(features, submissions), "iterations": 1}]
    kept = np.unique(np.linspace(0, len(budgets) - 1, count).round().astype(int))
    return [budgets[k] for k in kept]

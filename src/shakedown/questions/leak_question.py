"""What the arguments of `leak` ask: a board, its use, a bound, and the gain that is tolerated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

from shakedown.interface import guess
from shakedown.leaderboard.disclosure import Disclosure, uncounted
from shakedown.questions.answer import ArgumentError
from shakedown.questions.numbers import number, whole
from shakedown.theory.budget import BoardUse, round_steps
from shakedown.theory.correlations import StandardisedCorrelation
from shakedown.theory.gains import GainBound, RootSquaredError, SquaredError
from shakedown.theory.losses import BoundedLoss, LabelLoss, NormalScore
from shakedown.wording import counted


class ScoreSpan(NamedTuple):
    """A metric: the scores of guessing and of a perfect file, and what a gain compares."""

    start: float
    best: float
    public: str
    honest: str


SCALES = {
    "mse": ScoreSpan(1.0, 0.0, "public MSE", "that of the best honest file"),
    "rmse": ScoreSpan(1.0, 0.0, "public RMSE", "that of the best honest file"),
    "pearson": ScoreSpan(
        0.0, 1.0, "public correlation", "that of the best honest file, or of a constant,"
    ),
    "accuracy": ScoreSpan(0.5, 1.0, "public accuracy", "the true accuracy of the best honest file"),
    "other": ScoreSpan(0.0, 1.0, "public score", "the true score of the best honest file"),
}


class AskedBoard(NamedTuple):
    """A board: what it can show by the number of rows, and whether its step can be chosen."""

    id: str
    title: str
    disclosure: Callable[[int], Disclosure]
    has_step: bool


@dataclass(frozen=True)
class Question:
    """A board and its use, a bound of the gain, and the gain that is tolerated."""

    board: AskedBoard
    plan: BoardUse
    scale: ScoreSpan
    start: float
    floor: float
    bound: GainBound
    tolerated: float

    @property
    def shown(self) -> Disclosure:
        return self.plan.disclosure(self.plan.rows)

    @property
    def steps(self) -> list[float] | None:
        """The steps to choose from, if the board has one."""
        return round_steps(abs(self.start - self.floor)) if self.board.has_step else None

    @property
    def bounded(self) -> bool:
        """Whether there is a bound to tell."""
        return self.plan.nats is not None and self.shown.updates != 0

    @property
    def whole_gain(self) -> float:
        """What full knowledge of the public responses would gain."""
        if isinstance(self.bound, SquaredError):
            return self.bound.variance
        if isinstance(self.bound, RootSquaredError):
            return math.sqrt(self.bound.variance)
        best = self.floor if self.scale is SCALES["other"] else self.scale.best
        return abs(self.start - best)

    @property
    def fixed(self) -> str:
        """That the start must not depend on the labels, if the bound takes it to be so."""
        return ", whatever the labels," if isinstance(self.bound, BoundedLoss) else ""

    @property
    def lacking(self) -> str:
        """That the board itself does not stop at the floor; "" if it does."""
        perfect = self.floor == self.scale.best and self.bound.is_exact
        own = self.shown.floor is not None or not self.board.id
        return "" if own or perfect else " (this board does not stop there by itself)"

    @property
    def assumed(self) -> str:
        """What the board lacks to keep its scores between start and floor; "" if nothing."""
        if self.plan.noise is not None:
            return ""
        if not self.shown.falls:
            return (
                "This board can show scores of any size, and no bound is proved for it. What "
                "follows assumes that it shows scores worse than the start as the start."
            )
        if not self.shown.starts:
            return (
                "Without a baseline start, the first score can be any number, and no bound is "
                f"proved. What follows is for {self.board.id}+baseline."
            )
        return ""


def asked(given: SimpleNamespace) -> Question:
    """The question that the arguments ask; an ArgumentError if one of them is wrong."""
    if given.metric not in SCALES:
        raise ArgumentError(
            f"--metric: wanted one of {', '.join(SCALES)}; got '{given.metric}'."
            f"{guess(given.metric, SCALES)} For any other metric, give `other` and --sd."
        )
    scale = SCALES[given.metric]
    if given.rows is None:
        raise ArgumentError("--rows is needed: the number of public rows.")
    rows = whole(given, "rows")
    start = number(given, "start", scale.start)
    floor = number(given, "floor", scale.best)
    if given.metric == "pearson" and start != 0.0:
        raise ArgumentError(
            f"--start: the correlation of a constant counts as 0; got {start:g}. Leave it out."
        )
    smaller_is_better = scale.best < scale.start if given.metric != "other" else floor < start
    sign = 1 if smaller_is_better else -1
    board = _board(given, sign)
    shown = board.disclosure(rows)
    if shown.floor is not None:
        floor = sign * max(sign * floor, shown.floor)
    if sign * floor >= sign * start:
        raise ArgumentError(
            f"The floor must be a better score than that of the start, {start:g}; got {floor:g}."
        )
    usual = {"mse": -0.05 * start, "rmse": -0.025 * start}.get(given.metric, -0.05)
    tolerated = number(given, "tolerated", usual)
    if tolerated >= 0.0:
        raise ArgumentError(
            f"--tolerated: wanted a number below 0, such as -0.05; got {tolerated:g}."
        )
    submissions, noise = whole(given, "submissions"), number(given, "noise")
    if submissions is None and (shown.step is not None or noise is not None):
        if shown.updates is None:
            raise ArgumentError("--submissions is needed: this board shows a score after each.")
        if given.acceptance:
            raise ArgumentError("--submissions is needed: --acceptance tells of each.")
    # Of a board that would show each acceptance, those beyond a floor are told by flags alone.
    by_flags = given.acceptance and shown.shows_acceptance and given.metric != "other"
    plan = BoardUse(
        board.disclosure,
        rows,
        start=sign * start,
        floor=sign * (scale.best if by_flags else floor),
        submissions=submissions,
        accounts=whole(given, "accounts", 1),
        shared=given.shared or shown.shared,
        improvements=whole(given, "improvements"),
        acceptance=given.acceptance,
        noise=noise,
    )
    # The baseline start of a board tells how many labels are ones.
    tells = given.board is not None and shown.updates != 0
    bound = _bound(given, start, rows, tells)
    return Question(board, plan, scale, start, floor, bound, -tolerated)


def _board(given: SimpleNamespace, sign: int) -> AskedBoard:
    by_numbers = [name for name in ("updates", "step") if getattr(given, name) is not None]
    if given.noise is not None:
        if given.board is not None or by_numbers:
            other = "board" if given.board is not None else by_numbers[0]
            raise ArgumentError(f"--noise describes a board: leave out either it or --{other}.")
        if given.acceptance or given.shared:
            raise ArgumentError(
                "--noise: leave out --acceptance and --shared, they are not counted."
            )
        title = f"Exact scores with Gaussian noise (signal-to-noise ratio {given.noise})"
        return AskedBoard("", title, lambda rows: uncounted(""), has_step=False)
    if given.board is not None and by_numbers:
        raise ArgumentError(
            f"--{by_numbers[0]} describes a digest: leave out either it or --board."
        )
    if given.board is None:
        if len(by_numbers) < 2:
            raise ArgumentError(
                "Which leaderboard? Give --board, such as 'general_ladder(eta=0.1)+baseline', a "
                "digest by --updates and --step, or noisy scores by --noise."
            )
        updates, step = whole(given, "updates"), number(given, "step")
        if step <= 0.0:
            raise ArgumentError(f"--step: wanted a number above 0; got {step:g}.")
        # Nothing is said of how scores are rounded, so a bound must hold for any way.
        shown = Disclosure(step, falls=True, starts=True, updates=updates, slack=step)
        title = f"Digest ({counted(updates, 'update')}, step {step:g})"
        return AskedBoard("", title, lambda rows: shown, has_step=True)
    # Imported only if needed: it loads the compiled core.
    from shakedown.leaderboard.mechanism import of_setting

    mechanism = of_setting(given.board) if isinstance(given.board, str) else given.board
    return AskedBoard(
        mechanism.id, mechanism.title, partial(mechanism.disclosure, sign=sign),
        has_step=bool(type(mechanism).scored()),
    )  # fmt: skip


def _bound(given: SimpleNamespace, start: float, rows: int, tells_ones: bool) -> GainBound:
    for name, metrics in (("variance", ("mse", "rmse")), ("sd", ("other",))):
        if getattr(given, name) is not None and given.metric not in metrics:
            raise ArgumentError(
                f"--{name} belongs to --metric {' or '.join(metrics)}; leave it out."
            )
    if given.subgaussian and (given.metric != "mse" or given.noise is not None):
        raise ArgumentError("--subgaussian belongs to --metric mse without --noise; leave it out.")
    if given.metric == "mse":
        return SquaredError(number(given, "variance", start), gaussian=not given.subgaussian)
    if given.metric == "rmse":
        return RootSquaredError(number(given, "variance", start * start))
    if given.metric == "pearson":
        return StandardisedCorrelation()
    if given.metric == "accuracy":
        return LabelLoss() if tells_ones else BoundedLoss()
    if given.sd is None:
        raise ArgumentError(
            "--metric other needs --sd, the sampling standard deviation of one file's public score."
        )
    return NormalScore(number(given, "sd"), rows)

"""Say how much a leaderboard can reveal, and what an attacker can gain from it at most."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from textwrap import fill
from typing import Any, NamedTuple

from shakedown.component.identity import printed
from shakedown.interface import InputError, guess
from shakedown.leaderboard.disclosure import Disclosure, uncounted
from shakedown.theory.budget import BoardUse, Needed, needed, round_steps
from shakedown.theory.gains import (
    MANY,
    BoundedLoss,
    GainBound,
    LabelLoss,
    NormalScore,
    RootSquaredError,
    SquaredError,
    fair_labels_accuracy,
)

WIDTH = 100
#: Probability with which the second bound may be exceeded.
DELTA = 0.05


class ScoreSpan(NamedTuple):
    """A metric: the scores of guessing and of a perfect file, and what a gain compares."""

    start: float
    best: float
    public: str
    honest: str


SCALES = {
    "mse": ScoreSpan(1.0, 0.0, "public MSE", "that of the best honest file"),
    "rmse": ScoreSpan(1.0, 0.0, "public RMSE", "that of the best honest file"),
    "accuracy": ScoreSpan(0.5, 1.0, "public accuracy", "the true accuracy of the best honest file"),
    "other": ScoreSpan(0.0, 1.0, "public score", "the true score of the best honest file"),
}


class AskedBoard(NamedTuple):
    """A board: what it can show by the number of rows, and whether its step can be chosen."""

    id: str
    title: str
    disclosure: Callable[[int], Disclosure]
    has_step: bool


#: Of the keys of an answer in JSON.
VERSION = 1


@dataclass(frozen=True)
class Question:
    """What the arguments ask: a board and its use, a bound, and the gain that is tolerated."""

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


def leak(given: Namespace) -> str:
    """The answer, in sentences or as JSON; an InputError if an argument is wrong."""
    result = answer(question := asked(given))
    whole = {"version": VERSION} | result
    return json.dumps(whole, indent=2, ensure_ascii=False) if given.json else said(question, result)


def asked(given: Namespace) -> Question:
    """The question that the arguments ask; an InputError if one of them is wrong."""
    if given.metric not in SCALES:
        raise InputError(
            f"--metric: wanted one of {', '.join(SCALES)}; got '{given.metric}'."
            f"{guess(given.metric, SCALES)} For any other metric, give `other` and --sd."
        )
    scale = SCALES[given.metric]
    rows = _whole(given, "rows")
    start = _number(given, "start", scale.start)
    floor = _number(given, "floor", scale.best)
    smaller_is_better = scale.best < scale.start if given.metric != "other" else floor < start
    sign = 1 if smaller_is_better else -1
    board = _board(given, sign)
    shown = board.disclosure(rows)
    if shown.floor is not None:
        floor = sign * max(sign * floor, shown.floor)
    if sign * floor >= sign * start:
        raise InputError(
            f"The floor must be a better score than that of the start, {start:g}; got {floor:g}."
        )
    usual = {"mse": -0.05 * start, "rmse": -0.025 * start}.get(given.metric, -0.05)
    tolerated = _number(given, "tolerated", usual)
    if tolerated >= 0.0:
        raise InputError(f"--tolerated: wanted a number below 0, such as -0.05; got {tolerated:g}.")
    submissions, noise = _whole(given, "submissions"), _number(given, "noise")
    if submissions is None and (shown.step is not None or noise is not None):
        if shown.updates is None:
            raise InputError("--submissions is needed: this board shows a score after each.")
        if given.acceptance:
            raise InputError("--submissions is needed: --acceptance tells of each.")
    # Of a board that would show each acceptance, those beyond a floor are told by flags alone.
    by_flags = given.acceptance and shown.shows_acceptance and given.metric != "other"
    plan = BoardUse(
        board.disclosure,
        rows,
        start=sign * start,
        floor=sign * (scale.best if by_flags else floor),
        submissions=submissions,
        accounts=_whole(given, "accounts", 1),
        shared=given.shared or shown.shared,
        improvements=_whole(given, "improvements"),
        acceptance=given.acceptance,
        noise=noise,
    )
    # The baseline start of a board tells how many labels are ones.
    tells = given.board is not None and shown.updates != 0
    bound = _bound(given, start, rows, tells)
    return Question(board, plan, scale, start, floor, bound, -tolerated)


def answer(question: Question) -> dict[str, Any]:
    """Nats, both bounds of the gain, and what keeps them within the gain that is tolerated.

    In `needed_mean` and `needed_95`, null under `rows` and `step` says that none is large enough,
    elsewhere that there is no limit; a key that does not apply is missing.  With noise nothing is
    known of probabilities: `gain_95` and `needed_95` are null.
    """
    plan, bound, gain = question.plan, question.bound, question.tolerated
    nats = plan.nats
    result = {
        "board": question.board.title,
        "rows": plan.rows,
        "submissions": plan.submissions,
        "accounts": plan.accounts,
        "shared": plan.shared,
        "start": question.start,
        "floor": question.floor,
        "tolerated": -gain,
        "proved": nats is not None and bound.is_exact and not question.assumed,
        "nats": nats,
    }
    if nats is None:
        return result | {"reason": question.shown.reason}
    mean, noisy = bound.mean(nats, plan.rows), plan.noise is not None
    high = None if noisy else bound.high(nats, plan.rows, DELTA)
    result |= {
        "assumed": question.assumed,
        "useful": (mean if noisy else high) < _whole_gain(question),
        "bits": nats / math.log(2.0),
        "gain_mean": mean,
        "gain_95": high,
        "needed_mean": _plain(needed(plan, bound, gain, steps=question.steps)),
        "needed_95": None
        if noisy
        else _plain(needed(plan, bound, gain, delta=DELTA, steps=question.steps)),
        "conditions": bound.conditions,
    }
    if isinstance(bound, BoundedLoss):  # with `LabelLoss` no label is a fair coin
        result["fair_labels_accuracy"] = fair_labels_accuracy(nats, plan.rows)
    return result


def said(question: Question, result: dict[str, Any]) -> str:
    """The answer in sentences."""
    plan, bound = question.plan, question.bound
    head = [question.board.title, _count(plan.rows, "public row")]
    if plan.submissions is not None:
        head.append(_count(plan.submissions, "submission"))
    if plan.accounts > 1:
        use = "that share one board" if plan.shared else "that work together, a board for each"
        head.append(f"{plan.accounts:,} accounts {use}")
    if plan.acceptance:
        head.append("which also tells which submissions were accepted")
    lines = [_filled(f"{', '.join(head)}.")]
    if result["nats"] is None:
        return "\n".join([*lines, _filled(f"No bound is proved. {question.shown.reason}")])
    if question.shown.updates == 0:
        return "\n".join([*lines, "It shows nothing about the public rows, so nothing is gained."])
    if question.assumed:
        lines += [_filled(question.assumed), ""]
    if plan.noise is None:
        given = (
            f"it starts at a score of {question.start:g}{question.fixed} and shows none better "
            f"than {question.floor:g}{question.lacking}"
        )
    else:
        given = (
            "the noise of every score is new and Gaussian, and an exact score, given those shown "
            f"before, varies at most {plan.noise:g} times as much"
        )
    revealed = f"{_short(result['nats'])} nats ({_short(result['bits'])} bits)"
    lines += [_filled(f"It can reveal at most {revealed} if {given}."), ""]
    at_most = "at most" if bound.is_exact else "about"
    if result["useful"]:
        gains = f"{at_most} {_short(result['gain_mean'])} on average"
        if result["gain_95"] is not None:
            gains += f", and by {at_most} {_short(result['gain_95'])} with a probability of 95 %"
        lines.append(
            _filled(
                f"Whatever is submitted, the {question.scale.public} of the final file is better "
                f"than {question.scale.honest} by {gains}."
            )
        )
    else:
        lines.append("That is enough to gain all that there is: nothing useful is proved.")
    if "fair_labels_accuracy" in result:
        lines.append(
            _filled(
                "For a participant to whom every label is a fair coin, the mean public accuracy is "
                f"at most {_short(result['fair_labels_accuracy'])}."
            )
        )
    lines += [
        "",
        f"To keep the gain within {_short(question.tolerated)}, all else unchanged:",
        "",
        f"{'':26}{'on average':>12}{'' if result['needed_95'] is None else 'in 95 %':>12}".rstrip(),
    ]
    tables = [table for table in (result["needed_mean"], result["needed_95"]) if table is not None]
    for key, what in NEEDS.items():
        if key in result["needed_mean"]:
            cells = "".join(f"{_need(key, table[key]):>12}" for table in tables)
            lines.append(f"  {what:24}{cells}")
    return "\n".join([*lines, "", _filled(f"{bound.conditions} Proofs: docs/leakage.md.")])


#: What a row of the table says, by the key of `needed_mean`.
NEEDS = {
    "nats": "nats, at most",
    "rows": "public rows, at least",
    "submissions": "submissions, at most",
    "updates": "updates, at most",
    "accounts": "accounts, at most",
    "step": "step, at least",
}


def _need(key: str, value: float | None) -> str:
    if value is None:
        return "none" if key in ("rows", "step") else "no limit"
    if value <= 0.0:
        return "none"
    return _short(value) if key == "nats" else printed(value)


def _plain(limits: Needed) -> dict[str, float | None]:
    return {
        key: value if math.isfinite(value) else None
        for key, value in limits._asdict().items()
        if value is not None
    }


def _whole_gain(question: Question) -> float:
    """What full knowledge of the public responses would gain."""
    bound = question.bound
    if isinstance(bound, SquaredError):
        return bound.variance
    if isinstance(bound, RootSquaredError):
        return math.sqrt(bound.variance)
    return abs(question.plan.start - question.plan.floor)


def _board(given: Namespace, sign: int) -> AskedBoard:
    by_numbers = [name for name in ("updates", "step") if getattr(given, name) is not None]
    if given.noise is not None:
        if given.board is not None or by_numbers:
            other = "board" if given.board is not None else by_numbers[0]
            raise InputError(f"--noise describes a board: leave out either it or --{other}.")
        if given.acceptance or given.shared:
            raise InputError("--noise: leave out --acceptance and --shared, they are not counted.")
        title = f"Exact scores with Gaussian noise (signal-to-noise ratio {given.noise})"
        return AskedBoard("", title, lambda rows: uncounted(""), has_step=False)
    if given.board is not None and by_numbers:
        raise InputError(f"--{by_numbers[0]} describes a digest: leave out either it or --board.")
    if given.board is None:
        if len(by_numbers) < 2:
            raise InputError(
                "Which leaderboard? Give --board, such as 'general_ladder(eta=0.1)+baseline', a "
                "digest by --updates and --step, or noisy scores by --noise."
            )
        updates, step = _whole(given, "updates"), _number(given, "step")
        if step <= 0.0:
            raise InputError(f"--step: wanted a number above 0; got {step:g}.")
        shown = Disclosure(step, falls=True, starts=True, updates=updates)
        title = f"Digest ({_count(updates, 'update')}, step {step:g})"
        return AskedBoard("", title, lambda rows: shown, has_step=True)
    # Imported only if needed: it loads the compiled core.
    from shakedown.leaderboard.mechanism import of_setting

    mechanism = of_setting(given.board)
    return AskedBoard(
        mechanism.id, mechanism.title, partial(mechanism.disclosure, sign=sign),
        has_step=bool(type(mechanism).scored()),
    )  # fmt: skip


def _bound(given: Namespace, start: float, rows: int, tells_ones: bool) -> GainBound:
    for name, metrics in (("variance", ("mse", "rmse")), ("sd", ("other",))):
        if getattr(given, name) is not None and given.metric not in metrics:
            raise InputError(f"--{name} belongs to --metric {' or '.join(metrics)}; leave it out.")
    if given.subgaussian and (given.metric != "mse" or given.noise is not None):
        raise InputError("--subgaussian belongs to --metric mse without --noise; leave it out.")
    if given.metric == "mse":
        return SquaredError(_number(given, "variance", start), gaussian=not given.subgaussian)
    if given.metric == "rmse":
        return RootSquaredError(_number(given, "variance", start * start))
    if given.metric == "accuracy":
        return LabelLoss() if tells_ones else BoundedLoss()
    if given.sd is None:
        raise InputError(
            "--metric other needs --sd, the sampling standard deviation of one file's public score."
        )
    return NormalScore(_number(given, "sd"), rows)


def _whole(given: Namespace, name: str, default: int | None = None) -> int | None:
    if getattr(given, name) is None:
        return default
    number = _number(given, name)
    if not (1 <= number <= MANY and number.is_integer()):
        raise InputError(
            f"--{name}: wanted a whole number from 1 to {MANY:,}, got {getattr(given, name)!r}."
        )
    return int(number)


def _number(given: Namespace, name: str, default: float | None = None) -> float | None:
    text = getattr(given, name)
    if text is None:
        return default
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    raise InputError(f"--{name}: wanted a number, got {text!r}.")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _short(number: float) -> str:
    return printed(float(f"{number:.3g}"))


def _filled(text: str) -> str:
    return fill(text, WIDTH)

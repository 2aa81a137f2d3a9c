"""A metered board: it charges for the files that are sent, by what they can tell together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from shakedown.component import parameter
from shakedown.interface import InputError
from shakedown.leaderboard.account import Account, Quote
from shakedown.leaderboard.defence import Defence
from shakedown.leaderboard.degrees import (
    LENGTH,
    degrees_within,
    degrees_within_correlation,
)
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.gates import Always, Gate
from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_scores import Labels
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.releases import Release
from shakedown.leaderboard.responses import (
    OF_LABELS,
    STANDARDISED,
    Unit,
    check_linear,
    measured_by,
)
from shakedown.metrics import Metric
from shakedown.terms import Metering, Terms
from shakedown.wording import amount, count

#: Smallest standard deviation of the noise, unless it is given; the response is standardised.
SD = 0.005


class Metered(Mechanism):
    """Metered board."""

    name: ClassVar[str] = "metered"
    label: ClassVar[str] = "Metered board"
    phrase: ClassVar[str] = (
        "shows every file's score with noise, and more noise for files unlike earlier ones"
    )
    sentence: ClassVar[str] = (
        "Shows each file's score, as well as it is known from all noisy answers so far. The noise "
        "follows the files: a file like earlier ones is answered precisely, one unlike them "
        "vaguely, so that all answers together tell no more than a stated amount."
    )
    order: ClassVar[float] = 12.5
    examples: ClassVar[tuple[dict, ...]] = ({"gain": 0.3, "files": 40},)

    gain: float = parameter(
        gt=0.0,
        symbol="τ",
        unit="score",
        description="The largest gain, in units of the score.",
    )
    files: int = parameter(
        ge=1,
        symbol="K",
        unit="submissions",
        description="Files of an account that are answered; later ones tell nothing new.",
    )
    chance: float | None = parameter(
        None,
        gt=0.0,
        lt=1.0,
        symbol="chance",
        description=(
            "The chance that an account gains more than τ, whatever it submits. Without one, τ "
            "is its largest expected gain."
        ),
    )
    sd: float | None = parameter(
        None,
        gt=0.0,
        symbol="σ₀",
        unit="score",
        description=(
            "Smallest standard deviation of the noise of an answer, in units of the score; null: "
            ".005 for a correlation, and that share of the variance for the MSE."
        ),
    )
    share: float | None = parameter(
        None,
        gt=0.0,
        le=1.0,
        symbol="share",
        description=(
            "On one board for all accounts (`one_board`): the most that one account of a running "
            "board may use of the files and of the degrees of freedom. null: all. Studies do not "
            "tell the accounts of a participant apart."
        ),
    )
    centre: float | None = parameter(
        None,
        description=(
            "The mean of the public responses, which participants are told. null: 0 in studies "
            "and dry runs, whose responses are standardised; boards and replays take it from the "
            "truth."
        ),
    )
    scale: float | None = parameter(
        None,
        gt=0.0,
        description="The standard deviation of the public responses; null: 1, as for `centre`.",
    )

    def explained(self, score: Callable[[float], str] = amount, by_clock: bool = False) -> str:
        """What it does with its numbers."""
        around = "".join(f" {type(defence).sentence}" for defence in self.defences)
        limit = " on average" if self.chance is None else f", but for a chance of {self.chance:g}"
        whose = "all accounts together" if self.one_board else "each account"
        said = (
            f"{type(self).sentence} Of {whose} {count(self.files)} files are answered, with noise "
            f"that is meant to keep what is gained within {score(self.gain)}{limit}."
        )
        if self.one_board and self.share is not None:
            said += f" No account uses more than {self.share:.0%} of that."
        if self.scale is not None and self.centre is not None:
            said += (
                f" The public responses have the mean {self.centre:.6g} and the standard deviation "
                f"{self.scale:.6g}; you may use both."
            )
        return said + around

    def check(self, metric: Metric) -> None:
        super().check(metric)
        for key in ("centre", "scale"):
            if metric.name in OF_LABELS and (got := getattr(self, key)) is not None:
                raise InputError(
                    f"mechanism '{self.name}', {key}: wanted none under the metric "
                    f"'{metric.name}', as it tells how many labels are 1; got {got:g}. Leave it "
                    "out."
                )
        for defence in self.every_defence:
            if type(defence).rescore is not Defence.rescore:
                raise InputError(
                    f"mechanism '{self.setting}': wanted scores that are linear in the response; "
                    f"'{type(defence).name}' changes them. Remove it: the meter bounds what files "
                    "of any size tell."
                )
            if metric.name in OF_LABELS and metric.name != "auroc":
                self._check_silent(defence, metric)

    def _check_silent(self, defence: Defence, metric: Metric) -> None:
        """Check that a defence does not tell how many labels are 1: then nothing is proved."""
        # A start has the score of the more frequent label.  What is refused follows from the spread
        # of the labels, and is not charged, so that a bisection is free.
        limit = "limit in standard deviations of the labels"
        told = "start" if defence.starts else limit if defence.tells_spread else ""
        if told:
            raise InputError(
                f"mechanism '{self.setting}': wanted no {told} under the metric "
                f"'{metric.name}', as it tells how many labels are 1, and nothing is proved if "
                f"that is known; got '{type(defence).name}'. Remove it."
            )

    @cached_property
    def gate(self) -> Gate:
        return Always()

    @cached_property
    def release(self) -> Release:
        unit = Unit(0.0 if self.centre is None else self.centre, self.scale or 1.0)
        return MeteredRelease(self.gain, self.files, self.chance, self.sd, unit, self.share or 1.0)


def degrees_of(gain: float, rows: int, chance: float | None, is_correlation: bool) -> float:
    """The budget of a board, in degrees of freedom; 0 if nothing can be answered."""
    within = degrees_within_correlation if is_correlation else degrees_within
    return max(within(gain, rows, chance) - LENGTH, 0.0)


@dataclass(frozen=True)
class MeteredRelease(Release):
    """Release the mean of each file's score given all answers so far, this one included."""

    gain: float
    files: int
    chance: float | None
    sd: float | None
    unit: Unit = STANDARDISED
    share: float = 1.0
    name = "metered"
    is_noisy = True
    shows_in_force = True
    reads_files = True
    standardises = True

    def check(self, metric: Metric) -> None:
        check_linear(metric)
        if metric.name not in OF_LABELS:
            return
        for name, usual in (("chance", None), ("share", 1.0)):
            if getattr(self, name) != usual:
                raise InputError(
                    f"mechanism 'metered', {name}: wanted none under the metric '{metric.name}'; "
                    f"got {getattr(self, name):g}. On labels a gain is bounded on average, for "
                    "each account or for all together."
                )

    def of_labels(self) -> Metering:
        """What participants are told of the meter of a board of labels."""
        return Metering(0.0, self.files, SD if self.sd is None else self.sd, gain=self.gain)

    def metering(self, n: int, is_correlation: bool) -> Metering:
        """The meter of a board of n rows, as participants are told; its noise is standardised."""
        size = 1.0 if is_correlation else self.unit.variance
        degrees = degrees_of(self.gain / size, n, self.chance, is_correlation)
        sd = SD if self.sd is None else self.sd / size
        return Metering(degrees, self.files, sd, self.share)

    def terms(self, terms: Terms, n: int) -> Terms:
        if terms.metric in OF_LABELS:
            return replace(self.stated(terms, n), metering=self.of_labels())
        metering = self.metering(n, terms.larger_is_better)
        return replace(self.stated(terms, n), metering=metering)

    def disclosure(self, gate: Gate, n: int, sign: int) -> Disclosure:
        metering = self.metering(n, sign < 0)
        reason = "Answers take any value; the board charges for the files instead."
        gain = self.gain if self.chance is None else None
        return Disclosure(None, degrees=metering.degrees, gain=gain, reason=reason)

    def begins_with(self, metric: Metric, n: int) -> Account:
        return Account.opened(n, self.metering(n, metric.larger_is_better))

    def begins_on(self, metric: Metric, y: np.ndarray) -> Account | LabelAccount:
        if metric.name in OF_LABELS:
            return LabelAccount.opened(len(y), self.of_labels(), metric, Labels.of(y))
        return self.begins_with(metric, len(y))

    def show_next(self, memory: Account, batch, best, standing, metric: Metric, y, rng, *, chain):
        # A file that a cap keeps from being in force is not asked about: the last score is shown
        # again.  That of a new board is what a defence starts it with.
        asked = standing == np.arange(len(standing))
        last = best.risk if np.isnan(best.shown) else best.shown
        if not asked.any():
            return np.full(len(standing), last), memory
        # Each file has a number of its own, whether it is answered or not.
        files, noise = batch.files[asked], rng.standard_normal(int(asked.sum()))
        if metric.name in OF_LABELS:
            scores, memory = memory.answered(files, y, noise, chain=chain, known=batch.products)
        else:
            directions, rests = measured_by(metric, self.unit.without(files))
            response = self.unit.without(y[None])[0]
            means, memory = memory.answered(
                directions, response, noise, best.account, chain=chain, known=batch.products
            )
            scores = self.unit.of_scores(metric) * (rests - means)
        if len(scores) == len(standing):
            return scores, memory
        shown = np.append(last, scores)
        return shown[np.cumsum(asked) if chain else np.cumsum(asked) * asked], memory

    def known(self, memory: Account, metric: Metric, files: np.ndarray) -> np.ndarray:
        if metric.name in OF_LABELS:
            return memory.known(files)[0]
        directions, rests = measured_by(metric, self.unit.without(files))
        return self.unit.of_scores(metric) * (rests - directions @ memory.meter.estimate())

    def errors(self, memory: Account, metric: Metric, files: np.ndarray) -> np.ndarray:
        if metric.name in OF_LABELS:
            return memory.known(files)[1]
        directions, _ = measured_by(metric, self.unit.without(files))
        sds = [memory.meter.price(u).estimate()[1] for u in directions]
        return self.unit.of_scores(metric) * np.array(sds)

    def shown_error(self, before, after, metric: Metric, file, products) -> float:
        if metric.name in OF_LABELS:  # of the estimate that was shown, which has no bias
            return before.error(file, products)
        return super().shown_error(before, after, metric, file, products)

    def products(self, memory: Account, metric: Metric, file: np.ndarray) -> np.ndarray | None:
        if metric.name in OF_LABELS:
            return memory.weights(file)
        directions, _ = measured_by(metric, self.unit.without(file[None]))
        return memory.products(directions[0])

    def spent(self, memory: Account) -> float:
        return memory.meter.spent

    def quote(
        self, memory: Account, metric: Metric, file: np.ndarray, account: str | None = None
    ) -> Quote | None:
        if metric.name in OF_LABELS:
            return memory.quote(file)
        directions, _ = measured_by(metric, self.unit.without(file[None]))
        price, sd = memory.asked(directions[0], account)
        left = memory.left_to(account)
        size = self.unit.of_scores(metric)
        return Quote(
            price.cost(sd), left.degrees, memory.terms.degrees * self.share, left.files,
            size * price.expected_error(sd), size * price.estimate()[1],
        )  # fmt: skip

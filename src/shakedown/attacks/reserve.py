"""The reserve attack, on boards that show the best score so far after a test.

The attacker keeps a Gaussian posterior N(m, S) of the response.  With b the file in force, the
*reserve* is m - b: what is known and not yet submitted.  Each file is b + share (m - b) + d with a
random direction d, along which S is large.

- If the shown score falls, it is one more linear measurement of the response.
- If not, <y, file> is below the known bound at which the score would have fallen: a half-space.

A file without reserve passes a strict test rarely, and each refusal adds to the reserve.  So the
share is 0 until some share passes with the probability `target`, and then the least one that does.
A stricter test costs more reserve; it does not stop the attack.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from shakedown.attacks.adversary import PreparedAdversary, Run
from shakedown.attacks.grouped import GroupedHolder, groups_parameter, usual_groups
from shakedown.attacks.next_file import Bar, Known, NextFile, Plan
from shakedown.attacks.posterior import bounded, chance_above, measured, product, times
from shakedown.attacks.span import Span
from shakedown.component import parameter
from shakedown.interface import ParticipantData
from shakedown.terms import Terms

#: Length of a step, in that below which a board refuses files as repeated.
FURTHER = 1.05


class Reserve(GroupedHolder):
    """The reserve attack."""

    name: ClassVar[str] = "reserve"
    label: ClassVar[str] = "Reserve"
    phrase: ClassVar[str] = "the reserve attack"
    sentence: ClassVar[str] = (
        "Learns from refused files too, holds back a part of what it knows, and adds just so much "
        "of it to a random file that the file may pass."
    )
    order: ClassVar[float] = 11

    target: float | None = parameter(
        None,
        gt=0.0,
        lt=1.0,
        description=(
            "Probability with which a file should pass; null for one that the rule of the board "
            "suggests."
        ),
    )
    size: float = parameter(
        0.4,
        gt=0.0,
        description=(
            "Length of the random direction, over all rows together, in standard deviations of "
            "the residual that the released score shows."
        ),
    )
    rounding: float = parameter(
        2.0,
        ge=0.0,
        description=(
            "The same in standard deviations of what rounding hides of a product with the "
            "response; the two are added as variances are."
        ),
    )

    groups: int | None = groups_parameter("six for ten submissions, at least 400")

    @classmethod
    def learns_from(cls, terms: Terms) -> bool:
        # The scan is made for noisy scores.
        return terms.acceptance is not None and not terms.fresh_noise

    def prepare(
        self, participant: ParticipantData, model, rng: np.random.Generator
    ) -> PreparedReserve:
        return PreparedReserve(self, participant, model, rng)


@dataclass
class ReserveAccount:
    """An account: its file in force, the number it is shown, and the improvements it has left."""

    best: np.ndarray
    number: float | None
    left: float
    today: int


class PreparedReserve(PreparedAdversary):
    """The attack in one replicate."""

    def _play(self, run: Run) -> None:
        terms = run.terms
        n, attack, groups = self.n, self.attack, self.attack.groups
        groups = groups or usual_groups(self.submissions)
        span = Span(self.signs(0, 1)[0], min(n, groups), self.honest)
        known = Known(
            span.honest.copy(), span.prior(self.residual), span.ones, self.residual, span.group,
            span.weight, span.extra,
        )  # fmt: skip
        bar, target = self._bar(run)
        accounts = self._accounts(run, span.size)
        daily, day = terms.improvements_per_day or (np.inf, self.submissions)
        # Sticky noise: the number tells what is accepted, and less about the score in force.
        sticky = terms.tells_replacement and not terms.noise_sd
        shortest, used = FURTHER * sqrt(n) * terms.nearest, 0
        file = NextFile(known, bar, Plan(attack.rounding, target, not sticky), n)
        for t in range(self.submissions):
            account = accounts[t % run.accounts]
            if account.number is None:
                # Zeros tell the score that is to be beaten, and keep the whole reserve.
                account.number = run.submit(np.zeros((1, n)))[0]
                if run.is_point(t + 1):
                    run.would_end(span.file(known.m) if t else self.honest, t + 1, used)
                continue
            shown, b = account.number, account.best
            if sticky:
                shown = expected_risk(n, known.m @ b, b @ b, run.root)
            sd = max(shown if run.root else sqrt(max(shown, 0.0)), 1e-9)
            size, z = max(attack.size, shortest / sd), self.signs(t, t + 1, span.size)[0]
            bound = file.propose(b, z, shown, size)
            new = run.submit(file.rows[None])[0]
            account.today *= t // run.accounts % day > 0
            if account.left <= 0 or account.today >= daily:
                pass  # the board shows nothing new any more, or today
            elif sticky:
                used += self._compare(run, account, file, bound, new)
            else:
                used += self._measure(run, account, file, bound, new)
            if run.is_point(t + 1):
                run.would_end(span.file(known.m), t + 1, used)

    def _bar(self, run: Run) -> tuple[Bar, float]:
        """What a file has to pass, and the probability with which it should."""
        terms, rule = run.terms, run.terms.acceptance
        margin, critical = max(rule.margin, 0.0), rule.critical
        each = -(-self.submissions // run.accounts)
        target = self.attack.target or usual_target(critical, margin, each, run.accounts)
        step = max(terms.step, sqrt(12.0) * terms.noise_sd)
        return Bar(run.root, step, margin, critical), target

    def _accounts(self, run: Run, size: int) -> list[ReserveAccount]:
        terms = run.terms
        most = np.inf if terms.improvements is None else terms.improvements
        # Without a score to begin with, zeros are the first improvement.
        first = int(terms.start is None)
        number = terms.start if run.accounts > 1 else None
        return [
            ReserveAccount(np.zeros(size), number, most - first, first) for _ in range(run.accounts)
        ]

    def _compare(
        self, run: Run, account: ReserveAccount, file: NextFile, bound: float, new: float
    ) -> int:
        """Take in that a file was accepted or refused under sticky noise; whether it was."""
        n, m, S, c = self.n, file.known.m, file.known.S, file.c
        accepted, account.number = new != account.number, new
        compared(m, S, account.best, c, bound - m @ account.best, accepted)
        if accepted:
            mean = new * new if run.root else new
            value = product(n - 1.0, c @ c, n, mean)
            times(S, c, file.w)
            measured(m, S, c, file.w, value, noise_of(run.terms.replications or 1, n, mean))
            self._replace(account, c)
        return int(accepted)

    def _measure(
        self, run: Run, account: ReserveAccount, file: NextFile, bound: float, new: float
    ) -> int:
        """Take in a file's own score, or that it did not pass the bar; whether it did."""
        n, terms, known, c, w = self.n, run.terms, file.known, file.c, file.w
        falls, told = new < account.number, terms.tells_replacement
        if not (falls or terms.replaces_always or (told and new != account.number)):
            doubt = (0.5 * n * terms.acceptance.noise) ** 2
            bounded(known.m, known.S, c, w, bound, doubt)
            return 0
        step = file.bar.step
        mean, width = (new * new, 2.0 * new * step) if run.root else (new, step)
        value = product(n - 1.0, c @ c, n, mean)
        measured(known.m, known.S, c, w, value, (0.5 * n * width) ** 2 / 12.0)
        if falls or told:
            self._replace(account, c)
            account.number = new
        else:
            account.left, account.today = account.left - 1, account.today + 1
        return 1

    @staticmethod
    def _replace(account: ReserveAccount, c: np.ndarray) -> None:
        account.best, account.left, account.today = c.copy(), account.left - 1, account.today + 1


def usual_target(critical: float, margin: float, submissions: int, accounts: int = 1) -> float:
    """A probability of passing that does well on boards with this rule.

    `submissions` is the number of an account.  A margin is costly: a handful of its files should
    pass in all.  A new account has the whole reserve to spend, so several can spend more.
    """
    if margin > 0.0:
        return min(0.05 if accounts == 1 else 0.5, 5.0 / submissions)
    return (0.5 * sqrt(chance_above(critical))) ** (1.0 / min(accounts, 3))


def expected_risk(n: int, product: float, squares: float, root: bool) -> float:
    """The score expected of a file, from <m, file> and its squares."""
    mean = max((n - 1.0 - 2.0 * product + squares) / n, 0.0)
    return sqrt(mean) if root else mean


def compared(m, S, b, c, bound: float, accepted: bool) -> None:
    """Take in whether <y, c - b> is above a bound, of files given in coordinates."""
    v, w = c - b, np.empty(len(b))
    times(S, v, w)
    if accepted:
        bounded(m, S, -v, -w, -bound)
    else:
        bounded(m, S, v, w, bound)


def noise_of(b: int, n: int, mean: float) -> float:
    """The variance that a mean of b bootstrap replications gives <y, file>, for normal errors.

    `mean` is the mean squared error that is shown.
    """
    return n * mean * mean / (2.0 * b)

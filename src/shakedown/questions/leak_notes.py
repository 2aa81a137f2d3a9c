"""What stands below the table of `leak`: how its updates are meant, which question proves more."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

from shakedown.component.identity import identity, printed
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.questions.leak_question import Question
from shakedown.theory.losses import BoundedLoss

#: Submissions of the example, if the question names none.
USUAL = 1000


class Sharper(NamedTuple):
    """A sentence that ends with a colon, and the arguments that it announces."""

    sentence: str
    arguments: str


def more_often(question: Question, record: dict[str, Any]) -> str:
    """That more updates than are reached come more often; "" if the table has no such number."""
    shown, plan = question.shown, question.plan
    if shown.every is None or plan.submissions is None:
        return ""
    files = plan.submissions * (plan.accounts if plan.shared else 1)
    reached = files // shown.every
    tables = (record["needed_mean"], record["needed_95"])
    most = max(table["updates"] or math.inf for table in tables)
    if most <= reached or shown.every == 1:
        return ""
    return (
        f"More than {printed(reached)} updates fit into {printed(files)} submissions if they come "
        f"more often than after {printed(shown.every)}."
    )


def sharper(question: Question, delta: float) -> Sharper | None:
    """The smaller gain of the package's digest with the same numbers, and how to ask for it.

    A digest that is described by its numbers may round in any way, at any times.

    Parameters
    ----------
    question : Question
        About a board with a bound.
    delta : float
        Probability with which the second bound may be exceeded.

    Returns
    -------
    Sharper or None
        None if no less is proved.
    """
    plan, shown = question.plan, question.shown
    by_numbers = not question.board.id and shown.updates and plan.noise is None
    if not by_numbers or plan.acceptance or plan.improvements is not None or plan.shared:
        return None
    if isinstance(question.bound, BoundedLoss) or not question.bound.is_exact:
        return None
    submissions = plan.submissions or max(USUAL, shown.updates)
    every = max(1, submissions // shown.updates)
    # It rounds to the worse side, and it is known how many files each update chooses from.
    digest = Disclosure(shown.step, True, True, shown.updates, every, slack=0.0)
    told = replace(plan, disclosure=lambda rows: digest, submissions=submissions).told
    gains = [
        question.bound.bound(of, plan.rows, chance)
        for of in (told, plan.told)
        for chance in (None, delta)
    ]
    mean, high, *others = (float(f"{gain:.3g}") for gain in gains)
    if mean >= others[0] and high >= others[1]:
        return None
    numbers = {"eta": shown.step, "floor": question.floor, "every": every}
    board = identity("digest", numbers | {"updates": shown.updates})
    return Sharper(
        f"A smaller gain is proved, {printed(mean)} on average and {printed(high)} in 95 %, if you "
        "give in place of --updates, --step and --floor:",
        f"--board '{board}' --submissions {submissions}",
    )

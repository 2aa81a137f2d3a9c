"""Print how many rows to hold back, from a table, files or numbers."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace

from shakedown.questions.answer import ArgumentError
from shakedown.questions.design import design
from shakedown.questions.numbers import number, whole


def printed(given: Namespace) -> str:
    """The answer, as text or as JSON; writes the page if it is asked for.

    Raises
    ------
    InputError
        For a mistake of the user.
    """
    texts = SimpleNamespace(**vars(given))
    response = given.response
    found = design(
        given.data, given.files or None, metric=given.metric, metrics=_names(given.metrics),
        response=_names(response) if response and "," in response else response,
        rows=whole(texts, "rows"), teams=whole(texts, "teams"), best=number(texts, "best"),
        spread=number(texts, "spread"), correlation=number(texts, "correlation"),
        wanted=number(texts, "wanted", 0.8), tolerated=number(texts, "tolerated", -0.05),
        id=given.id, split=given.split, group=given.group, weight=given.weight, event=given.event,
        classes=_names(given.classes), ignore=_names(given.ignore), seed=_seed(texts),
    )  # fmt: skip
    if given.page is not None:
        found.report(given.page)
    return found.json() if given.json else str(found)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _seed(given: SimpleNamespace) -> int:
    seed = number(given, "seed", 1607)
    if seed < 0 or seed != int(seed):
        raise ArgumentError(f"--seed: wanted a whole number of at least 0, got {given.seed!r}.")
    return int(seed)

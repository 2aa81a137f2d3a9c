"""Print how many rows to hold back, from a table, files or numbers."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace

from shakedown.cli.options import names, names_or_one, numbers, seed_of
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
    found = design(
        given.data, given.files or None, dryrun=given.dryrun, metric=given.metric,
        metrics=names(given.metrics),
        response=names_or_one(given.response),
        rows=whole(texts, "rows"), teams=whole(texts, "teams"), best=number(texts, "best"),
        spread=number(texts, "spread"), correlation=number(texts, "correlation"),
        wanted=number(texts, "wanted", 0.8), tolerated=number(texts, "tolerated"),
        rounds=whole(texts, "rounds", 1),
        id=given.id, split=given.split, group=given.group, weight=given.weight, event=given.event,
        horizons=numbers(texts, "horizons"),
        classes=names(given.classes), ignore=names(given.ignore), seed=seed_of(texts),
        progress=True,
    )  # fmt: skip
    if given.page is not None:
        found.report(given.page)
    return found.json() if given.json else str(found)

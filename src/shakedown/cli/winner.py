"""Print who has won, from a truth and final files."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace

from shakedown.cli.options import names, names_or_one, numbers, seed_of
from shakedown.interface import InputError
from shakedown.questions.numbers import number, whole
from shakedown.questions.winner import winner
from shakedown.ranking.bayes_factor import COUNTS, TIED


def printed(given: Namespace) -> str:
    """The answer, as text or as JSON; writes the page if it is asked for.

    Raises
    ------
    InputError
        For a mistake of the user.
    """
    if not given.metric:
        raise InputError("winner: wanted --metric, such as --metric pearson.")
    texts = SimpleNamespace(**vars(given))
    found = winner(
        given.truth, given.files, metric=given.metric, second=given.second,
        tied=number(texts, "k", TIED), variant=given.variant or COUNTS,
        stratified=given.stratified, times=given.times, id=given.id or "id",
        response=names_or_one(given.response or "truth"), split=given.split, group=given.group,
        event=given.event, horizons=numbers(texts, "horizons"),
        classes=names(given.classes), draws=whole(texts, "draws", 10_000),
        level=number(texts, "level", 0.95), seed=seed_of(texts),
    )  # fmt: skip
    if given.page is not None:
        found.report(given.page)
    return found.json() if given.json else str(found)

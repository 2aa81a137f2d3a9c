"""Print who has won, from a truth and final files."""

from __future__ import annotations

from argparse import Namespace

from shakedown.interface import InputError
from shakedown.questions.winner import winner


def printed(given: Namespace) -> str:
    """The answer, as text or as JSON; writes the page if it is asked for.

    Raises
    ------
    InputError
        For a mistake of the user.
    """
    if not given.metric:
        raise InputError("winner: wanted --metric, such as --metric pearson.")
    response = given.response or "truth"
    found = winner(
        given.truth, given.files, metric=given.metric, second=given.second,
        tied=_number("k", given.k, 3.0), variant=given.variant or "counts",
        stratified=given.stratified, times=given.times, id=given.id or "id",
        response=response.split(",") if "," in response else response, split=given.split,
        group=given.group, event=given.event,
        classes=[name.strip() for name in (given.classes or "").split(",") if name],
        draws=int(_number("draws", given.draws, 10_000)), level=_number("level", given.level, 0.95),
        seed=int(_number("seed", given.seed, 1607)),
    )  # fmt: skip
    if given.page is not None:
        found.report(given.page)
    return found.json() if given.json else str(found)


def _number(name: str, text: str | None, default: float) -> float:
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--{name}: wanted a number, got {text!r}.") from None

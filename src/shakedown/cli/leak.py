"""Print what a leaderboard, or files that were sent, can reveal."""

from __future__ import annotations

from argparse import Namespace
from inspect import signature

from shakedown.questions.answer import Answer, ArgumentError

#: Options of files alone.
OF_FILES = ("listing", "id", "ignore", "noise_sd")


def printed(given: Namespace) -> str:
    """The answer, in sentences or as JSON; an InputError if an argument is wrong."""
    answer = _of_files(given) if given.meter is not None else _of_board(given)
    return answer.json() if given.json else str(answer)


def _of_board(given: Namespace) -> Answer:
    from shakedown.questions.leak import leak

    taken = signature(leak).parameters
    for name in OF_FILES:
        if getattr(given, name) is not None:
            raise ArgumentError(f"--{name.replace('_', '-')} belongs to --meter; leave it out.")
    return leak(**{name: getattr(given, name) for name in taken})


def _of_files(given: Namespace) -> Answer:
    from shakedown.questions.leak import leak
    from shakedown.questions.meter_files import meter_files

    taken = signature(meter_files).parameters
    for name, parameter in signature(leak).parameters.items():
        if name not in taken and getattr(given, name) not in (parameter.default, None):
            raise ArgumentError(
                f"--{name} describes a leaderboard, and --meter measures files; leave out one of "
                "them."
            )
    columns = [column for column in (given.ignore or "").split(",") if column]
    others = {name: getattr(given, name) for name in taken if name not in ("files", "ignore")}
    return meter_files(given.meter, ignore=columns, **others)

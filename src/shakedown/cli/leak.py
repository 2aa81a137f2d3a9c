"""Print what a leaderboard can reveal."""

from __future__ import annotations

from argparse import Namespace
from inspect import signature

from shakedown.questions.leak import leak


def printed(given: Namespace) -> str:
    """The answer, in sentences or as JSON; an InputError if an argument is wrong."""
    answer = leak(**{name: getattr(given, name) for name in signature(leak).parameters})
    return answer.json() if given.json else str(answer)

"""What a sentence calls a leaderboard: what it does comes before its parameters."""

from __future__ import annotations

from shakedown.leaderboard.mechanism import Mechanism
from shakedown.wording import listed


def name_of(board: Mechanism) -> str:
    """Its name and those of its defences without parameters: "Ladder with baseline start"."""
    around = listed([type(defence).label for defence in board.defences])
    return f"{type(board).label} with {around}" if around else type(board).label


def in_words(board: Mechanism) -> str:
    """A leaderboard for a sentence, without its parameters.

    Parameters
    ----------
    board : Mechanism

    Returns
    -------
    str
        Such as "a leaderboard that shows the exact score of every submission
        (Full-disclosure)"; for a mechanism without a `phrase`, "the leaderboard" and its name.
    """
    if not type(board).phrase:
        return f"the leaderboard {name_of(board)}"
    return f"a leaderboard that {type(board).phrase} ({name_of(board)})"


def exact(board: Mechanism) -> str:
    """Its title, which has all parameters; "" where the name alone tells it."""
    return board.title if board.title != type(board).label else ""

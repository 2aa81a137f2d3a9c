"""What the attacks on labels share: they guess, look at no feature, and are seen at some points."""

from __future__ import annotations

import numpy as np

from shakedown.interface import FinalModels, InputError


class Guesser:
    """An attack on labels 0 and 1.

    Attributes
    ----------
    opening : None
        Its submissions are its own affair: they hang on what is shown.
    size : 0
        It selects no feature.
    board : str
        Whether its submissions share a board.
    draws : True
        It is made with random numbers.
    """

    opening = None
    size = 0
    board = "carried_on"
    draws = True


def final_guesses(
    public: list[np.ndarray], final: np.ndarray, kept: list[int], submissions: list[int]
) -> FinalModels:
    """Models of an attack that changes public labels and leaves its guess of the final ones.

    Parameters
    ----------
    public : list of ndarray, shape (n_public,)
        The labels at each of q points.
    final : ndarray, shape (n_final,)
    kept, submissions : list of int
        For each point: submissions that the labels are made of, and submissions so far.
    """
    q = len(public)
    return FinalModels(
        np.array(public),
        np.repeat(final[None], q, axis=0),
        np.array(kept),
        np.arange(1, q + 1),
        np.array(submissions),
    )


def coins(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """m lists of n labels by the toss of a fair coin; uint8, shape (m, n)."""
    words = np.frombuffer(rng.bytes(m * (-(-n // 8))), np.uint8).reshape(m, -1)
    return np.unpackbits(words, axis=1, count=n)


def checked_points(attack: str, points, submissions: int) -> list[int]:
    """Numbers of submissions at which the attack has an outcome, in growing order.

    Without any: some fifty, half of them evenly spaced and half on a logarithmic scale.

    Raises
    ------
    InputError
        If there are fewer than 1 submission, or a point lies outside.
    """
    if submissions < 1:
        raise InputError(f"{attack}: `submissions` must be 1 or more, got {submissions}.")
    if not points:
        spaced = [space(1, submissions, 30) for space in (np.geomspace, np.linspace)]
        return np.unique(np.round(spaced).astype(int)).tolist()
    if min(points) < 1 or max(points) > submissions:
        raise InputError(
            f"{attack}: `points` must be numbers of submissions from 1 to {submissions}, got "
            f"{list(points)}."
        )
    return sorted({*points, submissions})

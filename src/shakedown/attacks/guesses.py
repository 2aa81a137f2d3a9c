"""Shared parts of the attacks on labels, which guess labels and use no features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from shakedown.attacks.attack import Attack
from shakedown.component import parameter
from shakedown.interface import FinalModels, InputError

#: Type of the parameter `points`.
Points = list[Annotated[int, Field(ge=1)]] | None


class Guesser(Attack):
    """An attack that guesses labels 0 and 1."""

    on_labels: ClassVar[bool] = True
    point_name: ClassVar[str] = "outcome"


def points_parameter() -> Any:
    """The parameter `points` of an attack on labels."""
    return parameter(
        None,
        min_length=1,
        description="Numbers of submissions after which there is an outcome; null for about fifty.",
    )


def final_guesses(
    public: list[np.ndarray], final: np.ndarray, kept: list[int], submissions: list[int]
) -> FinalModels:
    """Models of an attack that changes public labels and never its guesses of the final labels.

    Parameters
    ----------
    public : list of ndarray, shape (n_public,)
        The labels at each of q points.
    final : ndarray, shape (n_final,)
    kept, submissions : list of int
        For each point, the number of submissions that were kept and the number made so far.
    """
    q = len(public)
    return FinalModels(
        np.array(public),
        np.repeat(final[None], q, axis=0),
        np.array(kept),
        np.arange(1, q + 1),
        np.array(submissions),
    )


def fair_labels(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """m lists of n labels, each 0 or 1 with probability 1/2; uint8, shape (m, n)."""
    words = np.frombuffer(rng.bytes(m * (-(-n // 8))), np.uint8).reshape(m, -1)
    return np.unpackbits(words, axis=1, count=n)


def checked_points(points: Sequence[int] | None, submissions: int) -> list[int]:
    """Numbers of submissions at which an attack has an outcome, in increasing order.

    By default about fifty, half of them evenly spaced and half on a logarithmic scale.

    Raises
    ------
    InputError
        If a point is below 1 or above `submissions`.
    """
    if not points:
        spaced = [space(1, submissions, 30) for space in (np.geomspace, np.linspace)]
        return np.unique(np.round(spaced).astype(int)).tolist()
    if min(points) < 1 or max(points) > submissions:
        raise InputError(
            f"`points` must be numbers of submissions from 1 to {submissions}, got {list(points)}."
        )
    return sorted({*points, submissions})

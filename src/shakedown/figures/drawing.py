"""The kinds of figures, and how a figure's settings are told from its choice of rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import pandas as pd
from matplotlib.figure import Figure

from shakedown.figures.acceptance import acceptance, acceptance_caption
from shakedown.figures.bounds import bounds
from shakedown.figures.boxes import boxes
from shakedown.figures.delta import delta
from shakedown.figures.frontier_split import frontier_split, frontier_split_caption
from shakedown.figures.grid import grid
from shakedown.figures.growth import growth
from shakedown.figures.limits import limits
from shakedown.figures.protection import protection, protection_caption
from shakedown.figures.replay_error import replay_error, replay_error_caption
from shakedown.figures.replay_ranks import replay_ranks, replay_ranks_caption
from shakedown.figures.replay_rungs import replay_rungs, replay_rungs_caption
from shakedown.figures.replay_scores import replay_scores, replay_scores_caption
from shakedown.figures.replay_splits import replay_splits, replay_splits_caption
from shakedown.figures.safe_limits import safe_limits, safe_limits_caption
from shakedown.figures.selection import CRITERIA, choose
from shakedown.figures.spread import spread
from shakedown.figures.traces import traces
from shakedown.figures.trajectories import trajectories
from shakedown.interface import InputError

#: The kinds of figures: each takes a table and keyword settings of its own.
KINDS: dict[str, Callable[..., Figure]] = {
    "traces": traces,
    "boxes": boxes,
    "delta": delta,
    "grid": grid,
    "limits": limits,
    "spread": spread,
    "growth": growth,
    "trajectories": trajectories,
    "bounds": bounds,
}

#: The figures of a dry run, each with what writes its caption; both take the same tables and
#: keyword settings.  They show all rows that they are given, so nothing is chosen.
DRY_RUN_KINDS: dict[str, tuple[Callable[..., Figure], Callable[..., str]]] = {
    "safe_limits": (safe_limits, safe_limits_caption),
    "frontier_split": (frontier_split, frontier_split_caption),
    "protection": (protection, protection_caption),
    "acceptance": (acceptance, acceptance_caption),
}

#: The figures of a replay, in the same way.
REPLAY_KINDS: dict[str, tuple[Callable[..., Figure], Callable[..., str]]] = {
    "replay_ranks": (replay_ranks, replay_ranks_caption),
    "replay_scores": (replay_scores, replay_scores_caption),
    "replay_splits": (replay_splits, replay_splits_caption),
    "replay_rungs": (replay_rungs, replay_rungs_caption),
    "replay_error": (replay_error, replay_error_caption),
}


def draw(kind: str, frame: pd.DataFrame, **settings: object) -> Figure:
    """Draw a figure.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    frame : DataFrame
        Outcomes or, for "traces", traces; for "spread" its own table.
    **settings
        Settings of the kind, and the rows to choose: the name of a column with a value or a list
        of values, such as ``dataset="ad_like", mechanism=["ladder", "ladderboot"]``.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If the kind or a setting is unknown, or the chosen rows do not make such a figure.
    """
    rows, own = chosen(kind, frame, settings)
    return KINDS[kind](rows, **own)


def own_settings(kind: str) -> tuple[str, ...]:
    """Names of the settings that a kind has besides the choice of rows.

    Raises
    ------
    InputError
        If the kind is unknown.
    """
    if kind not in KINDS:
        raise InputError(f"figure kind must be one of {', '.join(sorted(KINDS))}, got {kind!r}.")
    return tuple(inspect.signature(KINDS[kind]).parameters)[1:]


def chosen(
    kind: str, frame: pd.DataFrame, settings: Mapping[str, object]
) -> tuple[pd.DataFrame, dict[str, object]]:
    """The rows that a figure shows, and the settings of its own.

    Raises
    ------
    InputError
        If the kind or a setting is unknown, or no row is left.
    """
    own = own_settings(kind)
    unknown = sorted(set(settings) - set(own) - set(CRITERIA))
    if unknown:
        raise InputError(
            f"figure kind {kind!r} has no setting {', '.join(map(repr, unknown))}; its own are "
            f"{', '.join(own) or 'none'}, and rows are chosen by {', '.join(CRITERIA)}."
        )
    criteria = {k: v for k, v in settings.items() if k in CRITERIA}
    rows = choose(frame, criteria, kind=kind)
    return rows, {k: v for k, v in settings.items() if k in own}

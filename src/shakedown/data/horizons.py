"""Censored times that are cut at horizons: a response for each, with weights of its cells.

Whether a row has an event up to a horizon is known if the event was seen by then, or if the row was
observed beyond it.  Other rows were censored before, and their cells are left out.  Those that are
known stand for them: a cell counts the inverse of Kaplan and Meier's probability G of not being
censored, 1 / G(t-) for an event at the time t and 1 / G(h) for a row observed beyond the horizon h.
Where G comes from the same rows, the weights of a horizon sum to the number of rows, so that the
weighted mean is that of Graf et al. [1].

An event comes before a censoring at the same time: G(t-) is that of all earlier censorings.

References
----------
.. [1] E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher, "Assessment and comparison of prognostic
       classification schemes for survival data", Statistics in Medicine, 1999.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from shakedown.data.censored import shuffled_times
from shakedown.data.draft import Draft
from shakedown.data.several import row_means, shuffled, unfolded
from shakedown.interface import Cells, Challenge
from shakedown.tables.policy import Source
from shakedown.wording import counted, some


class Cut(NamedTuple):
    """Times that are cut at horizons.

    Attributes
    ----------
    labels : ndarray, shape (q, n)
        1 if the event was seen up to the horizon, 0 if the row was observed beyond it, else NaN.
    weights : ndarray, shape (q, n)
        Of the cells; 0 where the label is not known.
    """

    labels: np.ndarray
    weights: np.ndarray


def check_horizons(
    horizons: Sequence[float] | None, event: str | None, weight: str | None = None
) -> None:
    """Check that horizons are finite times above 0 that rise, and stand beside a column of events.

    Raises
    ------
    ValueError
        If they do not, there is none, or rows have weights of their own.
    """
    if horizons is None:
        return
    if event is None:
        raise ValueError("horizons are set without an event; name the column of events.")
    if weight is not None:
        raise ValueError(
            "horizons and weight are both set; at horizons rows have weights by their censoring."
        )
    given = list(horizons)
    rises = all(a < b for a, b in zip(given, given[1:], strict=False))
    if not given or not rises or not all(isfinite(h) and h > 0.0 for h in given):
        raise ValueError(
            "horizons: wanted rising times above 0, such as [12, 24, 36]; got "
            f"[{', '.join(names_of(given))}]."
        )


def names_of(horizons: Sequence[float]) -> tuple[str, ...]:
    """The names of the responses at horizons, and of their columns in files, such as "12"."""
    return tuple(str(int(h)) if float(h).is_integer() else repr(float(h)) for h in horizons)


def shares(horizons: Sequence[float]) -> np.ndarray:
    """What each horizon counts in the mean over time by the trapezoidal rule, shape (q,); sum 1."""
    times = np.asarray(horizons, float)
    if len(times) == 1:
        return np.ones(1)
    steps = np.diff(times) / (2.0 * (times[-1] - times[0]))
    return np.append(steps, 0.0) + np.append(0.0, steps)


def cut(y: np.ndarray, horizons: Sequence[float]) -> Cut:
    """Censored times, cut at horizons.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Signed times: t for an event, and -t for a row that was censored then.
    horizons : sequence of float, shape (q,)
    """
    times, at = np.unique(np.abs(y), return_inverse=True)
    all_rows, censored = np.bincount(at), np.bincount(at, y < 0.0, len(times))
    # Rows with an event at a time are not at risk of being censored then.
    at_risk = len(y) - np.cumsum(all_rows) + censored
    after = np.append(1.0, np.cumprod(1.0 - censored / np.maximum(at_risk, 1.0)))
    labels, weights = np.full((2, len(horizons), len(y)), np.nan)
    weights[:] = 0.0
    for k, (horizon, share) in enumerate(zip(horizons, shares(horizons), strict=True)):
        seen, beyond = (y > 0.0) & (y <= horizon), np.abs(y) > horizon
        labels[k, seen], labels[k, beyond] = 1.0, 0.0
        weights[k, seen] = share / after[at[seen]]
        if beyond.any():  # then the probability is above 0
            weights[k, beyond] = share / after[np.searchsorted(times, horizon, side="right")]
    return Cut(labels, weights)


def check_labels(
    labels: np.ndarray, horizons: Sequence[float], source: Source, kind: str = ""
) -> None:
    """Check that both outcomes are known at each horizon; labels have shape (q, n).

    Parameters
    ----------
    kind : str
        Of the rows, for the message, such as "public ".

    Raises
    ------
    InputError
        If one is missing.
    """
    for name, own in zip(names_of(horizons), labels, strict=True):
        events, others = int(np.sum(own == 1.0)), int(np.sum(own == 0.0))
        if not events or not others:
            raise source.error(
                f"horizon {name}: wanted {kind}rows with an event up to it and {kind}rows that "
                f"were observed beyond it; got {events:,} and {others:,}. Choose horizons between "
                "the first event and the last time."
            )


def cut_draft(draft: Draft, horizons: Sequence[float] | None) -> None:
    """Cut a draft's signed times at horizons, if there are any; note what is left out.

    Raises
    ------
    InputError
        If a horizon has no event, or nobody is observed beyond it.
    """
    if horizons is None:
        return
    made = cut(draft.y, horizons)
    check_labels(made.labels, horizons, draft.source)
    draft.events, draft.names = None, names_of(horizons)
    draft.responses, draft.weights = made.labels, made.weights.T
    draft.y = row_means(made.labels)
    known = ~np.isnan(made.labels)
    draft.notes.append(
        f"Cut at the {'horizon' if len(horizons) == 1 else 'horizons'} {some(draft.names)}: "
        + ", ".join(
            f"{counted(int(np.sum(own == 1.0)), 'row')} with an event up to {name}"
            for name, own in zip(draft.names, made.labels, strict=True)
        )
        + f"; {counted(int((~known).sum()), 'cell')} of rows that were censored before left out."
    )
    if not (keep := known.any(axis=0)).all():
        draft.keep_rows(keep)
        draft.notes.append(
            f"{counted(int((~keep).sum()), 'row')} censored up to the first horizon left out."
        )


def unfolded_labels(draft: Draft, row_name: str) -> dict:
    """What a challenge has for each cell, as `several.unfolded`, with centred labels."""
    parts = unfolded(draft, row_name)
    labels = draft.responses.T[~np.isnan(draft.responses.T)]
    return parts | {"y": centred(labels, parts["cells"].responses, parts["weights"])}


def centred(y: np.ndarray, responses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Labels of cells, shape (n,), less the weighted mean of their response.

    The means are Kaplan and Meier's probabilities of an event up to each horizon.
    """
    means = np.bincount(responses, weights * y) / np.bincount(responses, weights)
    return y - means[responses]


def variance(y: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of the squares of centred labels: the score of the file of their means."""
    return float((weights * y * y).sum() / weights.sum())


def scaled(y: np.ndarray, responses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Labels of cells, shape (n,), centred, and all divided by one number: their `variance` is 1.

    One number, because a score adds squared errors of all horizons.
    """
    y = centred(y, responses, weights)
    return y / np.sqrt(variance(y, weights))


def responses_of(
    challenge: Challenge,
    rows: np.ndarray,
    codes: np.ndarray,
    cells: Cells,
    rng: np.random.Generator | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The scaled labels of a set and the weights of its cells, shape (n_set,).

    Parameters
    ----------
    challenge : Challenge
        Cut at horizons.
    rows : ndarray of int, shape (n_set,)
        The set.
    codes : ndarray of int, shape (n_set,)
        Its groups.
    cells : Cells
        Of the set.
    rng : numpy.random.Generator or None
        Shuffles the labels, each with its weight; None: they keep their rows.
    """
    y, weights = challenge.y[rows], challenge.weights[rows]
    if rng is not None:
        places = np.arange(len(rows), dtype=float)
        moved = shuffled(places, cells, codes, rng, shuffled_times).astype(int)
        y, weights = y[moved], weights[moved]
    return scaled(y, cells.responses, weights), weights

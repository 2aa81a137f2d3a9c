"""Censored times: checks, splits, and the numbers to which participants fit models.

A censored response is one array: t for an event at the time t, and -t for a row that was censored
then.  Its sign is the event, so it is never standardised.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shakedown.data.draft import Draft
from shakedown.data.grouped import in_groups
from shakedown.data.scaling import standardised
from shakedown.interface import Challenge, InputError
from shakedown.metrics import METRICS, Metric
from shakedown.metrics.classes import TIMES
from shakedown.tables.policy import Source
from shakedown.wording import counted, some


def check_events(draft: Draft, event: str | None, response: str, policy: str) -> None:
    """Check the times and events of a table, if it has a column of events.

    A row whose event is missing has no response.

    Raises
    ------
    InputError
        If there are several responses, a time is not above 0, an event is neither 0 nor 1, or an
        event is missing and the policy for missing values is not "drop_rows".
    """
    if draft.events is None:
        return
    if draft.responses is not None:
        raise draft.source.error(
            f"column '{event}' is set as 'event', and there are {len(draft.names)} responses: "
            f"{some(draft.names)}. Name the column of times alone as 'response', or no column as "
            "'event'."
        )
    absent = np.isnan(draft.events) & ~np.isnan(draft.y)
    if absent.any() and policy != "drop_rows":
        raise draft.source.error(
            f"column '{event}' is set as 'event', and has no value in "
            f"{counted(int(absent.sum()), 'row')}: {some(draft.rows[absent])}; it is never "
            "imputed. Remove these rows, or set 'missing' to drop_rows."
        )
    check_times(draft.y, draft.events, draft.rows, (response, event or ""), draft.source)
    draft.y = np.where(absent, np.nan, draft.y)


def check_times(
    times: np.ndarray,
    events: np.ndarray,
    rows: Sequence[str] | np.ndarray,
    columns: tuple[str, str],
    source: Source,
) -> None:
    """Check the times and events of a table that are not missing (NaN).

    Parameters
    ----------
    times, events : ndarray, shape (n,)
    rows : sequence of str, length n
        Ids, for errors.
    columns : tuple of str
        The columns of times and of events.
    source : Source
        The table.

    Raises
    ------
    InputError
        If a time is not above 0, or an event is neither 0 nor 1.
    """
    response, event = columns
    for wrong, values, what, wanted in (
        (
            ~np.isin(events, (0.0, 1.0)) & ~np.isnan(events),
            events,
            f"column '{event}' is set as 'event'",
            "wanted 1 (or true) where the event was seen, and 0 (or false) where the row was "
            "censored. Recode it, such as 1 for a death and 0 for alive.",
        ),
        (
            times <= 0.0,  # false where missing
            times,
            f"column '{response}' has the times of 'event'",
            "wanted times above 0. Correct these cells, remove the rows, or add half a unit to all "
            "times.",
        ),
    ):
        if len(at := np.flatnonzero(wrong)):
            raise source.error(
                f"{what}, and {counted(len(at), 'row')} cannot be used, first row "
                f"'{rows[at[0]]}' with {values[at[0]]:g}; {wanted}"
            )


def signed(times: np.ndarray, events: np.ndarray) -> np.ndarray:
    """Times as one response: t for an event, -t for a censored row, NaN if either is missing."""
    return np.where(np.isnan(events), np.nan, np.where(events == 1.0, times, -times))


def sign(draft: Draft, event: str | None) -> None:
    """Give a draft's times the signs of their events, and note how many there are.

    Raises
    ------
    InputError
        If all rows are censored.
    """
    if draft.events is None:
        return
    seen = draft.events == 1.0
    if not seen.any():
        raise draft.source.error(
            f"column '{event}' is set as 'event', and is 0 in every row: all times are censored, "
            "so there is nothing to predict. Wanted 1 where the event was seen: is the column "
            "coded the other way round?"
        )
    draft.y = signed(draft.y, draft.events)
    draft.notes.append(
        f"By '{event}', {counted(int(seen.sum()), 'row')} of {len(seen):,} "
        f"{'has' if seen.sum() == 1 else 'have'} an event; the others are censored."
    )


def check_metric(metric: Metric, challenge: Challenge) -> None:
    """`check_kind` of a challenge's response."""
    what = f"data set '{challenge.name}'"
    check_kind(metric, challenge.censored, what, at_horizons=bool(challenge.horizons))


def check_kind(metric: Metric, censored: bool, what: str, *, at_horizons: bool = False) -> None:
    """Check that a metric scores times if a response is censored, and only then.

    Parameters
    ----------
    metric : Metric
    censored : bool
    what : str
        What has the response, such as "data set 'mine'".
    at_horizons : bool
        Whether the times are cut at horizons (`data.horizons`); they are not censored then.

    Raises
    ------
    InputError
        If it does not fit.
    """
    if at_horizons and not metric.is_weighted:
        raise InputError(
            f"metric '{metric.name}': {what} cuts censored times at 'horizons', where cells count "
            "by weights that this metric does not use. Use integrated_brier, or a weighted score "
            "of two classes such as 'weighted auroc by response'; or leave out 'horizons'."
        )
    if metric.needs_horizons and not at_horizons:
        raise InputError(
            f"metric '{metric.name}' scores censored times at time points, and {what} has none. "
            "Name the column of events as 'event' and the time points as 'horizons' (in commands "
            "--event died --horizons 12,24,36)."
        )
    if censored and metric.response != TIMES:
        known = sorted(name for name, kind in METRICS.classes.items() if kind.response == TIMES)
        raise InputError(
            f"metric '{metric.name}' does not score censored times, and {what} names a column of "
            f"events. Use one of {', '.join(known)}, or name no column as 'event'."
        )
    if metric.response == TIMES and not censored:
        raise InputError(
            f"metric '{metric.name}' scores censored times, and {what} has no column of events. "
            "Name it as 'event' (in commands --event), with 1 where the event was seen and 0 where "
            "the row was censored; if none was, add a column of 1."
        )


def check_pairs(y: np.ndarray, what: str) -> None:
    """Check that a set of censored times, shape (n,), has a pair of rows whose order is known.

    Raises
    ------
    InputError
        If it has none.
    """
    events = y[y > 0.0]
    if len(events) and (events.min() < np.abs(y).max() or -events.min() in y):
        return
    raise InputError(
        f"{what}: wanted an event before the end of another row, "
        f"got {counted(len(events), 'event')} in {counted(len(y), 'row')}, so no file has a score. "
        "Give more rows with events, or another split."
    )


def risk_score(y: np.ndarray) -> np.ndarray:
    """The risk of each row as its time tells it: larger where the event came early.

    It is the martingale residual of the model without features, 1 for an event and 0 for a censored
    row less the cumulative hazard up to its time (Nelson and Aalen's estimate from these rows).
    It orders every pair of known order right.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Signed times.

    Returns
    -------
    ndarray, shape (n,)
        Standardised.

    References
    ----------
    .. [1] T. M. Therneau, P. M. Grambsch and T. R. Fleming, "Martingale-based residuals for
           survival models", Biometrika, 1990.
    """
    times, at = np.unique(np.abs(y), return_inverse=True)
    at_risk = len(y) - np.cumsum(np.bincount(at)) + np.bincount(at)
    hazard = np.cumsum(np.bincount(at, y > 0.0, len(times)) / at_risk)
    return standardised(((y > 0.0) - hazard[at])[None])[0]


def numbers_of(metric: Metric, y: np.ndarray) -> np.ndarray:
    """What models predict under a metric: the response, or the risk scores of censored times."""
    return risk_score(y) if metric.response == TIMES else y


def shuffled_times(y: np.ndarray, codes: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Times of a set in random order, each with its event, or classes; groups mostly stay together.

    The times of groups in one random order go to the rows of groups in another random order.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Signed times, or classes.
    codes : ndarray of int, shape (n,), or None
        Groups, from 0 without gaps; None if all rows are independent.
    rng : numpy.random.Generator
    """
    if codes is None:
        return rng.permutation(y)
    moved = np.empty(len(y))
    moved[in_groups(codes, rng)[0]] = y[in_groups(codes, rng)[0]]
    return moved

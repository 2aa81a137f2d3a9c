"""What is proved of the leaderboards of a dry run, and the leaderboards that keep what is wanted.

The response is standardised, and the attacker has any honest model or none (for the RMSE: none).
Its noise, before it is standardised, is taken to be Gaussian and independent, of equal variance or
of at most `row_variance` times the average in any row: with other noise, such as outliers, an
attacker can gain more than is proved here.  Labels need independence alone, with and without a
model: a loss is a mean of numbers in [0, 1], and the noise of the Brier score lies between two.

A dry run calls a number of submissions safe if at most a share q of the attackers overfit more than
is tolerated.  The same is proved if the gain is within it with a probability of 1 - q, whatever is
submitted.  A board is *proved* if this and the mean gain are bounded by what is tolerated
(`shakedown.theory.standardised`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.responses import OF_LABELS
from shakedown.metrics import Metric
from shakedown.theory.budget import grid_steps
from shakedown.theory.checks import checked
from shakedown.theory.keeping import keeps_both, keeps_one
from shakedown.theory.metric_bounds import best_of, bound_of, gain_bound, metric_of, start_of
from shakedown.theory.searches import largest, largest_up_to, smallest
from shakedown.theory.transcripts import Charged, ChargedRows, Transcripts, board_transcripts

#: If fewer rows than this have all the noise, their mean and length alone tell much of it.
FEWEST_NOISY = 3.0
#: Digests that are offered, and their largest number of updates: about one a day for a quarter.
DIGESTS, MOST_UPDATES = 3, 100
#: The coarsest step that is offered, and all steps of a Ladder: of two significant digits.
COARSEST = 0.25
_TWO_DIGITS = [
    eta
    for power in range(-6, -1)
    for digits in range(10, 100)
    if (eta := float(f"{digits}e{power}")) <= COARSEST
]


class ProvedLimits(NamedTuple):
    """Submissions of each account for which a tolerated Δ is proved; None if nothing is.

    `mean`: on average.  `quantile`: for all but a share of the attackers.
    """

    mean: int | None
    quantile: int | None

    @property
    def both(self) -> int | None:
        """The smaller one: what is called proved."""
        return None if None in self else min(self)


def proved_limits(
    setting: Mechanism | str,
    metric: Metric | str,
    n_public: int,
    threshold: float,
    most: int,
    accounts: int = 1,
    *,
    quantile: float,
    start: float | None = None,
    row_variance: float = 1.0,
) -> ProvedLimits:
    """The most submissions for which a tolerated Δ is proved: on average, and at a quantile.

    Parameters
    ----------
    setting : Mechanism or str
        A board with its defences, in units of standardised data.
    metric : Metric or str
    n_public : int
        Rows of the public set.
    threshold : float
        Tolerated Δ, below 0, on standardised data.
    most : int
        The largest number that is of interest.
    accounts : int
        Accounts that work together, each with a board of its own.
    quantile : float
        The share of attackers that may overfit more.
    start : float, optional
        The score of a baseline start if it is known; by default `start_of` the metric.
    row_variance : float
        As in `gain_bound`; at least 1.

    Raises
    ------
    InputError
        If the setting is unknown, or a number is out of its range.
    """
    checked("chance", quantile=quantile)
    given = setting, metric, n_public, threshold, most, accounts
    mean = proved_submissions(*given, start=start, row_variance=row_variance)
    if not mean:
        return ProvedLimits(mean, mean)
    told = proved_transcripts(setting, n_public, most, accounts, start=start, metric=metric)
    bound = bound_of(told, metric, row_variance)
    if not bound.is_of_quantiles:
        return ProvedLimits(mean, None)

    def keeps(submissions: int) -> bool:
        told = proved_transcripts(
            setting, n_public, submissions, accounts, start=start, metric=metric
        )
        return keeps_one(bound, told, n_public, -threshold, quantile)

    return ProvedLimits(mean, most if keeps(most) else largest(keeps))


def proved_submissions(
    setting: Mechanism | str,
    metric: Metric | str,
    n_public: int,
    threshold: float,
    most: int,
    accounts: int = 1,
    *,
    quantile: float | None = None,
    start: float | None = None,
    row_variance: float = 1.0,
) -> int | None:
    """The most submissions for which a tolerated Δ is proved.

    Parameters and errors are those of `proved_limits`; without a quantile, it is proved on average
    alone.

    Returns
    -------
    int or None
        Submissions of each account; 0 if not even one is proved, None if nothing is proved for the
        board or the metric.

    Notes
    -----
    Nothing is proved of boards without a start that is known beforehand, of scores that can rise,
    and of scores that cannot be counted; see `shakedown.theory.leakage`.  Of the RMSE nothing is
    proved with fewer than 10 rows, and a Δ beyond -.4 counts as -.4: standardised responses break
    larger bounds.
    """
    checked("count", n_public=n_public, most=most, accounts=accounts)
    checked("constant", tolerated=-threshold, row_variance=row_variance)
    if quantile is not None:
        return proved_limits(
            *(setting, metric, n_public, threshold, most, accounts),
            quantile=quantile, start=start, row_variance=row_variance,
        ).both  # fmt: skip
    if row_variance > max(n_public / FEWEST_NOISY, 1.0):
        return None
    told = proved_transcripts(setting, n_public, most, accounts, start=start, metric=metric)
    bound = bound_of(told, metric, row_variance)
    if bound is None or told is None:
        return None

    def keeps(submissions: int) -> bool:
        told = proved_transcripts(
            setting, n_public, submissions, accounts, start=start, metric=metric
        )
        return keeps_one(bound, told, n_public, -threshold)

    return most if keeps(most) else largest(keeps)


def proved_nats(
    setting: Mechanism | str,
    n_public: int,
    submissions: int,
    accounts: int = 1,
    *,
    start: float | None = None,
    metric: Metric | str = "mse",
) -> float | None:
    """What a board can reveal at most of a standardised response, in nats.

    Parameters, errors and None are those of `proved_transcripts`.
    """
    told = proved_transcripts(setting, n_public, submissions, accounts, start=start, metric=metric)
    return told.nats if isinstance(told, Transcripts) else None


def proved_transcripts(
    setting: Mechanism | str,
    n_public: int,
    submissions: int,
    accounts: int = 1,
    *,
    start: float | None = None,
    metric: Metric | str = "mse",
) -> Transcripts | Charged | ChargedRows | None:
    """What a board can show at most of a standardised response.

    Parameters and errors are those of `proved_submissions`; `submissions` is of each account, and
    `start` the risk that a baseline start shows, by default `start_of` the metric.

    Returns
    -------
    Transcripts, Charged, ChargedRows or None
        What a metered board charges; None if nothing is proved for the board.
    """
    board = of_setting(setting) if isinstance(setting, str) else setting
    metric = metric_of(metric)
    start = start_of(metric) if start is None else start
    shown = board.disclosure(n_public, metric.sign)
    if shown.degrees is not None:
        boards = 1 if shown.shared else accounts
        if metric.name in OF_LABELS:
            return None if shown.gain is None else ChargedRows(shown.gain, boards)
        return Charged(shown.degrees * boards)  # meters add up
    if shown.step is None or not (shown.falls and shown.starts):
        return None
    if shown.floor is not None and shown.floor >= start:
        return Transcripts(0.0)  # it never shows anything but the start
    return board_transcripts(
        shown, submissions=submissions, start=start, floor_=best_of(metric), accounts=accounts
    )


def rows_needed(
    setting: Mechanism | str,
    metric: Metric | str,
    threshold: float,
    submissions: int,
    accounts: int = 1,
    *,
    quantile: float | None = None,
    row_variance: float = 1.0,
) -> int | None:
    """The fewest public rows for which a tolerated Δ is proved after so many submissions.

    Parameters and errors are those of `proved_submissions`.

    Returns
    -------
    int or None
        None if nothing is proved for the board or the metric, or no number of rows is enough.
    """
    checked("count", submissions=submissions, accounts=accounts)
    checked("constant", tolerated=-threshold)
    told = proved_transcripts(setting, 2, submissions, accounts, metric=metric)
    bound = bound_of(told, metric, row_variance)
    if bound is None or told is None:
        return None

    def keeps(rows: int) -> bool:
        told = proved_transcripts(setting, rows, submissions, accounts, metric=metric)
        return keeps_both(bound, told, rows, -threshold, quantile)

    return smallest(keeps)


def digests_within(
    n_public: int,
    threshold: float,
    submissions: int,
    *,
    metric: Metric | str = "mse",
    floor: float | None = None,
    accounts: int = 1,
    quantile: float | None = None,
    start: float | None = None,
    row_variance: float = 1.0,
) -> list[dict[str, float]]:
    """Digests that are proved within a tolerated Δ, the most useful first.

    Parameters
    ----------
    n_public, threshold, metric, accounts, quantile
        As in `proved_submissions`.
    submissions : int
        Submissions of each account in the whole challenge.
    floor : float, optional
        The best score that the digest shows, on standardised data, better than the start: about as
        good as the best team will get.  By default that of a model that explains half of the
        variance, .5 for the MSE and .7 for the RMSE and the correlation, and half of the start for
        the 0/1 loss.
    start, row_variance : float, optional
        As in `proved_submissions`.

    Returns
    -------
    list of dict
        At most three, each with updates, eta, floor and every (parameters of the mechanism
        `digest`); empty if none is proved.

    Raises
    ------
    InputError
        If a number is out of its range.

    Notes
    -----
    Steps are 1, 2, 2.5 or 5 times a power of 10, and at most half of what there is to gain; each
    has as many updates as are proved, up to 100 and to the number of submissions.  The most useful
    digest has the smallest lag for a team that improves at a constant rate from the start to the
    floor: half a step, and half of what it gains between two updates.  No other is offered whose
    step differs by less than a factor of 2.
    """
    checked("count", n_public=n_public, submissions=submissions, accounts=accounts)
    checked("constant", tolerated=-threshold)
    bound, start = gain_bound(metric, row_variance), start_of(metric) if start is None else start
    metric = metric_of(metric)
    if floor is None:
        floor = 0.7 if metric.root or metric.larger_is_better else 0.5 * start
    best = metric.sign * floor
    if bound is None or best >= start:
        return []
    most = min(MOST_UPDATES, submissions)

    def keeps(updates: int, step: float) -> bool:
        shown = Disclosure(
            step, falls=True, starts=True, updates=updates, every=submissions // updates,
            floor=best, slack=0.0,
        )  # fmt: skip
        told = board_transcripts(
            shown, submissions=submissions, start=start, floor_=best, accounts=accounts
        )
        return keeps_both(bound, told, n_public, -threshold, quantile)

    lags = []
    for step in grid_steps((start - best) / 2.0):
        updates = largest_up_to(lambda number, step=step: keeps(number, step), most)
        if updates:
            lag = (step + (start - best) / updates) / 2.0
            entry = {"updates": updates, "eta": step, "floor": floor}
            lags.append((lag, entry | {"every": submissions // updates}))
    chosen: list[dict[str, float]] = []
    for _, entry in sorted(lags, key=lambda pair: pair[0]):
        if all(abs(math.log2(entry["eta"] / other["eta"])) > 0.999 for other in chosen):
            chosen.append(entry)
    return chosen[:DIGESTS]


def ladder_step_within(
    n_public: int,
    threshold: float,
    submissions: int,
    *,
    metric: Metric | str = "mse",
    accounts: int = 1,
    quantile: float | None = None,
    start: float | None = None,
    row_variance: float = 1.0,
) -> float | None:
    """The smallest η for which a General Ladder with a baseline start is proved.

    Parameters, errors and units are those of `digests_within`.

    Returns
    -------
    float or None
        Two significant digits; None if no η up to .25 is proved.
    """
    checked("count", n_public=n_public, submissions=submissions, accounts=accounts)
    checked("constant", tolerated=-threshold)
    bound, start = gain_bound(metric, row_variance), start_of(metric) if start is None else start
    if bound is None:
        return None

    def keeps(eta: float) -> bool:
        shown = Disclosure(eta, falls=True, starts=True, slack=eta / 2.0)
        told = board_transcripts(
            shown, submissions=submissions, start=start, floor_=best_of(metric), accounts=accounts
        )
        return keeps_both(bound, told, n_public, -threshold, quantile)

    steps = [eta for eta in _TWO_DIGITS if eta < start - best_of(metric)]
    coarser = largest_up_to(lambda number: keeps(steps[-number]), len(steps))
    return steps[-coarser] if coarser else None

"""The smallest gap between two submissions that a holdout can tell from nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.replay.grouping import BOARD, each_board, need, tidy
from shakedown.replay.log import Log
from shakedown.replay.ranks import rows_in
from shakedown.replay.resampling import resampled_scores

RESOLUTION = [
    *BOARD, "rows_of", "rows", "pairs", "same", "sd_difference", "floor", "leader", "compared",
    "closer", "smallest_gap", "largest_gap", "level", "power",
]  # fmt: skip

_PLACES = ("place", "private_place")


def resolution(
    log: Log,
    metric: Metric,
    standings: pd.DataFrame,
    *,
    luck: Callable[..., np.random.Generator],
    top: int = 10,
    level: float = 0.05,
    power: float = 0.8,
    draws: int = 1000,
) -> pd.DataFrame:
    """The resolution floor of the public and of the private rows, and who is closer than that.

    Parameters
    ----------
    log : Log
    metric : Metric
    standings : DataFrame
        The final standings of a replay of this log.
    luck : callable
        Random numbers by the name of their purpose, as ``partial(seeding.stream, seed)``.
    top : int
        How many teams, at least 2: their submissions in force, by public place for the public rows
        and by private place for the private ones.
    level : float
        Of the one-sided paired test, in (0, 0.5).
    power : float
        The chance with which the gap is to be found, in [0.5, 1).
    draws : int
        Bootstrap samples of the private rows, for a metric without losses; at least 2.

    Returns
    -------
    DataFrame
        Two rows per board, for `rows_of` "public" and "private" rows: `rows`, how many; `pairs` of
        neighbours among the top that differ at all, and `same`, those that do not;
        `sd_difference`, the median over the pairs of the standard deviation of the difference per
        row, in the metric's unit; `floor`, the smallest true gap that so many rows find with that
        power, in the metric's unit (null without pairs); `leader`, the team with the best score on
        these rows; `compared`, the other teams of the top; `closer`, how many of these are closer
        to the leader than the floor (null without one); `smallest_gap` and `largest_gap` to the
        leader; `level`, `power`.

    Raises
    ------
    InputError
        If a column or all rows are missing, a submission is not in the log, a number is out of
        range, or there are fewer than 2 private or public rows.

    Notes
    -----
    For two submissions whose losses differ with standard deviation s per row, a one-sided paired
    t-test on n rows finds a gap of delta(n) s / sqrt(n) with the wanted power, where delta is the
    noncentrality of the t distribution with n - 1 degrees of freedom that has it; about
    (1.64 + 0.84) s / sqrt(n).  The standard deviations come from the private rows, which no
    board has shown: ASSUME the public ones are of the same kind.  For the root of a mean loss each
    pair's s is divided by the sum of both roots; for any other metric s is the bootstrap's standard
    error of the difference times the root of the number of private rows.
    """
    need(standings, (*BOARD, "team", "in_force", *_PLACES), "standings")
    sizes = {"public": int(log.public.sum()), "private": int((~log.public).sum())}
    _check(sizes, top, level, power, draws, log.name)
    private = ~log.public
    # By public place on the public rows, by private place on the private ones.
    heads = [
        (board, name, part.sort_values(list(places), kind="stable").head(top))
        for board, part in each_board(standings)
        if len(part) > 1
        for name, places in (("public", _PLACES), ("private", _PLACES[::-1]))
    ]
    used = sorted({str(s) for _, _, best in heads for s in best["in_force"]})
    predictions = log.predictions[rows_in(log, used)]
    rng = luck("replay", "resolution")
    spread_of = Spreads(metric, log.truth[private], predictions[:, private], draws=draws, rng=rng)
    at = {s: k for k, s in enumerate(used)}
    risks_on = {
        name: metric.sign * metric.score(log.truth[keep], predictions[:, keep])
        for name, keep in (("public", log.public), ("private", private))
    }
    rows = []
    for board, name, best in heads:
        order = [at[str(s)] for s in best["in_force"]]
        spread = spread_of(order)
        differ = spread[spread > 0.0]
        sd = float(np.median(differ)) if len(differ) else np.nan
        risks, n = risks_on[name][order], sizes[name]
        gaps = np.delete(risks - np.nanmin(risks), np.nanargmin(risks))
        floor = noncentrality(n, level, power) * sd / np.sqrt(n)
        rows.append(
            board
            | {
                "rows_of": name,
                "rows": n,
                "pairs": len(differ),
                "same": len(spread) - len(differ),
                "sd_difference": sd,
                "floor": floor,
                "leader": best["team"].iloc[int(np.nanargmin(risks))],
                "compared": len(gaps),
                "closer": pd.NA if np.isnan(floor) else int((gaps < floor).sum()),
                "smallest_gap": np.nanmin(gaps),
                "largest_gap": np.nanmax(gaps),
                "level": level,
                "power": power,
            }
        )
    whole = dict.fromkeys(("rows", "pairs", "same", "compared", "closer"), "Int64")
    return tidy(rows, RESOLUTION).astype(whole)


class Spreads:
    """How far the differences of neighbours spread from row to row.

    Parameters
    ----------
    metric : Metric
    truth : ndarray, shape (n,)
    predictions : ndarray, shape (m, n)
    draws : int
        Bootstrap samples, for a metric without losses.
    rng : numpy.random.Generator
        For these.
    """

    def __init__(
        self,
        metric: Metric,
        truth: np.ndarray,
        predictions: np.ndarray,
        *,
        draws: int,
        rng: np.random.Generator,
    ) -> None:
        self._metric, self._n = metric, len(truth)
        if metric.has_losses:
            self._rows, self._risks = metric.judge(
                metric.prepare(truth), np.ascontiguousarray(predictions)
            )
        else:
            self._rows = resampled_scores(metric, truth, predictions, draws=draws, rng=rng).T

    def __call__(self, order: list[int]) -> np.ndarray:
        """Standard deviation per row of the difference of each of k submissions to the next.

        Shape (k - 1,), in the metric's unit.
        """
        spread = np.diff(self._rows[order], axis=0).std(axis=1, ddof=1)
        if not self._metric.has_losses:
            return spread * np.sqrt(self._n)
        if self._metric.root:
            both = self._risks[order][1:] + self._risks[order][:-1]
            spread = np.divide(spread, both, out=np.zeros_like(spread), where=both > 0.0)
        return spread


def noncentrality(n: int, level: float, power: float) -> float:
    """Noncentrality at which a one-sided t-test on n rows at that level has that power."""
    from scipy import optimize, stats  # slow to import

    beyond = stats.t.ppf(1 - level, n - 1)
    end = 2 * (beyond + stats.norm.ppf(power)) + 10
    return float(optimize.brentq(lambda d: stats.nct.sf(beyond, n - 1, d) - power, 0.0, end))


def _check(
    sizes: dict[str, int], top: int, level: float, power: float, draws: int, name: str
) -> None:
    if top < 2:
        raise InputError(f"`top` must be 2 or more, got {top}.")
    if not 0.0 < level < 0.5:
        raise InputError(f"`level` must lie in (0, 0.5), got {level}.")
    if not 0.5 <= power < 1.0:
        raise InputError(f"`power` must lie in [0.5, 1), got {power}.")
    if draws < 2:
        raise InputError(f"`draws` must be 2 or more, got {draws}.")
    for which, n in sizes.items():
        if n < 2:
            raise InputError(
                f"log '{name}': wanted at least 2 {which} rows, to measure how far differences "
                f"spread; got {n}. Divide the rows otherwise."
            )

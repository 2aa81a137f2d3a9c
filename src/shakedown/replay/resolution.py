"""The smallest difference between two submissions that the public or private rows can detect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from shakedown.interface import InputError
from shakedown.metrics import Metric
from shakedown.replay.grouping import BOARD, at_least, between, each_board, need, tidy
from shakedown.replay.log import Log, rows_in
from shakedown.replay.private_rows import rows_and_risks

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
    rng_factory: Callable[..., np.random.Generator],
    top: int = 10,
    level: float = 0.05,
    power: float = 0.8,
    draws: int = 1000,
) -> pd.DataFrame:
    """Detectable differences on the public and private rows, and the teams that are closer.

    Parameters
    ----------
    log, metric, standings, rng_factory
        As in `ranks.rank_intervals`.
    top : int
        Number of top teams whose submissions in force are compared, at least 2: by public place on
        the public rows, by private place on the private rows.
    level : float
        Level of the one-sided paired test, in (0, 0.5).
    power : float
        Power of the test at the floor, in [0.5, 1).
    draws : int
        Number of bootstrap samples of the private rows, for a metric without losses; at least 2.

    Returns
    -------
    DataFrame
        Two rows per board, one for the public and one for the private rows (`rows_of`).  Columns:

        - rows, their number, or that of their groups.
        - pairs, the number of neighbours among the top teams with different predictions; same, the
          number with equal predictions.
        - sd_difference, the median over the pairs of the standard deviation of the difference per
          row; floor, the smallest true difference that the test detects with this power; both in
          the metric's unit, and null without pairs.
        - leader, the team with the best score on these rows; compared, the number of other top
          teams; closer, the number of them whose difference from the leader is below the floor
          (null without a floor); smallest_gap and largest_gap, their differences from the leader.
        - level, power.

    Raises
    ------
    InputError
        If a column or all rows are missing, a submission is not in the log, a number is out of
        range, or there are fewer than 2 private or public rows.

    Notes
    -----
    If s is the standard deviation of the difference of two submissions' losses in a row, a
    one-sided paired t-test on n rows detects a true difference of delta(n) s / sqrt(n) with the
    wanted power.  Here delta is the noncentrality of the t distribution with n - 1 degrees of
    freedom that gives this level and power; by default it is about 1.64 + 0.84.  The standard
    deviations are estimated on the private rows, which no board has used.  ASSUME: they are the
    same on the public rows.  For the root of a mean loss, the s of a pair is divided by the sum of
    both roots.  For any other metric, s is the bootstrap standard error of the difference times the
    square root of the number of private rows.
    """
    need(standings, (*BOARD, "team", "in_force", *_PLACES), "standings")
    at_least(2, top=top, draws=draws)
    between(0, 0.5, level=level)
    if power < 0.5 or power >= 1.0:
        raise InputError(f"`power` must be at least 0.5 and below 1, got {power}.")
    sizes = _sizes(log)
    heads = [
        (board, name, part.sort_values(list(places), kind="stable").head(top))
        for board, part in each_board(standings)
        if len(part) > 1
        for name, places in (("public", _PLACES), ("private", _PLACES[::-1]))
    ]
    used = sorted({str(s) for _, _, best in heads for s in best["in_force"]})
    rng = rng_factory("replay", "resolution")
    losses, private = rows_and_risks(log, metric, used, draws=draws, rng=rng)
    shown = log.predictions[rows_in(log, used)][:, log.public]
    on_public = log.structure.on(metric, log.public)
    public = np.empty(0)  # of a single team there is no difference
    if used:
        public = metric.sign * on_public.score(log.truth[log.public], shown)
    risks_on = {"public": public, "private": private}
    number = {submission: k for k, submission in enumerate(used)}
    rows = []
    for board, name, best in heads:
        order = [number[str(submission)] for submission in best["in_force"]]
        spread = _spread(metric, losses[order], private[order], n=sizes["private"])
        detected = _detected(risks_on[name][order], spread, sizes[name], level, power)
        leader = best["team"].iloc[int(np.nanargmin(risks_on[name][order]))]
        rows.append(board | {"rows_of": name, "leader": leader} | detected)
    whole = dict.fromkeys(("rows", "pairs", "same", "compared", "closer"), "Int64")
    return tidy(rows, RESOLUTION).astype(whole)


def _sets(log: Log) -> dict[str, np.ndarray]:
    return {"public": log.public, "private": ~log.public}


def _sizes(log: Log) -> dict[str, int]:
    """The numbers of public and of private rows, or groups, at least 2 each."""
    sizes = {name: log.structure.units(of) for name, of in _sets(log).items()}
    for name, n in sizes.items():
        if n < 2:
            raise InputError(
                f"log '{log.name}': wanted at least 2 {name} {log.structure.unit}s, to measure the "
                "spread of "
                f"differences; got {n}. Change the split into public and private rows."
            )
    return sizes


def _detected(
    risks: np.ndarray, spread: np.ndarray, n: int, level: float, power: float
) -> dict[str, object]:
    """The columns of one board, from the risks of k submissions on n rows and their `_spread`."""
    differ = spread[spread > 0.0]
    sd = float(np.median(differ)) if len(differ) else np.nan
    floor = noncentrality(n, level, power) * sd / np.sqrt(n)
    gaps = np.delete(risks - np.nanmin(risks), np.nanargmin(risks))
    return {
        "rows": n,
        "pairs": len(differ),
        "same": len(spread) - len(differ),
        "sd_difference": sd,
        "floor": floor,
        "compared": len(gaps),
        "closer": pd.NA if np.isnan(floor) else int((gaps < floor).sum()),
        "smallest_gap": np.nanmin(gaps),
        "largest_gap": np.nanmax(gaps),
        "level": level,
        "power": power,
    }


def _spread(metric: Metric, rows: np.ndarray, risks: np.ndarray, *, n: int) -> np.ndarray:
    """Standard deviation per row of the difference between each of k submissions and the next.

    Shape (k - 1,), in the metric's unit.  `rows` and `risks` are as `rows_and_risks` returns them,
    n is the number of private rows.
    """
    spread = np.diff(rows, axis=0).std(axis=1, ddof=1)
    if not metric.has_losses:
        return spread * np.sqrt(n)
    if metric.root:
        both = risks[1:] + risks[:-1]
        spread = np.divide(spread, both, out=np.zeros_like(spread), where=both > 0.0)
    return spread


def noncentrality(n: int, level: float, power: float) -> float:
    """Noncentrality at which a one-sided t-test on n rows has this level and power."""
    from scipy import optimize, stats  # slow to import

    beyond = stats.t.ppf(1 - level, n - 1)
    end = 2 * (beyond + stats.norm.ppf(power)) + 10
    return float(optimize.brentq(lambda d: stats.nct.sf(beyond, n - 1, d) - power, 0.0, end))

"""About how far a metered board lags behind: a table of simulated teams, and what lies between.

A metered board judges file by file, and all earlier files again after each: nine tenths of the time
that a first answer would take to simulate teams on its boards.  Other boards have more parameters
than a table could hold, and are simulated in a moment.

    python -m shakedown.dryrun.lags

writes the table again, in a quarter of an hour on two cores.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from shakedown.dryrun.usefulness import teams
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.mechanisms.metered import Metered, degrees_of
from shakedown.metrics import Metric, find
from shakedown.seeding import stream

#: The table: lags of standardised data, by metric, rows, submissions and degrees of freedom.
PLACE = Path(__file__).with_name("lags.json")
#: ASSUME: correlation of a middling team's last file with the response.  The dry run measures it.
CORRELATION = 0.5
METRICS = ("mse", "pearson")
ROWS = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000, 50_000)
#: Submissions of a team; more are simulated as `teams.SUBMISSIONS`.
SUBMISSIONS = (10, 30, teams.SUBMISSIONS)
DEGREES = (1.0, 4.0, 16.0, 64.0, 256.0, 1_024.0)
#: Simulated public sets, up to so many rows.  With more rows, teams differ less.
SETS = {1_000: 4, 5_000: 2, ROWS[-1]: 1}
#: Smaller lags are read as this one, which is none.
LEAST = 1e-4
#: Rows of the sample on which true scores are computed.
LARGE = 100_000


def lag_of(mechanism: Mechanism, metric: Metric, rows: int, submissions: int) -> float | None:
    """About the lag of a metered board on standardised data; None where the table does not tell.

    Between the numbers of the table the logarithm of the lag is linear in their logarithms; beyond
    the last ones it is that of the last.  On 23 boards between them it differed from a simulated
    lag by 25 %, or by .005, at most (`tests/dryrun/test_lags.py`).

    Parameters
    ----------
    mechanism : Mechanism
        On standardised data.
    metric : Metric
    rows : int
        Public rows.
    submissions : int
        Of each account.
    """
    if metric.name not in METRICS or not isinstance(mechanism, Metered) or mechanism.defences:
        return None
    usual = {"gain", "files", "chance"}
    given = {key for key, value in mechanism.parameters.items() if value is not None}
    degrees = degrees_of(mechanism.gain, rows, mechanism.chance, metric.larger_is_better)
    if given - usual or mechanism.files != submissions or degrees < DEGREES[0]:
        return None
    if rows < ROWS[0] or submissions < SUBMISSIONS[0]:
        return None
    lags = np.log(np.maximum(table()[metric.name], LEAST))
    for grid, value in ((ROWS, rows), (SUBMISSIONS, submissions), (DEGREES, degrees)):
        lags = _between(np.log(grid), np.log(value), lags)
    return float(np.exp(lags))


def _between(grid: np.ndarray, value: float, lags: np.ndarray) -> np.ndarray:
    """Lags, shape (k, ...), at a value of their first axis, whose values are `grid`, shape (k,)."""
    after = int(np.clip(np.searchsorted(grid, value), 1, len(grid) - 1))
    share = np.clip((value - grid[after - 1]) / (grid[after] - grid[after - 1]), 0.0, 1.0)
    return (1.0 - share) * lags[after - 1] + share * lags[after]


@cache
def table() -> dict[str, np.ndarray]:
    """Lags of each metric, shape (rows, submissions, degrees)."""
    return {metric: np.array(lags) for metric, lags in json.loads(PLACE.read_text("utf-8")).items()}


def simulated(metric: Metric, rows: int, submissions: int) -> list[float]:
    """Lags of a normal response by `DEGREES`; a part of the table.

    A correlation cannot be gained so much that a board had more degrees of freedom than so many:
    the last lag stands for those beyond.
    """
    draws = partial(stream, 1, "lags", metric.name, rows, submissions)
    boards = [
        Metered(gain=gain, files=submissions)
        for degrees in DEGREES
        if (gain := _gain(metric, rows, degrees)) is not None
    ]
    known = teams.truth(metric, _standardised(draws("truth").normal(size=LARGE)), rng=draws())
    sets, lags = next(count for most, count in SETS.items() if rows <= most), []
    for number in range(sets):
        named = partial(draws, "teams", number)
        y = _standardised(named("response").normal(size=rows))
        participation = teams.Participation(submissions)
        served = teams.served(metric, boards, y, known, CORRELATION, participation, named)
        lags.append([row[0] for row in served])
    means = np.mean(lags, axis=0).tolist()
    return means + means[-1:] * (len(DEGREES) - len(means))


def _gain(metric: Metric, rows: int, degrees: float) -> float | None:
    """The gain on average of a board with this budget; None if there is none."""
    from scipy.optimize import brentq  # slow to import

    most = 1.0 if metric.larger_is_better else 2.0 * (degrees + 1.0)

    def missing(gain: float) -> float:
        return degrees_of(gain, rows, None, metric.larger_is_better) - degrees

    return brentq(missing, 1e-9, most, xtol=1e-12) if missing(most) > 0.0 else None


def _standardised(y: np.ndarray) -> np.ndarray:
    return (y - y.mean()) / y.std(ddof=1)


def _cell(cell: tuple[str, int, int]) -> list[float]:
    name, rows, submissions = cell
    return [float(f"{lag:.3g}") for lag in simulated(find(name), rows, submissions)]


def main() -> None:
    """Write the table."""
    cells = [*product(METRICS, ROWS, SUBMISSIONS)]
    with ProcessPoolExecutor() as pool:  # the longest first
        lags = dict(zip(cells[::-1], pool.map(_cell, cells[::-1]), strict=True))
    whole = {
        name: [[lags[name, rows, made] for made in SUBMISSIONS] for rows in ROWS]
        for name in METRICS
    }
    PLACE.write_text(json.dumps(whole).replace("]], ", "]],\n") + "\n", "utf-8")


if __name__ == "__main__":
    main()

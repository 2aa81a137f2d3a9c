"""Measures how often the 95 % interval of a limit contains the true one, where that is known.

    python -m tests.known.coverage [REPLICATES]

Tables of three kinds.  "closed form": Δ is normal around -.01 sqrt(N) for a candidate at each of
391 numbers of submissions N, next to 391 candidates that are worse by a tenth, so the true limit is
a formula; the candidates of a replicate are independent, or have a correlation of .8.  "limits" and
"unaided": the studies of `make_limits`, whose long run gives the true limit, read linearly between
the numbers played.  Each case has replicates of its own, 40 if not said.  At most 1 % of the
limits may lie below the interval and about 4 % above it.  `low` and `high` are the medians of its
ends; those without an upper end count as infinite.

A limit beyond the last number played is not known (infinite), and missed only by an interval with
an upper end.  The shares of a table leave these rows out; those of all tables are with and without
them.  A row of 200 cases has a standard error of 1.5 % at 95 %.  Takes about five minutes.
"""

import sys

import numpy as np
import pandas as pd
from scipy import stats

from shakedown.dryrun.bootstrap import upper_ends
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from tests.dryrun import test_limits as cases
from tests.known import make_limits

RUNS, SEED = 200, 2003
FIRST = 70_000  # replicates that neither the tests nor the long run play
QUANTILES = (0.5, 0.25)
CORRELATIONS = (0.0, 0.8)
ROW = ["setting", "threat", "threshold"]


def closed_form(quantile, shared, replicates):
    """Limits of simulated studies, and the true one; `shared` is the candidates' correlation."""
    costs = np.arange(10, 401)
    worth = -0.01 * np.sqrt(costs)
    rng = np.random.default_rng(SEED)
    limits = []
    below = 0.1 * stats.norm.ppf(quantile)
    for run in range(RUNS):
        centres = np.concatenate([worth, 0.9 * worth])
        own = rng.standard_normal((len(centres), replicates))
        common = rng.standard_normal(replicates)
        noise = np.sqrt(1 - shared) * own + np.sqrt(shared) * common
        deltas = centres[:, None] + 0.1 * noise
        simulated = cases.table(np.tile(costs, 2), deltas)
        curve = frontier(simulated, quantile=quantile)
        curve = curve[curve.threat == "modeller"].assign(run=run)
        ends = upper_ends(simulated, [below - 0.1], quantile=quantile)
        limits.append(safe_submissions(curve, [below - 0.1], ends))
    # -.01 sqrt(N) gets to -.1 at 100.
    return pd.concat(limits).assign(truth=99.0)


def played(study, quantile, outcomes, replicates):
    """Limits of short runs of a study, with the long run's."""
    short = cases.cut(outcomes, replicates)
    curves = cases.of_known_threats(study, frontier(short, quantile=quantile))
    thresholds = cases.THRESHOLDS[study][quantile]
    ends = upper_ends(short, thresholds, quantile=quantile)
    limits = safe_submissions(curves, thresholds, ends)
    truth = [
        interpolated(cases.known(study, quantile, row.setting, row.threat), row.threshold)
        for row in limits.itertuples()
    ]
    return limits.assign(truth=truth)


def interpolated(candidates, threshold):
    """The limit of the long run, read linearly between the numbers that each attack played."""
    curves = []
    for _, attack in candidates.groupby("experiment"):
        best = attack.groupby("submissions").delta.min().cummin()
        curves.append((np.append(0, best.index), np.append(0, best)))
    grid = np.unique(np.concatenate([n for n, _ in curves]))
    least = np.min([np.interp(grid, n, delta) for n, delta in curves], axis=0)
    k = int(np.argmax(np.append(least <= threshold, True)))
    if k == len(grid):
        return np.inf
    share = (least[k - 1] - threshold) / (least[k - 1] - least[k])
    return np.ceil(grid[k - 1] + share * (grid[k] - grid[k - 1])) - 1


def with_misses(limits):
    """Limits with the sides on which their interval misses the truth."""
    low, high = limits.ci_low.astype(float), limits.ci_high.astype(float).fillna(np.inf)
    below, above = limits.truth < low, limits.truth > high
    return limits.assign(covered=~(below | above), below=below, above=above, low=low, high=high)


def report(name, limits):
    """Per setting, threat and threshold: the shares of intervals with the truth and of misses."""
    rows = limits.groupby(ROW, observed=True, sort=False)
    table = rows[["covered", "below", "above"]].mean()
    table = table.join(rows[["truth", "low", "high"]].median())
    print(f"\n{name}: {RUNS} cases a row; {shares(limits)}")
    print(table.to_string(float_format="{:.4g}".format), flush=True)


def shares(limits):
    """The shares of the rows with a finite limit, in words."""
    finite = limits[np.isfinite(limits.truth)]
    below, covered, above = finite[["below", "covered", "above"]].mean()
    return f"{covered:.1%} covered, {below:.2%} below, {above:.1%} above"


if __name__ == "__main__":
    if len(sys.argv) > 2 or not all(map(str.isdecimal, sys.argv[1:])):
        sys.exit(__doc__)
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    everything = []

    def add(name, limits):
        everything.append(with_misses(limits))
        report(name, everything[-1])

    for quantile in QUANTILES:
        for shared in CORRELATIONS:
            name = f"closed form, correlation {shared:g}, quantile {quantile:g}"
            add(name, closed_form(quantile, shared, replicates))
    for study in make_limits.STUDIES:
        outcomes = make_limits.outcomes(range(FIRST, FIRST + RUNS * replicates), study)
        for quantile in make_limits.QUANTILES:
            add(f"{study}, quantile {quantile:g}", played(study, quantile, outcomes, replicates))
    whole = pd.concat(everything, ignore_index=True)
    print(f"\nall {len(whole) // RUNS} rows: {whole.covered.mean():.1%} covered")
    print(f"rows with a finite limit: {shares(whole)}")

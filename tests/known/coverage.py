"""Measures how often the 95 % interval of a limit contains the true one, where that is known.

    python -m tests.known.coverage

Tables of three kinds.  "closed form": Δ is normal around -.01 sqrt(N) for a candidate at each of
391 numbers of submissions N, next to 391 candidates that are worse by a tenth, so the true limit is
a formula; the candidates of a replicate are independent, or have a correlation of .8.  "limits" and
"unaided": the studies of `make_limits`, whose long run gives the true limit.  Each case has 40
replicates of its own.  An interval may miss on either side in 2.5 % of the cases.  `low` and `high`
are the medians of its ends; those without an upper end count as infinite.  Takes about five
minutes.
"""

import sys

import numpy as np
import pandas as pd
from scipy import stats

from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from tests.dryrun import test_limits as cases
from tests.known import make_limits

RUNS, SHORT, SEED = 200, 40, 3
QUANTILES = (0.5, 0.25)
CORRELATIONS = (0.0, 0.8)


def closed_form(quantile, shared, runs, seed):
    """Limits of simulated studies, and the true one; `shared` is the candidates' correlation."""
    costs = np.arange(10, 401)
    worth = -0.01 * np.sqrt(costs)
    rng = np.random.default_rng(seed)
    found = []
    below = 0.1 * stats.norm.ppf(quantile)
    for run in range(runs):
        centres = np.concatenate([worth, 0.9 * worth])
        own, common = rng.standard_normal((len(centres), SHORT)), rng.standard_normal(SHORT)
        noise = np.sqrt(1 - shared) * own + np.sqrt(shared) * common
        deltas = centres[:, None] + 0.1 * noise
        curve = frontier(cases.table(np.tile(costs, 2), deltas), quantile=quantile)
        curve = curve[curve.threat == "modeller"].assign(run=run)
        found.append(safe_submissions(curve, [below - 0.1]))
    # -.01 sqrt(N) gets to -.1 at 100.
    return pd.concat(found).assign(truth=99.0)


def played(study, quantile, outcomes):
    """Limits of short runs of a study, with the long run's."""
    curves = frontier(cases.cut(outcomes, SHORT), quantile=quantile)
    curves = cases.of_known_threats(study, curves)
    found = safe_submissions(curves, cases.THRESHOLDS[study][quantile])
    truth = [
        cases.first_crossing(one.submissions, one.delta, row.threshold)
        for row in found.itertuples()
        for one in [cases.known(study, quantile, row.setting, row.threat)]
    ]
    return found.assign(truth=truth)


def report(name, quantile, limits):
    """Per setting, threat and threshold: the share of intervals with the truth, and misses."""
    low, high = limits.ci_low.astype(float), limits.ci_high.astype(float).fillna(np.inf)
    ends = limits.assign(above=low > limits.truth, below=high < limits.truth, low=low, high=high)
    rows = ends.groupby(["setting", "threat", "threshold"], observed=True, sort=False)
    table = rows[["above", "below"]].mean()
    table.insert(0, "covered", 1 - table.sum(axis=1))
    table = table.join(rows[["truth", "low", "high"]].median())
    whole = 1 - ends[["above", "below"]].to_numpy().any(axis=1).mean()
    print(f"\n{name}, quantile {quantile:g}: {RUNS} cases a row, {whole:.1%} covered")
    print(table.to_string(float_format="{:.4g}".format), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    for quantile in QUANTILES:
        for shared in CORRELATIONS:
            name = f"closed form, correlation {shared:g}"
            report(name, quantile, closed_form(quantile, shared, RUNS, SEED))
    for study in make_limits.STUDIES:
        outcomes = make_limits.outcomes(range(RUNS * SHORT), study)
        for quantile in make_limits.QUANTILES:
            report(study, quantile, played(study, quantile, outcomes))

"""The resolution floor: statsmodels' power, a closed form, and a simulation that finds the gap."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from shakedown.interface import InputError
from shakedown.metrics import METRICS, find
from shakedown.replay.resolution import RESOLUTION, noncentrality, resolution
from shakedown.seeding import stream
from tests.kinds import fitting_log
from tests.replay import frames

LOG = frames.log()
_, STANDINGS = frames.played(LOG)
RNG = partial(stream, 9)
PRIVATE = ~LOG.public


def floors(metric="mse", **settings):
    return resolution(LOG, find(metric), STANDINGS, rng_factory=RNG, **settings)


@pytest.mark.parametrize("n", [5, 37, 3600])
@pytest.mark.parametrize(("level", "power"), [(0.05, 0.8), (0.01, 0.95), (0.2, 0.5)])
def test_noncentrality_against_statsmodels(n, level, power):
    effect = noncentrality(n, level, power) / np.sqrt(n)
    reached = TTestPower().power(effect, n, level, alternative="larger")
    assert reached == pytest.approx(power, abs=1e-9)


def test_many_rows_follow_the_normal_distribution():
    both = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    assert noncentrality(100_000, 0.05, 0.8) == pytest.approx(both, rel=1e-3)


def test_floor_and_who_is_closer_by_hand():
    table = floors()
    assert list(table.columns) == RESOLUTION
    ids = LOG.submissions["submission"].tolist()
    for row in table.itertuples():
        own = STANDINGS[(STANDINGS["setting"] == row.setting).to_numpy(bool)]
        public = row.rows_of == "public"
        best = own.sort_values("place" if public else "private_place").head(10)
        at = [ids.index(s) for s in best["in_force"]]
        losses = (LOG.predictions[at] - LOG.truth) ** 2
        sds = [
            np.std(losses[k + 1, PRIVATE] - losses[k, PRIVATE], ddof=1) for k in range(len(at) - 1)
        ]
        assert row.sd_difference == pytest.approx(np.median(sds))
        keep = LOG.public if public else PRIVATE
        assert row.rows == keep.sum()
        assert row.floor == pytest.approx(
            noncentrality(row.rows, 0.05, 0.8) * np.median(sds) / np.sqrt(row.rows)
        )
        scores = losses[:, keep].mean(axis=1)
        gaps = np.sort(scores)[1:] - scores.min()
        assert row.compared == 9
        assert row.closer == (gaps < row.floor).sum()
        assert (row.smallest_gap, row.largest_gap) == pytest.approx((gaps[0], gaps[-1]))
        assert row.leader == best["team"].iloc[scores.argmin()]
        if not public or row.setting == "full_disclosure":
            assert row.leader == best["team"].iloc[0]
    assert (table["pairs"] == 9).all()
    public, private = (table[table["rows_of"] == w].reset_index() for w in ("public", "private"))
    assert (public["floor"] > private["floor"]).all()  # fewer rows resolve less


def test_a_gap_of_the_size_of_the_floor_is_found_with_the_power():
    """The floor of 100 rows: 2,000 tests at that gap reject 80 % +- 5 sd of .9 %."""
    rng = np.random.default_rng(8)
    gap = noncentrality(100, 0.05, 0.8) * 3.0 / np.sqrt(100)
    samples = rng.normal(gap, 3.0, (2000, 100))
    p = stats.ttest_1samp(samples, 0.0, axis=1, alternative="greater").pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=5 * 0.009)


def test_roots_and_squares_resolve_the_same():
    """Between two close roots a - b is (a**2 - b**2) / (2 a), within a few percent."""
    square, root = floors("mse"), floors("rmse")
    scores = find("rmse").score(LOG.truth[PRIVATE], LOG.predictions[:, PRIVATE])
    assert np.allclose(root["floor"], square["floor"] / (2 * np.sort(scores)[:10].mean()), rtol=0.1)


def test_the_spread_of_two_roots_is_that_of_their_squares_by_their_sum_in_any_unit():
    for unit in (1.0, 1e-3):
        log = replace(LOG, truth=unit * LOG.truth, predictions=unit * LOG.predictions)
        table = resolution(log, find("rmse"), STANDINGS, rng_factory=RNG)
        row = table[(table["setting"] == frames.LADDER) & (table["rows_of"] == "private")].iloc[0]
        own = STANDINGS[(STANDINGS["setting"] == frames.LADDER).to_numpy(bool)]
        best = own.sort_values("private_place").head(10)["in_force"]
        at = [LOG.submissions["submission"].tolist().index(s) for s in best]
        losses = ((log.predictions[at] - log.truth) ** 2)[:, PRIVATE]
        roots = np.sqrt(losses.mean(axis=1))
        spread = np.diff(losses, axis=0).std(axis=1, ddof=1) / (roots[1:] + roots[:-1])
        assert (row["pairs"], row["same"]) == (9, 0)
        assert row["sd_difference"] == pytest.approx(np.median(spread), rel=1e-9)


def test_correlations_by_bootstrap_come_near_the_delta_method():
    """The sd of the difference of two correlations against its influence functions.

    400 draws give an sd with a relative error of 3.5 %; the bootstrap of 280 rows departs from the
    delta method by a few percent: 20 % for the median.
    """
    table = floors("pearson", draws=400)
    row = table[(table["setting"] == frames.LADDER) & (table["rows_of"] == "private")].iloc[0]
    own = STANDINGS[(STANDINGS["setting"] == frames.LADDER).to_numpy(bool)]
    best = own.sort_values("private_place").head(10)["in_force"]
    ids = LOG.submissions["submission"].tolist()

    def influence(p):
        a, b = (stats.zscore(v) for v in (LOG.truth[PRIVATE], p[PRIVATE]))
        r = (a * b).mean()
        return a * b - r * (a**2 + b**2) / 2

    curves = np.array([influence(LOG.predictions[ids.index(s)]) for s in best])
    expected = np.median(np.diff(curves, axis=0).std(axis=1, ddof=1))
    assert row["sd_difference"] == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("name", [*METRICS, "sklearn.metrics.r2_score"])
def test_every_metric_has_a_floor(name):
    log = frames.log(m=20, n=120)
    log = fitting_log(find(name), log)
    _, standings = frames.played(log, name)
    table = resolution(log, find(name), standings, rng_factory=RNG, draws=20)
    assert (table["floor"] > 0).all()


def test_the_same_submissions_are_no_pairs():
    log = frames.log(m=6, teams=6)
    log.predictions[:4] = log.predictions[0]
    _, standings = frames.played(log)
    table = resolution(log, find("mse"), standings, rng_factory=RNG)
    assert (table["pairs"] == 2).all()
    assert (table["same"] == 3).all()
    log.predictions[:] = log.predictions[0]
    _, standings = frames.played(log)
    table = resolution(log, find("mse"), standings, rng_factory=RNG)
    assert table["floor"].isna().all()
    assert table["closer"].isna().all()
    assert (table["same"] == 5).all()


def test_errors_are_told():
    for settings, message in (
        ({"top": 1}, "`top` must be 2 or more, got 1"),
        ({"level": 0.5}, r"`level` must be above 0 and below 0.5, got 0.5"),
        ({"power": 0.4}, r"`power` must be at least 0.5 and below 1, got 0.4"),
        ({"draws": 1}, "`draws` must be 2 or more, got 1"),
    ):
        with pytest.raises(InputError, match=message):
            floors(**settings)
    few = frames.Log(**(vars(LOG) | {"public": np.arange(400) < 1}))
    with pytest.raises(InputError, match="at least 2 public rows, to measure.*got 1"):
        resolution(few, find("mse"), STANDINGS, rng_factory=RNG)

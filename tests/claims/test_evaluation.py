"""Claims held against small tables: what is measured, its interval, and what is certain."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

from shakedown.claims import largest, median, quantile, read_off, share, smallest
from shakedown.claims.claim import claim
from shakedown.claims.evaluation import evaluate
from shakedown.claims.intervals import band, interval
from shakedown.claims.study_tables import Tables
from shakedown.interface import InputError
from tests.claims.studies import check, outcomes, study, write


@pytest.fixture
def normal(tmp_path):
    """Tables of 60 replicates of N(1, 1) at two points, and of 30 zeros with a one."""
    rng = np.random.default_rng(1)
    both = [
        outcomes(replicate=list(range(60)), point=point, delta=list(rng.normal(1, 1, 60)))
        for point in (1, 2)
    ]
    zeros = outcomes(replicate=list(range(30)), delta=[0.0] * 30, accepted=[1] + [0] * 29)
    few = outcomes(replicate=[0], delta=[2.0])
    trace = outcomes(submission=[1, 2], released=[1.0, 0.5], accepted=1, selected=1, iteration=1)
    files = write(tmp_path, normal=pd.concat(both), zeros=zeros, one=few)
    return Tables(outcomes=files, traces=write(tmp_path, trace=trace))


@pytest.mark.parametrize(("column", "hits"), [("accepted", 1), ("delta", 0)])
def test_a_share_has_the_exact_interval(normal, column, hits):
    row = check(lambda s: share(s.outcomes("zeros").each(column) > 0), normal, required="<= 0.05")
    exact = stats.binomtest(hits, 30).proportion_ci(0.95, method="exact")
    assert row["measured"] == hits / 30
    assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert (row["holds"], row["certain"], row["replicates"]) == ("yes", "no", 30)


def test_replicates_that_do_not_count_are_left_out_of_a_share(normal):
    def with_gaps(s):
        x = s.outcomes("zeros").each("accepted")
        return share((x > 0).where(x["replicate"] < 20))

    row = check(with_gaps, normal)
    assert row["measured"] == 1 / 20


def test_a_median_has_the_interval_of_order_statistics(normal):
    row = check(lambda s: median(s.outcomes("normal", point=1).each("delta")), normal)
    x = np.sort(study(normal).outcomes("normal", point=1).each("delta"))
    exact = stats.quantile_test(x, p=0.5).confidence_interval(0.95)
    assert row["measured"] == np.median(x)
    assert (row["low"], row["high"]) == (exact.low, exact.high)
    assert (row["replicates"], row["certain"]) == (60, "yes")


def test_a_quantile_that_few_replicates_cannot_tell_has_no_bound(normal):
    def high(s):
        x = s.outcomes("zeros").each("accepted")
        return quantile(x.where(x["replicate"] < 25), 0.95)

    row = check(high, normal, required="<= 1")
    assert (row["measured"], row["high"]) == (0.0, np.inf)
    assert (row["holds"], row["certain"]) == ("yes", "no")
    assert check(high, normal, required=">= 0")["certain"] == "yes"


def test_the_bootstrap_of_medians_is_close_to_order_statistics(normal):
    """The resampled medians of a difference, in which one side is 0, and reflected."""

    def against_nothing(s):
        return s.outcomes("normal", point=1).median("delta") - s.outcomes("zeros").median("delta")

    row = check(against_nothing, normal)
    x = np.sort(study(normal).outcomes("normal", point=1).each("delta"))
    rank = int(stats.binom.ppf(0.025, 60, 0.5))
    assert x[rank - 4] < row["low"] < x[rank + 6] < row["measured"] < row["high"]
    assert row["measured"] - row["low"] == pytest.approx(row["high"] - row["measured"])
    assert row["certain"] == "yes"


def test_a_mean_of_many_has_the_interval_of_the_central_limit_theorem(normal):
    row = check(lambda s: s.outcomes("normal", point=1).mean("delta"), normal)
    x = study(normal).outcomes("normal", point=1).each("delta")
    half = 1.96 * float(x.std(ddof=1)) / np.sqrt(60)
    assert row["high"] - row["measured"] == pytest.approx(half, rel=0.2)


def test_extremes_and_readings_have_the_ends_of_a_band(normal):
    def medians(s):
        return s.outcomes("normal").median("delta", over="point")

    def above_one(x):
        return (x > 1).sum()

    low, high = band(medians(study(normal)))
    sample = medians(study(normal))[0]
    for function, reading in (
        (smallest, np.min),
        (largest, np.max),
        (lambda x: read_off(x, above_one), above_one),
        (lambda x: read_off(x, lambda y: -y.max()), lambda y: -np.max(y)),
    ):
        row = check(lambda s, f=function: f(medians(s)), normal)
        assert row["measured"] == reading(sample)
        assert [row["low"], row["high"]] == sorted(float(reading(end)) for end in (low, high))


def test_a_reading_without_width_is_certain_only_if_the_whole_band_gives_it(normal):
    """How many of two medians near 1 are above a threshold, which they are in all resamples."""

    def above(threshold):
        def one(s):
            x = s.outcomes("normal").median("delta", over="point")
            return read_off(x, lambda y: (y > threshold).sum())

        return check(one, normal, required="= 2")

    edge = float(band(study(normal).outcomes("normal").median("delta", over="point"))[0].min())
    assert (above(edge - 0.01)["low"], above(edge - 0.01)["certain"]) == (2, "yes")
    beyond = above(edge + 0.01)
    assert beyond["measured"] == 2 > beyond["low"]
    assert beyond["certain"] == "no"


def test_a_band_of_one_number_holds_95_percent_of_its_resamples():
    draws = np.random.default_rng(2).normal(size=(2001, 1))
    draws[0] = 0
    low, high = band(xr.DataArray(draws, dims=["resample", "point"]))
    assert np.mean((draws[1:] >= low[0].item()) & (draws[1:] <= high[0].item())) == pytest.approx(
        0.95, abs=0.001
    )
    assert low == -high


def test_numbers_that_may_be_infinite_are_not_reflected():
    def ends(*numbers):
        return interval(xr.DataArray(list(numbers), dims="resample"))[:3]

    assert ends(4.0, *[4.0] * 90, *[8.0] * 10) == (4.0, 0.0, 8.0)
    assert ends(4.0, 4.0, np.inf) == (4.0, 4.0, np.inf)


def test_what_few_replicates_cannot_tell_remains_undecided(normal):
    def certain(function, **settings):
        return check(function, normal, **{"required": "<= 1"} | settings)["certain"]

    rows = "zeros"
    assert certain(lambda s: s.outcomes(rows).median("delta")) == "yes"
    # What 11.6 % of all replicates would show may be in none of 30.
    assert stats.binomtest(0, 30).proportion_ci(0.95).high == pytest.approx(0.116, abs=0.001)
    assert certain(lambda s: s.outcomes(rows).quantile("delta", 0.88)) == "yes"
    assert certain(lambda s: s.outcomes(rows).quantile("delta", 0.89)) == "no"
    assert certain(lambda s: s.outcomes(rows).mean("delta")) == "no"
    assert certain(lambda s: s.outcomes(rows).mean("accepted")) == "yes"


def test_an_undecided_claim_says_what_would_settle_it(normal):
    def one(s):
        return share(s.outcomes("zeros").each("accepted") > 0)

    row = check(one, normal, required="<= 0.1")
    assert row["certain"] == "no"
    # The same share of more replicates.
    assert stats.binomtest(2, 60).proportion_ci().high > 0.1
    assert stats.binomtest(3, 90).proportion_ci().high <= 0.1
    assert 60 < row["replicates_needed"] <= 90
    # The end of the interval that is furthest from the bound.
    assert row["tie_within"] == pytest.approx(0.1 - row["low"])
    assert row["tie_within"] > row["high"] - 0.1
    decided = check(one, normal, required="<= 0.5")
    assert pd.isna(decided["replicates_needed"])
    assert np.isnan(decided["tie_within"])


@pytest.mark.parametrize(("literally", "verdict"), [("> 3", "fails"), ("> 0", "holds")])
def test_what_the_text_says_word_for_word_has_a_verdict_of_its_own(normal, literally, verdict):
    def one(s):
        return s.outcomes("normal", point=1).median("delta")

    row = check(one, normal, required="", chosen="> -1", literally=literally)
    assert (row["bound"], row["holds"], row["required"]) == ("ours", "yes", "> -1")
    assert (row["literal"], row["literal_measured"]) == (literally, row["measured"])
    assert row["literal_verdict"] == verdict
    assert check(one, normal)["bound"] == "paper"


def test_word_for_word_another_number_may_be_measured(normal):
    def one(s, *, literally=False):
        return s.outcomes("normal", point=1).median("delta") - 2 * literally

    row = check(one, normal, required="", chosen="> 0", literally="> 0")
    assert (row["holds"], row["literal_verdict"]) == ("yes", "fails")
    assert row["literal_measured"] == row["measured"] - 2


def test_arithmetic_has_no_interval(normal):
    row = check(lambda s: s.outcomes("zeros").value("delta") + 1, normal, kind="arithmetic")
    assert (row["measured"], row["certain"], row["kind"]) == (1.0, "yes", "arithmetic")
    assert np.isnan(row["low"])
    assert pd.isna(row["replicates"])
    with pytest.raises(InputError, match="Claim <lambda> in .*no replicates. Give it kind='arith"):
        check(lambda s: 1.0, normal)


def test_one_replicate_says_nothing_of_certainty(normal):
    row = check(lambda s: s.outcomes("one").median("delta"), normal)
    assert (row["measured"], row["holds"], row["replicates"]) == (2.0, "yes", 1)
    assert pd.isna(row["certain"])


def test_a_claim_on_other_data_reads_these(tmp_path):
    files = write(tmp_path, e=outcomes(dataset=["d", "d", "f", "f"], replicate=[0, 1] * 2,
                                       delta=[1.0, 1.0, 3.0, 3.0]))  # fmt: skip

    @claim("x", required="> 2", on="d", also_on={"f": "f_fig"})
    def one(s):
        """S."""
        return s.outcomes("e").median("delta")

    rows = evaluate([one, *one.also], Tables(outcomes=files), seed=1)
    assert list(rows["holds"]) == ["no", "yes"]
    assert list(rows["figure"]) == ["", "f_fig"]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda s: s.outcomes("e").median("x"), "the study has no outcomes of experiment 'e'"),
        (lambda s: s.traces("e").each(len), "the study has no trace of experiment 'e'"),
        (lambda s: s.release_variability("e").sd("x"), "no released scores 'e'"),
        (lambda s: s.outcomes("normal", point=3).median("delta"), "has no rows with point = 3"),
        (
            lambda s: largest(s.outcomes("normal", point=[1, 3]).median("delta")),
            "'normal' has no rows with point = 3",
        ),
        (
            lambda s: s.outcomes("normal").median("delta"),
            r"'normal' has 2 settings \(they differ in point\)",
        ),
        (
            lambda s: largest(s.outcomes("normal", point=[1]).median("delta").diff("point")),
            "only one point, so that there are no steps",
        ),
        (
            lambda s: largest(
                s.outcomes("normal", point=[1, 2]).median("delta")
                - s.outcomes("normal", point=[2, 1]).median("delta")
            ),
            "the sides of a comparison do not have the same points",
        ),
        (lambda s: s.outcomes("normal", point=1).value("delta"), "differs between the replicates"),
        (lambda s: s.outcomes("one").median("delta") / 0 * 0, "there is nothing to measure"),
    ],
)
def test_says_why_a_claim_is_not_run(normal, function, why):
    row = check(function, normal)
    assert row["holds"] == "not run"
    assert row["note"].startswith("Not run: ")
    assert pd.Series([row["note"]]).str.contains(why).all(), row["note"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s: s.outcomes("normal").median("delta", over="point"), "a number for each point"),
        (lambda s: share(s.outcomes("normal").each("delta", over="point") > 0), "for each point"),
        (lambda s: s.outcomes("normal", pont=1).median("delta"), "'pont', which is unknown. Did"),
        (lambda s: s.outcomes("normal", point=1).median("delat"), "no column 'delat'. Did you me"),
        (lambda s: s.outcomes("normal", point=1).median(len), "<.* len> is measured of outcomes"),
        (lambda s: s.traces("trace").median("released"), "'released' is measured of traces; want"),
    ],
)
def test_says_what_is_wrong_with_a_claim(normal, function, message):
    with pytest.raises(InputError, match=message):
        check(function, normal)


def test_the_same_seed_gives_the_same_intervals_whatever_else_is_claimed(normal):
    def one(s):
        return s.outcomes("normal", point=1).mean("delta")

    def other(s):
        """S."""
        return smallest(s.outcomes("normal").sd("delta", over="point"))

    alone = check(one, normal)
    first = claim("x", required="> 0")(other)
    rows = evaluate([first, claim("x", required="> 0")(one)], normal, seed=7)
    assert rows.loc[1, ["low", "high"]].tolist() == [alone["low"], alone["high"]]
    assert check(one, normal, seed=8)["low"] != alone["low"]


def test_numbers_go_together_by_the_names_of_their_axes(normal):
    medians = study(normal).outcomes("normal").median("delta", over="point")
    assert isinstance(medians, xr.DataArray)
    assert medians.dims == ("resample", "point")
    assert medians.sizes == {"resample": 201, "point": 2}
    assert list(medians["point"]) == [1, 2]

"""The winner's rule: ties by Bayes factors, a second metric, the time."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.ranking.bayes_factor import bayes_factors
from shakedown.ranking.final_ranking import Rule, final_ranking

N = 60
RNG = np.random.default_rng(5)
Y = RNG.standard_normal(N)


def near(error):
    """A file with this root mean squared error."""
    errors = RNG.standard_normal(N)
    return Y + error * errors / np.sqrt(np.mean(errors**2))


#: A bad file, two good ones that are about equal, and a copy of the best.
FILES = np.array([RNG.standard_normal(N), near(0.5), near(0.505)])
BEST = 1
FILES = np.vstack([FILES, FILES[BEST]])
TEAMS = ["bad", "one", "two", "copy"]


def ranking(files=FILES, teams=TEAMS, metric="mse", rule=None, **given):
    rule = rule or Rule(draws=400)
    return final_ranking(find(metric), Y, files, teams, seed=1, rule=rule, **given)


def test_a_copy_of_the_best_is_tied_and_nothing_decides_between_them():
    found = ranking()
    table = found.table.set_index("team")
    assert table.loc["copy", "k"] == table.loc[TEAMS[BEST], "k"] == 1.0
    assert set(found.winners) >= {"copy", TEAMS[BEST]}
    assert found.decided_by == ""
    assert not table.loc["bad", "tied"]
    assert table.loc["bad", "place"] == len(found.tied) + 1
    assert table.loc["bad", "k"] == np.inf
    low, high = table.loc["bad", ["rank_low", "rank_high"]]
    assert (low, high) == (4, 4)


def test_the_second_metric_decides_between_tied_files_then_the_time():
    files = np.vstack([FILES[:3], near(0.502)])
    by_second = ranking(files, rule=Rule(second=find("mae"), draws=400))
    tied = by_second.table[by_second.table["tied"]]
    assert set(tied["team"]) == {"one", "two", "copy"}
    assert tied["second"].is_monotonic_increasing
    assert tied["place"].tolist() == [1, 2, 3]
    assert by_second.decided_by == "second"
    assert by_second.winners == [tied["team"].iloc[0]] != ["one"]
    by_time = ranking(times=[3, 2, 2, 1])
    assert by_time.winners == ["copy"]
    assert by_time.decided_by == "time"
    assert by_time.table["place"].tolist() == [1, 2, 2, 4]
    unknown = ranking(times=[None, 5, None, None])
    assert unknown.winners == ["one"]
    first = ranking(rule=Rule(second=find("mse"), draws=400), times=[1, 5, 3, 4])
    assert first.winners == ["copy"]  # two comes before it, and has a worse second score
    assert first.decided_by == "time"


def test_a_file_that_is_ahead_of_a_tied_one_and_not_tied_comes_after_the_group():
    """K depends on how two files differ, not only on their scores."""
    sure = FILES[BEST] + 0.1  # worse in nearly every sample, by little
    files = np.vstack([FILES[:3], sure])
    table = ranking(files, TEAMS).table.set_index("team")
    assert table["place"].tolist() == sorted(table["place"])
    group = table[table["tied"]]
    assert (table.loc[~table["tied"], "place"] > len(group)).all()
    assert sorted(table["place"]) == [1, 1, 3, 4] or len(group) == 1 or len(group) == 3


def test_bayes_factors_are_ratios_of_counts():
    drawn = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(bayes_factors(drawn, 0), [1.0, 3.0, 1.0])
    np.testing.assert_array_equal(bayes_factors(drawn, 0, "smoothed"), [1.0, 2.0, 1.0])
    assert bayes_factors(drawn[[0, 1]], 0)[1] == np.inf
    assert bayes_factors(drawn[[0, 1]], 0, "smoothed")[1] == 3.0


def test_paired_tests_are_those_of_scipy_and_statsmodels():
    table = ranking(FILES[:3], TEAMS[:3]).table.set_index("team")
    losses = (FILES[:3] - Y) ** 2
    others = [k for k in range(3) if k != BEST]
    for column, test in (
        ("p_t", lambda a, b: stats.ttest_rel(a, b).pvalue),
        ("p_signed_ranks", lambda a, b: stats.wilcoxon(a, b).pvalue),
    ):
        p = multipletests([test(losses[k], losses[BEST]) for k in others], method="holm")[1]
        np.testing.assert_allclose(table.loc[[TEAMS[k] for k in others], column], p)
        assert table.loc[TEAMS[BEST], column] == 1.0
    assert ranking(metric="pearson").table["p_t"].isna().all()


def test_the_same_seed_gives_the_same_ranking():
    assert ranking().table.equals(ranking().table)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tied": 0.5}, "tied: wanted a K of at least 1; got 0.5"),
        ({"variant": "ttest"}, "variant: wanted counts or smoothed; got 'ttest'"),
        ({"draws": 10}, "draws: wanted 100 bootstrap samples or more; got 10"),
        ({"level": 1.0}, "level: wanted at least .5 and below 1; got 1"),
    ],
)
def test_what_is_no_rule_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Rule(**given)


def test_a_file_without_a_score_is_named():
    constant = np.vstack([FILES[:2], np.zeros(N)])
    with pytest.raises(InputError, match="file of 'two': Pearson.* is not defined"):
        ranking(constant, TEAMS[:3], "pearson")

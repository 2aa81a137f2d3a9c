"""The sentences say what the summary says."""

import pytest

from shakedown.interface import InputError
from shakedown.report import headline, key_results
from shakedown.report.results import largest_budget
from tests.report.summaries import row, summary

BOOT = {"mechanism": "ladderboot", "alpha": 0.5, "b": 10}


def test_worst_and_best_at_the_largest_budget():
    frame = summary(
        row(-0.5, iterations=4, submissions=1194, alpha=0.5),
        row(-0.14, alpha=0.5),
        row(-0.05, alpha=0.01),
        row(-0.012, 0.002, **BOOT),
    )
    assert headline(frame) == [
        "On ad_like with permuted response, five step-forward iterations (1,490 submissions, a "
        "fresh board for each iteration) against Ladder (α = 0.5) bring the public MSE to 0.85 "
        "while the final one is 0.99: Δ = −0.14 [−0.15, −0.13]. LadderBoot (α = 0.5, b = 10) keeps "
        "Δ at −0.012 [−0.014, −0.010]."
    ]


def test_freedman_and_a_correlation():
    frame = summary(
        row(
            -0.4,
            attack="freedman",
            board=None,
            metric="ccc",
            mechanism="full_disclosure",
            iterations=None,
            n_selected=30,
            submissions=300,
            design="splits",
            median_score_public=0.45,
            median_score_final=0.05,
        )
    )
    assert headline(frame) == [
        "On ad_like with random splits, Freedman's attack (the 30 best-scored of 300 features, "
        "300 submissions) against Full-disclosure brings the public Lin's CCC to 0.45 while the "
        "final one is 0.05: Δ = −0.40 [−0.41, −0.39]."
    ]


def test_one_iteration_is_singular():
    (text,) = headline(summary(row(-0.2, iterations=1, submissions=1, alpha=0.5)))
    assert "one step-forward iteration (1 submission, " in text
    assert " brings the public MSE" in text


def test_an_unknown_attack_is_named_as_it_is():
    (text,) = headline(summary(row(-0.2, attack="greedy_climb", alpha=0.5)))
    assert ", the attack greedy climb (1,490 submissions) against Ladder" in text


def test_no_overfit_is_said_as_such():
    (text,) = headline(summary(row(-0.004, alpha=0.01), row(0.001, **BOOT)))
    assert text.endswith(
        "overfit no mechanism measurably: the largest Δ of MSE, against Ladder (α = 0.01), is "
        "−0.004 [−0.014, 0.006]."
    )


def test_controls_are_not_told_as_boards():
    frame = summary(
        row(-0.14, alpha=0.5),
        row(-0.1, **BOOT),
        row(0.0, mechanism="constant_board"),
        row(-0.3, mechanism="fresh_holdout"),
    )
    (text,) = headline(frame)
    assert "against Ladder (α = 0.5)" in text
    assert "LadderBoot (α = 0.5, b = 10) keeps" in text
    (alone,) = headline(frame[frame["mechanism"] == "constant_board"])
    assert "Constant board" in alone


def test_scores_get_the_digits_that_tell_them_apart():
    frame = summary(row(-0.02, alpha=0.01, median_score_public=0.9912, median_score_final=0.9934))
    assert "to 0.991 while the final one is 0.993" in headline(frame)[0]


def test_strongest_first_and_the_rest_is_counted():
    frame = summary(
        *(row(-0.1 * i, alpha=0.5, dataset=f"set{i}") for i in range(1, 6)),
    )
    told = headline(frame, at_most=3)
    assert [text.split()[1] for text in told[:3]] == ["set5", "set4", "set3"]
    assert told[3] == "Two more comparisons with Δ at −0.20 or above are in the table below."
    assert headline(frame, at_most=4)[-1].startswith("One more comparison with Δ at −0.10 or above")


def test_order_of_rows_does_not_matter():
    frame = summary(row(-0.14, alpha=0.5), row(-0.05, alpha=0.01), row(-0.012, **BOOT))
    assert headline(frame.iloc[::-1]) == headline(frame)


def test_largest_budget_is_by_submissions_then_iterations_then_features():
    frame = summary(
        row(-0.1, alpha=0.5, submissions=900, iterations=3),
        row(-0.2, alpha=0.5, submissions=900, iterations=5),
        row(-0.3, alpha=0.5, submissions=800, iterations=5),
        row(-0.4, attack="freedman", iterations=None, n_selected=30, submissions=300),
        row(-0.5, attack="freedman", iterations=None, n_selected=29, submissions=300),
    )
    assert sorted(largest_budget(frame)["median_delta"]) == [-0.4, -0.2]


def test_key_results_are_sorted_by_strength():
    frame = summary(row(-0.05, alpha=0.01), row(-0.14, alpha=0.5), row(-0.01, **BOOT))
    found = key_results(frame)
    assert found["median_delta"].tolist() == [-0.14, -0.05, -0.01]
    assert found["submissions"].tolist() == [1490] * 3
    assert "gate" not in found


@pytest.mark.parametrize("call", [headline, key_results])
def test_a_missing_column_is_named(call):
    frame = summary(row(-0.1, alpha=0.5)).drop(columns=["board", "b"])
    with pytest.raises(InputError, match="summary lacks the columns board, b; it has experiment,"):
        call(frame)


@pytest.mark.parametrize("call", [headline, key_results])
def test_no_rows(call):
    with pytest.raises(InputError, match="the summary has no rows; run at least one experiment"):
        call(summary(row(-0.1)).iloc[:0])


def test_an_unknown_mechanism_is_named():
    with pytest.raises(InputError, match="mechanism 'laddr' has no name"):
        headline(summary(row(-0.1, mechanism="laddr")))


def test_too_few_replicates_for_an_interval():
    frame = summary(row(-0.5, delta_low=float("nan"), delta_high=float("nan")))
    (sentence,) = headline(frame)
    assert "overfit no mechanism measurably" in sentence
    assert "is −0.50 (too few replicates for an interval)" in sentence

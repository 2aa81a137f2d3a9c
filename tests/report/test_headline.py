"""The sentences say what the summary says."""

import pytest

from shakedown.interface import InputError
from shakedown.report import headline, key_results
from shakedown.report.results import largest_budget
from shakedown.report.safe import safe_submissions
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
        "ad_like, permuted response: after five step-forward iterations (1,490 submissions) "
        "against Ladder (α = 0.5), the public MSE is 0.85 and the final one 0.99: Δ = −0.14 "
        "[−0.15, −0.13]. LadderBoot (α = 0.5, b = 10) leaves Δ at −0.012 [−0.014, −0.010]."
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
        "ad_like, random splits: after Freedman's attack (300 submissions) against "
        "Full-disclosure, the public Lin's CCC is 0.45 and the final one 0.05: Δ = −0.40 "
        "[−0.41, −0.39]."
    ]


def test_one_iteration_is_singular():
    (text,) = headline(summary(row(-0.2, iterations=1, submissions=1, alpha=0.5)))
    assert "after one step-forward iteration (1 submission) against" in text


def test_a_board_that_is_carried_on_is_told():
    (text,) = headline(summary(row(-0.2, board="carried_on", alpha=0.5)))
    assert "(1,490 submissions, one board carried on) against Ladder" in text


def test_an_unknown_attack_is_named_as_it_is():
    (text,) = headline(summary(row(-0.2, attack="greedy_climb", alpha=0.5)))
    assert ": after the attack greedy climb (1,490 submissions) against Ladder" in text


def test_no_overfit_is_said_as_such():
    (text,) = headline(summary(row(-0.004, alpha=0.01), row(0.001, **BOOT)))
    assert text.endswith(
        "no board is measurably overfit; the largest Δ of MSE, against Ladder (α = 0.01), is "
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
    assert "LadderBoot (α = 0.5, b = 10) leaves" in text
    (alone,) = headline(frame[frame["mechanism"] == "constant_board"])
    assert "Constant board" in alone


def test_scores_get_the_digits_that_tell_them_apart():
    frame = summary(row(-0.02, alpha=0.01, median_score_public=0.9912, median_score_final=0.9934))
    assert "is 0.991 and the final one 0.993" in headline(frame)[0]


def subjects(told):
    return [text.split(":")[0] for text in told]


def test_strongest_first_and_at_most_four():
    frame = summary(*(row(-0.1 * i, alpha=0.5, dataset=f"set{i}") for i in range(1, 7)))
    expected = [f"set{i}, permuted response" for i in (6, 5, 4, 3)]
    assert subjects(headline(frame)) == expected
    assert subjects(headline(frame, at_most=2)) == expected[:2]


def test_permuted_response_first_however_strong_the_random_splits():
    frame = summary(
        row(-0.5, alpha=0.5, design="splits"),
        row(-0.1, alpha=0.5),
        row(-0.2, alpha=0.5, design="official"),  # its response is permuted, too
    )
    assert subjects(headline(frame)) == [
        "ad_like, the official split, permuted response",
        "ad_like, permuted response",
        "ad_like, random splits",
    ]
    assert len(headline(frame, at_most=2)) == 2
    assert "random splits" not in " ".join(headline(frame, at_most=2))


def test_each_data_set_has_its_say_before_one_speaks_twice():
    frame = summary(
        row(-0.9, alpha=0.5, experiment="one"),
        row(-0.8, alpha=0.5, experiment="two"),
        row(-0.1, alpha=0.5, dataset="other"),
        row(-0.7, alpha=0.5, dataset="other", design="splits"),
    )
    permuted = ["ad_like, permuted response", "other, permuted response"]
    assert subjects(headline(frame, at_most=2)) == permuted
    assert subjects(headline(frame, at_most=3)) == [permuted[0], *permuted]


def test_large_data_sets_stand_before_small_ones():
    frame = summary(
        row(-0.9, alpha=0.5, dataset="small"),
        row(-0.1, alpha=0.5, dataset="large"),
        row(-0.5, alpha=0.5, dataset="small", experiment="two"),
        row(-0.8, alpha=0.5, dataset="large", design="splits"),
    )
    told = subjects(headline(frame, rows={"small": 120, "large": 628}))
    assert told == [
        "large, permuted response",
        *["small, permuted response"] * 2,
        "large, random splits",
    ]
    assert subjects(headline(frame))[0] == "small, permuted response"


def test_safe_submissions_stand_first():
    first, second = headline(summary(*played([-0.01, -0.06]), row(-0.2, dataset="b")), at_most=1)
    assert first.startswith(
        "ad_like, permuted response: the median Δ of MSE after the step-forward"
    )
    assert second.startswith("b, permuted response: after five")
    (first, _) = headline(summary(*played([-0.01, -0.06])), at_most=1, threshold=-0.1)
    assert "stays above −0.10 up to all 199 under Ladder" in first


def played(deltas, **more):
    """The ends of an attack over 50, 100, 150 features, and a smaller number of iterations."""
    sizes = [(50, 1, 50), (100, 2, 199), (150, 3, 447)][: len(deltas)]
    rows = [
        row(delta, n_features=p, iterations=i, submissions=n, **({"alpha": 0.15} | more))
        for delta, (p, i, n) in zip(deltas, sizes, strict=True)
    ]
    # Before its end an attack over many features says nothing of a budget.
    return [
        *rows,
        row(-9, n_features=100, iterations=1, submissions=100, **({"alpha": 0.15} | more)),
    ]


HERE = "ad_like, permuted response: the median Δ of MSE after the step-forward attack "


@pytest.mark.parametrize(
    ("deltas", "text"),
    [
        ([-0.01, -0.02, -0.05], "stays above −0.05 up to all 447 under Ladder (α = 0.15)."),
        (
            [-0.01, -0.02, -0.0501],
            "stays above −0.05 up to 199 submissions under Ladder (α = 0.15).",
        ),
        # A number behind the first crossing is not safe, wherever its median lies.
        ([-0.01, -0.06, -0.04], "stays above −0.05 up to 50 submissions under Ladder (α = 0.15)."),
        ([-0.06, -0.01, -0.01], "lies below −0.05 already after 50 under Ladder (α = 0.15)."),
    ],
)
def test_safe_is_the_largest_number_tried_before_the_crossing(deltas, text):
    frame = summary(*played(deltas))
    assert safe_submissions(frame) == [f"{HERE}{text} Tried were 50, 199 and 447 submissions."]
    assert safe_submissions(frame.iloc[::-1]) == safe_submissions(frame)


def test_boards_with_the_same_answer_are_told_together():
    boot = {"mechanism": "ladderboot"}
    frame = summary(
        *played([-0.01, -0.02, -0.06], alpha=0.15),
        *played([-0.01, -0.06, -0.07], alpha=0.5),
        *(r for a in (0.15, 0.5) for r in played([0, 0, 0], **boot, alpha=a, b=10)),
        *played([0, 0, 0], **boot, alpha=0.15, b=100),
        *played([-0.1, -0.1, -0.1], **boot, alpha=0.5, b=100),
        *played([-0.9, -0.9, -0.9], mechanism="fresh_holdout", alpha=None),
    )
    assert safe_submissions(frame) == [
        f"{HERE}stays above −0.05 up to 50 submissions under Ladder (α = 0.5); up to 199 under "
        "Ladder (α = 0.15); up to all 447 under LadderBoot (b = 10, every α) and LadderBoot (α = "
        "0.15, b = 100); it lies below −0.05 already after 50 under LadderBoot (α = 0.5, b = 100). "
        "Tried were 50, 199 and 447 submissions."
    ]
    ladders = summary(*played([0, 0], alpha=0.1), *played([0, 0], alpha=0.2))
    assert "up to all 199 under Ladder (every α)." in safe_submissions(ladders)[0]


def test_safe_submissions_need_budgets_that_differ():
    # A board that ends early, or other ways to spend the same number, are no budgets.
    early = summary(row(-0.1, alpha=0.5, submissions=1194), row(-0.1, alpha=0.01))
    assert safe_submissions(early) == []
    spent = [row(-0.1, n_features=p, submissions=120, alpha=0.5) for p in (41, 26)]
    assert safe_submissions(summary(*spent)) == []


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
    assert "no board is measurably overfit" in sentence
    assert "is −0.50 (too few replicates for an interval)" in sentence

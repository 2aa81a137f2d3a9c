"""One line for each question, with the boards that tell most."""

import pandas as pd
import pytest

from shakedown.interface import InputError
from shakedown.report import key_results
from shakedown.report.overview import COLUMNS, overview
from tests.report.summaries import row, summary


def boards(question):
    return {
        head: None if answer is None else answer.board.replace("\u00a0", " ")
        for head, answer in zip(COLUMNS, question.answers, strict=True)
    }


def shown(*rows):
    return overview(key_results(summary(*rows)))


STUDY = (
    row(-0.20, mechanism="simplified_ladder", eta=0.01),
    row(-0.19, mechanism="full_disclosure"),
    row(-0.05, alpha=0.01),
    row(-0.10, alpha=0.15),
    row(-0.15, alpha=0.5),
    row(0.01, mechanism="ladderboot", alpha=0.01, b=10),
    row(-0.03, mechanism="ladderboot", alpha=0.15, b=100),
    row(-0.04, mechanism="ladderboot", alpha=0.15, b=1000),
    row(-0.9, mechanism="fresh_holdout"),
    row(0.0, mechanism="constant_board", submissions=300),
)


def test_strongest_weakest_and_the_papers_own():
    (question,) = shown(*STUDY)
    assert boards(question) == {
        "Most overfit": "Simplified Ladder (η = 0.01)",
        "Every score shown": "Full-disclosure",
        "Ladder": "Ladder (α = 0.15)",
        "Ladder with bootstrap noise": "LadderBoot (α = 0.15, b = 100)",
        "Nearest to zero": "LadderBoot (α = 0.01, b = 10)",
    }
    assert question.where == "ad_like, permuted response"
    assert question.how == (
        "step-forward, MSE, a fresh board for each iteration, 1,490 submissions, "
        "1,000 replicates (step_forward)"
    )


def test_numbers_and_bars():
    (question,) = shown(*STUDY)
    most, _, ladder, _, least = question.answers
    assert (most.delta, most.interval) == ("−0.200", "−0.210 to −0.190")
    assert (most.bar, ladder.bar, least.bar) == (100.0, 50.0, 5.0)
    assert (most.below, least.below) == (True, False)


def test_bars_are_relative_to_the_question():
    questions = shown(row(-0.2, alpha=0.5), row(-2.0, alpha=0.5, dataset="b"))
    assert [question.answers[0].bar for question in questions] == [100.0, 100.0]


@pytest.mark.parametrize(
    ("median", "half", "design", "said"),
    [
        (-0.055, 0.01, "permuted", ", as all replicates share one split."),
        (0.055, 0.01, "official", ", as all replicates share one split."),
        (-0.055, 0.01, "splits", "the final set differ."),
        (-0.055, 0.06, "permuted", ""),
        (1e-16, 0.0, "permuted", ""),  # the rounding of sums
        (-0.055, float("nan"), "permuted", ""),
    ],
)
def test_a_control_that_is_not_zero_is_told(median, half, design, said):
    constant = row(median, half, mechanism="constant_board", design=design)
    (question,) = shown(row(-0.2, alpha=0.5, design=design), constant)
    if not said:
        assert question.control == ""
        return
    number = "−0.055" if median < 0 else "0.055"
    assert question.control.startswith(f"The constant board already has {number} here: nothing was")
    assert question.control.endswith(said)


def test_a_study_without_the_control_says_nothing_of_it():
    (question,) = shown(row(-0.2, alpha=0.5))
    assert question.control == ""


def test_every_row_is_still_told():
    (question,) = shown(*STUDY)
    assert len(question.every.rows) == len(STUDY)
    heads = [head for head, _ in question.every.heads]
    assert heads[:3] == ["Mechanism", "Submissions", "Median Δ"]  # the control has its own number
    assert "Data" not in heads


def test_other_levels_stand_in_where_the_usual_are_not_played():
    (question,) = shown(
        row(-0.1, alpha=0.01),
        row(-0.2, alpha=0.5),
        row(-0.1, mechanism="bayesboot_ladderboot", posterior_odds=99, b=10),
        row(-0.1, mechanism="bayesboot_ladderboot", posterior_odds=4, b=1000),
    )
    found = boards(question)
    assert found["Every score shown"] is None
    assert found["Ladder"] == "Ladder (α = 0.5)"  # .5 / .15 is less than .15 / .01
    assert found["Ladder with bootstrap noise"] == (
        "BayesBootLadderBoot (posterior odds ≥ 4, b = 1,000)"
    )


def test_permuted_response_first_then_the_strongest():
    questions = shown(
        row(-0.9, alpha=0.5, design="splits"),
        row(-0.1, alpha=0.5, dataset="weak"),
        row(-0.3, alpha=0.5, dataset="strong"),
        row(-0.2, alpha=0.5, dataset="strong", experiment="other"),
        row(-0.2, alpha=0.5, dataset="strong", design="official"),
    )
    assert [q.where for q in questions][-1] == "ad_like, random splits"
    assert questions[0].where == "strong, permuted response"
    assert [q.answers[0].delta for q in questions] == [
        *("−0.300", "−0.200", "−0.200", "−0.100", "−0.900")
    ]


def test_freedman_has_no_board_to_tell():
    (question,) = shown(
        row(-0.4, attack="freedman", board=None, iterations=None, n_selected=30, submissions=300)
    )
    assert question.how == "Freedman, MSE, 300 submissions, 1,000 replicates (step_forward)"


def test_no_interval_from_too_few_replicates():
    (question,) = shown(row(-0.5, delta_low=float("nan"), delta_high=float("nan"), replicates=1))
    assert question.answers[0].interval == ""
    assert "1 replicate (" in question.how


def test_nothing_but_controls_and_nothing_moved():
    (question,) = shown(row(0.0, mechanism="constant_board"))
    assert boards(question)["Most overfit"] == "Constant board"
    assert question.answers[0].bar == 0.0


def test_no_results():
    assert overview(pd.DataFrame()) == []


def test_an_unknown_mechanism_is_named():
    with pytest.raises(InputError, match="mechanism 'laddr' has no name"):
        shown(row(-0.1, mechanism="laddr"))

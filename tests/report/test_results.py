"""Rows of the tables: what attacks reached, and how many submissions are safe."""

import pandas as pd
import pytest

from shakedown.report.results import largest_budget, reached, safe_submissions, threats
from tests.report.summaries import row, summary

STUDY = (
    row(-0.20, mechanism="simplified_ladder", eta=0.01),
    row(-0.05, alpha=0.01),
    row(0.01, mechanism="ladderboot", alpha=0.01, b=10),
    row(-0.9, mechanism="fresh_holdout"),
    row(-0.03, mechanism="constant_board", submissions=300),
)


def texts(rows):
    return {k: str(v).replace("\u00a0", " ") for k, v in rows.items()}


def test_the_boards_that_are_overfit_most_and_least_without_controls():
    (question,) = reached(summary(*STUDY))
    assert texts(question) == {
        "data": "ad_like",
        "design": "permuted response",
        "attack": "Step-forward",
        "how": "MSE, a fresh board for each iteration",
        "submissions": "1490",
        "repeated": "1,000 replicates",
        "most": "−0.200 [−0.210, −0.190]",
        "most_board": "Simplified Ladder (η = 0.01)",
        "least": "0.010 [0.000, 0.020]",
        "least_board": "LadderBoot (α = 0.01, b = 10)",
        "silent": "−0.030 [−0.040, −0.020]",
        "table": '<a href="summary/step_forward.csv">step_forward</a>',
    }


def test_without_boards_the_controls_stand_alone_and_without_an_interval_the_number():
    (question,) = reached(summary(row(-0.9, mechanism="fresh_holdout", delta_low=None)))
    assert (question["most"], question["silent"]) == ("−0.900", "–")


def test_questions_keep_their_order():
    rows = [row(-0.1, dataset="b"), row(-0.9, dataset="a"), row(-0.2, dataset="b", metric="ccc")]
    questions = [
        (question["data"], question["how"].split(",")[0]) for question in reached(summary(*rows))
    ]
    assert questions == [("b", "MSE"), ("a", "MSE"), ("b", "Lin's CCC")]


def test_largest_budget_is_by_submissions_then_points():
    frame = summary(
        row(-0.1, alpha=0.5, submissions=900, iterations=3),
        row(-0.2, alpha=0.5, submissions=900, iterations=5),
        row(-0.3, alpha=0.5, submissions=800, iterations=5),
        row(-0.4, attack="freedman", iterations=None, n_selected=30, submissions=300),
        row(-0.5, attack="freedman", iterations=None, n_selected=29, submissions=300),
    )
    assert sorted(largest_budget(frame)["median_delta"]) == [-0.4, -0.2]


def played(deltas, **more):
    """The ends of an attack over 50, 100, 150 features, and a smaller number of iterations."""
    sizes = [(50, 1, 50), (100, 2, 199), (150, 3, 447)][: len(deltas)]
    more = {"alpha": 0.15} | more
    return [
        *(
            row(delta, n_features=p, iterations=i, submissions=n, **more)
            for delta, (p, i, n) in zip(deltas, sizes, strict=True)
        ),
        # Before its end an attack over many features says nothing of a budget.
        row(-9, n_features=100, iterations=1, submissions=100, **more),
    ]


@pytest.mark.parametrize(
    ("deltas", "safe", "over"),
    [
        ([-0.01, -0.02, -0.05], 447, "–"),
        ([-0.01, -0.02, -0.0501], 199, 447),
        # A number behind the first crossing is not safe, wherever its median lies.
        ([-0.01, -0.06, -0.04], 50, 199),
        ([-0.06, -0.01, -0.01], "none", 50),
    ],
)
def test_safe_is_the_largest_number_tried_before_the_crossing(deltas, safe, over):
    frame = summary(*played(deltas))
    (question,) = safe_submissions(frame, threshold=-0.05)
    assert question["tried"] == "50, 199 and 447"
    (board,) = question["rows"]
    assert (board["safe"], board["over"]) == (safe, over)
    assert safe_submissions(frame.iloc[::-1], threshold=-0.05) == [question]


def test_safe_submissions_by_board_without_controls():
    frame = summary(
        *played([-0.01, -0.06], alpha=0.5),
        *played([0, 0], mechanism="ladderboot", alpha=0.5, b=10),
        *played([-0.9, -0.9], mechanism="fresh_holdout", alpha=None),
    )
    (question,) = safe_submissions(frame, threshold=-0.05)
    assert [(board["safe"], board["over"]) for board in question["rows"]] == [(50, 199), (199, "–")]
    assert [board["safe"] for board in safe_submissions(frame, threshold=-0.1)[0]["rows"]] == [
        199
    ] * 2


def test_of_two_experiments_with_the_same_words_the_one_with_more_submissions_answers():
    short = summary(*played([-0.01, -0.02], alpha=0.5)).assign(experiment="first")
    long = summary(*played([-0.01, -0.06, -0.09], alpha=0.5)).assign(experiment="whole")
    for frames in ([short, long], [long, short]):
        (question,) = safe_submissions(pd.concat(frames), threshold=-0.05)
        assert question["tried"] == "50, 199 and 447"


def test_safe_submissions_need_budgets_that_differ():
    # A board that ends early, or other ways to spend the same number, are no budgets.
    early = summary(row(-0.1, alpha=0.5, submissions=1194), row(-0.1, alpha=0.01))
    assert safe_submissions(early, threshold=-0.05) == []
    spent = [row(-0.1, n_features=p, submissions=120, alpha=0.5) for p in (41, 26)]
    assert safe_submissions(summary(*spent), threshold=-0.05) == []


def test_the_map_of_threats_says_from_how_many_submissions_delta_is_too_much():
    table = pd.DataFrame(
        {
            "dataset": "small", "public_rows": 1209, "setting": "full_disclosure",
            "board": ["Full", "Full", "Full", "Digest"],
            "participant": ["modeller", "holder", "holder", "holder"],
            "delta": [-0.01, -0.2, -0.6, 0.0],
            "too_many": pd.array([None, 30, 1500, None], "Int64"),
            "is_proved": [False, False, False, True],
        }
    )  # fmt: skip
    shown = threats(table)
    assert [column[0] for column in shown["columns"]] == [
        "Leaderboard", "Public rows", "modeller", "holder",
    ]  # fmt: skip
    assert shown["rows"] == [
        {
            "board": "Full", "public": 1209, "modeller": "−0.010", "modeller, from": "",
            "holder": "−0.600", "holder, from": "from 30",
        },
        {
            "board": "Digest", "public": 1209, "modeller": "–", "modeller, from": "",
            "holder": "0.000", "holder, from": "proved",
        },
    ]  # fmt: skip

"""The sentence that a caption opens with says what the figure shows."""

import numpy as np
import pandas as pd
import pytest

from shakedown.figures import caption, findings
from shakedown.figures.kinds.limits import budget_ends
from shakedown.leaderboard.mechanism import of_setting
from tests.figures import frames
from tests.figures.samples import SAMPLES

LADDER = ({"mechanism": "ladder", "alpha": 0.15},)


def first(kind, frame, **settings):
    return caption(kind, frame, study="s", seed=1, **settings)


def with_delta(frame, by_setting):
    """The frame with one Δ for each setting, by its id."""
    return frame.assign(delta=frame["setting"].astype(str).map(by_setting))


def test_boxes_say_by_how_much_the_public_score_is_too_good():
    frame = SAMPLES["boxes"]
    settings = frame["setting"].astype(str).unique()
    values = {s: -0.16 if s == "full_disclosure" else -0.01 for s in settings}
    ladder = next(s for s in settings if s.startswith("ladder("))
    frame = with_delta(frame, values | {ladder: -0.03})
    said = first("boxes", frame, mechanism=["full_disclosure", "ladder"])
    assert said.startswith(
        "In the median the public MSE is too good by up to 0.16 (k = 1) on Full-disclosure and by "
        "up to 0.03 (α = 0.01, k = 1) on Ladder. "
    )
    # The number of features where it is most so counts, and not the last one.
    second = frame["point"].astype(int) == 2  # noqa: PLR2004
    frame = frame.assign(delta=frame["delta"].where(~second, frame["delta"] - 0.01))
    assert "0.04 (α = 0.01, k = 2) on Ladder" in first("boxes", frame, mechanism="ladder")
    # A public score that is not too good is not said to be.
    for small in (0.5, -0.0049):
        none = with_delta(frame, dict.fromkeys(settings, small))
        said = first("boxes", none, mechanism="full_disclosure")
        assert "is too good by less than 0.005 on Full-disclosure." in said


def test_boxes_of_several_designs_say_which():
    gaps = {"permuted": -0.16, "splits": -0.02}
    two = pd.concat(
        frames.outcomes(frames.FULL, design=design, replicates=3).assign(delta=delta)
        for design, delta in gaps.items()
    )
    assert first("boxes", two).startswith(
        "In the median the public MSE is too good by up to 0.16 (permuted response, k = 1) and by "
        "up to 0.02 (random splits, k = 1) on Full-disclosure. "
    )
    small = two.assign(delta=0.0)
    assert "by less than 0.005 (permuted response) and" in first("boxes", small)


def test_limits_say_where_the_median_passes():
    ends = budget_ends(SAMPLES["limits"])
    said = first("limits", SAMPLES["limits"], threshold=-0.02)
    for setting, part in ends.astype({"setting": str, "delta": float}).groupby("setting"):
        medians = part.groupby("budget")["delta"].median()
        beyond = [f"{k:,.0f}" for k, median in medians.items() if median < -0.02]
        board = of_setting(setting)
        if beyond:
            assert f"{beyond[0]} ({board.shown('alpha')})" in said
    assert findings.passing(ends, -99, kind="limits") == "The median never passes −99.00."
    deltas = {0.01: -0.01, 0.15: -0.1, 0.5: -0.3}
    is_ladder = (ends["mechanism"] == "ladder").to_numpy(dtype=bool)
    delta = ends["alpha"].astype(float).map(deltas).where(is_ladder, 0.0)
    said = findings.passing(ends.assign(delta=delta), -0.05, kind="limits")
    assert said.startswith(
        "The median passes −0.05 at 50 (α = 0.15) and 50 (α = 0.5) submissions on Ladder, never "
        "with α = 0.01; never on LadderBoot (b = "
    )


def test_equal_numbers_are_said_once_and_the_largest_first():
    said = findings.at_last_submission(
        {"A": 0.02, "B": 0.11, "C": 0.11}, "after 9 submissions", "mean error", number=str
    )
    assert said == "Mean error after 9 submissions: B and C 0.11; A 0.02."


def test_the_range_of_one_setting_is_one_number():
    frame = SAMPLES["grid"]
    frame = frame[frame["setting"].astype(str) == "ladder(alpha=0.15)"]
    frame = pd.DataFrame(frame).assign(delta=-0.5, score_public=0.9)
    assert findings.range_of_medians(frame, "delta") == (
        "After 5 iterations the public MSE is too good by 0.5 on Ladder (medians)."
    )
    assert findings.range_of_medians(frame, "score_public") == (
        "After 5 iterations the public MSE is 0.90 on Ladder (medians)."
    )


def test_the_range_of_several_settings_says_where_its_ends_are():
    frame = SAMPLES["grid"]
    ladder = frame[(frame["mechanism"] == "ladder").to_numpy(dtype=bool)]
    deltas = {0.01: 0.2, 0.15: -0.1, 0.5: -0.3}
    ladder = ladder.assign(delta=ladder["alpha"].astype(float).map(deltas))
    assert findings.range_of_medians(ladder, "delta") == (
        "After 5 iterations the public MSE is too good by less than 0.005 (α = 0.01) to 0.3 "
        "(α = 0.5) on Ladder (medians)."
    )


@pytest.mark.parametrize(("design", "word"), [("permuted", "replicates"), ("splits", "splits")])
@pytest.mark.parametrize(("wide", "says"), [(0.45, True), (0.35, False)])
def test_small_differences_between_boards_are_said_to_be_small(design, word, wide, says):
    frame = SAMPLES["grid"]
    frame = frame[(frame["mechanism"] == "ladder").to_numpy(dtype=bool)].assign(design=design)
    # Medians lie 0.2 apart.
    middle = frame["alpha"].astype(float).map({0.01: 0.0, 0.15: -0.1, 0.5: -0.2})
    end = (frame["point"] == frame["point"].max()).to_numpy(dtype=bool)
    spread = np.zeros(len(frame))
    spread[end] = np.tile([-wide, -wide / 2, 0.0, wide / 2, wide], end.sum() // 5)
    said = findings.range_of_medians(frame.assign(delta=middle + spread), "delta")
    words = f"Differences between boards are small beside the spread between {word}, whose"
    assert (words in said) == says
    assert f"quartiles lie {wide:.2f} apart." in said or not says


@pytest.mark.parametrize(
    "find", [findings.too_good, lambda f: findings.range_of_medians(f, "delta")]
)
def test_without_a_number_there_is_no_sentence(find):
    frame = SAMPLES["grid"]
    assert find(frame)
    assert find(frame.assign(delta=np.nan)) == ""


def test_the_board_furthest_from_the_truth_comes_first():
    ends = {"Ladder": 0.48, "Kaggle": 0.39, "truth": 0.5}
    said = findings.beside_truth(ends, "truth", "after 5 submissions", "loss", average="median")
    assert said == (
        "After 5 submissions Kaggle shows 0.39 for a submission whose true loss is 0.50; Ladder "
        "shows 0.48 (medians)."
    )

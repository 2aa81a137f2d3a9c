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
        "The public MSE is too good by at most 0.16 (k = 1) on Full-disclosure and 0.03 (k = 1) on "
        "Ladder (largest median). "
    )
    # The number of features where it is most so counts, and not the last one.
    second = frame["point"].astype(int) == 2  # noqa: PLR2004
    frame = frame.assign(delta=frame["delta"].where(~second, frame["delta"] - 0.01))
    assert "0.04 (k = 2) on Ladder" in first("boxes", frame, mechanism="ladder")
    # A public score that is not too good is not said to be.
    none = with_delta(frame, dict.fromkeys(settings, 0.5))
    assert "by at most 0.00 on Full-disclosure" in first("boxes", none, mechanism="full_disclosure")


def test_limits_say_where_the_median_passes():
    ends = budget_ends(SAMPLES["limits"])
    said = first("limits", SAMPLES["limits"], threshold=-0.02)
    for setting, part in ends.astype({"setting": str, "delta": float}).groupby("setting"):
        medians = part.groupby("budget")["delta"].median()
        beyond = [f"{k:,.0f}" for k, median in medians.items() if median < -0.02]
        board = of_setting(setting)
        if beyond:
            assert f"{beyond[0]} ({board.shown('alpha')})" in said
    assert findings.passing(ends, -1e9, kind="limits").count("never does") == len(
        {s.split("(")[0] + str(of_setting(s).parameters.get("b")) for s in ends["setting"].unique()}
    )


@pytest.mark.parametrize(("design", "says"), [("permuted", True), ("splits", False)])
def test_traces_fall_only_where_nothing_can_be_learned(design, says):
    frame = frames.traces(LADDER, attack="step_forward", n_features=40)
    last = frame["iteration"].astype(float).max()
    released = np.where(frame["iteration"].astype(float) == last, 0.46, 1.0)
    said = first("traces", frame.assign(released=released, design=design))
    words = "the shown MSE falls from 1.00 to 0.46 on Ladder (α = 0.15), although nothing can be"
    assert (words in said) == says
    still = first("traces", frame.assign(released=1.0))
    assert "falls" not in still


def test_equal_numbers_are_said_once_and_the_largest_first():
    said = findings.at_last_submission(
        {"A": 0.02, "B": 0.11, "C": 0.11}, "after 9 submissions", "mean error", number=str
    )
    assert said == "Mean error after 9 submissions: B and C 0.11; A 0.02."


def test_the_range_of_one_setting_is_one_number():
    frame = SAMPLES["grid"]
    frame = frame[frame["setting"].astype(str) == "ladder(alpha=0.15)"]
    frame = pd.DataFrame(frame).assign(delta=-0.5)
    assert findings.range_of_medians(frame, "delta") == (
        "Medians after 5 iterations: −0.500 (α = 0.15)."
    )


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

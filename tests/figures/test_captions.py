"""Captions say what, on which data, over how many replicates, how to read it, and the seed."""

import pandas as pd
import pytest

from shakedown.figures import FIGURE_KINDS, caption, captions, picture
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism
from shakedown.metrics import find
from tests.figures import frames
from tests.figures.samples import SAMPLES


def said(kind, frame=None, **settings):
    frame = SAMPLES[kind] if frame is None else frame
    return caption(kind, frame, study="trial", seed=1607, **settings)


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_every_caption_names_study_and_seed(kind):
    text = said(kind)
    assert text.endswith(" Study trial, seed 1607.")
    assert "  " not in text
    assert ".." not in text


@pytest.mark.parametrize(("metric", "word"), [("mse", "lowest"), ("pearson", "largest")])
def test_the_leaderboard_error_is_from_the_best_true_score(metric, word):
    text = captions.leaderboard_error(find(metric))
    assert f"the {word} true {find(metric).label} among the submissions" in text


@pytest.mark.parametrize("kind", ["boxes", "grid", "limits"])
def test_captions_of_outcomes_name_data_replicates_and_boxes(kind):
    text = said(kind)
    assert "Data: ad_like, permuted response" in text
    each, marks = (
        ("point", "the middle half of the replicates.")
        if kind == "boxes"
        else ("box", "whiskers: ")
    )
    assert f"; 40 replicates per {each}" in text
    assert marks in text


def test_traces_of_freedman():
    text = said("traces")
    assert "of Freedman's attack, in one replicate" in text
    assert "Diamonds: the 30 features" in text
    frame = SAMPLES["traces"]
    ladder = frame[(frame["mechanism"] == "ladder").to_numpy(dtype=bool)]
    last = ladder.loc[ladder["accepted"].to_numpy(dtype=bool), "submission"].max()
    assert (
        "Dotted line: the last jump, after which the score no longer changes (submission "
        f"{last:,} on Ladder (α = 0.15))."
    ) in text
    same = ({"mechanism": "ladder", "alpha": 0.15},)
    steps = frames.traces(same, attack="step_forward", n_features=40).assign(n_features=1000)
    both = pd.concat([ladder, steps])
    assert (
        "Dotted line, only in panel a: the last jump, after which the score no longer changes "
        f"(submission {last:,})."
    ) in said("traces", both)


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("fresh", "each on a fresh board; every submission also holds the features taken before"),
        ("carried_on", "all on one board"),
    ],
)
def test_traces_of_the_step_forward_attack(board, words):
    ladder = ({"mechanism": "ladder", "alpha": 0.15},)
    frame = frames.traces(ladder, attack="step_forward", n_features=40)
    frame = frame.assign(iteration_board=board)
    text = said("traces", frame)
    assert f"White and grey bands: the ten iterations, {words}. Red lines: " in text
    none = " or, if it sees no jump, the first of the iteration"
    accepts = ", which a fresh board always accepts." if board == "fresh" else "."
    assert f"that is, the one with the last jump that the attack sees{none}{accepts}" in text
    starts = frame.groupby("iteration")["submission"].transform("min")
    elsewhere = frame.assign(selected=frame["selected"].where(frame["submission"] != starts, 0))
    assert "if it sees no jump" not in said("traces", elsewhere)
    shown = said("traces", frame.assign(mechanism="full_disclosure", setting="full_disclosure"))
    assert "the attack sees (in Full-disclosure, where every score is shown, the best one)" in shown


def test_captions_say_which_way_delta_goes_where_no_axis_does():
    assert "Δ = public − final; below 0" in said("boxes", layout="compact")
    ccc = frames.outcomes(metric="ccc")
    assert "Δ = final − public; below 0" in said("boxes", ccc, layout="compact")
    for kind in ("boxes", "grid", "limits"):
        assert "below 0" not in said(kind)


def test_the_line_at_0_is_explained_once():
    assert "Dashed line" not in said("grid") + said("boxes", frames.outcomes(metric="ccc"))
    alone = said("grid", mechanism="ladder")
    assert "Dashed line: Δ = 0." in alone
    assert not picture("grid", SAMPLES["grid"], mechanism="ladder").figure.legends
    assert "Dashed lines: Δ = 0 and MSE = 1" in said("boxes")


def test_the_board_is_named_for_attacks_with_iterations():
    assert "a fresh board for each iteration" in said("grid")
    assert "board carried on" not in said("boxes")


@pytest.mark.parametrize(
    ("kind", "settings"), [("traces", {}), ("boxes", {}), ("grid", {"value": "score_public"})]
)
def test_the_line_across_scores_is_called_what_it_is(kind, settings):
    # The intercept-only model scores (n - 1) / n, not 1.
    text = said(kind, **settings)
    assert "MSE = 1, the variance of the response" in text
    assert "intercept" not in text


def test_signs_of_parameters_are_explained():
    assert "α: Significance level of the paired t-test" in said("boxes")
    text = said("grid")
    assert text.count("α: ") == text.count("b: Bootstrap replications") == 1


def test_grid_says_what_is_shown():
    assert ". ΔMSE of the model" in said("grid")
    assert ". Public MSE of the model" in said("grid", value="score_public")


@pytest.mark.parametrize(("design", "says"), [("permuted", False), ("splits", True)])
def test_a_gain_with_a_signal_is_partly_real(design, says):
    frame = SAMPLES["grid"].assign(design=design)
    words = "Part of the gain is real, as the signal is kept."
    assert (words in said("grid", frame, value="score_public")) == says
    assert words not in said("grid", frame)


def test_a_score_that_is_better_if_larger_is_said_to_be():
    text = said("boxes", frames.outcomes(metric="ccc"), layout="compact")
    assert "Lin's CCC (concordance correlation coefficient): higher is better." in text
    assert "higher is better" not in said("boxes")


def test_iterations_shown_are_those_chosen():
    assert "after 2 to 4 iterations" in said("grid", point=[2, 3, 4])
    assert "after 1 iteration." in said("grid", point=1)


def test_limits_tell_how_the_submissions_are_spent():
    text = said("limits", threshold=-0.02)
    assert (
        "step-forward attack, from 1 iteration over 50 features (50 submissions) to 6 iterations "
        "over 300 features (1,785 submissions)." in text
    )
    assert "above the line at −0.02" in text


def test_unequal_replicates_are_said():
    frame = SAMPLES["grid"]
    drop = (frame["mechanism"] == "ladder") & (frame["replicate"] > 4)
    assert "5 to 40 replicates per box" in said("grid", frame[~drop.to_numpy(dtype=bool)])


def test_released_scores_are_counted():
    assert "prediction, 50 in each panel" in said("release_variability")
    assert "prediction, 50 in each box" in said("release_variability", view="boxes")
    assert " Data set: correlated. Study" in said("release_variability")


def test_captions_check_as_drawing_does():
    with pytest.raises(InputError, match="no row has dataset = other"):
        said("grid", dataset="other")


def test_odds_are_said_as_probabilities():
    boards = [mechanism("bayesboot_ladder", posterior_odds=odds) for odds in (1.0, 99.0, 5.67)]
    assert captions.parameters(boards)[-1] == (
        "Odds of 99, 5.67 and 1 are probabilities of .99, .85 and .50."
    )


def test_a_sign_means_what_most_settings_say():
    names = ("kaggle", "general_ladder", "general_ladder", "simplified_ladder")
    boards = [mechanism(name, eta=0.01) for name in names]
    (said,) = captions.parameters(boards)
    assert said == (
        "η: Step of the shown score, and by how much a file must beat it; in units of the score."
    )


def test_a_sign_does_not_say_what_null_is():
    (said,) = captions.parameters([mechanism("rank_board", eta=0.01)])
    assert said == "η: Scores are rounded to a multiple of this before ranking."

"""Captions of released scores open with what came out of the attacks."""

import numpy as np
import pandas as pd
import pytest

from shakedown.figures import picture, trace_findings
from shakedown.figures.style import CHOSEN
from tests.figures import frames

FULL = {"mechanism": "full_disclosure"}
LADDER = {"mechanism": "ladder", "alpha": 0.15}
BOOT = {"mechanism": "ladderboot", "alpha": 0.15, "b": 10}


def freedman(*boards, **columns):
    return frames.traces(boards, n_features=100).assign(**columns)


def stepwise(*boards, scores, noise=0.0, **columns):
    """Traces of ten iterations with these scores, one per iteration, and noise."""
    frame = frames.traces(boards, attack="step_forward", n_features=40)
    released = np.asarray(scores)[frame["iteration"].astype(int) - 1]
    wobble = np.random.default_rng(1).normal(size=len(frame)) * noise
    return frame.assign(released=released + wobble, **columns)


def taking(frame, submissions):
    return frame.assign(selected=frame["submission"].isin(submissions).astype(int))


@pytest.mark.parametrize(("design", "word"), [("permuted", "luckiest"), ("splits", "best")])
def test_what_freedman_takes_from_exact_scores(design, word):
    said = picture("traces", freedman(FULL, design=design)).caption
    assert said.startswith(
        f"On Full-disclosure Freedman's attack takes the 30 {word} of 100 features. Each dot: "
    )


def test_what_freedman_takes_after_the_last_jump():
    frame = freedman(LADDER)
    released = np.select([frame["submission"] < 5, frame["submission"] < 20], [1.0, 0.9], 0.8)
    steps = frame.assign(released=released)
    assert trace_findings.picks(taking(steps, range(20, 50))) == (
        "On Ladder (α = 0.15) Freedman's attack sees only 3 different scores. Every submission "
        "from the last jump on gets the best of them, so the attack takes the features of the "
        "first 30 from there."
    )
    # Others are not said to be those after the jump.
    for others in (range(21, 51), [*range(20, 49), 60]):
        assert trace_findings.picks(taking(steps, others)) == (
            "On Ladder (α = 0.15) Freedman's attack takes the 30 luckiest of 100 features."
        )


def test_what_freedman_takes_from_noisy_scores():
    exact, noisy = taking(freedman(FULL), range(1, 31)), taking(freedman(BOOT), range(27, 57))
    assert trace_findings.picks(pd.concat([exact, noisy])).endswith(
        " features. On LadderBoot (α = 0.15, b = 10) noise decides: 4 of the 30 taken are among "
        "the 30 luckiest."
    )
    more = taking(freedman(BOOT | {"b": 100}), [9, 40, 80])
    assert trace_findings.picks(pd.concat([noisy, more])) == (
        "On boards with noise Freedman's attack takes features from anywhere between submissions "
        "9 and 80."
    )


def test_each_kind_of_attack_has_its_own_sentence():
    assert trace_findings.iterations(freedman(FULL)) == ""
    assert trace_findings.picks(stepwise(LADDER, scores=np.ones(10))) == ""


@pytest.mark.parametrize(("design", "says"), [("permuted", True), ("splits", False)])
def test_the_released_score_falls_where_nothing_can_be_learned(design, says):
    frame = stepwise(LADDER, scores=np.linspace(1, 0.46, 10), design=design)
    assert trace_findings.iterations(frame) == says * (
        "The data have no signal, and yet on Ladder (α = 0.15) the mean MSE released to the "
        "step-forward attack falls from 1.00 in its first iteration to 0.46 in its last."
    )
    rising = frame.assign(metric="ccc", released=1 - frame["released"])
    assert (
        "rises from 0.00 in its first iteration to 0.54 in its last."
        in trace_findings.iterations(rising)
    ) == says


def test_boards_on_which_nothing_falls():
    falling = stepwise(FULL, scores=np.linspace(1, 0.46, 10))
    still = stepwise(LADDER, scores=np.linspace(1, 0.997, 10))
    assert trace_findings.iterations(still) == ""
    both = trace_findings.iterations(pd.concat([falling, still]))
    hardly = (
        " from 1.00 in its first iteration to 0.46 in its last. It hardly falls on Ladder "
        "(α = 0.15) (1.000 to 0.997)"
    )
    rounding = "On Ladder (α = 0.15) rounding leaves only 10 different scores."
    assert both.endswith(f"{hardly}. {rounding}")
    risen = stepwise(BOOT, scores=np.linspace(1, 1.03, 10), accepted=1)
    three = trace_findings.iterations(pd.concat([falling, still, risen]))
    assert three.endswith(
        f"{hardly} and does not fall on LadderBoot (α = 0.15, b = 10) (1.00 and 1.03). {rounding}"
    )


HIDDEN = (
    "Accepted submissions make the score jump, but noise hides jumps: on LadderBoot (α = 0.15, "
    "b = 10) the step-forward attack takes the feature of an accepted submission in only 3 of 10 "
    "iterations (solid lines){rest}. Where it takes noise for a jump, or sees a jump too late, it "
    "takes a wrong feature (dashed lines), which stays in all later submissions, so that scores "
    "can get worse again. The data have no signal"
)


def where_some_were_accepted(count, board=BOOT, **columns):
    """Traces on a board with noise; of the ten submissions taken, the first few were accepted."""
    frame = stepwise(board, scores=np.linspace(1, 0.46, 10), noise=0.001, **columns)
    picked = frame["selected"] == 1
    return frame.assign(accepted=(picked & (picked.cumsum() <= count)).astype(int))


def test_noise_hides_a_jump_where_the_feature_of_no_accepted_submission_is_taken():
    some, more = where_some_were_accepted(3), where_some_were_accepted(8, BOOT | {"b": 100})
    exact = stepwise(LADDER, scores=np.linspace(1, 0.46, 10), accepted=0)
    for parts, rest in (
        ([exact, some], ""),
        ([more, some], "; on LadderBoot (α = 0.15, b = 100) in 8 of 10"),
    ):
        assert trace_findings.iterations(pd.concat(parts)).startswith(HIDDEN.format(rest=rest))
    assert trace_findings.iterations(where_some_were_accepted(10)).startswith(
        "The data have no signal"
    )


def test_lines_say_which_submissions_were_accepted():
    made = picture("traces", where_some_were_accepted(3))
    ends = [line.is_dashed() for line in made.figure.axes[0].lines if line.get_color() == CHOSEN]
    assert ends == [False] * 3 + [True] * 7


def test_captions_name_panels_where_there_are_several():
    both = pd.concat(
        [stepwise(LADDER, scores=np.linspace(1, 0.46, 10)), where_some_were_accepted(3)]
    )
    full = stepwise(FULL, scores=np.ones(10), accepted=1)
    three = picture("traces", pd.concat([full, both])).caption
    assert three.startswith(
        "Accepted submissions make the score jump, as seen in panel b, but noise hides jumps: on"
    )
    text = picture("traces", both).caption
    assert text.startswith("Accepted submissions make the score jump, as seen in panel a, but")
    assert ": in panel a from 1.00 to 0.46 and in panel b from 1.00 to 0.46. " in text
    assert "on LadderBoot (α = 0.15, b = 10), panel b, the step-forward attack takes" in text
    assert " Horizontal dashed line: MSE = 1" in text


def taking_at(place):
    """Traces whose submission taken is at a place of each iteration, from either end."""
    frame = stepwise(BOOT, scores=np.ones(10))
    of = frame.groupby("iteration")["submission"]
    at = of.transform("max") + place + 1 if place < 0 else of.transform("min") + place
    return frame.assign(selected=(frame["submission"] == at).astype(int))


def test_lines_where_two_bands_meet_are_said_to_be_of_one():
    right = "A red line where two bands meet belongs to the band on its"
    first = taking_at(0)
    assert f"{right} right." in picture("traces", first.assign(accepted=1)).caption
    dashed = f"{right} right. A dashed line at the start of iteration 2, iteration 3,"
    assert dashed in picture("traces", taking_at(1).assign(accepted=0)).caption
    assert "a few submissions after" not in picture("traces", first.assign(accepted=0)).caption
    assert right not in picture("traces", taking_at(15)).caption
    late = taking_at(-1)
    one = late.assign(selected=late["selected"].where(late["iteration"] == 2, 0))
    at = f"{one.loc[one['selected'] == 1, 'submission'].item():,}"
    but = f"the line at submission {at} belongs to iteration 2, on its left."
    assert f"{right} right, but {but}" in picture("traces", one).caption
    both = picture("traces", pd.concat([stepwise(LADDER, scores=np.ones(10)), one])).caption
    assert f"{right} right, but in panel b {but}" in both


def test_first_scores_that_stand_apart_are_explained_where_they_do():
    def begun(board, first, **columns):
        frame = stepwise(board, scores=np.ones(10), **columns)
        is_first = frame["submission"] == frame.groupby("iteration")["submission"].transform("min")
        return frame.assign(released=frame["released"].mask(is_first, first))

    said = "ots that stand apart at the start of a band are the first score of that band’s board"
    ladder = begun(LADDER, 1.2)
    assert f" D{said}" in picture("traces", ladder).caption
    assert said not in picture("traces", begun(LADDER, 1.0)).caption
    assert said not in picture("traces", begun(FULL, 1.2)).caption
    # Of noise of .1, a score that is .2 away is not apart; of .02 it is.
    for noise, words in ((0.1, f" In panel a, d{said}"), (0.02, f" D{said}")):
        both = pd.concat([ladder, begun(BOOT, 1.2, noise=noise)])
        assert words in picture("traces", both).caption


def test_where_an_attack_ends_early():
    long = stepwise(BOOT | {"b": 1000}, scores=np.ones(10), noise=0.01)
    short = stepwise(BOOT, scores=np.ones(10), noise=0.01)
    short = short[(short["iteration"].astype(int) <= 2).to_numpy(dtype=bool)]
    both = pd.concat([long, short])
    assert trace_findings.iterations(both) == (
        "The step-forward attack ends after 2 iterations on LadderBoot (α = 0.15, b = 10), after "
        "10 on LadderBoot (α = 0.15, b = 1,000)."
    )
    # Noise that grows tenfold between the first 50 scores and the last.
    late = (short["submission"] > short["submission"].max() - 50).to_numpy(dtype=bool)
    grown = short.assign(released=1 + (short["released"] - 1) * np.where(late, 10, 1))
    first, last = (
        1.4826 / np.sqrt(2) * np.median(np.abs(np.diff(part["released"])))
        for part in (grown[:50], grown[-50:])
    )
    words = f"b = 10), whose noise grows (standard deviation {first:.2g} to {last:.2g}), after 10"
    assert words in trace_findings.iterations(pd.concat([long, grown]))


def test_noise_is_measured_between_jumps():
    steps = np.repeat([1.0, 0.5, 0.2], 400) + np.random.default_rng(2).normal(size=1200) * 0.03
    # Six standard errors of a median of 1,200 absolute differences, which are correlated.
    assert trace_findings.noise_sd(steps) == pytest.approx(0.03, rel=0.25)

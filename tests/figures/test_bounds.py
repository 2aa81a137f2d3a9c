"""The figure of bounds: what its lines and words are, what it merges and what it refuses."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from shakedown.figures import caption, draw
from shakedown.figures.kinds.bounds import sharpest
from shakedown.figures.style import BAND, INK
from shakedown.interface import InputError
from shakedown.theory.bounds import ANY_STEP, FIXED, LADDER, SIMPLIFIED
from tests.figures.bound_frames import POINTS, compared
from tests.figures.label_frames import FULL, GENERAL, SIMPLE

FRAME = compared()


def panel(figure, name):
    return next(ax for ax in figure.axes if name in ax.get_title(loc="left"))


def theory(ax):
    return [line for line in ax.lines if to_hex(line.get_color()) == INK]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def verdict(ax):
    return ax.get_title(loc="left").split("\n")[1]


def of(mechanism):
    return FRAME[FRAME["setting"].astype(str).str.startswith(mechanism).to_numpy(dtype=bool)]


def test_each_panel_has_what_was_reached_and_its_bound():
    figure = draw("bounds", FRAME)
    for mechanism, name in (("general_ladder", "General"), ("full_disclosure", "Full")):
        ax, rows = panel(figure, name), of(mechanism)
        (bound,) = theory(ax)
        assert bound.get_ydata() == pytest.approx(rows["bound"])
        (reached,) = [line for line in ax.lines if line is not bound]
        assert reached.get_xdata() == pytest.approx(POINTS)
        assert reached.get_ydata() == pytest.approx(rows["simulated"])
        assert ax.get_xscale() == ax.get_yscale() == "log"


def test_the_sharpest_of_several_theorems_is_drawn():
    rows = of("simplified_ladder")
    assert set(rows["theorem"]) == {SIMPLIFIED, ANY_STEP}
    assert set(sharpest(rows)["theorem"]) == {ANY_STEP}
    (bound,) = theory(panel(draw("bounds", FRAME), "Simplified"))
    expected = rows[rows["theorem"] == ANY_STEP]["bound"]
    assert bound.get_ydata() == pytest.approx(expected)
    # The General Ladder has the same submissions in the same experiment, and keeps its own.
    assert set(sharpest(FRAME)["theorem"]) == {ANY_STEP, FIXED, LADDER}


def test_a_bound_that_does_not_hold_for_attacks_is_dashed_and_called_broken():
    figure = draw("bounds", FRAME)
    assert theory(panel(figure, "Full"))[0].is_dashed()
    assert not theory(panel(figure, "General"))[0].is_dashed()
    assert verdict(panel(figure, "Full")) == "attack exceeds the bound for"
    end = of("general_ladder").iloc[-1]
    assert verdict(panel(figure, "General")) == f"bound {end.ratio:.2g} × the error"
    assert verdict(panel(figure, "Parameter-free")) == "no bound is proved"
    assert theory(panel(figure, "Parameter-free")) == []


def test_no_factor_stands_against_a_bound_that_says_nothing():
    large = FRAME.assign(bound=FRAME["bound"] + 0.5)
    shown = verdict(panel(draw("bounds", large), "General"))
    assert shown == "bound above 0.5 throughout"


def test_where_a_bound_says_nothing_is_grey():
    for ax in draw("bounds", FRAME).axes:
        grey = ax.patches[0]
        assert grey.get_facecolor()[:3] == pytest.approx(
            tuple(int(BAND[i : i + 2], 16) / 255 for i in (1, 3, 5))
        )
        assert grey.get_y() == 0.5


def test_forms_of_one_attack_that_never_meet_are_one():
    plain = compared([FULL], experiment="plain")
    sharper = compared([GENERAL], experiment="lowered")
    assert (
        legend(draw("bounds", pd.concat([plain, sharper])))[0] == "reached by the boosting attack"
    )
    both = pd.concat([compared([GENERAL], experiment="plain_votes"), sharper])
    assert legend(draw("bounds", both))[:2] == ["reached by plain votes", "reached by lowered"]
    figure = draw("bounds", both, attacks={"plain_votes": "votes", "lowered": "votes"})
    assert legend(figure)[0] == "reached by votes"
    lines = [line for line in panel(figure, "General").lines if to_hex(line.get_color()) != INK]
    assert {line.get_marker() for line in lines} == {"o"}


def test_accounts_that_no_theorem_covers_have_no_bound():
    frame = compared([GENERAL, SIMPLE], experiment="many").assign(iteration_board="fresh")
    rows = frame.assign(bound=np.inf)
    figure = draw("bounds", rows)
    assert verdict(panel(figure, "General")) == "no bound is proved"
    assert not any(text.startswith("bound for") for text in legend(figure))


def test_the_caption_names_the_theorems_and_the_chance():
    text = caption("bounds", FRAME, study="binary", seed=3)
    for words in (
        "90 % of the replicates of the boosting attack stayed below",
        f"with a chance of 90 % no attack gets above them (b: {LADDER}; c: {ANY_STEP})",
        "fixed before any score was shown (Blum & Hardt, eq. 2)",
        "4,000 public labels; 30 replicates per point",
        "Study binary, seed 3.",
    ):
        assert words in text
    alone = caption("bounds", compared([FULL]), study="binary", seed=3)
    assert "Solid black lines" not in alone
    assert "Dashed black lines" in alone
    assert "Dashed" not in caption("bounds", compared([GENERAL]), study="binary", seed=3)


def test_titles_fit_above_their_panels():
    for mechanisms in ((FULL, GENERAL, SIMPLE), (FULL, GENERAL), (GENERAL,)):
        figure = draw("bounds", compared(mechanisms))
        figure.draw_without_rendering()
        assert figure.get_figwidth() == 7.2
        titles = [ax._left_title.get_window_extent() for ax in figure.axes]
        assert max(box.x1 for box in titles) <= figure.bbox.x1
        assert not any(a.overlaps(b) for a, b in itertools.pairwise(titles))


def test_what_makes_no_figure_is_refused():
    with pytest.raises(InputError, match="shows one dataset at a time"):
        draw("bounds", pd.concat([FRAME, FRAME.assign(dataset="other")]))
    with pytest.raises(InputError, match="shows one chance at a time"):
        draw("bounds", pd.concat([FRAME, FRAME.assign(chance=0.3)]))
    with pytest.raises(InputError, match="needs the column bound"):
        draw("bounds", FRAME.drop(columns="bound"))


def test_an_interval_without_an_upper_end_is_spoken_of():
    some = (FRAME["submissions"] == POINTS[0]).to_numpy(bool)
    high = FRAME["simulated_high"]
    for gone, said in ((some, True), (np.zeros_like(some), False)):
        frame = FRAME.assign(simulated_high=high.fillna(1.0).mask(gone))
        text = caption("bounds", frame, study="s", seed=1)
        assert (
            "With 30 replicates (the boosting attack) the interval has no upper end;" in text
        ) == said


def test_the_caption_opens_with_what_the_bounds_are_worth():
    text = caption("bounds", FRAME, study="s", seed=1)
    ratio = of("general_ladder").iloc[-1].ratio
    assert text.startswith(
        f"After 1,000 submissions the bound is {ratio:.2g} × the error that the boosting attack "
        "reaches on General Ladder (η = 0.01) and "
    )
    assert (
        ". On Full-disclosure an attack gets above the dashed bound, which holds only for "
        "submissions fixed before any score is shown. Coloured lines:"
    ) in text
    large = caption("bounds", FRAME.assign(bound=FRAME["bound"] + 0.5), study="s", seed=1)
    assert large.startswith(
        "No score can be off by more than 0.5 here, yet the bound is above that on "
        "Full-disclosure throughout, on General Ladder (η = 0.01) throughout and on"
    )
    others = FRAME.assign(experiment="b", attack="enumeration")
    both = caption("bounds", pd.concat([FRAME, others]), study="s", seed=1)
    assert " × the error that attacks reach on General Ladder" in both


def test_lines_and_bands_that_fall_are_explained():
    falls = FRAME.assign(simulated=FRAME["simulated"].to_numpy()[::-1], simulated_high=np.nan)
    for frame, says in ((falls, True), (FRAME.sort_values("submissions"), False)):
        text = caption("bounds", frame, study="s", seed=1)
        assert ("so a line or a band can fall from one number to the next" in text) == says

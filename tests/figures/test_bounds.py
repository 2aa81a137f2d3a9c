"""The figure of bounds: what its lines and words are, what it merges and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from shakedown.bounds import ANY_STEP, FIXED, LADDER, SIMPLIFIED
from shakedown.figures import caption, draw
from shakedown.figures.bounds import sharpest
from shakedown.figures.style import BAND, INK
from shakedown.interface import InputError
from tests.figures.bound_frames import POINTS, compared
from tests.figures.label_frames import FULL, GENERAL, SIMPLE

FRAME = compared()


def panel(figure, name):
    return next(ax for ax in figure.axes if name in ax.get_title(loc="left"))


def theory(ax):
    return [line for line in ax.lines if line.get_color() == INK]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def told(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def of(mechanism):
    return FRAME[(FRAME["mechanism"] == mechanism).to_numpy(dtype=bool)]


def test_each_panel_has_what_was_reached_and_its_bound():
    figure = draw("bounds", FRAME)
    for mechanism, name in (("general_ladder", "General"), ("full_disclosure", "Full")):
        ax, rows = panel(figure, name), of(mechanism)
        (bound,) = theory(ax)
        assert bound.get_ydata().tolist() == rows["bound"].tolist()
        (reached,) = [line for line in ax.lines if line is not bound]
        assert reached.get_xdata().tolist() == list(POINTS)
        assert reached.get_ydata().tolist() == rows["simulated"].tolist()
        assert ax.get_xscale() == ax.get_yscale() == "log"


def test_the_sharpest_of_several_theorems_is_drawn():
    rows = of("simplified_ladder")
    assert set(rows["theorem"]) == {SIMPLIFIED, ANY_STEP}
    assert set(sharpest(rows)["theorem"]) == {ANY_STEP}
    (bound,) = theory(panel(draw("bounds", FRAME), "Simplified"))
    expected = rows[rows["theorem"] == ANY_STEP]["bound"]
    assert bound.get_ydata().tolist() == expected.tolist()
    # The General Ladder has the same submissions in the same experiment, and keeps its own.
    assert set(sharpest(FRAME)["theorem"]) == {ANY_STEP, FIXED, LADDER}


def test_a_bound_that_does_not_hold_for_attacks_is_dashed_and_told_to_be_broken():
    figure = draw("bounds", FRAME)
    assert theory(panel(figure, "Full"))[0].is_dashed()
    assert not theory(panel(figure, "General"))[0].is_dashed()
    assert told(panel(figure, "Full")) == ["broken"]
    end = of("general_ladder").iloc[-1]
    assert told(panel(figure, "General")) == [f"× {float(f'{end.ratio:.2g}'):g}"]
    assert told(panel(figure, "Parameter-free")) == ["nothing is proved"]
    assert theory(panel(figure, "Parameter-free")) == []


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
    lines = [line for line in panel(figure, "General").lines if line.get_color() != INK]
    assert {line.get_marker() for line in lines} == {"o"}


def test_accounts_that_no_theorem_covers_have_no_bound():
    frame = compared([GENERAL, SIMPLE], experiment="many").assign(board="fresh")
    rows = frame.assign(bound=np.inf)
    figure = draw("bounds", rows)
    assert told(panel(figure, "General")) == ["nothing is proved"]
    assert not any(text.startswith("theory") for text in legend(figure))


def test_the_caption_names_the_theorems_and_the_chance():
    text = caption("bounds", FRAME, study="coins", seed=3)
    for words in (
        "90 % of the plays of the boosting attack stayed below",
        f"with a chance of 90 % ({LADDER}; {ANY_STEP})",
        "fixed before any score was shown (Blum & Hardt, eq. 2)",
        "4,000 public labels; 30 replicates per point",
        "Study coins, seed 3.",
    ):
        assert words in text
    alone = caption("bounds", compared([FULL]), study="coins", seed=3)
    assert "Black lines" not in alone
    assert "Dashed lines" in alone
    assert "Dashed" not in caption("bounds", compared([GENERAL]), study="coins", seed=3)


def test_nothing_overlaps_at_the_width_of_a_page():
    for mechanisms in ((FULL, GENERAL, SIMPLE), (FULL, GENERAL), (GENERAL,)):
        figure = draw("bounds", compared(mechanisms))
        figure.draw_without_rendering()
        assert figure.get_figwidth() == 7.2
        page = figure.bbox
        for ax in figure.axes:
            for text in ax.texts:
                if text.get_text():
                    box = text.get_window_extent()
                    assert page.x0 <= box.x0
                    assert box.x1 <= min(page.x1, ax.bbox.x1 + 4)


def test_what_makes_no_figure_is_refused():
    with pytest.raises(InputError, match="shows one dataset at a time"):
        draw("bounds", pd.concat([FRAME, FRAME.assign(dataset="other")]))
    with pytest.raises(InputError, match="shows one chance at a time"):
        draw("bounds", pd.concat([FRAME, FRAME.assign(chance=0.3)]))
    with pytest.raises(InputError, match="needs the column bound"):
        draw("bounds", FRAME.drop(columns="bound"))
    many = pd.concat([compared([GENERAL], experiment=f"e{i}") for i in range(5)])
    with pytest.raises(InputError, match="at most 4 attacks apart, got e0, e1, e2, e3, e4"):
        draw("bounds", many)

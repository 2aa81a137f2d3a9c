"""A mechanism with a parameter that nobody has heard of, and a kind of figure from elsewhere."""

from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from shakedown.component import parameter
from shakedown.figures import FigureKind, Picture, caption, draw
from shakedown.figures.style import line_colour, look_of
from shakedown.interface import InputError
from shakedown.leaderboard.gates import Margin
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.releases import Exact
from tests.figures import bound_frames, frames, label_frames
from tests.figures.test_kinds import boxes_in, panels, title, words


class Tilted(Mechanism):
    """A board that is tilted by gamma, at some level of strictness."""

    label: ClassVar[str] = "Tilted"
    sentence: ClassVar[str] = "Tilts."

    gamma: int = parameter(symbol="γ", description="How far it tilts.")
    strictness: float | None = parameter(
        None, symbol="strictness", role="level", description="How strict it is."
    )
    wobble: int | None = parameter(
        None, symbol="w", role="noise", descending=True, description="How much it wobbles."
    )

    @cached_property
    def gate(self):
        return Margin(0.0, 0.0)

    @cached_property
    def release(self):
        return Exact()


class Counts(FigureKind):
    """How many rows there are of each setting."""

    label: ClassVar[str] = "Counts"
    sentence: ClassVar[str] = "Rows by setting."

    style: Literal["bars", "line"] = parameter("bars", description="How it is drawn.")

    def picture(self, rows):
        figure = Figure()
        figure.subplots().bar(*np.unique(rows["setting"].astype(str), return_counts=True))
        return Picture(figure, self.sentence)


NAME = f"{__name__}.Tilted"
TWO = tuple({"mechanism": NAME, "gamma": gamma} for gamma in (3, 7))
TITLES = ["Tilted (γ = 3)", "Tilted (γ = 7)"]
STEP = frames.outcomes((*frames.FULL, *TWO), attack="step_forward", replicates=5)
SAMPLES = {
    "traces": (frames.traces(TWO, n_features=60), {}),
    "boxes": (frames.outcomes(TWO, replicates=5), {}),
    "grid": (STEP, {}),
    "limits": (frames.budgets(TWO, replicates=5), {}),
    "growth": (label_frames.outcomes(TWO), {}),
    "trajectories": (label_frames.outcomes(TWO), {}),
    "bounds": (bound_frames.compared(TWO), {}),
}


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_each_of_its_settings_has_a_label_of_its_own(kind):
    frame, settings = SAMPLES[kind]
    shown = " ".join(words(draw(kind, frame, **settings))).replace("\n", " ")
    for words_of in TITLES:
        assert words_of in shown or words_of.replace("(", "").replace(")", "") in shown
    assert caption(kind, frame, study="s", seed=1, **settings)


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_its_parameter_chooses_rows(kind):
    frame, settings = SAMPLES[kind]
    shown = " ".join(words(draw(kind, frame, gamma=7, **settings)))
    assert "γ = 7" in shown
    assert "γ = 3" not in shown


def test_its_settings_stand_side_by_side_with_a_look_each():
    figure = draw("grid", STEP)
    (ax,) = panels(figure)
    assert boxes_in(ax) == 3 * 5
    assert len({box.get_facecolor() for box in ax.patches}) == 3


def test_its_level_makes_columns_of_panels():
    levels = tuple(
        {"mechanism": NAME, "gamma": g, "strictness": s} for g in (3, 7) for s in (0.5, 0.25)
    )
    frame = frames.outcomes((*levels, *frames.FULL), attack="step_forward", replicates=5)
    figure = draw("grid", frame)
    titles = [title(ax)[4:] for ax in panels(figure)]
    assert titles == ["strictness = 0.25", "strictness = 0.5"]
    assert [boxes_in(ax) for ax in panels(figure)] == [3 * 5] * 2
    legend = [t.get_text() for t in figure.legends[0].get_texts()]
    assert legend == ["Full-disclosure", *TITLES, "Δ = 0"]
    mixed = pd.concat([frame, frames.outcomes(frames.LADDERS, attack="step_forward")])
    with pytest.raises(InputError, match="follow either alpha or strictness"):
        draw("grid", mixed)


def test_its_noise_makes_rows_of_panels():
    noisy = tuple({"mechanism": NAME, "gamma": 3, "wobble": w} for w in (2, 9))
    frame = frames.outcomes((*noisy, *frames.LADDERS), attack="step_forward", replicates=5)
    figure = draw("grid", frame)
    assert [title(ax) for ax in panels(figure)] == [
        "Tilted with w = 9\na   α = 0.01", "b   α = 0.15", "c   α = 0.5",
        "Tilted with w = 2\nd   α = 0.01", "e   α = 0.15", "f   α = 0.5",
    ]  # fmt: skip
    assert [boxes_in(ax) for ax in panels(figure)] == [2 * 5] * 6
    assert "Ladder has no w: the same boxes in every row." in caption(
        "grid", frame, study="s", seed=1
    )


def test_its_lines_differ():
    (ax,) = draw("growth", label_frames.outcomes(TWO)).axes
    lines = [line for line in ax.lines if line.get_label() in TITLES]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 2
    named = [{"mechanism": NAME, "gamma": 7, "label": "the other"}]
    (ax,) = draw("growth", label_frames.outcomes(TWO), curves=named).axes
    assert "the other" in [line.get_label() for line in ax.lines]


def test_a_mechanism_without_a_colour_always_gets_the_same():
    first, other = of_setting(f"{NAME}(gamma=3)"), of_setting(f"{NAME}(gamma=7)")
    assert line_colour(first) == line_colour(other)
    assert look_of(first).face.startswith("#")
    assert look_of(first) != look_of(other, variant=1)


def test_a_kind_of_ones_own_works_by_its_import_path():
    kind = f"{__name__}.Counts"
    figure = draw(kind, STEP, gamma=3)
    assert len(figure.axes[0].patches) == 2
    assert caption(kind, STEP, study="s", seed=1) == "Rows by setting. Study s, seed 1."
    with pytest.raises(InputError, match=r"Counts': `style` must be one of bars, line; got 'pie'"):
        draw(kind, STEP, style="pie")
    with pytest.raises(InputError, match="shows one dataset at a time"):
        draw(kind, pd.concat([STEP, STEP.assign(dataset="other")]))

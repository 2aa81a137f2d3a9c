"""One name and one colour for each mechanism, which stay apart in grey and for everyone."""

import itertools
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.colors import to_rgb

from shakedown.figures import draw, style
from shakedown.leaderboard.mechanism import MECHANISMS, mechanism
from tests.figures import frames

# Simulation of missing cones in linear RGB at full severity: Machado, Oliveira and Fernandes
# (2009), IEEE Trans. Vis. Comput. Graph. 15:1291, table of matrices.
VISIONS = {
    "all cones": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
RGB_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def lab(colour, vision="all cones"):
    """CIE Lab (D65) of a colour as seen with the given cones."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISIONS[vision] @ linear, 0, 1)
    xyz = RGB_TO_XYZ @ seen / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


#: One without a colour of its own gets a spare one by its name.
COLOURS = {name: kind.colour for name, kind in MECHANISMS.classes.items() if kind.colour}


def test_names_and_colours_are_unique():
    assert len(set(COLOURS.values())) == len(COLOURS)
    assert len({kind.label for kind in MECHANISMS.classes.values()}) == len(MECHANISMS)


def test_lightness_differs_so_that_grey_copies_can_be_read():
    for name, other in itertools.combinations(COLOURS, 2):
        gap = abs(lab(COLOURS[name])[0] - lab(COLOURS[other])[0])
        assert gap >= 5, (name, other, gap)


@pytest.mark.parametrize("vision", sorted(VISIONS))
def test_colours_differ_for_everyone(vision):
    # A distance of 10 is "clearly different at a glance"; the nearest pair has about 20.
    for name, other in itertools.combinations(COLOURS, 2):
        gap = np.linalg.norm(lab(COLOURS[name], vision) - lab(COLOURS[other], vision))
        assert gap >= 15, (name, other, gap)


def test_public_and_final_boxes_differ_in_grey():
    assert lab(style.FINAL_LOOK.face)[0] - lab(style.PUBLIC_LOOK.face)[0] > 30


def test_a_label_in_two_lines():
    assert (
        style.stacked(mechanism("ladderboot", alpha=0.15, b=10)) == "LadderBoot\nα = 0.15, b = 10"
    )
    assert style.stacked(mechanism("full_disclosure")) == "Full-disclosure"


def test_markers_start_again_after_the_last():
    many = [style.by_order(i, style.MARKERS) for i in range(len(style.MARKERS) + 1)]
    assert len(set(many)) == len(style.MARKERS)
    assert many[-1] == many[0]


def test_drawing_leaves_the_global_look_and_pyplot_alone():
    before = dict(mpl.rcParams)
    draw("grid", frames.outcomes(frames.LADDERS, attack="step_forward", replicates=3))
    assert dict(mpl.rcParams) == before
    assert Gcf.get_all_fig_managers() == []


def test_reading_the_kinds_loads_no_library_for_drawing():
    # Every job of a study reads the configuration, and with it the parameters of all kinds.
    code = (
        "import sys; from shakedown.figures.kind import FIGURE_KINDS; list(FIGURE_KINDS); "
        "print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"matplotlib", "pandas", "seaborn"} & set(run.stdout.split())

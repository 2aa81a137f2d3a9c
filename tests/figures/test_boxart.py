"""The boxes are those of matplotlib's own box plot."""

import numpy as np
import pytest
from matplotlib.cbook import boxplot_stats
from matplotlib.figure import Figure

from shakedown.figures.boxart import Look, draw_boxes, five_numbers, mechanism_look

LOOK = Look(face="#888888", edge="#000000", median="#000000")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 10, 101, 1000])
@pytest.mark.parametrize("tail", ["normal", "cauchy", "constant", "ties"])
def test_five_numbers_agree_with_matplotlib(size, tail):
    rng = np.random.default_rng(size)
    sample = {
        "normal": rng.normal(size=size),
        "cauchy": rng.standard_cauchy(size),
        "constant": np.full(size, 0.3),
        "ties": rng.integers(0, 3, size).astype(float),
    }[tail]
    (stats,) = boxplot_stats(sample, whis=1.5)
    expected = [stats[key] for key in ("whislo", "q1", "med", "q3", "whishi")]
    np.testing.assert_allclose(five_numbers(sample), expected, rtol=1e-12)


def test_boxes_stand_where_they_should():
    ax = Figure().subplots()
    draw_boxes(ax, [np.arange(5.0), np.arange(5.0) + 10], [1, 2], width=0.5, look=LOOK)
    (path,) = [p.get_path() for p in ax.patches if p.get_label() == "_boxes"]
    assert path.vertices[:4].tolist() == [[0.75, 1], [1.25, 1], [1.25, 3], [0.75, 3]]
    assert path.vertices[5:9].tolist() == [[1.75, 11], [2.25, 11], [2.25, 13], [1.75, 13]]


def test_values_that_are_not_finite_are_left_out():
    ax = Figure().subplots()
    samples = [np.array([0, 1, 2, np.nan, np.inf]), np.array([np.nan])]
    draw_boxes(ax, samples, [0, 1], width=0.5, look=LOOK)
    (path,) = [p.get_path() for p in ax.patches if p.get_label() == "_boxes"]
    assert len(path.vertices) == 5
    assert np.isfinite(path.vertices).all()


def test_nothing_to_draw():
    ax = Figure().subplots()
    draw_boxes(ax, [], [], width=0.5, look=LOOK)
    assert not ax.patches


def test_hollow_boxes_have_a_line_that_shows_on_white():
    assert (
        mechanism_look("general_ladder", hollow=True).edge != mechanism_look("general_ladder").face
    )
    assert mechanism_look("ladderboot", hollow=True).edge == mechanism_look("ladderboot").face

"""Where boxes stand: side by side at their number, and all of them within the panel."""

import numpy as np
import pytest

from shakedown.figures import draw
from tests.figures.samples import SAMPLES


@pytest.mark.parametrize("point", [[1], [1, 5, 30]])
def test_boxes_stand_at_their_numbers_within_the_panel(point):
    figure = draw("boxes", SAMPLES["boxes"], mechanism="full_disclosure", point=point)
    scores, delta = (ax for ax in figure.axes if ax.patches)
    for ax, series in ((scores, 2), (delta, 1)):
        assert ax.get_xticks() == pytest.approx(np.arange(len(point)))
        ends = np.array([box.get_path().get_extents().intervalx for box in ax.patches])
        at = ends.mean(axis=1).reshape(series, len(point)) - np.arange(len(point))
        assert np.abs(at).max() < 0.4
        assert len(np.unique(at.round(6))) == series
        low, high = ax.get_xlim()
        assert low < ends.min() < ends.max() < high
    assert at == pytest.approx(0.0)  # a single series stands in the middle


def test_panels_of_a_grid_have_one_scale():
    figure = draw("grid", SAMPLES["grid"], dataset="ad_like")
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert len(shown) > 1
    assert len({ax.get_ylim() for ax in shown}) == 1

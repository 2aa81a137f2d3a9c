"""Released scores of one prediction: histograms and boxes, of one draw of the data or several."""

import numpy as np
import pandas as pd
import pytest

from shakedown.figures import caption, draw, picture
from shakedown.interface import InputError
from tests.figures import frames

RELEASES = frames.releases(predictions=3, draws=50)


def panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def test_histograms_have_a_panel_for_each_prediction_and_b():
    figure = draw("release_variability", RELEASES, prediction=["p1", "p3"])
    shown = panels(figure)
    titles = [ax.get_title(loc="left").split(", sd")[0] for ax in shown]
    assert titles == [
        "a   p3\nb = 10", "b   p3\nb = 100", "c   p3\nb = 1,000",
        "d   p1\nb = 10", "e   p1\nb = 100", "f   p1\nb = 1,000",
    ]  # fmt: skip
    # The line stands at the actual score.
    assert [ax.lines[0].get_xdata()[0] for ax in shown] == pytest.approx([0.15] * 3 + [1.64] * 3)


def test_names_a_prediction_in_words_where_there_are_some():
    frame = RELEASES.assign(
        prediction=RELEASES["prediction"].replace({"p1": "knn", "p3": "my_net"})
    )
    shown = panels(draw("release_variability", frame, prediction=["knn", "my_net"], b=10))
    titles = [ax.get_title(loc="left").split("\n")[0] for ax in shown]
    assert titles == ["a   my net", "b   nearest neighbours"]


def test_histograms_have_one_axis_and_hold_every_release():
    shown = panels(draw("release_variability", RELEASES, prediction=["p1", "p3"]))
    assert len({ax.get_xlim() for ax in shown}) == len({ax.get_ylim() for ax in shown}) == 1
    for ax, (name, b) in zip(
        shown, [(p, b) for p in ("p3", "p1") for b in frames.REPLICATIONS], strict=True
    ):
        mine = (RELEASES["prediction"] == name) & (RELEASES["b"] == b)
        released = RELEASES.loc[mine.to_numpy(dtype=bool), "released"]
        assert ax.get_xlim()[0] < released.min()
        assert released.max() < ax.get_xlim()[1]
        (bars,) = ax.patches
        heights, edges, _ = bars.get_data()
        counts, _ = np.histogram(released.to_numpy(dtype=float), edges)
        assert counts.sum() == len(released)
        assert heights == pytest.approx(counts / counts.max())


def test_boxes_show_the_standard_deviations():
    top, bottom = panels(draw("release_variability", RELEASES, view="boxes"))
    assert len(top.patches) == 3 * 3
    chosen = RELEASES[((RELEASES["b"] == 1000) & (RELEASES["prediction"] == "p1")).to_numpy(bool)]
    expected = np.std(chosen["released"].to_numpy(dtype=float), ddof=1)
    assert bottom.lines[2].get_ydata()[0] == pytest.approx(expected)


def test_the_caption_compares_the_worst_and_the_best_prediction():
    sd = RELEASES.astype({"released": float}).groupby(["b", "prediction"])["released"].std()
    said = caption("release_variability", RELEASES, study="s", seed=1)
    numbers = [f"{sd[b, name]:#.2g}" for b in (10, 1000) for name in ("p1", "p3")]
    assert said.startswith(
        "With b = 10 the released score has a standard deviation of {} for the worst prediction "
        "and {} for the best; with b = 1,000 of {} and {}. Scores that".format(*numbers)
    )
    for one in ({"b": 10}, {"prediction": "p1"}):
        assert caption("release_variability", RELEASES, study="s", seed=1, **one).startswith("Sco")


def test_view_is_checked():
    with pytest.raises(InputError, match="`view` must be one of histograms, boxes; got 'violins'"):
        draw("release_variability", RELEASES, view="violins")


def test_several_draws_of_the_data_are_brought_to_one_actual_score():
    second = RELEASES.assign(
        draw=1, quality=RELEASES["quality"] + 0.5, released=RELEASES["released"] * 3 + 0.5
    )
    frame = pd.concat([RELEASES.assign(draw=0), second], ignore_index=True)
    shown, text = picture("release_variability", frame, prediction="p1", b=10)
    (ax,) = shown.axes
    (line,) = ax.lines
    assert line.get_xdata()[0] == pytest.approx(1.64 + 0.25)
    rows = frame[(frame["prediction"] == "p1") & (frame["b"] == 10)]
    shifted = (rows["released"] - rows["quality"] + 1.89).to_numpy(dtype=float)
    edges = ax.patches[0].get_data().edges
    assert (edges[0], edges[-1]) == pytest.approx((shifted.min(), shifted.max()))
    sd = rows.groupby("draw")["released"].std().mean()
    assert ax.get_title(loc="left").endswith(f"sd {sd:#.2g}")
    assert "The scores come from 2 draws of the data, " in text
    assert "draws" not in caption("release_variability", RELEASES, study="s", seed=1)

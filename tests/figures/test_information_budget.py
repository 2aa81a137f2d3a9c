"""The figure of the information budget shows what theory says."""

import numpy as np
import pytest

from shakedown.figures import draw, picture
from shakedown.interface import InputError
from shakedown.theory.metric_bounds import gain_bound
from shakedown.theory.proved import proved_nats, rows_needed
from tests.figures import frames

LADDER = "general_ladder(eta=0.1)+baseline"
DIGEST = "digest(eta=0.1,floor=0.5,every=100,updates=10)"


def dots(ax):
    """Rows and nats of the dots, by the words beside them."""
    marked = [line for line in ax.lines if line.get_marker() == "o"]
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in marked]
    words = {text.xy: text.get_text() for text in ax.texts if hasattr(text, "xy")}
    return {words[place]: place for place in places}


@pytest.mark.parametrize(("metric", "threshold"), [("mse", -0.05), ("rmse", -0.025)])
def test_each_dot_lies_where_a_board_meets_what_its_rows_allow(metric, threshold):
    rows = frames.of_settings(LADDER, DIGEST, metric=metric)
    (ax,) = draw("information_budget", rows, threshold=threshold).axes
    bound = gain_bound(metric)
    marked = dots(ax)
    assert len(marked) == 2
    for setting in (LADDER, DIGEST):
        enough = rows_needed(setting, metric, threshold, 1000)
        at, nats = marked[f"{enough:,} rows"]
        assert (at, nats) == (enough, proved_nats(setting, enough, 1000))
        # By its levels a board can be proved with more nats than the rows allow by themselves.
        assert nats > bound.budget(-threshold, enough - 1)
    allowed = max(ax.lines, key=lambda line: line.get_linewidth())
    x, y = allowed.get_data()
    assert (x[0], x[-1]) == (50, 10_000)
    np.testing.assert_allclose(y, [bound.budget(-threshold, int(n)) for n in x])


def test_the_caption_names_boards_without_a_proof():
    rows = frames.of_settings(
        "full_disclosure", "ladder(alpha=0.15)+baseline", DIGEST, "constant_board"
    )
    shown, caption = picture("information_budget", rows, submissions=250)
    assert "nothing is proved of Full-disclosure and Ladder (α = 0.15) + baseline start." in caption
    assert "Nothing is shown by" in caption
    assert "in 250 submissions" in caption
    assert len(dots(shown.axes[0])) == 1
    slow = frames.of_settings(LADDER, DIGEST)  # 30 submissions bring no update
    shown, caption = picture("information_budget", slow, submissions=30)
    assert "Nothing is shown by Digest" in caption
    assert len(dots(shown.axes[0])) == 1


def test_a_board_that_needs_few_rows_says_so():
    rows = frames.of_settings(DIGEST, LADDER)
    marked = dots(draw("information_budget", rows, submissions=200, threshold=-0.3).axes[0])
    assert marked["50 rows or fewer"][0] == 50


def test_refuses_what_has_no_budget():
    with pytest.raises(InputError, match="wanted the metric mse or rmse, got pearson"):
        draw("information_budget", frames.of_settings(DIGEST, metric="pearson"))
    with pytest.raises(InputError, match="wanted a board that is proved for some number of rows"):
        draw("information_budget", frames.of_settings("full_disclosure", "ladder(alpha=0.15)"))


def test_the_caption_says_how_many_boards_are_proved():
    rest = [f"ladder(alpha={alpha})" for alpha in (0.01, 0.1, 0.2, 0.3, 0.5)]
    text = picture("information_budget", frames.of_settings(LADDER, DIGEST, *rest)).caption
    needed = {board: rows_needed(board, "mse", -0.05, 1000) for board in (LADDER, DIGEST)}
    assert needed[DIGEST] < needed[LADDER]
    assert text.startswith(
        "Proved with at most 10,000 public rows: 2 of 7 boards; fewest rows, "
        f"{needed[DIGEST]}, are needed by Digest (η = 0.1, floor = 0.5, every = 100, W = 10). "
    )
    assert "nothing is proved of the other 5 boards." in text

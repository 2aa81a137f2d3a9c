"""The lag on each board against the number of public rows."""

import pytest

from shakedown.figures.lag_by_rows import lag_by_rows
from tests.comparison.tables import boards


@pytest.fixture(scope="module")
def picture():
    return lag_by_rows(boards(), 0.05)


def test_a_panel_for_each_number_of_submissions_and_a_line_for_each_board(picture):
    few, many = picture.figure.axes
    assert few.get_title(loc="left") == "300 submissions"
    assert many.get_title(loc="left") == "1,000 submissions"
    assert len(few.lines) == len(many.lines) == 5
    by_name = {line.get_label(): line for line in few.lines}
    assert list(by_name["Metered board, on average"].get_xdata()) == [50, 1000]
    assert list(by_name["Metered board, on average"].get_ydata()) == [0.02, 0.001]
    assert list(by_name["Metered board, at the quantile"].get_xdata()) == [1000]


def test_lines_differ_without_colour(picture):
    looks = {(line.get_marker(), str(line._dash_pattern)) for line in picture.figure.axes[0].lines}
    assert len({marker for marker, _ in looks}) == 5


def test_the_caption_says_what_is_kept(picture):
    assert "proved to keep every gain within 0.05" in picture.caption


def test_the_caption_opens_with_the_boards_of_the_smallest_lag(picture):
    # At both numbers of rows and of submissions the meter lags least.
    assert picture.caption.startswith(
        "Smallest lag among the boards proved on average, in 4 combinations of rows and "
        "submissions: Metered board, on average (4). "
    )
    none = boards().assign(proved_mean=0.2)
    assert lag_by_rows(none, 0.05).caption.startswith("Lag: ")


def test_ticks_are_numbers_of_rows_that_were_played(picture):
    for ax in picture.figure.axes:
        assert list(ax.get_xticks()) == [50, 1000]
    near = boards().replace({"public_rows": {1000: 69}})
    (first, _) = lag_by_rows(near, 0.05).figure.axes
    assert list(first.get_xticks()) == [50]

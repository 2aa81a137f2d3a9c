"""`shakedown.leak`: the command's answer as an object."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import shakedown
from shakedown.cli import main
from shakedown.leaderboard.mechanism import of_setting
from tests.report.test_page import Page

LADDER = "general_ladder(eta=0.1)+baseline"


@pytest.fixture
def leak():
    return shakedown.leak(209, LADDER, submissions=1000, floor=0.5)


def test_the_command_prints_the_answer(leak, capsys):
    words = ["leak", "--rows", "209", "--board", LADDER, "--submissions", "1000", "--floor", "0.5"]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{leak}\n"
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == leak.answer


def test_a_board_is_an_id_or_a_mechanism(leak):
    board = of_setting(LADDER)
    assert shakedown.leak(209, board, submissions=1000, floor=0.5).answer == leak.answer
    bare = shakedown.mechanism("general_ladder", eta=0.1)
    assert not shakedown.leak(209, bare, submissions=1000, floor=0.5).answer["proved"]


def test_the_limits_are_those_of_the_answer(leak):
    limits = leak.limits.set_index("limit")
    for key, column in (("needed_mean", "on_average"), ("needed_95", "in_95_percent")):
        needed = leak.answer[key]
        assert list(limits.index) == list(needed)
        finite = [np.inf if value is None else value for value in needed.values()]
        assert limits[column].tolist() == finite
    enough = int(limits.loc["rows", "on_average"])
    kept = shakedown.leak(enough, LADDER, submissions=1000, floor=0.5).answer["gain_mean"]
    above = shakedown.leak(enough - 1, LADDER, submissions=1000, floor=0.5).answer["gain_mean"]
    # A bound may exceed the number that a decision needs by a thousandth.
    assert kept <= 0.05 * 1.002 < above * 1.002


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"board": "full_disclosure"}, "no bound is proved. Exact scores take any value"),
        ({"board": "constant_board"}, "it shows nothing about the public rows"),
        ({"board": "ladder(alpha=0.15)", "submissions": 1000}, "nothing useful is proved"),
        ({"noise": 0.01, "submissions": 1000}, "a gain of at most 0.0465 on average."),
    ],
)
def test_the_sentence_the_table_and_the_page_agree(arguments, sentence):
    leak = shakedown.leak(209, **arguments)
    assert sentence in repr(leak)
    assert sentence in leak._repr_html_()
    assert "<th></th>" not in leak._repr_html_()  # rows have no numbers
    page = leak.page()
    Page(page)
    assert sentence in page
    assert ("What it takes" in page) == leak.question.bounded
    assert (page.count("<figure") == 1) == leak.question.bounded
    assert leak.limits["in_95_percent"].isna().all() == ("noise" in arguments or leak.limits.empty)


def test_a_figure_shows_both_bounds_and_the_tolerated(leak):
    figure = leak.figure("gain_by_rows")
    assert isinstance(figure, Figure)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    for label, key in (("on average", "gain_mean"), ("with a probability of 95 %", "gain_95")):
        rows, gains = lines[label].get_data()
        assert gains[list(rows).index(209)] == leak.answer[key]
    assert set(lines["tolerated"].get_ydata()) == {0.05}
    assert any(set(line.get_xdata()) == {209} for line in figure.axes[0].get_lines())
    assert "Tolerated: 0.05" in leak.caption("gain_by_rows")


def test_a_page_is_written_into_a_new_folder(leak, tmp_path):
    path = leak.report(tmp_path / "new/leak.html")
    assert path.read_text("utf-8") == leak.page()


def test_the_table_of_a_page_has_the_average_first(leak):
    texts = [text for text in map(str.strip, Page(leak.page()).texts) if text]
    first = texts.index("on average")
    assert texts[first - 1 : first + 2] == ["Needed", "on average", "in 95 %"]
    row = texts.index("public rows, at least")
    assert texts[row + 1 : row + 3] == ["639", "687"]


def test_a_mistake_names_arguments_as_python_does():
    with pytest.raises(shakedown.InputError, match=r"^rows: wanted a whole number from 1 to"):
        shakedown.leak(0)
    with pytest.raises(shakedown.InputError, match=r"^submissions: wanted a number, got \[3\]"):
        shakedown.leak(209, LADDER, submissions=[3])
    with pytest.raises(shakedown.InputError, match=r"Give board, such as .* by updates and step"):
        shakedown.leak(209)
    for floor in (1.0, 1.5):
        with pytest.raises(shakedown.InputError, match="floor must be a better score than that of"):
            shakedown.leak(209, LADDER, submissions=10, floor=floor)
    leak = shakedown.leak(209, "full_disclosure")
    with pytest.raises(shakedown.InputError, match="There is nothing to draw. Full-disclosure"):
        leak.figure("gain_by_rows")
    with pytest.raises(shakedown.InputError, match="Did you mean 'gain_by_rows'?"):
        leak.figure("gain_by_row")


def test_a_digest_by_its_numbers_counts_levels_however_it_rounds():
    """Its bound is above that of rounding to the worse side, and below that without levels."""
    digest = {"updates": 11, "step": 0.1, "floor": 0.5}
    by_numbers = shakedown.leak(209, submissions=1000, **digest).answer
    without = shakedown.leak(209, **digest).answer
    worse = "digest(eta=0.1,floor=0.5,every=90,updates=11)"
    told = shakedown.leak(209, worse, submissions=1000, floor=0.5).answer
    assert by_numbers["nats"] == without["nats"]
    for key in ("gain_mean", "gain_95"):
        assert told[key] < by_numbers[key] < without[key]
    assert by_numbers["gain_mean"] == pytest.approx(0.0441, abs=1e-4)


def test_a_file_may_be_better_than_the_board_shows():
    few = {"updates": 2, "step": 0.25, "floor": 0.3, "submissions": 500, "metric": "pearson"}
    answer = shakedown.leak(50, **few).answer
    assert answer["useful"]
    assert 0.3 < answer["gain_95"] < 1.0
    assert not shakedown.leak(9, **few).answer["useful"]  # from 10 rows


def test_a_correlation_starts_at_0():
    with pytest.raises(shakedown.InputError, match="start: the correlation of a constant counts"):
        shakedown.leak(200, updates=2, step=0.1, start=0.3, metric="pearson")

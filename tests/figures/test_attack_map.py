"""The map of attacks and leaderboards shows the medians of the table."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.figures import draw, picture
from shakedown.figures.cells import Cell
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import signed
from tests.figures.frames import BOOTS, LADDERS, outcomes

STEP = outcomes((*LADDERS, *BOOTS), attack="step_forward", iteration_board="fresh")
ROWS = pd.concat([STEP, STEP.assign(experiment="other", delta=2 * STEP["delta"])])


def cells(figure):
    """The written numbers by row and column, and the words of both."""
    (ax,) = figure.axes
    rows = [label.get_text() for label in ax.get_yticklabels()]
    columns = [label.get_text() for label in ax.get_xticklabels()]
    texts = iter(text.get_text() for text in ax.texts)
    return pd.DataFrame([[next(texts) for _ in columns] for _ in rows], rows, columns)


def number(text):
    return float(text.replace("−", "-"))


def test_a_cell_is_the_median_after_the_last_point():
    shown = cells(draw("attack_map", ROWS))
    last = STEP[STEP["point"] == STEP["point"].max()]
    for setting, row in last.groupby("setting", observed=True):
        title = of_setting(setting).title
        median = row["delta"].median()
        assert number(shown.loc[title].iloc[0]) == pytest.approx(median, abs=0.0051)
        assert number(shown.loc[title, "other"]) == pytest.approx(2 * median, abs=0.0051)


def test_a_cell_says_its_median_and_the_interval():
    figure = draw("attack_map", ROWS, labels={"other": "twice as much"})
    drawn, last = cells(figure), STEP[STEP["point"] == STEP["point"].max()]
    said = figure.findobj(Cell)
    assert len(said) == drawn.size
    for cell in said:
        board, attack, delta, interval, made = cell.lines
        column, row = cell.get_xy()
        assert (drawn.index[row], drawn.columns[column]) == (board, attack)
        assert number(delta.split()[1]) == pytest.approx(
            number(drawn.loc[board, attack]), abs=0.006
        )
        own = last[[of_setting(str(setting)).title == board for setting in last["setting"]]]
        values = own["delta"].to_numpy(float) * (2 if attack == "twice as much" else 1)
        assert made.endswith(f"{own['submissions'].max():,} submissions; {len(own)} replicates")
        ends = stats.quantile_test(values, q=np.median(values)).confidence_interval(0.95)
        words = f"{signed(ends.low, 3)} to {signed(ends.high, 3)}"
        assert interval == f"95 % interval {words}"


def test_an_attack_on_an_honest_file_counts_from_it():
    rows = ROWS.assign(score_honest=ROWS["score_public"] + 0.25)
    assert (cells(draw("attack_map", rows)) == "−.25").all(axis=None)
    assert "count from the public score of their honest file" in picture("attack_map", rows)[1]
    assert "honest" not in picture("attack_map", ROWS)[1]


def test_fewer_submissions_show_an_earlier_point():
    few = int(STEP.loc[STEP["point"] == STEP["point"].min(), "submissions"].max())
    shown, caption = picture("attack_map", ROWS, submissions=few, labels={"other": "twice as much"})
    assert f"after {few:,} submissions" in caption
    first = STEP[(STEP["point"] == STEP["point"].min()) & (STEP["setting"] == "ladder(alpha=0.15)")]
    value = cells(shown).loc["Ladder (α = 0.15)", "twice as much"]
    assert number(value) == pytest.approx(2 * first["delta"].median(), abs=0.0051)


def test_refuses_fewer_submissions_than_any_attack_made():
    with pytest.raises(InputError, match="no attack has a point with 1 submissions or fewer"):
        draw("attack_map", ROWS, submissions=1)


def test_the_caption_says_where_the_best_attack_gets_furthest():
    last = STEP[STEP["point"] == STEP["point"].max()].astype({"setting": str})
    best = 2 * last.groupby("setting")["delta"].median()
    most, least = best.idxmin(), best.idxmax()
    assert picture("attack_map", ROWS).caption.startswith(
        f"The best attack reaches most on {of_setting(most).title}, {signed(best[most])}, and "
        f"least on {of_setting(least).title}, {signed(best[least])}. "
    )
    one = STEP[(STEP["setting"] == most).to_numpy(bool)]
    assert picture("attack_map", one).caption.startswith("Cells: median")


def test_numbers_of_many_attacks_have_room():
    one = STEP[(STEP["setting"] == STEP["setting"].iloc[0]).to_numpy(bool)]
    one = one.assign(setting="ladderboot(alpha=0.15,b=100)+baseline+sticky", delta=-0.94)
    many = pd.concat([one.assign(experiment=f"attack {i}") for i in range(13)])
    figure = draw("attack_map", many)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    left, right = ax.transData.transform([(0, 0), (1, 0)])[:, 0]
    for text in ax.texts:
        assert text.get_text() == "−.94"
        assert text.get_fontsize() >= 8
        assert text.get_window_extent().width < 0.9 * (right - left)
    for label in ax.get_yticklabels():
        assert label.get_window_extent().x0 >= 0

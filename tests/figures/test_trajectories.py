"""Trajectories: a panel per board, a line per replicate, medians, one step around a guess."""

import re

import numpy as np
import pytest

from shakedown.figures import caption, draw
from shakedown.interface import InputError
from tests.figures import frames
from tests.figures import label_frames as made

FRAME = made.zheng_2()
ROWS = {"fair_labels_1000": 1000, "fair_labels_20000": 20000}


def paths(ax):
    """The thin lines, one for each replicate."""
    long = [line for line in ax.lines if len(line.get_xdata()) == len(made.POINTS)]
    return [line for line in long if line.get_linewidth() < 1]


def medians(ax):
    """The thick lines, by their words in the legend."""
    return {
        line.get_label().removesuffix(", median"): line.get_ydata()
        for line in ax.lines
        if line.get_label().endswith(", median")
    }


def across(ax):
    """Heights of the lines from the left to the right edge."""
    return [line.get_ydata()[0] for line in ax.lines if list(line.get_xdata()) == [0, 1]]


def test_each_board_has_a_panel_that_names_it():
    figure = draw("trajectories", FRAME, rows=ROWS)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "a   General Ladder (η = 0.01), n = 1,000",
        "b   General Ladder (η = 0.001), n = 20,000",
    ]
    assert [ax.get_xlim()[1] for ax in figure.axes] == pytest.approx([510, 10200])


def test_panels_name_attacks_where_they_differ():
    both = FRAME.astype({"attack": str})
    both.loc[(both["experiment"] == "large").to_numpy(dtype=bool), "attack"] = "boosting"
    figure = draw("trajectories", both)
    assert figure.axes[1].get_title(loc="left").endswith("\nthe boosting attack")


@pytest.mark.parametrize(("asked", "drawn"), [(5, 5), (1000, 30)])
def test_each_replicate_has_a_line(asked, drawn):
    figure = draw("trajectories", FRAME, lines=asked)
    assert [len(paths(ax)) for ax in figure.axes] == [drawn] * 2


@pytest.mark.parametrize("accuracy", [False, True])
def test_lines_are_what_is_shown(accuracy):
    figure = draw("trajectories", FRAME, lines=3, accuracy=accuracy)
    small = FRAME[(FRAME["experiment"] == "small").to_numpy(dtype=bool)]
    table = small.pivot(index="replicate", columns="submissions", values="score_released")
    wanted = table.to_numpy(dtype=float)[:3]
    got = np.array([line.get_ydata() for line in paths(figure.axes[0])])
    assert got == pytest.approx(1 - wanted if accuracy else wanted)


def test_the_medians_are_those_of_all_replicates():
    shown = medians(draw("trajectories", FRAME, lines=3).axes[0])
    small = FRAME[(FRAME["experiment"] == "small").to_numpy(dtype=bool)]
    columns = {"what the board shows": "score_released", "actual public score": "score_public"}
    assert set(shown) == set(columns)
    for words, column in columns.items():
        wanted = small.astype({column: float}).groupby("submissions")[column].median()
        assert shown[words] == pytest.approx(wanted)


def test_a_guess_and_one_step_around_it():
    figure = draw("trajectories", FRAME, accuracy=True)
    assert across(figure.axes[0]) == pytest.approx([0.5, 0.49, 0.51])
    # Lines of a step that small would hide the dashed one.
    assert across(figure.axes[1]) == pytest.approx([0.5])
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == [
        "what the board shows, one attack", "what the board shows, median",
        "actual public accuracy, median", "0.5: accuracy of a guess", "0.5 ± η",
    ]  # fmt: skip


def test_a_board_without_a_step_has_no_lines_around_a_guess():
    assert across(draw("trajectories", made.outcomes((made.FREE,))).axes[0]) == [0.5]


def test_a_step_is_what_the_release_rounds_to_and_not_an_attribute():
    """`stairs` keeps its step under a name of its own."""
    own = {"mechanism": "tests.own.stairs.Stairs", "gamma": 0.02}
    assert across(draw("trajectories", made.outcomes((own,))).axes[0]) == [0.5, 0.48, 0.52]


def test_a_board_without_scores_shows_the_public_one():
    figure = draw("trajectories", made.outcomes((made.RANKS,), attack="two_accounts"), lines=4)
    assert len(paths(figure.axes[0])) == 4
    words = [t.get_text() for t in figure.legends[0].get_texts()]
    assert not any("what the board shows" in word for word in words)
    text = caption(
        "trajectories", made.outcomes((made.RANKS,), attack="two_accounts"), study="s", seed=1
    )
    assert re.search(
        r"a 0\.4\d\d \(the public one, because it shows none\) after 500 submissions", text
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"lines": 0}, "`lines` must be a whole number of at least 1; got 0")],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        draw("trajectories", FRAME, **settings)


def test_an_accuracy_needs_the_0_1_loss():
    step = frames.outcomes(frames.FULL, attack="step_forward")
    with pytest.raises(InputError, match="metric zero_one; got mse"):
        draw("trajectories", step, accuracy=True)


def test_designs_are_not_mixed():
    mixed = FRAME.astype({"design": str})
    mixed.loc[mixed.index[::2], "design"] = "splits"
    with pytest.raises(InputError, match="one design at a time, got labels, splits"):
        draw("trajectories", mixed)


def test_the_caption_says_what_the_boards_show_in_the_end():
    text = caption("trajectories", FRAME, study="s", seed=1, accuracy=True, rows=ROWS, after="X")
    small = FRAME[(FRAME["experiment"] == "small").to_numpy(dtype=bool)]
    end = 1 - small[(small["submissions"] == 500).to_numpy(bool)]["score_released"].to_numpy(float)
    assert text.startswith(
        f"Median accuracy that the board shows: a {np.median(end):.3f} after 500 submissions "
        f"({end.min():.3f} to {end.max():.3f} in 30 replicates); b "
    )
    assert "thin lines: one for each of the first 20 replicates; thick ones: medians of 30" in text
    assert "Dotted lines in a: one step η above and below; in b they would lie on the" in text
    assert (
        "Drawn after X. Data: fair_labels_1000 (n = 1,000 public rows) and fair_labels_20000 (n = "
        in text
    )
    for lines in (100, 30):
        every = caption("trajectories", FRAME, study="s", seed=1, lines=lines)
        assert "thin lines: one for each of the replicates;" in every


def test_panels_share_their_scale():
    one, other = draw("trajectories", FRAME, accuracy=True).axes
    assert one.get_ylim() == other.get_ylim()

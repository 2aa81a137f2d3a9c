"""Every kind draws from tables of the contract, and says clearly when it cannot."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from shakedown.figures import FIGURE_KINDS, caption, draw, picture
from shakedown.figures.kinds.limits import budget_ends
from shakedown.figures.kinds.traces import jump_of
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism
from tests.figures import frames
from tests.figures.samples import BUDGETS, FREEDMAN, SAMPLES, STEP, TRACES

#: The kinds that show one data set at a time.
OF_ONE_DATASET = [
    kind
    for kind in sorted(FIGURE_KINDS)
    if "dataset" in FIGURE_KINDS.make(kind).needs
    and "dataset" not in FIGURE_KINDS.find(kind).several
]


#: Of an attack with iterations.
STEP_TRACES = frames.traces(
    ({"mechanism": "ladder", "alpha": 0.15}, {"mechanism": "ladder", "alpha": 0.5}),
    attack="step_forward",
    n_features=60,
)

#: The samples before anything is drawn.
AS_MADE = {kind: frame.copy(deep=True) for kind, frame in SAMPLES.items()}


@cache
def drawn(kind):
    """The picture of a sample."""
    return picture(kind, SAMPLES[kind])


def panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def title(ax):
    head = ax.get_title(loc="center").strip()
    return f"{head}\n{ax.get_title(loc='left')}".lstrip()


def numbers(ax):
    """Numbers of the iterations above a panel."""
    return [t.get_text() for above in ax.child_axes for t in above.get_xticklabels()]


def boxes_in(ax):
    """Number of boxes in a panel."""
    return len(ax.patches)


def upright(ax):
    """Where the lines from the bottom to the top of a panel stand."""
    return [line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]]


def words(figure):
    texts = [figure.legends[0].get_texts()] if figure.legends else []
    shown = [t.get_text() for group in texts for t in group]
    for ax in panels(figure):
        shown += [title(ax), ax.get_xlabel(), ax.get_ylabel()]
        shown += [text.get_text() for text in ax.texts]
    return shown


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_draws_a_figure_with_labelled_axes(kind):
    figure = drawn(kind).figure
    assert isinstance(figure, Figure)
    shown = panels(figure)
    assert figure.legends or any(ax.texts for ax in shown)
    # The figure names its axes, or some panel of each row or of each column does.
    grid = [ax.get_subplotspec() for ax in shown]
    named = [ax.get_subplotspec() for ax in shown if ax.get_ylabel()]
    assert figure.get_supylabel() or any(
        {getattr(place, side).start for place in grid}
        == {getattr(place, side).start for place in named}
        for side in ("rowspan", "colspan")
    )
    assert figure.get_supxlabel() or {place.colspan.start for place in grid} == {
        ax.get_subplotspec().colspan.start for ax in shown if ax.get_xlabel()
    }


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_no_text_is_smaller_than_8_points(kind):
    figure = drawn(kind).figure
    figure.draw_without_rendering()
    assert figure.get_figwidth() <= 7.2
    sizes = [t.get_fontsize() for t in figure.findobj(lambda a: hasattr(a, "get_fontsize"))]
    assert min(sizes) >= 8


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_names_the_missing_column(kind):
    column = "setting" if "setting" in FIGURE_KINDS.make(kind).needs else "quality"
    with pytest.raises(InputError, match=f"figure kind '{kind}' needs the column {column}; the"):
        draw(kind, SAMPLES[kind].drop(columns=column))


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_needs_no_other_column_than_it_says(kind):
    frame = SAMPLES[kind]
    few = picture(kind, frame[list(FIGURE_KINDS.make(kind).needs)])
    assert few.caption == drawn(kind).caption


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_refuses_a_table_without_rows(kind):
    with pytest.raises(InputError, match=f"'{kind}' got a table without rows"):
        draw(kind, SAMPLES[kind].iloc[:0])


@pytest.mark.parametrize("kind", OF_ONE_DATASET)
def test_refuses_to_mix_data_sets(kind):
    frame = SAMPLES[kind].astype({"dataset": str})
    frame.loc[frame.index[::2], "dataset"] = "diabetes"
    message = "one dataset at a time, got (ad_like|binary|correlated), diabetes"
    with pytest.raises(InputError, match=message):
        draw(kind, frame)
    assert draw(kind, frame, dataset="diabetes")


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_nullable_types_draw_the_same(kind, tmp_path):
    settings = {"dataset": "ad_like"} if kind in ("boxes", "grid", "limits") else {}
    for name, frame in (("a", SAMPLES[kind]), ("b", frames.nullable(SAMPLES[kind]))):
        draw(kind, frame, **settings).savefig(tmp_path / f"{name}.raw", format="raw", dpi=30)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "b.raw").read_bytes()


@pytest.mark.parametrize("kind", sorted(FIGURE_KINDS))
def test_the_table_is_left_as_it_was(kind):
    assert drawn(kind)
    assert SAMPLES[kind].equals(AS_MADE[kind])


def test_unknown_kind():
    with pytest.raises(InputError, match="'pie' is not known. Wanted one of .*'bounds', 'boxes', "):
        draw("pie", FREEDMAN)


def test_unknown_setting():
    wanted = r"'grid' has no setting 'vlaue'\. Did you mean 'value'\? Its own are value; rows of"
    with pytest.raises(InputError, match=wanted):
        draw("grid", STEP, vlaue="delta")


# traces


def test_freedman_traces_mark_the_features_and_the_last_jump():
    figure = draw("traces", TRACES)
    full, ladder = panels(figure)
    assert title(full) == "a   Full-disclosure"
    small, diamonds = (collection.get_offsets() for collection in full.collections)
    rows = TRACES[(TRACES["mechanism"] == "full_disclosure").to_numpy(dtype=bool)]
    assert np.array_equal(small, rows[["submission", "released"]].astype(float))
    taken = rows[rows["selected"].to_numpy(dtype=bool)]
    assert np.array_equal(diamonds, taken[["submission", "released"]].astype(float))
    rows = TRACES[(TRACES["mechanism"] == "ladder").to_numpy(dtype=bool)]
    last = rows.loc[rows["accepted"].to_numpy(dtype=bool), "submission"].max()
    assert upright(ladder) == [last]
    assert upright(full) == []
    assert "last jump" in words(figure)


def test_no_line_at_the_last_jump_of_a_board_that_shows_noise():
    boot = {"mechanism": "ladderboot", "alpha": 0.15, "b": 10}
    assert "last jump" not in words(draw("traces", frames.traces((boot,))))


def test_a_board_that_never_moves_has_no_last_jump():
    rows = TRACES.assign(released=1.0)
    assert jump_of(rows, mechanism("ladder", alpha=0.15)) is None


def test_step_forward_traces_have_a_line_and_a_number_for_each_iteration():
    frame = frames.traces(
        ({"mechanism": "ladder", "alpha": 0.15},), attack="step_forward", n_features=60
    )
    (ax,) = panels(draw("traces", frame))
    assert numbers(ax) == [str(i) for i in range(1, 11)]
    chosen = frame.loc[frame["selected"].to_numpy(dtype=bool), "submission"].tolist()
    assert upright(ax) == chosen


def test_an_attack_that_ends_early_leaves_the_others_whole():
    settings = list(STEP_TRACES["setting"].unique())
    early = STEP_TRACES
    last = early["submission"].max()
    cut = (early["setting"] == settings[-1]) & (early["iteration"] > 1)
    figure, said = picture("traces", early[~cut.to_numpy(dtype=bool)])
    assert [ax.get_xlim()[1] for ax in panels(figure)] == pytest.approx([1.01 * last] * 2)
    assert said.startswith("The step-forward attack ends after 1 iteration on Ladder (α = 0.5)")


def test_an_iteration_without_a_line_is_explained():
    frame = STEP_TRACES
    last = (frame["iteration"] == frame["iteration"].max()).to_numpy(dtype=bool)
    given_up = frame.assign(selected=np.where(last, 0, frame["selected"]))
    words = "An iteration without a line takes nothing"
    assert words in picture("traces", given_up).caption
    assert words not in picture("traces", frame).caption


def test_traces_of_one_replicate_only():
    frame = TRACES.copy()
    frame.loc[frame.index[0], "replicate"] = 1
    with pytest.raises(InputError, match="one replicate at a time, got 0, 1. Choose one"):
        draw("traces", frame)


def test_two_attacks_stand_side_by_side():
    boards = (
        {"mechanism": "ladder", "alpha": 0.15},
        {"mechanism": "ladderboot", "alpha": 0.15, "b": 10},
    )
    both = pd.concat(
        [frames.traces(boards, attack=a, n_features=60) for a in ("step_forward", "freedman")]
    )
    figure = draw("traces", both)
    shown = panels(figure)
    assert [title(ax) for ax in shown] == [
        "a   Freedman, Ladder (α = 0.15)", "b   Step-forward, Ladder (α = 0.15)",
        "c   Freedman, LadderBoot (α = 0.15, b = 10)",
        "d   Step-forward, LadderBoot (α = 0.15, b = 10)",
    ]  # fmt: skip
    assert [len(numbers(ax)) for ax in shown] == [0, 10, 0, 10]
    assert [[t.get_text() for t in ax.texts] for ax in shown] == [[], ["Iteration"]] * 2
    assert "submission of Freedman's attack (left) or the step-forward attack (right)" in (
        caption("traces", both, study="s", seed=1)
    )


@pytest.mark.parametrize(("number", "across"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 1)])
def test_traces_leave_no_cell_empty(number, across):
    boards = [{"mechanism": "ladder", "alpha": alpha} for alpha in (0.01, 0.02, 0.05, 0.15, 0.5)]
    figure = draw("traces", frames.traces(boards[:number], n_features=40))
    assert len(figure.axes) == len(panels(figure)) == number
    assert figure.axes[0].get_gridspec().ncols == across


# boxes


def quartiles(rows, column):
    """By point, from pandas: shape (3, points)."""
    quantiles = rows.astype({column: float}).groupby("point")[column].quantile([0.25, 0.5, 0.75])
    return quantiles.unstack().to_numpy().T


def test_boxes_of_many_sizes_are_medians_with_a_band_between_the_quartiles():
    scores, delta = panels(draw("boxes", FREEDMAN, mechanism="full_disclosure"))
    rows = FREEDMAN[(FREEDMAN["mechanism"] == "full_disclosure").to_numpy(dtype=bool)]
    for ax, columns in ((scores, ["score_public", "score_final"]), (delta, ["delta"])):
        for column, line, band in zip(columns, ax.lines, ax.collections, strict=False):
            low, median, high = quartiles(rows, column)
            assert line.get_ydata() == pytest.approx(median)
            assert line.get_xdata() == pytest.approx(np.arange(1, 31))
            corners = band.get_paths()[0].vertices[:, 1]
            assert corners.min() == pytest.approx(low.min())
            assert corners.max() == pytest.approx(high.max())


def test_boxes_of_few_sizes_are_boxes():
    figure = draw("boxes", FREEDMAN, mechanism="full_disclosure", point=[1, 5, 30])
    scores, delta = panels(figure)
    assert [boxes_in(scores), boxes_in(delta)] == [6, 3]
    rows = FREEDMAN[(FREEDMAN["mechanism"] == "full_disclosure").to_numpy(dtype=bool)]
    low, median, high = quartiles(rows[rows["point"].isin([1, 5, 30])], "delta")
    heights = [line.get_ydata() for line in delta.lines]  # whiskers rise, medians do not
    assert [ends[0] for ends in heights[:-1] if ends[0] == ends[1]] == pytest.approx(median)
    heights = [box.get_path().vertices[:, 1] for box in delta.patches]
    assert [h.min() for h in heights] == pytest.approx(low)
    assert [h.max() for h in heights] == pytest.approx(high)
    assert [t.get_text() for t in delta.get_xticklabels()] == ["1", "5", "30"]


def test_designs_stand_side_by_side_with_scores_above():
    two = pd.concat(
        [frames.outcomes(frames.FULL, design=d, replicates=5) for d in ("permuted", "splits")]
    )
    figure = draw("boxes", two)
    assert [title(ax) for ax in panels(figure)] == [
        "Full-disclosure: public and final score\na   permuted response", "b   random splits",
        "Full-disclosure: difference Δ\nc   permuted response", "d   random splits",
    ]  # fmt: skip
    assert [len(ax.collections) for ax in panels(figure)] == [2, 2, 1, 1]
    assert [ax.get_ylabel()[:4] for ax in panels(figure)] == ["MSE\n", "", "ΔMSE", ""]
    said = caption("boxes", two, study="s", seed=1)
    words = "permuted response (no signal: all gain is overfit) and random splits (signal kept)"
    assert words in said
    assert "MSE (above) and their difference Δ (below)" in said
    with pytest.raises(InputError, match="shows one design at a time"):
        draw("boxes", two, layout="compact")


def right_name():
    return "ΔMSE = public − final\n(below 0: overfit)"


def test_boxes_have_a_row_for_each_mechanism():
    figure = draw("boxes", FREEDMAN)
    assert len(panels(figure)) == 2 * 4
    left, right = panels(figure)[:2]
    assert title(left) == "Full-disclosure\na   public and final score"
    # Once for each column.
    for column, name in ((0, "MSE\n(1 = response variance)"), (1, right_name())):
        assert [ax.get_ylabel() for ax in panels(figure)[column::2]] == ["", name, "", ""]
    lowest = [t.get_text() for t in panels(figure)[-1].get_xticklabels()]
    assert lowest == ["1", "5", "10", "15", "20", "25", "30"]
    legend = [t.get_text() for t in figure.legends[0].get_texts()]
    assert legend == ["Public score", "Final score", "Difference Δ", "MSE = 1 or Δ = 0"]


def test_ticks_meet_the_line():
    figure = draw("boxes", FREEDMAN, layout="compact")
    scores = [ax for ax in panels(figure) if title(ax)]
    assert all(1.0 in ax.get_yticks().round(9) for ax in scores)


def test_a_yardstick_far_from_the_scores_is_left_out():
    shown = draw("boxes", FREEDMAN, mechanism="full_disclosure")
    far = FREEDMAN.assign(**{
        column: FREEDMAN[column].astype(float) / 10 for column in ("score_public", "score_final")
    })  # fmt: skip
    left = draw("boxes", far, mechanism="full_disclosure")
    for figure, drawn_lines, words in ((shown, 1, "MSE = 1 or Δ = 0"), (left, 0, "Δ = 0")):
        scores, _ = panels(figure)
        assert len([line for line in scores.lines if len(line.get_ydata()) == 2]) == drawn_lines
        assert figure.legends[0].get_texts()[-1].get_text() == words
    assert "MSE = 1" not in caption("boxes", far, study="s", seed=1, mechanism="full_disclosure")


def test_the_band_of_a_dashed_line_is_an_outline():
    scores, delta = panels(draw("boxes", FREEDMAN, mechanism="full_disclosure"))
    public, final = scores.collections
    assert len(public.get_facecolor()) == len(delta.collections[0].get_facecolor()) == 1
    assert len(final.get_facecolor()) == 0


def test_boxes_share_the_axis_of_a_column():
    left = panels(draw("boxes", FREEDMAN))[::2]
    assert len({ax.get_ylim() for ax in left}) == 1


def test_boxes_of_a_correlation_say_so():
    frame = frames.outcomes(frames.FULL, metric="ccc")
    left, right = panels(draw("boxes", frame))
    assert left.get_ylabel().startswith("Lin's CCC")
    assert right.get_ylabel() == "ΔCCC = final − public\n(below 0: overfit)"


def test_compact_boxes_set_levels_side_by_side():
    frame = frames.outcomes(
        ({"mechanism": "full_disclosure"}, *frames.BAYES, {"mechanism": "constant_board"}),
        metric="ccc",
        replicates=5,
    )
    figure = draw("boxes", frame, layout="compact")
    shown = panels(figure)
    scores, deltas = ([ax for ax in shown if bool(title(ax)) == named] for named in (True, False))
    assert len(scores) == len(deltas) == 1 + 12 + 1
    assert title(scores[0]) == "Full-disclosure\na"
    assert title(scores[1]) == "BayesBootLadder\nb   posterior odds ≥ 99"
    # Scores have one scale, and so have differences; only the left panels are named.
    for group, name in ((scores, "CCC"), (deltas, "ΔCCC")):
        assert len({ax.get_ylim() for ax in group}) == 1
        left = [ax for ax in group if ax.get_subplotspec().is_first_col()]
        assert [ax.get_ylabel() for ax in left] == [name] * len(left)
        assert {ax.get_ylabel() for ax in group if ax not in left} == {""}
    assert not figure.get_supylabel()
    # Each Δ stands below its scores.
    for above, below in zip(scores, deltas, strict=True):
        here, there = above.get_subplotspec(), below.get_subplotspec()
        assert (here.rowspan.start + 1, here.colspan.start) == (
            there.rowspan.start, there.colspan.start,
        )  # fmt: skip
    # The last row has one panel only; the columns beside it are numbered all the same.
    figure.draw_without_rendering()
    lowest = [ax for ax in deltas if any(t.get_visible() for t in ax.get_xticklabels())]
    assert lowest == deltas[-3:]


def test_boxes_layout_is_checked():
    with pytest.raises(InputError, match="`layout` must be one of rows, compact; got 'wide'"):
        draw("boxes", FREEDMAN, layout="wide")


# grid, limits


def test_without_noise_there_is_a_row_of_panels_with_the_chosen_iterations():
    figure = draw("grid", STEP, mechanism="ladder", point=[2, 3, 4, 5])
    shown = panels(figure)
    assert [ax.get_title(loc="left")[4:] for ax in shown] == ["α = 0.01", "α = 0.15", "α = 0.5"]
    assert [boxes_in(ax) for ax in shown] == [4, 4, 4]
    assert [t.get_text() for t in shown[0].get_xticklabels()] == ["2", "3", "4", "5"]


def test_letters_of_a_row_stand_at_one_height():
    figure = draw("grid", STEP)
    figure.draw_without_rendering()
    shown = panels(figure)
    titles = {ax: ax.get_title(loc="left") for ax in shown}
    lines = [
        ax.findobj(lambda a, t=t: isinstance(a, Text) and a.get_text() == t)
        for ax, t in titles.items()
    ]
    heights = [line.get_transform().transform(line.get_position())[1] for (line,) in lines]
    for row in np.reshape(heights, (3, 3)):
        assert row == pytest.approx(row[0])


def test_grid_sets_levels_by_replications_and_repeats_the_ladder():
    shown = panels(draw("grid", STEP))
    assert len(shown) == 3 * 3
    assert [boxes_in(ax) for ax in shown] == [2 * 5] * 9
    assert [title(ax) for ax in shown[3:6]] == [
        "LadderBoot with b = 100\nd   α = 0.01",
        "e   α = 0.15",
        "f   α = 0.5",
    ]


@pytest.mark.parametrize("value", ["delta", "score_public"])
def test_grid_values(value):
    figure = draw("grid", STEP, value=value)
    assert boxes_in(panels(figure)[0]) == 10
    axis = {"delta": "ΔMSE = ", "score_public": "Public MSE\n"}[value]
    assert figure.get_supylabel().startswith(axis)


def test_the_caption_of_a_grid_has_the_medians_at_the_right():
    frame = SAMPLES["grid"]
    one = frame[(frame["dataset"] == "ad_like").to_numpy(dtype=bool)]
    last = one[(one["point"] == one["point"].max()).to_numpy(dtype=bool)]
    medians = last.astype({"delta": float}).groupby("setting", observed=True)["delta"].median()
    said = caption("grid", frame, study="s", seed=1, dataset="ad_like")
    medians = medians[medians.index.str.startswith("ladder(")]
    least, most = (f"{-m:.2g}" for m in (medians.max(), medians.min()))
    assert said.startswith(f"After 5 iterations the public MSE is too good by {least} (α = ")
    assert f" to {most} (α = 0.5) on Ladder and " in said


def test_grid_value_is_checked():
    with pytest.raises(InputError, match="`value` must be one of delta, score_public; got"):
        draw("grid", STEP, value="gap")


def test_alpha_and_posterior_odds_do_not_share_a_grid():
    mixed = frames.outcomes((*frames.LADDERS, *frames.BAYES), attack="step_forward", replicates=3)
    with pytest.raises(InputError, match="either alpha or posterior_odds"):
        draw("grid", mixed)


@pytest.mark.parametrize("kind", ["grid", "limits"])
def test_several_b_do_not_share_a_panel(kind):
    heads = [title(ax).split("\n")[0] for ax in panels(draw(kind, STEP))[::3]]
    assert heads == [f"LadderBoot with b = {b}" for b in ("1,000", "100", "10")]
    assert "LadderBoot (b = 100)" in words(draw(kind, STEP, b=100))


def test_limits_show_each_budget_at_its_end():
    figure = draw("limits", BUDGETS, threshold=-0.02)
    shown = panels(figure)
    ticks = [t.get_text() for t in shown[0].get_xticklabels()]
    # Every second one a line lower, so that they stand apart.
    assert ticks == ["50", "\n199", "447", "\n794", "1,240", "\n1,785"]
    assert [boxes_in(ax) for ax in shown] == [2 * 6] * 3
    assert "threshold (−0.02)" in words(figure)
    assert all(any(set(line.get_ydata()) == {-0.02} for line in ax.lines) for ax in shown)


def test_limits_see_another_attack_that_no_budget_ends_with():
    longest = BUDGETS["n_features"] == BUDGETS["n_features"].max()
    other = (longest & (BUDGETS["point"] == 1)).to_numpy(dtype=bool)
    attack = BUDGETS["attack"].astype(str).mask(other, "freedman")
    with pytest.raises(InputError, match="shows one attack at a time"):
        draw("limits", BUDGETS.assign(attack=attack))


def test_an_attack_that_stopped_early_stays_in_its_budget():
    frame = BUDGETS.copy()
    stopped = ((frame["n_features"] == 300) & (frame["replicate"] < 30)).to_numpy(dtype=bool)
    frame.loc[stopped, "submissions"] = 600
    ends = budget_ends(frame)
    assert sorted(ends["budget"].unique()) == [50, 199, 447, 794, 1240, 1785]
    assert (ends.groupby("budget")["replicate"].nunique() == 40).all()


def test_without_budgets_limits_show_each_iteration():
    ends = budget_ends(STEP)
    assert sorted(ends["budget"].unique()) == [300, 599, 897, 1194, 1490]

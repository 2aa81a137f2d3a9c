"""Every kind draws from tables of the contract, and says clearly when it cannot."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from shakedown.figures import KINDS, caption, draw, own_settings
from shakedown.figures.limits import budget_ends
from shakedown.figures.style import Setting
from shakedown.figures.traces import jump_of
from shakedown.interface import InputError
from tests.figures import bound_frames, frames, label_frames

STEP = frames.outcomes((*frames.LADDERS, *frames.BOOTS), attack="step_forward", board="fresh")
FREEDMAN = frames.outcomes()
BUDGETS = frames.budgets()
TRACES = frames.traces()
RELEASES = frames.releases(predictions=3, draws=50)
SAMPLES = {
    "traces": TRACES,
    "boxes": FREEDMAN,
    "delta": frames.outcomes(frames.LADDERS, attack="step_forward"),
    "grid": STEP,
    "limits": BUDGETS,
    "spread": RELEASES,
    "growth": label_frames.outcomes(),
    "trajectories": label_frames.zheng_2(),
    "bounds": bound_frames.compared(),
}


def panels(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def boxes_in(ax):
    """Number of boxes in a panel: closed shapes in the paths that hold boxes."""
    paths = [patch.get_path() for patch in ax.patches if patch.get_label() == "_boxes"]
    return sum(int((path.codes == path.CLOSEPOLY).sum()) for path in paths)


def upright(ax):
    """Where the lines from the bottom to the top of a panel stand."""
    return [line.get_xdata()[0] for line in ax.lines if list(line.get_ydata()) == [0, 1]]


def words(figure):
    texts = [figure.legends[0].get_texts()] if figure.legends else []
    shown = [t.get_text() for group in texts for t in group]
    for ax in panels(figure):
        shown += [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    return shown


def test_every_kind_has_a_sample():
    assert set(SAMPLES) == set(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_draws_a_figure_with_labelled_axes(kind):
    figure = draw(kind, SAMPLES[kind])
    assert isinstance(figure, Figure)
    shown = panels(figure)
    # Some panel of each row has a y label, some panel of each column an x label.
    assert {ax.get_subplotspec().rowspan.start for ax in shown} == {
        ax.get_subplotspec().rowspan.start for ax in shown if ax.get_ylabel()
    }
    assert {ax.get_subplotspec().colspan.start for ax in shown} == {
        ax.get_subplotspec().colspan.start for ax in shown if ax.get_xlabel()
    }
    assert figure.legends


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_text_is_smaller_than_8_points(kind):
    figure = draw(kind, SAMPLES[kind])
    figure.draw_without_rendering()
    assert figure.get_figwidth() <= 7.2
    sizes = [t.get_fontsize() for t in figure.findobj(lambda a: hasattr(a, "get_fontsize"))]
    assert min(sizes) >= 8


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_names_the_missing_column(kind):
    column = "mechanism" if kind != "spread" else "quality"
    with pytest.raises(InputError, match=f"figure kind '{kind}' needs the column {column}; the"):
        KINDS[kind](SAMPLES[kind].drop(columns=column))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_refuses_a_table_without_rows(kind):
    with pytest.raises(InputError, match=f"'{kind}' got a table without rows"):
        KINDS[kind](SAMPLES[kind].iloc[:0])


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"spread", "trajectories"}))
def test_refuses_to_mix_data_sets(kind):
    frame = SAMPLES[kind].astype({"dataset": str})
    frame.loc[frame.index[::2], "dataset"] = "diabetes"
    one = "one dataset at a time, got (ad_like|coins|correlated), diabetes"
    with pytest.raises(InputError, match=one):
        draw(kind, frame)
    assert draw(kind, frame, dataset="diabetes")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nullable_types_draw_the_same(kind, tmp_path):
    settings = {"dataset": "ad_like"} if kind in ("boxes", "delta", "grid", "limits") else {}
    for name, frame in (("a", SAMPLES[kind]), ("b", frames.nullable(SAMPLES[kind]))):
        draw(kind, frame, **settings).savefig(tmp_path / f"{name}.raw", format="raw", dpi=30)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "b.raw").read_bytes()


def test_the_table_is_left_as_it_was():
    for kind, frame in SAMPLES.items():
        before = frame.copy(deep=True)
        draw(kind, frame)
        assert frame.equals(before)


def test_unknown_kind():
    with pytest.raises(InputError, match="kind must be one of bounds, boxes, .* got 'pie'"):
        draw("pie", FREEDMAN)


def test_unknown_setting():
    with pytest.raises(InputError, match="'grid' has no setting 'vlaue'; its own are value, and"):
        draw("grid", STEP, vlaue="delta")


def test_own_settings():
    assert own_settings("limits") == ("threshold",)


# traces


def test_freedman_traces_mark_the_features_and_the_last_jump():
    figure = draw("traces", TRACES)
    full, ladder = panels(figure)
    assert full.get_title(loc="left") == "a   Full-disclosure"
    dots = [line.get_xdata().size for line in full.lines if line.get_marker() == "o"]
    assert dots == [1000, 30]
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
    assert jump_of(rows, Setting("ladder", alpha=0.15)) is None


def test_step_forward_traces_have_a_line_and_a_number_for_each_iteration():
    frame = frames.traces(
        ({"mechanism": "ladder", "alpha": 0.15},), attack="step_forward", n_features=60
    )
    (ax,) = panels(draw("traces", frame))
    assert [t.get_text() for t in ax.texts] == [str(i) for i in range(1, 11)]
    chosen = frame.loc[frame["selected"].to_numpy(dtype=bool), "submission"].tolist()
    assert upright(ax) == chosen


def test_traces_columns():
    figure = draw("traces", TRACES, columns=1)
    assert {ax.get_subplotspec().colspan.start for ax in panels(figure)} == {0}
    with pytest.raises(InputError, match="columns must be at least 1, got -1"):
        draw("traces", TRACES, columns=-1)


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
    shown = sorted(panels(figure), key=lambda ax: ax.get_title(loc="left"))
    assert [ax.get_title(loc="left")[:10] for ax in shown] == [
        "a   Ladder", "b   Ladder", "c   Ladder", "d   Ladder",
    ]  # fmt: skip
    assert [ax.get_subplotspec().colspan.start for ax in shown] == [0, 0, 1, 1]
    assert [len(ax.texts) for ax in shown] == [0, 0, 10, 10]  # Freedman's attack comes first
    assert "submission of Freedman's attack (left) or the step-forward attack (right)" in (
        caption("traces", both, study="s", seed=1)
    )


# boxes


def test_designs_stand_side_by_side_with_scores_above():
    two = pd.concat(
        [frames.outcomes(frames.FULL, design=d, replicates=5) for d in ("permuted", "splits")]
    )
    figure = draw("boxes", two)
    titles = [ax.get_title(loc="left") for ax in panels(figure)]
    assert titles == [
        "a   Full-disclosure\npermuted response", "b   Full-disclosure\nrandom splits", "c", "d",
    ]  # fmt: skip
    assert [boxes_in(ax) for ax in panels(figure)] == [60, 60, 30, 30]
    assert [ax.get_ylabel()[:4] for ax in panels(figure)] == ["MSE\n", "", "ΔMSE", ""]
    said = caption("boxes", two, study="s", seed=1)
    assert "permuted response and random splits" in said
    assert "MSE (above) and their difference Δ (below)" in said
    assert "the variance of the response (above) and Δ = 0 (below)" in said
    with pytest.raises(InputError, match="shows one design at a time"):
        draw("boxes", two, layout="compact")


def test_boxes_have_a_row_for_each_mechanism():
    figure = draw("boxes", FREEDMAN)
    assert len(panels(figure)) == 2 * 4
    left, right = panels(figure)[:2]
    assert boxes_in(left) == 2 * 30
    assert boxes_in(right) == 30
    assert left.get_ylabel() == "MSE\n(1 = response variance)"
    assert right.get_ylabel() == "ΔMSE = public − final\n(below 0: overfit)"
    lowest = [t.get_text() for t in panels(figure)[-1].get_xticklabels()]
    assert lowest == ["1", "5", "10", "15", "20", "25", "30"]


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
    assert len(shown) == 1 + 12 + 1
    titles = [ax.get_title(loc="left") for ax in shown]
    assert titles[2] == "c   BayesBootLadder\nposterior odds ≥ 5.67"
    # The last row has one panel only; the columns beside it are labelled all the same.
    assert [bool(ax.get_xlabel()) for ax in shown[-4:]] == [False, True, True, True]


def test_boxes_layout_is_checked():
    with pytest.raises(InputError, match="layout must be one of rows, compact, got 'wide'"):
        draw("boxes", FREEDMAN, layout="wide")


# delta, grid, limits


def test_delta_has_a_panel_for_each_level_and_the_chosen_iterations():
    figure = draw("delta", STEP, mechanism="ladder", iterations=[2, 3, 4, 5])
    shown = panels(figure)
    assert [ax.get_title(loc="left")[4:] for ax in shown] == ["α = 0.01", "α = 0.15", "α = 0.5"]
    assert [boxes_in(ax) for ax in shown] == [4, 4, 4]
    assert [t.get_text() for t in shown[0].get_xticklabels()] == ["2", "3", "4", "5"]


def test_grid_sets_levels_by_replications_and_repeats_the_ladder():
    shown = panels(draw("grid", STEP))
    assert len(shown) == 3 * 3
    assert [boxes_in(ax) for ax in shown] == [2 * 5] * 9
    assert shown[5].get_title(loc="left") == "f   α = 0.5, b = 100"


@pytest.mark.parametrize(("value", "boxes"), [("delta", 10), ("score_public", 10), ("scores", 20)])
def test_grid_values(value, boxes):
    figure = draw("grid", STEP, value=value)
    assert boxes_in(panels(figure)[0]) == boxes
    assert panels(figure)[0].get_ylabel().startswith("ΔMSE" if value == "delta" else "MSE")
    assert ("LadderBoot, final" in words(figure)) == (value == "scores")


def test_grid_value_is_checked():
    with pytest.raises(InputError, match="value must be one of delta, score_public, scores, got"):
        draw("grid", STEP, value="gap")


def test_alpha_and_posterior_odds_do_not_share_a_grid():
    mixed = frames.outcomes((*frames.LADDERS, *frames.BAYES), attack="step_forward", replicates=3)
    with pytest.raises(InputError, match="either alpha or posterior_odds"):
        draw("grid", mixed)


@pytest.mark.parametrize("kind", ["delta", "limits"])
def test_several_b_do_not_share_a_panel(kind):
    with pytest.raises(InputError, match="one b at a time, got 1000, 100, 10"):
        draw(kind, STEP)
    assert "LadderBoot (b = 100)" in words(draw(kind, STEP, b=100))


def test_limits_show_each_budget_at_its_end():
    figure = draw("limits", BUDGETS, threshold=-0.02)
    shown = panels(figure)
    ticks = [t.get_text() for t in shown[0].get_xticklabels()]
    assert ticks == ["50", "199", "447", "794", "1,240", "1,785"]
    assert [boxes_in(ax) for ax in shown] == [2 * 6] * 3
    assert "threshold (−0.02)" in words(figure)
    assert all(any(set(line.get_ydata()) == {-0.02} for line in ax.lines) for ax in shown)


def test_limits_see_another_attack_that_no_budget_ends_with():
    longest = BUDGETS["n_features"] == BUDGETS["n_features"].max()
    other = (longest & (BUDGETS["iterations"] == 1)).to_numpy(dtype=bool)
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


# spread


def test_spread_histograms_have_a_panel_for_each_prediction_and_b():
    figure = draw("spread", RELEASES, prediction=["p1", "p3"])
    shown = panels(figure)
    titles = [ax.get_title(loc="left").split("\n")[0] for ax in shown]
    assert titles == [
        "a   p3, b = 10", "b   p3, b = 100", "c   p3, b = 1,000",
        "d   p1, b = 10", "e   p1, b = 100", "f   p1, b = 1,000",
    ]  # fmt: skip
    # The line stands at the actual score.
    assert [ax.lines[0].get_xdata()[0] for ax in shown] == pytest.approx([0.15] * 3 + [1.64] * 3)


def test_spread_names_a_prediction_in_words_where_there_are_some():
    frame = RELEASES.assign(
        prediction=RELEASES["prediction"].replace({"p1": "knn", "p3": "my_net"})
    )
    shown = panels(draw("spread", frame, prediction=["knn", "my_net"], b=10))
    titles = [ax.get_title(loc="left").split("\n")[0] for ax in shown]
    assert titles == ["a   my net, b = 10", "b   nearest neighbours, b = 10"]


def test_spread_histograms_of_one_b_are_equally_wide_and_hold_every_release():
    shown = panels(draw("spread", RELEASES, prediction=["p1", "p3"]))
    widths = [ax.get_xlim()[1] - ax.get_xlim()[0] for ax in shown]
    assert widths[:3] == pytest.approx(widths[3:])
    assert widths[0] > widths[1] > widths[2]
    assert len({ax.get_ylim() for ax in shown}) == 1
    for ax, (name, b) in zip(
        shown, [(p, b) for p in ("p3", "p1") for b in frames.REPLICATIONS], strict=True
    ):
        mine = (RELEASES["prediction"] == name) & (RELEASES["b"] == b)
        released = RELEASES.loc[mine.to_numpy(dtype=bool), "released"]
        assert ax.get_xlim()[0] < released.min()
        assert released.max() < ax.get_xlim()[1]


def test_spread_boxes_show_the_standard_deviations():
    top, bottom = panels(draw("spread", RELEASES, view="boxes"))
    assert boxes_in(top) == 3 * 3
    chosen = RELEASES[((RELEASES["b"] == 1000) & (RELEASES["prediction"] == "p1")).to_numpy(bool)]
    expected = np.std(chosen["released"].to_numpy(dtype=float), ddof=1)
    assert bottom.lines[2].get_ydata()[0] == pytest.approx(expected)


def test_spread_view_is_checked():
    with pytest.raises(InputError, match="view must be one of histograms, boxes, got 'violins'"):
        draw("spread", RELEASES, view="violins")


def test_spread_tells_few_b_apart():
    frame = RELEASES.copy()
    frame["b"] = frame["b"] + (np.arange(len(frame)) % 2)
    with pytest.raises(InputError, match="at most 4 values of b apart, got 10, 11, 100"):
        draw("spread", frame, view="boxes")

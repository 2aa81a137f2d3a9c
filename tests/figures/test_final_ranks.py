"""The figures of a final ranking: right marks at the right places, and texts that fit."""

from functools import lru_cache
from importlib import import_module

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from shakedown.figures import save
from shakedown.figures.final_ranks import left_out, ticks_of_ranks
from shakedown.figures.significance_map import BETTER, ITSELF, OPEN, WORSE
from shakedown.figures.style import PAGE_WIDTH, luminance
from shakedown.metrics import find
from shakedown.questions.winner import FIGURES
from shakedown.ranking.final_ranking import Rule, final_ranking
from shakedown.ranking.stability import agreements, rank_shares
from shakedown.wording import counted, percent

N = 80


@lru_cache
def ranking(m, name="A team with a rather long name"):
    rng = np.random.default_rng(m)
    y, c = rng.standard_normal(N), np.linspace(0.95, 0.3, m)[:, None]
    files = c * y + np.sqrt(1.0 - c**2) * rng.standard_normal((m, N))
    teams = [f"{k} {name}" for k in range(m)]
    return final_ranking(find("mse"), y, files, teams, seed=1, rule=Rule(draws=200))


def drawn(kind, m=5, **given):
    return getattr(import_module(f"shakedown.figures.{kind}"), kind)(ranking(m, **given))


@pytest.mark.parametrize("m", [2, 5, 40, 200])
@pytest.mark.parametrize("name", FIGURES)
def test_text_can_be_read_and_lies_within_the_figure(name, m):
    figure, caption = drawn(name, m)
    figure.draw_without_rendering()
    assert figure.get_figwidth() <= PAGE_WIDTH
    frame = figure.bbox.padded(0.02 * figure.dpi)
    ax = figure.axes[0]
    assert ax.get_window_extent().width > 1.2 * figure.dpi
    texts = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    inside = [t for t in texts if t not in ax.get_xticklabels()]  # ticks beyond the axis
    for text in inside:
        box = Text.get_window_extent(text)
        assert text.get_fontsize() >= 8
        if box.width > 1 and text in [ax.xaxis.label, *ax.get_yticklabels(), *figure.texts]:
            assert frame.x0 <= box.x0 < box.x1 <= frame.x1, text
            assert frame.y0 <= box.y0 < box.y1 <= frame.y1, text
    low, high = sorted(ax.get_xlim())
    for labels, at in ((ax.get_yticklabels(), "y"), (ax.get_xticklabels(), "x")):
        seen = [t for t in labels if at == "y" or low <= t.get_position()[0] <= high]
        boxes = [Text.get_window_extent(t) for t in seen if t.get_text()]
        boxes.sort(key=lambda box: getattr(box, f"{at}0"))
        for first, other in zip(boxes[:-1], boxes[1:], strict=True):
            assert getattr(first, f"{at}1") <= getattr(other, f"{at}0") + 1
    assert caption.endswith(".")
    assert "nan" not in caption
    assert "  " not in caption


@pytest.mark.parametrize("name", FIGURES[:3])
def test_what_is_left_out_is_said(name):
    assert "no room" not in drawn(name, 5).caption
    caption = drawn(name, 200).caption
    assert "of 200 teams are shown; " in caption
    assert left_out(31, 30) == " The first 30 of 31 teams are shown; 1 other had no room."


@pytest.mark.parametrize(("last", "ticks"), [
    (1, [1]), (5, [1, 2, 3, 4, 5]), (10, [1, 3, 5, 7, 9]), (30, [1, 5, 10, 15, 20, 25, 30]),
    (200, [1, 50, 100, 150, 200]),
])  # fmt: skip
def test_the_first_rank_has_a_tick(last, ticks):
    assert ticks_of_ranks(last) == ticks
    ax = drawn("final_ranks", 40).figure.axes[0]
    assert ax.get_xticks()[0] == 1


def test_the_metric_stands_above_the_scores():
    figure = drawn("final_ranks", 5).figure
    figure.draw_without_rendering()
    (right,) = figure.axes[0].child_axes
    assert right.get_ylabel() == "MSE"
    head = right.yaxis.label.get_window_extent()
    assert all(head.y0 >= t.get_window_extent().y1 - 1 for t in right.get_yticklabels())


@pytest.mark.parametrize("kind", FIGURES[:3])
def test_names_of_teams_are_drawn_as_they_are(kind, tmp_path):
    figure = drawn(kind, name=r"$\frac$").figure
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    texts = [t for t in figure.findobj(Text) if "$" in t.get_text()]
    assert texts
    assert not any(t._preprocess_math(t.get_text())[1] for t in texts)


@pytest.mark.parametrize("m", [5, 40])
def test_cells_say_who_is_better(m):
    found = ranking(m)
    (mesh,) = drawn("significance_map", m).figure.axes[0].collections
    colours = mesh.to_rgba(mesh.get_array()).reshape(m, m, 4)
    low, high = found.table["joint_low"], found.table["joint_high"]
    for j in range(m):
        row = [tuple(colour) for colour in colours[j]]
        assert row[j] == to_rgba(ITSELF)
        assert row.count(to_rgba(BETTER)) == m - high[j]
        assert row.count(to_rgba(WORSE)) == low[j] - 1
        for k in range(m):
            if row[k] == to_rgba(BETTER):
                assert found.table["score"][j] < found.table["score"][k]
                assert tuple(colours[k, j]) == to_rgba(WORSE)
    pairs = f"{found.better.sum():,} of {m * (m - 1) // 2:,} pairs are told apart"
    assert pairs in drawn("significance_map", m).caption


@pytest.mark.parametrize("m", [2, 40])
def test_captions_begin_with_what_came_out(m):
    found = ranking(m)
    first = int((found.table["rank_low"] == 1).sum())
    assert drawn("final_ranks", m).caption.startswith(f"{first} of {m} teams can be first, ")
    found_pairs = f"{found.better.sum()} of {counted(m * (m - 1) // 2, 'pair')} "
    assert drawn("significance_map", m).caption.startswith(found_pairs)
    wins = percent(float((found.drawn.argmin(axis=1) == 0).mean()))
    assert drawn("rank_blobs", m).caption.startswith(f"The team on top has rank 1 in {wins} of the")


def test_cells_differ_in_grey():
    grey = sorted(luminance(colour) for colour in (WORSE, OPEN, BETTER))
    assert min(np.diff(grey)) > 0.15


def test_blobs_have_the_shares_as_areas():
    found = ranking(5)
    shares = rank_shares(found.drawn)
    figure = drawn("rank_blobs").figure
    blobs, bars = figure.axes[0].collections
    places, areas = blobs.get_offsets(), blobs.get_sizes()
    assert len(places) == (shares >= 0.002).sum()
    for (rank, at), area in zip(np.asarray(places), areas, strict=True):
        share = shares[int(at), int(rank) - 1]
        assert area / areas.max() == pytest.approx(share / shares.max(), rel=1e-6)
    ranks = 1 + (found.drawn[:, :, None] > found.drawn[:, None]).sum(axis=2)
    medians = np.quantile(ranks, 0.5, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(np.asarray(bars.get_offsets())[:, 0], medians)


def test_violins_are_of_all_teams_and_of_the_best():
    found = ranking(40)
    figure, caption = drawn("ranking_stability", 40)
    ax = figure.axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["all 40 teams", "the best 10"]
    best = np.argsort(found.risks)[:10]
    for k, own in enumerate((slice(None), best)):
        taus = agreements(found.risks[own], found.drawn[:, own])
        middle = ax.lines[k].get_xdata()[0]
        assert middle == pytest.approx(np.median(taus))
    assert caption.startswith("Median agreement: ")
    small = drawn("ranking_stability", 5).figure.axes[0]
    assert [t.get_text() for t in small.get_yticklabels()] == ["all 5 teams"]


def keys_of(name, m=5):
    """What the legend of a figure explains."""
    figure = drawn(name, m).figure
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_marks_are_explained_in_the_picture():
    tied = int(ranking(5).table["tied"].sum())
    expected = ["rank by score", "possible ranks, one by one (95 %)", "all at once (95 %)"]
    assert keys_of("final_ranks")[:3] == expected
    assert keys_of("final_ranks")[3:] == ["tied with the first"] * (tied > 1)
    widths = [key.get_linewidth() for key in drawn("final_ranks").figure.legends[0].legend_handles]
    joint, own, *_ = drawn("final_ranks").figure.axes[0].collections
    assert (widths[1], widths[2]) == (own.get_linewidth()[0], joint.get_linewidth()[0])
    assert widths[1] > 2 * widths[2]  # two bars on one another are seen
    spans = [segment[:, 0] for segment in joint.get_segments()]
    np.testing.assert_allclose(spans, ranking(5).table[["joint_low", "joint_high"]])
    assert keys_of("rank_blobs") == ["area: share of the samples", "median rank of the team"]
    assert keys_of("ranking_stability") == ["all samples", "middle half", "median"]
    title = drawn("significance_map").figure.legends[0].get_title().get_text()
    assert title == "With a confidence of 95 %, the team on the left is"

"""The figures of a dry run: right numbers at the right places."""

import itertools
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from shakedown.attacks.attack import ATTACKS
from shakedown.figures.cells import Cell
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.dryrun.frontier_split import _some, reached
from shakedown.figures.dryrun.protection import pareto
from shakedown.figures.facets import name_rows
from shakedown.figures.kind import pictured as picture
from shakedown.figures.style import PAGE_WIDTH
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from tests.figures import dryrun_frames as tables
from tests.figures.frames import nullable

CURVE = tables.frontier()
LIMITS = tables.limits(CURVE, (-0.05, -0.1))
BEST, LADDER = "ladderboot(alpha=0.15,b=100)", "ladder(alpha=0.15)"
FULL = "full_disclosure"
GIVEN = {
    "frontier": CURVE,
    "limits": LIMITS,
    "utility": tables.served(),
    "acceptance": tables.acceptance(),
}
#: The tables before anything is drawn.
AS_MADE = {name: table.copy(deep=True) for name, table in GIVEN.items()}
EVERY = sorted(DRY_RUN_FIGURES)


def recommending(setting, answer="safe"):
    return {"recommendation": {"answer": answer, "recommended": {"setting": setting}}}


def pictured(name, given=(), **settings):
    if given:
        return picture(DRY_RUN_FIGURES.make(name, **settings), GIVEN | dict(given))
    return drawn(name, **settings)


@cache
def drawn(name, **settings):
    """The picture of the usual tables."""
    return picture(DRY_RUN_FIGURES.make(name, **settings), GIVEN)


def panel(name, board, given=(), **settings):
    """The panel of a board, by its name and parameters."""
    shown = pictured(name, given, **settings).figure.axes
    return next(ax for ax in shown if ax.get_title(loc="left").startswith(board))


def rows_by_name(ax, texts):
    return dict(zip([t.get_text() for t in ax.get_yticklabels()], texts, strict=True))


def safe_numbers(given=(), **settings):
    """Beside the name of each board what stands at the end of its row."""
    ax = pictured("safe_limits", given, **settings).figure.axes[0]
    (right,) = ax.child_axes
    return rows_by_name(ax, [t.get_text() for t in right.get_yticklabels()])


def line_through(ax, x, y):
    return any(
        len(line.get_xdata()) == len(x)
        and np.allclose(np.asarray(line.get_xdata(), float), x)
        and np.allclose(np.asarray(line.get_ydata(), float), y)
        for line in ax.lines
    )


@pytest.mark.parametrize("boards", ["losses", "correlations", "defended"])
@pytest.mark.parametrize("kind", EVERY)
def test_text_can_be_read_and_lies_within_the_figure(kind, boards):
    given = dict(recommending(BEST))
    if boards != "losses":  # whose names are long
        of = {"correlations": (tables.CORRELATION, "ccc"), "defended": (tables.DEFENDED, "mse")}
        some, metric = of[boards][0], {"metric": of[boards][1]}
        curve = tables.frontier(some, **metric)
        given = {
            "frontier": curve,
            "limits": tables.limits(curve),
            "utility": tables.served(some, **metric),
            "acceptance": tables.acceptance(some, **metric),
        }
    figure, caption = pictured(kind, given, submissions=500)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == PAGE_WIDTH
    shown = [ax for ax in figure.axes if ax.get_visible()]
    seen = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(t.get_fontsize() for t in seen) >= 8
    frame = figure.bbox.padded(0.02 * figure.dpi)
    placed = [*figure.legends, *figure.texts]
    for ax in shown:
        placed += [ax._left_title, ax.xaxis.label, *ax.texts, *ax.get_yticklabels()]
    for text in placed:
        box = text.get_window_extent()
        if box.width > 1:
            assert frame.x0 <= box.x0 < box.x1 <= frame.x1, text
            assert frame.y0 <= box.y0 < box.y1 <= frame.y1, text
    heads = [Text.get_window_extent(ax._left_title) for ax in shown if ax.get_title(loc="left")]
    for k, text in enumerate(heads):
        assert not any(text.overlaps(other) for other in heads[k + 1 :])
    assert caption.endswith(".")
    assert not any(slip in caption for slip in ("  ", "..", "nan"))
    unit = "The MSE is in squared units of the response."
    assert (unit in caption) == (boards != "correlations")


@pytest.mark.parametrize("kind", EVERY)
def test_a_missing_column_is_named(kind):
    for name in DRY_RUN_FIGURES.find(kind).reads:
        with pytest.raises(InputError, match=f"'{kind}' needs the column setting"):
            pictured(kind, {name: GIVEN[name].drop(columns="setting")})


@pytest.mark.parametrize("kind", EVERY)
def test_tables_are_left_as_they_were_and_their_types_do_not_matter(kind, tmp_path):
    for name, given in (
        ("a", ()), ("b", {name: nullable(table) for name, table in GIVEN.items()}),
    ):  # fmt: skip
        pictured(kind, given).figure.savefig(tmp_path / f"{name}.raw", format="raw", dpi=30)
    assert all(AS_MADE[name].equals(GIVEN[name]) for name in GIVEN)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "b.raw").read_bytes()


# safe_limits


def test_each_board_has_its_number_with_the_interval():
    said = safe_numbers()
    assert len(said) == 10
    rows = LIMITS[(LIMITS["setting"] == LADDER).to_numpy(bool)]
    row = rows[(rows["threat"] == "modeller") & (rows["threshold"] == -0.05)].iloc[0]
    expected = f"{row['safe_submissions']:,} ({row['ci_low']:,} to {row['ci_high']:,})"
    assert said["Ladder, α = 0.15"] == expected
    assert said["Full-disclosure"].startswith("fewer than 10 (")  # 7, and 10 are the fewest played
    assert said["LadderBoot, α = 0.01, b = 10"] == "all 2,000"
    few = LIMITS.assign(safe_submissions=3, ci_low=0, ci_high=9, censored=False)
    assert set(safe_numbers({"limits": few}).values()) == {"fewer than 10"}
    assert safe_numbers(threat="freedman")["Ladder, α = 0.5"] == "1,611 (864 to all)"
    assert safe_numbers(threshold=-0.1)["Ladder, α = 0.5"] != said["Ladder, α = 0.5"]


@pytest.mark.parametrize(("low", "high", "verdict"), [
    (500, 900, "safe"), (499, 500, "not sure"), (100, pd.NA, "not sure"), (100, 499, "too many"),
])  # fmt: skip
def test_the_mark_says_what_the_interval_says(low, high, verdict):
    limits = LIMITS.assign(
        ci_low=low, ci_high=pd.array([high] * len(LIMITS), dtype="Int64"), censored=False
    )
    figure, caption = pictured("safe_limits", {"limits": limits}, submissions=500)
    marks = figure.axes[0].collections[-1].get_paths()
    assert len(marks) == 10
    keys = dict(zip(figure.legends[0].texts, figure.legends[0].legend_handles, strict=True))
    words = {text.get_text(): key for text, key in keys.items()}
    # Of marks, only those that are drawn.
    assert list(words) == [f"500 submissions: {verdict}", "95 % interval", "500 wanted"]
    key = words[f"500 submissions: {verdict}"].get_marker()
    points = {"o": None, "D": 5, "X": 13}[key]
    assert points in (None, len(marks[0].vertices))
    assert "The 500 wanted are safe where the whole bar lies right" in caption
    assert {
        "safe": "safe on all 10 leaderboards. Mark",
        "not sure": " On 10 it is not sure, and simulating more attackers would tell. Mark",
        "too many": " 500 are too many on all 10. Mark",
    }[verdict] in caption


def test_an_arrow_stands_beyond_the_largest_number_and_only_if_there_is_one():
    figure, caption = pictured("safe_limits")
    bars, arrows = figure.axes[0].collections[:2]
    assert "An arrow, “all”: no more than 2,000 were tested." in caption
    open_ = sum(said == "all 2,000" for said in safe_numbers().values())
    at = np.asarray(arrows.get_offsets(), float)
    assert len(at) >= open_ > 0
    assert (at[:, 0] > 2000).all()
    ends = [bar.vertices[-1] for bar in bars.get_paths()]
    assert set(map(tuple, at)) <= {tuple(end) for end in ends}
    closed = LIMITS.assign(safe_submissions=20, ci_low=10, ci_high=30, censored=False)
    assert "arrow" not in pictured("safe_limits", {"limits": closed}).caption


def test_a_limit_beyond_the_curves_is_the_largest_number():
    short = {"frontier": CURVE[(CURVE["submissions"] <= 500).to_numpy(bool)]}
    assert safe_numbers(short)["LadderBoot, α = 0.01, b = 10"] == "all 2,000"


def test_a_long_name_of_a_board_takes_two_lines_that_end_between_parameters():
    axes = Figure().subplots()
    long = "digest(eta=0.0714,floor=1.43,every=166,updates=3)"
    name_rows(axes, [of_setting(long), of_setting(LADDER)])
    assert [t.get_text() for t in axes.get_yticklabels()] == [
        "Digest, η = 0.0714, floor = 1.43,\nevery = 166, W = 3", "Ladder, α = 0.15",
    ]  # fmt: skip


def test_boards_on_which_the_first_number_is_too_many_have_a_mark_at_0_and_no_bar():
    few = LIMITS.assign(safe_submissions=3, ci_low=0, ci_high=9, censored=False)
    figure, caption = pictured("safe_limits", {"limits": few}, submissions=500)
    bars, *_, marks = figure.axes[0].collections
    assert set(np.asarray(marks.get_offsets(), float)[:, 0]) == {0}
    assert not marks.get_clip_on()
    assert {x for bar in bars.get_paths() for x in bar.vertices[:, 0]} == {0}
    assert "At 0 (mark or end of a bar): too many from the smallest number tried, 10." in caption
    assert "shorter than the mark" not in caption
    assert "one number" not in caption
    bars_end = pictured("safe_limits", {"limits": few.assign(ci_high=10)}).caption
    assert "At 0 (mark or end of a bar)" in bars_end
    assert (
        "At 0" not in pictured("safe_limits", {"limits": few.assign(ci_low=10, ci_high=20)}).caption
    )
    short = LIMITS.assign(safe_submissions=20, ci_low=20, ci_high=20, censored=False)
    assert set(safe_numbers({"limits": short}).values()) == {"20 (20 to 20)"}
    caption = pictured("safe_limits", {"limits": short}).caption
    assert "shorter than the mark. Where it is one number, the overfit jumps there" in caption
    caption = pictured("safe_limits", {"limits": short.assign(ci_high=21)}).caption
    assert "Where it is one number" not in caption


# frontier_split


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"safe_submissions": 55, "ci_low": 20}, "safe: 20, estimate 55"),
        ({"safe_submissions": 55, "ci_low": 55}, "safe: 55"),
        (
            {"safe_submissions": 2000, "ci_low": 20, "censored": True},
            "safe: 20, estimate all 2,000",
        ),
        ({"safe_submissions": 2000, "ci_low": 2000, "censored": True}, "safe: all 2,000"),
        ({"safe_submissions": 3}, "safe: fewer than 10"),
        ({"safe_submissions": pd.NA}, "not attacked"),
    ],
)
def test_a_panel_says_how_many_are_safe(limit, said):
    rows = LIMITS.astype({"safe_submissions": "Int64"})
    given = {"limits": rows.assign(**{"censored": False} | limit)}
    ax = panel("frontier_split", "Full-disclosure", given)
    assert ax.get_title(loc="left").split() == ["Full-disclosure", *said.split()]  # wrapped


def test_each_board_has_a_panel_with_its_curve_and_band():
    ax = panel("frontier_split", "LadderBoot\nα = 0.15, b = 100")
    rows = CURVE[(CURVE["setting"] == BEST).to_numpy(bool)]
    rows = rows[(rows["threat"] == "modeller").to_numpy(bool)]
    n, low, delta, high = (
        rows[c].to_numpy(float) for c in ("submissions", "delta_low", "delta", "delta_high")
    )
    assert line_through(ax, n, delta)
    corners = {tuple(v) for v in ax.collections[0].get_paths()[0].vertices.round(9)}
    assert {(a, b) for a, b in zip(n, low.round(9), strict=True)} <= corners
    assert {(a, b) for a, b in zip(n, high.round(9), strict=True)} <= corners
    assert line_through(ax, [0, 1], [-0.05, -0.05])  # what is tolerated


def test_without_bounds_the_band_fills_the_panel():
    ax = panel("frontier_split", "Ladder\nα = 0.5", {
        "frontier": CURVE.assign(delta_low=np.nan, delta_high=np.nan),
    })  # fmt: skip
    reach = ax.collections[0].get_paths()[0].vertices[:, 1]
    bottom, top = ax.get_ylim()
    assert reach.min() <= bottom
    assert reach.max() >= top


def without_attacks(curve=CURVE):
    """Curves of participants without those of the attacks, so that every point has a mark."""
    return {"frontier": curve[(curve["threat"] == "modeller").to_numpy(bool)]}


def test_the_attacks_are_told_with_their_board():
    figure, _ = pictured("frontier_split", without_attacks(), submissions=500)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "Freedman",
        "Step-forward, a fresh board for each iteration",
        "Step-forward, one board carried on",
        "Best of many",
        "tolerated Δ: −0.05",
        "500 submissions wanted",
    ]
    looks = [(key.get_marker(), key.get_color()) for key in figure.legends[0].legend_handles]
    assert len(set(looks)) == 6


def test_an_attack_without_a_mark_has_no_key():
    way = {"attack": "step_forward", "iteration_board": "carried_on"}
    curve = CURVE.astype({"attack": object, "iteration_board": object}).assign(
        attack="freedman", iteration_board=None
    )
    curve.loc[curve["submissions"] == 120, list(way)] = list(way.values())  # between two marks
    figure, _ = pictured("frontier_split", without_attacks(curve))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "Freedman", "tolerated Δ: −0.05"
    ]  # fmt: skip
    curve.loc[curve["submissions"] == 20, list(way)] = list(way.values())
    figure, _ = pictured("frontier_split", without_attacks(curve))
    # One board tells nothing.
    keys = [text.get_text() for text in figure.legends[0].get_texts()]
    assert keys == ["Freedman", "Step-forward", "tolerated Δ: −0.05"]


def test_marks_are_points_that_an_attack_reached_and_the_first_beyond_what_is_tolerated():
    whole = CURVE[(CURVE["threat"] == "modeller").to_numpy(bool)].astype({"threat": str})
    # Scan reached some of the points; the others are interpolated, whatever attack stands there.
    reached_at = (20, 80, 200, 500)
    parts = whole[whole["submissions"].isin(reached_at)].assign(threat="scan", attack="scan")
    worse = whole.assign(threat="reserve", attack="reserve", delta=whole["delta"] + 0.1)
    both = pd.concat([whole, parts, worse]).astype({"attack": str})
    ax = panel("frontier_split", "LadderBoot\nα = 0.15, b = 100", {"frontier": both})
    own = whole[(whole["setting"] == BEST).to_numpy(bool)].set_index("submissions")["delta"]
    marks = [xy for c in ax.collections[1:] for xy in np.asarray(c.get_offsets(), float)]
    assert {(round(n), delta) for n, delta in marks} == {(n, own[n]) for n in reached_at}
    figure, _ = pictured("frontier_split", {"frontier": both})
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["Scan", "tolerated Δ: −0.05"]
    n = np.arange(1, 101)
    line = pd.DataFrame({"submissions": n, "delta": np.where(n < 38, 0.0, -0.06)}, index=n)
    assert 38 in _some(line, -0.05).index
    assert 38 not in _some(line, -0.07).index


def test_an_attack_that_is_nearly_on_the_line_is_marked_there():
    own = ((CURVE["setting"] == BEST) & (CURVE["threat"] == "modeller")).to_numpy(bool)
    line = CURVE[own].astype({"attack": str, "threat": str})
    played = line.assign(threat="scan", attack="scan", delta=line["delta"] + 0.01)
    for near, count in ((0.02, len(line)), (0.005, 0)):
        marked = reached(line, played, 1.0, near)
        assert marked["attack"].tolist() == ["scan"] * count
        assert marked["delta"].tolist() == line["delta"].tolist()[:count]  # on the line


def test_words_for_numbers_of_submissions_are_explained_where_they_stand():
    said = (
        " “all 2,000”: up to the largest number tried; “fewer than 10”: not even at 10, the "
        "smallest number tried."
    )
    assert said in pictured("frontier_split").caption
    low = GIVEN["limits"].assign(censored=False, safe_submissions=50, ci_low=40)
    assert (
        "up to which the line does. Where a line"
        in pictured("frontier_split", {"limits": low}).caption
    )


def test_of_boards_that_are_as_safe_the_one_that_is_overfit_less_comes_first():
    same = GIVEN["limits"].assign(safe_submissions=50, ci_low=40, censored=False)
    figure, _ = pictured("frontier_split", {"limits": same})
    curves = CURVE[(CURVE["threat"] == "modeller").to_numpy(bool)]
    mean = curves.groupby(curves["setting"].astype(str))["delta"].mean()
    expected = [of_setting(s).title for s in mean.sort_values(ascending=False).index]
    shown = [ax.get_title(loc="left") for ax in figure.axes if ax.get_visible()]
    assert [title.split("\n")[0] for title in shown] == [t.split(" (")[0] for t in expected]


def test_a_curve_below_the_panel_is_said_to_be_there():
    far = CURVE.assign(delta=CURVE["delta"].mask(CURVE["setting"] == FULL, -1.0))
    said = {
        name: [t.get_text() for t in panel("frontier_split", name, {"frontier": far}).texts]
        for name in ("Full-disclosure", "Ladder\nα = 0.15")
    }
    assert said == {
        "Full-disclosure": ["below the panel\nfrom the start"], "Ladder\nα = 0.15": []
    }  # fmt: skip


def test_panels_reach_to_the_recommended_board_but_not_to_any_depth():
    bottoms = {}
    for depth in (-0.1, -0.3, -3.0):
        low = CURVE.assign(delta=CURVE["delta"].mask(CURVE["setting"] == BEST, depth))
        given = recommending(BEST) | {"frontier": low}
        bottoms[depth] = panel("frontier_split", "Full-disclosure", given).get_ylim()[0]
    assert list(bottoms.values()) == pytest.approx([-4 * 0.05, -0.33, -8 * 0.05])


def test_the_caption_says_who_gets_furthest_where_and_where_nobody_does():
    for wanted in (500, None):
        caption = pictured("frontier_split", submissions=wanted).caption
        most = wanted or 2000
        here = (CURVE["threat"] == "modeller") & (CURVE["submissions"] == most)
        rows = CURVE[here.to_numpy(bool)].sort_values("delta")
        titles = [of_setting(str(s)).title for s in rows["setting"].iloc[[0, -1]]]
        low, high = (f"{d:.2g}".replace("-", "−") for d in rows["delta"].iloc[[0, -1]])
        safe = {
            500: "500 submissions are safe on 7 of 10 leaderboards.",
            None: "The most that is safe is 2,000 submissions, on 5 leaderboards.",
        }
        assert caption.startswith(
            f"{safe[wanted]} With {most:,} submissions, half of the attackers get beyond {low} on "
            f"{titles[0]} (with Freedman's attack; off the panel, which ends at −0.2), and beyond "
            f"{high} on {titles[1]}. Panels are ordered by safety. "
        )
    caption = pictured("frontier_split", recommending(LADDER), submissions=500).caption
    here = (CURVE["threat"] == "modeller") & (CURVE["submissions"] == 500)
    (delta,) = CURVE["delta"][(here & (CURVE["setting"] == LADDER)).to_numpy(bool)]
    said = f"{delta:.2g}".replace("-", "−")
    assert f", and beyond {said} on the recommended leaderboard (bold)." in caption
    assert "Where a line leaves its panel at the bottom, the overfit is more than" in caption
    mild = {"frontier": tables.frontier(unit=0.05)}
    assert "leave a panel" not in pictured("frontier_split", mild).caption


def test_units_scale_the_panels():
    curve = tables.frontier(unit=5900.0)
    given = {"frontier": curve, "limits": tables.limits(curve, (-295.0,))}
    assert safe_numbers(given) == safe_numbers({"limits": tables.limits(CURVE)})
    ax = panel("frontier_split", "Full-disclosure", given)
    assert ax.get_ylim()[0] == pytest.approx(-4 * 295)


def test_panels_are_in_shares_of_the_spread_where_it_is_known():
    rests = {"threshold": -0.05, "share": 0.01, "spread": "variance"}  # the variance is 5
    given = {"recommendation": recommending(BEST)["recommendation"] | {"rests_on": rests}}
    for name, axis in (("frontier_split", "y"), ("acceptance", "x")):
        own, shares = (
            getattr(panel(name, "Full-disclosure", which), f"get_{axis}lim")()
            for which in ((), given)
        )
        assert shares == pytest.approx([20 * end for end in own])
        said = [text.get_text() for text in pictured(name, given).figure.findobj(Text)]
        assert any("in % of the response’s variance" in text for text in said)
    own, shares = (
        [bar.get_width() for bar in pictured("protection", which).figure.axes[1].patches]
        for which in ((), given)
    )
    assert shares == pytest.approx([20 * width for width in own])
    said = [text.get_text() for text in pictured("protection", given).figure.axes[1].texts]
    assert all(re.fullmatch(r"(over )?(\d|\d\.\d|0\.\d+|\d\d) %", text) for text in said), said


@pytest.mark.parametrize(
    ("quantile", "wording"),
    [(0.5, "the median attacker still stays"), (0.25, "all but 25 % of attackers still stay")],
)
def test_the_caption_says_whose_limits_these_are(quantile, wording):
    curve = {"frontier": CURVE.assign(quantile=quantile)}
    assert f"with which {wording} within" in pictured("safe_limits", curve).caption


@pytest.mark.parametrize(
    ("low", "wanted", "said"),
    [
        ([600, 500, 9], 500, "500 submissions are safe on 2 of 3 leaderboards."),
        ([600, 500, 500], 500, "500 submissions are safe on all 3 leaderboards."),
        ([20, 7, 9], 500, "500 submissions are safe on none of 3 leaderboards; at most 20 are, on "
         "A."),
        ([20, 20, 1], 500, "500 submissions are safe on none of 3 leaderboards; at most 20 are, on "
         "2 leaderboards."),
        ([0, 0, 0], 1, "1 submission is safe on none of 3 leaderboards."),
        ([20, 7, 9], None, "The most that is safe is 20 submissions, on A."),
    ],
)  # fmt: skip
def test_captions_begin_with_how_many_boards_are_safe(low, wanted, said):
    some = [FULL, LADDER, BEST]
    rows = LIMITS[
        ((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)).to_numpy(bool)
    ]
    rows = rows.set_index(rows["setting"].astype(str)).loc[some].reset_index(drop=True)
    rows = rows.assign(ci_low=pd.array(low, dtype="Int64"))
    figure = DRY_RUN_FIGURES.make("safe_limits", submissions=wanted)
    assert figure.enough({"limits": rows}) == said.replace("on A", "on Full-disclosure")


def test_boards_stand_in_the_order_of_safety_with_the_recommended_one_first_and_bold():
    rows = LIMITS[
        ((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)).to_numpy(bool)
    ]
    lows = dict(zip(rows["setting"].astype(str), rows["ci_low"], strict=True))
    for given, first in (((), []), (recommending(LADDER), [LADDER])):
        shown = pictured("frontier_split", given).figure.axes
        titles = [ax.get_title(loc="left") for ax in shown if ax.get_visible()]
        bold = [ax._left_title.get_fontweight() == "bold" for ax in shown if ax.get_visible()]
        assert bold == [True] * len(first) + [False] * (10 - len(first))
        labels = pictured("safe_limits", given).figure.axes[0].get_yticklabels()
        assert [t.get_weight() == "bold" for t in labels] == bold
        names = [label.get_text() for label in labels]
        assert [title.split("\nsafe")[0].replace("\n", ", ") for title in titles] == names
        by_name = {", ".join(of_setting(s).title.rstrip(")").split(" (")): s for s in lows}
        ordered = [by_name[name] for name in names]
        assert ordered[: len(first)] == first
        rest = [lows[s] for s in ordered[len(first) :]]
        assert rest == sorted(rest, reverse=True)
        assert len(set(rest)) > 3


# protection


@pytest.mark.parametrize("name", EVERY)
def test_captions_say_what_one_per_cent_of_the_spread_is(name):
    rests = {"threshold": -297.0, "share": 0.05, "spread": "variance"}
    advice = recommending(BEST)["recommendation"] | {"rests_on": rests}
    caption = pictured(name, {"recommendation": advice}).caption
    assert "1 % of the response’s variance is 59.4 squared units of the response." in caption
    assert not re.search(r"(above|: )−0\.05\b", caption)  # Δ has one unit
    without = {k: v.assign(metric="pearson") for k, v in GIVEN.items()}
    assert "unit" not in pictured(name, without).caption
    own = rests | {"threshold": -0.05, "unit": "variances of the responses"}
    advice = recommending(BEST)["recommendation"] | {"rests_on": own}
    assert "1 % of" not in pictured(name, {"recommendation": advice}).caption


def test_pareto_against_its_definition():
    rng = np.random.default_rng(5)
    for _ in range(50):
        safe = rng.integers(0, 6, 12).astype(float)
        floor = rng.choice([0.1, 0.2, 0.3, np.nan], 12)
        worth = np.where(np.isnan(floor), np.inf, floor)
        for i, kept in enumerate(pareto(safe, floor)):
            beaten = any(
                safe[j] >= safe[i] and worth[j] <= worth[i]
                and (safe[j] > safe[i] or worth[j] < worth[i])
                for j in range(12)
            )  # fmt: skip
            assert kept != beaten


def test_bars_are_the_cautious_number_and_the_floor():
    figure, caption = pictured("protection", recommending(BEST), submissions=500)
    left, right = figure.axes
    asked = (LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)
    both = pd.merge(LIMITS[asked], GIVEN["utility"], on="setting")
    drawn = zip(
        *(sorted(ax.patches, key=lambda bar: bar.get_y()) for ax in (left, right)), strict=True
    )
    tried = GIVEN["acceptance"]["gain"].max()
    bars = [
        (a.get_width(), b.get_width() if b.get_width() < tried else np.nan,
         b.get_facecolor()[3] == 1)
        for a, b in drawn
    ]  # fmt: skip
    assert {a for a, *_ in bars} == set(both["ci_low"].astype(float))
    assert np.nansum([b for _, b, _ in bars]) == pytest.approx(both["seen_floor"].sum())
    assert [a for a, *_ in bars] == sorted((a for a, *_ in bars), reverse=True)
    kept = pareto(*np.array([bar[:2] for bar in bars]).T)
    assert [filled for *_, filled in bars] == list(kept)
    assert sum(t.get_text() == "over 0.7" for t in right.texts) == 3
    bold = [t.get_text() for t in left.get_yticklabels() if t.get_weight() == "bold"]
    assert bold == ["LadderBoot, α = 0.15, b = 100"]
    assert caption.endswith("Bold: recommended, LadderBoot (α = 0.15, b = 100).")


def arrows(ax):
    """The rows of a panel whose bar ends in an arrow, and where."""
    return {
        (round(y), x) for drawn in ax.collections for x, y in np.asarray(drawn.get_offsets(), float)
    }


def test_bars_whose_end_was_not_reached_are_open():
    asked = (LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)
    # Censored: the lower end reaches the last number on one board, and not on the other.
    open_ = LIMITS.assign(censored=False)
    for board, low in ((BEST, 2000), (LADDER, 40)):
        here = asked & (LIMITS["setting"] == board).to_numpy(bool)
        assert here.sum() == 1
        open_.loc[here, ["ci_low", "safe_submissions"]] = low, 2000
        open_.loc[here, "censored"] = True
        open_.loc[here, "ci_high"] = pd.NA
    figure, caption = pictured("protection", {"limits": open_})
    left, right = figure.axes
    ends = rows_by_name(left, [t.get_text() for t in left.texts])
    assert ends["LadderBoot, α = 0.15, b = 100"] == "all 2,000"
    assert ends["Ladder, α = 0.15"] == "40"
    assert sum(text.startswith("all ") for text in ends.values()) == 1
    ((place, where),) = arrows(left)
    assert (list(ends)[place], where) == ("LadderBoot, α = 0.15, b = 100", 2000)
    assert len(arrows(right)) == GIVEN["utility"]["seen_floor"].isna().sum() == 3
    assert "nothing beyond it was tested" in caption
    shut = GIVEN["utility"].fillna({"seen_floor": 0.1})
    low = open_.assign(ci_low=40)
    figure, caption = pictured("protection", {"limits": low, "utility": shut})
    assert not any(arrows(ax) for ax in figure.axes)
    assert "nothing beyond" not in caption


def test_what_to_use_until_more_is_known_is_not_recommended():
    figure, caption = pictured("protection", recommending(BEST, "undecided"))
    assert not any(t.get_weight() == "bold" for t in figure.axes[0].get_yticklabels())
    assert "recommended" not in caption


def test_filled_bars_are_as_large_as_hollow_ones():
    for ax in pictured("protection").figure.axes:
        outlines = {(bar.get_facecolor()[3], bar.get_linewidth()) for bar in ax.patches}
        assert outlines == {(0, 1.5), (1, 1.5)}
        filled = [bar for bar in ax.patches if bar.get_facecolor()[3] == 1]
        assert all(bar.get_edgecolor() == bar.get_facecolor() for bar in filled)
        hollow = [bar for bar in ax.patches if bar.get_facecolor()[3] == 0]
        assert all(bar.get_edgecolor()[3] == 1 for bar in hollow)


def test_where_nothing_is_safe_the_numbers_are_zeros():
    assert (
        "0: even the fewest"
        not in pictured("protection", {"limits": LIMITS.assign(ci_low=1)}).caption
    )
    figure, caption = pictured("protection", {"limits": LIMITS.assign(ci_low=0)}, submissions=500)
    assert "0: even the fewest that were tried may be too many." in caption
    assert {t.get_text() for t in figure.axes[0].texts} == {"0", "500 wanted"}
    figure.draw_without_rendering()


def test_numbers_stand_clear_of_the_line_of_the_wanted_submissions():
    for wanted in (450, 500, 560):
        figure, _ = pictured("protection", submissions=wanted)
        left = figure.axes[0]
        figure.draw_without_rendering()
        line = left.transData.transform((wanted, 0))[0]
        *numbers, name = left.texts
        assert name.get_text() == f"{wanted} wanted"
        boxes = [Text.get_window_extent(number) for number in numbers]
        assert not any(box.x0 <= line <= box.x1 for box in boxes)
        ends = [left.transData.transform(number.xy)[0] for number in numbers]
        assert all(0 < box.x0 - end < 60 for box, end in zip(boxes, ends, strict=True))


def test_the_caption_says_on_which_safe_board_the_smallest_gain_shows():
    use = GIVEN["utility"].set_index(GIVEN["utility"]["setting"].astype(str))["seen_floor"]
    asked = ((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)).to_numpy(bool)
    lows = LIMITS[asked].set_index(LIMITS["setting"][asked].astype(str))["ci_low"]
    for wanted in (100, 1000):
        safe = use[lows.index[lows >= wanted]].dropna()
        assert len(safe) > 1
        title, gain = of_setting(safe.idxmin()).title, f"{safe.min():.2g}"
        said = f"Of these, the smallest true gain, {gain}, shows on {title}."
        assert said in pictured("protection", submissions=wanted).caption
    caption = pictured("protection", {"limits": LIMITS.assign(ci_low=0)}, submissions=100).caption
    title = of_setting(use.idxmin()).title
    assert f"The smallest true gain, {use.min():.2g}, shows on {title}." in caption
    none = GIVEN["utility"].assign(seen_floor=np.nan)
    caption = pictured("protection", {"utility": none}, submissions=100).caption
    assert "leaderboards. No gain that was tried shows on them. Left" in caption


@pytest.mark.parametrize("kind", ["protection", "use_and_safety"])
def test_a_board_that_shows_no_gain_but_does_not_lag_is_explained(kind):
    use = GIVEN["utility"]
    assert "But over many" not in pictured(kind).caption  # the silent boards lag most
    here = (use["setting"] == LADDER).to_numpy(bool)
    silent = use.assign(seen_floor=use["seen_floor"].mask(here))
    lag = float(use["lag"][here].iloc[0])
    later = int(((use["lag"] > lag) & silent["seen_floor"].notna()).sum())
    assert later > 1
    caption = pictured(kind, {"utility": silent}).caption
    assert "On Ladder (α = 0.15) no gain that was tried shows at once in 4" in caption
    assert f"by only {lag:.2g} (the lag), less than on {later} leaderboards where gains" in caption
    both = here | (use["setting"] == "ladder(alpha=0.5)").to_numpy(bool)  # which lags less
    silent = use.assign(seen_floor=use["seen_floor"].mask(both))
    for given, title in (({}, "Ladder (α = 0.5)"), (recommending(LADDER), "Ladder (α = 0.15)")):
        caption = pictured(kind, given | {"utility": silent}).caption
        assert f"On {title} no gain that was tried shows at once" in caption


# acceptance


def test_boards_on_which_the_smallest_gains_show_come_first():
    floors = GIVEN["utility"].set_index(GIVEN["utility"]["setting"].astype(str))["seen_floor"]
    figure, caption = pictured("acceptance", recommending(BEST))
    titles = [ax.get_title(loc="left") for ax in figure.axes if ax.get_visible()]
    assert figure.axes[0]._left_title.get_fontweight() == "bold"
    assert titles[0].startswith("LadderBoot\nα = 0.15, b =")
    shown = [title.splitlines()[-1].split() for title in titles[1:]]
    numbers = [float(words[2]) if words[0] == "shows" else np.inf for words in shown]
    assert numbers == sorted(numbers)
    assert numbers.count(np.inf) == 3
    low, high = floors.idxmin(), floors.idxmax()
    assert caption.startswith(
        "On the recommended leaderboard (bold: LadderBoot (α = 0.15, b = 100)), a true gain shows "
        f"in 4 of 5 cases if it is at least {floors[BEST]:.2g}. 6 other leaderboards need gains of "
        f"{floors[low]:.2g} ({of_setting(low).title}) to {floors[high]:.2g} "
        f"({of_setting(high).title}) for 4 of 5 cases. 3 others (last panels) stay below 4 "
        "of 5 cases, whatever the gain. Panels: the recommended, then the smallest gains first. A "
    )
    plain = pictured("acceptance").caption
    assert plain.startswith(f"A true gain shows in 4 of 5 cases from {floors[low]:.2g} (")
    none = {"utility": GIVEN["utility"].assign(seen_floor=np.nan)}
    assert pictured("acceptance", none).caption.startswith(
        "On 10 leaderboards a true gain shows in fewer than 4 of 5 cases, whatever its size."
    )
    assert (
        ", a true gain shows in fewer than 4 of 5 cases, whatever its size. 9 others (last "
        "panels) stay below 4 of 5 cases, whatever the gain."
        in (pictured("acceptance", none | recommending(BEST)).caption)
    )


def test_a_metered_board_that_shows_large_gains_less_often_is_explained():
    some = (tables.FULL, *mechanisms([{"name": "metered", "gain": 0.3, "files": 40}]))
    rows = tables.acceptance(tables.SETTINGS[:1])
    falls = rows.assign(setting=some[1].setting, seen=rows["seen"].to_numpy()[::-1])
    both = pd.concat([rows.assign(seen=falls["seen"]), falls]).astype({"setting": "category"})
    settings = [board.setting for board in some]
    use = pd.DataFrame({"metric": "mse", "setting": settings, "seen_floor": 0.1})
    given = {"acceptance": both, "utility": use}
    why = " The better a new submission is, the more it differs from the last one, and one that"
    # And not on Full-disclosure.
    said = f"Large gains show less often than small ones on {some[1].title}.{why}"
    assert said in pictured("acceptance", given).caption
    assert "Large gains show" not in pictured("acceptance").caption
    none = use.assign(seen_floor=np.where(use["setting"] == some[1].setting, np.nan, 0.1))
    caption = pictured(
        "acceptance", given | {"utility": none} | recommending(some[1].setting)
    ).caption
    small, large = (f"{share:.0%}".replace("%", " %") for share in falls["seen"].iloc[[1, -1]])
    least, most = (f"{gain:.2g}" for gain in falls["gain"].iloc[[1, -1]])
    assert (
        ", a true gain shows in fewer than 4 of 5 cases, whatever its size. Large gains show there "
        f"less often than small ones: in {small} of cases at a gain of {least}, in "
        f"{'less than 1 %' if large == '0 %' else large} at {most}.{why}"
    ) in caption
    (again,) = mechanisms([{"name": "metered", "gain": 0.3, "files": 50}])
    three = pd.concat([both, falls.assign(setting=again.setting)]).astype({"setting": str})
    silent = pd.concat([none, none[1:].assign(setting=again.setting)])
    given = {"acceptance": three, "utility": silent} | recommending(some[1].setting)
    assert (
        "1 other (last panel) stays below 4 of 5 cases, whatever the gain. There, too, large gains "
        "show less often than small ones. Panels:"
    ) in pictured("acceptance", given).caption
    louder = silent.assign(seen_floor=[0.1, np.nan, 0.1])
    assert (
        f". Large gains show less often than small ones on {again.title}. Panels:"
        in pictured("acceptance", given | {"utility": louder}).caption
    )


def test_the_line_at_4_of_5_is_dotted_and_named():
    ax = panel("acceptance", "Ladder\nα = 0.5")
    (line,) = [line for line in ax.lines if line_is_level(line, 0.8)]
    assert line.get_linestyle() == ":"
    assert [text.get_text() for text in ax.texts] == ["4 of 5"]
    assert ax.texts[0].xy[1] == 0.8


def line_is_level(line, y):
    return len(line.get_ydata()) > 1 and set(line.get_ydata()) == {y}


def test_curves_and_floor_of_a_board():
    ax = panel("acceptance", "LadderBoot\nα = 0.5, b = 100")
    rows = GIVEN["acceptance"]
    rows = rows[(rows["setting"] == "ladderboot(alpha=0.5,b=100)").to_numpy(bool)]
    for column, dashes in (("accepted", "-"), ("seen", "--")):
        lines = [line for line in ax.lines if len(line.get_xdata()) == len(rows)]
        (own,) = [line for line in lines if line.get_linestyle() == dashes]
        np.testing.assert_allclose(own.get_xdata(), rows["gain"])
        np.testing.assert_allclose(own.get_ydata(), rows[column])
    use = GIVEN["utility"].set_index("setting")["seen_floor"]
    floor = use["ladderboot(alpha=0.5,b=100)"]
    assert line_through(ax, [floor], [0.8])
    assert ax.get_title(loc="left").splitlines()[-1] == f"shows from {floor:.2g} on"


def test_the_smallest_gain_that_shows_has_its_unit():
    rests = {"threshold": -0.05, "share": 0.01, "spread": "variance"}
    given = {"recommendation": recommending(BEST)["recommendation"] | {"rests_on": rests}}
    ax = panel("acceptance", "LadderBoot\nα = 0.5, b = 100", given)
    floor = 20 * GIVEN["utility"].set_index("setting")["seen_floor"]["ladderboot(alpha=0.5,b=100)"]
    assert ax.get_title(loc="left").splitlines()[-1] == f"shows from {floor:.2g} % on"


def test_a_board_that_shows_no_gain_says_so():
    none = GIVEN["utility"].assign(seen_floor=np.nan)
    ax = panel("acceptance", "Ladder\nα = 0.5", {"utility": none})
    assert ax.get_title(loc="left").endswith("stays below 4 of 5")


# The map of threats


def drawn_map(**settings):
    """The texts of the map's cells, a row for each board, by the names of columns."""
    threats = ("modeller", "freedman", "reserve", "reserve_holder", "adversary")
    curve = tables.frontier(unit=20.0, threats=threats)
    curve = curve.assign(attack=curve["threat"].astype(str).str.removesuffix("_holder"))
    given = {
        "frontier": curve,
        "limits": LIMITS,
        "recommendation": settings.pop("recommendation", None),
    }
    drawn = pictured("threat_map", given, **settings)
    (ax,) = drawn.figure.axes
    rows, columns = (
        [t.get_text() for t in labels] for labels in (ax.get_yticklabels(), ax.get_xticklabels())
    )
    cells = np.reshape([t.get_text() for t in ax.texts], (len(rows), len(columns)))
    return pd.DataFrame(cells, rows, columns), curve, drawn.caption


def test_the_map_has_a_column_for_each_attack_and_none_for_the_groups():
    cells, curve, caption = drawn_map(submissions=600)
    assert list(cells) == ["Freedman", "Reserve", "Reserve, holder"]
    mine = curve[(curve["setting"] == LADDER) & (curve["threat"] == "reserve")]
    delta = mine.set_index("submissions")["delta"][500]
    assert cells.loc["Ladder (α = 0.15)", "Reserve"] == f"{delta:.2f}".replace("-", "−")
    assert "after 600 submissions" in caption
    assert "(rows); half of the attackers overfit more" in caption
    rare = GIVEN | {"frontier": curve.assign(quantile=0.05)}
    caption = pictured("threat_map", rare).caption
    assert "(rows); 1 attacker in 20 overfits more" in caption


def test_the_map_of_many_attacks_has_room_for_its_numbers():
    """Slanted names would overlap, and those at the right take the room of the cells."""
    attacks = [a for a in ATTACKS.classes.values() if not a.on_labels]
    names = [a.name for a in attacks] + [
        f"{a.name}_holder" for a in attacks if a.threat_of(f"{a.name}_holder") == "holder"
    ]
    curve = tables.frontier(threats=names)
    curve = curve.assign(attack=curve["threat"].astype(str).str.removesuffix("_holder"))
    drawn = pictured("threat_map", {"frontier": curve, "limits": LIMITS, "recommendation": None})
    figure = drawn.figure
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert len(names) > 20
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90.0}
    assert ax.get_window_extent().width > figure.bbox.width / 2
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Leaderboard", "Attack")
    assert "by leaderboard (columns) and attack (rows)" in drawn.caption
    numbers = [text.get_window_extent() for text in ax.texts if text.get_text()]
    cell = ax.get_window_extent().width / len(ax.get_xticks())
    assert max(box.width for box in numbers) < cell


def test_the_map_of_many_attacks_and_boards_keeps_half_of_its_width_for_the_cells():
    attacks = [a for a in ATTACKS.classes.values() if not a.on_labels]
    names = [a.name for a in attacks][:18]
    levels = [0.01 * k for k in range(1, 21)]
    boards = mechanisms([{"name": "ladderboot", "alpha": levels, "b": 10, **tables.BASELINE}])
    curve = tables.frontier(boards, threats=names)
    curve = curve.assign(attack=curve["threat"].astype(str))
    given = {"frontier": curve, "limits": tables.limits(curve), "recommendation": None}
    drawn = picture(DRY_RUN_FIGURES.make("threat_map", threat=names[0]), GIVEN | given)
    figure = drawn.figure
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Attack", "Leaderboard")
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90.0}
    assert ax.get_window_extent().width > figure.bbox.width / 2
    labels = [Text.get_window_extent(t) for t in ax.get_yticklabels()]
    assert all(above.y0 > below.y1 for above, below in itertools.pairwise(labels))
    numbers = [text.get_window_extent() for text in ax.texts if text.get_text()]
    cell = ax.get_window_extent().width / len(ax.get_xticks())
    assert max(box.width for box in numbers) < cell


@pytest.mark.parametrize("number", [4, 20])
def test_a_cell_of_the_map_says_its_row_of_the_frontier(number):
    attacks = [a for a in ATTACKS.classes.values() if not a.on_labels]
    names = [a.name for a in attacks][:number]
    curve = tables.frontier(threats=names)
    curve = curve.assign(attack=curve["threat"].astype(str))
    curve.loc[curve["setting"] == LADDER, "delta_low"] = np.nan
    # One attack is not played on one board.
    curve = curve[(curve["threat"] != names[1]) | (curve["setting"] != BEST)]
    rests = {"threshold": -0.05, "share": 0.1, "spread": "variance", "unit": "points"}
    given = {"frontier": curve, "limits": LIMITS, "recommendation": {"rests_on": rests}}
    (ax,) = pictured("threat_map", given, submissions=500).figure.axes
    is_turned = ax.get_ylabel() == "Attack"
    assert is_turned == (number > 4)
    columns, rows = (
        [label.get_text().replace("\u00a0", " ").replace("\n", " ") for label in labels]
        for labels in (ax.get_xticklabels(), ax.get_yticklabels())
    )
    cells = ax.figure.findobj(Cell)
    assert len(cells) == curve.groupby(["setting", "threat"], observed=True).ngroups
    ends = curve[curve["submissions"] == 500].set_index(["setting", "threat"])
    by_name = {
        (of_setting(setting).title, ATTACKS.find(threat).label): row
        for (setting, threat), row in ends.iterrows()
    }
    for cell in cells:
        board, attack, delta, interval, made = cell.lines
        place = (attack, board) if is_turned else (board, attack)
        x, y = cell.get_xy()
        assert (rows[y], columns[x]) == place
        row = by_name[board, attack]
        share = f"{200 * row['delta']:.2g}"  # 1 % of the variance is 0.005
        share = f"{float(share):g}".replace("-", "−")
        assert delta == f"Δ {row['delta']:.2g} points ({share} %)".replace("-", "−")
        assert made == "after 500 submissions"
        if pd.isna(row["delta_low"]):
            assert interval == "too few plays for an interval"
        else:
            low, high = (f"{row[end]:.2g}" for end in ("delta_low", "delta_high"))
            assert interval.startswith(f"95 % interval {low} to {high} (".replace("-", "−"))
        (text,) = [t for t in ax.texts if t.get_position() == tuple(cell.get_center())]
        assert text.get_text() == f"{round(200 * row['delta'])}".replace("-", "−")


def test_cells_beyond_what_is_tolerated_are_framed():
    for threshold in (-0.05, -0.1):
        drawn = pictured("threat_map", recommending(BEST), submissions=500, threshold=threshold)
        (ax,) = drawn.figure.axes
        frames = [p for p in ax.patches if not isinstance(p, Cell)]
        centres = {tuple(np.round(frame.get_center(), 6)) for frame in frames}
        assert centres <= {t.get_position() for t in ax.texts}
        assert not any(t.get_weight() == "bold" for t in ax.texts)  # bold is the recommended one
        rows = CURVE[
            ((CURVE["threat"] == "freedman") & (CURVE["submissions"] == 500)).to_numpy(bool)
        ]
        beyond = {str(s) for s, delta in zip(rows["setting"], rows["delta"], strict=True)
                  if delta < threshold}  # fmt: skip
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert {names[int(y)] for _, y in centres} == {of_setting(s).title for s in beyond}
        assert 0 < len(beyond) < 10
        said = f"{threshold}".replace("-", "−")
        (key,) = drawn.figure.legends[0].get_texts()
        assert key.get_text() == f"more overfit than the tolerated {said}"
        limits = LIMITS[((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == threshold))]
        safe = int((limits["ci_low"] >= 500).sum())
        assert safe == (7 if threshold == -0.05 else 9)
        within, stay = 10 - len(beyond), f"all attacks stay within the tolerated {said}"
        found = (
            f"On {within} of 10 leaderboards no attack’s estimate is beyond the tolerated {said}. "
            f"Only on {safe} of these do the 95 % intervals (not shown) of all attacks stay within "
            "it as well."
            if safe < within
            else f"On {within} of 10 leaderboards {stay}."
        )
        assert drawn.caption.startswith(f"{found} The furthest that an attack gets is ")
        assert ": Freedman on Full-disclosure. Cells: " in drawn.caption
        assert [t.get_text() for t in ax.get_yticklabels() if t.get_weight() == "bold"] == [
            names[0]
        ]


def test_the_map_says_how_many_cells_get_as_far_and_where_none_holds():
    curve = CURVE.assign(delta=np.maximum(CURVE["delta"], -0.2))
    for level, many in ((1.0, None), (-0.2, ", in 10 cells, among them Freedman on ")):
        given = {"frontier": curve.assign(delta=np.minimum(curve["delta"], level))}
        caption = pictured("threat_map", given, submissions=500).caption
        assert ("among them" in caption) == (many is not None)
        if many:
            assert many in caption
            assert caption.startswith("On none of 10 leaderboards do all attacks stay within")


@pytest.mark.parametrize(("attacks", "boards", "signs"), [(10, 10, True), (18, 20, False)])
def test_numbers_of_many_cells_can_be_read_and_fit_their_frames(attacks, boards, signs):
    names = [a.name for a in ATTACKS.classes.values() if not a.on_labels][:attacks]
    some = mechanisms([{"name": "ladderboot", "alpha": [0.01 * k for k in range(1, boards + 1)],
                        "b": 10}])  # fmt: skip
    curve = tables.frontier(some, threats=names, unit=50.0)
    curve = curve.assign(attack=curve["threat"].astype(str))
    given = {"frontier": curve, "limits": tables.limits(curve), "recommendation": None}
    drawn = picture(DRY_RUN_FIGURES.make("threat_map", threat=names[0]), GIVEN | given)
    drawn.figure.draw_without_rendering()
    (ax,) = drawn.figure.axes
    assert min(t.get_fontsize() for t in drawn.figure.findobj(Text) if t.get_text()) >= 8
    frames = {tuple(np.round(p.get_center(), 6)): p for p in ax.patches if not isinstance(p, Cell)}
    framed = [t for t in ax.texts if t.get_position() in frames]
    assert framed
    for text in framed:
        box, frame = text.get_window_extent(), frames[text.get_position()].get_window_extent()
        assert frame.x0 < box.x0 < box.x1 < frame.x1
    assert any("−" in text.get_text() for text in framed) == signs
    assert ("Minus signs are left out." in drawn.caption) != signs
    assert ("Cells are in hundredths." in drawn.caption) != signs


def test_the_words_of_figures_tell_one_response_from_several():
    rests = {"threshold": -0.05, "share": 0.05, "spread": "variance"}
    for responses, whose in ((1, "response"), (20, "responses")):
        own = {"rests_on": rests | {"responses": responses, "unit": "units"}}
        caption = drawn_map(recommendation=own)[2]
        end = "’s" if responses == 1 else "’"
        assert f"Cells are in % of the {whose}{end} variance." in caption


def test_the_map_is_in_shares_of_the_spread_where_it_is_known():
    rests = {"threshold": -0.05, "share": 0.01, "spread": "variance"}
    cells, curve, caption = drawn_map(submissions=500, recommendation={"rests_on": rests})
    mine = curve[(curve["setting"] == LADDER) & (curve["threat"] == "freedman")]
    delta = mine.set_index("submissions")["delta"][500]
    # The variance is 5.
    assert cells.loc["Ladder (α = 0.15)", "Freedman"] == f"{100 * delta / 5:.0f}".replace("-", "−")
    assert "Cells are in % of the response’s variance." in caption
    assert "beyond the tolerated −1 %" in caption


def test_too_few_submissions_show_the_fewest_that_were_played():
    cells, curve, _ = drawn_map(submissions=3)
    mine = curve[(curve["setting"] == LADDER) & (curve["threat"] == "reserve")]
    first = mine["delta"].iloc[0]
    assert cells.loc["Ladder (α = 0.15)", "Reserve"] == f"{first:.2f}".replace("-", "−")

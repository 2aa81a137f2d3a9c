"""The figures of a dry run: right numbers at the right places, on a page and on a phone."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from shakedown.figures import DRY_RUN_KINDS
from shakedown.figures.acceptance import acceptance
from shakedown.figures.frontier_split import frontier_split, rounds, ways
from shakedown.figures.labels import name_points
from shakedown.figures.protection import pareto, points, protection
from shakedown.figures.safe_limits import safe_limits
from shakedown.figures.setting_panels import from_zero, head, panel_per_setting
from shakedown.figures.style import PAGE_WIDTH, PHONE_WIDTH, THEME, Setting
from shakedown.interface import InputError
from shakedown.limits import safe_submissions
from shakedown.usefulness.measure import ACCEPTANCE, UTILITY
from shakedown.wording import amount, signed_amount
from tests.figures import dryrun_frames as tables
from tests.figures.frames import nullable

CURVE = tables.frontier()
LIMITS = tables.limits(CURVE, (-0.05, -0.1))
USE = tables.utility()
CHANCES = tables.acceptance()
BEST = {"mechanism": "ladderboot", "alpha": 0.15, "b": 100}
GIVEN = {
    "safe_limits": (CURVE, LIMITS),
    "frontier_split": (CURVE,),
    "protection": (LIMITS, USE),
    "acceptance": (CHANCES, USE),
}
SETTINGS = {
    "safe_limits": {"wanted": 500},
    "frontier_split": {},
    "protection": {"wanted": 500, "recommended": BEST},
    "acceptance": {},
}
EVERY = sorted(DRY_RUN_KINDS)


def drawn(kind, given=None, **settings):
    draw, _ = DRY_RUN_KINDS[kind]
    return draw(*(given or GIVEN[kind]), **(SETTINGS[kind] | settings))


def panels(figure):
    return {
        ax.get_title(loc="left").replace("\n", ", "): ax for ax in figure.axes if ax.get_visible()
    }


def findings(figure):
    return {
        name: [t.get_text() for t in ax.texts if t.get_weight() == "bold"][0]
        for name, ax in panels(figure).items()
    }


def line_through(ax, x, y):
    return any(
        len(line.get_xdata()) == len(x)
        and np.allclose(line.get_xdata(), x)
        and np.allclose(line.get_ydata(), y)
        for line in ax.lines
    )


def test_every_kind_is_tried():
    assert set(GIVEN) == set(DRY_RUN_KINDS)


@pytest.mark.parametrize("width", [PAGE_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("kind", EVERY)
def test_text_can_be_read_and_lies_within_the_figure(kind, width):
    figure = drawn(kind, width=width)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == width
    seen = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(t.get_fontsize() for t in seen) >= 8
    frame = figure.bbox.padded(0.02 * figure.dpi)
    for ax in panels(figure).values():
        for text in [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *ax.texts]:
            if text.get_text():
                box = Text.get_window_extent(text)
                assert frame.x0 <= box.x0, text.get_text()
                assert box.x1 <= frame.x1, text.get_text()
                assert frame.y0 <= box.y0, text.get_text()
                assert box.y1 <= frame.y1, text.get_text()


@pytest.mark.parametrize("kind", EVERY)
def test_the_names_of_correlation_boards_fit_a_phone_too(kind):
    curve = tables.frontier(tables.CORRELATION, metric="ccc")
    given = {
        "safe_limits": (curve, tables.limits(curve)),
        "frontier_split": (curve,),
        "protection": (tables.limits(curve), tables.utility(tables.CORRELATION, metric="ccc")),
        "acceptance": (tables.acceptance(tables.CORRELATION, metric="ccc"),),
    }[kind]
    draw, _ = DRY_RUN_KINDS[kind]
    figure = draw(*given, width=PHONE_WIDTH)
    figure.draw_without_rendering()
    shown = panels(figure).values()
    boxes = [Text.get_window_extent(ax._left_title) for ax in shown if ax.get_title(loc="left")]
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)


def test_long_names_do_not_make_the_panels_of_a_phone_narrow():
    settings = [Setting("bayesboot_ladderboot", posterior_odds=o, b=100) for o in (99.0, 5.67)]
    figure, shown = panel_per_setting(settings, width=PHONE_WIDTH)
    for setting, ax in shown.items():
        head(ax, setting, "✗ safe: 12,345 (10,001–20,002)")
    figure.draw_without_rendering()
    assert all(ax.get_position().width > 0.35 for ax in shown.values())


@pytest.mark.parametrize("kind", EVERY)
def test_axes_are_named(kind):
    shown = panels(drawn(kind)).values()
    rows = {ax.get_subplotspec().rowspan.start for ax in shown}
    columns = {ax.get_subplotspec().colspan.start for ax in shown}
    assert rows == {ax.get_subplotspec().rowspan.start for ax in shown if ax.get_ylabel()}
    assert columns == {ax.get_subplotspec().colspan.start for ax in shown if ax.get_xlabel()}


@pytest.mark.parametrize("kind", EVERY)
def test_a_missing_column_is_named(kind):
    draw, _ = DRY_RUN_KINDS[kind]
    for i, table in enumerate(GIVEN[kind]):
        given = list(GIVEN[kind])
        given[i] = table.drop(columns="alpha")
        with pytest.raises(InputError, match=f"kind '{kind}' needs the column alpha"):
            draw(*given)


@pytest.mark.parametrize("kind", EVERY)
def test_data_sets_are_not_mixed(kind):
    first, *others = GIVEN[kind]
    mixed = first.astype({"dataset": str})
    mixed.loc[mixed.index[::2], "dataset"] = "other"
    with pytest.raises(InputError, match=f"kind '{kind}' shows one dataset at a time"):
        drawn(kind, (mixed, *others))


@pytest.mark.parametrize("kind", EVERY)
def test_tables_are_left_as_they_were_and_their_types_do_not_matter(kind, tmp_path):
    before = [table.copy(deep=True) for table in GIVEN[kind]]
    drawn(kind).savefig(tmp_path / "a.raw", format="raw", dpi=30)
    assert all(a.equals(b) for a, b in zip(before, GIVEN[kind], strict=True))
    given = tuple(nullable(table) for table in GIVEN[kind])
    drawn(kind, given).savefig(tmp_path / "b.raw", format="raw", dpi=30)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "b.raw").read_bytes()


@pytest.mark.parametrize("kind", sorted(set(EVERY) - {"acceptance"}))
def test_threats_that_are_there_are_listed(kind):
    with pytest.raises(InputError, match="threat must be one of freedman, modeller, got 'ghost'"):
        drawn(kind, threat="ghost")


@pytest.mark.parametrize("kind", ["safe_limits", "protection"])
def test_thresholds_that_are_there_are_listed(kind):
    with pytest.raises(InputError, match="threshold must be one of -0.05, -0.1, got -0.2"):
        drawn(kind, threshold=-0.2)


@pytest.mark.parametrize("kind", EVERY)
def test_captions_are_plain_sentences(kind):
    _, words = DRY_RUN_KINDS[kind]
    text = words(*GIVEN[kind], **SETTINGS[kind])
    assert text.endswith(".")
    assert "  " not in text
    assert ".." not in text
    assert "nan" not in text


# safe_limits


def test_each_setting_has_a_panel_with_its_curve_and_band():
    shown = panels(safe_limits(CURVE, LIMITS))
    assert len(shown) == 10
    ax = shown["LadderBoot, α = 0.15, b = 100"]
    rows = CURVE[
        ((CURVE["mechanism"] == "ladderboot") & (CURVE["alpha"] == 0.15) & (CURVE["b"] == 100)
         & (CURVE["threat"] == "modeller")).to_numpy(dtype=bool)
    ]  # fmt: skip
    n, low, delta, high = (
        rows[c].to_numpy(float) for c in ("submissions", "delta_low", "delta", "delta_high")
    )
    assert line_through(ax, n, delta)
    (band,) = ax.collections
    corners = {tuple(v) for v in band.get_paths()[0].vertices.round(9)}
    assert {(a, b) for a, b in zip(n, low.round(9), strict=True)} <= corners
    assert {(a, b) for a, b in zip(n, high.round(9), strict=True)} <= corners


def test_what_is_safe_stands_above_each_panel():
    said = findings(safe_limits(CURVE, LIMITS, wanted=500))
    assert said["Full-disclosure"].startswith("✗ safe: <10 (")  # 7, and 10 are the fewest
    assert said["LadderBoot, α = 0.01, b = 10"] == "✓ safe: 2,000+"
    # The estimate would do, its lower end does not.
    rows = LIMITS[(LIMITS["mechanism"] == "ladder").to_numpy(bool) & (LIMITS["alpha"] == 0.15)]
    row = rows[(rows["threat"] == "modeller") & (rows["threshold"] == -0.05)].iloc[0]
    assert row["ci_low"] < 500 < row["safe_submissions"]
    expected = f"? safe: {row['safe_submissions']:,} ({row['ci_low']:,}–{row['ci_high']:,})"
    assert said["Ladder, α = 0.15"] == expected
    assert findings(safe_limits(CURVE, LIMITS))["Ladder, α = 0.15"] == expected[2:]
    for more, tick in ((0, "?"), (1, "✗")):
        said = findings(safe_limits(CURVE, LIMITS, wanted=int(row["ci_high"]) + more))
        assert said["Ladder, α = 0.15"].startswith(tick)
    few = LIMITS.assign(safe_submissions=3, ci_low=0, ci_high=9, censored=False)
    assert set(findings(safe_limits(CURVE, few)).values()) == {"safe: <10"}


def test_an_open_end_is_an_arrow_and_a_plus():
    figure = safe_limits(CURVE, LIMITS)
    assert findings(figure)["LadderBoot, α = 0.15, b = 100"].startswith("safe: 2,000+ (1,6")
    markers = [line.get_marker() for line in panels(figure)["LadderBoot, α = 0.5, b = 100"].lines]
    assert markers.count("o") == 1
    assert markers.count(">") == 1


def test_the_threshold_and_the_threat_can_be_chosen():
    one = findings(safe_limits(CURVE, LIMITS, threshold=-0.1))["Ladder, α = 0.5"]
    assert one != findings(safe_limits(CURVE, LIMITS))["Ladder, α = 0.5"]
    freedman = findings(safe_limits(CURVE, LIMITS, threat="freedman"))
    assert freedman["Ladder, α = 0.5"] == "safe: 1,611 (864+)"


def test_without_bounds_the_band_fills_the_panel():
    curve = CURVE.assign(delta_low=np.nan, delta_high=np.nan)
    ax = panels(safe_limits(curve, LIMITS))["Ladder, α = 0.5"]
    reach = ax.collections[0].get_paths()[0].vertices[:, 1]
    bottom, top = ax.get_ylim()
    assert reach.min() <= bottom
    assert reach.max() >= top


def test_units_scale_the_panels():
    curve = tables.frontier(unit=5900.0)
    figure = safe_limits(curve, tables.limits(curve, (-295.0,)))
    assert findings(figure) == findings(safe_limits(CURVE, tables.limits(CURVE)))
    ax = panels(figure)["Full-disclosure"]
    assert ax.get_ylim()[0] == pytest.approx(-3.5 * 295)
    assert any("tolerated: −295" in t.get_text() for t in ax.texts)


# frontier_split


def test_attacks_without_rounds_have_one():
    rows = CURVE[(CURVE["mechanism"] == "ladder").to_numpy(bool)]
    stepwise = (rows["attack"] == "step_forward").to_numpy(bool)
    assert (rounds(rows)[~stepwise] == 1).all()
    assert (rounds(rows)[stepwise] == rows["iterations"].to_numpy(float)[stepwise]).all()


def test_the_board_is_told_for_step_forward_alone():
    assert set(ways(CURVE)) == {
        ("best_of_many", None), ("freedman", None),
        ("step_forward", "fresh"), ("step_forward", "carried_on"),
    }  # fmt: skip
    figure = frontier_split(CURVE)
    assert [t.get_text() for t in figure.legends[0].get_texts()] == [
        "step-forward on a new board for each round", "step-forward on one board",
        "Freedman's attack", "best of many models",
    ]  # fmt: skip
    ax = panels(figure)["Ladder, α = 0.15"]
    assert line_through(ax, [120, 200, 320, 500, 800], [4, 5, 6, 6, 7])


def test_an_attack_without_a_look_is_named():
    other = CURVE.astype({"attack": str}).replace({"attack": {"freedman": "some_other"}})
    figure = frontier_split(other)
    assert "the attack some other" in [t.get_text() for t in figure.legends[0].get_texts()]


# protection


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


def test_points_stand_at_the_cautious_number_and_the_floor():
    ax = panels(protection(LIMITS, USE, wanted=500, recommended=BEST))[""]
    table = points(LIMITS, USE, floor="seen_floor", threat="modeller", threshold=None)
    dots = {
        (line.get_xdata()[0], line.get_ydata()[0]): line.get_markerfacecolor()
        for line in ax.lines
        if line.get_markersize() == 7
    }
    asked = (LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)
    both = pd.merge(LIMITS[asked], USE, on=["mechanism", "alpha", "posterior_odds", "eta", "b"])
    seen = both[both["seen_floor"].notna()]
    expected = set(zip(seen["ci_low"].astype(float), seen["seen_floor"], strict=True))
    assert len(expected) == 7
    assert expected <= set(dots)
    for row in table[table["floor"].notna()].itertuples():
        assert (dots[(row.safe, row.floor)] != "white") == row.front
    ring = next(line for line in ax.lines if line.get_markersize() == 15)
    chosen = table[[s.label == "LadderBoot (α = 0.15, b = 100)" for s in table["setting"]]].iloc[0]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (chosen["safe"], chosen["floor"])
    # Up is more useful: the axis is turned over.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


@pytest.mark.parametrize("width", [None, PHONE_WIDTH])
def test_where_nothing_is_safe_a_sentence_says_so(width):
    none = LIMITS.assign(ci_low=0)
    figure = protection(none, USE, wanted=500, **({"width": width} if width else {}))
    figure.draw_without_rendering()
    (ax,) = figure.axes
    (text,) = ax.texts
    assert "safe on a cautious reading" in text.get_text().replace("\n", " ")
    box = text.get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert not ax.lines
    _, words = DRY_RUN_KINDS["protection"]
    assert words(none, USE).startswith("Left out: ")
    one = none.copy()
    one.loc[one["threat"] == "modeller", "ci_low"] = [
        1,
        *[0] * ((one["threat"] == "modeller").sum() - 1),
    ]
    assert panels(protection(one, USE))[""].lines


def test_gains_that_are_never_seen_stand_below_all_others():
    ax = panels(protection(LIMITS, USE))[""]
    assert ax.get_yticklabels()[-1].get_text() == "none of\nthose tried"
    assert ax.get_yticks()[-1] > USE["seen_floor"].max()
    every = USE.assign(seen_floor=np.nan)
    assert panels(protection(LIMITS, every))[""].get_yticklabels()[-1].get_text().startswith("none")


def test_a_recommended_setting_must_be_there():
    with pytest.raises(InputError, match="the recommended setting .*'b': 7.* is not in the tables"):
        protection(LIMITS, USE, recommended=BEST | {"b": 7})
    with pytest.raises(InputError, match="is not in the tables"):
        protection(LIMITS, USE, recommended={"mechanism": "ladderboot", "alpha": 0.15})
    # Nulls of any kind are no parameters.
    nulls = {"posterior_odds": None, "eta": float("nan")}
    assert protection(LIMITS, USE, recommended=BEST | nulls)


def test_each_setting_needs_its_usefulness():
    with pytest.raises(InputError, match=r"one row of the table of usefulness for Ladder \(α = 0."):
        protection(LIMITS, USE[(USE["mechanism"] != "ladder").to_numpy(bool)])


def test_the_floor_can_be_chosen():
    by_acceptance = panels(protection(LIMITS, USE, floor="resolution_floor"))[""]
    assert by_acceptance.get_ylabel().startswith("Smallest true gain that the board accepts")
    with pytest.raises(InputError, match="floor must be one of seen_floor, resolution_floor"):
        protection(LIMITS, USE, floor="ceiling")


# acceptance


def test_chances_and_floors():
    figure = acceptance(CHANCES, USE)
    ax = panels(figure)["LadderBoot, α = 0.5, b = 100"]
    rows = CHANCES[
        ((CHANCES["mechanism"] == "ladderboot") & (CHANCES["alpha"] == 0.5)
         & (CHANCES["b"] == 100)).to_numpy(bool)
    ]  # fmt: skip
    for column in ("accepted", "seen"):
        assert line_through(ax, rows["gain"].to_numpy(float), rows[column].to_numpy(float))
    floor = USE.loc[USE["alpha"].eq(0.5) & USE["b"].eq(100).fillna(False), "seen_floor"].iloc[0]
    assert line_through(ax, [floor], [0.8])
    said = findings(figure)
    assert said["LadderBoot, α = 0.5, b = 100"] == f"seen from {floor:.2g} on"
    assert said["LadderBoot, α = 0.01, b = 10"] == "not seen reliably"


# axes, names and numbers


def test_ticks_of_a_root_axis_keep_their_distance():
    for top in (0.003, 0.7, 1.0, 37, 2000, 5e6):
        ax = Figure().subplots()
        from_zero(ax.xaxis, top)
        ticks = np.array(ax.get_xticks())
        assert ticks[0] == 0
        assert ticks[-1] <= top * (1 + 1e-9)
        assert len(ticks) >= 4
        assert np.diff(np.sqrt(ticks / top)).min() >= 0.1


def test_names_hide_neither_each_other_nor_points():
    rng = np.random.default_rng(8)
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        ax = figure.subplots()
        x, y = rng.uniform(0.2, 0.8, (2, 10))
        ax.set(xlim=(0, 1), ylim=(0, 1))
        notes = name_points(ax, x, y, [f"Some board\nα = 0.15, b = {i}" for i in range(10)])
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(note) for note in notes]
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
    for at in ax.transData.transform(np.column_stack([x, y])):
        assert not any(box.contains(*at) for box in boxes)


def test_points_on_one_another_share_a_text():
    ax = Figure(layout="constrained").subplots()
    names = ["Ladder\nα = 0.01", "Ladder\nα = 0.15", "Kaggle", "Ladder\nα = 0.5"]
    notes = name_points(ax, [0.5, 0.5, 0.5, 0.1], [0.5, 0.5, 0.5, 0.1], names)
    assert [n.get_text() for n in notes] == [
        "Ladder\nα = 0.01\nα = 0.15\nKaggle",
        "Ladder\nα = 0.5",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0523, "0.0523"), (3.14159, "3.14"), (295, "295"), (12345, "12,300"), (0.0, "0")],
)
def test_amounts(value, text):
    assert amount(value) == text
    assert signed_amount(-value or 0.0) == ("−" if value else "") + text


def test_synthetic_limits_are_like_the_real_ones():
    real = safe_submissions(CURVE, [-0.05, -0.1])
    assert list(real.columns) == list(LIMITS.columns)
    both = pd.merge(
        real, LIMITS, on=["mechanism", "alpha", "posterior_odds", "eta", "b", "threat", "threshold"]
    )
    assert len(both) == len(LIMITS)
    assert (both["censored_x"] == both["censored_y"]).all()
    assert set(ACCEPTANCE) == set(CHANCES.columns)
    assert set(UTILITY) == set(USE.columns)
    assert safe_limits(CURVE, real, wanted=500)
    assert protection(real, USE)

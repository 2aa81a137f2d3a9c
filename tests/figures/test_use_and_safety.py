"""Use and safety of a dry run's leaderboards: right places, kinds and names."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from shakedown.leaderboard.mechanism import of_setting
from tests.figures.test_dry_run import (
    BEST,
    CURVE,
    GIVEN,
    LADDER,
    LIMITS,
    line_through,
    pictured,
    recommending,
)


def marks(given=(), **settings):
    """The panel of use and safety, and each mark with its place, by the place."""
    ax = pictured("use_and_safety", given, submissions=500, **settings).figure.axes[0]
    points = [line for line in ax.lines if len(line.get_xdata()) == 1]
    return ax, {line.get_xdata()[0]: line for line in points if line.get_markersize() < 10}


def proving(setting, **numbers):
    """Limits with numbers that are proved for one setting."""
    here = (LIMITS["setting"] == setting).to_numpy(bool)
    return LIMITS.assign(
        **{name: pd.array(np.where(here, n, pd.NA), dtype="Int64") for name, n in numbers.items()}
    )


def test_a_point_is_the_lag_and_the_strongest_attack_at_the_wanted_number():
    ax, shown = marks()
    curve = CURVE[((CURVE["threat"] == "modeller") & (CURVE["submissions"] == 500)).to_numpy(bool)]
    rows = pd.merge(curve, GIVEN["utility"], on="setting")
    assert set(shown) == set(rows["lag"])
    bottom = ax.get_ylim()[0]
    assert bottom == pytest.approx(-2.5 * 0.05)
    for row in rows.itertuples():
        mark = shown[row.lag]
        if row.delta < bottom:
            assert mark.get_marker() == "v"
            assert bottom < mark.get_ydata()[0] < 0.95 * bottom
        else:
            assert (mark.get_marker(), mark.get_ydata()[0]) == ("o", row.delta)
    ends = [tuple(line.get_segments()[0][:, 1]) for line in ax.collections]
    assert sorted(ends) == sorted(zip(rows["delta_low"], rows["delta_high"], strict=True))
    left, right = ax.get_xlim()
    assert left > right  # the useful end is where one expects it
    assert line_through(ax, [0, 1], [-0.05, -0.05])


@pytest.mark.parametrize(("numbers", "holds", "filled"), [
    ({"proved_submissions": 500, "proved_mean": 500}, "proved", "full"),
    ({"proved_submissions": 499, "proved_mean": 500}, "proved on average", "left"),
    ({"proved_submissions": 499, "proved_mean": 499}, "measured", "none"),
])  # fmt: skip
def test_what_safety_rests_on_is_seen_without_colour(numbers, holds, filled):
    given = recommending(BEST) | {"limits": proving(BEST, **numbers)}
    _, shown = marks(given)
    use = GIVEN["utility"].set_index(GIVEN["utility"]["setting"].astype(str))
    mark = shown[use["lag"][BEST]]
    white = mark.get_markerfacecolor() == "white"
    assert {"none": "full"}.get(filled, filled) == mark.get_fillstyle()
    assert white == (filled == "none")
    keys = pictured("use_and_safety", given, submissions=500).figure.legends[0].get_texts()
    # Where nothing is proved, "safe" alone is enough.
    key = "safe" if holds == "measured" else f"safe: {holds}"
    assert key in [text.get_text() for text in keys]
    assert sum(line.get_fillstyle() != "full" for line in shown.values()) == (filled == "left")


def test_the_recommended_board_has_a_ring_and_the_other_kind_its_name():
    advice = recommending(BEST)["recommendation"] | {"instead": {"setting": LADDER}}
    figure, caption = pictured("use_and_safety", {"recommendation": advice}, submissions=500)
    bold = {t.get_text() for t in figure.axes[0].texts if t.get_weight() == "bold"}
    assert bold == {"LadderBoot\nα = 0.15, b = 100", "Ladder\nα = 0.15"}
    (ring,) = [line for line in figure.axes[0].lines if line.get_markersize() > 10]
    use = GIVEN["utility"].set_index(GIVEN["utility"]["setting"].astype(str))
    assert ring.get_xdata()[0] == use["lag"][BEST]
    assert "Ring: recommended, LadderBoot (α = 0.15, b = 100)." in caption
    assert caption.endswith("The best that is measured: Ladder (α = 0.15).")
    advice = {"answer": "undecided", "recommended": None, "likeliest": {"setting": LADDER}}
    caption = pictured("use_and_safety", {"recommendation": advice}).caption
    assert "Ring: most promising, Ladder (α = 0.15)." in caption


def test_an_undecided_answer_names_what_to_use_until_more_plays_decide():
    advice = recommending(BEST, "undecided")["recommendation"] | {"likeliest": {"setting": LADDER}}
    figure, caption = pictured("use_and_safety", {"recommendation": advice}, submissions=500)
    bold = {t.get_text() for t in figure.axes[0].texts if t.get_weight() == "bold"}
    assert bold == {
        "until more plays\ndecide:\nLadderBoot\nα = 0.15, b = 100",
        "most promising:\nLadder\nα = 0.15",
    }
    assert "Ring: until more plays decide, LadderBoot (α = 0.15, b = 100)." in caption
    assert sum(line.get_markersize() > 10 for line in figure.axes[0].lines) == 2
    assert "named in the answer" in [t.get_text() for t in figure.legends[0].get_texts()]


def test_marks_that_are_not_drawn_are_not_explained():
    unsafe = {"limits": LIMITS.assign(ci_low=0)}
    figure, caption = pictured("use_and_safety", unsafe, submissions=500)
    keys = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "safe: measured" not in keys
    assert "not safe, or not sure" in keys
    assert "none is, so all are grey." in caption
    assert "Hollow" not in caption  # for nothing is filled
    assert "illed" not in caption
    both = {"limits": proving(BEST, proved_submissions=500, proved_mean=500)}
    caption = pictured("use_and_safety", both, submissions=500).caption
    assert "hollow: measured with the attacks played." in caption
    below = unsafe | {"frontier": CURVE.assign(delta=-9.0)}
    figure, _ = pictured("use_and_safety", below, submissions=500)
    keys = [text.get_text() for text in figure.legends[0].get_texts()]
    assert keys == ["far below, cut off", "tolerated Δ: −0.05"]


@pytest.mark.parametrize(("number", "said"), [(500, True), (None, False)])
def test_a_proof_makes_a_board_safe_whatever_its_interval(number, said):
    tables = {"limits": proving(BEST, proved_submissions=500, proved_mean=500)} if number else {}
    caption = pictured("use_and_safety", tables, submissions=500).caption
    assert (", or if its safety is proved; " in caption) == said


def test_every_board_is_named_once_beside_its_point_or_in_the_key():
    figure, _ = pictured("use_and_safety", recommending(BEST), submissions=500)
    key = [text.get_text().split("  ", 1) for text in figure.texts]
    assert [int(number) for number, _ in key] == list(range(1, len(key) + 1))
    beside = [t.get_text() for t in figure.axes[0].texts]
    assert len(key) + sum(text in ("Full-disclosure",) for text in beside) + 1 == 10
    numbers = []
    for text in beside:
        if text[0].isdigit():
            first, _, last = text.partition("–")
            numbers += range(int(first), int(last or first) + 1)
    assert sorted(numbers) == list(range(1, len(key) + 1))


def test_points_that_cover_one_another_share_a_number():
    use = GIVEN["utility"]
    same = use["setting"].isin(["full_disclosure", "ladder(alpha=0.5)"]).to_numpy(bool)
    lag = use["lag"][same].iloc[0]
    far = CURVE.assign(delta=CURVE["delta"].mask(CURVE["setting"].isin(use["setting"][same]), -9.0))
    given = {"utility": use.assign(lag=use["lag"].mask(same, lag)), "frontier": far}
    figure, _ = pictured("use_and_safety", given, submissions=500)
    ax = figure.axes[0]
    key = dict(text.get_text().strip().split("  ", 1)[::-1] for text in figure.texts)
    # Both are cut off, at the same place.
    assert {"Full-disclosure", "Ladder (α = 0.5)"} <= set(key)
    ends = sorted(int(key[name]) for name in ("Full-disclosure", "Ladder (α = 0.5)"))
    assert any("–" in t.get_text() and int(t.get_text().split("–")[0]) <= ends[0]
               <= ends[1] <= int(t.get_text().split("–")[1]) for t in ax.texts)  # fmt: skip


def test_the_caption_says_how_many_are_safe_and_which_of_these_lags_least():
    asked = ((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)).to_numpy(bool)
    rows = pd.merge(LIMITS[asked], GIVEN["utility"], on="setting")
    for wanted in (100, 500):
        safe = rows[(rows["ci_low"] >= wanted).to_numpy(bool)]
        best = safe.loc[safe["lag"].idxmin()]
        caption = pictured("use_and_safety", (), submissions=wanted).caption
        assert caption.startswith(
            f"{wanted} submissions are safe on {len(safe)} of 10 leaderboards. Of these, "
            f"{of_setting(str(best['setting'])).title} has the smallest lag, {best['lag']:.2g}. "
        )


def test_texts_do_not_overlap_each_other():
    figure, _ = pictured("use_and_safety", recommending(BEST), submissions=500)
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts]
    assert len(boxes) > 5
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[k + 1 :])


def test_a_board_without_a_lag_is_left_out_and_counted():
    use = GIVEN["utility"]
    use = use.assign(lag=use["lag"].where((use["setting"] != LADDER).to_numpy(bool)))
    _, shown = marks({"utility": use})
    assert len(shown) == 9
    drawn = pictured("use_and_safety", {"utility": use})
    assert drawn.caption.endswith("1 leaderboard of unknown lag left out.")
    nothing = pictured("use_and_safety", {"utility": use.assign(lag=np.nan)})
    assert "10 leaderboards of unknown lag" in nothing.caption


def test_without_bounds_the_lines_cross_the_panel():
    curve = CURVE.assign(delta_low=np.nan, delta_high=np.nan)
    ax, _ = marks({"frontier": curve})
    assert {tuple(line.get_segments()[0][:, 1]) for line in ax.collections} == {ax.get_ylim()}


def test_use_and_safety_are_in_shares_of_the_spread_where_it_is_known():
    rests = {"threshold": -0.05, "share": 0.01, "spread": "variance"}
    advice = recommending(BEST)["recommendation"] | {"rests_on": rests}
    ax, shown = marks({"recommendation": advice})
    assert "in % of the response’s variance" in ax.get_xlabel()
    assert max(shown) == pytest.approx(100 * GIVEN["utility"]["lag"].max() / 5)  # the variance is 5


def test_the_panel_reaches_to_the_board_of_the_answer_but_not_to_any_depth():
    bottoms = []
    for depth in (-0.1, -0.3, -3.0):
        low = CURVE.assign(delta=CURVE["delta"].mask(CURVE["setting"] == BEST, depth))
        ax, _ = marks(recommending(BEST) | {"frontier": low})
        bottoms.append(ax.get_ylim()[0])
    assert bottoms == pytest.approx([-2.5 * 0.05, -1.15 * 0.3, -10 * 0.05])


def test_at_the_left_a_name_in_bold_has_room_beside_its_point():
    use = GIVEN["utility"]
    most, least = use["lag"].max(), use["lag"].min()
    last = str(use["setting"][use["lag"].idxmax()])
    for name, share in ((BEST, 0.12), (last, 0.34)):
        ax, _ = marks(recommending(name))
        assert ax.get_xlim()[0] == pytest.approx(most + share * (most - least))


def test_where_none_is_safe_the_caption_says_what_the_recommendation_rests_on():
    asked = ((LIMITS["threat"] == "modeller") & (LIMITS["threshold"] == -0.05)).to_numpy(bool)
    low = LIMITS.assign(ci_low=LIMITS["ci_low"].mask(asked, 40))
    here = asked & (LIMITS["setting"] == BEST).to_numpy(bool)
    given = recommending(BEST) | {"limits": low.assign(ci_low=low["ci_low"].mask(here, 70))}
    said = "recommended because the most submissions are safe on it (70 against 40), not because"
    assert said in pictured("use_and_safety", given, submissions=500).caption
    assert "because" not in pictured("use_and_safety", given, submissions=60).caption  # one is safe
    for other in ({"limits": low}, {"recommendation": None}):  # as many on others; no answer
        assert "because" not in pictured("use_and_safety", given | other, submissions=500).caption

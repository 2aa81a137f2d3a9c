"""The figures of a replay: right numbers at the right places, on a page and on a phone."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from shakedown.figures import REPLAY_KINDS, save
from shakedown.figures.replay_error import median_over_teams, replay_error
from shakedown.figures.replay_panels import (
    limits_without_outliers,
    of_teams,
    outside,
    shown_settings,
    team_name,
    told_apart,
)
from shakedown.figures.replay_ranks import places_on, replay_ranks
from shakedown.figures.replay_rungs import replay_rungs
from shakedown.figures.replay_scores import replay_scores
from shakedown.figures.replay_splits import replay_splits
from shakedown.figures.selection import rows_of, settings_of
from shakedown.figures.style import PAGE_WIDTH, PHONE_WIDTH
from shakedown.interface import InputError
from shakedown.metrics import find
from shakedown.replay.ranks import rank_intervals
from shakedown.replay.reported import reported_error
from shakedown.replay.splits import fresh_splits
from shakedown.seeding import stream
from tests.replay import frames

LUCK = partial(stream, 1)
LOG = frames.log(m=90, teams=14)


def tables(metric, boards=frames.MANY):
    seen, standings = frames.played(LOG, metric, boards, per_rank=True)
    judge = find(metric)
    intervals = rank_intervals(LOG, judge, standings, luck=LUCK, draws=100)
    return {
        "replay_ranks": (standings, intervals),
        "replay_scores": (seen,),
        "replay_splits": (fresh_splits(LOG, judge, luck=LUCK),),
        "replay_rungs": (seen, standings),
        "replay_error": (reported_error(seen, judge),),
    }


GIVEN = tables("mse")
SEEN, STANDINGS = GIVEN["replay_rungs"]
EVERY = sorted(REPLAY_KINDS)


def drawn(kind, given=None, **settings):
    return REPLAY_KINDS[kind][0](*(given or GIVEN[kind]), **({"metric": "mse"} | settings))


def told(kind, given=None, **settings):
    return REPLAY_KINDS[kind][1](*(given or GIVEN[kind]), **({"metric": "mse"} | settings))


def shown(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def panel(figure, title):
    return next(ax for ax in shown(figure) if ax.get_title(loc="left").startswith(title))


def line_through(ax, x, y):
    return any(
        len(line.get_xdata()) == len(x)
        and np.allclose(np.asarray(line.get_xdata(), float), x)
        and np.allclose(np.asarray(line.get_ydata(), float), y)
        for line in ax.lines
    )


def test_every_kind_is_tried():
    assert set(GIVEN) == set(REPLAY_KINDS)


@pytest.mark.parametrize("width", [PAGE_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("kind", EVERY)
def test_text_can_be_read_and_lies_within_the_figure(kind, width):
    figure = drawn(kind, width=width)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == width
    seen = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(t.get_fontsize() for t in seen) >= 8
    frame = figure.bbox.padded(0.02 * figure.dpi)
    for ax in shown(figure):
        for text in [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *ax.texts]:
            if text.get_text():
                box = Text.get_window_extent(text)
                assert frame.x0 <= box.x0, text.get_text()
                assert box.x1 <= frame.x1, text.get_text()
                assert frame.y0 <= box.y0, text.get_text()
                assert box.y1 <= frame.y1, text.get_text()
        # Panels that a crowded layout has squeezed to nothing show nothing.
        assert ax.get_window_extent().width > 0.8 * figure.dpi
        assert ax.get_window_extent().height > 0.8 * figure.dpi


@pytest.mark.parametrize("width", [PAGE_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("kind", EVERY)
def test_heads_and_ticks_do_not_overlap(kind, width):
    figure = drawn(kind, width=width)
    figure.draw_without_rendering()
    for ax in shown(figure):
        ticks = [t for t in ax.get_xticklabels() if t.get_text() and t.get_visible()]
        boxes = sorted((Text.get_window_extent(t) for t in ticks), key=lambda box: box.x0)
        for one, other in zip(boxes[:-1], boxes[1:], strict=True):
            assert one.x1 <= other.x0 + 1
    heads = [Text.get_window_extent(ax._left_title) for ax in shown(figure)]
    for k, one in enumerate(heads):
        assert not any(one.overlaps(other) for other in heads[k + 1 :])


@pytest.mark.parametrize("kind", EVERY)
def test_captions_say_the_direction_and_what_is_left_out(kind):
    text = told(kind)
    assert text.endswith(".")
    assert len(text) < 900
    assert "nan" not in text
    for name in ("ccc", "mse"):
        given = GIVEN if name == "mse" else tables("ccc", (frames.FULL, frames.BOOT))
        text, figure = told(kind, given[kind], metric=name), drawn(kind, given[kind], metric=name)
        words = " ".join(t.get_text() for t in figure.findobj(Text))
        if kind in ("replay_scores", "replay_splits", "replay_rungs"):
            assert f"{'higher' if name == 'ccc' else 'lower'} is better" in words
        if kind == "replay_error":
            assert f"{'above' if name == 'ccc' else 'below'} 0: looks better" in words
    if kind in ("replay_scores", "replay_error"):
        assert "6 other boards had no room here" in told(kind)


def test_one_board_of_each_mechanism_and_the_usual_ones_first():
    rows = of_teams(SEEN)
    assert set(rows["boards"]) == {"per_team"}
    names = [s.label for s in shown_settings(rows, 6)]
    assert names == [
        "Full-disclosure", "Parameter-free Ladder", "Ladder (α = 0.15)",
        "LadderBoot (α = 0.15, b = 100)",
    ]  # fmt: skip
    assert [s.label for s in shown_settings(rows, 2)] == names[:2]
    only = SEEN[(SEEN["mechanism"] == "ladder").to_numpy(bool)]
    assert len(shown_settings(only, 6)) == 1
    assert told_apart(only, settings_of(only)) == ""


def test_scores_stand_at_their_private_ranks():
    ax = panel(drawn("replay_scores", top=30), "Ladder\n")
    rows = rows_of(of_teams(SEEN), next(s for s in settings_of(SEEN) if s.alpha == 0.15))
    rows = rows.sort_values("score_private").head(30)
    assert line_through(ax, np.arange(1, 31), rows["score_private"])
    assert line_through(ax, np.arange(1, 31), rows["released"])


def test_splits_stand_where_they_should():
    table = GIVEN["replay_splits"][0]
    left, right = shown(drawn("replay_splits"))
    assert line_through(left, table["score_private"], table["score_public"])
    assert line_through(right, np.arange(1, 51), table["gap"])
    count = int(table["within"].sum())
    assert right.get_title(loc="left") == f"{count} of 50 gaps within one sd"
    assert f"{count} of 50 gaps are within one" in told("replay_splits")


def test_fresh_splits_lean_to_no_side():
    table = GIVEN["replay_splits"][0]
    left, _ = shown(drawn("replay_splits"))
    squares = next(line for line in left.lines if line.get_marker() == "s")
    assert np.array_equal(squares.get_xdata(), squares.get_ydata())
    assert np.allclose(squares.get_xdata(), table["mean_half"])


def test_one_team_with_one_submission_is_counted_right():
    own = {"submission": "s001", "team": "team 01"}
    first = {
        kind: tuple(
            frame[np.all([frame[c] == v for c, v in own.items() if c in frame], axis=0)]
            for frame in GIVEN[kind]
        )
        for kind in EVERY
    }
    first["replay_splits"] = (GIVEN["replay_splits"][0].head(1).assign(within=True),)
    (standings, intervals) = GIVEN["replay_ranks"]
    first["replay_ranks"] = tuple(
        f[(f["team"] == "team 01").to_numpy(bool)].assign(
            **{c: 1 for c in ("place", "private_place") if c in f}
        )
        for f in (standings, intervals)
    )
    first["replay_rungs"] = (first["replay_scores"][0], first["replay_ranks"][0])
    for kind in EVERY:
        drawn(kind, first[kind])
        text = told(kind, first[kind])
        assert "1 submissions" not in text
        assert "The 1 " not in text
        assert "the 0 teams" not in text
        assert "each of the 1 " not in text
    assert told("replay_scores", first["replay_scores"]).startswith("The submission with the best")
    assert "1 of 1 gap is within" in told("replay_splits", first["replay_splits"])
    assert "Coloured" not in told("replay_ranks", first["replay_ranks"])
    far = GIVEN["replay_error"][0]
    far = far.assign(error=far["error"].where((far["team"] != "team 01").to_numpy(bool), 1e6))
    alone = far[(far["mechanism"] == "ladder").to_numpy(bool)]
    assert " 1 thin line leaves the axis." in told("replay_error", (alone,))
    assert "lines leave the axis." in told("replay_error", (far,))


@pytest.mark.parametrize("kind", ["replay_error", "replay_ranks", "replay_rungs", "replay_scores"])
def test_boards_for_ranks_alone_are_told_as_such(kind):
    given = tuple(f[(f["boards"] == "per_rank").to_numpy(bool)] for f in GIVEN[kind])
    assert "All of these are boards for ranks." in told(kind, given)
    assert "for ranks" not in told(kind)
    drawn(kind, given)


def test_outliers_leave_the_axis_and_are_counted():
    values = np.append(np.linspace(0, 1, 50), [40.0, -30.0])
    low, high = limits_without_outliers(values)
    assert -1 < low < 0 < 1 < high < 2
    assert outside(values, (low, high)).sum() == 2
    assert limits_without_outliers(np.full(3, 2.0)) == (1.9, 2.1)
    far = SEEN.assign(released=SEEN["released"].where(SEEN["order"] != 90, 99.0))
    best = far.assign(score_private=far["score_private"].where(far["order"] != 90, 0.01))
    text = told("replay_scores", (best,))
    assert "Triangles at the edge: 4 values beyond it" in text
    marks = [
        line for ax in shown(drawn("replay_scores", (best,))) for line in ax.lines
        if line.get_marker() == "^"
    ]  # fmt: skip
    assert sum(len(line.get_xdata()) for line in marks) == 4


def test_rungs_of_the_first_teams():
    figure = drawn("replay_rungs", teams=3)
    rows = of_teams(STANDINGS)
    first = rows[(rows["mechanism"] == "full_disclosure").to_numpy(bool)].head(3)
    assert [ax.get_title(loc="left") for ax in shown(figure)] == [
        f"{row.place}. {row.team}" for row in first.itertuples()
    ]
    ax = shown(figure)[0]
    own = of_teams(SEEN)
    own = own[(own["team"] == first["team"].iloc[0]).to_numpy(bool)]
    ladder = rows_of(own, next(s for s in settings_of(SEEN) if s.alpha == 0.15))
    taken = ladder[ladder["accepted"]]
    assert line_through(ax, taken["order_in_team"], taken["released"])
    end = np.append(ladder["order_in_team"], ladder["order_in_team"].iloc[-1] + 0.4)
    assert line_through(ax, end, np.append(ladder["released"], ladder["released"].iloc[-1]))
    assert line_through(ax, ladder["order_in_team"], ladder["score_public"])


def test_teams_with_one_submission_come_last():
    order = SEEN["order_in_team"]
    first = STANDINGS["team"].iloc[0]
    once = SEEN[((SEEN["team"] != first) | (order == 1)).to_numpy(bool)]
    titles = [
        ax.get_title(loc="left") for ax in shown(drawn("replay_rungs", (once, STANDINGS), teams=14))
    ]
    assert titles[-1] == f"1. {first}"
    assert titles[0].startswith("2. ")


def test_teams_that_share_a_place_keep_the_order_of_the_first_board():
    board = pd.DataFrame({"team": list("abcde"), "place": [3, 1, 1, 3, 5]})
    first = pd.Series({"a": 1, "c": 2, "b": 3, "e": 4})
    held = places_on(board, "place", first)
    assert held.index.tolist() == ["a", "c", "b", "e"]
    assert held["slot"].tolist() == [3, 1, 2, 5]  # d, which first has not, stands behind a
    assert held["shared"].tolist() == [2, 2, 2, 1]


def test_a_shared_place_is_no_change_of_place():
    rows = of_teams(STANDINGS)
    full = rows[(rows["mechanism"] == "full_disclosure").to_numpy(bool)]
    tied = full.assign(mechanism="simplified_ladder", eta=1.0)
    tied["place"] = tied["place"].replace({2: 1, 3: 1})
    both = pd.concat([full, tied], ignore_index=True)
    left, _ = shown(drawn("replay_ranks", (both, GIVEN["replay_ranks"][1])))
    assert left.get_title(loc="left") == "0 of 10 change place between boards"
    hollow = [line for line in left.lines if line.get_markerfacecolor() == "white"]
    assert sorted(float(line.get_ydata()[0]) for line in hollow) == [1, 2, 3]
    assert "Hollow marks" in told("replay_ranks", (both, GIVEN["replay_ranks"][1]))
    moved = both.assign(place=both["place"].where(both["eta"].isna() | (both["place"] != 5), 12))
    left, _ = shown(drawn("replay_ranks", (moved, GIVEN["replay_ranks"][1])))
    assert left.get_title(loc="left") == "1 of 10 changes place between boards"


# Drawn as formulas they would be an error, italics or a lone dollar.
@pytest.mark.parametrize("name", [r"$\frac$", "$a$ and $b$", "5 $", r"a\$b", "$_$\n$^$"])
@pytest.mark.parametrize("kind", ["replay_ranks", "replay_rungs"])
def test_names_of_teams_are_drawn_as_they_are(kind, name, tmp_path):
    first = GIVEN["replay_ranks"][0]["team"].iloc[0]
    given = tuple(frame.assign(team=frame["team"].replace(first, name)) for frame in GIVEN[kind])
    figure = drawn(kind, given)
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    found = [t for t in figure.findobj(Text) if "$" in t.get_text()]
    assert found
    for text in found:
        words, is_formula = text._preprocess_math(text.get_text())
        assert not is_formula
        assert words.removeprefix("1. ") == " ".join(name.split())


def test_long_names_of_teams_are_cut():
    assert team_name("one two three", 8) == "one two…"
    assert team_name("onetwothree", 11) == "onetwothree"
    assert team_name("$$$$$", 4) == r"\$\$\$…"


def test_places_go_from_board_to_board():
    rows = of_teams(STANDINGS)
    left, right = shown(drawn("replay_ranks"))
    settings = shown_settings(rows, 5)
    start = rows_of(rows, settings[0]).head(10)
    for team in start["team"]:
        places = [
            int(part.loc[(part["team"] == team).to_numpy(bool), "place"].iloc[0])
            for part in (rows_of(rows, s) for s in settings)
        ]
        y = [p if p <= 10 else 11.3 for p in places]
        assert line_through(left, np.arange(len(y)), y), team
    intervals = of_teams(GIVEN["replay_ranks"][1])
    bounds = rows_of(intervals, settings[0]).set_index("team")
    bars = [
        tuple(bar.get_segments()[0][:, 0]) for bar in right.collections if len(bar.get_segments())
    ]
    expected = {(bounds.loc[t, "place_low"], bounds.loc[t, "place_high"]) for t in start["team"]}
    assert set(bars) == {(float(a), float(b)) for a, b in expected}


def test_errors_step_over_time_with_their_median():
    reported = of_teams(GIVEN["replay_error"][0])
    ax = panel(drawn("replay_error"), "Ladder\n")
    rows = rows_of(reported, next(s for s in settings_of(SEEN) if s.alpha == 0.15))
    one = rows[rows["team"] == "team 03"]
    assert line_through(
        ax, np.append(one["order"], 90), np.append(one["error"], one["error"].iloc[-1])
    )
    x, y = median_over_teams(rows)
    assert line_through(ax, x, y)
    last = rows.drop_duplicates("team", keep="last")["error"]
    assert y[-1] == pytest.approx(last.median())
    assert y[0] == rows["error"].iloc[0]


def test_errors_are_told():
    for draw, given in (
        (replay_scores, (SEEN.drop(columns="released"),)),
        (replay_rungs, (SEEN.drop(columns="accepted"), STANDINGS)),
        (replay_ranks, (STANDINGS.drop(columns="place"), GIVEN["replay_ranks"][1])),
        (replay_splits, (GIVEN["replay_splits"][0].drop(columns="gap"),)),
        (replay_error, (GIVEN["replay_error"][0].drop(columns="error"),)),
    ):
        with pytest.raises(InputError, match="needs the column"):
            draw(*given, metric="mse")
    with pytest.raises(InputError, match="without rows"):
        replay_scores(SEEN.assign(released=np.nan), metric="mse")

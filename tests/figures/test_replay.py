"""The figures of a replay: right numbers at the right places."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from shakedown.figures import save
from shakedown.figures.kind import pictured as picture
from shakedown.figures.replay.error import _finding as found_errors
from shakedown.figures.replay.error import quartiles
from shakedown.figures.replay.figure import (
    REPLAY_FIGURES,
    boards_shown,
    ends_of,
    note_on_boards,
    note_on_outliers,
    of_teams,
    team_name,
)
from shakedown.figures.replay.ranks import moved_teams, places_on
from shakedown.figures.replay.rungs import _finding as found_rungs
from shakedown.figures.replay.rungs import _noisy as noisy
from shakedown.figures.replay.scores import _finding as found_scores
from shakedown.figures.selection import rows_of
from shakedown.figures.style import PAGE_WIDTH
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find
from shakedown.replay.fresh_splits import fresh_splits
from shakedown.replay.ranks import rank_intervals
from shakedown.replay.reported import reported_error
from shakedown.seeding import stream
from tests.replay import frames

RNG = partial(stream, 1)
LOG = frames.log(m=90, teams=14)


def tables(metric, boards=frames.MANY):
    seen, standings = frames.played(LOG, metric, boards, per_rank=True)
    judge = find(metric)
    intervals = rank_intervals(LOG, judge, standings, rng_factory=RNG, draws=100)
    return {
        "seen": seen,
        "standings": standings,
        "rank_intervals": intervals,
        "splits": fresh_splits(LOG, judge, rng_factory=RNG),
        "reported": reported_error(seen, judge),
    }


GIVEN = tables("mse")
SEEN, STANDINGS = GIVEN["seen"], GIVEN["standings"]
EVERY = sorted(REPLAY_FIGURES)


def pictured(kind, given=(), **settings):
    figure = REPLAY_FIGURES.make(kind, **({"metric": "mse"} | settings))
    return picture(figure, GIVEN | dict(given))


def drawn(kind, given=(), **settings):
    return pictured(kind, given, **settings).figure


def caption_of(kind, given=(), **settings):
    return pictured(kind, given, **settings).caption


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


def dots_at(ax, x, y):
    wanted = np.column_stack([x, y]).astype(float)
    return any(
        np.shape(dots.get_offsets()) == wanted.shape and np.allclose(dots.get_offsets(), wanted)
        for dots in ax.collections
    )


def on_ladder(frame):
    return rows_of(frame, next(s for s in settings_in(frame) if s.setting == frames.LADDER))


@pytest.mark.parametrize("kind", EVERY)
def test_text_can_be_read_and_lies_within_the_figure(kind):
    figure = drawn(kind)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == PAGE_WIDTH
    seen = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(t.get_fontsize() for t in seen) >= 8
    frame = figure.bbox.padded(0.02 * figure.dpi)
    left = figure.axes[0]
    for ax in shown(figure):
        placed = [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]
        placed += figure.texts
        if kind == "replay_ranks":  # whose columns have long names
            placed += left.get_xticklabels()
        for text in placed:
            box = Text.get_window_extent(text)
            if box.width > 1:
                assert frame.x0 <= box.x0 < box.x1 <= frame.x1, text
                assert frame.y0 <= box.y0 < box.y1 <= frame.y1, text
        # Panels that a crowded layout has squeezed to nothing show nothing.
        assert ax.get_window_extent().width > 0.8 * figure.dpi
        assert ax.get_window_extent().height > 0.8 * figure.dpi
        ticks = [t for t in ax.get_yticklabels() if t.get_text() and t.get_visible()]
        boxes = sorted((Text.get_window_extent(t) for t in ticks), key=lambda box: box.y0)
        for first, other in zip(boxes[:-1], boxes[1:], strict=True):
            assert first.y1 <= other.y0 + 1
    heads = [Text.get_window_extent(ax._left_title) for ax in shown(figure)]
    for k, first in enumerate(heads):
        assert not any(first.overlaps(other) for other in heads[k + 1 :])


@pytest.mark.parametrize("kind", EVERY)
def test_captions_say_the_direction_and_what_is_left_out(kind):
    for name in ("ccc", "mse"):
        given = GIVEN if name == "mse" else tables("ccc", (frames.FULL, frames.BOOT))
        figure, caption = pictured(kind, given, metric=name)
        assert caption.endswith(".")
        assert len(caption) < 900
        assert "nan" not in caption
        words = " ".join(t.get_text() for t in figure.findobj(Text))
        if kind in ("replay_scores", "replay_splits", "replay_rungs"):
            assert f"{'higher' if name == 'ccc' else 'lower'} is better" in words
        if kind == "replay_error":
            assert f"{'above' if name == 'ccc' else 'below'} 0: looks better" in words
            above = "Above" if name == "ccc" else "Below"
            assert f"{above} 0 the public score looks better than" in caption
        if kind == "replay_scores":
            above = "above" if name == "ccc" else "below"
            assert f"{above} the line it looks better than it is" in caption
    if kind in ("replay_scores", "replay_error", "replay_ranks", "replay_rungs"):
        assert "6 other boards had no room here" in caption


def test_one_board_of_each_mechanism_and_the_usual_ones_first():
    assert set(of_teams(SEEN)["boards"]) == {"per_team"}
    names = [s.title for s in boards_shown(SEEN, 6)]
    assert names == [
        "Full-disclosure", "Parameter-free Ladder", "Ladder (α = 0.15)",
        "LadderBoot (α = 0.15, b = 100)",
    ]  # fmt: skip
    assert [s.title for s in boards_shown(SEEN, 2)] == names[:2]
    only = SEEN[(SEEN["setting"] == frames.LADDER).to_numpy(bool)]
    assert len(boards_shown(only, 6)) == 1
    assert note_on_boards(only, settings_in(only)) == ""


def test_scores_stand_at_their_private_ranks():
    ax = panel(drawn("replay_scores", best=30), "Ladder\n")
    rows = on_ladder(of_teams(SEEN)).sort_values("score_private").head(30)
    assert line_through(ax, np.arange(1, 31), rows["score_private"])
    assert dots_at(ax, np.arange(1, 31), rows["released"])


def test_the_best_of_a_correlation_are_the_largest():
    given = tables("ccc", (frames.FULL, frames.BOOT))
    ax = panel(drawn("replay_scores", given, metric="ccc", best=30), "Full-disclosure")
    rows = of_teams(given["seen"])
    rows = rows[(rows["setting"] == frames.FULL).to_numpy(bool)]
    rows = rows.sort_values("score_private", ascending=False).head(30)
    assert line_through(ax, np.arange(1, 31), rows["score_private"])
    assert dots_at(ax, np.arange(1, 31), rows["released"])


def test_splits_stand_where_they_should():
    table = GIVEN["splits"]
    figure, caption = pictured("replay_splits")
    left, right = shown(figure)
    assert dots_at(left, table["score_private"], table["score_public"])
    assert line_through(left, table["mean_half"], table["mean_half"])
    assert dots_at(right, np.arange(1, 51), table["gap"])
    count = int(table["within"].sum())
    assert right.get_title(loc="left") == f"{count} of 50 gaps within one sd"
    assert caption.startswith(f"{count} of 50 gaps between public and private scores are within")
    assert [t.get_text() for t in figure.legends[0].get_texts()] == [
        "the challenge's own split", "fresh splits, mean ± sd", "one sd of fresh splits",
    ]  # fmt: skip


def test_one_team_with_one_submission_is_counted_right():
    own = {"submission": "s001", "team": "team 01"}
    first = {
        name: frame[np.all([frame[c] == v for c, v in own.items() if c in frame], axis=0)]
        for name, frame in GIVEN.items()
    }
    first["splits"] = GIVEN["splits"].head(1).assign(within=True)
    for name in ("standings", "rank_intervals"):
        frame = GIVEN[name][(GIVEN[name]["team"] == "team 01").to_numpy(bool)]
        places = [c for c in ("place", "private_place") if c in frame]
        first[name] = frame.assign(**dict.fromkeys(places, 1))
    texts = {kind: caption_of(kind, first) for kind in EVERY}
    for text in texts.values():
        assert not any(w in text for w in ("1 submissions", "The 1 ", "0 teams", "of the 1 "))
    assert "of 1 submission looks better than it is" in texts["replay_scores"]
    assert ". The submission with the best" in texts["replay_scores"]
    assert "1 of 1 gap between public and private scores is within" in texts["replay_splits"]
    assert ". The first team on Full-disclosure, with its place there; " in texts["replay_rungs"]
    assert "Coloured" not in texts["replay_ranks"]


@pytest.mark.parametrize("kind", ["replay_error", "replay_ranks", "replay_rungs", "replay_scores"])
def test_boards_for_ranks_alone_are_told_as_such(kind):
    given = {
        name: frame[(frame["boards"] == "per_rank").to_numpy(bool)]
        for name, frame in GIVEN.items()
        if "boards" in frame
    }
    assert "All of these are boards for ranks." in caption_of(kind, given)
    assert "for ranks" not in caption_of(kind)
    drawn(kind, given)


def test_outliers_leave_the_axis_and_are_counted():
    values = np.append(np.linspace(0, 1, 50), [40.0, -30.0])
    low, high = ends_of(values)
    assert -1 < low < 0 < 1 < high < 2
    assert note_on_outliers((low, high), values) == " 2 far values lie beyond the axis."
    assert note_on_outliers((low, 50), values) == " 1 far value lies beyond the axis."
    assert ends_of(np.full(3, 2.0)) == (1.9, 2.1)
    far = SEEN.assign(released=SEEN["released"].where(SEEN["order"] != 90, 99.0))
    best = far.assign(score_private=far["score_private"].where(far["order"] != 90, 0.01))
    assert "8 far values lie beyond the axis" in caption_of("replay_scores", {"seen": best})


def test_rungs_of_the_first_teams():
    figure = drawn("replay_rungs", teams=3)
    rows = of_teams(STANDINGS)
    first = rows[(rows["setting"] == frames.FULL).to_numpy(bool)].head(3)
    assert [ax.get_title(loc="left") for ax in shown(figure)] == [
        f"{row.place}. {row.team}" for row in first.itertuples()
    ]
    ax = shown(figure)[0]
    own = of_teams(SEEN)
    ladder = on_ladder(own[(own["team"] == first["team"].iloc[0]).to_numpy(bool)])
    marks = [line.get_markevery() for line in ax.lines if line.get_label() == "Ladder (α = 0.15)"]
    assert marks == [np.flatnonzero(ladder["accepted"]).tolist()]
    end = np.append(ladder["order_in_team"], ladder["order_in_team"].iloc[-1] + 0.4)
    assert line_through(ax, end, np.append(ladder["released"], ladder["released"].iloc[-1]))
    assert dots_at(ax, ladder["order_in_team"], ladder["score_public"])


def test_teams_with_one_submission_come_last():
    order = SEEN["order_in_team"]
    first = STANDINGS["team"].iloc[0]
    once = SEEN[((SEEN["team"] != first) | (order == 1)).to_numpy(bool)]
    titles = [
        ax.get_title(loc="left") for ax in shown(drawn("replay_rungs", {"seen": once}, teams=14))
    ]
    assert titles[-1] == f"1. {first}"
    assert titles[0].startswith("2. ")


def test_teams_that_share_a_place_keep_the_order_of_the_first_board():
    board = pd.DataFrame({"team": list("abcde"), "place": [3, 1, 1, 3, 5]})
    first = pd.Series({"a": 1, "c": 2, "b": 3, "e": 4})
    places = places_on(board, "place", first)
    assert places.index.tolist() == ["a", "c", "b", "e"]
    assert places["slot"].tolist() == [3, 1, 2, 5]  # d, which first has not, stands behind a
    assert places["shared"].tolist() == [2, 2, 2, 1]


def test_a_shared_place_is_no_change_of_place():
    rows = of_teams(STANDINGS)
    full = rows[(rows["setting"] == frames.FULL).to_numpy(bool)]
    tied = full.assign(setting="simplified_ladder(eta=1)")
    tied["place"] = tied["place"].replace({2: 1, 3: 1})
    both = pd.concat([full, tied], ignore_index=True)
    figure, caption = pictured("replay_ranks", {"standings": both})
    left, _ = shown(figure)
    assert left.get_title(loc="left") == "0 of 10 change place between public boards"
    assert dots_at(left, [1, 1, 1], [1, 2, 3])
    assert "White centres" in caption
    moved = both.assign(
        place=both["place"].where((both["setting"] == frames.FULL) | (both["place"] != 5), 12)
    )
    left, _ = shown(drawn("replay_ranks", {"standings": moved}))
    assert left.get_title(loc="left") == "1 of 10 change place between public boards"


def test_a_place_just_below_those_that_others_share_is_another():
    place = [pd.Series([1, 2, 3], list("abc")), pd.Series([1, 1, 3], list("abc"))]
    first, shared = (
        pd.DataFrame({"place": own, "shared": own.map(own.value_counts())}) for own in place
    )
    assert moved_teams([first, shared]) == []
    third = pd.DataFrame({"place": [1, 3, 1], "shared": [2, 1, 2]}, index=list("abc"))
    assert moved_teams([first, third]) == ["b", "c"]


# Drawn as formulas they would be an error, italics or a lone dollar.
@pytest.mark.parametrize("name", [r"$\frac$", "$a$ and $b$", "5 $", r"a\$b", "$_$\n$^$"])
@pytest.mark.parametrize("kind", ["replay_ranks", "replay_rungs"])
def test_names_of_teams_are_drawn_as_they_are(kind, name, tmp_path):
    first = STANDINGS["team"].iloc[0]
    given = {
        key: frame.assign(team=frame["team"].astype(object).replace(first, name))
        for key, frame in GIVEN.items()
    }
    figure = drawn(kind, given)
    save(figure, tmp_path / "a.svg", tmp_path / "a.png")
    texts = [t for t in figure.findobj(Text) if "$" in t.get_text()]
    assert texts
    for text in texts:
        words, is_formula = text._preprocess_math(text.get_text())
        assert not is_formula
        assert words.removeprefix("1. ") == " ".join(name.split())


def test_long_names_of_teams_are_cut():
    assert team_name("one two three", 8) == "one two…"
    assert team_name("onetwothree", 11) == "onetwothree"
    assert team_name("$$$$$", 4) == r"\$\$\$…"


def test_places_go_from_board_to_board():
    left, right = shown(drawn("replay_ranks"))
    boards = boards_shown(STANDINGS, 5)
    start = next(iter(boards.values())).head(10)
    for team in start.itertuples():
        places = [
            *(part.set_index("team")["place"][team.team] for part in boards.values()),
            team.private_place,
        ]
        assert line_through(left, np.arange(len(places)), np.minimum(places, 11)), team
    bounds = rows_of(of_teams(GIVEN["rank_intervals"]), next(iter(boards))).set_index("team")
    (bars,) = (c for c in right.collections if hasattr(c, "get_segments"))
    spans = {tuple(segment[:, 0]) for segment in bars.get_segments()}
    ends = bounds.loc[start["team"], ["place_low", "place_high"]].to_numpy(float)
    assert spans == set(map(tuple, ends))


def test_errors_step_over_time_with_their_median():
    ax = panel(drawn("replay_error"), "Ladder\n")
    rows = on_ladder(of_teams(GIVEN["reported"]))
    quarters = quartiles(rows)
    assert line_through(ax, quarters.index, quarters["median"])
    last = rows.drop_duplicates("team", keep="last")["error"]
    expected = last.quantile([0.25, 0.5, 0.75]).to_numpy(float)
    assert quarters.iloc[-1].to_numpy(float) == pytest.approx(expected)
    assert quarters["median"].iloc[0] == rows["error"].iloc[0]
    corners = {tuple(v) for v in ax.collections[0].get_paths()[0].vertices.round(9)}
    for end in ("low", "high"):
        assert set(quarters[end].round(9).items()) <= corners


def test_errors_are_told():
    for kind in EVERY:
        for table in REPLAY_FIGURES.find(kind).reads:
            with pytest.raises(InputError, match=f"'{kind}' got a table without rows"):
                drawn(kind, {table: GIVEN[table].iloc[:0]})
    with pytest.raises(InputError, match="without rows"):
        drawn("replay_scores", {"seen": SEEN.assign(released=np.nan)})


def test_captions_begin_with_what_is_drawn():
    figure, caption = pictured("replay_scores")
    better = {}
    for ax in shown(figure):
        line, dots = ax.lines[0].get_ydata(), ax.collections[0].get_offsets()[:, 1]
        better[ax.get_title(loc="left").split("\n")[0]] = int((dots < line).sum())
    (board,) = (name for name in better if caption.startswith(f"On {name} "))
    assert f" {max(better.values())} of 50 submissions look better than they are, on " in caption
    assert better[board] == max(better.values())
    assert caption.split(".")[0].endswith(f" {min(better.values())}")
    assert "Several dots at the same height (not on Full-disclosure): " in caption

    figure, caption = pictured("replay_error")
    last = [ax.lines[0].get_ydata()[-1] for ax in shown(figure)]
    nearest, furthest = (f"{end(map(abs, last)):.2g}" for end in (min, max))
    assert nearest != furthest
    assert caption.startswith(f"At the end the median team looks {nearest} (")
    assert f") to {furthest} (" in caption.split(". ")[0]
    assert ") better than it is. " in caption
    assert all(value < 0 for value in last)

    figure, caption = pictured("replay_ranks")
    left, right = figure.axes[:2]
    first = sum(bar[0, 0] <= 1 for bar in right.collections[0].get_segments())
    moved = sum(line.get_ydata()[0] != line.get_ydata()[-1] for line in left.lines if
                len(line.get_xdata()) > 2)  # fmt: skip
    assert f"{moved} have another place in private; {first} of 10 can be first there." in caption
    assert right.get_title(loc="left") == f"{first} of 10 can be first"

    caption = caption_of("replay_rungs")
    seen = SEEN[(SEEN["boards"] == "per_team").to_numpy(bool)]
    places = REPLAY_FIGURES.make("replay_rungs", metric="mse")._teams(
        seen.astype({"team": str}), STANDINGS
    )
    ladder = on_ladder(seen)
    ladder = ladder[ladder["team"].astype(str).isin(list(places)).to_numpy(bool)]
    assert caption.startswith(f"Of {len(ladder)} submissions of these teams, ")
    assert f" accepted {int(ladder['accepted'].sum())}" in caption


def test_findings_tell_boards_apart_only_where_they_differ():
    assert found_errors({"A": -0.2, "B": 0.05}, sign=-1) == (
        "At the end the median team looks 0.2 better than it is on A, and 0.05 worse on B."
    )
    assert found_errors({"A": -0.2, "B": -0.05, "C": -0.1}, sign=-1) == (
        "At the end the median team looks 0.05 (B) to 0.2 (A) better than it is."
    )
    assert found_errors({"A": 0.2, "B": 0.2001}, sign=1) == (
        "At the end the median team looks 0.2 better than it is on B, as on the other boards."
    )
    assert found_errors({"A": 0.2}, sign=-1).endswith("looks 0.2 worse than it is on A.")
    assert found_rungs({"A": 3, "B": 5}, 9) == (
        "Of 9 submissions of these teams, B accepted 5 and A accepted 3."
    )
    assert found_rungs({"A": 3, "B": 3}, 9).endswith("teams, each of the 2 boards accepted 3.")
    assert found_rungs({"A": 3, "B": 5, "C": 5}, 9).endswith(
        "teams, B and C accepted 5 each; A accepted 3."
    )
    assert found_rungs({"A": 3}, 1) == "Of 1 submission of these teams, A accepted 3."
    assert found_scores({"A": 3, "B": 5}, 9) == (
        "On B 5 of 9 submissions look better than they are, on A 3."
    )
    assert found_scores({"A": 3, "B": 3}, 9).endswith("they are, and as many on every other board.")
    assert found_scores({"A": 3}, 9) == "On A 3 of 9 submissions look better than they are."


def test_a_board_that_moves_without_a_mark_is_named():
    seen = of_teams(SEEN)
    still = rows_of(seen, next(b for b in boards_shown(SEEN, 4) if b.label == "Ladder"))
    some = {of_setting("ladder(alpha=0.15)"): still}
    assert noisy(some) == ""
    last = still.index == still[~still["accepted"].to_numpy(bool)].index[-1]
    moved = still.assign(released=still["released"].mask(last, still["released"] + 0.01))
    assert noisy({of_setting("ladder(alpha=0.15)"): moved}).startswith("; Ladder can move")


def test_private_places_begin_at_1():
    _, right = shown(drawn("replay_ranks"))
    assert right.get_xlim()[0] == 0.5
    assert right.get_xticks()[0] == 1

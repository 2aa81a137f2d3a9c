"""A mechanism and a metric of a user's own are replayed, ranked, drawn and explained like ours."""

import re

import numpy as np
from matplotlib.text import Text

from shakedown.figures.kind import pictured as picture
from shakedown.figures.pages import figures_of
from shakedown.figures.replay.figure import REPLAY_FIGURES
from shakedown.leaderboard.mechanism import MECHANISMS
from shakedown.leaderboard.settings import with_parameters
from shakedown.metrics import find
from shakedown.replay import games
from shakedown.replay.analyses import analyse
from shakedown.replay.boards import boards_of, check_boards
from shakedown.replay.log import dropped_teams
from shakedown.replay.sizes import Analyses
from shakedown.report.replay import READ, ReplayContent, render_replay, rows_said

from . import frames, logs

OTHERS = ["full_disclosure", "kaggle", "parameter_free_ladder"]


def everything(metric, mechanisms):
    """Tables, texts of the figures and the words of the page of a replay on these boards."""
    log = frames.log(m=24, teams=6, n=120)
    settings = logs.settings(metric=metric, mechanisms=mechanisms)
    check_boards(settings)
    judge = find(metric)
    seen = games.play(log, judge, boards_of(settings, log), ["per_team", "per_rank"], seed=1)
    standings = games.standings(seen, judge)
    sizes = Analyses(top=5, best=10, splits=3).model_copy(update={"draws": 30})
    tables = analyse(log, judge, seen, standings, sizes=sizes, seed=1)
    tables |= {"standings": standings, "messages": log.messages, "seen": seen}
    tables["dropped_teams"] = dropped_teams(log)
    drawn = {}
    for figure in figures_of(REPLAY_FIGURES, {"metric": metric}):
        shown, caption = picture(figure, tables)
        words = [text.get_text() for text in shown.findobj(Text)]
        drawn[figure.name] = " ".join([*words, caption]).replace("\n", " ")
    content = ReplayContent(
        study="own", seed=1, metric=metric, sizes={"submissions": 24, "teams": 6},
        rows=rows_said(log), structure=log.structure, tables={name: tables[name] for name in READ},
    )  # fmt: skip
    page = render_replay(content).replace("\xa0", " ")
    return tables, drawn, re.sub(r"<[^>]+>", "", page)


def test_a_mechanism_of_ones_own_stands_everywhere_with_its_parameter(own):
    entries = [{"name": name} for name in OTHERS]
    entries.append({"name": "stairs.Stairs", "gamma": [0.01, 0.02], "draws": 0.5})
    tables, drawn, page = everything("mse", entries)
    settings = [f"stairs.Stairs(gamma={gamma},draws=0.5)" for gamma in (0.01, 0.02)]
    for name in ("standings", "agreement", "ranks", "comparisons", "errors", "rank_intervals"):
        assert set(settings) <= set(tables[name]["setting"]), name
        read = with_parameters(tables[name])
        assert set(read["gamma"].dropna()) == {0.01, 0.02}
        assert (read["mechanism"] == "stairs.Stairs").sum() == read["gamma"].notna().sum()
    assert set(tables["rank_intervals"]["draws"]) == {10_000}  # not the parameter of that name
    seen = tables["seen"][(tables["seen"]["setting"] == settings[1]).to_numpy()]
    part = seen[(seen["boards"] == "per_rank").to_numpy()].astype({"in_force": str})
    counts = part.set_index(part["submission"].astype(str))["score_public"].loc[part["in_force"]]
    np.testing.assert_allclose(part["released"], np.floor(counts.to_numpy() / 0.02) * 0.02)
    assert 0.05 < part["accepted"].mean() < 0.95
    for kind in ("replay_ranks", "replay_scores", "replay_rungs", "replay_error"):
        assert re.search(r"Staircase board,? \(?γ = 0\.02", drawn[kind]), kind
    for words in (
        *("Staircase board (γ = 0.01, draws = 0.5)", "Staircase board (γ = 0.02, draws = 0.5) for"),
        *("rounded down to a step of its stairs", "Height of a step."),
    ):
        assert words in page, re.findall("Staircase board.{40}", page)


def test_a_board_of_ones_own_has_a_place_in_every_figure_beside_all_of_ours(own):
    names = ("full_disclosure", "parameter_free_ladder", "ladder", "ladderboot",
             "bayesboot_ladder", "bayesboot_ladderboot", "general_ladder")  # fmt: skip
    entries = [{"name": name, **MECHANISMS.classes[name].examples[0]} for name in names]
    _, drawn, _ = everything("mse", [*entries, {"name": "stairs.Stairs", "gamma": 0.02}])
    for kind in ("replay_ranks", "replay_scores", "replay_rungs", "replay_error"):
        assert "Staircase board" in drawn[kind], kind


def test_a_metric_of_ones_own_is_what_all_is_told_in(own):
    entries = [{"name": "full_disclosure"}, {"name": "stairs.Stairs", "gamma": 0.02}]
    tables, drawn, page = everything("stairs.Halving", entries)
    assert set(tables["comparisons"]["test"]) == {"bootstrap"}
    for kind in ("replay_scores", "replay_splits", "replay_rungs", "replay_error"):
        assert "Mean root error" in drawn[kind], kind
        assert "stairs." not in drawn[kind], kind
    assert "Mean root error, lower is better" in page

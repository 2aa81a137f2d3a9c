"""What is pasted into a platform parses there, and says the numbers that were asked for."""

import ast
import re

import numpy as np
import pytest
import yaml

import shakedown
from shakedown.dryrun.snippets import per_day, snippets
from shakedown.interface import Cells
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream


def synapse(text):
    """The dict that the snippet sends, its names filled in."""
    names = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Constant, ast.List)):
            names[node.targets[0].id] = ast.literal_eval(node.value)
    return names


@pytest.mark.parametrize(
    ("submissions", "days", "daily", "monthly"),
    [(500, 30, 17, 500), (500, 365, 2, 62), (10, 30, 1, 10), (60, 30, 2, 60), (7, 1, 7, 7)],
)
def test_the_limits_per_day_spread_the_total(submissions, days, daily, monthly):
    texts = snippets(submissions, days)
    assert list(texts) == ["Synapse", "EvalAI", "Codabench"]
    assert synapse(texts["Synapse"])["limits"] == [
        {"limitType": "TOTAL", "maximumSubmissions": submissions},
        {"limitType": "DAILY", "maximumSubmissions": daily},
    ]
    (phase,) = yaml.safe_load(texts["EvalAI"])["challenge_phases"]
    assert phase == {
        "id": 1,
        "max_submissions_per_day": daily,
        "max_submissions_per_month": monthly,
        "max_submissions": submissions,
    }
    (phase,) = yaml.safe_load(texts["Codabench"])["phases"]
    assert phase == {"index": 0, "max_submissions_per_day": daily, "max_submissions": submissions}
    for text in texts.values():
        assert re.search(rf"# {submissions} over {days} days?, rounded up\n", text)


def test_a_participant_can_spend_all_of_them_in_the_days():
    for submissions in (1, 29, 30, 31, 500):
        for days in (1, 7, 30, 365):
            daily = per_day(submissions, days)
            assert daily * days >= submissions
            assert daily == 1 or (daily - 1) * days < submissions


def test_the_synapse_snippet_posts_a_round():
    text = snippets(500, 30)["Synapse"]
    assert 'restPOST(f"/evaluation/{queue}/round", json.dumps(challenge))' in text
    (sent,) = (
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    )
    keys = [key.value for key in sent.keys]
    assert keys == ["evaluationId", "roundStart", "roundEnd", "limits"]


def test_a_board_that_no_platform_has_is_a_few_lines_of_python():
    rng = np.random.default_rng(3)
    ladder = mechanism("ladderboot", alpha=0.15, b=10)
    text = snippets(500, 30, ladder)["Python"]
    assert "standard deviation of y_public" in text
    names = {"y_public": rng.normal(size=60), "predictions": rng.normal(size=(3, 60))}
    exec(text, names)
    assert names["released"].shape == (3,)
    assert names["board"].mechanism == ladder
    (imports,) = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    assert imports.module == "shakedown"
    assert {alias.name for alias in imports.names} <= set(shakedown.__all__)
    text = snippets(500, 30, mechanism("general_ladder", eta=0.02), "mae")["Python"]
    assert 'mechanism("general_ladder", eta=0.02)' in text
    assert 'find_metric("mae")' in text
    assert "standard deviation" not in text
    assert "Python" not in snippets(500, 30, mechanism("full_disclosure"))


@pytest.mark.parametrize(
    "setting",
    [
        "general_ladder(eta=0.2)+baseline",
        "general_ladder(eta=0.2)+one_board",
        "ladder(alpha=0.15)+baseline+cap(improvements=1)",
        "digest(eta=0.1,floor=0.5,every=50,updates=10)",
    ],
)
def test_the_lines_of_python_are_the_board_that_was_played_with_its_defences(setting):
    rng = np.random.default_rng(3)
    text = snippets(500, 30, of_setting(setting))["Python"]
    names = {"y_public": rng.normal(size=60), "predictions": rng.normal(size=(3, 60))}
    exec(text, names)
    assert names["board"].mechanism == of_setting(setting)
    whom = "all participants together" if "one_board" in setting else "each participant"
    assert text.startswith(f"# The board itself, one for {whom}; ")
    # The scores that the same board shows which is built from its parts.
    scorer = Scorer(find("mse"), names["y_public"])
    own = Board(scorer, of_setting(setting), lambda *axes: stream(1, *axes))
    shown = own.submit(names["predictions"]).released
    np.testing.assert_array_equal(names["released"], shown)


@pytest.mark.parametrize(
    ("metric", "given", "scored"),
    [
        ("mse", {}, 'find_metric("mse")'),
        ("mse", {"is_grouped": True}, 'find_metric("mse").on(None, groups, None)'),
        ("weighted rmse", {}, 'find_metric("weighted rmse").on(None, None, weights)'),
        (
            "weighted pearson by group",
            {"is_grouped": True},
            'find_metric("weighted pearson by group").on(None, groups, weights)',
        ),
        (
            "pearson by response",
            {"is_grouped": True, "is_several": True},
            'find_metric("pearson by response").on(cells, groups, None)',
        ),
    ],
)
def test_a_board_is_told_which_rows_belong_together_and_what_they_weigh(metric, given, scored):
    text = snippets(500, 30, mechanism("general_ladder", eta=0.02), metric, **given)["Python"]
    assert f"    Scorer({scored}, y_public),\n" in text
    rng = np.random.default_rng(3)
    rows = np.repeat(np.arange(20), 3)
    names = {
        "y_public": rng.normal(size=60), "predictions": rng.normal(size=(3, 60)),
        "groups": rows, "weights": np.ones(60),
        "cells": Cells(("a", "b", "c"), np.tile(np.arange(3), 20), rows),
    }  # fmt: skip
    exec(text, names)
    assert names["released"].shape == (3,)
    unit = "cell" if given.get("is_several") else "row"
    assert f"shape (submissions, public {unit}s)" in text
    assert f"each public {'row' if unit == 'cell' else 'cell'}," not in text
    for name in ("cells", "groups", "weights"):
        assert (f"# {name}: " in text) == (f"{name}," in scored or f"{name})" in scored)

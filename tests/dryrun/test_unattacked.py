"""A leaderboard that nobody can attack has no limit, and is not recommended."""

import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.estimating import files_of
from shakedown.dryrun.estimates import holds
from shakedown.dryrun.unattacked import (
    MEASURED,
    NOT_ATTACKED,
    is_deaf,
    is_idle,
    unattacked,
    with_unattacked,
)
from shakedown.leaderboard.mechanism import MECHANISMS, of_setting
from shakedown.metrics import find
from shakedown.simulation.outcomes import typed

from .test_own_components import everything

OWN = Path(__file__).parents[1] / "own"
QUIET, SILENT, HAZY = (f"quiet.{name}(eta=0.02)" for name in ("Quiet", "Silent", "Hazy"))


@pytest.fixture(scope="module")
def dry_run(request):
    """Tables, texts and page of a dry run of the General Ladder and three copies of it."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(OWN))
    copies = [{"name": f"quiet.{name}", "eta": 0.02} for name in ("Quiet", "Silent", "Hazy")]
    boards = [{"name": "general_ladder", "eta": 0.02}, *copies]
    yield everything(Path(request.config.rootpath), mechanisms=boards, submissions=40,
                     largest_budget=60)  # fmt: skip
    patch.undo()


def of(limits, setting, threat):
    (row,) = limits[(limits["setting"] == setting) & (limits["threat"] == threat)].to_dict(
        "records"
    )
    return row


def test_a_copy_without_terms_has_no_more_safe_submissions(dry_run):
    limits = dry_run[0]["limits"]
    for copied, files in ((QUIET, 17), (SILENT, 25)):
        for threat in ("staircase", "null_adversary", "adversary"):
            ours, quiet = (
                of(limits, setting, threat) for setting in ("general_ladder(eta=0.02)", copied)
            )
            assert ours["status"] == quiet["status"] == MEASURED
            assert (ours["estimating"], quiet["estimating"]) == (0, files)
            assert quiet["safe_submissions"] <= ours["safe_submissions"] + files
            assert not quiet["censored"]
    for threat in ("modeller", "linear_probe"):
        ours, quiet = (
            of(limits, setting, threat) for setting in ("general_ladder(eta=0.02)", QUIET)
        )
        assert quiet["safe_submissions"] == ours["safe_submissions"]


def test_where_an_attack_cannot_play_the_limit_is_no_number(dry_run):
    tables, drawn, page, _ = dry_run
    limits, curve = tables["limits"], tables["frontier"]
    for threat in ("reserve", "staircase", "null_adversary", "adversary"):
        row = of(limits, HAZY, threat)
        assert row["status"] == NOT_ATTACKED
        assert all(pd.isna(row[key]) for key in ("safe_submissions", "ci_low", "ci_high"))
        assert "reserve" in row["unplayed"] or threat == "staircase"
        assert not len(curve[(curve["setting"] == HAZY) & (curve["threat"] == threat)])
    assert of(limits, HAZY, "modeller")["status"] == MEASURED
    assert "Empty: the attack cannot play" in drawn["threat_map"]
    # Numbers stay whole numbers, also as they are read from a file.
    read = typed(pd.read_csv(StringIO(limits.to_csv(index=False))))
    assert of(read, HAZY, "modeller")["safe_submissions"] == int(
        of(limits, HAZY, "modeller")["safe_submissions"]
    )
    assert not re.search(r"\d\.0 (to|or) ", page)
    for text in (drawn["safe_limits"], page):
        assert NOT_ATTACKED in text
    assert "its release and gate publish no terms" in page or "its gate and release" in page
    assert "does not publish what its gate does: attacks spend 17 files" in page
    assert re.search("does not publish what its (release and gate|gate and release) do: ", page)
    assert "attacks spend 25 files" in page


def test_it_is_not_recommended_against_adversaries(dry_run):
    answer = dry_run[0]["recommendation"]
    assert answer["version"] == 3
    assert answer["recommended"] is None or answer["recommended"]["setting"] != HAZY
    last = answer["runner_ups"][-1]
    assert (last["setting"], last["status"]) == (HAZY, NOT_ATTACKED)
    assert last["safe_submissions"] is last["ci_low"] is None
    assert json.dumps(answer, allow_nan=False)


def test_the_threats_of_an_idle_attack_are_those_that_can_choose_it(monkeypatch):
    monkeypatch.syspath_prepend(str(OWN))
    rows = [("e", "reserve", HAZY), ("f", "freedman", HAZY), ("e", "reserve", "kaggle")]
    table = typed(
        pd.DataFrame(
            [
                {"experiment": e, "attack": a, "setting": s, "dataset": "d", "metric": "mse",
                 "replicate": 0}
                for e, a, s in rows
            ]
        )
    )  # fmt: skip
    idle = is_idle(table, 30)
    assert idle.tolist() == [True, False, False]
    missing = unattacked(table, idle, is_deaf(table, 30))
    assert set(missing["setting"]) == {HAZY}
    assert set(missing["threat"]) == {"reserve", "null_adversary", "adversary"}
    assert set(missing["unplayed"]) == {"reserve"}
    assert MECHANISMS.parse(HAZY).setting == HAZY


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_an_estimate_that_is_not_what_the_board_does_is_no_attack(metric, monkeypatch):
    """Its gate demands more near the response than far above it, which no attacker can know."""
    monkeypatch.syspath_prepend(str(OWN))
    fickle = "quiet.Fickle(eta=0.02)"
    assert not ATTACKS.find("staircase").cannot_play(of_setting(fickle).terms(find(metric), 60))
    assert files_of(of_setting(fickle).terms(find(metric), 60)) == 25
    assert holds(SILENT, metric, 60)
    assert not holds(fickle, metric, 60)
    rows = [("e", attack, setting) for attack in ("staircase", "freedman")
            for setting in (SILENT, fickle)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["experiment", "attack", "setting"])
    idle = is_idle(typed(table.assign(dataset="d", metric=metric, replicate=0)), 60)
    assert idle.tolist() == [False, True, False, False]


def test_adversaries_who_had_to_estimate_and_reach_nothing_prove_nothing(monkeypatch):
    """Modellers need no terms, and a board that publishes them is measured."""
    monkeypatch.syspath_prepend(str(OWN))
    row = {"dataset": "d", "metric": "mse", "threshold": -0.1, "quantile": 0.5, "replicates": 9,
           "safe_submissions": 60, "ci_low": 60, "ci_high": None, "censored": True}  # fmt: skip
    keys = [
        (setting, threat)
        for setting in (QUIET, "kaggle")
        for threat in ("modeller", "null_adversary", "adversary", "staircase")
    ]
    table = pd.DataFrame([row | {"setting": s, "threat": t} for s, t in keys])
    table.loc[table["threat"] == "adversary", "censored"] = False
    counts = dict.fromkeys(("safe_submissions", "ci_low", "ci_high"), "Int64")
    none = unattacked(
        typed(table.assign(attack="freedman", experiment="e", replicate=0)),
        *np.zeros((2, 8), bool),
    )
    whole = with_unattacked(table.astype(counts), none, [-0.1], 0.5, 30)
    status = dict(zip(keys, whole["status"], strict=True))
    for (setting, threat), said in status.items():
        fails = setting == QUIET and threat in ("null_adversary", "adversary")
        assert said == (NOT_ATTACKED if fails else MEASURED), (setting, threat)
    assert whole.loc[whole["status"] == NOT_ATTACKED, "safe_submissions"].isna().all()

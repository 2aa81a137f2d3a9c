"""The planner on the results of a dry run: its numbers, its board, and what is proved elsewhere."""

import json
import shlex
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown.checkout import project
from shakedown.cli import main
from shakedown.config import complete
from shakedown.config.dryrun import check, configuration
from shakedown.data.store import save
from shakedown.dryrun.first_answer import first_answer
from shakedown.dryrun.settings import DryRunEntry
from shakedown.final_rows.of_dryrun import final_rows
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.naming import in_words

N = 600
RNG = np.random.default_rng(3)
X = RNG.standard_normal((N, 5))
TABLE = pd.DataFrame(X, columns=[*"abcde"]).assign(
    y=50.0 + 4.0 * (X @ [1.0, 0.5, 0.2, 0.0, 0.0] + RNG.standard_normal(N)),
)
BOARD = {"label": "Ladder (α = 0.15)", "setting": "ladder(alpha=0.15)"}
#: What the page of the dry run calls it.
WORDS = in_words(of_setting(BOARD["setting"]))


def finished(folder, *, table=TABLE, submissions=40, columns=None, **answer):
    """A folder as a dry run leaves it, with a made-up answer; and what it was run on."""
    table.to_csv(folder / "my.csv", index=False)
    config = configuration(
        str(folder / "my.csv"), "y", project(), table=columns or {},
        dryrun={"metric": "mse", "submissions": submissions},
    )  # fmt: skip
    challenge, _ = check(config, project())
    results = folder / "results/my"
    (results / "datasets").mkdir(parents=True)
    save(challenge, results / "datasets/my.npz")
    (results / "config.yaml").write_text(json.dumps(config))
    said = {"recommended": BOARD, "submissions": submissions, "holds": "measured"} | answer
    (results / "recommendation.json").write_text(json.dumps(said))
    return results, challenge, complete(config, base=project())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("dry"))


def test_the_numbers_are_those_of_the_dry_run(results):
    folder, challenge, config = results
    plan = shakedown.design(dryrun=folder, metrics=["mae"])
    settings = DryRunEntry(**config["dryrun"])
    table = final_rows(challenge, settings, seed=config["seed"])
    own = plan.limits.set_index(["train", "public", "final"])
    for row in table.iloc[1:].itertuples():
        assert row.best_wins == own.loc[(row.train, row.public, row.final), "best_wins"]
    assert plan.seed == config["seed"]
    assert plan.tolerated == pytest.approx(0.05)
    assert plan.metrics["metric"].tolist() == ["mse", "mae"]


def test_what_is_proved_measured_and_not_measured_is_told_apart(results):
    folder, challenge, config = results
    plan = shakedown.design(dryrun=folder, wanted=0.3)
    split, boards = plan.recommended, plan.boards
    assert not boards["is_played"]
    proved, played, missing = boards["sentences"]
    # The proof is that of a dry run with these sets.
    labels = np.repeat(["train", "public", "final"], split)
    settings = DryRunEntry(**config["dryrun"])
    expected = first_answer(replace(challenge, split=labels), settings, seed=config["seed"])
    assert boards["proved"]["title"] == expected.boards[0].title
    assert boards["proved"]["submissions"] == expected.boards[0].submissions
    assert proved.startswith("Proved")
    board = expected.boards[0]
    assert f" for the recommended split ({split.public} public rows): {board.words} is" in proved
    assert proved.endswith(f", whatever is submitted. Exact setting: {board.title}.")
    assert played == (
        f"Measured for the split that was played (200 public rows): {WORDS} is safe for "
        "40 submissions. Exact setting: Ladder (α = 0.15)."
    )
    assert missing == (
        f"Not measured for the recommended split. To measure it: {boards['command']}"
    )
    words = shlex.split(boards["command"])
    assert words[words.index("--sizes") + 1] == f"{split.train},{split.public},{split.final}"
    assert words[words.index("--study") + 1] == "my_planned"
    assert words[words.index("--submissions") + 1] == "40"
    assert plan.answer["boards"] == json.loads(json.dumps(boards))
    for sentence in boards["sentences"]:
        assert sentence in str(plan)
    page = plan.page()
    assert "Which board is safe" in page
    assert page.count(escape(boards["command"], quote=False)) == 1
    assert f"<pre><code>{escape(boards['command'], quote=False)}</code></pre>" in page


def test_a_round_is_measured_alone(results):
    plan = shakedown.design(dryrun=results[0], wanted=0.3, rounds=3)
    train, public, final = plan.recommended
    own = public // 3
    assert f"--sizes {train + public - own},{own},{final}" in plan.boards["command"]
    proved, _, missing = plan.boards["sentences"]
    assert f"({own} public rows in each round)" in proved
    assert "To measure one of its rounds: shakedown dryrun" in missing


@pytest.mark.parametrize(
    ("holds", "begin"),
    [
        ("proved", "Proved for"),
        ("measured", "Measured for"),
        ("proved on average", "Measured, and proved on average, for"),
    ],
)
def test_sets_that_were_played_have_their_board(holds, begin, tmp_path):
    # The smallest final set is wanted: 6 rows, with 294 public ones.
    official = TABLE.assign(set=np.repeat(["train", "public", "final"], [300, 290, 10]))
    folder, *_ = finished(tmp_path, table=official, columns={"split": "set"}, holds=holds)
    plan = shakedown.design(dryrun=folder, wanted=0.01)
    assert plan.recommended == (300, 294, 6)
    (sentence,) = plan.boards["sentences"]
    assert sentence.startswith(
        f"{begin} the recommended split, which is about the one that was played (290 public rows): "
        f"{WORDS} is"
    )
    assert plan.boards["command"] == ""


def test_sets_that_are_too_small_for_a_dry_run_have_no_command(results):
    *_, sentence = shakedown.design(dryrun=results[0], wanted=0.01).boards["sentences"]
    assert "no command can: a dry run takes at least 10 rows in each set" in sentence


def test_without_a_split_to_recommend_the_one_that_was_played_is_told(results, tmp_path):
    plan = shakedown.design(dryrun=results[0], wanted=0.999)
    assert not plan.is_enough
    (sentence,) = plan.boards["sentences"]
    begin = "Measured for the split that was played (200 public rows): "
    assert sentence.startswith(f"{begin}{WORDS} is safe")
    none = {"recommended": None, "submissions": None, "holds": None}
    folder, *_ = finished(tmp_path, **none)
    (sentence,) = shakedown.design(dryrun=folder, wanted=0.999).boards["sentences"]
    assert sentence.endswith("(200 public rows): no board is known to be safe.")


def test_an_official_split_is_left_out_of_the_next_dry_run(tmp_path):
    official = TABLE.assign(set=np.repeat(["train", "public", "final"], [100, 100, 400]))
    folder, *_ = finished(tmp_path, table=official, columns={"split": "set"})
    plan = shakedown.design(dryrun=folder, wanted=0.3)
    words = shlex.split(plan.boards["command"])
    assert words[words.index("--ignore") + 1] == "set"
    assert "--split" not in words


def test_the_command_prints_it(results, capsys):
    assert not main(["design", "--dryrun", str(results[0]), "--wanted", "0.3"])
    out = capsys.readouterr().out
    assert f"Measured for the split that was played (200 public rows): {WORDS} is" in out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"response": "y"}, "dryrun: response is that of the dry run, and was given"),
        ({"data": TABLE}, "dryrun: data is that of the dry run, and was given"),
        ({"tolerated": -0.1}, "dryrun: tolerated is that of the dry run"),
        ({"ignore": ["a"]}, "dryrun: ignore is that of the dry run"),
        ({"dryrun": "results/none"}, "wanted the folder of a finished dry run, such as results/my"),
    ],
)
def test_what_a_dry_run_has_itself_is_refused(given, message, results):
    with pytest.raises(InputError, match=message):
        shakedown.design(**{"dryrun": results[0]} | given)


def test_results_may_lie_anywhere(tmp_path, monkeypatch):
    """A dry run was started beside its table; plans are made from elsewhere."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    folder, *_ = finished(home)
    config = json.loads((folder / "config.yaml").read_text())
    config["datasets"]["my"]["path"] = "my.csv"  # as if it was given so
    (folder / "config.yaml").write_text(json.dumps(config))
    commands = {}
    for name, place, path in (
        ("home", home, "results/my"), ("inside", folder, "."),
        ("beside", elsewhere, "../home/results/my"), ("absolute", elsewhere, folder),
    ):  # fmt: skip
        monkeypatch.chdir(place)
        commands[name] = shlex.split(shakedown.design(dryrun=path, wanted=0.3).boards["command"])[2]
    table = str(home / "my.csv")
    assert commands == {"home": "my.csv", "inside": table, "beside": table, "absolute": table}
    # Without the table the stored data still tell.
    (home / "my.csv").unlink()
    assert shakedown.design(dryrun=folder, wanted=0.3).boards["played"]["public"] == 200


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("recommendation.json", None, "which has no recommendation.json. Run"),
        ("config.yaml", None, "which has no config.yaml. Run"),
        ("recommendation.json", "{", "whose recommendation.json cannot be read"),
        ("recommendation.json", "{}", "whose recommendation.json cannot be read"),
        ("config.yaml", "dryrun: 3", "whose config.yaml cannot be used \\("),
        ("config.yaml", "extends: config/test.yaml", "which holds another study"),
        ("datasets/my.npz", None, "whose data set is missing or damaged"),
        ("datasets/my.npz", "", "whose data set is missing or damaged"),
    ],
)
def test_what_is_no_finished_dry_run_is_told_apart(name, text, message, tmp_path):
    folder, *_ = finished(tmp_path)
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    begin = f"dryrun: wanted the folder of a finished dry run, such as results/my; got {folder}, "
    with pytest.raises(InputError, match=begin + message):
        shakedown.design(dryrun=folder)
    with pytest.raises(InputError, match=f"none, no such folder in {tmp_path}"):
        shakedown.design(dryrun=tmp_path / "none")

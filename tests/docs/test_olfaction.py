"""The script of docs/olfaction.md, on made files of the shape of the published ones."""

import json
import runpy
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown import data
from shakedown.cli import main
from tests.docs.markdown import ROOT, blocks

PAGE = ROOT / "docs/olfaction.md"
WORDS = ["VALENCE/PLEASANTNESS", "BAKERY", "AMMONIA/URINOUS"]
AHEAD = ["Compound Identifier", "Odor", "Replicate", "Intensity", "Dilution", "subject #"]


def ratings(rng, molecules, intensities):
    """Ratings of three people, one line each."""
    lines = [(m, i, p) for m in molecules for i in intensities for p in range(3)]
    table = pd.DataFrame({"Compound Identifier": [m for m, _, _ in lines]})
    table[AHEAD[1:]] = [("name", None, i, "1/10", p) for _, i, p in lines]
    table[["INTENSITY/STRENGTH", *WORDS]] = rng.integers(0, 101, (len(lines), 4))
    return table


def test_the_script_writes_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "olfaction-prediction/data"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    train = ratings(rng, range(100, 120), ["low ", "high "])
    test = ratings(rng, range(300, 310), ["high"])
    train.to_csv(folder / "TrainSet.txt", sep="\t", index=False)
    test.to_csv(folder / "TestSet.txt", sep="\t", index=False)
    columns = ["Compound Identifier", "subject #", *WORDS]
    board = ratings(rng, range(200, 210), ["high"])[columns]
    board = board.rename(columns={"Compound Identifier": "#oID", "subject #": "individual"})
    board = board.rename(columns={"BAKERY": " BAKERY"})  # as one of the words there
    listed = board.melt(["#oID", "individual"], var_name="descriptor")
    listed.to_csv(folder / "LBs1.txt", sep="\t", index=False)

    (script,) = blocks(PAGE, "python")
    (tmp_path / "attributes.py").write_text(script, "utf-8")
    runpy.run_path("attributes.py")

    table = pd.read_csv("olfaction_attributes.csv", index_col="id")
    assert list(table.columns) == ["pleasantness", "bakery", "ammonia_urinous", "split"]
    assert table["split"].value_counts().to_dict() == {"train": 20, "leaderboard": 10, "test": 10}
    own = train[(train["Compound Identifier"] == 105) & (train["Intensity"] == "high ")]
    assert table.loc["CID105", "bakery"] == np.round(own["BAKERY"].mean(), 4)
    own = board[board["#oID"] == 203]
    assert table.loc["CID203", "bakery"] == np.round(own[" BAKERY"].mean(), 4)

    features = table[["pleasantness", "split"]].assign(
        **dict(zip("ab", rng.normal(size=(2, 40)), strict=True))
    )
    features.to_csv("olfaction_pleasantness.csv")
    entry = {
        "recipe": "table", "path": "olfaction_pleasantness.csv", "id": "id", "split": "split",
        "response_table": "olfaction_attributes.csv",
    }  # fmt: skip
    challenge = data.read("olfaction_pleasantness", entry, seed=1)
    assert challenge.cells.names == ("pleasantness", "bakery", "ammonia_urinous")
    assert challenge.features.tolist() == ["a", "b"]


@pytest.mark.slow
def test_its_commands_go_from_the_answer_to_a_winner(tmp_path, monkeypatch, capsys):
    """On fewer molecules, with the recommendation of a dry run that plays one board."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHAKEDOWN_DATABASE", raising=False)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 4))
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        id=[f"CID{k}" for k in range(150)],
        split=np.repeat(["train", "leaderboard", "test"], 50),
        pleasantness=50.0 + 10.0 * (X[:, 0] + rng.normal(size=150)),
    )
    table.to_csv("olfaction_pleasantness.csv.gz", index=False)
    digest = {"name": "digest", "eta": 0.25, "floor": 0.5, "every": 10, "updates": 2}
    run = shakedown.dry_run(
        "olfaction_pleasantness.csv.gz", response="pleasantness", id="id", split="split",
        mechanisms=[digest], submissions=20, largest_budget=20, fewest_replicates=36,
        most_replicates=36, honest_replicates=2, require="measured",
    )  # fmt: skip
    folder = Path("results/olfaction_one")
    folder.mkdir(parents=True)
    (folder / "recommendation.json").write_text(json.dumps(run.recommendation))
    final = table[table["split"] != "train"]
    for team, error in (("ada", 3.0), ("bob", 9.0)):
        prediction = final["pleasantness"] + error * rng.normal(size=100)
        file = pd.DataFrame({"id": final["id"], "prediction": prediction})
        file.to_csv(f"{team}.csv", index=False)

    text = PAGE.read_text("utf-8").partition("## From the answer to a winner")[2]
    lines = text.partition("\n## ")[0].replace("\\\n", " ").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("shakedown ")]
    assert [words[:2] for words in commands][-1] == ["winner", "olfaction_pleasantness.csv.gz"]
    for words in commands:
        assert not main(words), words
    said = capsys.readouterr().out
    decision = Path("final/winner.txt").read_text("utf-8")
    assert "Team Ada wins: MSE" in decision
    assert "ada wins: MSE" in said
    assert pd.read_csv("final/final.csv")["team"].tolist() == ["Team Ada", "Team Bob"]

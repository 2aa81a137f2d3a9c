"""The script of docs/olfaction.md, on made files of the shape of the published ones."""

import runpy

import numpy as np
import pandas as pd

from shakedown import data
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

"""The adapter of Synapse, run as its workflow runs it: in folders of its own, and a mock client."""

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from shakedown.live.adapter_folder import SECRET, write
from shakedown.live.live_board import LiveBoard
from tests import warm_python
from tests.live.test_live_board import board, submissions
from tests.live.test_scoring import predictions

# Of the client, what the adapter uses: submissions by id, and a talkative login.
CLIENT = """
import json, os

class Synapse:
    def __init__(self, configPath=None):
        self._token = open(configPath).read()

    def login(self, silent=False):
        print("Welcome! token", self._token)
        if "expired" in self._token:
            raise RuntimeError("403 " + self._token)

    def getSubmission(self, id, downloadFile=True):
        assert not downloadFile
        return json.loads(os.environ["SUBMISSIONS"])[str(id)]
"""
SUBMISSIONS = {
    "9701": {"id": "9701", "userId": "11", "teamId": "77", "evaluationId": "1"},
    "9702": {"id": "9702", "userId": "12", "teamId": "77", "evaluationId": "1"},
    "9703": {"id": "9703", "userId": "13", "evaluationId": "1"},
}


@pytest.fixture
def workflow(tmp_path):
    """The organiser's folder, as `shakedown board adapter synapse` writes it."""
    board(tmp_path)
    write("synapse", tmp_path / "challenge", f"sqlite:///{tmp_path}/board.db")
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "synapseclient.py").write_text(CLIENT)
    (tmp_path / "synapseConfig").write_text("t0ken")
    return tmp_path


def run(folder, submission, predictions, *extra, truth=None, step="step"):
    """Run score.py in a working folder with a copy of it, as the step's InitialWorkDir does."""
    place = folder / step
    place.mkdir()
    shutil.copy(folder / "challenge" / "evaluation" / "score.py", place)
    paths = [str(Path(__file__).parents[2] / "src"), str(folder / "client")]
    done = subprocess.run(
        [warm_python.program(), "score.py", "-p", str(predictions), "-g",
         str(truth or folder / "challenge" / SECRET), "-s", str(submission), "-c",
         str(folder / "synapseConfig"), "-o", "results.json", *extra],
        cwd=place, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": ":".join(paths), "SUBMISSIONS": json.dumps(SUBMISSIONS)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = (place / "results.json").read_text()
    for secret in (str(folder), "t0ken", "board.db", "Traceback"):
        assert secret not in text
    return json.loads(text)


def test_a_submission_is_validated_and_scored_once_under_its_id(workflow):
    file = predictions(workflow)
    checked = run(workflow, 9701, file, "--validate", step="validate")
    assert checked == {"submission_status": "VALIDATED", "submission_errors": ""}
    scored = run(workflow, 9701, file, step="score")
    live = LiveBoard.open(f"sqlite:///{workflow}/board.db")
    first = live.submit("77", submissions()[0], "synapse-9701")
    assert scored == {
        "submission_status": "SCORED", "submission_errors": "", "mse": first.score,
        "submission_number": 1, "submission_note": "",
    }  # fmt: skip
    assert live.submit("77", submissions()[1], "synapse-9702").number == 2
    assert live.audit() == []


@pytest.mark.parametrize(("step", "last"), [("score", "board"), ("validate", "--validate")])
def test_a_step_is_a_tool_that_names_the_board_and_each_option(step, last, workflow):
    tool = yaml.safe_load((workflow / "challenge" / "steps" / f"{step}.cwl").read_text())
    prefixes = {
        entry["inputBinding"]["prefix"] for entry in tool["inputs"] if "inputBinding" in entry
    }
    assert prefixes == {"-p", "-g", "-s", "-c"}
    fixed = tool["arguments"][-1]
    assert (fixed if step == "validate" else fixed["valueFrom"]) == last
    assert tool["arguments"][1] == {"prefix": "-b", "valueFrom": "board"}
    given = {entry["id"] for entry in tool["outputs"]}
    assert given == {"results", "status"} | ({"invalid_reasons"} if step == "validate" else set())


def test_two_members_of_a_team_at_once_are_one_team(workflow):
    files = [predictions(workflow, k) for k in range(2)]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(
            lambda k: run(workflow, 9701 + k, files[k], step=f"step{k}"), range(2)
        ))  # fmt: skip
    assert {result["submission_number"] for result in both} == {1, 2}


def test_a_file_with_an_error_is_invalid_with_its_message(workflow):
    missing = run(workflow, 9703, workflow / "none.csv", step="score")
    assert missing == {
        "submission_status": "INVALID", "submission_errors": "There is no file of predictions.",
    }  # fmt: skip
    LiveBoard.open(f"sqlite:///{workflow}/board.db").close()
    checked = run(workflow, 9703, predictions(workflow), "--validate", step="validate")
    assert checked["submission_status"] == "INVALID"
    assert checked["submission_errors"].startswith("The board closed ")


@pytest.mark.parametrize(
    ("breakage", "said"),
    [
        ("database", "The board cannot be used."),
        ("address", "The scoring program was given no database."),
        ("submission", "Synapse did not say whose submission it is."),
        ("login", "Synapse did not say whose submission it is."),
    ],
)
def test_what_the_platform_lacks_is_one_short_sentence(breakage, said, workflow):
    if breakage == "database":
        (workflow / "board.db").unlink()
    if breakage == "login":
        (workflow / "synapseConfig").write_text("expired t0ken")
    empty = workflow / "empty"
    empty.write_text("")
    result = run(
        workflow, 1 if breakage == "submission" else 9701, predictions(workflow),
        truth=empty if breakage == "address" else None,
    )  # fmt: skip
    assert set(result) == {"submission_status", "submission_errors"}
    assert result["submission_status"] == "INVALID"
    assert result["submission_errors"].startswith(said)
    assert len(result["submission_errors"]) < 200

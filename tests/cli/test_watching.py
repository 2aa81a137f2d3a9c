"""What a run tells of itself while it goes on, and how one replicate is played alone."""

import io
import json
import time

import numpy as np
import pandas as pd
import pytest
import yaml

from shakedown.cli import main
from shakedown.cli.record import Record
from shakedown.cli.status import last_error
from shakedown.cli.watching import MARK, Watched
from shakedown.config import complete
from shakedown.data import read
from shakedown.data.store import save
from shakedown.simulation.replicate import Experiment, play
from tests.cli.studies import STUDY

WHOLE = complete(STUDY)


def event(kind, **fields):
    """A line of the logger."""
    return MARK + json.dumps({"event": kind, **fields})


#: What a run writes: events, as the logger tells them, and the progress of jobs.
BEGUN = [
    event("begun", job=5, message="Making the data set sim"),
    event("ended", job=5),
    event("steps", done=1, total=7),
    event("begun", job=6, message="Playing free on sim (permuted), chunk 1"),
    event("begun", job=4, message="Playing free on sim (permuted), chunk 0"),
    "free / sim / permuted: 1 of 2 replicates, about 13 s left",
]
FAILED = [
    event("failed", job=4, logs=["logs/0.log", "logs/slurm.log"]),
    "Error in rule play_experiment:",
    "    jobid: 6",
    "    log: logs/1.log (check log file(s) for error details)",
]
LOG = """\
free / sim / permuted: 1 of 2 replicates, about 13 s left
Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'inner'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
    fit(
ZeroDivisionError: no luck
In replicate 1 of free on sim (permuted).
"""


class Unlucky:
    """A model that fails on some training data."""

    def fit(self, X, y):
        if y[0] < 0:
            raise ZeroDivisionError("no luck")
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.fixture(autouse=True)
def study(tmp_path, monkeypatch):
    """The study, with its data set, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    (tmp_path / "results/tiny/datasets").mkdir(parents=True)
    challenge = read("sim", WHOLE["datasets"]["sim"], seed=WHOLE["seed"])
    save(challenge, tmp_path / "results/tiny/datasets/sim.npz")
    return challenge


def said(capsys, *arguments, code=0):
    assert main(arguments) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


def test_the_state_follows_the_events_of_snakemake():
    watched = Watched()
    kinds = [watched.take(line) for line in BEGUN]
    assert kinds == ["begun", "ended", "steps", "begun", "begun", "replicates"]
    assert (watched.done, watched.steps) == (1, 7)
    assert list(watched.jobs.values()) == [
        "Playing free on sim (permuted), chunk 1",
        "Playing free on sim (permuted), chunk 0",
    ]
    assert watched.last == BEGUN[-1] == watched.fields["jobs"][-1]
    assert [watched.take(line) for line in FAILED] == ["failed", None, None, None]
    assert list(watched.jobs) == [6]
    assert watched.log == "logs/0.log"


@pytest.mark.parametrize(
    "line", ["Job 5: Playing", "1 of 7 steps (14%) done", "Finished jobid: 5 (Rule: a)"]
)
def test_the_prose_of_snakemake_is_text_and_no_more(line):
    watched = Watched()
    assert watched.take(line) is None
    assert watched == Watched()


def test_an_event_that_a_job_has_written_into_is_text():
    watched = Watched()
    assert watched.take(BEGUN[0][:20] + "noise" + BEGUN[0][20:30]) is None
    assert watched == Watched()


def test_the_first_refusal_of_an_input_is_kept(tmp_path):
    logs = {
        "0": "Traceback (most recent call last):\n  File x\nKeyError: 1\n",
        "1": "Traceback (most recent call last):\n  File x\n"
        "shakedown.interface.InputError: Data set a: 1 row left.\nIn replicate 1 of a.\n",
        "2": "Traceback (most recent call last):\n  File x\nshakedown.interface.InputError: b\n",
    }
    watched = Watched()
    for name, text in logs.items():
        (tmp_path / name).write_text(text)
        watched.take(event("failed", job=1, logs=[str(tmp_path / name)]))
    assert watched.refused == "Data set a: 1 row left."
    assert watched.log == str(tmp_path / "2")


def test_a_lock_is_told_from_other_errors():
    watched = Watched()
    watched.take(event("error", exception="WorkflowError"))
    assert not watched.locked
    watched.take(event("error", exception="LockException"))
    assert watched.locked


def test_status_shows_running_jobs_rate_and_time_left(capsys):
    watched = Watched()
    for line in BEGUN:
        watched.take(line)
    record = Record("tiny")
    record.write(config="study.yaml", pid=1, state="running", started=time.time() - 600)
    record.write(**watched.fields)
    with record.running():
        first, *jobs = said(capsys, "status", "tiny").splitlines()
    assert "1 of 7 steps done in 10 min, 0.1 a minute; about 60 min left at this rate" in first
    assert jobs == [f"  {job}" for job in watched.fields["jobs"]]
    assert said(capsys, "status", "tiny").count("\n") == 1  # killed: nothing runs any more


def test_status_shows_the_last_error_and_the_command_that_plays_its_replicate(capsys, tmp_path):
    (tmp_path / "0.log").write_text(LOG)
    Record("tiny").write(config="my study.yaml", state="failed", done=1, steps=7, log="0.log")
    assert said(capsys, "status", "tiny").splitlines()[1:] == [
        "The last error is in 0.log",
        "  ZeroDivisionError: no luck",
        "  In replicate 1 of free on sim (permuted).",
        "It alone, again:",
        "  shakedown replicate 'my study.yaml' free 1 --dataset sim --design permuted",
    ]


def test_an_error_without_stack_or_log_is_told_as_far_as_it_is_known(tmp_path):
    (tmp_path / "a.log").write_text("Making it\nKilled\n")
    assert last_error(tmp_path / "a.log") == ["Killed"]
    assert last_error(tmp_path / "b.log") == []


def test_a_replicate_alone_has_the_outcomes_that_it_has_in_the_study(capsys, study):
    experiment = Experiment(
        "free", WHOLE["experiments"]["free"], study, "permuted", seed=WHOLE["seed"]
    )
    among = play(experiment, range(4))
    alone = pd.read_csv(io.StringIO(said(capsys, "replicate", "study.yaml", "free", "2")))
    wanted = among[among["replicate"] == 2]
    assert list(alone["setting"]) == list(wanted["setting"])
    np.testing.assert_allclose(alone["delta"], wanted["delta"], rtol=1e-12)


def test_an_error_names_its_replicate(study):
    entry = WHOLE["experiments"]["free"] | {
        "attack": {"name": "best_of_many", "rounds": [2]},
        "model": f"{__name__}.Unlucky",
    }
    experiment = Experiment("free", entry, study, "permuted", seed=1)
    with pytest.raises(ZeroDivisionError) as caught:
        play(experiment, range(20))
    (note,) = caught.value.__notes__
    number = int(note.split()[2])
    assert note == f"In replicate {number} of free on sim (permuted)."
    with pytest.raises(ZeroDivisionError):
        play(experiment, [number])
    if number:
        play(experiment, range(number))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fre", "0"], "Wanted one experiment of the study: free; got fre. Did you mean 'free'?"),
        (["free", "-1"], "NUMBER: wanted a replicate, from 0; got '-1'."),
        (["free", "0", "--design", "splits"], "one design of the study (option --design): perm"),
        (["free", "0", "--dataset", "sin"], "Did you mean 'sim'?"),
    ],
)
def test_what_is_not_in_the_study_is_refused(words, message, capsys):
    assert message in said(capsys, "replicate", "study.yaml", *words, code=2)


def test_data_that_have_not_been_made_are_named(capsys, tmp_path):
    (tmp_path / "results/tiny/datasets/sim.npz").unlink()
    text = said(capsys, "replicate", "study.yaml", "free", "0", code=2)
    assert "results/tiny/datasets/sim.npz has not been made" in text
    assert "shakedown reproduce study.yaml" in text


@pytest.mark.parametrize("told", ["1 replicate", "40 replicates", "3 of 4 replicates"])
def test_the_progress_of_a_job_that_stops_by_time_is_read_too(told):
    watched = Watched()
    line = f"my, job 1 of 2: {told}, about 50 s left"
    assert watched.take(line) == "replicates"
    assert watched.replicates == {"my, job 1 of 2": line}

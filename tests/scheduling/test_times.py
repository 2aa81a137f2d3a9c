"""The time of each job: recorded in its log, tried with its games, or guessed."""

import os
import warnings

import pytest

from shakedown.config import complete
from shakedown.scheduling import times as module
from shakedown.scheduling.times import JOB, START, Time
from shakedown.simulation.cost import shapes
from tests.workflow.studies import tiny


def times(config, logs, folder):
    return module.times(config, shapes(config), logs, folder, since=1000.0, cores=2)


STEP = "play_experiment/step.log"


@pytest.fixture
def tried(monkeypatch):
    """The experiments that were tried, each of which takes a second."""
    asked = []
    monkeypatch.setattr(module, "trial", lambda game: asked.append((game.name, game.design)) or 1.0)
    return asked


def test_a_job_takes_as_long_as_its_games(tried, tmp_path):
    # `free` plays 4 replicates on each data set, in chunks of 3; `step` 4, of which 3 are traced.
    chunks = [
        f"play_experiment/free/{data}/splits/{k}.log" for data in ("sim", "sugar") for k in "01"
    ]
    known = times(complete(tiny()), [*chunks, STEP, "trace_experiment.log"], tmp_path)
    assert list(known.values()) == [Time(START + n, "tried") for n in (3, 1, 3, 1, 4, 3)]
    assert tried == [("free", "splits"), ("free", "splits"), ("step", "permuted")]


@pytest.mark.parametrize(
    ("text", "changed", "time"),
    [
        ("step: 4 of 4\ntook 12.5 CPU s and 100 MiB at most\n", 1001, Time(12.5, "recorded")),
        ("took 12.5 CPU s\n", 999, Time(START + 4, "tried")),  # of another configuration
        ("took 12.5 CPU s\nKeyError: 5\n", 1001, Time(START + 4, "tried")),
        ("", 1001, Time(START + 4, "tried")),
    ],
)
def test_the_log_of_a_job_that_ended_tells_its_time(text, changed, time, tried, tmp_path):
    log = tmp_path / STEP
    log.parent.mkdir()
    log.write_text(text)
    os.utime(log, (changed, changed))
    assert times(complete(tiny()), [STEP], tmp_path)[STEP] == time
    assert len(tried) == (time.known == "tried")


def test_a_cell_of_boards_is_guessed_by_its_size(tmp_path):
    """As the cells of config/boards.yaml took, within a factor of two."""
    boards = {"mechanisms": [{"name": "full_disclosure"}]}
    took = {"50_1000": 41, "209_1000": 90, "1000_1000": 175, "5000_1000": 415, "5000_300": 45}
    logs = [f"compare_boards/{cell}.log" for cell in took]
    known = times(complete({"study": "beside", "boards": boards}), logs, tmp_path)
    for time, seconds in zip(known.values(), took.values(), strict=True):
        assert time.known == "guessed"
        assert seconds / 2 < time.seconds < 2 * seconds


def test_data_sets_are_made_without_a_word_and_the_rest_is_guessed(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made, rest = times(complete(tiny()), ["make_dataset/sim.log", "a.log"], tmp_path).values()
    assert START < made.seconds < START + 5
    assert (made.known, rest) == ("tried", Time(JOB, "guessed"))


def test_the_jobs_of_a_dry_run_play_for_as_long_as_they_may(tmp_path):
    config = {"study": "s", "seed": 1, "datasets": {"d": {"recipe": "diabetes"}}}
    config = complete(config | {"dryrun": {"dataset": "d", "minutes": 3, "jobs": 4}})
    known = times(config, ["play_share/3.log"], tmp_path)
    assert list(known.values()) == [Time(90, "at most")]

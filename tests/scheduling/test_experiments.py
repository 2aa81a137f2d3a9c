"""Which job plays what: every replicate of every experiment once, in jobs of a sensible size."""

from itertools import product
from math import ceil

import pytest

from shakedown.config import complete
from shakedown.scheduling import experiments
from shakedown.scheduling.resources import job_memory
from shakedown.simulation import cost
from shakedown.simulation.cost import shapes
from tests.workflow.studies import tiny


@pytest.fixture
def config():
    """A study with a large experiment (`free`, 2 chunks on each data set) and a small one."""
    return complete(tiny())


def several(config, number, part, monkeypatch):
    """As many small experiments, each of which has some part of the work for a job."""
    entry = config["experiments"]["step"]
    config["experiments"] = {f"small_{k}": dict(entry) for k in range(number)}
    monkeypatch.setattr(cost, "experiment", lambda *_: (part * experiments.ENOUGH, 0))
    return config


def test_a_large_experiment_has_a_file_for_each_data_set_design_and_chunk(config):
    assert experiments.large(config) == ["free"]
    assert experiments.chunk_files(config, "free") == [
        "chunks/free/sim/splits/0.parquet",
        "chunks/free/sim/splits/1.parquet",
        "chunks/free/sugar/splits/0.parquet",
        "chunks/free/sugar/splits/1.parquet",
    ]


def test_an_experiment_is_large_if_it_fills_more_than_one_job(config):
    free = config["experiments"]["free"]
    free["replicates_per_job"] = 8  # 2 data sets of 4 replicates
    assert experiments.large(config) == []
    free["replicates_per_job"] = 7
    assert experiments.large(config) == ["free"]
    free["replicates_per_job"] = None
    config["replicates_per_job"] = 8
    assert experiments.large(config) == []


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_chunks_play_every_replicate_once(size, config):
    config["experiments"]["free"]["replicates_per_job"] = size
    played = []
    for file in experiments.chunk_files(config, "free"):
        _, name, dataset, design, chunk = file.removesuffix(".parquet").split("/")
        (game,) = experiments.chunk_games(config, name, dataset, design, chunk).values()
        assert (game["datasets"], game["designs"]) == ([dataset], [design])
        first, last = game["replicates"]
        assert 0 < last - first <= size
        played += product([dataset], range(first, last))
    assert sorted(played) == sorted(product(["sim", "sugar"], range(4)))


def test_only_what_decides_a_game_goes_with_it(config):
    (game,) = experiments.games(config, ["step"]).values()
    settings = game["settings"]
    assert list(settings) == list(experiments.DECIDING)
    assert settings["attack"] == config["experiments"]["step"]["attack"]
    config["experiments"]["step"].update(traced=1, replicates_per_job=1)
    assert experiments.games(config, ["step"]) == {"step": game}


def test_a_small_job_plays_its_experiments_whole(config):
    sized = shapes(config)
    (job,) = experiments.small_jobs(config, sized)
    assert (job.name, job.experiments, job.datasets) == ("step", ["step"], ["sim"])
    assert job.games == experiments.games(config, ["step"])
    assert job.games["step"]["replicates"] == [0, 4]
    assert job.memory == job_memory(sized, ["sim"])


def test_small_experiments_share_a_job_until_it_is_long_enough(config, monkeypatch):
    config = several(config, 5, 0.4, monkeypatch)
    jobs = experiments.small_jobs(config, shapes(config))
    assert {job.name: job.experiments for job in jobs} == {
        "small_0": ["small_0", "small_1"],
        "small_2": ["small_2", "small_3"],
        "small_4": ["small_4"],
    }
    assert [job.priority for job in jobs] == [26, 26, 14]


def test_a_short_experiment_fills_a_gap_that_an_earlier_job_has_left(config, monkeypatch):
    config = several(config, 3, 1.0, monkeypatch)
    for name, replicates in {"small_0": 25, "small_1": 20, "small_2": 5}.items():
        config["experiments"][name].update(replicates=replicates, replicates_per_job=100)
    each = experiments.ENOUGH // 30
    monkeypatch.setattr(cost, "experiment", lambda entry, _: (entry["replicates"] * each, 0))
    jobs = experiments.small_jobs(config, shapes(config))
    assert [job.experiments for job in jobs] == [["small_0", "small_2"], ["small_1"]]


def test_jobs_of_large_experiments_have_the_priority_of_their_mean_work(config, monkeypatch):
    monkeypatch.setattr(cost, "experiment", lambda *_: (200 * experiments.URGENT, 0))
    # In ceil(8 / 3) jobs.
    assert experiments.chunk_priority(config, shapes(config)) == 1 + 201 // ceil(8 / 3)
    config["experiments"].pop("free")
    assert experiments.chunk_priority(config, shapes(config)) == 2


def test_data_sets_of_several_experiments_are_listed_once(config):
    assert experiments.data_of(config, ["step", "free"]) == ["sim", "sugar"]
    assert experiments.data_of(config, []) == []


def test_as_many_replicates_are_traced_as_there_are(config):
    games = experiments.traced_games(config, ["step"])
    assert games["step"]["replicates"] == 3
    assert games["step"]["designs"] == ["permuted"]
    config["experiments"]["step"]["traced"] = 9
    assert experiments.traced_games(config, ["step"])["step"]["replicates"] == 4


def test_predictions_are_released_in_the_order_of_their_names(config):
    steady = config["release_variability"]["steady"]
    config["release_variability"] = {"b": steady, "a": {**steady, "dataset": "sugar"}}
    assert list(experiments.released(config)) == ["a", "b"]
    recipes = {name: config["datasets"][name] for name in ("sim", "sugar")}
    assert experiments.released_data(config) == recipes
    config["release_variability"].pop("a")
    assert list(experiments.released_data(config)) == ["sim"]


def test_outcomes_are_checked_against_what_was_asked(config):
    assert experiments.checked_settings(config)["free"] == {
        "datasets": ["sim", "sugar"],
        "designs": ["splits"],
        "metric": "mse",
        "replicates": 4,
    }


def test_the_memory_of_a_job_is_that_of_its_largest_data_set(config):
    sized = shapes(config)
    assert job_memory(sized, []) == job_memory(sized, ["sim"]) == 1000
    sized["wide"] = sized["sim"]._replace(rows=1000, features=100_000)
    assert job_memory(sized, ["sim", "wide"]) == job_memory(sized, ["wide"])
    assert job_memory(sized, ["wide"]) == ceil(4 * cost.memory(sized["wide"]) / 3)

"""What a study takes that can be counted before it starts: rows of outcomes, work, memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from shakedown import data
from shakedown.data.job import most_memory
from shakedown.interface import Shape
from shakedown.simulation import cost
from shakedown.simulation.replicate import Experiment, play

ROOT = Path(__file__).parents[2]
RECIPE = {"recipe": "simulated", "rows": 90, "features": 12}
LABELS = {"recipe": "labels", "public": 200, "final": 60}
ENTRIES = [{"name": "full_disclosure"}, {"name": "ladder", "alpha": [0.15, 0.5]}]


@pytest.mark.parametrize(
    ("recipe", "design", "metric", "attack", "features"),
    [
        (RECIPE, "splits", "mse", {"name": "freedman", "largest_model": 4}, 8),
        (RECIPE, "permuted", "mse", {"name": "freedman"}, None),  # fewer features than 30
        (RECIPE, "permuted", "mse", {"name": "step_forward", "iterations": 3}, 8),
        (RECIPE, "permuted", "mse", {"name": "best_of_many", "rounds": [5, 9]}, 8),
        (RECIPE, "splits", "mse", {"name": "linear_probe", "submissions": 9, "points": [3, 5]}, 8),
        (LABELS, "labels", "zero_one", {"name": "boosting", "submissions": 1000}, None),
    ],
)
def test_rows_are_those_of_a_replicate(recipe, design, metric, attack, features):
    settings = {"metric": metric, "attack": attack, "mechanisms": ENTRIES, "features": features}
    challenge = data.read("d", recipe, seed=1)
    played = play(Experiment("e", settings, challenge, design, seed=1), [0])
    shape = data.made("d", recipe).planned_shape(Path("."))
    assert (shape.rows, shape.features) == challenge.X.shape
    entry = settings | {"datasets": ["d"], "designs": [design], "replicates": 7}
    assert cost.experiment(entry, {"d": shape})[1] == 7 * len(played)


def test_a_table_tells_its_size_without_being_read(tmp_path):
    lines = ["id,y,a,b", *(f"{i},{i % 7},{i % 5},{i % 3}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    recipe = {"recipe": "table", "path": "t.csv", "response": "y", "id": "id"}
    assert data.made("t", recipe).planned_shape(tmp_path) == Shape(60, 2)


ENTRY = {
    "datasets": ["d"],
    "designs": ["splits"],
    "attack": {"name": "staircase", "submissions": 50},
    "replicates": 10,
    "mechanisms": ENTRIES,
}


def work(**changes):
    return cost.experiment(ENTRY | changes, {"d": Shape(90, 12), "e": Shape(90, 12)})[0]


def test_work_grows_with_replicates_boards_data_and_submissions():
    usual = work()
    assert work(replicates=40) == 4 * usual
    assert (
        work(mechanisms=[{"name": "ladder", "alpha": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}]) == 2 * usual
    )
    assert work(datasets=["d", "e"]) == work(designs=["splits", "permuted"]) == 2 * usual
    assert usual < work(attack={"name": "staircase", "submissions": 60}) < 1.2 * usual


def test_an_adversary_decides_after_each_score():
    batch = {"name": "best_of_many", "rounds": [50]}
    assert work() > 4 * work(attack=batch) > 0


def test_memory_and_disk_grow_with_the_table():
    few, many = cost.memory(Shape(1000, 1000)), cost.memory(Shape(2000, 5000))
    assert many - few == pytest.approx(cost.HELD * 8 * 9e6 / 2**20, abs=1)
    empty = {"experiments": {}, "figures": {}, "dryrun": {}, "replay": {}, "boards": None}
    disk = [cost.disk(empty, {"d": Shape(rows, 12)}) for rows in (90, 190)]
    assert disk[1] - disk[0] == 8 * 100 * 12
    assert cost.disk(empty | {"figures": {"a": {}, "b": {}}}, {}) == 2 * cost.FIGURE


PEAK = """
import sys
from pathlib import Path
from shakedown import data
from shakedown.data.job import most_memory
from shakedown.data.store import load, save
from shakedown.simulation.replicate import Experiment, play

def peak(size):
    recipe = {"recipe": "simulated", "rows": size, "features": size}
    settings = {
        "metric": "mse", "attack": {"name": "step_forward", "iterations": 3},
        "mechanisms": [{"name": "full_disclosure"}, {"name": "ladderboot", "alpha": 0.15, "b": 10}],
    }
    save(data.read("d", recipe, seed=1), Path(sys.argv[1], "d.npz"))
    challenge = load(Path(sys.argv[1], "d.npz"))
    play(Experiment("e", settings, challenge, "splits", seed=1), [0, 1])
    return most_memory()

print(*(peak(int(size)) for size in sys.argv[2:]))
"""


def peaks(folder, *sizes):
    """Bytes that a process has held at most after it has played data sets of these sizes."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(folder), *map(str, sizes)],
        capture_output=True, text=True, cwd=ROOT, check=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return [int(peak) for peak in done.stdout.split()]


TOLD = pytest.mark.skipif(most_memory() is None, reason="the system does not tell the memory")


@TOLD
@pytest.mark.slow
def test_a_job_holds_the_table_few_times(tmp_path):
    before, after = peaks(tmp_path, 60, 2000)
    assert after - before < 1.1 * cost.HELD * 8 * 2000**2


@TOLD
@pytest.mark.full
def test_a_job_with_5000_rows_and_features_takes_less_than_a_gibibyte(tmp_path):
    assert peaks(tmp_path, 5000)[0] < 2**30

"""A trial tells what a replicate takes: the first one, which may compile, does not count."""

import pytest

from shakedown import data
from shakedown.simulation import trial
from shakedown.simulation.replicate import Experiment


@pytest.mark.parametrize(("each", "number"), [(0.03, 4), (7.0, 1)])
def test_it_is_the_mean_of_all_replicates_but_the_first(each, number, monkeypatch):
    challenge = data.read("d", {"recipe": "simulated", "rows": 60, "features": 5}, seed=1)
    attack, boards = {"name": "freedman", "largest_model": 2}, [{"name": "full_disclosure"}]
    settings = {"metric": "mse", "attack": attack, "mechanisms": boards}
    experiment = Experiment("e", settings, challenge, "permuted", seed=1)
    now, numbers, real = [0.0], [], experiment.plays

    def plays(replicate):
        numbers.append(replicate)
        now[0] += each if replicate else 60.0  # the first one compiles
        return real(replicate)

    monkeypatch.setattr(experiment, "plays", plays)
    monkeypatch.setattr(trial, "process_time", lambda: now[0])
    assert trial.trial(experiment) == pytest.approx(each)
    assert numbers == list(range(number + 1))

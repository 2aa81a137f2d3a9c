"""The configuration of a dry run: what it may hold, and how one is written for a table."""

import pytest
import yaml

from shakedown.configuration import complete
from shakedown.configuration.dryrun import main
from shakedown.interface import InputError

from .studies import ROOT, SCHEMA, study

SIM = {"recipe": "simulated", "rows": 60, "features": 10}


def dry(**changes):
    config = {"study": "dry", "datasets": {"sim": SIM}, "dryrun": {}}
    return {**config, **changes}


def completed(config):
    return complete(config, SCHEMA, base=ROOT)


def test_every_setting_of_a_dry_run_has_a_default():
    dryrun = completed(dry())["dryrun"]
    assert dryrun["submissions"] == 500
    assert dryrun["dataset"] is dryrun["thresholds"] is dryrun["mechanisms"] is None


def test_the_template_is_valid():
    template = yaml.safe_load((ROOT / "config/dryrun.yaml").read_text("utf-8"))
    assert completed(template)["dryrun"]["metric"] == "mse"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dryrun": None}, "wanted `experiments`, or a `dryrun`; got neither"),
        ({"experiments": study()["experiments"]}, "has no experiments of its own"),
        ({"claims": "workflow/claims.yaml"}, "has no claims of its own"),
        ({"datasets": {"sim": SIM, "other": SIM}}, "wanted one of the 2 data sets (sim, other)"),
        ({"dryrun": {"dataset": "sin"}}, "'sin' is not known. Did you mean 'sim'?"),
        ({"dryrun": {"thresholds": [0.05]}}, "thresholds[0]: wanted a number below 0; got 0.05"),
        ({"dryrun": {"quantile": 0.7}}, "quantile: wanted a number above 0 and at most 0.5"),
        ({"dryrun": {"submision": 5}}, "Did you mean 'submissions'?"),
        (
            {"dryrun": {"fewest_replicates": 50, "most_replicates": 40}},
            "fewest_replicates: wanted at most most_replicates, which is 40; got 50",
        ),
        ({"dryrun": {"metric": "zero_one"}}, "dryrun: metric 'zero_one' compares labels"),
        (
            {"dryrun": {"metric": "ccc", "mechanisms": [{"name": "ladder", "alpha": 0.15}]}},
            "dryrun: gate 'paired_t_test' tests losses row by row",
        ),
        ({"dryrun": {"model": "sklearn.nowhere.Nothing"}}, "dryrun: model 'sklearn.nowhere"),
    ],
)
def test_each_mistake_gives_one_message(changes, message):
    with pytest.raises(InputError) as caught:
        completed(dry(**changes))
    assert message in str(caught.value)


def test_a_configuration_is_written_for_a_table(tmp_path):
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "2-my data.csv.gz").write_bytes(b"")
    given = ["--data", "2-my data.csv.gz", "--response", "y", "--metric", "mae", "--minutes", ".5"]
    path = main([*given, "--thresholds=-0.1,-2e-3", "--id", ""], base=tmp_path)
    assert path == tmp_path / "results/table_2_my_data/config.yaml"
    written = yaml.safe_load(path.read_text("utf-8"))
    assert written["datasets"] == {
        "diabetes": None,
        "table_2_my_data": {"recipe": "table", "path": "2-my data.csv.gz", "response": "y"},
    }
    assert written["dryrun"] == {"metric": "mae", "minutes": 0.5, "thresholds": [-0.1, -0.002]}


def test_what_is_written_is_a_valid_configuration(tmp_path):
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "mine.csv").write_text("y,x\n1,2\n")
    path = main(["--data", str(tmp_path / "mine.csv"), "--response", "y"], base=tmp_path)
    config = completed(yaml.safe_load(path.read_text("utf-8")))
    assert list(config["datasets"]) == ["mine"]
    assert config["dryrun"]["minutes"] == 3

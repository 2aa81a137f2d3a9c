"""The configuration of a dry run: what it may hold, and how one is written for a table."""

import numpy as np
import pandas as pd
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
        ({"dryrun": None}, "wanted `experiments`, a `dryrun` or a `replay`; got none"),
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


@pytest.fixture
def base(tmp_path):
    """A folder like the project's, with a table in it."""
    for name in ("config", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.standard_normal((40, 4)), columns=["a", "b", "site", "y"])
    table.to_csv(tmp_path / "2-my data.csv.gz", index=False)
    return tmp_path


def written(base, *options, data="2-my data.csv.gz", response="y"):
    path = main(["--data", str(base / data), "--response", response, *options], base=base)
    return path, yaml.safe_load(path.read_text("utf-8"))


def test_a_configuration_is_written_for_a_table(base):
    options = ["--metric", "mae", "--minutes", ".5", "--thresholds=-0.1,-2e-3", "--id", ""]
    path, config = written(base, *options, "--ignore", "site, b", "--days", "7")
    assert path == base / "results/table_2_my_data/config.yaml"
    table = {"recipe": "table", "path": str(base / "2-my data.csv.gz"), "response": "y"}
    assert config["datasets"] == {
        "diabetes": None,
        "table_2_my_data": {**table, "ignore": ["site", "b"]},
    }
    settings = {"metric": "mae", "days": 7, "minutes": 0.5, "thresholds": [-0.1, -0.002]}
    assert config["dryrun"] == settings
    whole = completed(config)
    assert list(whole["datasets"]) == ["table_2_my_data"]
    assert whole["dryrun"]["submissions"] == 500


def test_a_study_can_have_another_name_than_its_table(base):
    path, config = written(base, "--study", "again")
    assert path == base / "results/again/config.yaml"
    assert config["study"] == "again"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--thresholds", "5%"], "THRESHOLDS: wanted a number, got '5%'"),
        (["--submissions", "many"], "SUBMISSIONS: wanted a number, got 'many'"),
        (["--thresholds", "5"], "thresholds[0]: wanted a number below 0; got 5"),
        (["--metric", "RMSE"], "Did you mean 'rmse'?"),
        (["--ignore", "nothing"], "nothing"),
        (["--study", "my study"], "letters, digits and underscores"),
    ],
)
def test_what_cannot_be_played_is_said_before_anything_is_written(base, options, message):
    with pytest.raises(InputError) as caught:
        written(base, *options)
    assert message in str(caught.value)
    assert not (base / "results").exists()


def test_a_table_is_read_before_any_job_is_started(base):
    pd.DataFrame({"a": range(25), "y": range(25)}).to_csv(base / "few.csv", index=False)
    with pytest.raises(InputError, match="25 rows left; wanted at least 30"):
        written(base, data="few.csv")
    (base / "odd.csv").write_text("a,y\n1,2\nx,3\n" + "1,4\n" * 40)
    with pytest.raises(InputError, match="'x' is not a number"):
        written(base, data="odd.csv")

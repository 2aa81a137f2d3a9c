"""The configuration of a dry run: what it may hold, and how one is written for a table."""

import pandas as pd
import pytest
import yaml

from shakedown.config import complete
from shakedown.config.dryrun import check, configuration
from shakedown.interface import InputError

from .studies import ROOT, study

SIM = {"recipe": "simulated", "rows": 60, "features": 10}


def dry(**changes):
    config = {"study": "dry", "datasets": {"sim": SIM}, "dryrun": {}}
    return {**config, **changes}


def completed(config):
    return complete(config, base=ROOT)


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
        ({"dryrun": None}, "wanted `experiments`, `dryrun`, `replay` or `boards`; got none"),
        ({"experiments": study()["experiments"]}, "not allowed together with experiments"),
        ({"claims": ["shakedown.claims.zheng"]}, "not allowed together with claims"),
        ({"datasets": {"sim": SIM, "other": SIM}}, "wanted one of the 2 data sets (sim, other)"),
        ({"dryrun": {"dataset": "sin"}}, "'sin' is not known. Did you mean 'sim'?"),
        ({"dryrun": {"thresholds": [0.05]}}, "thresholds[0]: wanted a number below 0; got 0.05"),
        ({"dryrun": {"quantile": 0.7}}, "quantile: wanted a number above 0 and at most 0.5"),
        ({"dryrun": {"submision": 5}}, "Did you mean 'submissions'?"),
        (
            {"dryrun": {"fewest_replicates": 50, "most_replicates": 40}},
            "fewest_replicates: wanted at most most_replicates (40); got 50",
        ),
        (
            {"dryrun": {"metric": "zero_one", "attacks": ["staircase"]}},
            "dryrun: attack 'staircase': wanted one that reads scores and plays on labels",
        ),
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


NUMBERS = ("thresholds", "quantile", "minutes", "days", "submissions", "precision")


@pytest.mark.parametrize("text", [".nan", ".inf", "-.inf", "1.0e+400", "-1.0e+400", "1e400", "nan"])
@pytest.mark.parametrize("key", NUMBERS)
def test_numbers_that_are_not_finite_are_refused(key, text):
    value = yaml.safe_load(f"[{text}]" if key == "thresholds" else text)
    with pytest.raises(InputError, match=f"dryrun.{key}.*: wanted .*number.*; got ") as caught:
        completed(dry(dryrun={key: value}))
    assert "write inf" not in str(caught.value)
    assert "write nan" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("submissions", 20_001, "at least 1 and at most 20000"),
        ("days", 10**30, "at least 1 and at most 3660"),
        ("minutes", 1e300, "above 0 and at most 10080"),
        ("quantile", 0, "above 0"),
    ],
)
def test_numbers_out_of_range_are_refused(key, value, wanted):
    with pytest.raises(InputError, match=f"dryrun.{key}: wanted .*{wanted}"):
        completed(dry(dryrun={key: value}))


def test_parameters_of_components_are_finite_too():
    entry = {"name": "ladder", "alpha": float("nan")}
    with pytest.raises(InputError, match="mechanisms.*alpha"):
        completed(dry(dryrun={"mechanisms": [entry]}))


@pytest.fixture
def tables(tmp_path):
    pd.DataFrame({"a": range(25), "y": range(25)}).to_csv(tmp_path / "few.csv", index=False)
    (tmp_path / "odd.csv").write_text("a,y\n1,2\nx,3\n" + "1,4\n" * 40)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [("few", "25 rows left; wanted at least 30"), ("odd", "'x' is not a number")],
)
def test_a_table_is_read_before_any_job_is_started(tables, name, message):
    config = configuration(str(tables / f"{name}.csv"), "y", ROOT, table={}, dryrun={})
    with pytest.raises(InputError, match=message):
        check(config, ROOT)

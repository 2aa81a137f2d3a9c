"""`shakedown plan`: the workflow's own number of jobs, and one sentence for a mistake."""

from importlib import import_module

import pytest
import yaml

from shakedown.cli import main
from shakedown.scheduling.times import Time
from tests.workflow.studies import tiny

plan = import_module("shakedown.cli.plan")  # the package has the function of that name


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_it_counts_the_jobs_and_writes_nothing(capsys, here):
    (here / "my.yaml").write_text(yaml.safe_dump(tiny(), sort_keys=False))
    assert main(["plan", "my.yaml", "--cores", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # 2 data sets; 2 chunks on each of 2 data sets and their table; the small experiment; a trace;
    # a release; 2 sheets of figures; summary, claims, readings, report.
    assert lines[0].startswith("tiny: 16 jobs, ")
    assert {line.split(":")[0] for line in lines[-2:]} == {"memory", "disk"}
    assert sorted(path.name for path in here.iterdir() if path.name != ".snakemake") == ["my.yaml"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 seconds"), (119.0, "119.0 seconds"), (120.0, "2.0 minutes"),
     (7190.0, "119.8 minutes"), (7200.0, "2.0 hours"), (3.6e6, "1,000.0 hours")],
)  # fmt: skip
def test_times_are_in_the_largest_unit_of_which_there_are_two(seconds, text):
    assert plan._time(seconds) == text


def test_what_it_says(here, monkeypatch):
    (here / "my.yaml").write_text(yaml.safe_dump(tiny(), sort_keys=False))
    known = {
        "play/a.log": Time(3600.0, "recorded"),
        "play/b.log": Time(3540.0, "tried"),
        "report.log": Time(60.0, "tried"),
    }
    monkeypatch.setattr(plan, "logs_of", lambda _: [f"results/tiny/logs/{log}" for log in known])
    monkeypatch.setattr(
        plan, "times", lambda config, shapes, names, *_, **__: {n: known[n] for n in names}
    )
    monkeypatch.setattr(plan.cost, "memory", lambda _: 500)
    monkeypatch.setattr(plan.cost, "disk", lambda *_: 3e6)
    assert plan.plan("my.yaml", "4").splitlines() == [
        "tiny: 3 jobs, 2.0 hours of CPU time on a core like this one",
        "  119.0 minutes  play",
        "  60.0 seconds  report",
        "times: recorded for 1 job, tried for 2 jobs",
        "on 4 cores about 30.0 minutes",
        "memory: 500 MiB for the largest job",
        "disk: 3 MB in results/tiny",
    ]


def test_a_profile_without_its_plugin_is_one_sentence(capsys, here):
    (here / "my.yaml").write_text(yaml.safe_dump(tiny()))
    (here / "far").mkdir()
    (here / "far" / "config.yaml").write_text("executor: far-away\njobs: 5\n")
    assert main(["reproduce", "my.yaml", "--profile", "far"]) == 2
    assert capsys.readouterr().err == (
        "shakedown: The profile far needs a plugin of Snakemake. Install it: "
        "pip install snakemake-executor-plugin-far-away\n"
    )


def test_a_profile_that_is_not_there_is_one_sentence(capsys, here):
    (here / "my.yaml").write_text(yaml.safe_dump(tiny()))
    assert main(["reproduce", "my.yaml", "--profile", "slrum"]) == 2
    assert "Shakedown comes with: profiles/default, " in capsys.readouterr().err


def test_a_mistake_is_one_sentence(capsys, here):
    (here / "my.yaml").write_text(yaml.safe_dump(tiny(seed=-1)))
    assert main(["plan", "my.yaml"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1

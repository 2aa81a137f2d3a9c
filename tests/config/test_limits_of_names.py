"""Ids that cannot be names of files or figures, and sizes that no machine has, are refused."""

import re
from pathlib import Path

import pytest

from shakedown.attacks.attack import ATTACKS
from shakedown.cli.project import configuration_file
from shakedown.component import described
from shakedown.component.keys import LONGEST_ID
from shakedown.config import complete
from shakedown.config.dryrun import configuration
from shakedown.config.figures import GENERATED, STEPS
from shakedown.interface import InputError
from shakedown.live.proposal import proposal

from .studies import ROOT, study
from .test_dryrun import dry

#: A configuration with an id at each place that has one.
PLACES = ("study", "datasets", "experiments", "figures", "release_variability")


def named(place, id):
    config = study(release_variability={"steady": {"dataset": "sim", "correlations": [0.5]}})
    if place == "study":
        return config | {"study": id}
    config[place] = {id: next(iter(config[place].values()))}
    experiment = next(iter(config["experiments"].values()))
    dataset = next(iter(config["datasets"]))
    experiment["datasets"] = [dataset]
    next(iter(config["release_variability"].values()))["dataset"] = dataset
    figure = next(iter(config["figures"].values()))
    figure["dataset"], figure["experiment"] = dataset, next(iter(config["experiments"]))
    return config


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "id", ["a" * (LONGEST_ID + 1), "a" * 300, "abc\n", "abc\r", "abc ", "ab\nc", "", "ä", "../a"]
)
def test_an_id_that_is_no_name_of_a_file_is_refused(place, id):
    with pytest.raises(InputError) as caught:
        complete(named(place, id))
    assert str(caught.value).startswith(f"Configuration key {place}: ")
    assert (
        "wanted a name of letters, digits and underscores, starting with a letter, of at most "
        f"{LONGEST_ID} characters" in str(caught.value)
    )


@pytest.mark.parametrize("place", PLACES)
def test_the_longest_id_is_taken(place):
    complete(named(place, "a" * LONGEST_ID))


def test_a_table_with_a_long_name_gives_a_shorter_id():
    config = configuration(f"{'x' * 240}.csv", "y", ROOT, table={}, dryrun={})
    assert config["study"] == "x" * LONGEST_ID
    assert "x" * LONGEST_ID in config["datasets"]


@pytest.mark.parametrize("id", ["all", "join_outcomes", "draw_figures_outcomes", "play_small_free"])
def test_a_figure_cannot_be_called_like_a_step_of_the_workflow(id):
    config = study()
    config["figures"] = {id: config["figures"]["picture"]}
    with pytest.raises(InputError) as caught:
        complete(config)
    assert str(caught.value) == (
        f"Configuration key figures.{id}: wanted an id that no step of the workflow has, because "
        f"`snakemake {id}` draws the figure. Rename it, such as {id}_figure."
    )


def test_every_step_of_a_study_is_known():
    steps = set()
    snakefile = (ROOT / "Snakefile").read_text("utf-8")
    ours = re.split(r"^else:$", snakefile, flags=re.MULTILINE)[1]
    parts = ["rules/data.smk", *re.findall(r'include: "workflow/(.+)"', ours)]
    for text in (snakefile, *((ROOT / "workflow" / part).read_text("utf-8") for part in parts)):
        steps |= set(re.findall(r"^rule (\w+):", text, re.MULTILINE))
        steps |= set(re.findall(r"^ +name:\n +f?\"([^\"]+)\"", text, re.MULTILINE))
    made = {step.partition("{")[0] for step in steps if "{" in step}
    assert made == set(GENERATED)
    assert {step for step in steps if "{" not in step} == set(STEPS)


SIMULATED = {"recipe": "simulated", "rows": 60, "features": 10}


@pytest.mark.parametrize("size", [1e12, 10**30, 1e300])
@pytest.mark.parametrize(
    "key",
    [
        "datasets.sim.rows",
        "datasets.sim.features",
        "datasets.labels.public",
        "datasets.labels.final",
        "experiments.free.replicates",
        "experiments.free.mechanisms[1].b",
        "experiments.free.mechanisms[2].draws",
        "release_variability.steady.releases",
        "release_variability.steady.draws",
        "release_variability.steady.b[0]",
    ],
)
def test_sizes_that_no_machine_has_are_refused(key, size):
    boards = [
        {"name": "full_disclosure"},
        {"name": "ladderboot", "alpha": 0.15, "b": 10},
        {"name": "bayesboot_ladder", "posterior_odds": 2, "draws": 10},
    ]
    config = study(
        datasets={
            "sim": dict(SIMULATED),
            "labels": {"recipe": "labels", "public": 60, "final": 60},
        },
        experiments__free__mechanisms=boards,
        release_variability={"steady": {"dataset": "sim", "correlations": [0.5], "b": [10]}},
    )
    place = config
    *path, last = re.findall(r"\w+", key)
    for part in path:
        place = place[int(part) if part.isdigit() else part]
    place[int(last) if last.isdigit() else last] = size
    with pytest.raises(InputError) as caught:
        complete(config)
    assert re.match(
        rf"Configuration key {re.escape(key)}: wanted a whole number of at least \d+ and at most "
        r"[\d,]+.*; got ",
        str(caught.value),
    )


def counting():
    return [
        name for name, attack in ATTACKS.classes.items() if "submissions" in attack.model_fields
    ]


@pytest.mark.parametrize("name", counting())
def test_so_are_submissions_of_an_attack(name):
    whole = next(
        example
        for example in ATTACKS.classes[name].examples
        if example.get("submissions") or not example
    )
    with pytest.raises(InputError, match=r"`submissions` must be .* at most 1,000,000.*; got 1000"):
        ATTACKS.make(name, **{**whole, "submissions": 10**12})


@pytest.mark.parametrize("key", ["fewest_replicates", "most_replicates", "honest_replicates"])
def test_so_are_those_of_a_dry_run(key):
    with pytest.raises(InputError, match=f"dryrun.{key}: wanted .* at most 1,000,000; got 10+"):
        complete(dry(dryrun={key: 1e12}))


def test_a_data_set_must_fit_into_memory():
    large = SIMULATED | {"rows": 10**6, "features": 10**6}
    with pytest.raises(InputError) as caught:
        complete(study(datasets={"sim": large}))
    assert str(caught.value) == (
        "Data set sim: recipe 'simulated': `rows` times `features` must be at most 1,000,000,000 "
        "(8 GB); got 1,000,000,000,000. Make fewer of them."
    )


def test_an_experiment_has_a_number_of_jobs_that_can_be_listed():
    config = study(experiments__free__replicates=10**6, experiments__free__replicates_per_job=1)
    with pytest.raises(InputError) as caught:
        complete(config)
    assert str(caught.value) == (
        "Configuration key experiments.free.replicates_per_job: wanted at most 100,000 jobs; "
        "1,000,000 replicates, on 1 data set and in 2 designs, with 1 in each make 2,000,000. "
        "Raise it."
    )


def test_as_many_jobs_as_are_allowed_are_allowed():
    pairs = {"experiments__free__replicates_per_job": 2}
    complete(study(experiments__free__replicates=100_000, **pairs))
    with pytest.raises(InputError, match="in 2 designs, with 2 in each make 100,002"):
        complete(study(experiments__free__replicates=100_001, **pairs))


def test_large_numbers_are_legible():
    assert described({"type": "integer", "maximum": 1_000_000}) == (
        "a whole number of at most 1,000,000"
    )


@pytest.mark.parametrize(
    "path", ["n" * 300, f"{'n' * 300}/t.csv", "a\0b.csv", "~no_such_user/t.csv", "\udcff.csv"]
)
@pytest.mark.parametrize("place", ["table", "folder", "submissions", "public", "data", "extends"])
def test_a_path_that_no_file_can_have_is_refused(tmp_path, monkeypatch, place, path):
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text("id,truth,s1\nr1,0,0\n")
    if place == "data":
        config = study(datasets={"sim": {"recipe": "table", "path": path, "response": "y"}})
    elif place == "extends":
        config = study(extends=path)
    else:
        config = {"study": "s", "replay": {"table": "log.csv", place: path}}
    with pytest.raises(InputError):
        complete(config, base=ROOT)


@pytest.mark.parametrize("path", ["n" * 300, "a\0b", ""])
def test_so_are_they_on_the_command_line(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="There is no configuration"):
        configuration_file(path)
    with pytest.raises(InputError, match="There is no file"):
        proposal(path)

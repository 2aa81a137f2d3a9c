"""The models and their JSON schema: closed, described, with defaults that fit."""

import copy
import json
import subprocess
import sys

import pytest
import yaml
from jsonschema import Draft202012Validator

from shakedown.attacks.attack import ATTACKS
from shakedown.config import complete
from shakedown.config.export import json_schema
from shakedown.config.nodes import node
from shakedown.config.study import Study
from shakedown.data import RECIPES, designs
from shakedown.data.entries import DatasetEntry
from shakedown.figures import FIGURE_KINDS
from shakedown.figures.entries import FigureEntry
from shakedown.leaderboard.defence import DEFENCES
from shakedown.leaderboard.entries import DefenceEntry, MechanismEntry
from shakedown.leaderboard.mechanism import MECHANISMS
from shakedown.reading import read
from shakedown.simulation.settings import AttackEntry
from tests.attacks.test_contract import fits, metric_of

from .studies import ROOT, study

ENTRIES = (AttackEntry, DatasetEntry, DefenceEntry, FigureEntry, MechanismEntry)
#: The schemas of a study, of all entries and of all components.
SCHEMA = node(Study)
PARTS = [node(entry) for entry in ENTRIES] + [
    node(entry.of(component))
    for entry in ENTRIES
    for component in entry.choice.registry.classes.values()
]
EXPORTED = Draft202012Validator(json_schema())


def nodes(part, path="$"):
    """Every mapping of a schema, with its place."""
    if isinstance(part, dict):
        yield path, part
        for key, value in part.items():
            yield from nodes(value, f"{path}.{key}")
    elif isinstance(part, list):
        for i, value in enumerate(part):
            yield from nodes(value, f"{path}[{i}]")


def test_it_is_a_schema():
    Draft202012Validator.check_schema(EXPORTED.schema)


@pytest.mark.parametrize("schema", [SCHEMA, *PARTS])
def test_every_key_is_described(schema):
    properties = [
        (f"{path}.{name}", leaf)
        for path, node in nodes(schema)
        if isinstance(node.get("properties"), dict)
        for name, leaf in node["properties"].items()
    ]
    for path, leaf in properties:
        assert leaf.get("description"), path


def test_every_object_is_closed():
    objects = [
        (path, node)
        for part in (SCHEMA, *PARTS)
        for path, node in nodes(part)
        if "object" in str(node.get("type", "")) and isinstance(node.get("type"), str | list)
    ]
    assert len(objects) > 8
    for path, part in objects:
        # A component's class closes its object; only a regressor knows its settings.
        if "component" in part or path.endswith("properties.settings"):
            continue
        assert part.get("additionalProperties") is not None, path


def test_every_default_fits_its_own_schema():
    defaults = [
        (path, node) for whole in (SCHEMA, *PARTS) for path, node in nodes(whole)
        if "default" in node
    ]  # fmt: skip
    assert len(defaults) > 20
    for path, part in defaults:
        assert Draft202012Validator(part).is_valid(part["default"]), path


def exported(entry):
    """The components that the exported schema offers."""
    union = EXPORTED.schema["$defs"][entry.__name__]["anyOf"]
    return [branch["$ref"].rpartition(".")[2] for branch in union if "$ref" in branch]


def test_the_schema_knows_what_the_package_has():
    experiment = SCHEMA["properties"]["experiments"]["additionalProperties"]["properties"]
    assert experiment["designs"]["items"]["enum"] == list(designs.DESIGNS)
    assert exported(MechanismEntry) == list(MECHANISMS)
    assert exported(AttackEntry) == list(ATTACKS)
    assert exported(DatasetEntry) == list(RECIPES)
    assert exported(FigureEntry) == list(FIGURE_KINDS)
    assert exported(DefenceEntry) == list(DEFENCES)


def test_the_module_prints_the_schema():
    command = [sys.executable, "-m", "shakedown.config", "--schema"]
    written = subprocess.run(command, capture_output=True, check=True).stdout
    assert json.loads(written) == EXPORTED.schema


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.name)
def test_configurations_fit_the_exported_schema(path):
    EXPORTED.validate(read(path))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("threats.yaml", ("study",), "my study"),
        ("threats.yaml", ("sed",), 1),
        ("threats.yaml", ("datasets", "challenge", "recipe"), "simulatd"),
        ("threats.yaml", ("datasets", "challenge", "row"), 1),
        ("threats.yaml", ("datasets", "my-data"), {"recipe": "diabetes"}),
        ("threats.yaml", ("experiments", "probe", "mechanisms", 1, "alpha"), [0.1, 2]),
        ("threats.yaml", ("experiments", "probe", "mechanisms", 2, "defences", 0, "nme"), "cap"),
        ("threats.yaml", ("experiments", "probe", "attack"), {"name": "linear_probe"}),
        ("threats.yaml", ("figures", "map", "experiment"), []),
        ("threats.yaml", ("datasets", "challenge"), None),
        ("dryrun.yaml", ("dryrun", "quantile"), 0.7),
        ("replay.yaml", ("replay", "columns"), {"teem": "x"}),
        ("test.yaml", ("datasets", "ad_like", "row"), 1),
        ("test.yaml", ("experiments", "freedman", "attack", "largest_model"), 0),
        ("test.yaml", ("experiments", "other_metrics", "mechanisms", 0, "name"), None),
    ],
)
def test_a_mistake_does_not_fit_the_exported_schema(name, place, value):
    config = copy.deepcopy(read(ROOT / "config" / name))
    part = config
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    assert not EXPORTED.is_valid(config)


OWN = {"name": "my_boards.Tilted", "tilt": 3}


@pytest.mark.parametrize(
    "config",
    [
        study(experiments__free__mechanisms=[OWN]),
        study(
            experiments__free__attack={
                "name": "linear_probe",
                "budgets": [{"submissions": 3}, {"submissions": 5, "features": 4}],
            }
        ),
        study(figures__picture__alpha=0.5),
        study(experiments__free__model={"class": "sklearn.linear_model.Ridge"}),
        {"study": "s", "extends": "config/config.yaml", "figures": {"figS1": None}},
    ],
)
def test_what_else_may_stand_there_fits_it(config):
    EXPORTED.validate(config)


@pytest.mark.parametrize("name", ["config.yaml", "test.yaml"])
def test_the_studies_that_come_with_the_package_are_valid(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load((ROOT / "config" / name).read_text("utf-8"))
    complete(config, base=ROOT)


def touched(name):
    """What a study that comes with the package uses, by kind."""
    config = yaml.safe_load((ROOT / "config" / name).read_text("utf-8"))
    config = complete(config, base=ROOT)
    experiments = config["experiments"].values()
    return {
        "mechanisms": {m["name"] for e in experiments for m in e["mechanisms"]},
        "attacks": {e["attack"]["name"] for e in experiments},
        "designs": {d for e in experiments for d in e["designs"]},
        "recipes": {d["recipe"] for d in config["datasets"].values()},
        "figures": {f["kind"] for f in config["figures"].values()},
    }


def test_the_test_study_touches_everything_that_the_default_study_does(monkeypatch):
    monkeypatch.chdir(ROOT)
    small, whole = touched("test.yaml"), touched("config.yaml")
    for kind, names_ in whole.items():
        assert names_ <= small[kind], kind
    assert small["designs"] == set(designs.DESIGNS)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_examples_of_all_components_go_into_a_study(name):
    attack = ATTACKS.find(name)
    boards = [
        {"name": board, **example}
        for board, mechanism in MECHANISMS.classes.items()
        for example in mechanism.examples
        if (mechanism.shows == "ranks") == (attack.reads == "ranks")
    ]
    metric = metric_of(attack)
    boards = [board for board in boards if fits(board, metric)]
    for example in attack.examples:
        config = study(figures=..., experiments__free__mechanisms=boards)
        config["experiments"]["free"] |= {"attack": {"name": name, **example}, "metric": metric}
        if attack.on_labels:
            config["datasets"]["sim"] = {"recipe": "labels", "public": 20, "final": 20}
            config["experiments"]["free"] |= {"designs": ["labels"], "metric": "zero_one"}
        for recipe, maker in RECIPES.classes.items():
            for k, settings in enumerate(maker.examples):
                config["datasets"][f"{recipe}_{k}"] = {"recipe": recipe, **settings}
        complete(config)

"""The schema itself: closed, described, with defaults that fit."""

import pytest
import yaml
from jsonschema import Draft202012Validator

from shakedown.attacks.attack import ATTACKS
from shakedown.config import complete
from shakedown.config.schema import expanded, names, schema
from shakedown.data import RECIPES, designs
from shakedown.figures import FIGURE_KINDS
from shakedown.leaderboard.mechanism import MECHANISMS

from .studies import ROOT, study

SCHEMA = schema()
#: The schemas of all components.
PARTS = [
    expanded(node, {node["component"]["named"]: name})
    for node in SCHEMA["$defs"].values()
    if "component" in node
    for name in names(node)
]


def nodes(node, path="$"):
    """Every mapping of a schema, with its place."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from nodes(value, f"{path}.{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from nodes(value, f"{path}[{i}]")


def test_it_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


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
        for path, node in nodes(SCHEMA)
        if "object" in str(node.get("type", "")) and isinstance(node.get("type"), str | list)
    ]
    assert len(objects) > 8
    for path, node in objects:
        # A component's class closes its object; only a regressor knows its settings.
        if "component" in node or path.endswith("properties.settings"):
            continue
        assert node.get("additionalProperties") is not None, path


def test_every_default_fits_its_own_schema():
    defaults = [
        (path, node) for whole in (SCHEMA, *PARTS) for path, node in nodes(whole)
        if "default" in node
    ]  # fmt: skip
    assert len(defaults) > 20
    for path, node in defaults:
        assert Draft202012Validator(node).is_valid(node["default"]), path


def test_the_schema_knows_what_the_package_has():
    experiment = SCHEMA["$defs"]["experiment"]["properties"]
    assert experiment["designs"]["items"]["enum"] == list(designs.DESIGNS)
    assert names(SCHEMA["$defs"]["mechanism"]) == list(MECHANISMS)
    assert set(names(SCHEMA["$defs"]["attack"])) == set(ATTACKS)
    assert set(names(SCHEMA["$defs"]["dataset"])) == set(RECIPES)
    assert set(names(SCHEMA["$defs"]["figure"])) == set(FIGURE_KINDS)


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
    for example in attack.examples:
        config = study(figures=..., experiments__free__mechanisms=boards)
        config["experiments"]["free"]["attack"] = {"name": name, **example}
        if attack.on_labels:
            config["datasets"]["sim"] = {"recipe": "labels", "public": 20, "final": 20}
            config["experiments"]["free"] |= {"designs": ["labels"], "metric": "zero_one"}
        for recipe, maker in RECIPES.classes.items():
            for k, settings in enumerate(maker.examples):
                config["datasets"][f"{recipe}_{k}"] = {"recipe": recipe, **settings}
        complete(config)

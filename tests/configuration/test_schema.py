"""The schema itself: closed, described, with defaults that fit, in step with the package."""

import pytest
import yaml
from jsonschema import Draft202012Validator

from shakedown import outcomes, splits
from shakedown.attacks import ATTACKS
from shakedown.attacks.step_forward import DETECTORS
from shakedown.configuration import complete
from shakedown.configuration.filling import filled
from shakedown.configuration.manual import COMMAND, manual
from shakedown.datasets import RECIPES
from shakedown.datasets.checks import MIN_ROWS, POLICIES
from shakedown.datasets.simulated import STRUCTURES
from shakedown.figures import KINDS, own_settings
from shakedown.leaderboard.catalogue import CATALOGUE
from shakedown.outcomes import COLUMNS

from .studies import ROOT, SCHEMA, study

OUTCOMES = yaml.safe_load((ROOT / "workflow/schemas/outcomes.schema.yaml").read_text("utf-8"))


def nodes(node, path="$"):
    """Every mapping of a schema, with its place."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from nodes(value, f"{path}.{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from nodes(value, f"{path}[{i}]")


@pytest.mark.parametrize("schema", [SCHEMA, OUTCOMES])
def test_both_are_schemas(schema):
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("schema", [SCHEMA, OUTCOMES])
def test_every_key_is_described(schema):
    properties = [
        (f"{path}.{name}", leaf)
        for path, node in nodes(schema)
        if isinstance(node.get("properties"), dict) and ".if" not in path
        for name, leaf in node["properties"].items()
    ]
    assert len(properties) > 20
    for path, leaf in properties:
        target = leaf
        if "description" not in leaf and "$ref" in leaf:
            target = schema["$defs"][leaf["$ref"].rpartition("/")[2]]
        assert target.get("description"), path


def test_every_object_is_closed():
    objects = [
        (path, node)
        for path, node in nodes(SCHEMA)
        if "object" in str(node.get("type", "")) and isinstance(node.get("type"), str | list)
    ]
    assert len(objects) > 8
    for path, node in objects:
        if path.endswith("properties.settings"):
            continue  # whatever the regressor takes
        closed = node.get("additionalProperties", node.get("unevaluatedProperties"))
        assert closed is False or "$ref" in closed, path


def test_every_default_fits_its_own_schema():
    defaults = [(path, node) for path, node in nodes(SCHEMA) if "default" in node]
    assert len(defaults) > 20
    for path, node in defaults:
        whole = {**node, "$defs": SCHEMA["$defs"]}
        assert Draft202012Validator(whole).is_valid(node["default"]), path


def enum(place):
    node = SCHEMA
    for part in place.split("."):
        node = node[part]
    return node["enum"]


@pytest.mark.parametrize(
    ("place", "known"),
    [
        ("$defs.mechanism.properties.name", CATALOGUE),
        ("$defs.attack.properties.name", ATTACKS),
        ("$defs.dataset.properties.recipe", RECIPES),
        ("$defs.table.properties.missing", POLICIES),
        ("$defs.simulated.properties.correlation.properties.structure", STRUCTURES),
        ("$defs.step_forward.properties.detector", DETECTORS),
        ("$defs.experiment.properties.designs.items", splits.DESIGNS),
        ("$defs.design", splits.DESIGNS),
        ("$defs.variant.properties.design", splits.DESIGNS),
        ("$defs.figure.properties.kind", KINDS),
    ],
)
def test_ids_are_those_of_the_package(place, known):
    assert sorted(enum(place)) == sorted(known)


def test_figures_have_the_settings_of_their_kind():
    for branch in SCHEMA["$defs"]["figure"]["allOf"]:
        kind = branch["if"]["properties"]["kind"]["const"]
        assert tuple(branch["then"]["properties"]) == own_settings(kind)
    with_own = {b["if"]["properties"]["kind"]["const"] for b in SCHEMA["$defs"]["figure"]["allOf"]}
    assert with_own == {kind for kind in KINDS if own_settings(kind)}


def test_the_fewest_rows_are_those_of_the_recipe():
    assert SCHEMA["$defs"]["simulated"]["properties"]["rows"]["minimum"] == MIN_ROWS


def test_the_columns_of_outcomes_are_those_of_the_package():
    assert list(OUTCOMES["properties"]) == list(COLUMNS)
    kinds = {"category": "string", "float64": "number", "Int64": "integer"}
    for name, column in OUTCOMES["properties"].items():
        stated = column["type"] if isinstance(column["type"], list) else [column["type"]]
        assert stated[0] == kinds[COLUMNS[name]], name
    assert set(outcomes.SETTING) <= set(OUTCOMES["properties"])


def test_defaults_are_filled_in_at_every_level():
    config = complete(study(), SCHEMA, base=ROOT)
    assert config["seed"] == 1607
    assert config["datasets"]["sim"]["correlation"] == {"structure": "independent"}
    assert config["datasets"]["sim"]["signal"] == {"r2": 0, "features": 10}
    experiment = config["experiments"]["free"]
    assert experiment["attack"] == {"name": "freedman", "largest_model": 30, "budgets": None}
    assert experiment["model"] == "ols"
    assert experiment["designs"] == ["permuted", "splits"]
    assert config["figures"]["picture"]["layout"] == "rows"
    assert "threshold" not in config["figures"]["picture"]


def test_a_default_is_not_shared_between_entries():
    config = study()
    config["datasets"]["other"] = dict(config["datasets"]["sim"])
    one, other = complete(config, SCHEMA, base=ROOT)["datasets"].values()
    one["correlation"]["structure"] = "changed"
    assert other["correlation"]["structure"] == "independent"


def test_the_order_of_keys_does_not_count():
    config = study()
    experiment = config["experiments"]["free"]
    turned = {**config, "experiments": {"free": dict(reversed(experiment.items()))}}
    assert repr(filled(turned, SCHEMA)) == repr(filled(config, SCHEMA))


def test_whole_numbers_with_a_point_become_whole():
    config = complete(study(seed=7.0, experiments__free__replicates=10.0), SCHEMA, base=ROOT)
    assert repr(config["seed"]) == "7"
    assert repr(config["experiments"]["free"]["replicates"]) == "10"
    boot = [{"name": "ladderboot", "alpha": 0.5, "b": [10.0, 100]}]
    config = complete(study(experiments__free__mechanisms=boot), SCHEMA, base=ROOT)
    assert repr(config["experiments"]["free"]["mechanisms"][0]["b"]) == "[10, 100]"


@pytest.mark.parametrize("name", ["config.yaml", "test.yaml"])
def test_the_studies_that_come_with_the_package_are_valid(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load((ROOT / "config" / name).read_text("utf-8"))
    complete(config, SCHEMA, base=ROOT)


def test_the_test_study_touches_everything(monkeypatch):
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load((ROOT / "config/test.yaml").read_text("utf-8"))
    config = complete(config, SCHEMA, base=ROOT)
    experiments = config["experiments"].values()
    played = {m["name"] for e in experiments for m in e["mechanisms"]}
    assert played == set(CATALOGUE)
    assert {e["attack"]["name"] for e in experiments} == set(ATTACKS)
    assert {d for e in experiments for d in e["designs"]} == set(splits.DESIGNS)
    assert {d["recipe"] for d in config["datasets"].values()} == set(RECIPES)
    assert {f["kind"] for f in config["figures"].values()} == set(KINDS)


def test_the_manual_is_in_step_with_the_schema():
    written = (ROOT / "config/README.md").read_text("utf-8")
    assert written == manual(SCHEMA), f"renew it: {COMMAND}"

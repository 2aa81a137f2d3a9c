"""Any configuration: it is completed and fits the schema, or one message says what to change."""

import copy
import datetime
import functools
import math
import re

import jsonschema
import pytest
import yaml
from hypothesis import strategies as st

from shakedown.config import complete
from shakedown.config.export import json_schema
from shakedown.interface import InputError
from shakedown.reading import read
from tests.generated import cases, check_message, cut, cuts, odd_cells

from .studies import ROOT, study

STARTS = ("study", "threats", "defences", "dryrun", "replay")
odd = st.one_of(
    st.sampled_from(
        [
            None, True, False, 0, -1, 1, 2, 3, 10**30, 0.0, 0.5, -0.5, 1.0, 1e308,
            math.inf, -math.inf, math.nan, "", "all", "ladder", "freedman", "splits", "labels",
            "mse",
            "zero_one", "null", "os.system", "subprocess.Popen", "a.b", ".", "a" * 300, "é",
            "study",
            [], {}, [[]], [None],
            {"name": "ladder"}, {"name": None}, {"class": "sklearn.linear_model.Ridge"},
            {"class": "os.system"}, {1: 2}, {None: 1}, {"name": "freedman", "extra": 1}, b"bytes",
            datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3), {1, 2},
            ["splits", "splits"],
            [1, "1"], [True, 1], [0.5, math.nan], {"a": {"b": {"c": []}}},
        ]
    ),
    odd_cells,
    st.integers(-5, 10**6),
    st.floats(),
    st.text(max_size=6),
)  # fmt: skip


@functools.cache
def start(name):
    return study() if name == "study" else read(ROOT / f"config/{name}.yaml")


exported = functools.cache(json_schema)


def places(node, path=()):
    """Every place in nested settings."""
    yield path
    entries = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in entries:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


@st.composite
def configurations(draw):
    """A valid configuration with up to three changes."""
    config = copy.deepcopy(start(draw(st.sampled_from(STARTS))))
    for _ in range(draw(st.integers(0, 3))):
        if not (isinstance(config, dict) and config):
            break
        *path, key = draw(st.sampled_from([place for place in places(config) if place]))
        node = config
        for part in path:
            node = node[part]
        how = draw(st.sampled_from(["set", "set", "set", "remove", "add", "rename", "twice"]))
        if how == "set":
            node[key] = copy.deepcopy(draw(odd))
        elif how == "remove":
            del node[key]
        elif how == "add" and isinstance(node, dict):
            node[draw(st.one_of(odd_cells, st.sampled_from([1, None, True, "name", "threat"])))] = (
                copy.deepcopy(draw(odd))
            )
        elif how == "rename" and isinstance(node, dict):
            node[draw(st.one_of(odd_cells, st.just(f"{key}s")))] = node.pop(key)
        elif how == "twice" and isinstance(node, list):
            node.append(copy.deepcopy(node[key]))
    return config


def check(config):
    before = copy.deepcopy(config)
    try:
        done = complete(config, base=ROOT, folder=ROOT)
    except InputError as e:
        check_message(e)
        with pytest.raises(InputError, match=f"^{re.escape(str(e))}$"):
            complete(config, base=ROOT, folder=ROOT)
    else:
        jsonschema.Draft202012Validator(exported()).validate(done)
        assert repr(complete(done, base=ROOT, folder=ROOT)) == repr(done)
    assert repr(config) == repr(before)


@cases(60, config=configurations())
def test_a_configuration_is_completed_or_refused(config):
    check(config)


@pytest.mark.full
@cases(2700, config=configurations())
def test_any_configuration_is_completed_or_refused(config):
    check(config)


@pytest.mark.slow
@cases(500, changes=st.lists(cuts, min_size=1, max_size=3))
def test_any_text_is_read_or_refused(tmp_path_factory, changes):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(cut(yaml.safe_dump(study()).encode(), changes))
    try:
        config = read(path)
    except InputError as e:
        check_message(e)
    except yaml.YAMLError:
        pass  # the command says where
    else:
        if isinstance(config, dict):
            check(config)

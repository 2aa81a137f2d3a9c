"""Configurations that give only the differences from another one."""

import os

import pytest
import yaml

from shakedown.config.extending import extended, merged
from shakedown.interface import InputError


def test_mappings_are_merged_and_everything_else_is_replaced():
    whole = {"a": {"x": 1, "y": [1, 2]}, "b": 1}
    assert merged(whole, {"a": {"y": [3]}, "c": None}) == {
        "a": {"x": 1, "y": [3]},
        "b": 1,
        "c": None,
    }
    assert whole == {"a": {"x": 1, "y": [1, 2]}, "b": 1}


def test_a_chain_of_files_is_followed_and_null_entries_are_left_out(tmp_path):
    (tmp_path / "one.yaml").write_text("seed: 1\ndatasets: {a: {recipe: x}, b: {recipe: y}}\n")
    (tmp_path / "two.yaml").write_text("extends: one.yaml\nseed: 2\nfigures: {f: {kind: boxes}}\n")
    config = {
        "extends": "two.yaml",
        "datasets": {"a": None},
        "experiments": {"e": {"features": None}},
    }
    assert extended(config, tmp_path) == {
        "seed": 2,
        "datasets": {"b": {"recipe": "y"}},
        "figures": {"f": {"kind": "boxes"}},
        "experiments": {"e": {"features": None}},
    }


OLD = {"board": "carried_on", "detector": "told"}
NEW = {"iteration_board": "carried_on", "detector": "known_number"}


@pytest.mark.parametrize("experiments", [None, 1, {"e": None}, {"e": 1}, {"e": {"attack": 1}}])
def test_what_is_no_attack_is_left_to_the_schema(tmp_path, experiments):
    wanted = {"e": experiments["e"]} if isinstance(experiments, dict) else experiments
    result = extended({"experiments": experiments}, tmp_path)["experiments"]
    assert result == ({} if wanted == {"e": None} else wanted)


def test_parameters_of_older_versions_are_read(tmp_path):
    attack = {"name": "step_forward", "budgets": [{"features": 9, "board": "fresh"}]}
    changed = {"name": "step_forward", "budgets": [{"features": 9, "iteration_board": "fresh"}]}
    experiments = {"old": {"attack": attack | OLD}, "other": {"attack": {"name": "a.B"} | OLD}}
    result = extended({"experiments": experiments}, tmp_path)["experiments"]
    assert result == {"old": {"attack": changed | NEW}, "other": experiments["other"]}


def test_a_parameter_by_both_names_is_refused(tmp_path):
    attack = {"name": "step_forward", "board": "fresh", "iteration_board": "carried_on"}
    with pytest.raises(InputError, match="e.attack: 'board' is now called 'iteration_board', and"):
        extended({"experiments": {"e": {"attack": attack}}}, tmp_path)


@pytest.mark.parametrize("named", [{}, {"name": "step_forward"}])
@pytest.mark.parametrize("base", ["board: fresh, detector: told", "iteration_board: fresh"])
def test_an_older_name_replaces_the_present_one_of_what_is_extended(tmp_path, base, named):
    (tmp_path / "base.yaml").write_text(
        f"experiments: {{e: {{attack: {{name: step_forward, {base}}}}}}}\n"
    )
    config = {"extends": "base.yaml", "experiments": {"e": {"attack": named | OLD}}}
    result = extended(config, tmp_path)["experiments"]["e"]["attack"]
    assert result == {"name": "step_forward"} | NEW


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "'base.yaml' cannot be read from .*No such file"),
        ("a: [1", "'base.yaml' is not valid YAML"),
        ("seed: 1\nseed: 2", "base.yaml, line 2: the key seed is already in line 1"),
        ("just text", "'base.yaml' has no keys"),
        ("extends: base.yaml", r"'base.yaml' extends itself: \['base.yaml', 'base.yaml'\]"),
    ],
)
def test_a_file_that_cannot_be_extended_is_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "base.yaml").write_text(content)
    with pytest.raises(InputError, match=message):
        extended({"extends": "base.yaml"}, tmp_path)


def test_a_path_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        extended({"extends": ["a", "b"]}, tmp_path)


def test_what_extends_nothing_stands_alone(tmp_path):
    config = yaml.safe_load("{study: s, figures: null}")
    assert extended(config, tmp_path) == config


def test_a_device_or_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in ("/dev/zero", "pipe.yaml"):
        with pytest.raises(InputError, match=rf"{path}: a pipe or a device; wanted a file\."):
            extended({"extends": path}, tmp_path)

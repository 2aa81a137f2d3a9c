"""A mistake in a configuration ends the run before any job, with one message and no traceback."""

import pytest

from .studies import tiny


def misspelt(config):
    config["experiments"]["free"]["replicats"] = 5


def unknown_mechanism(config):
    config["experiments"]["free"]["mechanisms"][1]["name"] = "laddr"


def negative(config):
    config["experiments"]["free"]["replicates"] = -5


def wrong_type(config):
    config["seed"] = "abc"


def list_for_number(config):
    config["experiments"]["free"]["features"] = [1, 2]


def missing(config):
    del config["experiments"]["free"]["attack"]


def no_such_dataset(config):
    config["experiments"]["free"]["datasets"] = ["sugr"]


def no_such_table(config):
    config["datasets"]["sim"] = {"recipe": "table", "path": "no.csv", "response": "y"}


def needless_setting(config):
    config["experiments"]["free"]["mechanisms"][0]["b"] = 3


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (misspelt, "'replicats' is not known. Did you mean 'replicates'?"),
        (unknown_mechanism, "free.mechanisms[1].name: wanted one of full_disclosure, kaggle,"),
        (negative, "free.replicates: wanted a whole number of at least 1; got -5."),
        (wrong_type, 'seed: wanted a whole number of at least 0; got "abc".'),
        (
            list_for_number,
            "free.features: wanted a whole number of at least 2 or null; got [1, 2].",
        ),
        (missing, "experiments.free: 'attack' is missing."),
        (no_such_dataset, "'sugr' is not known. Did you mean 'sugar'?"),
        (no_such_table, "datasets.sim: Data set sim (no.csv): no such file"),
        (needless_setting, "mechanism 'full_disclosure' takes no setting ['b']"),
    ],
)
def test_a_mistake_is_told_once_and_nothing_is_made(folder, mistake, message):
    config = tiny()
    mistake(config)
    run = folder.snakemake(config=folder.write(config))
    assert run.returncode == 1
    assert run.text.count(message) == 1
    assert "Traceback" not in run.text
    assert len(run.text.strip().splitlines()) <= 4
    assert not (folder.path / "results").exists()


def test_a_repeated_key_of_the_file_is_told_with_its_line(folder):
    path = folder.write(tiny())
    lines = path.read_text().splitlines()
    again = lines.index("  step:") + 1
    path.write_text("\n".join([*lines[:again], "    replicates: 7", *lines[again:]]))
    run = folder.snakemake(config=path)
    assert run.returncode == 1
    line = again + 1 + lines[again:].index("    replicates: 4") + 1
    assert (
        f"{path}, line {line}: the key experiments.step.replicates stands in line {again + 1} "
        "already. Keep one of them." in run.text
    )
    assert len(run.text.strip().splitlines()) <= 4
    assert not (folder.path / "results").exists()


def test_a_setting_of_the_command_line_is_checked_too(folder):
    run = folder.snakemake("-n", "--config", "seed=-1", config=folder.write(tiny()))
    assert run.returncode == 1
    assert "seed: wanted a whole number of at least 0; got -1." in run.text


def test_a_figure_cannot_be_called_like_a_rule(folder):
    config = tiny()
    config["figures"]["join_outcomes"] = config["figures"].pop("boxes")
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 1
    assert "join_outcomes" in run.text
    assert "already used by another rule" in run.text

"""A mistake in a configuration ends the run before any job, with one message and no traceback.

Which message it is, the tests of the configuration say.
"""

import re

from .studies import tiny


def test_a_mistake_is_told_once_and_nothing_is_made(folder):
    config = tiny()
    config["experiments"]["free"]["mechanisms"][1]["name"] = "laddr"
    run = folder.snakemake(config=folder.write(config))
    assert run.returncode == 1
    message = "free.mechanisms[1].name: mechanism 'laddr' is not known. Did you mean 'ladder'?"
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
        f"{path}, line {line}: the key replicates is already in line {again + 1}. "
        "Keep one of them." in run.text
    )
    assert len(run.text.strip().splitlines()) <= 4
    assert not (folder.path / "results").exists()


def test_a_setting_of_the_command_line_is_checked_too(folder):
    run = folder.snakemake("-n", "--config", "seed=-1", config=folder.write(tiny()))
    assert run.returncode == 1
    assert "seed: wanted a whole number of at least 0; got -1." in run.text


def test_an_alias_within_what_it_names_ends_the_run_at_once(folder):
    config = tiny()
    config["claims"].append(config["claims"])
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 1
    assert re.search(r"study.yaml, line \d+: \*(id\d+) lies within &\1, so", run.text)
    assert len(run.text.strip().splitlines()) <= 4


def test_a_model_that_is_a_program_is_not_run(folder):
    config = tiny()
    program = {"class": "subprocess.Popen", "settings": {"args": ["touch", "made"]}}
    config["experiments"]["free"]["model"] = program
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 1
    assert "model 'subprocess.Popen': wanted the import path of a class with `fit`" in run.text
    assert {path.name for path in folder.path.iterdir()} <= {"study.yaml", "cache", ".snakemake"}


def test_long_ids_give_names_of_files_that_a_disk_takes(folder):
    config = tiny()
    names = [f"{name}_{'abcdefghij' * 9}" for name in ("free", "free2", "free3")]
    config["experiments"] |= dict.fromkeys(names, config["experiments"]["free"])
    maps = {"kind": "attack_map", "experiment": names, "dataset": "sugar", "design": "splits"}
    config["figures"] |= {f"map{k}": maps for k in range(4)}
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 0, run.text
    sheets = re.findall(r"draw_figures_(outcomes_of_free_a\w+)", run.text)
    assert set(map(len, sheets)) == {100}

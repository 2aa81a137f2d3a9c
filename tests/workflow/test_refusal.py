"""A mistake in a configuration ends the run before any job, with one message and no traceback.

Which message it is, the tests of the configuration say.
"""

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


def test_a_figure_cannot_be_called_like_a_rule(folder):
    config = tiny()
    config["figures"]["join_outcomes"] = config["figures"].pop("boxes")
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 1
    assert "join_outcomes" in run.text
    assert "already used by another rule" in run.text


def test_a_model_that_is_a_program_is_not_run(folder):
    config = tiny()
    program = {"class": "subprocess.Popen", "settings": {"args": ["touch", "made"]}}
    config["experiments"]["free"]["model"] = program
    run = folder.snakemake("-n", config=folder.write(config))
    assert run.returncode == 1
    assert "model 'subprocess.Popen': wanted the import path of a class with `fit`" in run.text
    assert {one.name for one in folder.path.iterdir()} <= {"study.yaml", "cache", ".snakemake"}

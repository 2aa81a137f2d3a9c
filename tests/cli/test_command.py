"""The command: what it says to what is typed."""

import os
import pty
import re
import shlex
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml

from shakedown.cli import main
from shakedown.cli.arguments import parsed
from shakedown.cli.dryrun import typed_again
from shakedown.cli.record import Record
from shakedown.config import complete
from shakedown.data import read
from shakedown.data.checksums import seal
from shakedown.data.store import save
from tests.cli.studies import ROOT, STUDY, command

COMMANDS = (
    *("reproduce", "dryrun", "replay", "plan", "leak", "status", "replicate", "components"),
    *("check", "unlock"),
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, *arguments, code=0):
    """What the command prints."""
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_by_examples_that_can_be_typed(name, capsys):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    text = re.sub(r" *\\\n *", " ", capsys.readouterr().out)  # a long one goes on in the next line
    examples = [
        line.strip().split("  ")[0].split()[1:]
        for line in text.splitlines()
        if line.startswith(f"  shakedown {name}")
    ]
    assert examples
    for words in examples:
        assert parsed(words).command == name


def test_the_first_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "COMMAND"),
        (["dryrn"], "Did you mean 'dryrun'?"),
        (["dryrun", "x.csv"], "--response"),
        (["dryrun", "x.csv", "--response", "y", "--metrics", "mae"], "Did you mean '--metric'?"),
        (["dryrun", "x.csv", "--response", "y"], "x.csv"),
        (["reproduce", "config/tets.yaml"], "config/test.yaml"),
        (["reproduce", "--cores", "none"], "wanted a number above 0 or 'all', got 'none'"),
        (["reproduce", "."], "no configuration '.'"),
        (["reproduce", "--only", "fig222"], "Did you mean 'fig2'?"),
        (["replay", "config/config.yaml"], "has no section `replay`"),
        (["status", "nothing"], "There is no study 'nothing'"),
        (["components", "mechanim"], "Did you mean 'mechanism'?"),
        (["components", "mechanism", "laddr"], "Did you mean 'ladder'?"),
        (["components", "mechanism", "nowhere.Nothing"], "cannot be imported"),
    ],
)
def test_a_mistake_is_one_sentence(words, message, capsys):
    text = said(capsys, *words, code=2)
    assert message in text
    assert text.startswith("shakedown: ")
    assert len(text.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["", "- a\n", "study: [", "study: x\nstudy: y\n", "study: 7\n", "\x00", "a: \udcff"]
)
def test_a_file_that_is_no_configuration_is_refused(here, text, capsys):
    (here / "my.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert said(capsys, "reproduce", "my.yaml", code=2).startswith("shakedown: ")


def table(here, **columns):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.standard_normal((40, 4)), columns=["a", "b", "site", "y"])
    frame.assign(**columns).to_csv(here / "2-my data.csv.gz", index=False)
    return "2-my data.csv.gz"


@pytest.fixture
def ran(monkeypatch):
    """Configurations that would be run."""
    paths = []
    monkeypatch.setattr("shakedown.cli.engine.run", lambda path, *_, **__: paths.append(path))
    return paths


def written(here, *options, capsys=None):
    assert main(["dryrun", table(here), "--response", "y", *options]) == 0
    return yaml.safe_load(next(here.glob("results/*/config.yaml")).read_text("utf-8"))


def test_a_dry_run_writes_a_configuration_and_runs_it(here, ran):
    config = written(
        *(here, "--metric", "mae", "--minutes", ".5", "--thresholds", "-0.1,-2e-3", "--id", ""),
        *("--ignore", "site, b", "--days", "7"),
    )
    recipe = {"recipe": "table", "path": "2-my data.csv.gz", "response": "y"}
    assert config["datasets"] == {
        "diabetes": None,
        "table_2_my_data": {**recipe, "missing": "impute_median", "ignore": ["site", "b"]},
    }
    settings = {"metric": "mae", "days": 7, "minutes": 0.5, "thresholds": [-0.1, -0.002]}
    assert config["dryrun"] == settings
    assert [str(path) for path in ran] == ["results/table_2_my_data/config.yaml"]


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e400", "-1e400", "two"])
@pytest.mark.parametrize("option", ["thresholds", "quantile", "minutes", "days", "submissions"])
def test_options_that_are_no_finite_numbers_are_refused(here, ran, capsys, option, text):
    arguments = ["dryrun", table(here), "--response", "y", f"--{option}={text}"]
    assert said(capsys, *arguments, code=2).strip() == (
        f"shakedown: --{option}: wanted a number, got '{text}'."
    )
    assert not ran
    assert not (here / "results").exists()


def test_doubts_about_the_table_are_told_before_the_run(here, ran, capsys):
    values = np.random.default_rng(1).standard_normal(40)
    table(here, y=values, b=2 * values, Fold=np.arange(40) % 3)
    assert main(["dryrun", "2-my data.csv.gz", "--response", "y"]) == 0
    printed = capsys.readouterr().err
    assert "Possible leak: feature 'b' gives the response 'y' away" in printed
    assert "Column 'Fold' is used as a feature" in printed
    assert ran


def test_the_command_of_a_longer_dry_run_can_be_typed(here, ran):
    first = written(
        *(here, "--thresholds", "-0.1,-2e-3", "--ignore", "site, b", "--days", "7"),
        *("--study", "one", "--missing", "drop_rows"),
    )
    whole = complete(first, base=ROOT)
    assert first["dryrun"]["days"] == 7
    assert isinstance(first["dryrun"]["days"], int)
    text = typed_again(whole, minutes=12)
    assert text.startswith("shakedown dryrun '2-my data.csv.gz' --response y ")
    assert text.endswith(" --minutes 12 --study one --replace")
    assert main(shlex.split(text)[1:]) == 0
    again = yaml.safe_load((here / "results/one/config.yaml").read_text("utf-8"))
    whole["dryrun"]["minutes"] = 12
    assert complete(again, base=ROOT) == whole
    # No option stands for these: they have to be written into the file.
    assert typed_again(whole, minutes=12, precision=0.1) == ""
    assert typed_again({**whole, "seed": 2}, minutes=12) == ""
    example = complete(yaml.safe_load((ROOT / "config/dryrun.yaml").read_text("utf-8")), base=ROOT)
    assert typed_again(example, minutes=12) == ""


def test_figures_of_dry_runs_and_replays_are_drawn_by_name(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)  # the log of the example lies there
    targets = []
    monkeypatch.setattr("shakedown.cli.engine.run", lambda *_, **given: targets.append(given))
    for config, figure in (("dryrun", "safe_limits"), ("replay", "replay_ranks")):
        said(capsys, "reproduce", f"config/{config}.yaml", "--only", figure)
        assert targets.pop()["targets"] == [f"results/{config}/figures/{figure}.svg"]
        text = said(capsys, "reproduce", f"config/{config}.yaml", "--only", "fig2", code=2)
        assert f"It has: {figure}" in text or f", {figure}" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--thresholds", "5%"], "--thresholds: wanted a number, got '5%'"),
        (["--submissions", "many"], "--submissions: wanted a number, got 'many'"),
        (["--days", "inf"], "--days: wanted a number, got 'inf'"),
        (["--thresholds", "5"], "thresholds[0]: wanted a number below 0; got 5"),
        (["--metric", "RMSE"], "Did you mean 'rmse'?"),
        (["--ignore", "nothing"], "nothing"),
        (["--study", "my study"], "letters, digits and underscores"),
        (["--study", "../x"], "letters, digits and underscores"),
    ],
)
def test_what_cannot_be_played_is_said_before_anything_is_written(here, options, message, capsys):
    text = said(capsys, "dryrun", table(here), "--response", "y", *options, code=2)
    assert message in text
    assert not (here / "results").exists()


def test_a_second_dry_run_of_a_study_asks_before_it_replaces(here, ran, capsys):
    assert written(here, "--study", "one")["dryrun"] == {}
    written(here, "--study", "one")  # the same again: it goes on
    text = said(
        *(capsys, "dryrun", table(here), "--response", "y", "--study", "one", "--days", "9"), code=2
    )
    assert "--replace" in text
    assert len(ran) == 2
    config = written(here, "--study", "one", "--days", "9", "--replace")
    assert config["dryrun"] == {"days": 9}


def test_a_dry_run_does_not_take_the_place_of_another_study(here, ran, capsys):
    (here / "results/default/outcomes").mkdir(parents=True)
    words = ("dryrun", table(here), "--response", "y", "--study", "default")
    text = said(capsys, *words, code=2)
    assert "results/default has a study with another configuration" in text
    assert "no dry run; they are not replaced" in said(capsys, *words, "--replace", code=2)
    assert (here / "results/default/outcomes").is_dir()
    assert not (here / "results/default/config.yaml").exists()


def test_results_of_a_replaced_dry_run_are_gone(here, ran):
    """A run that is stopped would else leave the old answer beside the new configuration."""
    written(here, "--study", "one")
    folder = here / "results/one"
    old = ("report.html", "limits.csv", "figures/a.svg", "datasets/other.npz")
    kept = ("jobs/0.parquet", "logs/run.json")
    for name in old + kept:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    written(here, "--study", "one")  # the same again: all of it stays
    assert all((folder / name).exists() for name in old + kept)
    written(here, "--study", "one", "--days", "9", "--replace")
    assert [name for name in old + kept if (folder / name).exists()] == list(kept)


def test_a_table_that_an_older_file_replaced_is_read_again(here, ran):
    config = written(here, "--study", "one")
    (name,) = (name for name, recipe in config["datasets"].items() if recipe)
    challenge = read(name, config["datasets"][name], seed=1)
    made = here / f"results/one/datasets/{name}.npz"
    save(challenge, made)
    written(here, "--study", "one")
    assert made.is_file()
    file = here / table(here, b=np.arange(40.0))
    os.utime(file, (1, 1))
    assert main(["dryrun", file.name, "--response", "y", "--study", "one"]) == 0
    assert not made.exists()


def test_a_locked_study_names_the_configuration_that_frees_it(here, ran, capsys):
    """It may be another one than that of the dry run, which is not written yet."""
    record = Record("one")
    with record.running():
        record.write(config="my studies/one.yaml")
    (here / ".snakemake/locks").mkdir(parents=True)
    (here / ".snakemake/locks/0.output.lock").write_text("results/one/report.html\n")
    words = ("dryrun", table(here), "--response", "y", "--study", "one")
    assert "active: shakedown unlock 'my studies/one.yaml'" in said(capsys, *words, code=2)
    assert "active: shakedown unlock" in said(capsys, *words, "--replace", code=2)
    assert not ran


def test_ctrl_c_while_packages_are_imported_ends_in_one_line(here):
    code = """
import sys
class Interrupted:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from shakedown.cli import main
sys.exit(main(["status"]))
"""
    run = subprocess.run([command()[0], "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr.split()) == (130, ["Stopped."])


def test_output_that_nobody_reads_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([*command(), "components"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, b"")


def test_a_study_whose_progress_nobody_reads_has_failed(here, monkeypatch):
    def run(*_, **__):
        raise BrokenPipeError

    study(here)
    monkeypatch.setattr("shakedown.cli.engine.run", run)
    assert main(["reproduce", "study.yaml"]) == 1


QUESTION = "Replace it and its results? [y/N] "


@pytest.mark.parametrize(
    ("answer", "days", "code"),
    [("n\n", None, 2), ("\n", None, 2), ("\x04", None, 2), ("y\n", 9, 0)],
)
def test_in_a_terminal_it_asks(here, ran, answer, days, code):
    """In a terminal of its own, as input() and isatty() look at the real one."""
    written(here, "--study", "one")
    above, below = pty.openpty()
    words = ["dryrun", table(here), "--response", "y", "--study", "one", "--days", "9"]
    program = (
        "import shakedown.cli.engine as engine, sys; engine.run = lambda *a, **k: None;"
        f"from shakedown.cli import main; sys.exit(main({words!r}))"
    )
    process = subprocess.Popen(
        [command()[0], "-c", program],
        stdin=below,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    os.close(below)
    text = ""
    while QUESTION not in text:
        got = os.read(process.stdout.fileno(), 1000).decode()
        assert got, text  # it ended without the question
        text += got
    os.write(above, answer.encode())
    text += process.communicate(timeout=100)[0].decode()
    assert "Traceback" not in text
    assert process.returncode == code
    config = yaml.safe_load((here / "results/one/config.yaml").read_text("utf-8"))
    assert config["dryrun"].get("days") == days


def study(here, **record):
    (here / "study.yaml").write_text(yaml.safe_dump(STUDY))
    Record("tiny").write(config="study.yaml", **record)


def lock(here, name):
    (here / ".snakemake/locks").mkdir(parents=True, exist_ok=True)
    (here / ".snakemake/locks/0.output.lock").write_text(f"results/{name}/report.html\n")


def test_status_tells_how_far_each_study_is(here, capsys):
    assert "No study has been run" in said(capsys, "status")
    missing = said(capsys, "status", "tiny", code=2)
    assert missing.startswith("shakedown: There is no study 'tiny' in ")
    assert "Wanted one of" not in missing
    study(here, state="stopped", done=3, steps=7)
    (here / "results/other").mkdir()
    (here / "results/other/report.html").touch()
    (here / "results/begun").mkdir()
    lines = said(capsys, "status").splitlines()
    assert lines == [
        "begun  not complete; continue: shakedown reproduce CONFIG",
        "other  complete: results/other/report.html",
        "tiny   stopped, 3 of 7 steps done; continue: shakedown reproduce study.yaml",
    ]
    assert said(capsys, "status", "tiny").split() == lines[2].split()
    lock(here, "tiny")
    assert "if no run of it is active: shakedown unlock study.yaml" in said(
        capsys, "status", "tiny"
    )
    assert "locked" not in said(capsys, "status", "other")
    with Record("tiny").running():
        assert "running" in said(capsys, "status", "tiny")


def test_a_locked_study_names_the_command_that_frees_it(here, capsys):
    study(here, state="running", pid=1, done=3, steps=7)
    with Record("tiny").running():  # it plans its jobs: Snakemake has not locked them yet
        assert "wait until it ends" in said(capsys, "reproduce", "study.yaml", code=2)
    lock(here, "tiny")
    assert "shakedown unlock study.yaml" in said(capsys, "reproduce", "study.yaml", code=2)
    with Record("tiny").running():
        for command in ("reproduce", "unlock"):
            assert "wait until it ends" in said(capsys, command, "study.yaml", code=2)


def damage(here, name):
    path = here / "results/tiny" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("claim\n")
    seal([path])
    path.write_text("clain\n")
    return path


def test_a_check_names_damaged_results_and_changes_nothing(here, capsys):
    study(here)
    assert said(capsys, "check", "tiny") == "No result of study 'tiny' differs from its checksum.\n"
    path = damage(here, "summary/free.csv")
    assert main(["check", "tiny"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "results/tiny/summary/free.csv is damaged: its content is not what was written.",
        "To have the next run make them again: shakedown check tiny --repair",
    ]
    assert path.read_text() == "clain\n"
    assert "Did you mean 'tiny'?" in said(capsys, "check", "tini", code=2)


def test_a_repair_sets_damaged_results_aside_unless_the_study_runs(here, capsys):
    study(here)
    path = damage(here, "claims.csv")
    with Record("tiny").running():
        assert "wait until it ends" in said(capsys, "check", "tiny", "--repair", code=2)
    assert path.exists()
    assert said(capsys, "check", "tiny", "--repair").splitlines() == [
        "results/tiny/claims.csv is damaged: its content is not what was written. It is kept as "
        "results/tiny/.claims.csv.damaged; a run makes it again.",
        "Make what was damaged again: shakedown reproduce study.yaml",
    ]
    assert not path.exists()
    assert "No result" in said(capsys, "check", "tiny", "--repair")


def test_components_are_listed_with_their_parameters(capsys):
    text = said(capsys, "components")
    for word in ("Mechanisms", "ladderboot", "Metrics", "ccc"):
        assert word in text
    assert said(capsys, "components", "Mechanisms") == said(capsys, "components", "mechanism")
    text = said(capsys, "components", "mechanism", "ladderboot")
    for words in ("alpha (α): a number above 0 and below 1; needed", "{name: ladderboot, alpha:"):
        assert words in text


def test_every_component_has_a_page(capsys):
    from shakedown.cli.catalogue import REGISTRIES

    for kind, registry in REGISTRIES.items():
        for name in registry:
            text = said(capsys, "components", kind, name)
            # Figures of a page are drawn without being asked for.
            assert ("In a configuration" in text) != (kind in ("dry-run", "replay"))
            # A line may end behind a hyphen.
            assert "".join(registry.classes[name].sentence.split()) in "".join(text.split())


def test_a_component_of_ones_own_has_a_page(here, capsys):
    (here / "boards_of_a_command.py").write_text(
        "from shakedown.component import parameter\n"
        "from shakedown.leaderboard.mechanisms.kaggle import Kaggle\n\n\n"
        "class Tilted(Kaggle):\n"
        "    label, sentence = 'Tilted board', 'Shows a tilted score.'\n"
        "    tilt: float = parameter(0.5, ge=0, symbol='τ', description='How far it tilts.')\n"
    )
    text = said(capsys, "components", "mechanism", "boards_of_a_command.Tilted")
    assert "Tilted board (mechanism 'boards_of_a_command.Tilted')" in text
    assert "tilt (τ): a number of at least 0; default 0.5" in text


@pytest.mark.parametrize(
    "command", ["reproduce", "replay", "plan", "unlock", "board create", "dryrun --response y"]
)
def test_a_pipe_is_refused_and_nobody_waits_for_its_writer(here, command, capsys):
    os.mkfifo("my.yaml")
    assert "a pipe or a device; wanted a file." in said(capsys, *command.split(), "my.yaml", code=2)


def test_the_project_is_found(here):
    from shakedown.cli.project import configuration_file, project

    assert project() == ROOT
    assert configuration_file("config/test.yaml") == ROOT / "config/test.yaml"
    (here / "config").mkdir()
    (here / "config/test.yaml").touch()
    assert str(configuration_file("config/test.yaml")) == "config/test.yaml"

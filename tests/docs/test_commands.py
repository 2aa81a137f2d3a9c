"""Every command and every piece of Python of README and docs works."""

import ast
import json
import re
import runpy
import shlex
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import shakedown
from shakedown import data
from shakedown.cli import main
from shakedown.cli.arguments import parsed
from shakedown.cli.project import whole
from shakedown.data.store import save
from tests.cli.studies import shakedown as typed
from tests.docs.commands import ELSEWHERE, FOUND, MADE, RUN, RUN_IN_FULL, UNTESTED
from tests.docs.markdown import ROOT, TEXTS, blocks, name_of

FILES = re.compile(r"# (\S+\.(?:py|yaml))\n")
#: Pieces of Python that no test runs as a file of the tour or of a component, by their first line.
PYTHON = {
    "# make_table.py": "tests/live/test_running_board.py::test_the_commands_work_in_their_order",
    "# predict.py": "tests/live/test_running_board.py::test_the_commands_work_in_their_order",
    "# my_data.py": "tests/data/test_recipes.py::test_the_recipe_of_the_readme_works_as_it_stands",
    "# by_a_step.py": (
        "tests/attacks/test_published.py::test_the_gate_of_the_docs_publishes_its_step"
    ),
    "# attributes.py": "tests/docs/test_olfaction.py::test_the_script_writes_the_table",
    "# my_boards.py": "tests/docs/test_commands.py::test_a_command_works",
    "import pandas as pd": "tests/docs/test_commands.py::test_the_board_in_python_judges",
    'run = shakedown.dry_run("my.csv", response="y", submissions=100, minutes=1, progress=True)': (
        "tests/docs/test_commands.py::test_the_answers_in_python_are_there"
    ),
    'ladder = {"name": "general_ladder", "eta": 0.2, "defences": [{"name": "baseline"}]}': (
        "tests/docs/test_commands.py::test_the_answers_in_python_are_there"
    ),
    'replay = shakedown.replay_log("log.csv", "submissions.csv", public="set", metric="rmse")': (
        "tests/docs/test_commands.py::test_the_answers_in_python_are_there"
    ),
    'table = pd.read_parquet("results/default/traces/illustration_freedman.parquet")': (
        "tests/figures/test_two_lines.py::test_two_lines_make_a_figure"
    ),
}


def test_every_command_is_in_one_list_and_every_list_is_of_commands():
    lists = [RUN, RUN_IN_FULL, MADE, list(ELSEWHERE), list(UNTESTED)]
    known = [command for commands in lists for command in commands]
    assert sorted(known) == sorted(set(known))
    assert sorted(FOUND) == sorted(known)


@pytest.mark.parametrize("test", sorted({*ELSEWHERE.values(), *PYTHON.values()}))
def test_the_named_tests_exist(test):
    path, name = test.split("::")
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(
    "command", [command for command in FOUND if command.startswith("shakedown ")]
)
def test_its_arguments_are_those_of_the_command(command):
    parsed(shlex.split(command)[1:])


def test_commands_in_sentences_have_valid_arguments():
    commands = set()
    for path in TEXTS:
        text = path.read_text("utf-8")
        commands |= {
            re.sub(r"\s+", " ", words) for words in re.findall(r"`shakedown ([a-z][^`]*)`", text)
        }
    complete = {words for words in commands if " " in words and "--help" not in words}
    assert len(complete) > 15
    for words in complete:
        # Alone, `shakedown board export` is the name of a command and lacks a folder.
        if not re.fullmatch(r"(board )?\w+", words):
            parsed(shlex.split(words))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the files that the commands name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHAKEDOWN_DATABASE", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    for path in TEXTS:
        for block in blocks(path, "python", "yaml"):
            if name := FILES.match(block):
                (tmp_path / name[1]).write_text(block, "utf-8")
    (tmp_path / "results/my").mkdir(parents=True)
    recommendation = {
        "sentence": "Use LadderBoot: 100 submissions per participant are safe.",
        "submissions": 100,
        "recommended": {"setting": "ladderboot(alpha=0.15,b=10)+baseline"},
        "rests_on": {"metric": "mse", "public_rows": 20},
    }
    (tmp_path / "results/my/recommendation.json").write_text(json.dumps(recommendation))
    truth = np.random.default_rng(0).normal(size=40)
    sets = np.where(np.arange(40) % 2, "public", "final")
    rows = {"id": [f"p{k}" for k in range(40)], "truth": truth, "set": sets}
    pd.DataFrame(rows).to_csv("truth.csv", index=False)
    files = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 3)), columns=["a", "b", "c"])
    files.to_csv("predictions.csv", index=False)
    listing = {"submission": ["a", "b", "c"], "team": ["one", "two", "one"], "order": [1, 2, 3]}
    pd.DataFrame(listing).to_csv("submissions.csv", index=False)
    return tmp_path


def words_of(command):
    return shlex.split(command)[1:]


@pytest.mark.parametrize("command", RUN)
def test_a_command_works(command, here, capsys):
    if " replicate " in command:
        config = whole(ROOT / "config/test.yaml")
        entry = config["datasets"]["ad_like"]
        made = data.read("ad_like", entry, seed=config["seed"], folder=here)
        (here / "results/test/datasets").mkdir(parents=True)
        save(made, here / "results/test/datasets/ad_like.npz")
    assert main(words_of(command)) == 0
    assert capsys.readouterr().out.strip()


def test_the_answer_on_the_first_page_is_what_the_command_prints(capsys):
    page = ROOT / "docs/index.md"
    (shown,) = blocks(page, "text")
    command = blocks(page, "sh")[-1].strip()
    assert not main(words_of(command))
    assert capsys.readouterr().out == shown


@pytest.mark.full
@pytest.mark.parametrize("command", RUN_IN_FULL)
def test_a_study_runs(command, here):
    runpy.run_path("make_table.py")
    done = typed(here, *words_of(command))
    assert done.returncode == 0, done.stderr
    study = command.split("/")[-1].split()[-1].removesuffix(".yaml")
    assert (here / f"results/{study}/report.html").is_file()


@pytest.mark.parametrize("name", ["mine.yaml", "coarse.yaml"])
def test_configurations_are_valid(name, here):
    runpy.run_path("make_table.py")
    assert whole(here / name)["study"] == name.removesuffix(".yaml")


@pytest.mark.parametrize("command", MADE)
def test_make_has_a_recipe(command, tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.txt", "pyproject.toml", ".venv/.done"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    words = ["make", "--dry-run", *words_of(command)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {"reproduce": "shakedown reproduce", "dryrun": "shakedown dryrun",
            "test": "pytest", "docs": "sphinx"}[words[2]] in done.stdout  # fmt: skip


def test_targets_of_make_in_sentences_are_there():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in TEXTS:
        assert set(re.findall(r"`make ([a-z]+)", path.read_text("utf-8"))) <= targets, path


def test_modules_in_sentences_are_there():
    names = set()
    for path in TEXTS:
        names |= set(re.findall(r"`python -m ([\w.]+)", path.read_text("utf-8")))
    for name in names:
        place = ROOT / ("src" if name.startswith("shakedown") else "") / name.replace(".", "/")
        assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), name


def test_every_piece_of_python_has_its_test():
    lines = {block.splitlines()[0] for path in TEXTS for block in blocks(path, "python")}
    assert lines == set(PYTHON)


def test_the_board_in_python_judges():
    (code, *_) = blocks(ROOT / "docs/in_python.md", "python")
    *lines, last = code.strip().splitlines()
    rng = np.random.default_rng(0)
    given = {"y_public": rng.normal(size=30), "predictions": rng.normal(size=(4, 30))}
    exec("\n".join(lines), given)
    assert eval(last.partition("#")[0], given).shape == (4,)
    assert isinstance(given["board"], shakedown.Board)


@pytest.mark.full  # plays dry runs
def test_the_answers_in_python_are_there(tmp_path, monkeypatch, capsys):
    """Their dry runs are made short."""
    monkeypatch.chdir(tmp_path)
    few = {"submissions": 20, "largest_budget": 20, "fewest_replicates": 12, "seed": 1}
    few |= {"most_replicates": 12, "honest_replicates": 2, "minutes": 0.01, "progress": False}
    few["mechanisms"] = [{"name": "full_disclosure"}, {"name": "ladder", "alpha": 0.01}]
    play, kinds = shakedown.dry_run, []

    def short(data, *arguments, **settings):
        kinds.append(type(data).__name__)
        return play(data, *arguments, **settings | few)

    monkeypatch.setattr(shakedown, "dry_run", short)
    log = pd.read_csv(ROOT / "tests/data/log.csv")
    log = log.rename(columns={"patient": "id", "progression": "truth"})
    log.to_csv("log.csv", index=False)
    shutil.copy(ROOT / "tests/data/log_submissions.csv", "submissions.csv")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(66, 3))
    y = X[:, 0] + rng.normal(size=66)
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_csv("my.csv", index=False)
    _, *answers = blocks(ROOT / "docs/in_python.md", "python")
    given = {"shakedown": shakedown, "X": X, "y": y}
    for code in answers[:3]:
        exec(code, given)
    assert kinds == ["str", "ndarray"]
    assert "<h2>Answer</h2>" in (tmp_path / "dryrun.html").read_text("utf-8")
    assert given["leak"].answer["gain_mean"] == pytest.approx(0.168, abs=5e-4)
    needed = given["leak"].limits.set_index("limit")["on_average"]
    assert (needed["rows"], needed["submissions"]) == (639, 18)
    assert f"print(replay)  # {given['replay'].answer}\n" in "".join(answers)
    first, rest = capsys.readouterr().out.split("\n", 1)
    assert "20 submissions per participant" in first
    assert rest.startswith("With the sets as they are (22 final rows) the best of 20 teams")
    assert rest.endswith(f"\n{given['replay']}\n{given['leak']}\n")


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_a_block_says_its_language(path):
    kinds = {"sh", "python", "yaml", "text", "csv", "json", "{toctree}", "{eval-rst}"}
    languages = re.findall(r"^```(.*)\n(?:.*\n)*?```$", path.read_text("utf-8"), re.MULTILINE)
    assert set(languages) <= kinds

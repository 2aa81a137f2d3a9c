"""What is imported is declared, and every list of dependencies says the same."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TABLE = (ROOT / "docs/dependencies.md").read_text()
#: Names under which conda-forge has packages without what a study does not need.
IN_CONDA = {
    "matplotlib": "matplotlib-base",
    "seaborn": "seaborn-base",
    "snakemake": "snakemake-minimal",
}
#: Modules whose names are not those of their packages, or that come with another package.
PACKAGES = {
    "PIL": "matplotlib",
    "llvmlite": "numba",
    "docutils": "sphinx",
    "markupsafe": "jinja2",
    "pydantic_core": "pydantic",
    "sklearn": "scikit-learn",
    "snakemake_interface_logger_plugins": "snakemake-interface-logger-plugins",
    "yaml": "pyyaml",
}
#: Packages that others import: drivers, the engine and its report.
UNSEEN = {
    *("psycopg", "pygments", "python-multipart", "snakemake"),
    "snakemake-executor-plugin-slurm",
    *("furo", "myst-parser", "sphinx"),  # named in the site's configuration
}


def named(requirements):
    parsed = map(Requirement, requirements)
    return {canonicalize_name(requirement.name): requirement for requirement in parsed}


RUNS = named(PROJECT["dependencies"])
BOARD = named(PROJECT["optional-dependencies"]["board"])
TEST = named(PROJECT["optional-dependencies"]["test"])
DOCS = named(PROJECT["optional-dependencies"]["docs"])
EVERY = RUNS | BOARD | TEST | DOCS
LOCKED = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(), re.M))


def imported(folder):
    """Packages that the modules in a folder import."""
    packages = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                packages |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                packages.add(node.module.partition(".")[0])
    packages -= set(sys.stdlib_module_names) | {"shakedown"}
    return {PACKAGES.get(package, package) for package in packages}


def test_a_study_needs_what_is_declared_and_no_more():
    package = ROOT / "src/shakedown"
    inside = {path for path in package.iterdir() if path.is_dir() and path.name != "live"}
    beside = ROOT / "workflow/scripts", ROOT / "src/snakemake_logger_plugin_shakedown"
    used = set().union(*map(imported, [*inside, *beside]))
    # The command imports the database for `shakedown board` only.
    assert used - {"sqlalchemy"} | {"numba"} <= set(RUNS)
    assert set(RUNS) - imported(ROOT / "src") == UNSEEN & set(RUNS)


#: Modules of the running board that read files; they need none of its packages.
READERS = {"shakedown.live.truth", "shakedown.live.truth_file", "shakedown.live.predictions"}


def test_nothing_but_the_command_imports_the_running_board():
    """Who has no board installs nothing for one."""
    package = ROOT / "src/shakedown"
    using = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if "live" not in path.relative_to(package).parts
        and any(
            (module or "").startswith("shakedown.live") and module not in READERS
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            for module in _modules(node)
        )
    }
    assert using == {"cli/board_commands.py"}


def test_who_has_won_needs_no_package_of_a_running_board():
    blocked = [name.replace("-", "_").partition("[")[0] for name in BOARD]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked + ['multipart']!r}));"
        "import shakedown.questions.winner, shakedown.questions.design"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _modules(node):
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []


def test_a_running_board_needs_what_is_declared_and_no_more():
    used = imported(ROOT / "src/shakedown/live")
    assert used <= set(RUNS) | set(BOARD)
    assert set(BOARD) - used == UNSEEN & set(BOARD)


def test_the_site_needs_what_is_declared_and_no_more():
    used = imported(ROOT / "docs/extensions")
    assert used <= set(DOCS)
    assert set(DOCS) - used <= UNSEEN


def test_conda_gets_the_same_bounds():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = named(line.replace(" ", "", 1) for line in lines)
    python = conda.pop("python").specifier
    assert str(python) == "<3.14,>=3.11"
    assert PROJECT["requires-python"] == ">=3.11"
    wanted = RUNS | BOARD
    names = {IN_CONDA.get(name, name): name for name in wanted | TEST}
    assert set(conda) >= {IN_CONDA.get(name, name) for name in wanted}
    for name, requirement in conda.items():
        assert requirement.specifier == (wanted | TEST)[names[name]].specifier, name


@pytest.mark.parametrize("name", EVERY)
def test_the_lock_and_the_table_have_every_dependency(name):
    requirement = EVERY[name]
    assert Version(LOCKED[name]) in requirement.specifier
    assert any(operator.operator == ">=" for operator in requirement.specifier), "no lower bound"
    rows = [line for line in TABLE.splitlines() if line.startswith("| ")]
    packages = [row.split("|")[1].replace(",", " ").split() for row in rows]
    assert sum(name in row for row in packages) == 1


def test_the_table_has_nothing_else():
    rows = re.findall(r"^\| ([a-z][\w, -]*) \|", TABLE, re.M)
    named = {name for row in rows for name in row.replace(",", " ").split()} - {"package"}
    assert named == set(EVERY)

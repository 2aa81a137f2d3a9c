"""``import shakedown``: fast, with the names that a user needs, and help that is true."""

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import shakedown

PACKAGE = Path(shakedown.__file__).parent


def test_the_examples_of_its_help_are_true():
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testmod(shakedown, optionflags=flags)
    assert result.attempted > 10
    assert result.failed == 0


@pytest.mark.parametrize(
    "name", ["design", "dry_run", "leak", "meter_files", "replay_log", "winner"]
)
def test_the_examples_of_a_question_are_true(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(import_module(f"shakedown.questions.{name}"), optionflags=flags)
    assert result.attempted > 3
    assert result.failed == 0


@pytest.mark.parametrize("name", shakedown.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name):
    assert getattr(shakedown, name).__doc__
    assert name in dir(shakedown)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'mechansim'"):
        shakedown.mechansim  # noqa: B018


def test_the_import_loads_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import shakedown;"
        "new = set(sys.modules) - before;"
        "print(*sorted(n for n in new if n.split('.')[0] not in sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["shakedown"]


def test_the_package_itself_imports_no_public_name():
    """They are imported by name, which the digest of a script's code does not see."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "shakedown":
                names = {alias.name for alias in node.names}
                assert not names & set(shakedown.__all__), path

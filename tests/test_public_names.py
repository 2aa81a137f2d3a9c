"""``import shakedown``: fast, with the names that a user needs, and help that is true."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shakedown

PACKAGE = Path(shakedown.__file__).parent


def test_the_examples_of_its_help_are_true():
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testmod(shakedown, optionflags=flags)
    assert result.attempted > 10
    assert result.failed == 0


def test_its_help_begins_with_the_questions_and_names_all_of_them():
    text = shakedown.__doc__
    questions = [
        name for name in shakedown.__all__ if shakedown._PUBLIC[name].startswith("question")
    ]
    assert len(questions) == 6
    assert all(f"shakedown.{name}" in text for name in questions)
    examples = [e.source for e in doctest.DocTestParser().get_examples(text)]
    calls = re.findall(r"shakedown\.([a-z]\w+)\(", "".join(examples))
    assert calls[:2] == ["dry_run", "leak"]


@pytest.mark.parametrize("name", shakedown.__all__)
def test_every_public_name_has_an_example_that_prints_and_is_true(name):
    text = inspect.getdoc(getattr(shakedown, name))
    head, _, shown = text.partition("\nExamples\n--------\n")
    assert head
    test = doctest.DocTestParser().get_doctest(shown, {}, name, None, None)
    assert any(example.want for example in test.examples)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(test)
    assert not result.failed
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

"""The mutants are what they are said to be; ``python -m tests.mutants`` tries them."""

import ast

import pytest

from tests.mutants.known import SAME
from tests.mutants.listed import PLANS, concerned, mutants
from tests.mutants.making import mutants_of
from tests.mutants.mutant import ROOT, source_of

MUTANTS = mutants()


def test_there_are_many_and_each_is_another_program():
    assert len(MUTANTS) >= 650
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    for mutant in MUTANTS:
        source = source_of(mutant.file)
        changed = mutant.applied(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant.name


@pytest.mark.parametrize("file", PLANS)
def test_the_tests_of_a_file_exist(file):
    for path, _, test in (name.partition("::") for name in concerned(file, more=True)):
        assert f"def {test}" in (ROOT / "tests" / path).read_text()


def test_reasons_are_sentences():
    assert all(reason.endswith(".") for reason in SAME.values())


def test_other_lines_do_not_change_which_mutants_are_made(monkeypatch):
    file = "theory/bounds.py"
    before = [mutant.name for mutant in mutants_of(file)]
    source = source_of(file)
    monkeypatch.setattr("tests.mutants.making.source_of", lambda _: f"'''Ä\n'''\n{source}")
    assert [mutant.name for mutant in mutants_of(file)] == before

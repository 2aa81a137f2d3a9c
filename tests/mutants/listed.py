"""Which mutants are tried: those written by hand, and some that are made of each file."""

from __future__ import annotations

from tests.mutants.by_hand import BY_HAND
from tests.mutants.making import mutants_of
from tests.mutants.mutant import Mutant, source_of
from tests.mutants.plans import PLANS


def mutants() -> list[Mutant]:
    """All mutants, in the order of `PLANS`; those by hand first."""
    made = []
    for file, plan in PLANS.items():
        source = source_of(file)
        made += [_by_hand(source, *change) for change in BY_HAND if change[0] == file]
        named = {mutant.name for mutant in made}
        made += [mutant for mutant in mutants_of(file)[: plan.made] if mutant.name not in named]
    return made


def concerned(file: str, *, more: bool = False) -> list[str]:
    """The tests that concern a file, as pytest names them within `tests`."""
    plan = PLANS[file]
    named = f"{plan.tests} {plan.more if more else ''}".split()
    parts = (test.partition("::") for test in named)
    split = ((path.rpartition("/"), colons + test) for path, colons, test in parts)
    return [f"{folder}/test_{name}.py{test}" for (folder, _, name), test in split]


def _by_hand(source: str, file: str, old: str, new: str) -> Mutant:
    if source.count(old) != 1:
        raise ValueError(f"{file}: wanted {old!r} once, got {source.count(old)} times.")
    start = source.index(old)
    return Mutant(file, "by hand", old, new, 0, start, start + len(old))

"""A claim: a statement of a paper, and the function that measures what it says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shakedown.claims.requirement import Requirement
from shakedown.component import imported_module, working_folder
from shakedown.interface import InputError, guess

#: Only statistical claims are counted in the headline.
CLAIM_KINDS = ("statistical", "arithmetic", "carried over")

#: Who chose what is asked of the number: the paper, whose text has the bound (or asks only for the
#: direction of a difference), or we, where the text has words.
PAPER, CHOSEN = "paper", "ours"

#: Source of a claim that carries a statement of the paper over to other data.
OURS = "ours, on real data"


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement that a study can check; what each text says is in the package's docstring."""

    id: str
    source: str
    kind: str
    statement: str
    note: str
    seen: str
    figure: str
    required: Requirement
    dataset: str  # of rows for which the function names none
    measure: Callable[[Any], Any]  # takes a `Study`
    bound: str = PAPER  # or CHOSEN
    literal: Requirement | None = None  # what the text asks, word for word, if it is something else
    measure_literally: Callable[[Any], Any] | None = None  # as `measure`, of what the text names
    also: tuple[Claim, ...] = ()  # the same on other data sets

    @property
    def place(self) -> tuple[str, int]:
        """Module and line of the function."""
        function = getattr(self.measure, "func", self.measure)  # that of all cases
        return function.__module__, function.__code__.co_firstlineno


def claim(
    source: str,
    *,
    required: str = "",
    chosen: str = "",
    literally: str = "",
    figure: str = "",
    kind: str = "statistical",
    on: str = "",
    also_on: str | Mapping[str, str] = (),
    cases: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[Callable], Claim | tuple[Claim, ...]]:
    """Makes a claim of a function, or one for each of several cases.

    Parameters
    ----------
    source : str
        Where it is said, such as "[C] Fig. 2a, b".
    required : str
        What the text asks of the measured number, see `Requirement.parse`.
    chosen : str
        In its place, what we ask where the text has no number.  The claim is counted apart.
    literally : str
        What the text asks word for word, where `chosen` is something else; shown beside the claim.
        It is asked of the same number, or of what the function measures with ``literally=True`` if
        it has this argument.
    figure : str
        The figure of the configuration that shows it.
    kind : str
        "statistical", or "arithmetic" for what follows without any replicate, or cannot fail.
    on : str
        The data set on which it is checked.
    also_on : str or mapping of str to str
        Other data sets on which the same is checked, with the figure that shows it there.
    cases : mapping of str to mapping, optional
        Numbers and words by the id of a claim: one claim for each.  The function takes those that
        it names as arguments; `source`, `required` and the docstring have them in braces.

    Raises
    ------
    InputError
        If the docstring has no statement or an unknown paragraph, or an argument cannot be.
    """

    asked, bound = (chosen, CHOSEN) if chosen else (required, PAPER)
    others = {also_on: ""} if isinstance(also_on, str) else dict(also_on)

    def made(function: Callable, name: str, case: Mapping[str, Any] | None) -> Claim:
        taken = inspect.signature(function).parameters
        says, asks, where, measure = function.__doc__ or "", asked, source, function
        if case is not None:
            says, asks, where = (text.format_map(case) for text in (says, asks, where))
            measure = partial(function, **{k: v for k, v in case.items() if k in taken})
        literal, measure_literally = None, None
        try:
            if bool(required) == bool(chosen):
                raise InputError("wanted one of `required` and `chosen`. Give what is asked once.")
            if literally:
                literal = Requirement.parse(literally)
                measure_literally = (
                    partial(measure, literally=True) if "literally" in taken else measure
                )
            text = _paragraphs(says, list(others))
            ours = Claim(
                *(name, where, kind, text["statement"], text["Note"], text["Seen"], figure),
                *(Requirement.parse(asks), on, measure, bound, literal, measure_literally),
            )
            other = function.__globals__.get(name)
            if isinstance(other, Claim) and other.place != ours.place:
                raise InputError(f"the id '{name}' stands there twice. Rename one of them.")
            if kind not in CLAIM_KINDS:
                wanted = ", ".join(CLAIM_KINDS)
                raise InputError(
                    f"kind '{kind}' is unknown.{guess(kind, CLAIM_KINDS)} Wanted one of {wanted}."
                )
            if others and not on:
                raise InputError("`also_on` changes the data set, so `on` must name one.")
        except InputError as e:
            raise InputError(f"Claim {name} in {function.__module__}: {e}") from None
        theirs = [
            replace(
                ours,
                id=f"{name}_{dataset}",
                source=OURS,
                kind="carried over",
                statement=f"On {dataset}: {ours.statement}",
                note=text[f"Note on {dataset}"] or ours.note,
                seen=text[f"Seen on {dataset}"],
                figure=shown,
                dataset=dataset,
            )
            for dataset, shown in others.items()
        ]
        return replace(ours, also=tuple(theirs))

    def decorate(function: Callable) -> Claim | tuple[Claim, ...]:
        if cases is None:
            return made(function, function.__name__, None)
        return tuple(made(function, name, case) for name, case in cases.items())

    return decorate


def load(modules: Iterable[str]) -> list[Claim]:
    """The claims of some modules, in their order and as they stand in each.

    Modules in the working folder are found, too.  A package has the claims of the modules that its
    `__all__` names.  InputError if a module cannot be imported or has no claim, or two claims have
    the same id.
    """
    claims: dict[str, Claim] = {}
    for path in modules:
        of_module = [claim for own in _claims(path) for claim in (own, *own.also)]
        if not of_module:
            raise InputError(
                f"Module {path} has no claims. Decorate its functions with "
                "shakedown.claims.claim, or take it out of the configuration key claims."
            )
        for claim in of_module:
            if claim.id in claims:
                raise InputError(
                    f"Claim {claim.id} in {claim.place[0]}: the id is taken by a claim of "
                    f"{claims[claim.id].place[0]}. Rename one of them."
                )
            claims[claim.id] = claim
    return list(claims.values())


def _claims(path: str) -> Iterator[Claim]:
    module = imported_module(path, f"claims '{path}'", "a module with claims")
    if hasattr(module, "__path__"):
        for name in module.__all__:
            yield from _claims(f"{path}.{name}")
    for value in vars(module).values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Claim) and part.place[0] == module.__name__:
                yield part


def files_of(module: str) -> list[Path]:
    """The files of a module or package of claims; InputError if there is none."""
    try:
        with working_folder():
            spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise InputError(
            f"module '{module}' is not found. Wanted the import path of a module with claims, such "
            "as shakedown.claims.zheng, or the name of a file in the folder where the study is "
            "run, without its .py."
        )
    origin = Path(spec.origin)
    return sorted(origin.parent.glob("*.py")) if spec.submodule_search_locations else [origin]


def _paragraphs(text: str, datasets: list[str]) -> dict[str, str]:
    """The statement, and the paragraphs that start with Note, Seen, or these on a data set."""
    places = [f"{a}{b}" for a in ("Note", "Seen") for b in ("", *(f" on {d}" for d in datasets))]
    first, *others = (" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
    if not first:
        raise InputError("its docstring must start with the statement, got none.")
    paragraphs = dict.fromkeys(places, "") | {"statement": first}
    for paragraph in others:
        place, colon, rest = paragraph.partition(":")
        if not colon or place not in places:
            raise InputError(
                f"a paragraph of its docstring starts with '{paragraph[:30]}'; wanted one of "
                f"{', '.join(f'{p}:' for p in places)}."
            )
        paragraphs[place] = rest.strip()
    return paragraphs

"""List the components that a configuration can name, with their parameters."""

from __future__ import annotations

from textwrap import fill, wrap

import yaml
from pydantic import BaseModel

from shakedown.attacks.attack import ATTACKS
from shakedown.component import Component, Registry, described
from shakedown.data.recipe import RECIPES
from shakedown.figures import FIGURE_KINDS
from shakedown.figures.dryrun.figure import DRY_RUN_FIGURES
from shakedown.figures.pages import PageFigure
from shakedown.figures.replay.figure import REPLAY_FIGURES
from shakedown.interface import InputError, guess
from shakedown.leaderboard.defence import DEFENCES
from shakedown.leaderboard.mechanism import MECHANISMS
from shakedown.metrics import METRICS

#: By the command's word for the kind.
REGISTRIES: dict[str, Registry] = {
    one.base.kind.partition(" ")[0]: one
    for one in (
        MECHANISMS,
        DEFENCES,
        ATTACKS,
        METRICS,
        RECIPES,
        FIGURE_KINDS,
        DRY_RUN_FIGURES,
        REPLAY_FIGURES,
    )  # fmt: skip
}
WIDTH = 100


def catalogue(kind: str | None = None, name: str | None = None) -> str:
    """The components, one per line; or one of them, with its parameters and an example.

    The kind is one of `REGISTRIES` or its plural, by default all.  A user's component is named by
    its import path.  Raises an InputError if there is none.
    """
    if kind is None:
        return "\n\n".join(
            f"{one.base.kind.capitalize()}s\n{_listed(one)}" for one in REGISTRIES.values()
        )
    chosen = kind.lower().removesuffix("s")
    if chosen not in REGISTRIES:
        raise InputError(
            f"There is no kind of component '{kind}'.{guess(kind, REGISTRIES)} "
            f"Wanted one of: {', '.join(REGISTRIES)}."
        )
    registry = REGISTRIES[chosen]
    return _listed(registry) if name is None else _page(chosen, registry.find(name))


def _listed(registry: Registry) -> str:
    width = max(map(len, registry))
    return "\n".join(
        fill(
            f"{one.label}: {one.sentence}",
            WIDTH,
            initial_indent=f"  {name:<{width}}  ",
            subsequent_indent=" " * (width + 4),
        )
        for name, one in registry.classes.items()
    )


def _page(kind: str, one: type[Component]) -> str:
    lines = [f"{one.label} ({kind} '{one.name}')", *wrap(one.sentence, WIDTH)]
    if one.source:
        lines.append(f"Source: {one.source}")
    lines += ["", "Parameters" if one.model_fields else "No parameters."]
    nodes = one.model_json_schema().get("properties", {})
    for key, field in one.model_fields.items():
        key = field.alias or key
        symbol = f" ({field.title})" if field.title not in (None, key) else ""
        try:
            wanted = described(nodes[key])
        except KeyError:  # a reference to a model of its own
            wanted = "settings (key: value)"
        default = "needed" if field.is_required() else f"default {_yaml(field.get_default())}"
        lines.append(f"  {key}{symbol}: {wanted}; {default}")
        lines += [f"    {line}" for line in wrap(field.description or "", WIDTH - 4)]
    if issubclass(one, PageFigure):  # drawn for every study of its kind
        return "\n".join(lines)
    naming = {"recipe": "recipe", "figure": "kind"}.get(kind, "name")
    example = {naming: one.name, **(one.examples or ({},))[0]}
    return "\n".join([*lines, "", "In a configuration", f"  {_yaml(example)}"])


def _yaml(value: object) -> str:
    """A value as YAML, on one line."""
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_none=True)
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1000)
    return text.removesuffix("...\n").strip()

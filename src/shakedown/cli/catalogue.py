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
    registry.base.kind.partition(" ")[0]: registry
    for registry in (
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
            f"{registry.base.kind.capitalize()}s\n{_listed(registry)}"
            for registry in REGISTRIES.values()
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
            f"{component.label}: {component.sentence}",
            WIDTH,
            initial_indent=f"  {name:<{width}}  ",
            subsequent_indent=" " * (width + 4),
        )
        for name, component in registry.classes.items()
    )


def _page(kind: str, component: type[Component]) -> str:
    lines = [f"{component.label} ({kind} '{component.name}')", *wrap(component.sentence, WIDTH)]
    if component.source:
        lines.append(f"Source: {component.source}")
    lines += ["", "Parameters" if component.model_fields else "No parameters."]
    nodes = component.model_json_schema().get("properties", {})
    for key, field in component.model_fields.items():
        key = field.alias or key
        symbol = f" ({field.title})" if field.title not in (None, key) else ""
        try:
            wanted = described(nodes[key])
        except KeyError:  # a reference to a model of its own
            wanted = "settings (key: value)"
        default = "needed" if field.is_required() else f"default {_yaml(field.get_default())}"
        lines.append(f"  {key}{symbol}: {wanted}; {default}")
        lines += [f"    {line}" for line in wrap(field.description or "", WIDTH - 4)]
    if issubclass(component, PageFigure):  # drawn for every study of its kind
        return "\n".join(lines)
    naming = {"recipe": "recipe", "figure": "kind"}.get(kind, "name")
    example = {naming: component.name, **(component.examples or ({},))[0]}
    return "\n".join([*lines, "", "In a configuration", f"  {_yaml(example)}"])


def _yaml(value: object) -> str:
    """A value as YAML, on one line."""
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_none=True)
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1000)
    return text.removesuffix("...\n").strip()

"""The parts of a study in their own words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from shakedown.attacks.attack import ATTACKS, Attack
from shakedown.component import Component
from shakedown.data.designs import DESIGNS
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find


def glossary(summary: pd.DataFrame, attacks: Sequence[Attack] = ()) -> list[tuple[str, str]]:
    """Designs, attacks, mechanisms and metrics of a study, and their parameters.

    Parameters
    ----------
    summary : DataFrame
        What was played.
    attacks : sequence of Attack
        The same attacks with their parameters, which the tables do not hold.

    Returns
    -------
    list of (str, str)
        Word and meaning.
    """
    names = {name: summary[name].astype(str).unique() for name in ("design", "attack", "metric")}
    return [
        *(DESIGNS[name] for name in names["design"] if name in DESIGNS),
        *explained([*map(ATTACKS.find, names["attack"]), *attacks], prefixed=True),
        *explained(settings_in(summary)),
        *explained(find(name) for name in names["metric"]),
    ]


def explained(
    components: Iterable[Component | type[Component]], *, prefixed: bool = False
) -> list[tuple[str, str]]:
    """Components by their labels, then the parameters that their labels show.

    With `prefixed` the label stands before a parameter, where components share none.
    """
    kinds, parameters = {}, {}
    for component in components:
        source = f" ({component.source})" if component.source else ""
        kinds[component.label] = f"{component.sentence}{source}"
        if isinstance(component, type):  # without parameters
            continue
        for key, field in type(component).model_fields.items():
            if component.shown(key):
                word = (
                    f"{component.label}: {component.symbol(key)}"
                    if prefixed
                    else component.symbol(key)
                )
                parameters.setdefault(word, field.description)
    return [*kinds.items(), *parameters.items()]

"""Which games can be played: whether attack, design, metric, mechanisms and model go together."""

from __future__ import annotations

from collections.abc import Iterable

from shakedown.attacks.attack import ATTACKS, Attack, sizes
from shakedown.attacks.models import final_model
from shakedown.data.splits import LABELS
from shakedown.interface import InputError
from shakedown.leaderboard.gates import check
from shakedown.leaderboard.mechanism import Mechanism, mechanisms
from shakedown.metrics import ZERO_ONE, Metric, check_standardised, find


def checked_settings(settings: dict, designs: Iterable[str]) -> tuple[Metric, list[Mechanism]]:
    """The metric and the mechanisms of an experiment, checked without any data.

    Raises
    ------
    InputError
        If attack, metric, mechanisms, designs and model do not fit together.
    """
    metric, found = find(settings["metric"]), mechanisms(settings["mechanisms"])
    attack = type(sizes(settings["attack"])[0][1])
    if attack.on_labels:
        check_label_game(attack, designs, metric)
    elif LABELS in designs:
        raise InputError(
            f"attack '{attack.name}' selects features, and the design 'labels' has none. Use one "
            f"of {_names(on_labels=True)}, or other designs."
        )
    else:
        check_game(metric, found, settings.get("model", "ols"))
    for mechanism in found:
        check_shown(mechanism, attack.reads)
    return metric, found


def check_game(metric: Metric, mechanisms: Iterable[Mechanism], model: str | dict) -> None:
    """Refuse what cannot be played on standardised responses.

    Raises
    ------
    InputError
        If the metric needs other responses, a gate cannot judge it, or there is no such model.
    """
    if metric.loss == ZERO_ONE:
        raise InputError(
            f"metric '{metric.name}' compares labels, and the designs scale the response, so no "
            "prediction would ever match. Use another metric, or the design 'labels'."
        )
    check_standardised(metric)
    for mechanism in mechanisms:
        check(mechanism.gate, metric)
    final_model(model)


def check_label_game(attack: type[Attack], designs: Iterable[str], metric: Metric) -> None:
    """Refuse what cannot be played on labels 0 and 1.

    Raises
    ------
    InputError
        If design or metric are not those of labels.
    """
    if list(designs) != [LABELS] or metric.loss != ZERO_ONE:
        raise InputError(
            f"attack '{attack.name}' guesses labels: wanted designs [labels] and metric zero_one, "
            f"got designs {list(designs)} and metric '{metric.name}'. Write `designs: [labels]` "
            "and `metric: zero_one`."
        )


def check_shown(mechanism: Mechanism, reads: str = "scores") -> None:
    """Refuse a mechanism that does not show what an attack reads.

    A board that shows nothing is playable: its scores are all the same.

    Raises
    ------
    InputError
        If only one of them is ranks.
    """
    if mechanism.shows_ranks != (reads == "ranks"):
        raise InputError(
            f"mechanism '{mechanism.name}' shows {mechanism.shows}, but the attack reads {reads}. "
            f"Attacks that read ranks: {_names(reads='ranks')}; all others read scores."
        )


def _names(**wanted: object) -> list[str]:
    """Attacks whose attributes have these values."""
    return [
        name
        for name, one in ATTACKS.classes.items()
        if all(getattr(one, key) == value for key, value in wanted.items())
    ]

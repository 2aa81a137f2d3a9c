"""Which games can be played: whether attack, design, metric, mechanisms and model go together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shakedown.attacks import ATTACKS, ON_LABELS
from shakedown.attacks.guesses import checked_points
from shakedown.attacks.models import final_model
from shakedown.interface import InputError, View
from shakedown.leaderboard.catalogue import Mechanism, mechanisms
from shakedown.leaderboard.gates import check
from shakedown.metrics import ZERO_ONE, Metric, check_standardised, find
from shakedown.splits import FEWEST_ROWS, LABELS


def checked_settings(
    name: str, settings: dict, designs: Iterable[str]
) -> tuple[Metric, list[Mechanism]]:
    """The metric and the mechanisms of an experiment, checked without any data.

    Raises
    ------
    InputError
        With the experiment's name, if a metric, mechanism, gate or model does not fit.
    """
    try:
        metric, found = find(settings["metric"]), mechanisms(settings["mechanisms"])
        attack = settings["attack"]["name"]
        if attack not in ATTACKS:
            raise InputError(f"attack '{attack}': wanted one of {sorted(ATTACKS)}.")
        if attack in ON_LABELS:
            check_label_game(attack, designs, metric, found)
            _check_options(settings["attack"])
        else:
            if LABELS in designs:
                raise InputError(
                    f"attack '{attack}' goes by features, and the design 'labels' has none. Use "
                    f"one of {sorted(ON_LABELS)}, or other designs."
                )
            check_game(metric, found, settings.get("model", "ols"))
    except InputError as e:
        raise InputError(f"experiment '{name}': {e}") from e
    return metric, found


def _check_options(attack: dict) -> None:
    """Let an attack on labels refuse its options, as far as they do not hang on the labels."""
    options = {key: value for key, value in attack.items() if key not in ("name", "points")}
    if "submissions" in options:
        checked_points(attack["name"], attack.get("points"), options["submissions"])
        options["submissions"] = 1
    n = FEWEST_ROWS
    view = View(np.empty((0, 0)), np.empty(0), np.empty((n, 0)), np.empty((n, 0)))
    ON_LABELS[attack["name"]](view, None, rng=np.random.default_rng(0), **options)


def check_game(metric: Metric, mechanisms: Iterable[Mechanism], model: str | dict) -> None:
    """Refuse what cannot be played on standardised responses.

    Raises
    ------
    InputError
        If the metric needs other responses, a gate cannot judge it, or there is no such model.
    """
    if metric.loss == ZERO_ONE:
        raise InputError(
            "metric 'zero_one' compares labels, and the designs scale the response, so no "
            "prediction would ever hit. Use another metric here; the design 'labels' takes it."
        )
    check_standardised(metric)
    for mechanism in mechanisms:
        check(mechanism.gate, metric)
        if mechanism.shows_ranks:
            raise InputError(
                f"mechanism '{mechanism.name}' shows ranks alone, which only the attack "
                "two_accounts reads. Use another mechanism."
            )
    final_model(model)


def check_label_game(
    attack: str, designs: Iterable[str], metric: Metric, mechanisms: Iterable[Mechanism]
) -> None:
    """Refuse what cannot be played on labels 0 and 1.

    Raises
    ------
    InputError
        If design or metric are not those of labels, or the attack does not understand a board.
    """
    if list(designs) != [LABELS] or metric.loss != ZERO_ONE:
        raise InputError(
            f"attack '{attack}' guesses labels: wanted designs [labels] and metric zero_one, got "
            f"designs {list(designs)} and metric '{metric.name}'. Write `designs: [labels]` and "
            "`metric: zero_one`."
        )
    for mechanism in mechanisms:
        if mechanism.shows_ranks != (attack == "two_accounts"):
            raise InputError(
                f"attack '{attack}' reads {'ranks' if attack == 'two_accounts' else 'scores'}, and "
                f"mechanism '{mechanism.name}' shows no such thing. Play two_accounts against "
                "rank_board, and the other attacks against the other mechanisms."
            )

"""Check that attack, design, metric, mechanisms and model fit together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shakedown.attacks.attack import ATTACKS, Attack, sizes
from shakedown.attacks.models import check_model
from shakedown.data.designs import LABELS, OF_LABELS, PERMUTED_LABELS
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism, mechanisms
from shakedown.metrics import METRICS, ZERO_ONE, Metric, check_standardised, find, is_known

if TYPE_CHECKING:
    from shakedown.attacks.settings import Model


@dataclass(frozen=True)
class Playable:
    """What decides how the replicates of an experiment go; see `attacks.attack.sizes`."""

    metric: Metric
    mechanisms: list[Mechanism]
    sizes: list[tuple[int | None, Attack]]
    features: int | None
    feature_subset: str
    model: Model

    @property
    def attack(self) -> type[Attack]:
        """The attack, whatever its size."""
        return type(self.sizes[0][1])


def playable(
    settings: Mapping[str, Any], designs: Iterable[str], *, calls: bool = True
) -> Playable:
    """An experiment's settings as what they name, checked without any data.

    Parameters
    ----------
    settings : mapping
        `metric`, `mechanisms`, `attack` and, if given, `features`, `feature_subset` and `model`, as
        in a configuration; others do not matter.
    designs : iterable of str
    calls : bool
        As in `check_game`.

    Raises
    ------
    InputError
        If attack, metric, mechanisms, designs and model do not fit together.
    """
    model = settings.get("model", "ols")
    if isinstance(model, Mapping):
        # Imported here because most jobs have no such model, and it takes long.
        from shakedown.attacks.settings import RegressorEntry

        model = RegressorEntry.model_validate(model)
    made = Playable(
        find(settings["metric"]),
        mechanisms(settings["mechanisms"]),
        sizes(settings["attack"]),
        settings.get("features"),
        settings.get("feature_subset", "study"),
        model,
    )
    metric, attack = made.metric, made.attack
    if attack.on_labels or set(designs) & set(OF_LABELS):
        check_label_game(attack, designs, metric)
        if attack.classifies:
            check_model(made.model, metric)
    else:
        check_game(metric, made.mechanisms, made.model, calls=calls)
        if not attack.reads_metric(metric):
            known = METRICS.classes.items()
            read = attack.metrics or [name for name, kind in known if attack.reads_metric(kind())]
            raise InputError(
                f"attack '{attack.name}' reads scores of the metrics {', '.join(read)}; got "
                f"'{metric.name}'. Use one of them, or another attack."
            )
    for mechanism in made.mechanisms:
        check_shown(mechanism, attack.reads)
    return made


def check_game(
    metric: Metric, mechanisms: Iterable[Mechanism], model: Model, *, calls: bool = True
) -> None:
    """Check that a game can be played on standardised responses.

    Without `calls` a metric is tried on numbers only if its function is this package's or
    scikit-learn's: nothing of the user's is called while a configuration is read.

    Raises
    ------
    InputError
        If the metric or a gate does not support them, or the model does not exist.
    """
    if metric.compares_labels:
        raise InputError(
            f"metric '{metric.name}' compares labels, and the designs scale the response, so no "
            f"prediction would ever match. Use another metric, or the designs {_listed(OF_LABELS)}."
        )
    if calls or is_known(metric):
        check_standardised(metric)
    for mechanism in mechanisms:
        mechanism.check(metric)
    check_model(model, metric)


def check_label_game(attack: type[Attack], designs: Iterable[str], metric: Metric) -> None:
    """Check that a game can be played on labels 0 and 1, which the attack guesses or models.

    Raises
    ------
    InputError
        If the attack does neither, the design is not the one for it, or the metric is not zero_one.
    """
    if not (attack.on_labels or attack.classifies):
        raise InputError(
            f"attack '{attack.name}' selects features, and the designs {_listed(OF_LABELS)} are "
            f"for labels. Use one of {_names(on_labels=True)} with '{LABELS}', one of "
            f"{_names(classifies=True)} with '{PERMUTED_LABELS}', or other designs."
        )
    wanted = LABELS if attack.on_labels else PERMUTED_LABELS
    if list(designs) != [wanted] or metric.loss != ZERO_ONE:
        raise InputError(
            f"attack '{attack.name}' {'guesses' if attack.on_labels else 'fits models to'} labels: "
            f"wanted designs [{wanted}] and metric zero_one, got designs {list(designs)} and "
            f"metric '{metric.name}'. Write `designs: [{wanted}]` and `metric: zero_one`"
            f"{'' if attack.on_labels else ', or use other designs'}."
        )


def check_shown(mechanism: Mechanism, reads: str = "scores") -> None:
    """Check that a mechanism shows what an attack reads.

    An attack that reads scores can be played on a board that shows nothing: all scores are equal.

    Raises
    ------
    InputError
        If the mechanism shows ranks and the attack reads scores, or the other way round.
    """
    if mechanism.shows_ranks != (reads == "ranks"):
        raise InputError(
            f"mechanism '{mechanism.name}' shows {mechanism.shows}, but the attack reads {reads}. "
            f"Attacks that read ranks: {_names(reads='ranks')}; all others read scores."
        )


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _names(**wanted: object) -> list[str]:
    """Attacks whose attributes have these values."""
    return [
        name
        for name, attack in ATTACKS.classes.items()
        if all(getattr(attack, key) == value for key, value in wanted.items())
    ]

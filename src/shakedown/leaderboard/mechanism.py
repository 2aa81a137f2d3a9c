"""Mechanisms, which consist of a gate and a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import PrivateAttr

from shakedown.component import Component, Registry, identity, parts_of
from shakedown.interface import InputError
from shakedown.leaderboard.defence import DEFENCES, Defence, defences
from shakedown.leaderboard.disclosure import NOTHING, Disclosure
from shakedown.leaderboard.gates import Gate
from shakedown.leaderboard.own import completing, stated_by, unsaid
from shakedown.leaderboard.releases import Release
from shakedown.metrics import Metric
from shakedown.terms import Terms
from shakedown.wording import amount

if TYPE_CHECKING:
    from shakedown.leaderboard.scorer import Scorer


class Mechanism(Component):
    """A leaderboard mechanism: a gate, which accepts submissions, and a release of scores.

    Derive from it, declare the parameters, and write `gate` and `release` as cached properties.

    Attributes
    ----------
    phrase : str
        What it does, in a few words after "a leaderboard that"; "" for none.
    colour : str
        Its colour in figures; without one, figures choose one by its name.
    shows : {"scores", "ranks", "nothing"}
        What accounts see.
    is_control : bool
        Whether it is a control, which checks the measurements, and not a board for a challenge.
    fresh : bool
        Whether the public score is measured on rows that the board never used (a control).
    guarantee : {"", "union", "ladder", "simplified_ladder"}
        The proved bound of its leaderboard error for the step of its release, see
        `shakedown.theory.bounds`: "union" for boards that release every score; "" for none.
    built_in : tuple of Defence
        Defences that are part of it.

    Examples
    --------
    >>> import numpy as np
    >>> import shakedown
    >>> from shakedown.leaderboard.gates import Always
    >>> from shakedown.leaderboard.releases import Rounded
    >>> class Half(shakedown.Mechanism):
    ...     name, label = "my_boards.Half", "Half"
    ...     step: float = shakedown.parameter(0.5, gt=0, description="Step of the released score.")
    ...
    ...     @property
    ...     def gate(self):
    ...         return Always()
    ...
    ...     @property
    ...     def release(self):
    ...         return Rounded(self.step)
    >>> y = np.arange(4.0)
    >>> scorer = shakedown.Scorer(shakedown.find_metric("mae"), y)
    >>> board = shakedown.Board(scorer, Half(), lambda *axes: shakedown.stream(1, *axes))
    >>> board.submit(np.array([y + 1.2, y + 0.6])).released
    array([1. , 0.5])
    """

    kind: ClassVar[str] = "mechanism"
    phrase: ClassVar[str] = ""
    colour: ClassVar[str] = ""
    shows: ClassVar[str] = "scores"
    is_control: ClassVar[bool] = False
    fresh: ClassVar[bool] = False
    guarantee: ClassVar[str] = ""
    built_in: ClassVar[tuple[Defence, ...]] = ()

    def __init_subclass__(cls, **options) -> None:
        super().__init_subclass__(**options)
        completing(cls, Mechanism, "gate", Gate)
        completing(cls, Mechanism, "release", Release)
        unsaid(cls, Mechanism, ["gate", "release"], ["disclosure", "guarantee"])

    _defences: tuple[Defence, ...] = PrivateAttr(())

    @property
    def defences(self) -> tuple[Defence, ...]:
        """The defences that the organiser adds."""
        return self._defences

    @cached_property
    def every_defence(self) -> tuple[Defence, ...]:
        """The defences that are part of it, and those around it."""
        return (*self.built_in, *self._defences)

    @cached_property
    def refusing(self) -> tuple[Defence, ...]:
        """The defences that may refuse files; those that compare files come last.

        They know only files that no other defence refuses.
        """
        refusing = (defence for defence in self.every_defence if defence.refuses)
        return tuple(sorted(refusing, key=lambda defence: defence.compares_files))

    @cached_property
    def reads_files(self) -> bool:
        """Whether a defence or the release needs the files, and not only their scores."""
        return bool(self.refusing) or self.release.reads_files

    @cached_property
    def one_board(self) -> bool:
        """Whether all accounts of a participant submit to the same board."""
        return any(defence.one_board for defence in self.every_defence)

    def defended(self, defences: Iterable[Defence]) -> Mechanism:
        """This mechanism with other defences."""
        copy = type(self)(**self.parameters)
        copy._defences = tuple(defences)
        return copy

    @cached_property
    def id(self) -> str:
        """The id of the component and its defences, such as ``ladder(alpha=0.15)+baseline``."""
        own = identity(type(self).name, self.given)
        return "+".join([own, *(defence.id for defence in self._defences)])

    @property
    def title(self) -> str:
        """The title of the component and its defences: "Ladder (α = 0.15) + baseline start"."""
        return " + ".join([super().title, *(defence.title for defence in self._defences)])

    @property
    def sort_key(self) -> tuple:
        """Sorts a setting with defences after the setting without."""
        return (*super().sort_key, tuple(defence.sort_key for defence in self._defences))

    @cached_property
    def gate(self) -> Gate:
        """Decides when a submission replaces the best."""
        raise NotImplementedError

    @cached_property
    def release(self) -> Release:
        """Determines the released score."""
        raise NotImplementedError

    def check(self, metric: Metric) -> None:
        """Check that gate, release and defences can be used with a metric, or raise InputError."""
        for part in (self.gate, self.release, *self.every_defence):
            part.check(metric)

    @cached_property
    def setting(self) -> str:
        """Id of the mechanism with its parameters and defences."""
        return self.id

    @cached_property
    def gate_id(self) -> str:
        """Name of the gate's stream of random numbers: the gate and its settings.

        Mechanisms with the same gate use the same random numbers in it.
        """
        gate = self.gate
        return identity(gate.name, {f.name: getattr(gate, f.name) for f in fields(gate)})

    @cached_property
    def is_noisy(self) -> bool:
        """Whether the released scores are noisy."""
        return self.release.is_noisy

    @cached_property
    def is_random(self) -> bool:
        """Whether its gate or its release draws random numbers."""
        gate = self.gate
        return self.is_noisy or gate.draws_weights or gate.one_by_one

    @cached_property
    def replaces_always(self) -> bool:
        """Whether every submission replaces the one before, so that its own score is released."""
        return self.gate.replaces_always

    def explained(self, score: Callable[[float], str] = amount, by_clock: bool = False) -> str:
        """What it does, in words for an organiser; by default its sentence and its defences'.

        `score` writes a number of the score; `by_clock`: scores change at times told elsewhere.
        """
        return " ".join(type(part).sentence for part in (self, *self._defences))

    def scores_within(self, submissions: int) -> int | None:
        """How many new scores so many submissions bring at most; None where each may bring one."""
        return None

    @cached_property
    def shows_ranks(self) -> bool:
        """Whether accounts see only their ranks."""
        return self.shows == "ranks"

    @property
    def shows_all(self) -> bool:
        """Whether it releases every submission's exact score, like the usual platforms."""
        return self.replaces_always and self.release.in_force_only and not self.release.step_for(1)

    @cached_property
    def shows_scores(self) -> bool:
        """Whether accounts see scores."""
        return self.shows == "scores"

    @cached_property
    def published(self) -> dict[tuple[str, int], Terms]:
        """What gate and release publish, by metric and public rows, as far as it was asked for."""
        return {}

    def terms(self, metric: Metric, n: int, scorer: Scorer | None = None) -> Terms:
        """What it publishes on n public rows, beside the score that a board begins with.

        Without a `scorer`, the unit of the response is its standard deviation.
        """
        terms = self.published.get((metric.name, n))
        if terms is None:
            terms = Terms(
                metric.name,
                larger_is_better=metric.larger_is_better,
                begins=any(defence.starts for defence in self.every_defence),
                is_noisy=self.is_noisy,
                replaces_always=self.replaces_always,
            )
            terms = stated_by(self.release, stated_by(self.gate, terms, n), n)
            self.published[metric.name, n] = terms
        for defence in self.every_defence:
            terms = defence.terms(terms, scorer)
        return terms

    def disclosure(self, rows: int, sign: int = 1) -> Disclosure:
        """What it can show an account, which determines how much it can reveal.

        Parameters
        ----------
        rows : int
            Number of public rows.
        sign : {1, -1}
            -1 for a metric of which larger is better.
        """
        shown = NOTHING if self.fresh else self.release.disclosure(self.gate, rows, sign)
        for defence in self.every_defence:
            shown = defence.disclosure(shown)
        return shown

    @classmethod
    def for_dry_run(cls, metric: Metric, threshold: float, n_public: int) -> list[dict]:
        """Entries of this mechanism in a dry run; none by default.

        Parameters
        ----------
        metric : Metric
        threshold : float
            Tolerated Δ, below 0, on standardised data.
        n_public : int
            Rows of the public set.
        """
        return []

    @classmethod
    def for_replay(cls, metric: Metric, step: float | None) -> list[dict]:
        """Entries of this mechanism in a replay without configured mechanisms; none by default.

        Parameters
        ----------
        metric : Metric
        step : float or None
            Standard error of the median public score; None if unknown.
        """
        return []

    @property
    def columns(self) -> dict[str, Any]:
        """Its columns in tables for readers: name, defences (if any) and parameters."""
        ids = "+".join(defence.id for defence in self._defences)
        around = {"defences": ids} if self._defences else {}
        return {"mechanism": type(self).name, **around, **self.parameters}

    @classmethod
    def scored(cls) -> list[str]:
        """Names of the parameters in units of the score."""
        return cls._marked("unit", "score")

    @classmethod
    def levels(cls) -> list[str]:
        """Names of the parameters that are levels of a test."""
        return cls._marked("role", "level")

    @classmethod
    def noises(cls) -> list[str]:
        """Names of the parameters that set the noise of released scores."""
        return cls._marked("role", "noise")

    @classmethod
    def _marked(cls, mark: str, value: str) -> list[str]:
        fields = cls.model_fields.items()
        return [k for k, field in fields if (field.json_schema_extra or {}).get(mark) == value]

    def in_unit(self, size: float) -> Mechanism:
        """This mechanism with its parameters in units of the score multiplied by `size`.

        Products are rounded to six digits.
        """

        def times(value):
            if isinstance(value, list):
                return [times(item) for item in value]
            return float(f"{value * size:.6g}")

        scaled = {key: times(getattr(self, key)) for key in self.scored() if getattr(self, key)}
        copy = type(self)(**{**self.parameters, **scaled})
        return copy.defended(self._defences) if scaled else self

    def in_pace(self, share: float) -> Mechanism:
        """This mechanism for a challenge with this share of the submissions.

        Parameters in submissions, those of defences too, are multiplied by `share`, rounded down,
        and at least 1.
        """
        own, *around = (_paced(component, share) for component in (self, *self._defences))
        return own.defended(around) if around or own is not self else self


def _paced(component: Component, share: float) -> Component:
    """A component without defences for this share of the submissions."""
    fields = type(component).model_fields.items()
    scaled = {
        key: max(1, int(getattr(component, key) * share + 1e-9))
        for key, field in fields
        if (field.json_schema_extra or {}).get("unit") == "submissions"
    }
    return type(component)(**{**component.parameters, **scaled}) if scaled else component


MECHANISMS = Registry(Mechanism, "shakedown.leaderboard.mechanisms")


def mechanism(name: str, **parameters: Any) -> Mechanism:
    """The mechanism of that name or import path; `defences` are as in a configuration.

    Raises
    ------
    InputError
        If it is unknown, or a parameter is missing, unknown or out of range.

    Examples
    --------
    >>> from textwrap import fill
    >>> import shakedown
    >>> digest = shakedown.mechanism("digest", eta=0.1, floor=0.5, every=50, updates=10)
    >>> digest.title
    'Digest (η = 0.1, floor = 0.5, every = 50, W = 10)'
    >>> print(fill(digest.explained(), 80))
    Begins with the score of a constant prediction. After every 50 submissions, ten
    times in all, it shows the best score so far, rounded in steps of 0.1 to the
    worse side, and nothing better than 0.5.
    """
    around = defences(parameters.pop("defences", ()))
    return MECHANISMS.make(name, **parameters).defended(around)


def mechanisms(entries: Iterable[dict]) -> list[Mechanism]:
    """The mechanisms of a configuration; an entry with lists gives all combinations.

    `defences` is a list of defences; it does not multiply.

    Raises
    ------
    InputError
        As `mechanism`, or if two entries give the same setting.
    """
    by_setting: dict[str, Mechanism] = {}
    for entry in entries:
        parameters = {k: v for k, v in entry.items() if k not in ("name", "defences")}
        listed = {k: v if isinstance(v, list) else [v] for k, v in parameters.items()}
        for values in product(*listed.values()):
            chosen = dict(zip(listed, values, strict=True))
            made = mechanism(entry["name"], **chosen, defences=entry.get("defences") or ())
            if made.setting in by_setting:
                raise InputError(
                    f"mechanism '{entry['name']}' is listed twice with the same settings, as "
                    f"{made.setting}. Remove one, or put it into an experiment of its own."
                )
            by_setting[made.setting] = made
    return list(by_setting.values())


def of_setting(setting: str) -> Mechanism:
    """The mechanism with the parameters and defences that a setting's id names."""
    own, *around = parts_of(setting)
    parsed = MECHANISMS.parse(own)
    return parsed.defended(map(DEFENCES.parse, around)) if around else parsed

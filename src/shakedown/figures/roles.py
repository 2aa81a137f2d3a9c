"""Which panel a setting belongs in, and what tells it from others there.

Parameters say by their role where a grid of panels shows them: levels of a test across, noise
down.  All other parameters tell settings apart within a panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism


class Roles:
    """The settings of a figure, by the roles of their parameters.

    Attributes
    ----------
    level, noise : str or None
        The parameter of that role; None where no setting has one.
    levels, noises : list
        Its values: strict levels first, and from much bootstrapping to little; [None] for none.

    Raises
    ------
    InputError
        If settings have different parameters of one role.
    """

    def __init__(self, settings: Sequence[Mechanism], *, kind: str) -> None:
        self.settings, self._kind = tuple(settings), kind
        self.level, self.levels = self._values([type(setting).levels() for setting in settings])
        self.noise, self.noises = self._values([type(setting).noises() for setting in settings])

    def _values(self, names: Sequence[Sequence[str]]) -> tuple[str | None, list]:
        """The parameter of a role and its values; `names` has those of each setting's mechanism."""
        having = {
            key: type(setting).model_fields[key]
            for setting, keys in zip(self.settings, names, strict=True)
            for key in keys
            if setting.parameters[key] is not None
        }
        if len(having) > 1:
            raise InputError(
                f"figure kind {self._kind!r}: its panels follow either "
                f"{' or '.join(having)}, but the mechanisms have both. Choose mechanisms of one "
                "family, such as mechanism: [ladder, ladderboot]."
            )
        for key, field in having.items():
            values = {setting.parameters.get(key) for setting in self.settings} - {None}
            descending = "descending" in field.json_schema_extra
            return key, sorted(values, key=lambda v: (isinstance(v, str), v), reverse=descending)
        return None, [None]

    def shown(self, key: str | None, value: object) -> str:
        """A level or a noise in words, such as "α = 0.15"; "" for None."""
        words = (s.shown(key) for s in self.settings if s.parameters.get(key) == value)
        return "" if value is None else next(words)

    def named(self, setting: Mechanism, *hidden: str | None) -> str:
        """The setting, such as "LadderBoot (b = 100)", without some of its parameters."""
        shown = [setting.shown(key) for key in setting.parameters if key not in hidden]
        words = ", ".join(text for text in shown if text)
        return f"{setting.label} ({words})" if words else setting.label

    def series(self, setting: Mechanism) -> str:
        """The setting without what the titles of panels say."""
        return self.named(setting, self.level, *[self.noise] * (len(self.noises) > 1))

    def variant(self, setting: Mechanism) -> int:
        """Which of the series of its mechanism a setting belongs to, from 0."""
        same = [self.series(s) for s in self.settings if type(s) is type(setting)]
        return list(dict.fromkeys(same)).index(self.series(setting))

    def panels(self) -> Iterator[tuple[str, str, Mechanism]]:
        """Row, column and setting; one without a level is in each column, and so with the noise."""
        for noise, level, setting in product(self.noises, self.levels, self.settings):
            if setting.parameters.get(self.level) not in (None, level):
                continue
            if setting.parameters.get(self.noise) in (None, noise):
                row = self.shown(self.noise, noise) if len(self.noises) > 1 else ""
                yield row, self.shown(self.level, level), setting

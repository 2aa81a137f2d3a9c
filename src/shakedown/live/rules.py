"""The rules of a board: mechanism, metric, seed, limits and times."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.responses import with_unit
from shakedown.live import clock
from shakedown.live.alike import check_alike
from shakedown.live.contents import check_precision
from shakedown.live.of_labels import check_labels, meters_labels
from shakedown.live.truth import Truth
from shakedown.metrics import Metric, find
from shakedown.metrics.composite_names import is_weighted
from shakedown.wording import counted

#: Significant digits of a score that is shown.
DIGITS = 6


@dataclass(frozen=True)
class Rules:
    """The rules of a board.

    Attributes
    ----------
    setting : str
        Id of the mechanism with its defences, as in the tables of a dry run, such as
        ``ladderboot(alpha=0.15,b=10)+baseline``.  Its parameters are in the metric's unit.
    metric : str
    seed : int
        Secret: who knows it can compute the noise.
    per_team, per_day, in_total : int or None
        Most submissions of a team, of a team in a day, and of all teams; None for no limit.
    zone : str
        Time zone of the days.
    opens, closes : int or None
        Times, in microseconds since 1970.
    updates : tuple of int or None
        Times at which scores are shown; None to show a score after each submission.
    single : bool
        Whether files are rounded to single precision, as on a metered board; see `contents`.
    """

    setting: str
    metric: str
    seed: int
    per_team: int | None = None
    per_day: int | None = None
    in_total: int | None = None
    zone: str = "UTC"
    opens: int | None = None
    closes: int | None = None
    updates: tuple[int, ...] | None = None
    single: bool = False

    @classmethod
    def of(
        cls,
        setting: str,
        metric: str,
        *,
        seed: int | None = None,
        per_team: int | None = None,
        per_day: int | None = None,
        in_total: int | None = None,
        zone: str = "UTC",
        opens=None,
        closes=None,
        updates: Sequence | None = None,
        by_count: bool = False,
    ) -> Rules:
        """Checked rules.

        Parameters are as the attributes, but times can be texts (``2026-03-29T18:00``), and

        seed : int, optional
            By default drawn by the operating system.
        by_count : bool
            Whether a digest moves after every so many submissions of a team, as in simulations; by
            default it moves at `updates`, or at equal intervals between `opens` and `closes`.

        Raises
        ------
        InputError
            If the board cannot run, or a limit or time is not valid.
        """
        clock.zone(zone)
        start, end = clock.read(opens, "opens", zone), clock.read(closes, "closes", zone)
        if start is not None and end is not None and end <= start:
            raise InputError(f"closes: wanted a time after {opens}; got {closes}.")
        for name, limit in (("per_team", per_team), ("per_day", per_day), ("in_total", in_total)):
            if limit is not None and (isinstance(limit, bool) or int(limit) != limit or limit < 1):
                raise InputError(f"{name}: wanted a whole number of at least 1; got {limit!r}.")
        if seed is not None and (isinstance(seed, bool) or int(seed) != seed or seed < 0):
            raise InputError(f"seed: wanted a whole number of at least 0; got {seed!r}.")
        rules = cls(
            setting, metric, secrets.randbits(62) if seed is None else int(seed),
            per_team, per_day, in_total, zone, start, end,
            None if updates is None else
            tuple(sorted(clock.read(update, "updates", zone) for update in updates)),
        )  # fmt: skip
        # One id for one board, however its numbers were written.
        return replace(rules._checked(by_count), setting=of_setting(setting).setting)

    def _checked(self, by_count: bool) -> Rules:
        mechanism, metric = self.mechanism, self.judged_by
        mechanism.check(metric)
        if is_weighted(self.metric):
            raise InputError(
                f"metric '{self.metric}': a running board has no weights of rows. Choose a metric "
                "without 'weighted', and repeat the dry run with it."
            )
        if mechanism.fresh or mechanism.shows_ranks:
            why = "needs rows that the board never used" if mechanism.fresh else "shows only ranks"
            raise InputError(f"board '{self.setting}' {why}, and cannot run. Choose another one.")
        schedule = mechanism.release.schedule
        if schedule is None or by_count or self.updates is not None:
            return self
        if self.opens is None or self.closes is None:
            raise InputError(
                f"board '{self.setting}' shows scores {counted(schedule.updates, 'time')}: wanted "
                "`opens` and `closes` (updates in equal intervals), or `updates` (their times)."
            )
        return replace(self, updates=clock.evenly(self.opens, self.closes, schedule.updates))

    def for_truth(self, truth: Truth) -> Rules:
        """These rules on a truth, of whose public responses the board may state mean and spread.

        Raises
        ------
        InputError
            As `responses.with_unit`, `contents.check_precision`, `alike.check_alike` and
            `of_labels.check_labels`.
        """
        mechanism, public = of_setting(self.setting), truth.part(True).y
        if meters_labels(mechanism, self.judged_by):
            check_labels(mechanism, self.judged_by, truth)
            return replace(self, single=True)
        stated = with_unit(mechanism, public)
        rules = self if stated is mechanism else replace(self, setting=stated.setting)
        if not rules.is_metered:
            return rules
        check_precision(public)
        check_alike(stated, self.judged_by, truth)
        return replace(rules, single=True)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with its defences.

        A digest with a clock moves at any submission: the clock decides what is shown.
        """
        mechanism = of_setting(self.setting)
        if self.updates is None or mechanism.release.schedule is None:
            return mechanism
        always = {"every": 1, "updates": 2**31 - 1}
        return type(mechanism)(**(mechanism.parameters | always)).defended(mechanism.defences)

    @cached_property
    def judged_by(self) -> Metric:
        """The metric."""
        return find(self.metric)

    @property
    def is_shared(self) -> bool:
        """Whether all teams submit to one board."""
        return self.mechanism.one_board

    @property
    def is_metered(self) -> bool:
        """Whether files have a price, and scores a standard error."""
        return self.mechanism.release.reads_files

    @property
    def tells_prices(self) -> bool:
        """Whether teams may ask what a file would cost.

        On a meter that all share prices would tell a team what the others have sent: they are
        quadratic in the file, and 2 n of them are solved for a file of n rows.
        """
        return self.is_metered and not self.is_shared

    @property
    def text(self) -> str:
        """The rules as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def stored(cls, text: str) -> Rules:
        """The rules of `text`."""
        fields: dict[str, Any] = json.loads(text)
        updates = fields.pop("updates")
        return cls(**fields, updates=None if updates is None else tuple(updates))

    @property
    def _board(self) -> str:
        """What the board is and shows; a digest with a clock at its times, not after so many."""
        mechanism = of_setting(self.setting)
        if self.is_metered:
            return f"{mechanism.title}. {self.mechanism.explained()}"
        if mechanism.release.schedule is None:
            return f"{mechanism.title}. {self.mechanism.sentence}"
        # Its sentence has the numbers; of a clock, those of the title would be wrong.
        by_clock = self.updates is not None
        return f"{mechanism.label}. {mechanism.explained(by_clock=by_clock)}"

    @property
    def warnings(self) -> list[str]:
        """What the organiser should know before the start."""
        if self.updates is None or self.closes is None:
            return []
        if any(update < self.closes for update in self.updates):
            return []
        return ["The board shows nothing new before the end: its only update is at the close."]

    @property
    def sentences(self) -> list[str]:
        """The rules for participants, with times in UTC."""
        return self.said(clock.text)

    @property
    def local_sentences(self) -> list[str]:
        """The rules for participants, with times in the board's zone."""
        return self.said(lambda at: clock.local(at, self.zone))

    def said(self, text: Callable[[int], str | None]) -> list[str]:
        """The rules for participants, with times as `text` writes them."""
        said = [f"Board: {self._board}"]
        for limit, of in (
            (self.per_team, "of each team"),
            (self.per_day, f"of each team in a day ({self.zone})"),
            (self.in_total, "of all teams together"),
        ):
            if limit is not None:
                said.append(f"At most {counted(limit, 'submission')} {of}.")
        if self.per_team or self.per_day or self.in_total:
            said.append(
                "Every file that is scored counts, also one that a rule of the board does not "
                "judge; a file with an error does not, nor does one that is sent again."
            )
        if self.single:
            said.append(
                "Predictions are rounded to single precision, about seven digits, before anything "
                "is computed of them."
            )
        if self.judged_by.formula is None:
            said.append(
                f"Metric: {self.judged_by.label}; a file for which it cannot be computed counts, "
                "and is not judged."
            )
        if self.updates is not None:
            times = ", ".join(filter(None, map(text, self.updates)))
            said.append(f"Scores change only at these times, however many files arrive: {times}.")
        if self.opens is not None:
            said.append(f"Opens {text(self.opens)}.")
        if self.closes is not None:
            said.append(f"Closes {text(self.closes)}.")
        return said

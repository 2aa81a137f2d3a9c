"""How much the submissions of a log can have learnt from each board at most."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import expm1
from typing import NamedTuple

import numpy as np
import pandas as pd

from shakedown.leaderboard.charges import MOST, degrees, independent, spectrum
from shakedown.leaderboard.degrees import LENGTH, charged_correlation, charged_gain
from shakedown.leaderboard.evidence import evidence
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.responses import LINEAR, measured_by
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import Metric
from shakedown.replay.grouping import BOARD, need, tidy
from shakedown.replay.log import Log
from shakedown.theory.transcripts import board_transcripts

LEARNT = [*BOARD, "team", "submissions", "independent", "degrees", "gain", "follows_from"]

#: What a number of degrees of freedom follows from, and how a page says it.
REASONS = {
    "noise": "the files and the noise of each score",
    "files": "the independent files: what exact scores reveal",
    "acceptance": "the independent files, and which of them were accepted",
    "count": "the number of things that the board can show",
    "meter": "the board's own meter",
}


class Bound(NamedTuple):
    """Degrees of freedom at most, and the key of `REASONS` that they follow from."""

    degrees: float
    reason: str


def learnt(log: Log, metric: Metric, standings: pd.DataFrame) -> pd.DataFrame:
    """How much the submissions can have learnt about the public rows at most, board by board.

    Parameters
    ----------
    log, metric, standings
        As in `ranks.rank_intervals`; of the standings only the boards count.

    Returns
    -------
    DataFrame
        For each board with an instance for each team a row for each team, in order of arrival, and
        one for all of them together, without a team.  Columns:

        - submissions, the number of files; independent, how many of them are linearly independent
          of the others and of a constant.
        - degrees, the degrees of freedom that all answers to these files are worth at most; null if
          nothing is proved of the board.
        - gain, how much a final file that follows from the answers can be better in public than the
          best honest one at most, on average; in units of the score, for a response of which the
          participants explain nothing beforehand.
        - follows_from, a key of `REASONS`.

        If a score is not linear in the response, or rows belong together, the last four are null.

    Raises
    ------
    InputError
        If a column or all rows of the standings are missing.

    Notes
    -----
    The smallest of these holds; ``docs/proofs/look_back.md`` has the proofs.

    - Normal noise on every score: D of the files (`leaderboard.charges`).
    - Shown scores that follow from those of the files: D of exact scores.  If acceptance follows
      from something else, such as a paired test of losses by row, which of k files were accepted
      takes k ln 2 nats more.
    - ln N nats, if the board can show N things: n (1 - exp(-2 ln N / n)).

    Mean and length of the public response count as known, the latter for one more degree of
    freedom.  ASSUME: normal noise of the response, with a variance of at most that of the public
    rows.  With more than `MOST` files and rows all files of a team count as independent, and all
    teams together have no more than the sum of theirs.
    """
    need(standings, BOARD, "standings")
    own = standings[(standings["boards"] == "per_team").to_numpy(bool)]
    teams = log.submissions["team"].to_numpy(str)
    masks = {team: teams == team for team in dict.fromkeys(teams.tolist())}
    is_known = metric.name in LINEAR and log.structure.groups is None
    files = _measured(log, metric, masks) if is_known else {}
    n, variance = int(log.public.sum()), float(np.var(log.truth[log.public], ddof=1))
    rows = []
    for mechanism in settings_in(own):
        for team, mask in {**masks, None: np.full(len(teams), True)}.items():
            row = {"setting": mechanism.setting, "boards": "per_team", "team": team}
            row["submissions"] = int(mask.sum())
            if team in files:
                row["independent"] = files[team].independent
                if (bound := files[team].bound(mechanism, metric)) is not None:
                    row |= {"degrees": bound.degrees, "follows_from": bound.reason}
                    row["gain"] = _gain(bound.degrees, metric, n, variance)
            rows.append(row)
    table = tidy(rows, LEARNT).astype({"submissions": "int64", "independent": "Int64"})
    return table.astype({"degrees": float, "gain": float, "team": object, "follows_from": object})


def _gain(degrees: float, metric: Metric, n: int, variance: float) -> float:
    if degrees == 0.0:
        return 0.0
    if metric.name == "mse":
        return charged_gain(degrees + LENGTH, n, variance=variance)
    return charged_correlation(degrees + LENGTH, n)


def _measured(
    log: Log, metric: Metric, masks: Mapping[str, np.ndarray]
) -> dict[str | None, _Files]:
    """The files of each team, and of all together (None), by what their scores measure."""
    y = log.truth[log.public]
    scale = float(np.std(y, ddof=1))
    u, _ = measured_by(metric, (log.predictions[:, log.public] - y.mean()) / scale)
    # A score of the standardised response has another unit.
    unit = scale * scale if metric.name == "mse" else 1.0
    files = {team: _Files(u[mask], unit) for team, mask in masks.items()}
    return {**files, None: _Files(u, unit, tuple(files.values()))}


class _Files:
    """The files of a team, or of all teams, by what their scores measure.

    Parameters
    ----------
    u : ndarray, shape (m, n)
        As `responses.measured_by` has it.
    unit : float
        Scores of the log in one of the standardised response.
    parts : tuple of _Files
        The teams, for all together.
    """

    def __init__(self, u: np.ndarray, unit: float, parts: tuple[_Files, ...] = ()) -> None:
        self.u, self.unit, self.parts = u, unit, parts
        self.number, self.n = u.shape

    @property
    def is_large(self) -> bool:
        return min(self.u.shape) > MOST

    @cached_property
    def independent(self) -> int:
        if not self.is_large:
            return independent(self.u)
        parts = sum(part.independent for part in self.parts) if self.parts else self.number
        return min(parts, self.n - 1)

    @cached_property
    def spectrum(self) -> np.ndarray:
        return spectrum(self.u)

    def bound(self, mechanism: Mechanism, metric: Metric) -> Bound | None:
        """The fewest degrees of freedom that are proved on a board, if any are."""
        proved = [self._by_evidence(mechanism), self._by_disclosure(mechanism, metric)]
        return min((bound for bound in proved if bound is not None), default=None)

    def _by_evidence(self, mechanism: Mechanism) -> Bound | None:
        follows = evidence(mechanism)
        if follows.normal_sd is not None:
            return Bound(self._with_noise(follows.normal_sd / self.unit), "noise")
        if not follows.by_scores:
            return None
        exact = float(self.independent)
        if not follows.by_acceptance:
            return Bound(exact, "files")
        left = self.n - 1 - exact
        return Bound(exact + _of_nats(self.number * np.log(2.0), left), "acceptance")

    def _with_noise(self, sd: float) -> float:
        if not self.is_large:
            return degrees(self.spectrum, sd)
        parts = sum(part._with_noise(sd) for part in self.parts) if self.parts else self.number
        return float(min(parts, self.n - 1))

    def _by_disclosure(self, mechanism: Mechanism, metric: Metric) -> Bound | None:
        sign = metric.sign
        shown = mechanism.disclosure(self.n, sign)
        numbers = [part.number for part in self.parts] or [self.number]  # each on its own board
        if shown.degrees is not None:
            return Bound(min(len(numbers) * shown.degrees, self.n - 1.0), "meter")
        if not (shown.falls and shown.starts):
            return None
        # The risks of a constant, and of a perfect file.
        start = self.unit * (self.n - 1.0) / self.n if metric.name == "mse" else 0.0
        best = 0.0 if metric.name == "mse" else -1.0
        counts = [
            board_transcripts(shown, submissions=k, start=start, floor_=best) for k in numbers
        ]
        if None in counts:
            return None
        return Bound(_of_nats(sum(count.nats for count in counts), self.n), "count")


def _of_nats(nats: float, n: float) -> float:
    """The degrees of freedom among n that so many nats are worth at most."""
    return -n * expm1(-2.0 * nats / n) if n > 0.0 else 0.0

"""How much a running board has shown so far, and how much it can show in all."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, select

from shakedown.leaderboard.account import DEGREES
from shakedown.leaderboard.disclosure import Disclosure
from shakedown.leaderboard.mechanism import of_setting
from shakedown.live.database import sound
from shakedown.live.of_labels import meters_labels
from shakedown.live.rules import Rules
from shakedown.live.standings import made_by_team
from shakedown.live.tables import STATES
from shakedown.metrics import Metric
from shakedown.theory.correlations import StandardisedCorrelation
from shakedown.theory.gains import RootSquaredError
from shakedown.theory.proved import proved_transcripts
from shakedown.theory.standardised import StandardisedSquaredError
from shakedown.theory.transcripts import Transcripts, board_transcripts

_SPENT = select(STATES.c.account, STATES.c.state).where(STATES.c.board_id == bindparam("of_board"))
#: The score of a perfect file as a risk, by metric.
_CORRELATIONS, _LOSSES = ("pearson", "spearman", "ccc"), ("mse", "rmse", "mae", "zero_one")

#: What a meter of labels charges, and what its proof rests on, the second but for the AUROC.
PER_CENT = "% of a row's precision"
INDEPENDENT, NOT_COUNTED = "if labels are independent", "nobody knows how many public ones are 1"


@dataclass(frozen=True)
class TeamLeak:
    """What a team has been shown.

    Attributes
    ----------
    team : str
    submissions : int
    told : float
        In the unit of the leak.
    """

    team: str
    submissions: int
    told: float


@dataclass(frozen=True)
class Leak:
    """What a board has shown.

    Attributes
    ----------
    reason : str
        Why no bound is known; "" if one is.
    teams : list of TeamLeak
        Those that have submitted, the largest leak first; empty without a bound.
    told : float or None
        Of all teams together, as if they were one participant.
    budget : float or None
        Of one team that makes all submissions that the rules allow; None without a limit.
    gain : float or None
        How much that can improve the public score at most, on average over the responses of
        `condition`; None if it is not known for the metric.
    updates : tuple of int, or None
        How many updates there were, and will have been in all, if the board has a clock.
    unit : str
        Of what is told: nats, or what a metered board charges.
    condition : str
        What `gain` rests on, in words.
    """

    reason: str = ""
    teams: tuple[TeamLeak, ...] = ()
    told: float | None = None
    budget: float | None = None
    gain: float | None = None
    updates: tuple[int, int] | None = None
    unit: str = "nats"
    condition: str = "if responses are normal"


def leak_of(
    connection: Connection, board_id: int, rules: Rules, rows: int, start: float | None, at: int,
    independent: bool = True,
) -> Leak:  # fmt: skip
    """The leak of a board at a time.

    Parameters
    ----------
    connection : Connection
    board_id : int
    rules : Rules
    rows : int
        Number of public rows, or cells of several responses.
    start : float or None
        The score that a new board shows.
    at : int
        The time.
    independent : bool
        Whether they are independent and of one unit.  If not, no gain is known.
    """
    metric, mechanism = rules.judged_by, of_setting(rules.setting)
    if meters_labels(mechanism, metric):
        told = proved_transcripts(mechanism, rows, 1, metric=metric)
        teams, total = _spent(connection, board_id, rules, 100.0)
        resting = INDEPENDENT if metric.name == "auroc" else f"{INDEPENDENT} and {NOT_COUNTED}"
        return Leak("", teams, total, 100.0, told.gain, None, PER_CENT, resting)
    shown = mechanism.disclosure(rows, metric.sign)
    if shown.degrees is not None:
        charged = _charged(connection, board_id, rules, rows, shown.degrees)
        return charged if independent else replace(charged, gain=None)
    floor, reason = floor_of(metric), ""
    if shown.updates != 0:
        if shown.step is None:
            reason = shown.reason
        elif not shown.falls:
            reason = "It can show scores of any size, also worse ones than at the start."
        elif not shown.starts or start is None:
            reason = "It has no baseline start, so the first score can be any number."
        elif floor is None:
            reason = f"The best possible {metric.name} is not known."
    if reason:
        return Leak(reason)
    risk = 1.0 if start is None else metric.sign * start
    if floor is not None and risk <= max(floor, -1e300 if shown.floor is None else shown.floor):
        return Leak("The board starts at its floor.")
    floor = -1.0 if floor is None else floor

    def told(submissions: int | None, seen: Disclosure = shown) -> Transcripts:
        if submissions == 0:
            return Transcripts(0.0)
        return board_transcripts(seen, submissions=submissions, start=risk, floor_=floor)

    most = rules.per_team if rules.per_team is not None else rules.in_total
    if rules.is_shared:
        most = rules.in_total
    updates, used = None, None
    if rules.updates is not None and shown.updates != 0:
        past = sum(update <= at for update in rules.updates)
        updates = past, len(rules.updates)
        used = told(None, replace(shown, updates=past, every=None)).nats
        budget = told(most, replace(shown, updates=len(rules.updates), every=None))
    else:
        budget = told(most) if most is not None or shown.updates is not None else None
    made = made_by_team(connection, board_id)
    everything = sum(made.values())
    teams = [
        TeamLeak(
            team, count,
            used if used is not None else told(everything if rules.is_shared else count).nats,
        )
        for team, count in made.items()
        if count
    ]  # fmt: skip
    teams.sort(key=lambda team: (-team.told, team.team))
    together = max if rules.is_shared else sum
    total = together([team.told for team in teams]) if teams else 0.0
    if budget is None:
        return Leak("", tuple(teams), total, None, None, updates)
    gain = gain_of(metric, risk, budget, rows) if independent else None
    return Leak("", tuple(teams), total, budget.nats, gain, updates)


def _charged(connection: Connection, board_id: int, rules: Rules, rows: int, budget: float) -> Leak:
    """The leak of a metered board: what the meters of its teams read."""
    teams, total = _spent(connection, board_id, rules)
    unit = rules.mechanism.release.unit.of_scores(rules.judged_by)
    of_correlations = rules.judged_by.larger_is_better
    bound = StandardisedCorrelation() if of_correlations else StandardisedSquaredError()
    gain = unit * bound.charged(budget, rows) if budget > 0.0 else 0.0
    return Leak("", teams, total, budget, gain, unit=DEGREES)


def _spent(
    connection: Connection, board_id: int, rules: Rules, size: float = 1.0
) -> tuple[tuple[TeamLeak, ...], float]:
    """What the meters of teams read, times `size`, and the sum over meters."""
    spent = {}
    for account, state in connection.execute(_SPENT, {"of_board": board_id}).tuples():
        with sound("the state of a team's board"):
            spent[account] = size * float(json.loads(state).get("spent", 0.0))
    made = {team: count for team, count in made_by_team(connection, board_id).items() if count}
    teams = [
        TeamLeak(team, count, spent.get("" if rules.is_shared else team, 0.0))
        for team, count in made.items()
    ]
    teams.sort(key=lambda team: (-team.told, team.team))
    return tuple(teams), sum(spent.values())


def floor_of(metric: Metric) -> float | None:
    """The risk of a perfect file; None if it is not known."""
    if metric.name in _LOSSES:
        return 0.0
    return -1.0 if metric.name in _CORRELATIONS else None


def gain_of(metric: Metric, start: float, told: Transcripts, rows: int) -> float | None:
    """How much these transcripts can improve the public score on average; None if not known."""
    if metric.name == "mse":
        # The score at the start tells the length of the response.
        told = replace(told, risks=tuple(risk / start for risk in told.risks))
        return start * StandardisedSquaredError().bound(told, rows)
    if metric.name == "rmse":
        return RootSquaredError(start * start).mean(told.nats, rows)
    if metric.name == "pearson" and start == 0.0:
        return StandardisedCorrelation().bound(told, rows)
    return None

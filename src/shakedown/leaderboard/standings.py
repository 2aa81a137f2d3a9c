"""Leaderboards of many teams: an instance of the mechanism for each team, or for each rank.

[B] section 2.1 names both ways to make a full leaderboard of an algorithm for one participant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.board import Batch, Best, Board, Referee
from shakedown.leaderboard.catalogue import Mechanism
from shakedown.leaderboard.gates import Gate, PosteriorOdds, check, less
from shakedown.metrics import Metric

#: Ranks whose instances judge a submission in one go.
_RANKS_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Course:
    """What a leaderboard did, after each of m submissions.

    Attributes
    ----------
    released : ndarray, shape (m,)
        The number that the team is shown after it, in the metric's own direction.
    accepted : ndarray of bool, shape (m,)
        Whether it replaced the submission that the mechanism held it against.
    in_force : ndarray of int, shape (m,)
        Index of the team's submission that counts from then on.
    on_board : ndarray, shape (m,)
        The number beside the team on the leaderboard: the last one that it was shown, or, where
        every submission is shown its own, the best one.
    place : ndarray of int, shape (m,)
        The team's place, 1 for the best.
    teams : ndarray of int, shape (m,)
        Teams on the leaderboard by then.
    """

    released: np.ndarray
    accepted: np.ndarray
    in_force: np.ndarray
    on_board: np.ndarray
    place: np.ndarray
    teams: np.ndarray


class TeamBoards:
    """An instance of the mechanism for each team ([B] section 2.1, first way).

    A team's place is one more than the number of teams with a better number on the board, so
    equal numbers share the better place.  Where a mechanism shows every submission its own number,
    the best one counts, of equal ones the latest.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The public response.
    predictions : ndarray, shape (m, n)
        All submissions in the order in which they came in.  The array must not change.
    teams : ndarray of str, shape (m,)
        Whose they are.
    luck : callable
        ``luck(*axes) -> Generator``, see `Board`.  A team's luck is named after the team alone, so
        it does not depend on who else takes part.

    Raises
    ------
    InputError
        If a submission has no score.
    """

    def __init__(
        self,
        metric: Metric,
        y: np.ndarray,
        predictions: np.ndarray,
        teams: np.ndarray,
        luck: Callable[..., np.random.Generator],
    ) -> None:
        self._metric, self._luck = metric, luck
        names, self._team = np.unique(teams, return_inverse=True)
        self._own = {
            str(name): np.flatnonzero(self._team == code) for code, name in enumerate(names)
        }
        # Judged once, as the opening of every board.
        self._submitted = {team: predictions[own] for team, own in self._own.items()}
        self._referees = {
            team: Referee(metric, y, opening) for team, opening in self._submitted.items()
        }

    def play(self, mechanism: Mechanism) -> Course:
        """What this mechanism would have done.

        Raises
        ------
        InputError
            If its gate cannot judge the metric.
        """
        m, sign = len(self._team), self._metric.sign
        released, on_board = np.empty(m), np.empty(m)
        accepted, in_force = np.empty(m, bool), np.empty(m, int)
        for team, own in self._own.items():
            board = Board(self._referees[team], mechanism, partial(self._luck, "team", team))
            shown = board.submit(self._submitted[team])
            released[own], accepted[own] = shown, board.last_accepted
            if _shows_every_one(mechanism):
                counts = _best_so_far(sign * shown)
                on_board[own] = shown[counts]
            else:
                counts = np.maximum.accumulate(
                    np.where(board.last_accepted, np.arange(len(own)), 0)
                )
                on_board[own] = shown
            in_force[own] = own[counts]
        place, teams = _shared_places(sign * on_board, self._team)
        return Course(released, accepted, in_force, on_board, place, teams)


class RankBoards:
    """An instance of the mechanism for each rank ([B] section 2.1, second way).

    A submission is held against the instances in descending order, from the first rank down to its
    own team's.  The first one that accepts it gives it its rank; the entries from there down move
    one rank lower, with their instances, and the team's older entry leaves the leaderboard.  One
    that no instance accepts leaves everything as it was, and the team is shown the number of its
    own entry again; a new team's goes behind all others, to a new and empty instance.

    Where a mechanism shows every submission its own number, and so accepts all, the number decides:
    a strictly better one takes the rank, and against the team's own entry an equal one does too.

    Parameters
    ----------
    metric, y, predictions, teams
        As for `TeamBoards`.
    luck : callable
        ``luck(*axes) -> Generator``.  A submission meets the same luck at every rank.

    Raises
    ------
    InputError
        If a submission has no score.
    """

    def __init__(
        self,
        metric: Metric,
        y: np.ndarray,
        predictions: np.ndarray,
        teams: np.ndarray,
        luck: Callable[..., np.random.Generator],
    ) -> None:
        self._referee = Referee(metric, y)
        self._batch = self._referee.judge(predictions)
        self._luck = luck
        self._team = np.unique(teams, return_inverse=True)[1].tolist()
        self._placings: dict[Gate, _Placings] = {}

    def play(self, mechanism: Mechanism) -> Course:
        """What this mechanism would have done.

        Raises
        ------
        InputError
            If its gate cannot judge the metric.
        """
        check(mechanism.gate, self._referee.metric)
        if _shows_every_one(mechanism):
            released = self._shown(mechanism, np.arange(len(self._team)))
            found = _placings(self._team, _ByNumber(self._referee.metric.sign * released))
            return Course(
                released, np.full(len(released), True), found.in_force, released[found.in_force],
                found.place, found.teams,
            )  # fmt: skip
        # What is shown has no part in a gate's decisions.
        if mechanism.gate not in self._placings:
            self._placings[mechanism.gate] = _placings(self._team, self._instances(mechanism))
        found = self._placings[mechanism.gate]
        released = self._shown(mechanism, found.in_force)
        accepted = found.in_force == np.arange(len(released))
        return Course(released, accepted, found.in_force, released, found.place, found.teams)

    def _instances(self, mechanism: Mechanism):
        if isinstance(mechanism.gate, PosteriorOdds):
            return _ByDraws(self._referee, self._batch, mechanism, self._luck)
        return _ByGate(self._referee, self._batch, mechanism)

    def _shown(self, mechanism: Mechanism, standing: np.ndarray) -> np.ndarray:
        metric, y = self._referee.metric, self._referee.y
        rng = self._luck("rank release", mechanism.id) if mechanism.is_noisy else None
        none = Best(np.zeros(len(y)), np.inf)
        return metric.sign * mechanism.release.show(self._batch, none, standing, metric, y, rng)


@dataclass(frozen=True, eq=False)
class _Placings:
    """`in_force`, `place` and `teams` of a `Course`."""

    in_force: np.ndarray
    place: np.ndarray
    teams: np.ndarray


def _placings(team: list[int], instances) -> _Placings:
    """Where each submission is placed.

    Parameters
    ----------
    team : list of int
        Whose each of m submissions is.
    instances : _ByNumber or _ByGate or _ByDraws
        ``first(t, entries, own)`` is the position of the first of the entries, given in descending
        order, that submission t takes the rank of, or None; `own` says whether the last of them is
        of t's own team.
    """
    ranks: list[int] = []  # the submission at each rank
    entry: dict[int, int] = {}  # team -> its submission in `ranks`
    in_force, place, teams = (np.empty(len(team), int) for _ in range(3))
    for t, code in enumerate(team):
        held = ranks.index(entry[code]) if code in entry else None
        above = ranks if held is None else ranks[: held + 1]
        rank = instances.first(t, above, held is not None)
        if rank is None and held is None:
            rank = len(ranks)
        if rank is None:
            rank = held
        else:
            if held is not None:
                del ranks[held]
            ranks.insert(rank, t)
            entry[code] = t
        in_force[t], place[t], teams[t] = entry[code], rank + 1, len(ranks)
    return _Placings(in_force, place, teams)


class _ByNumber:
    """Ranks of a mechanism that shows every submission its own number."""

    def __init__(self, risks: np.ndarray) -> None:
        self._risks = risks

    def first(self, t: int, entries: list[int], own: bool) -> int | None:
        risk = self._risks[t]
        others = entries[:-1] if own else entries
        for position, entry in enumerate(others):
            if less(risk, self._risks[entry]):
                return position
        if own and not less(self._risks[entries[-1]], risk):
            return len(others)
        return None


class _ByGate:
    """Ranks of a gate that draws nothing; an instance judges all later submissions at once."""

    def __init__(self, referee: Referee, batch: Batch, mechanism: Mechanism) -> None:
        self._referee, self._batch, self._gate = referee, batch, mechanism.gate
        self._accepts: dict[int, np.ndarray] = {}

    def first(self, t: int, entries: list[int], own: bool) -> int | None:
        for position, entry in enumerate(entries):
            if entry not in self._accepts:
                self._accepts[entry] = self._later(entry)
            if self._accepts[entry][t - entry - 1]:
                return position
        return None

    def _later(self, entry: int) -> np.ndarray:
        rows, risks = self._batch.rows, self._batch.risks
        later = Batch(rows[entry + 1 :], risks[entry + 1 :])
        standing = self._gate.decide(
            later, Best(rows[entry], float(risks[entry])), self._referee.metric, self._referee.y,
            chain=False, rng=None,
        )  # fmt: skip
        return standing >= 0


class _ByDraws:
    """Ranks of a gate that draws weights; a submission meets the same weights at every rank.

    The gate judges many submissions against one best, and here one submission is to be judged
    against many.  So the entries are first held against the submission, under the same weights.
    One that is better in more than B - k of B replications cannot be worse in k, which the
    submission would need; all others are asked properly.
    """

    def __init__(self, referee: Referee, batch: Batch, mechanism: Mechanism, luck) -> None:
        self._referee, self._batch, self._gate = referee, batch, mechanism.gate
        self._luck = partial(luck, "rank gate", mechanism.gate_id)
        draws = mechanism.gate.draws
        enough = draws - mechanism.gate.needed() + 1
        # The odds that need so many; all of them where none may be against.
        odds = enough / (draws - enough) if enough < draws else 1e6 * draws
        self._safe = PosteriorOdds(odds, draws)

    def first(self, t: int, entries: list[int], own: bool) -> int | None:
        for start in range(0, len(entries), _RANKS_AT_ONCE):
            some = np.array(entries[start : start + _RANKS_AT_ONCE])
            for position in np.flatnonzero(~self._accepted(t, self._safe, some, t)):
                if self._accepted(t, self._gate, np.array([t]), int(some[position]))[0]:
                    return start + int(position)
        return None

    def _accepted(self, t: int, gate: Gate, submissions: np.ndarray, best: int) -> np.ndarray:
        rows, risks = self._batch.rows, self._batch.risks
        standing = gate.decide(
            Batch(rows[submissions], risks[submissions]), Best(rows[best], float(risks[best])),
            self._referee.metric, self._referee.y, chain=False,
            rng=self._luck(t),
        )  # fmt: skip
        return standing >= 0


def _shows_every_one(mechanism: Mechanism) -> bool:
    return mechanism.gate.name == "always"


@kernel
def _best_so_far(risks):
    """Index of the smallest risk up to each, the latest of equal ones; shape (m,)."""
    best = np.zeros(len(risks), np.int64)
    for t in range(1, len(risks)):
        best[t] = best[t - 1] if less(risks[best[t - 1]], risks[t]) else t
    return best


@kernel
def _shared_places(risks, team):
    """Places and numbers of teams after each submission, by the team's number on the board."""
    m = len(risks)
    place, teams = np.empty(m, np.int64), np.empty(m, np.int64)
    now = np.full(m, np.nan)  # the number beside each team; NaN for one not there yet
    for t in range(m):
        now[team[t]] = risks[t]
        better = there = 0
        for number in now:
            there += not np.isnan(number)
            better += less(number, risks[t])
        place[t], teams[t] = better + 1, there
    return place, teams

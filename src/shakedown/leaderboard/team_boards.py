"""Leaderboards of many teams, with an instance of the mechanism per team or per rank.

[B] section 2.1 describes both ways to extend an algorithm for one participant to a leaderboard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from shakedown.compiled import kernel
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.judge import Judge
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import ScoredSubmissions, Scorer
from shakedown.leaderboard.sequential import SequentialBoard
from shakedown.leaderboard.state import BoardState
from shakedown.leaderboard.ties import less
from shakedown.metrics import Metric
from shakedown.terms import Receipt

#: Number of ranks whose instances judge a submission at once.
_RANKS_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class BoardHistory:
    """The state of a leaderboard after each of m submissions.

    Attributes
    ----------
    released : ndarray, shape (m,)
        The score released to the team, in the metric's own direction.
    accepted : ndarray of bool, shape (m,)
        Whether the submission replaced the one with which it was compared.
    in_force : ndarray of int, shape (m,)
        Index of the team's submission that counts.
    on_board : ndarray, shape (m,)
        The team's score on the leaderboard: the last one released to the team or, if the mechanism
        releases every submission's own score, the best one.  NaN as long as there is none.
    place : ndarray of int, shape (m,)
        The team's place, 1 for the best.
    teams : ndarray of int, shape (m,)
        Number of teams on the leaderboard.
    """

    released: np.ndarray
    accepted: np.ndarray
    in_force: np.ndarray
    on_board: np.ndarray
    place: np.ndarray
    teams: np.ndarray


class TeamBoards:
    """An instance of the mechanism for each team ([B] section 2.1, first way).

    A team's place is one plus the number of teams with a better score on the board, so teams with
    equal scores share the better place.  If the mechanism releases every submission's own score,
    the team's best submission counts, and the latest of equal ones.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
        The public response.
    predictions : ndarray, shape (m, n)
        All submissions in the order of arrival.  The array must not be modified.
    teams : ndarray of str, shape (m,)
        The team of each submission.
    rng_factory : callable
        ``rng_factory(*axes) -> Generator``, see `Board`.  The names of a team's streams depend only
        on the team, so its results do not depend on other teams.

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
        rng_factory: Callable[..., np.random.Generator],
    ) -> None:
        self._metric, self._rng_factory = metric, rng_factory
        names, self._team = np.unique(teams, return_inverse=True)
        self._own = {
            str(name): np.flatnonzero(self._team == code) for code, name in enumerate(names)
        }
        # A team's submissions are the opening of its boards, so each is scored only once.
        self._scorers = {
            team: Scorer(metric, y, predictions[own]) for team, own in self._own.items()
        }

    def play(self, mechanism: Mechanism) -> BoardHistory:
        """What this mechanism would have done.

        Raises
        ------
        InputError
            If its gate cannot judge the metric.
        """
        m = len(self._team)
        released, accepted = np.empty(m), np.empty(m, bool)
        for team, own in self._own.items():
            released[own], accepted[own] = self._played(mechanism, team)
        return team_history(mechanism, self._metric, self._team, released, accepted)

    def _played(self, mechanism: Mechanism, team: str) -> Receipt:
        """The submissions of a team on its board."""
        scorer, factory = self._scorers[team], partial(self._rng_factory, "team", team)
        if not mechanism.is_random:
            return Board(scorer, mechanism, factory).submit_opening()
        # Random numbers must be those of a running board, which gets one submission at a time.
        board = SequentialBoard(scorer, mechanism, factory)
        each = [board.submit_one(file) for file in scorer.opening.files]
        return Receipt(
            np.array([answer[0] for answer in each]), np.array([answer[1] for answer in each])
        )


def team_history(
    mechanism: Mechanism,
    metric: Metric,
    team: np.ndarray,
    released: np.ndarray,
    accepted: np.ndarray,
) -> BoardHistory:
    """The leaderboard after each submission, if every team has a board; see `TeamBoards`.

    Parameters
    ----------
    mechanism : Mechanism
    metric : Metric
    team : ndarray of int, shape (m,)
        A number from 0 for the team of each submission.
    released, accepted : ndarray, shape (m,)
        What the team's board did.
    """
    m, sign = len(team), metric.sign
    on_board, in_force = np.empty(m), np.empty(m, int)
    for own in (np.flatnonzero(team == code) for code in np.unique(team)):
        if mechanism.replaces_always:
            # A file that is refused shows the score of another one.
            counts = _best_so_far(np.where(accepted[own], sign * released[own], np.inf))
            on_board[own] = released[own][counts]
        else:
            counts = np.maximum.accumulate(np.where(accepted[own], np.arange(len(own)), 0))
            on_board[own] = released[own]
        in_force[own] = own[counts]
    # A team whose files were all refused is behind those with a score.
    risks = np.where(np.isnan(on_board), np.inf, sign * on_board)
    place, teams = _shared_places(risks, team)
    return BoardHistory(released, accepted, in_force, on_board, place, teams)


class RankBoards:
    """An instance of the mechanism for each rank ([B] section 2.1, second way).

    The instances judge a submission in order, from the first rank to the rank of its team.  The
    submission gets the rank of the first instance that accepts it.  The entries from this rank on
    move down by one rank, together with their instances, and the older entry of the team is
    removed.  If no instance accepts the submission, nothing changes, and the score of the team's
    entry is released again; the submission of a new team is added after all others, with a new
    instance.

    If the mechanism releases every submission's own score, it accepts all of them.  Then the score
    decides: the submission gets the rank of the first entry with a worse score, or that of the
    team's own entry if the scores are equal.

    Parameters
    ----------
    metric, y, predictions, teams
        As for `TeamBoards`.
    rng_factory : callable
        ``rng_factory(*axes) -> Generator``.  The instances of all ranks use the same random numbers
        for a submission.

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
        rng_factory: Callable[..., np.random.Generator],
    ) -> None:
        self._rng_factory = rng_factory
        self._team = np.unique(teams, return_inverse=True)[1].tolist()
        self._scorer = Scorer(metric, y)
        self._batch = self._scorer.judge(predictions, _own_before(self._team))
        self._placings: dict[tuple[type, str], _Placings] = {}

    def play(self, mechanism: Mechanism) -> BoardHistory:
        """What this mechanism would have done.

        Raises
        ------
        InputError
            If its gate cannot judge the metric.
        """
        judge = Judge(mechanism, self._scorer)
        if mechanism.replaces_always:
            released = self._shown(judge, np.arange(len(self._team)))
            placings = _placings(self._team, _ByNumber(self._scorer.metric.sign * released))
            return BoardHistory(
                released, np.full(len(released), True), placings.in_force,
                released[placings.in_force], placings.place, placings.teams,
            )  # fmt: skip
        # The decisions of a gate do not depend on released scores.
        gate = type(mechanism.gate), mechanism.gate_id
        if gate not in self._placings:
            self._placings[gate] = _placings(self._team, self._instances(judge))
        placings = self._placings[gate]
        released = self._shown(judge, placings.in_force)
        accepted = placings.in_force == np.arange(len(released))
        return BoardHistory(
            released, accepted, placings.in_force, released, placings.place, placings.teams
        )

    def _instances(self, judge: Judge):
        if judge.mechanism.gate.draws_weights:
            return _ByDraws(judge, self._batch, self._rng_factory)
        return _ByGate(judge, self._batch)

    def _shown(self, judge: Judge, standing: np.ndarray) -> np.ndarray:
        mechanism, none = judge.mechanism, BoardState(self._scorer.no_row, np.inf)
        rng = self._rng_factory("rank release", mechanism.setting) if mechanism.is_noisy else None
        shown, _ = judge.show(self._batch, none, standing, rng, chain=True)
        return self._scorer.metric.sign * shown


def _own_before(team: list[int]) -> np.ndarray:
    """Number of earlier submissions of the same team; shape (m,)."""
    counts: Counter[int] = Counter()
    before = np.empty(len(team), int)
    for t, code in enumerate(team):
        before[t] = counts[code]
        counts[code] += 1
    return before


@dataclass(frozen=True, eq=False)
class _Placings:
    """`in_force`, `place` and `teams` of a `BoardHistory`."""

    in_force: np.ndarray
    place: np.ndarray
    teams: np.ndarray


def _placings(team: list[int], instances) -> _Placings:
    """The place of each submission.

    Parameters
    ----------
    team : list of int
        The team of each of m submissions.
    instances : _ByNumber or _ByGate or _ByDraws
        ``first(t, entries, own)`` is the position of the first entry that submission t replaces, or
        None; `own` is whether the last entry belongs to the team of t.
    """
    ranks: list[int] = []  # the submission at each rank
    entry: dict[int, int] = {}  # team -> its submission in `ranks`
    in_force, place, teams = (np.empty(len(team), int) for _ in range(3))
    for t, code in enumerate(team):
        current = ranks.index(entry[code]) if code in entry else None
        above = ranks if current is None else ranks[: current + 1]
        rank = instances.first(t, above, current is not None)
        if rank is None and current is None:
            rank = len(ranks)
        if rank is None:
            rank = current
        else:
            if current is not None:
                del ranks[current]
            ranks.insert(rank, t)
            entry[code] = t
        in_force[t], place[t], teams[t] = entry[code], rank + 1, len(ranks)
    return _Placings(in_force, place, teams)


class _ByNumber:
    """Ranks of a mechanism that releases every submission's own score."""

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
    """Ranks of a gate without random numbers; an instance judges all later submissions at once."""

    def __init__(self, judge: Judge, batch: ScoredSubmissions) -> None:
        self._judge, self._batch = judge, batch
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
        later = self._batch.part(slice(entry + 1, None))
        best = BoardState(rows[entry], float(risks[entry]))
        return self._judge.decide(later, best, None, chain=False) >= 0


class _ByDraws:
    """Ranks of a gate that draws weights, the same at every rank for a submission.

    A gate judges many submissions against one best quickly, but here one submission is judged
    against many entries.  So the converse gate, if there is one, first judges the entries against
    the submission, with the same weights.  The submission cannot replace those that it accepts; the
    gate itself judges the submission against the others.
    """

    def __init__(self, judge: Judge, batch: ScoredSubmissions, rng_factory) -> None:
        self._judge, self._batch = judge, batch
        self._rng_factory = partial(rng_factory, "rank gate", judge.mechanism.gate_id)
        self._converse = judge.mechanism.gate.converse()

    def first(self, t: int, entries: list[int], own: bool) -> int | None:
        for start in range(0, len(entries), _RANKS_AT_ONCE):
            some = np.array(entries[start : start + _RANKS_AT_ONCE])
            for position in np.flatnonzero(~self._stays(t, some)):
                if self._accepts(t, int(some[position])):
                    return start + int(position)
        return None

    def _stays(self, t: int, entries: np.ndarray) -> np.ndarray:
        """Which entries submission t cannot replace, as far as the converse gate tells."""
        if self._converse is None:
            return np.zeros(len(entries), bool)
        metric, y = self._judge.scorer.metric, self._judge.scorer.y
        standing = self._converse.decide(
            self._batch.part(entries), self._entry(t), metric, y, chain=False,
            rng=self._rng_factory(t),
        )  # fmt: skip
        return standing >= 0

    def _accepts(self, t: int, entry: int) -> bool:
        batch, rng = self._batch.part(np.array([t])), self._rng_factory(t)
        return self._judge.decide(batch, self._entry(entry), rng, chain=False)[0] >= 0

    def _entry(self, number: int) -> BoardState:
        return BoardState(self._batch.rows[number], float(self._batch.risks[number]))


@kernel
def _best_so_far(risks):
    """Index of the smallest risk so far, the latest if several are equal; shape (m,)."""
    best = np.zeros(len(risks), np.int64)
    for t in range(1, len(risks)):
        best[t] = best[t - 1] if less(risks[best[t - 1]], risks[t]) else t
    return best


@kernel
def _shared_places(risks, team):
    """Places by the teams' scores on the board, and numbers of teams, after each submission."""
    m = len(risks)
    place, teams = np.empty(m, np.int64), np.empty(m, np.int64)
    now = np.full(m, np.nan)  # each team's risk on the board; NaN before its first submission
    for t in range(m):
        now[team[t]] = risks[t]
        better = there = 0
        for number in now:
            there += not np.isnan(number)
            better += less(number, risks[t])
        place[t], teams[t] = better + 1, there
    return place, teams

"""The replay of a large log, in seconds, and a small one against the literal leaderboards."""

from __future__ import annotations

from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
from tests.reference import mechanisms as literal
from tests.reference.standings import PerRank, PerTeam

from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.team_boards import RankBoards, TeamBoards
from shakedown.metrics import find
from shakedown.seeding import stream

SUBMISSIONS = ROWS = 1500
TEAMS = 150
PUBLIC = 0.3
#: Seconds that a replay on every mechanism and both kinds of board may take.
WANTED = 30
_EVERY = (
    ("full_disclosure", {}),
    ("kaggle", {}),
    ("general_ladder", {"eta": 0.05}),
    ("simplified_ladder", {"eta": 0.05}),
    ("parameter_free_ladder", {}),
    ("ladder", {"alpha": 0.15}),
    ("ladderboot", {"alpha": 0.15, "b": 10}),
    ("bayesboot_ladder", {"posterior_odds": 5.67}),
    ("bayesboot_ladderboot", {"posterior_odds": 5.67, "b": 10}),
)
_WAYS = {"a board for each team": (TeamBoards, PerTeam), "for each rank": (RankBoards, PerRank)}


def log(m: int, n: int, teams: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Public response, predictions (m, n) and teams (m,): teams that improve, errors in common."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    team = rng.integers(teams, size=m)
    style = rng.standard_normal((teams, n))
    scale = (rng.uniform(0.5, 1.0, teams)[team] * np.linspace(1.2, 0.9, m))[:, None]
    errors = scale * (0.8 * style[team] + 0.6 * rng.standard_normal((m, n)))
    return y, y + errors, np.array([f"team {k}" for k in team])


def report(rounds: int) -> None:
    """Print both tables."""
    n = round(PUBLIC * ROWS)
    y, predictions, teams = log(SUBMISSIONS, n, TEAMS, seed=1)
    print(
        f"\nReplay of {SUBMISSIONS:,} submissions of {TEAMS} teams on {ROWS:,} rows, one core, s\n"
    )
    every = 0.0
    for way, (boards, _) in _WAYS.items():
        boards(find("mse"), y[:40], predictions[:40, :40], teams[:40], partial(stream, 1)).play(
            mechanism("bayesboot_ladder", posterior_odds=1.0)
        )  # compiled by now
        start = perf_counter()
        opened = boards(find("mse"), y, predictions, teams, partial(stream, 1))
        for name, settings in _EVERY:
            opened.play(mechanism(name, **settings))
        seconds = perf_counter() - start
        every += seconds
        print(f"{'nine mechanisms, ' + way:58s} {seconds:10.1f}")
    print(f"{'both':58s} {every:10.1f}   wanted ≤ {WANTED}")

    print("\nAgainst literal leaderboards, Parameter-free Ladder, 200 submissions of 20 teams\n")
    y, predictions, teams = log(200, n, 20, seed=2)
    for way, (boards, twin) in _WAYS.items():
        ratios = []
        for _ in range(rounds):
            start = perf_counter()
            board = twin(lambda: literal.ParameterFreeLadder(y, "mse"))
            for t, prediction in enumerate(predictions):
                board.submit(teams[t], t, prediction)
            plain = perf_counter() - start
            start = perf_counter()
            boards(find("mse"), y, predictions, teams, partial(stream, 1)).play(
                mechanism("parameter_free_ladder")
            )
            ratios.append(plain / (perf_counter() - start))
        print(f"{way:58s} {median(ratios):10.0f} times as fast")

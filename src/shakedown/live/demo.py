"""A demonstration: honest teams and an adversary play against a running board over HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import httpx
import numpy as np

from shakedown.attacks.staircase import Staircase
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.live.alerts import alerts_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.truth import Truth
from shakedown.live.web import Limits, Server, app
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.terms import Receipt

#: The board, its rows of each set, and features of the honest teams' data.
BOARD, ROWS, FEATURES = "ladder(alpha=0.15)", 200, 30
ADVERSARY = "Adversary"
#: Seconds from one line of the progress to the next, at least.
EVERY = 2.0


@dataclass(frozen=True)
class Outcome:
    """How a demonstration ended.

    Attributes
    ----------
    url : str
        Address of the page.
    database : Path
    scores : dict of str to (float, float)
        Public and final MSE of each team's last file.
    alerts : dict of str to list of str
        Kinds of alerts by team; "" for several teams.
    differences : list of str
        What the audit found.
    """

    url: str
    database: Path
    scores: dict[str, tuple[float, float]]
    alerts: dict[str, list[str]]
    differences: list[str]


class RemoteBoard:
    """A board behind its page, as an attack sees it (`terms.LeaderboardClient`).

    It knows the published terms, and the answers to its own files.
    """

    def __init__(
        self, send: Callable, mechanism: Mechanism, rows: int, start: float | None
    ) -> None:
        self._send = send
        self.terms = replace(mechanism.terms(find("mse"), rows), start=start)

    def submit(self, predictions: np.ndarray, final: Callable | None = None) -> Receipt:
        """Send files, shape (m, n), one after another."""
        shown = [self._send(file) for file in predictions]
        return Receipt(np.array(shown, float), np.zeros(len(shown), bool))


@dataclass
class Player:
    """A team, which sends its files with its token."""

    url: str
    token: str
    pause: float
    end: threading.Event
    last: np.ndarray = field(default_factory=lambda: np.empty(0))
    client: httpx.Client = field(default_factory=partial(httpx.Client, timeout=60.0))

    def send(self, file: np.ndarray) -> float:
        """Send a file, shape (n,); returns the score that is shown."""
        lines = [f"r{k},{value!r}" for k, value in enumerate(file.tolist())]
        answer = self.client.post(
            f"{self.url}/api/submissions",
            content="\n".join(["id,prediction", *lines, ""]),
            headers={"authorization": f"Bearer {self.token}"},
        )
        if answer.status_code != 200:
            raise InputError(f"demo: the board answered {answer.status_code}: {answer.text[:200]}")
        self.last = file
        self.end.wait(self.pause)
        return answer.json()["score"]


def run(
    seconds: float = 30.0,
    *,
    teams: int = 20,
    submissions: int = 15,
    probes: int = 150,
    seed: int = 1,
    folder: str | Path = ".",
    out: Callable[[str], None] | None = None,
) -> Outcome:
    """Play honest teams and an adversary against a board of their own, and report.

    Parameters
    ----------
    seconds : float
        About how long it takes.
    teams, submissions : int
        Honest teams, and files of each.
    probes : int
        Files of the adversary.
    seed : int
    folder : path
        Where the database goes.
    out : callable
        Gets each line of the report; by default they are printed.

    Raises
    ------
    InputError
        If a number is below 1.
    """
    for name, number in (("teams", teams), ("submissions", submissions), ("probes", probes)):
        if number < 1:
            raise InputError(f"{name}: wanted at least 1; got {number}.")
    out = out or partial(print, flush=True)
    X, truth, train = _data(stream(seed, "demo", "data"))
    database = _free(Path(folder))
    rules = Rules.of(BOARD, "mse", seed=seed, per_team=max(submissions, probes + 1))
    board, organiser = LiveBoard.create(f"sqlite:///{database}", rules, truth, name="demo")
    end, errors = threading.Event(), []
    limits = Limits(requests=10**6, submissions=10**6, pace=0.02)
    with Server(app(board, limits=limits)) as url:
        out(f"Board: {url}/   organiser: {url}/login with the token {organiser}")
        players = {
            f"Team {k + 1}": Player(
                url, board.register(f"Team {k + 1}"), 0.9 * seconds / submissions, end
            )
            for k in range(teams)
        }
        works = {
            name: partial(_climb, player, X, train, submissions, stream(seed, "demo", name))
            for name, player in players.items()
        }
        players[ADVERSARY] = Player(url, board.register(ADVERSARY), 0.8 * seconds / probes, end)
        works[ADVERSARY] = partial(
            _probe, players[ADVERSARY], len(truth.ids), probes, board.start, stream(seed, "attack")
        )
        threads = [
            threading.Thread(target=_kept, args=(work, errors), daemon=True)
            for work in works.values()
        ]
        for thread in threads:
            thread.start()
        try:
            _watch(threads, url, out)
        finally:
            end.set()
            for thread in threads:
                thread.join(60.0)
            for player in players.values():
                player.client.close()
    if errors:
        raise errors[0]
    board.close()
    scores = {name: _scores(player.last, truth) for name, player in players.items()}
    with board.reading() as (connection, board_id, _):
        raised = alerts_of(connection, board_id, board.rules)
    alerts = {team: [alert.kind for alert in raised if alert.team == team] for team in
              dict.fromkeys(alert.team for alert in raised)}  # fmt: skip
    outcome = Outcome(url, database, scores, alerts, board.audit())
    for line in _report(outcome):
        out(line)
    return outcome


def _kept(work: Callable[[], None], errors: list[Exception]) -> None:
    try:
        work()
    except (InputError, httpx.HTTPError) as e:
        errors.append(e)


def _free(folder: Path) -> Path:
    """A path at which there is no file."""
    names = (f"board-demo{'' if k == 1 else f'-{k}'}.db" for k in range(1, 10_000))
    return next(folder / name for name in names if not (folder / name).exists())


def _data(rng: np.random.Generator):
    """Features of the board's rows, the truth, and the training set."""
    n = 2 * ROWS
    X = rng.normal(size=(n + ROWS, FEATURES))
    y = X[:, :10].sum(axis=1) * 0.2 + rng.normal(0, 0.8, n + ROWS)
    public = rng.permutation(n) < ROWS
    for rows in (np.flatnonzero(public), np.flatnonzero(~public), np.arange(n, n + ROWS)):
        y[rows] = (y[rows] - y[rows].mean()) / y[rows].std(ddof=1)
    truth = Truth.of([f"r{k}" for k in range(n)], y[:n], public)
    return X[:n], truth, (X[n:], y[n:])


def _climb(player: Player, X, train, submissions: int, rng: np.random.Generator) -> None:
    """An honest team: tries sets of features, and keeps what the board says is better."""
    chosen, best = rng.random(FEATURES) < 0.3, np.inf
    kept = None
    for _ in range(submissions):
        if player.end.is_set():
            return
        tried = chosen.copy()
        tried[rng.choice(FEATURES, 2, replace=False)] ^= True
        tried[rng.integers(FEATURES)] = True
        features, y = train[0][:, tried], train[1]
        penalty = 20.0 * np.exp(rng.normal())
        gram = features.T @ features + penalty * np.eye(tried.sum())
        file = X[:, tried] @ np.linalg.solve(gram, features.T @ y)
        score = player.send(file)
        if score is not None and (score < best or kept is None):
            best, chosen, kept = score, tried, file
    player.last = kept


def _probe(player: Player, rows: int, probes: int, start: float, rng) -> None:
    """The adversary: the staircase on all rows, as nobody tells it which are public."""
    none = np.zeros((rows, 1))
    view = ParticipantData(np.zeros((2, 1)), np.zeros(2), none, none[:1])
    attack = Staircase(submissions=probes, points=[probes])
    remote = RemoteBoard(player.send, of_setting(BOARD), ROWS, start)
    game = attack.prepare(view, None, rng).play(lambda: remote)
    # Scores on a part of the rows tell more of each than the attack believes.
    player.send(game.models.public[-1] * ROWS / rows)


def _watch(threads: list[threading.Thread], url: str, out: Callable[[str], None]) -> None:
    """Say how the board fills until all have played."""
    began = time.monotonic()
    with httpx.Client(base_url=url, timeout=60.0) as client:
        while any(thread.is_alive() for thread in threads):
            end = time.monotonic() + EVERY
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
            if rows := client.get("/api/board").json()["teams"]:
                out(_line(time.monotonic() - began, rows))


def _line(seconds: float, rows: list[dict]) -> str:
    """A line of the progress."""
    first = rows[0]
    line = f"{seconds:5.0f} s  {len(rows)} teams; leader {first['team']} {first['score']:.3f}"
    for row in rows:
        if row["team"] == ADVERSARY:
            line += f"; adversary {row['score']:.3f}, place {row['place']}"
    return line


def _scores(file: np.ndarray, truth: Truth) -> tuple[float, float]:
    errors = (file - truth.values) ** 2
    return float(errors[truth.public].mean()), float(errors[~truth.public].mean())


def _report(outcome: Outcome) -> list[str]:
    """What everybody reached, in lines."""
    ranked = sorted(outcome.scores.items(), key=lambda item: item[1][0])
    finals = sorted(outcome.scores, key=lambda name: outcome.scores[name][1])
    lines = ["", f"{'MSE of the last file':22}{'public':>8}{'final':>8}{'final place':>13}"]
    for name, (public, final) in [
        *ranked[:3],
        *(item for item in ranked[3:] if item[0] == ADVERSARY),
    ]:
        lines.append(f"{name:22}{public:8.3f}{final:8.3f}{finals.index(name) + 1:13}")
    public, final = outcome.scores[ADVERSARY]
    signs = ", ".join(outcome.alerts.get(ADVERSARY, [])) or "none"
    others = sorted(set(outcome.alerts) - {ADVERSARY})
    return [
        *lines,
        "",
        f"The adversary has no model. It saw nothing but its answers, and its public MSE is "
        f"{1.0 - public:.2f} better than that of the mean, its final one {final - 1.0:+.2f} worse.",
        f"Alerts for the adversary: {signs}; for honest teams: {', '.join(others) or 'none'}.",
        "Audit: " + ("; ".join(outcome.differences) or "the board is what its log says."),
        f"Look again: shakedown board serve --url {outcome.database}",
    ]

"""The games that are timed: each once by the engine and once by its plain twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from tests.reference import attacks, label_attacks, mechanisms

from shakedown.attacks.boosting import Boosting
from shakedown.attacks.enumeration import Enumeration
from shakedown.attacks.freedman import Freedman
from shakedown.attacks.models import LeastSquares
from shakedown.attacks.on_labels import fair_labels
from shakedown.attacks.step_forward import StepForward
from shakedown.data.scaling import standardised
from shakedown.interface import ParticipantData
from shakedown.leaderboard.error import ExpectedRisks
from shakedown.leaderboard.mechanism import mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session


@dataclass(frozen=True)
class Benchmark:
    """One row of the table.

    Attributes
    ----------
    name : str
    engine, twin : callable
        ``f(view, y_public, k) -> submissions``: play the game with the k-th rng_factory.
    wanted : int or None
        The ratio that is asked of the engine.
    """

    name: str
    engine: Callable
    twin: Callable
    wanted: int | None = None


def data(n: int, p: int, seed: int) -> tuple[ParticipantData, np.ndarray]:
    """Null data with correlated features: a view, and the public response."""
    rng = np.random.default_rng(seed)
    loadings = rng.standard_normal((p, 20))
    X = [
        standardised(loadings @ rng.standard_normal((20, n)) + 3 * rng.standard_normal((p, n))).T
        for _ in range(3)
    ]
    y = [standardised(rng.standard_normal((1, n)))[0] for _ in range(2)]
    return ParticipantData(X[0], y[0], X[1], X[2]), y[1]


def _session(y_public, k, metric, mechanism, opening):
    """As in a study, the record has the leaderboard error; the twins keep none."""
    truth = ExpectedRisks(metric, y_public, opening)
    return Session(Scorer(metric, y_public, opening), mechanism, partial(stream, 1, k), truth)


def _engine(view, y_public, k, *, attack, metric, mechanism):
    prepared = attack.prepare(view, LeastSquares(), None)
    session = _session(y_public, k, metric, mechanism, prepared.opening)
    return int(prepared.play(session.open).models.submissions[-1])


def _views(view):
    return view.X_train, view.y_train, view.X_public, view.X_final


def _plain_step_forward(view, y_public, k, *, board, iterations, detector):
    rng = np.random.default_rng(k)
    records = attacks.step_forward(
        *_views(view), lambda: board(y_public, rng), iterations, detector=detector
    )
    return records[-1]["submissions"]


def _plain_freedman(view, y_public, k, *, board, largest, metric="mse"):
    submit = board(y_public, np.random.default_rng(k)).submit
    attacks.freedman(*_views(view), submit, range(1, largest + 1), larger_is_better=metric == "ccc")
    return view.X_train.shape[1]


def _step_forward(name, settings, board, detector, wanted):
    iterations = 5
    engine = partial(
        _engine, attack=StepForward(iterations=iterations), metric=find("mse"),
        mechanism=mechanism(name, **settings),
    )  # fmt: skip
    twin = partial(_plain_step_forward, board=board, iterations=iterations, detector=detector)
    return engine, twin, wanted


def _freedman(metric, name, settings, board, wanted):
    largest = 30
    engine = partial(
        _engine, attack=Freedman(largest_model=largest), metric=find(metric),
        mechanism=mechanism(name, **settings),
    )  # fmt: skip
    return engine, partial(_plain_freedman, board=board, largest=largest, metric=metric), wanted


def _labels(y_public):
    """0 and 1 in the place of the response."""
    return (y_public > 0.0).astype(float)


def _engine_on_labels(view, y_public, k, *, attack, mechanism):
    prepared = attack.prepare(view, None, stream(1, k))
    session = _session(_labels(y_public), k, find("zero_one"), mechanism, prepared.opening)
    return int(prepared.play(session.open).models.submissions[-1])


def _plain_boosting(view, y_public, k, *, submissions):
    us = fair_labels(stream(1, k), submissions, 2 * len(y_public)).astype(float)
    board = mechanisms.FullDisclosure(_labels(y_public), "zero_one")
    label_attacks.boosting(us, board.submit, n=len(y_public))
    return submissions


def _plain_swaps(view, y_public, k, *, submissions):
    rng = stream(1, k)
    first = rng.permutation(np.arange(len(y_public)) % 2).astype(float)
    board = mechanisms.ParameterFreeLadder(_labels(y_public), "zero_one")
    return label_attacks.swapping(first, board.submit, rng, submissions)[1]


GAMES = [
    Benchmark(
        "step-forward against Ladder(α = .15)",
        *_step_forward(
            "ladder", {"alpha": 0.15},
            lambda y, rng: mechanisms.Ladder(y, "mse", 0.15), "exact", 350,
        ),
    ),
    Benchmark(
        "step-forward against LadderBoot(α = .15, b = 100)",
        *_step_forward(
            "ladderboot", {"alpha": 0.15, "b": 100},
            lambda y, rng: mechanisms.LadderBoot(y, "mse", 0.15, 100, rng=rng), "told", 1200,
        ),
    ),
    Benchmark(
        "Freedman against Ladder(α = .15)",
        *_freedman(
            "mse", "ladder", {"alpha": 0.15},
            lambda y, rng: mechanisms.Ladder(y, "mse", 0.15), 400,
        ),
    ),
    Benchmark(
        "Freedman against BayesBootLadderBoot(B = 1000, b = 100), CCC",
        *_freedman(
            "ccc", "bayesboot_ladderboot", {"posterior_odds": 5.67, "b": 100},
            lambda y, rng: mechanisms.BayesBootLadderBoot(y, "ccc", 5.67, 1000, 100, rng=rng), 2000,
        ),
    ),
    Benchmark(
        "boosting against Full-disclosure",
        partial(
            _engine_on_labels, mechanism=mechanism("full_disclosure"),
            attack=Boosting(submissions=1000, points=[1000]),
        ),
        partial(_plain_boosting, submissions=1000),
    ),
    Benchmark(
        "swaps against the parameter-free Ladder",
        partial(
            _engine_on_labels, mechanism=mechanism("parameter_free_ladder"),
            attack=Enumeration(submissions=1000, move="swap", points=[1000]),
        ),
        partial(_plain_swaps, submissions=1000),
    ),
]  # fmt: skip

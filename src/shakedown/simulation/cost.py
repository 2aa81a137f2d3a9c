"""What a replicate costs before it is played: CPU seconds, rows of outcomes, memory.

The slopes were measured on one core of a machine on which `REFERENCE` is the time of one call of a
kernel.  `speed` times the same call here; all estimates are scaled by it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from shakedown.attacks.attack import sizes
from shakedown.data.designs import LABELS
from shakedown.interface import Shape
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.metrics import find

#: Seconds of a call of `candidate_predictions` with 300 features and 209 rows.
REFERENCE = 1.8e-5
#: Seconds for each cell of X that a replicate scales, and that it reads without scaling.
SCALING, READING = 10e-9, 4e-9
#: Seconds of a submission to a metric that is a Python function, and of fitting a model of
#: scikit-learn at each final size.
FUNCTION, FITTING = 5e-5, 5e-3
#: Bytes of the predictions of a batch above which they do not stay in the cache, and how much
#: longer they take then.
CACHE, BEYOND = 32e6, 2.0
#: Bytes of a process that has imported what it needs, and how many times a job holds X at most: as
#: it was read, scaled, and in the step-forward attack several times a third of it.
IMPORTED, HELD = 200e6, 3.9
MEBIBYTE = 2**20


def speed() -> float:
    """How many times longer than on the machine of the measurements a kernel takes here."""
    import numpy as np

    from shakedown.attacks.least_squares import candidate_predictions

    X = np.random.default_rng(0).standard_normal((300, 209))
    times = []
    for _ in range(200):
        start = time.process_time()
        candidate_predictions(X, X, X[0], X[0])
        times.append(time.process_time() - start)
    return min(times) / REFERENCE


def replicate(settings: Mapping[str, Any], shape: Shape, design: str) -> tuple[float, int]:
    """CPU seconds of one replicate on the machine of the measurements, and its rows of outcomes.

    Parameters
    ----------
    settings : mapping
        An experiment's entry.
    shape : Shape
        Of the data set.
    design : str
    """
    metric, boards = find(settings["metric"]), mechanisms(settings["mechanisms"])
    budgets = sizes(settings["attack"])
    public = shape.public
    drawn = design != "permuted" or settings.get("feature_subset") == "replicate"
    fitted = settings.get("model", "ols") != "ols"
    seconds, rows, widest = 0.0, 0, 0
    for size, attack in budgets:
        p = min(size or settings.get("features") or shape.features, shape.features)
        features = p if attack.uses_features else 0
        submissions, points = attack.extent(p)
        seconds += features * shape.rows * READING
        widest = max(widest, features)
        slower = BEYOND if 8.0 * features * public > CACHE else 1.0
        for board in boards:
            costs = (attack.cost, board.cost)
            each = sum(cost.submission + cost.row * public * slower for cost in costs)
            each += 0.0 if metric.function is None else FUNCTION
            seconds += sum(cost.game for cost in costs) + submissions * each
            seconds += points * FITTING if fitted else 0.0
        rows += points * len(boards)
    if drawn and design != LABELS:
        seconds += widest * shape.rows * SCALING
    return seconds, rows


def experiment(settings: Mapping[str, Any], shapes: Mapping[str, Shape]) -> tuple[float, int]:
    """The same of one replicate on each data set in each design together.

    Parameters
    ----------
    settings : mapping
        As for `replicate`.
    shapes : mapping
        Of the data sets, by name.
    """
    parts = [
        replicate(settings, shapes[dataset], design)
        for dataset in settings["datasets"]
        for design in settings["designs"]
    ]
    return sum(seconds for seconds, _ in parts), sum(rows for _, rows in parts)


def memory(shape: Shape) -> int:
    """MiB that a job with a data set holds at most."""
    return round((IMPORTED + HELD * 8.0 * shape.rows * shape.features) / MEBIBYTE)

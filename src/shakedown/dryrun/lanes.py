"""Playing replicates of the plan until the answer is narrow enough or the time is up."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from shakedown.dryrun.plan import plan, thresholds
from shakedown.frontier import quantile_interval
from shakedown.interface import Challenge
from shakedown.outcomes import COLUMNS, MECHANISM, typed
from shakedown.replicate import Experiment, play

#: The width is looked at when the replicates have grown by this factor, not after each: every
#: look is another chance to stop where the interval happens to be narrow.
GROWTH = 1.25


def play_lane(
    challenge: Challenge,
    settings: Mapping[str, Any],
    lane: int,
    seconds: float,
    seed: int,
    *,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[pd.DataFrame, dict]:
    """Play replicates lane, lane + lanes, ... of the plan.

    Parameters
    ----------
    challenge : Challenge
    settings : mapping
        The configuration's `dryrun`.
    lane : int
        0, 1, ..., lanes - 1.
    seconds : float
        No replicate is begun later than this, once the lane has its share of
        `fewest_replicates`.
    seed : int
        The study's.
    clock : callable
        The time, in seconds.
    progress : callable
        Called with the number of replicates that the lane has played so far.

    Returns
    -------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`, Δ of standardised data; a replicate's rows depend on its
        number alone.
    stopped : dict
        `replicates` and `seconds` of the lane; `reason`: "narrow", "time" or "most"; `width`: the
        widest interval at the end, of standardised data, None where there is none yet.
    """
    started = clock()
    lanes, (fewest, _) = settings["lanes"], shares(settings)
    numbers = range(lane, max(settings["most_replicates"], lane + 1), lanes)
    # Together the lanes have `lanes` times the replicates, and an interval narrower by the root.
    wanted = settings["precision"] * -thresholds(challenge, settings)[0] * math.sqrt(lanes)
    experiments = [
        Experiment(name, entry, challenge, "permuted", seed=seed)
        for name, entry in plan(challenge, settings).items()
    ]
    candidates = Candidates(settings["submissions"], settings["quantile"])
    frames, done, look, reason = [], 0, fewest, "most"
    for replicate in numbers:
        played = [play(one, [replicate], previews=False) for one in experiments]
        frames += played
        candidates.add(played)
        done += 1
        progress(done)
        if done < fewest:
            continue
        if done >= look:
            look = math.ceil(done * GROWTH)
            if candidates.width() <= wanted:
                reason = "narrow"
                break
        if clock() - started >= seconds and done < len(numbers):
            reason = "time"
            break
    width = candidates.width()
    stopped = {
        "replicates": done,
        "seconds": clock() - started,
        "reason": reason,
        "width": width if math.isfinite(width) else None,
    }
    return joined(frames), stopped


def shares(settings: Mapping[str, Any]) -> tuple[int, int]:
    """The fewest and the most replicates that one lane plays."""
    lanes = settings["lanes"]
    return -(-settings["fewest_replicates"] // lanes), -(-settings["most_replicates"] // lanes)


class Candidates:
    """Δ of everything that the attacker could choose, replicate by replicate.

    Parameters
    ----------
    submissions : int
        How many the attacker has.
    quantile : float
        Which quantile of Δ the attacker looks at.
    """

    def __init__(self, submissions: int, quantile: float) -> None:
        self._allowed, self._quantile = submissions, quantile
        self._delta: dict[tuple, list[float]] = defaultdict(list)
        self._made: dict[tuple, int] = defaultdict(int)

    def add(self, frames: list[pd.DataFrame]) -> None:
        """Take in the outcomes of one replicate."""
        for frame in frames:
            # The point of the attack is k where there are no iterations, else the iteration.
            point = frame["iterations"].fillna(frame["n_selected"])
            settings = [frame[c].astype(object).where(frame[c].notna(), None) for c in MECHANISM]
            mechanisms = zip(*(column.tolist() for column in settings), strict=True)
            places = (frame["experiment"], frame["n_features"], point)
            places = zip(*(column.tolist() for column in places), strict=True)
            made, deltas = frame["submissions"].tolist(), frame["delta"].tolist()
            for *key, needed, delta in zip(mechanisms, places, made, deltas, strict=True):
                candidate = tuple(key)
                self._delta[candidate].append(delta)
                self._made[candidate] = max(self._made[candidate], needed)

    def width(self) -> float:
        """Width of the 95 % interval of the best choice's Δ, the widest of all mechanisms.

        Infinite where there are too few replicates.
        """
        # Where the fewest submissions that were tried are more than there are, these.
        allowed = max(self._allowed, min(self._made.values()))
        among = [c for c, made in self._made.items() if made <= allowed]
        replicates = max(len(self._delta[c]) for c in among)
        among = [c for c in among if len(self._delta[c]) == replicates]
        values = np.array([self._delta[c] for c in among])
        estimates = np.quantile(values, self._quantile, axis=1)
        best: dict[tuple, int] = {}
        for k, (mechanism, _) in enumerate(among):
            if mechanism not in best or estimates[k] < estimates[best[mechanism]]:
                best[mechanism] = k
        intervals = (quantile_interval(np.sort(values[k]), self._quantile) for k in best.values())
        return max(high - low for _, low, high in intervals)


def joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """One frame of several, whose categories differ."""
    texts = dict.fromkeys((c for c, kind in COLUMNS.items() if kind == "category"), object)
    return typed(pd.concat([frame.astype(texts) for frame in frames], ignore_index=True))

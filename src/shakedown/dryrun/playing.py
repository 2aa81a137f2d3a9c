"""Play replicates of the plan until the interval is narrow enough or the time is over."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.attack import ATTACKS, MODELLER
from shakedown.data.splits import official_sizes
from shakedown.dryrun.chance import BLIND
from shakedown.dryrun.plan import design_of, plan
from shakedown.dryrun.settings import DryRunEntry
from shakedown.dryrun.thresholds import thresholds
from shakedown.interface import Challenge
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.metrics import find
from shakedown.simulation.columns import Columns
from shakedown.simulation.quantiles import quantile_interval
from shakedown.simulation.rehearsal import rehearse
from shakedown.simulation.replicate import Experiment, played

if TYPE_CHECKING:
    import pandas as pd

#: The width is checked each time the number of replicates has grown by this factor.  A check after
#: each replicate would stop more often at an interval that is narrow by chance.
GROWTH = 1.25
#: What need not be played in all replicates is played in the first, the fewest that bound a
#: quartile.
FIRST = 13
#: Then an attack whose Δ hardly varies is played in one of so many.
SPARSE = 10
#: So is a board that reads files, such as a metered one: each of its answers takes ten times as
#: long, and its limits are proved.
RARE = 16


def play_share(
    challenge: Challenge,
    settings: DryRunEntry,
    job: int,
    seconds: float,
    seed: int,
    *,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[pd.DataFrame, dict]:
    """Play replicates job, job + jobs, ... of the plan.

    Parameters
    ----------
    challenge : Challenge
    settings : DryRunEntry
    job : int
        0, 1, ..., jobs - 1.
    seconds : float
        Once the job has its share of `fewest_replicates`, it starts no replicate later than this.
    seed : int
        The study's.
    clock : callable
        The time, in seconds.
    progress : callable
        Called with the number of replicates that the job has played so far.

    Returns
    -------
    outcomes : DataFrame
        Columns as `outcomes.COLUMNS`, with Δ of standardised data.  The rows of a replicate depend
        only on its number.
    stopped : dict
        `replicates` and `seconds` of the job; `reason` for which it stopped: "narrow", "time" or
        "most"; `width` of the widest interval, on standardised data, or None if it is infinite.

    Raises
    ------
    InputError
        If an attack of one's own has other points on another board or in another replicate.
    """
    started = clock()
    jobs, (fewest, _) = settings.jobs, shares(settings)
    numbers = range(job, max(settings.most_replicates, job + 1), jobs)
    # All jobs together play `jobs` times as many replicates; widths shrink with the square root.
    wanted = settings.precision * -thresholds(challenge, settings)[0] * math.sqrt(jobs)
    experiments = planned(challenge, settings, seed)
    for experiment in experiments:  # before any of them is played
        rehearse(experiment)
    candidates = Candidates(settings.submissions, settings.quantile)
    outcomes, done, look, reason = Columns(), 0, fewest, "most"
    for replicate in numbers:
        results = {
            experiment: played(experiment, [replicate], previews=False)
            for experiment in experiments
            if _is_played(experiment, replicate)
        }
        for result in results.values():
            outcomes.extend(result)
        modelled = [
            result
            for experiment, result in results.items()
            if experiment.attack.threat == MODELLER
            and any(mechanism.setting != BLIND for mechanism in experiment.mechanisms)
        ]
        candidates.add(modelled or results.values())
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
    return outcomes.frame(), stopped


def planned(challenge: Challenge, settings: DryRunEntry, seed: int) -> list[Experiment]:
    """The experiments of the plan, ready to be played; parameters as in `play_share`.

    The boards of an experiment that read files are in one of their own, with the same name.
    """
    # A dry run does not read the leaderboard error, which takes half of the calls of a function.
    errors = find(settings.metric).function is None
    return [
        Experiment(
            *(name, entry | {"mechanisms": boards}, challenge),
            design_of(ATTACKS.find(entry["attack"]["name"]), find(settings.metric)),
            seed=seed,
            errors=errors,
            sizes=official_sizes(challenge),
        )
        for name, entry in plan(challenge, settings).items()
        for boards in _by_reading(entry["mechanisms"])
    ]


def _by_reading(boards: list[dict]) -> list[list[dict]]:
    """The boards whose answers follow from scores, and those that read files; where some are."""
    reading = [b for b in boards if any(m.release.reads_files for m in mechanisms([b]))]
    return [part for part in ([b for b in boards if b not in reading], reading) if part]


def _is_played(experiment: Experiment, replicate: int) -> bool:
    """Whether an experiment is played in a replicate."""
    if any(mechanism.release.reads_files for mechanism in experiment.mechanisms):
        each = RARE
    else:
        each = SPARSE if experiment.attack.hardly_varies else 1
    return replicate < FIRST or replicate % each == 0


def shares(settings: DryRunEntry) -> tuple[int, int]:
    """The fewest and the most replicates that one job plays."""
    jobs = settings.jobs
    return -(-settings.fewest_replicates // jobs), -(-settings.most_replicates // jobs)


class Candidates:
    """Δ of all candidates of the attacker, replicate by replicate.

    Parameters
    ----------
    submissions : int
        The attacker's number of submissions.
    quantile : float
        The quantile of Δ over the replicates.
    """

    def __init__(self, submissions: int, quantile: float) -> None:
        self._allowed, self._quantile = submissions, quantile
        self._delta: dict[tuple, list[float]] = defaultdict(list)
        self._made: dict[tuple, int] = defaultdict(int)

    def add(self, results: Iterable[Columns]) -> None:
        """Add the outcomes of one replicate."""
        for result in results:
            for block in result.blocks():
                if block["setting"] == BLIND:
                    continue
                named = block["setting"], block["experiment"], block["n_features"]
                names = ("point", "submissions", "delta")
                columns = (np.asarray(block[name]).tolist() for name in names)
                for point, needed, delta in zip(*columns, strict=True):
                    candidate = (*named, point)
                    self._delta[candidate].append(delta)
                    self._made[candidate] = max(self._made[candidate], needed)

    def width(self) -> float:
        """Width of the 95 % interval of the best candidate's Δ; the largest over the settings.

        Infinite if there are too few replicates.
        """
        # At least one candidate is allowed: the one with the fewest submissions.
        allowed = max(self._allowed, min(self._made.values()))
        among = [c for c, made in self._made.items() if made <= allowed]
        replicates = max(len(self._delta[c]) for c in among)
        among = [c for c in among if len(self._delta[c]) == replicates]
        values = np.array([self._delta[c] for c in among])
        estimates = np.quantile(values, self._quantile, axis=1)
        best: dict[str, int] = {}
        for k, (setting, *_) in enumerate(among):
            if setting not in best or estimates[k] < estimates[best[setting]]:
                best[setting] = k
        intervals = (quantile_interval(np.sort(values[k]), self._quantile) for k in best.values())
        return max(high - low for _, low, high in intervals)

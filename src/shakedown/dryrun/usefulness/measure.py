"""Measure how useful each mechanism is to honest participants.

There are two tables.  One shows how well released scores rank honest submissions and teams, how
much they differ from final scores, how late they tell of improvements, and what a hill-climber
gains.  The other shows how probably a true improvement is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from shakedown.data.splits import Split, Splitter, official_sizes
from shakedown.dryrun.usefulness import climbers, honest, improvements, teams
from shakedown.dryrun.usefulness.nearest_label import judging
from shakedown.dryrun.usefulness.summaries import Statistic, columns, means, rank_correlation
from shakedown.interface import Challenge, FinalModels, InputError, ParticipantData
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.gates import check
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import Metric, find
from shakedown.seeding import stream
from shakedown.simulation.replicate import measure as final_scores

#: Largest number of cells (rows times features) of a replicate; larger tables are subsampled.
CELLS = 5_000_000

#: Correlation of the base with the response if there is no signal; otherwise its bounds.
BASE, LOWEST_BASE, HIGHEST_BASE = 0.5, 0.1, 0.95

STATISTICS = (
    Statistic("rank_correlation", -1.0, 1.0, scored=False),
    Statistic("mean_difference"),
    Statistic("leaderboard_error"),
)
MEANS = tuple(one.name for one in STATISTICS)

UTILITY = [
    "dataset", "metric", "setting", "sequence", "replicates",
    *columns(STATISTICS), "resolution_floor", "seen_floor", "honest_gain",
    *columns(teams.STATISTICS + climbers.STATISTICS),
]  # fmt: skip

ACCEPTANCE = [
    "dataset", "metric", "setting",
    "gain", "accepted", "accepted_low", "accepted_high", "seen", "replicates",
]  # fmt: skip


def measure(
    challenge: Challenge,
    settings: Mapping[str, Any],
    mechanisms: Sequence[Mechanism],
    *,
    replicates: int,
    seed: int,
    unit: float = 1.0,
    progress: Callable[[int], None] = lambda done: None,
    error_correlation: float = 0.8,
    submissions: int = teams.SUBMISSIONS,
    threshold: float = -0.05,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure how useful each mechanism is to honest participants.

    Parameters
    ----------
    challenge : Challenge
    settings : mapping
        Uses `metric`, a name for `metrics.find`.
    mechanisms : sequence of Mechanism
    replicates : int
        Number of random splits, with the sizes of the official split if there is one; at least 1.
    seed : int
    unit : float
        A score of 1 on standardised data in the metric's own unit.
    progress : callable
        Called with 1, 2, ..., 2 x `replicates`: each replicate has two parts.
    error_correlation : float
        Correlation between the errors of successive submissions, in [0, 1).  It is positive if
        participants improve a model rather than start again.
    submissions : int
        Number of submissions that the organiser allows each participant; at least 1.
    threshold : float
        Tolerated Δ, below 0, on standardised data: the size of a gain that is worth seeing.

    Returns
    -------
    utility : DataFrame
        One row per mechanism; columns `UTILITY`.  `sequence` is what was submitted: "models", or
        "noise" if `honest.has_signal` finds no signal.  Three statistics summarise the 30
        submissions t of a replicate on one board:

        - rank_correlation: Spearman's correlation between the score released after submission t
          and the final score of submission t; 0 if the released score never changes.
        - mean_difference: the mean of |released score - final score of the submission in force|.
        - leaderboard_error: the largest |released score - best final score of the first t|
          (Blum and Hardt, Definition 2.1, with final scores as true losses).

        Each is a mean over the replicates with a 95 % t interval (null for 1 replicate).  The
        interval covers the randomness of splits and boards, not the sampling of the table's rows.
        `honest_gain` is the median gain in the final score of the last honest model over a
        prediction that is the same in every row; positive is better for every metric.
        `resolution_floor` is the smallest gain that is accepted with probability .8, `seen_floor`
        the smallest that is seen with probability .8; null if no tested gain reaches .8.  lag,
        team_rank_correlation, shown_error, gains_seen and seen_after are explained in
        `teams.served`, climb_gain and climb_cost in `climbers.climbed`; these are means over fewer
        replicates, on slow boards over a few.
    acceptance : DataFrame
        One row per mechanism and gain; columns `ACCEPTANCE`.  See `improvements.trials`;
        `replicates` is the number of public sets, each with several pairs of predictions.

    Raises
    ------
    InputError
        If the metric does not fit a mechanism or the data, or a number is out of range.

    Notes
    -----
    Scores, gains and floors are multiplied by `unit`.  `setting` keeps the parameters for
    standardised data, as in the tables of outcomes, so that the tables can be joined.  If the table
    has more than five million cells, each replicate uses a random subset of the features.  Splits
    in which a set has a constant response are skipped.

    A board with parameters in submissions, such as a digest, is shortened to the number that is
    submitted here (`Mechanism.in_pace`).

    ASSUME: the base of the improvements is as good as the last honest model (the median of its
    correlation with the final response; .5 without a signal), its errors are normal, and their
    correlation with the errors of the improvement is `error_correlation`.  A middling team ends
    there, and a hill-climber starts there.
    """
    metric = _checked(settings, mechanisms, replicates, error_correlation, submissions, threshold)
    n, p = challenge.X.shape
    splitter = Splitter(
        challenge,
        "splits",
        seed=seed,
        n_features=min(p, max(1, CELLS // n)),
        per_replicate=True,
        sizes=official_sizes(challenge),
    )
    rng_factory = partial(stream, seed, "usefulness", challenge.name, metric.name)
    splits, sequences = [], []
    for replicate, split in enumerate(_splits(splitter, replicates)):
        sequences.append(honest.models(split.view, metric, rng=rng_factory("models", replicate)))
        splits.append(_without_features(split))
        progress(replicate + 1)

    has_signal = honest.has_signal(sequences, splits)
    gain = _gain_over_constant(metric, sequences, splits)
    base = _base(sequences, splits) if has_signal else BASE
    tried = improvements.rising(metric, challenge.y, base, rng=rng_factory("truth"))
    known = teams.truth(metric, challenge.y, rng=rng_factory("true scores"))
    served, trials = [], []  # per replicate, per mechanism
    others: list[list[tuple[float, ...]]] = [[] for _ in mechanisms]  # fewer replicates
    shared = {
        "base": base,
        "allowed": submissions,
        "correlation": error_correlation,
        "threshold": threshold,
    }
    for replicate, (split, sequence) in enumerate(zip(splits, sequences, strict=True)):
        if not has_signal:
            rng = rng_factory("noise", replicate)
            sequence = honest.noise(split, correlation=error_correlation, rng=rng)
        boards = partial(rng_factory, "boards", replicate)
        made = min(1.0, len(sequence.public) / submissions)
        paced = [one.in_pace(made) for one in mechanisms]
        served.append(_served(metric, paced, split, sequence, boards))
        trials.append(
            improvements.trials(
                metric,
                mechanisms,
                split.y_public,
                tried,
                correlation=error_correlation,
                rng_factory=partial(rng_factory, "improvements", replicate),
            )
        )
        improved = _improved(
            metric, mechanisms, split.y_public, known, replicate, replicates, rng_factory, **shared
        )
        for k, found in improved.items():
            others[k].append(found)
        progress(replicates + replicate + 1)

    rows, frames = [], []
    for k, mechanism in enumerate(mechanisms):
        named = {
            "dataset": challenge.name,
            "metric": metric.name,
            "setting": mechanism.setting,
            "replicates": replicates,
        }
        hits = _chances(tried, [one[k] for one in trials], unit)
        frames.append(hits.assign(**named))
        rows.append(
            {
                **named,
                "sequence": "models" if has_signal else "noise",
                **means(np.array([one[k] for one in served]), STATISTICS, unit),
                **means(np.array(others[k]), teams.STATISTICS + climbers.STATISTICS, unit),
                "resolution_floor": improvements.floor(hits["gain"], hits["accepted"]),
                "seen_floor": improvements.floor(hits["gain"], hits["seen"]),
                "honest_gain": unit * gain,
            }
        )
    utility, acceptance = pd.DataFrame(rows), pd.concat(frames, ignore_index=True)
    return utility[UTILITY], acceptance[ACCEPTANCE]


def _checked(settings, mechanisms, replicates, error_correlation, submissions, threshold) -> Metric:
    metric = find(settings["metric"])
    for mechanism in mechanisms:
        check(mechanism.gate, metric)
    metric = judging(metric)
    if replicates < 1:
        raise InputError(f"`replicates` must be 1 or more, got {replicates}.")
    if not 0.0 <= error_correlation < 1.0:
        raise InputError(
            f"`error_correlation` must be at least 0 and below 1, got {error_correlation}: at 1, "
            "all submissions would have the same errors."
        )
    if submissions < 1:
        raise InputError(f"`submissions` must be 1 or more, got {submissions}.")
    if not threshold < 0.0:
        raise InputError(f"`threshold` must be below 0, got {threshold:g}.")
    return metric


def _splits(splitter: Splitter, replicates: int) -> Iterator[Split]:
    """Random splits; skips those in which a set has a constant response or no feature varies.

    If ten times `replicates` splits have been skipped, the error of the last one is raised.
    """
    number = found = 0
    while found < replicates:
        try:
            split = splitter.split(number)
        except InputError:
            if number - found >= 10 * replicates:
                raise
        else:
            found += 1
            yield split
        number += 1


def _without_features(split: Split) -> Split:
    """A split without its features, which are not needed once the models are fitted."""
    view = split.view
    train, public, final = (
        np.empty((len(X), 0)) for X in (view.X_train, view.X_public, view.X_final)
    )
    bare = ParticipantData(train, view.y_train, public, final)
    return Split(bare, split.y_public, split.y_final, split.features[:0])


def _gain_over_constant(
    metric: Metric, sequences: Sequence[FinalModels], splits: Sequence[Split]
) -> float:
    """Median gain of the last model's final score over that of the intercept."""
    found = []
    for sequence, split in zip(sequences, splits, strict=True):
        predictions = np.array([np.zeros(len(split.y_final)), sequence.final[-1]])
        scores = metric.score(split.y_final, predictions)
        if metric.larger_is_better:  # the correlation of a constant is 0
            scores = np.nan_to_num(scores)
        found.append(metric.sign * (scores[0] - scores[1]))
    return float(np.median(found))


def _base(sequences: Sequence[FinalModels], splits: Sequence[Split]) -> float:
    """Median correlation of the last model with the final response, clipped to [.1, .95]."""
    found = []
    for sequence, split in zip(sequences, splits, strict=True):
        score = find("pearson").score(split.y_final, sequence.final[-1:])[0]
        found.append(np.nan_to_num(score))
    return float(np.clip(np.median(found), LOWEST_BASE, HIGHEST_BASE))


def _served(
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    split: Split,
    sequence: FinalModels,
    rng_factory: Callable[..., np.random.Generator],
) -> list[tuple[float, float, float]]:
    """The statistics `MEANS` of each mechanism in one replicate."""
    scorer = Scorer(metric, split.y_public, sequence.public, undefined_is_zero=True)
    final = final_scores(metric, split, sequence)[1]
    best = metric.sign * np.minimum.accumulate(metric.sign * final)
    found = []
    for mechanism in mechanisms:
        board = Board(scorer, mechanism, rng_factory)
        released, accepted = board.submit_opening()
        numbers = np.arange(len(released))
        in_force = np.maximum.accumulate(np.where(accepted, numbers, -1))
        held = final[in_force]
        if in_force[0] < 0:  # the board starts with a baseline: the mean of the response
            zeros = np.zeros((1, len(split.y_final)))
            held[in_force < 0] = np.nan_to_num(metric.score(split.y_final, zeros))
        found.append(
            (
                rank_correlation(released, final),
                float(np.abs(released - held).mean()),
                float(np.abs(released - best).max()),
            )
        )
    return found


def _improved(
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    y: np.ndarray,
    known: teams.TrueScores,
    replicate: int,
    replicates: int,
    rng_factory: Callable[..., np.random.Generator],
    *,
    threshold: float,
    **shared: Any,
) -> dict[int, tuple[float, ...]]:
    """The statistics of teams and of a hill-climber in a replicate, for the boards it has.

    NaN for those of teams if only a hill-climber plays the board.
    """

    def some(times: float) -> dict[int, Mechanism]:
        return {
            k: one
            for k, one in enumerate(mechanisms)
            if teams.is_played(one, metric, replicate, replicates, times)
        }

    statistics: dict[int, tuple[float, ...]] = {}
    if of_teams := some(1.0):
        served = teams.served(
            metric, [*of_teams.values()], y, known, threshold=threshold,
            rng_factory=partial(rng_factory, "teams", replicate), **shared,
        )  # fmt: skip
        statistics = dict(zip(of_teams, served, strict=True))
    if not (climbing := some(climbers.TIMES)):
        return {}
    gained = climbers.climbed(
        metric, [*climbing.values()], y, known,
        rng_factory=partial(rng_factory, "climber", replicate), **shared,
    )  # fmt: skip
    nothing = (np.nan,) * len(teams.STATISTICS)
    return {k: statistics.get(k, nothing) + b for k, b in zip(climbing, gained, strict=True)}


def _chances(
    tried: improvements.Improvements, found: Sequence[tuple[np.ndarray, np.ndarray]], unit: float
) -> pd.DataFrame:
    """Probabilities of acceptance of one mechanism by gain, from `improvements.trials`."""
    accepted, seen = (np.array(hits) for hits in zip(*found, strict=True))
    chances = [improvements.chance(hits) for hits in np.moveaxis(accepted, 2, 0)]
    return pd.DataFrame(chances, columns=["accepted", "accepted_low", "accepted_high"]).assign(
        gain=unit * tried.gains, seen=seen.mean(axis=(0, 1))
    )

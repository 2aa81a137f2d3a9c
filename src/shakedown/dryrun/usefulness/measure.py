"""Measure how useful each mechanism is to honest participants.

There are two tables.  One shows how well released scores rank honest submissions and teams, how
much they differ from final scores, how late they tell of improvements, and what a hill-climber
gains.  The other shows how probably a true improvement is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shakedown.data.splits import Split, Splitter, official_sizes
from shakedown.data.weights import on_table
from shakedown.dryrun.usefulness import climbers, honest, improvements, teams
from shakedown.dryrun.usefulness.judged_by import judging
from shakedown.dryrun.usefulness.summaries import Statistic, columns, means, rank_correlation
from shakedown.dryrun.usefulness.teams import Participation
from shakedown.interface import Challenge, FinalModels, InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import Metric, find
from shakedown.metrics.classes import NUMBERS
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
MEANS = tuple(statistic.name for statistic in STATISTICS)

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
    metric: Metric,
    mechanisms: Sequence[Mechanism],
    participation: Participation | None = None,
    *,
    replicates: int,
    seed: int,
    unit: float = 1.0,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure how useful each mechanism is to honest participants.

    Parameters
    ----------
    challenge : Challenge
    metric : Metric
    mechanisms : sequence of Mechanism
    participation : Participation, optional
        How participants take part, and what the organiser tolerates.
    replicates : int
        Number of random splits, with the sizes of the official split if there is one; at least 1.
    seed : int
    unit : float
        A score of 1 on standardised data in the metric's own unit.
    progress : callable
        Called with 1, 2, ..., 2 x `replicates`: each replicate has two parts.

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
        team_rank_correlation, shown_error, gains_seen, seen_after, answered and answer_error are
        explained in `teams.served`, climb_gain and climb_cost in `climbers.climbed`; these are
        means over fewer replicates, on slow boards over a few.
    acceptance : DataFrame
        One row per mechanism and gain; columns `ACCEPTANCE`.  See `improvements.trials`;
        `replicates` is the number of public sets, each with several pairs of predictions.

    Raises
    ------
    InputError
        If the metric does not fit a mechanism or the data, or `replicates` is out of range.

    Notes
    -----
    Scores, gains and floors are multiplied by `unit`.  `setting` keeps the parameters for
    standardised data, as in the tables of outcomes, so that the tables can be joined.  If the table
    has more than five million cells, each replicate uses a random subset of the features.  Splits
    in which a set has a constant response are skipped.

    A board with parameters in submissions, such as a digest, is shortened to the number that is
    submitted here (`Mechanism.in_pace`).

    ASSUME: the base of the improvements is as good as the last honest model (it has the median of
    its correlation with the final response; of classes and times, which files do not predict as
    numbers, its median gain; .5 without a signal), its errors are normal, and their
    correlation with the errors of the improvement is `participation.error_correlation`.  A middling
    team ends there, and a hill-climber starts there.
    """
    metric = _checked(metric, mechanisms, replicates)
    study = _Study(
        metric,
        mechanisms,
        participation or Participation(),
        replicates,
        partial(stream, seed, "usefulness", challenge.name, metric.name),
    )
    splits, sequences = _honest(challenge, study, seed, progress)
    has_signal = honest.has_signal(sequences, splits, metric)
    whole = on_table(metric, challenge)
    known = teams.truth(whole, challenge.y, rng=study.rng_factory("true scores"))
    gained = _gain_over_constant(metric, sequences, splits)
    base = BASE
    if has_signal:
        base = _base(sequences, splits) if metric.response == NUMBERS else known.reached(gained)
        base = float(np.clip(base, LOWEST_BASE, HIGHEST_BASE))
    tried = improvements.rising(whole, challenge.y, base, rng=study.rng_factory("truth"))
    basis = _Basis(base, tried, known)
    results = []
    for replicate, (split, sequence) in enumerate(zip(splits, sequences, strict=True)):
        submitted = sequence if has_signal else _noise(study, replicate, split)
        results.append(_on_boards(study, basis, replicate, split, submitted))
        progress(replicates + replicate + 1)
    shared = {
        "dataset": challenge.name,
        "metric": metric.name,
        "replicates": replicates,
        "sequence": "models" if has_signal else "noise",
        "honest_gain": unit * gained,
    }
    return _tables(study, basis, results, shared, unit)


@dataclass(frozen=True)
class _Study:
    """What is measured; `rng_factory` makes the streams of random numbers of the data set."""

    metric: Metric
    mechanisms: Sequence[Mechanism]
    participation: Participation
    replicates: int
    rng_factory: Callable[..., np.random.Generator]


class _Basis(NamedTuple):
    """What all replicates share: the correlation of the base, the gains, and true scores."""

    base: float
    tried: improvements.Improvements
    known: teams.TrueScores


class _Result(NamedTuple):
    """The results of a replicate.

    Attributes
    ----------
    of_models : list of tuple
        The `STATISTICS` of each mechanism.
    of_gains : list of (accepted, seen)
        As of `improvements.trials`, for each mechanism.
    of_others : dict of int to tuple
        Statistics of teams and of a hill-climber, for the mechanisms that they play.
    """

    of_models: list[tuple[float, float, float]]
    of_gains: list[tuple[np.ndarray, np.ndarray]]
    of_others: dict[int, tuple[float, ...]]


def _checked(metric: Metric, mechanisms: Sequence[Mechanism], replicates: int) -> Metric:
    for mechanism in mechanisms:
        mechanism.check(metric)
    metric = judging(metric)
    if replicates < 1:
        raise InputError(f"`replicates` must be 1 or more, got {replicates}.")
    return metric


def _honest(
    challenge: Challenge, study: _Study, seed: int, progress: Callable[[int], None]
) -> tuple[list[Split], list[FinalModels]]:
    """The split of each replicate without its features, and the honest models on it."""
    n, p = challenge.X.shape
    splitter = Splitter(
        challenge,
        "splits",
        seed=seed,
        n_features=min(p, max(1, CELLS // n)),
        per_replicate=True,
        sizes=official_sizes(challenge),
        metric=study.metric,
    )
    splits, sequences = [], []
    for replicate, split in enumerate(honest.usable_splits(splitter, study.replicates)):
        rng = study.rng_factory("models", replicate)
        sequences.append(honest.models(split.view, study.metric, rng=rng))
        splits.append(honest.without_features(split))
        progress(replicate + 1)
    return splits, sequences


def _noise(study: _Study, replicate: int, split: Split) -> FinalModels:
    """What is submitted in a replicate if there is no signal."""
    correlation = study.participation.error_correlation
    return honest.noise(split, correlation=correlation, rng=study.rng_factory("noise", replicate))


def _on_boards(
    study: _Study, basis: _Basis, replicate: int, split: Split, sequence: FinalModels
) -> _Result:
    """Submit a replicate's models, improvements, and the files of teams and of a hill-climber."""
    study = replace(study, metric=split.on(study.metric, "public"))
    made = min(1.0, len(sequence.public) / study.participation.submissions)
    paced = [mechanism.in_pace(made) for mechanism in study.mechanisms]
    boards = partial(study.rng_factory, "boards", replicate)
    of_models = _served(study.metric, paced, split, sequence, boards)
    of_gains = improvements.trials(
        study.metric,
        study.mechanisms,
        split.y_public,
        basis.tried,
        correlation=study.participation.error_correlation,
        rng_factory=partial(study.rng_factory, "improvements", replicate),
    )
    return _Result(of_models, of_gains, _improved(study, basis, replicate, split.y_public))


def _tables(
    study: _Study,
    basis: _Basis,
    results: Sequence[_Result],
    shared: Mapping[str, Any],
    unit: float,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of `measure`; `shared` are columns with the same value for all mechanisms."""
    rows, frames = [], []
    for k, mechanism in enumerate(study.mechanisms):
        named = dict(shared) | {"setting": mechanism.setting}
        hits = _chances(basis.tried, [result.of_gains[k] for result in results], unit)
        frames.append(hits.assign(**named))
        models = np.array([result.of_models[k] for result in results])
        others = np.array([r.of_others[k] for r in results if k in r.of_others])
        rows.append(
            {
                **named,
                **means(models, STATISTICS, unit),
                **means(others, teams.STATISTICS + climbers.STATISTICS, unit),
                "resolution_floor": improvements.floor(hits["gain"], hits["accepted"]),
                "seen_floor": improvements.floor(hits["gain"], hits["seen"]),
            }
        )
    utility, acceptance = pd.DataFrame(rows), pd.concat(frames, ignore_index=True)
    return utility[UTILITY], acceptance[ACCEPTANCE]


def _gain_over_constant(
    metric: Metric, sequences: Sequence[FinalModels], splits: Sequence[Split]
) -> float:
    """Median gain of the last model's final score over that of the intercept."""
    gains = []
    for sequence, split in zip(sequences, splits, strict=True):
        predictions = np.array([np.zeros(len(split.y_final)), sequence.final[-1]])
        scores = split.on(metric, "final").score(split.y_final, predictions)
        if metric.larger_is_better:  # the correlation of a constant is 0
            scores = np.nan_to_num(scores)
        gains.append(metric.sign * (scores[0] - scores[1]))
    return float(np.median(gains))


def _base(sequences: Sequence[FinalModels], splits: Sequence[Split]) -> float:
    """Median correlation of the last model with the final response."""
    correlations = []
    for sequence, split in zip(sequences, splits, strict=True):
        score = find("pearson").score(honest.numbers(split)[1], sequence.final[-1:])[0]
        correlations.append(np.nan_to_num(score))
    return float(np.median(correlations))


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
    statistics = []
    for mechanism in mechanisms:
        board = Board(scorer, mechanism, rng_factory)
        released, accepted = board.submit_opening()
        numbers = np.arange(len(released))
        in_force = np.maximum.accumulate(np.where(accepted, numbers, -1))
        final_in_force = final[in_force]
        if in_force[0] < 0:  # the board starts with a baseline: the mean of the response
            zeros = np.zeros((1, len(split.y_final)))
            of_zeros = split.on(metric, "final").score(split.y_final, zeros)
            final_in_force[in_force < 0] = np.nan_to_num(of_zeros)
        statistics.append(
            (
                rank_correlation(released, final),
                float(np.abs(released - final_in_force).mean()),
                float(np.abs(released - best).max()),
            )
        )
    return statistics


def _improved(
    study: _Study, basis: _Basis, replicate: int, y: np.ndarray
) -> dict[int, tuple[float, ...]]:
    """The statistics of teams and of a hill-climber in a replicate, for the boards it has.

    NaN for those of teams if only a hill-climber plays the board.
    """
    metric, replicates = study.metric, study.replicates

    def played(times: float) -> dict[int, Mechanism]:
        return {
            k: mechanism
            for k, mechanism in enumerate(study.mechanisms)
            if teams.is_played(mechanism, metric, replicate, replicates, times)
        }

    def submitted(measured: Callable, boards: dict[int, Mechanism], name: str) -> list:
        rng_factory = partial(study.rng_factory, name, replicate)
        mechanisms = [*boards.values()]
        return measured(
            metric, mechanisms, y, basis.known, basis.base, study.participation, rng_factory
        )

    of_teams, of_climber = played(1.0), played(climbers.TIMES)
    if not of_climber:
        return {}
    served = submitted(teams.served, of_teams, "teams") if of_teams else []
    by_board = dict(zip(of_teams, served, strict=True))
    climbed = submitted(climbers.climbed, of_climber, "climber")
    nothing = (np.nan,) * len(teams.STATISTICS)
    return {
        k: by_board.get(k, nothing) + gained for k, gained in zip(of_climber, climbed, strict=True)
    }


def _chances(
    tried: improvements.Improvements, trials: Sequence[tuple[np.ndarray, np.ndarray]], unit: float
) -> pd.DataFrame:
    """Probabilities of acceptance of one mechanism by gain, from `improvements.trials`."""
    accepted, seen = (np.array(hits) for hits in zip(*trials, strict=True))
    chances = [improvements.chance(hits) for hits in np.moveaxis(accepted, 2, 0)]
    return pd.DataFrame(chances, columns=["accepted", "accepted_low", "accepted_high"]).assign(
        gain=unit * tried.gains, seen=seen.mean(axis=(0, 1))
    )

"""How useful each mechanism is to honest participants, in two tables.

The first shows how well released scores order honest submissions and how far they are from the
truth; the second, how probably a true improvement is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from shakedown.data.splits import Split, Splitter, official_sizes
from shakedown.dryrun.usefulness import honest, improvements
from shakedown.interface import Challenge, FinalModels, InputError, ParticipantData
from shakedown.leaderboard.board import Board, Scorer
from shakedown.leaderboard.gates import check
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import Metric, average_ranks, find
from shakedown.seeding import stream
from shakedown.simulation.replicate import measure as final_scores

#: Most cells, rows times features, of a replicate's data; more features than that are drawn from.
CELLS = 5_000_000

#: Correlation of the base with the response: where no honest model predicts it; and bounds.
BASE, LOWEST_BASE, HIGHEST_BASE = 0.5, 0.1, 0.95

MEANS = ("rank_correlation", "mean_difference", "leaderboard_error")

UTILITY = [
    "dataset", "metric", "setting", "sequence", "replicates",
    *(f"{mean}{end}" for mean in MEANS for end in ("", "_low", "_high")),
    "resolution_floor", "seen_floor",
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
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How well honest participants are served.

    Parameters
    ----------
    challenge : Challenge
    settings : mapping
        Of which `metric` is read, a name for `metrics.find`.
    mechanisms : sequence of Mechanism
    replicates : int
        Random splits, of the sizes of the official one where there is one; at least 1.
    seed : int
    unit : float
        What 1 in the metric of the standardised response is worth in the metric's own unit.
    progress : callable
        Called with 1, 2, ..., 2 x `replicates`: each replicate has two parts.
    error_correlation : float
        Correlation of the errors of an improved prediction with those of the one before, in
        [0, 1): participants improve models, they do not start again.

    Returns
    -------
    utility : DataFrame
        One row per mechanism; columns `UTILITY`.  `sequence` tells what was submitted: "models",
        or "noise" where `honest.has_signal` finds none.  Over the 30 submissions t of each
        replicate, on one board:

        - rank_correlation: Spearman's, of the score released right after submission t with the
          final score of submission t: does the board tell the participant how good is what was
          just sent?  0 where the board never moves.
        - mean_difference: mean of |released - final score of the submission in force|: is the
          number right?
        - leaderboard_error: the largest |released - best final score among the first t|
          (Blum and Hardt, Definition 2.1, with the final score as the truth).

        Each is a mean over the replicates with its 95 % t interval (null for 1 replicate), which
        covers the chance of the splits and boards, not that of the table's rows.
        `resolution_floor` is the smallest gain that is accepted with a chance of .8, `seen_floor`
        the same for gains that are also seen; null where no gain tried is.
    acceptance : DataFrame
        One row per mechanism and gain; columns `ACCEPTANCE`.  See `improvements.trials`;
        `replicates` counts public sets, with several pairs of predictions each.

    Raises
    ------
    InputError
        If the metric, a mechanism, the data or the numbers do not fit.

    Notes
    -----
    Scores, gains and floors are multiplied by `unit`; `setting` stays that of standardised data,
    as in the tables of outcomes, so that tables can be joined.  A table with more than five million
    cells gives each replicate a random part of its features.  A split that gives a set a constant
    response is passed over.

    ASSUME: the base of the improvements is as good as the honest models' favourite (the median of
    its correlation with the final response; .5 without a signal), its errors are normal, and
    those of the improvement are correlated with them by `error_correlation`.
    """
    metric = _checked(settings, mechanisms, replicates, error_correlation)
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
    base = _base(sequences, splits) if has_signal else BASE
    tried = improvements.rising(metric, challenge.y, base, rng=rng_factory("truth"))
    served, trials = [], []  # per replicate, per mechanism
    for replicate, (split, sequence) in enumerate(zip(splits, sequences, strict=True)):
        if not has_signal:
            rng = rng_factory("noise", replicate)
            sequence = honest.noise(split, correlation=error_correlation, rng=rng)
        boards = partial(rng_factory, "boards", replicate)
        served.append(_served(metric, mechanisms, split, sequence, boards))
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
                **_means(np.array([one[k] for one in served]), unit),
                "resolution_floor": improvements.floor(hits["gain"], hits["accepted"]),
                "seen_floor": improvements.floor(hits["gain"], hits["seen"]),
            }
        )
    utility, acceptance = pd.DataFrame(rows), pd.concat(frames, ignore_index=True)
    return utility[UTILITY], acceptance[ACCEPTANCE]


def _checked(settings, mechanisms, replicates, error_correlation) -> Metric:
    metric = find(settings["metric"])
    for mechanism in mechanisms:
        check(mechanism.gate, metric)
    if replicates < 1:
        raise InputError(f"`replicates` must be 1 or more, got {replicates}.")
    if not 0.0 <= error_correlation < 1.0:
        raise InputError(
            f"`error_correlation` must lie in [0, 1), got {error_correlation}: at 1 a submission "
            "would repeat the errors of the one before."
        )
    return metric


def _splits(splitter: Splitter, replicates: int) -> Iterator[Split]:
    """Random splits; one that gives a set a constant response, or no feature, is passed over.

    After ten times as many of these as are wanted, the error of the last one is raised.
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
    """What is needed of a split once the models are fitted, without its large part."""
    view = split.view
    train, public, final = (
        np.empty((len(X), 0)) for X in (view.X_train, view.X_public, view.X_final)
    )
    bare = ParticipantData(train, view.y_train, public, final)
    return Split(bare, split.y_public, split.y_final, split.features[:0])


def _base(sequences: Sequence[FinalModels], splits: Sequence[Split]) -> float:
    """Median correlation of the favourite with the final response, within [.1, .95]."""
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
    """The three means of `MEANS` for each mechanism, in one replicate."""
    scorer = Scorer(metric, split.y_public, sequence.public, undefined_is_zero=True)
    final = final_scores(metric, split, sequence)[1]
    best = metric.sign * np.minimum.accumulate(metric.sign * final)
    found = []
    for mechanism in mechanisms:
        board = Board(scorer, mechanism, rng_factory)
        released, accepted = board.submit_opening()
        # The first one is always accepted, so there is one in force after each.
        numbers = np.arange(len(released))
        in_force = np.maximum.accumulate(np.where(accepted, numbers, 0))
        found.append(
            (
                rank_correlation(released, final),
                float(np.abs(released - final[in_force]).mean()),
                float(np.abs(released - best).max()),
            )
        )
    return found


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation of two vectors; 0 where one of them does not vary.

    Values that differ by a billionth of the range are ties: under a correlation all models of one
    feature score the same, but for the rounding of floats.
    """
    values = np.array([a, b])
    spread = np.ptp(values, axis=1, keepdims=True)
    if not (spread > 1e-12 * np.abs(values).max(axis=1, keepdims=True)).all():
        return 0.0
    ranks = average_ranks(np.round((values - values[:, :1]) / spread, 9))
    return float(np.corrcoef(ranks)[0, 1])


def _chances(
    tried: improvements.Improvements, found: Sequence[tuple[np.ndarray, np.ndarray]], unit: float
) -> pd.DataFrame:
    """Chances of one mechanism, gain by gain, from what `improvements.trials` found."""
    accepted, seen = (np.array(hits) for hits in zip(*found, strict=True))
    chances = [improvements.chance(hits) for hits in np.moveaxis(accepted, 2, 0)]
    return pd.DataFrame(chances, columns=["accepted", "accepted_low", "accepted_high"]).assign(
        gain=unit * tried.gains, seen=seen.mean(axis=(0, 1))
    )


def _means(values: np.ndarray, unit: float) -> dict[str, float]:
    """Means over the replicates, values of shape (replicates, 3), with t intervals."""
    count = len(values)
    mean = values.mean(axis=0)
    half = np.full(len(MEANS), np.nan)
    if count > 1:
        half = stats.t.ppf(0.975, count - 1) * values.std(axis=0, ddof=1) / np.sqrt(count)
    row = {}
    for k, name in enumerate(MEANS):
        least, most, scale = (-1.0, 1.0, 1.0) if k == 0 else (0.0, np.inf, unit)
        row[name] = scale * mean[k]
        row[f"{name}_low"] = scale * max(mean[k] - half[k], least)
        row[f"{name}_high"] = scale * min(mean[k] + half[k], most)
    return row

"""The tables of usefulness."""

import dataclasses
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import pearsonr

from shakedown.data.splits import Splitter
from shakedown.dryrun.usefulness import climbers, honest, teams
from shakedown.dryrun.usefulness import measure as module
from shakedown.dryrun.usefulness.measure import ACCEPTANCE, UTILITY, measure
from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanism, mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from tests.dryrun.usefulness.tables import EVERY_METRIC, challenge, splits
from tests.kinds import fitting

LOSSES = mechanisms(
    [
        {"name": "full_disclosure"},
        {"name": "ladder", "alpha": [0.01, 0.5]},
        {"name": "ladderboot", "alpha": 0.5, "b": [1, 100]},
    ]
)


def measured(c=None, some=LOSSES, metric="mse", replicates=6, unit=1.0, progress=None, **part):
    c = c or challenge()
    c = dataclasses.replace(c, y=fitting(find(metric), c.y, c.y)[0])
    part = teams.Participation(**part)
    tell = {} if progress is None else {"progress": progress}
    return measure(c, find(metric), some, part, replicates=replicates, seed=1, unit=unit, **tell)


@pytest.fixture(scope="module")
def tables():
    return measured(replicates=12)


def test_the_tables_have_their_columns(tables):
    utility, acceptance = tables
    assert list(utility) == UTILITY
    assert list(acceptance) == ACCEPTANCE
    assert len(utility) == 5
    assert len(acceptance) == 5 * 16
    assert set(utility.sequence) == {"models"}
    assert set(utility.replicates) == set(acceptance.replicates) == {12}
    assert utility.setting.tolist() == [mechanism_.setting for mechanism_ in LOSSES]
    for name in module.MEANS:
        low, mean, high = (utility[f"{name}{end}"] for end in ("_low", "", "_high"))
        assert (low <= mean).all()
        assert (mean <= high).all()
    assert (acceptance.accepted_low <= acceptance.accepted).all()
    assert (acceptance.accepted <= acceptance.accepted_high).all()
    assert (acceptance.seen <= acceptance.accepted).all()
    for statistics in (teams.STATISTICS, climbers.STATISTICS):
        for statistic in statistics:
            low, mean, high = (utility[f"{statistic.name}{end}"] for end in ("_low", "", "_high"))
            assert (low <= mean).all()
            assert (mean <= high).all()
    full, strict = utility.iloc[0], utility.iloc[1]
    assert full.lag_high < strict.lag_low
    assert full.seen_after_high < strict.seen_after_low
    assert full.climb_cost == 0 < strict.climb_cost


def test_a_digest_is_measured_at_the_pace_of_its_updates():
    """All its updates come, however few submissions are made; what is seen is its next update."""
    some = [mechanism("digest", eta=0.1, floor=0.1, every=50, updates=10)]
    utility, acceptance = measured(some=some, replicates=4, submissions=500)
    other = mechanism("digest", eta=0.1, floor=0.1, every=10, updates=10)
    fewer, same = measured(some=[other], replicates=4, submissions=100)
    columns = ["setting", *(f"seen_after{end}" for end in ("", "_low", "_high"))]
    pd.testing.assert_frame_equal(utility.drop(columns=columns), fewer.drop(columns=columns))
    pd.testing.assert_frame_equal(acceptance.drop(columns="setting"), same.drop(columns="setting"))
    assert utility.seen_after[0] == pytest.approx(5 * fewer.seen_after[0])
    assert utility.rank_correlation[0] > 0.3
    assert utility.resolution_floor[0] == utility.seen_floor[0] > 0.05
    assert (acceptance.accepted == acceptance.seen).all()


def test_stricter_and_noisier_boards_serve_worse(tables):
    """By wide margins at these settings, so without a false alarm to speak of."""
    utility, acceptance = tables
    full, strict, lenient, noisy, less_noisy = (row for _, row in utility.iterrows())
    assert full.resolution_floor < 0.6 * strict.resolution_floor
    assert lenient.resolution_floor < 0.6 * strict.resolution_floor
    assert lenient.seen_floor < noisy.seen_floor
    assert full.rank_correlation > strict.rank_correlation
    assert noisy.mean_difference > 1.2 * less_noisy.mean_difference
    assert noisy.rank_correlation < less_noisy.rank_correlation
    largest = acceptance[acceptance.gain == acceptance.gain.max()]
    assert (largest.accepted > 0.99).all()


@pytest.mark.parametrize("metric", EVERY_METRIC)
def test_full_disclosure_accepts_large_gains_under_every_metric(metric):
    """And orders honest submissions the right way round."""
    utility, acceptance = measured(
        some=[mechanism("full_disclosure")], metric=metric, replicates=8, c=challenge(n=240, r2=0.7)
    )
    assert set(acceptance.metric) == {metric}
    assert acceptance.gain.is_monotonic_increasing
    assert (acceptance.accepted[acceptance.gain > 0.5 * acceptance.gain.max()] > 0.97).all()
    assert 0.3 < acceptance.accepted[0] < 0.7
    assert utility.rank_correlation[0] > 0.3
    assert 0 < utility.mean_difference[0] < utility.leaderboard_error[0]
    assert 0 < utility.resolution_floor[0] < 0.6 * acceptance.gain.max()


@pytest.mark.parametrize(
    ("name", "gated", "best_of", "score"),
    [
        ("mse", {"name": "ladder", "alpha": 0.15}, min, lambda y, p: np.mean((y - p) ** 2)),
        ("pearson", {"name": "general_ladder", "eta": 0.03}, max, lambda y, p: pearsonr(y, p)[0]),
        (
            "mse",
            {"name": "ladder", "alpha": 0.3, "defences": [{"name": "baseline"}]},
            min,
            lambda y, p: np.mean((y - p) ** 2),
        ),
    ],
)
def test_what_is_measured_is_what_is_said(name, gated, best_of, score):
    """A literal twin: submissions sent one by one, for mechanisms that draw nothing."""
    c, metric = challenge(), find(name)
    some = mechanisms([{"name": "full_disclosure"}, gated])
    utility, _ = measured(c, some, metric=name, replicates=3)
    rng_factory = partial(stream, 1, "usefulness", "c", name)
    for row, mechanism_ in zip(utility.itertuples(), some, strict=True):
        statistics = []
        for replicate, split in enumerate(splits(c, 3)):
            sequence = honest.models(split.view, metric, rng=rng_factory("models", replicate))
            board = Board(Scorer(metric, split.y_public), mechanism_, rng_factory)
            released, final, in_force, best = [], [], [], []
            current = score(split.y_final, 0 * split.y_final) if mechanism_.defences else None
            for public, hidden in zip(sequence.public, sequence.final, strict=True):
                shown, accepted = board.submit(public[None])
                released += list(shown)
                final.append(score(split.y_final, hidden))
                current = final[-1] if accepted[0] else current
                in_force.append(current)
                best.append(best_of(final))
            released, in_force, best = map(np.array, (released, in_force, best))
            statistics.append(
                (
                    stats.spearmanr(np.round(released, 12), np.round(final, 12))[0],
                    np.abs(released - in_force).mean(),
                    np.abs(released - best).max(),
                )
            )
        means = np.mean(statistics, axis=0)
        got = [row.rank_correlation, row.mean_difference, row.leaderboard_error]
        np.testing.assert_allclose(got, means)
        low, high = stats.t.interval(0.95, 2, means[2], stats.sem([f[2] for f in statistics]))
        assert row.leaderboard_error_low == pytest.approx(max(low, 0))
        assert row.leaderboard_error_high == pytest.approx(high)


def test_ties_are_not_told_apart_by_the_rounding_of_floats():
    final = np.array([0.3, 0.3 + 1e-16, 0.3 - 5e-17, 0.5])
    assert module.rank_correlation(final, np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(
        stats.spearmanr([1, 1, 1, 2], [1, 3, 2, 4])[0]
    )
    assert module.rank_correlation(final[:3], np.arange(3.0)) == 0
    assert module.rank_correlation(np.zeros(3), np.arange(3.0)) == 0


def test_units_scale_scores_and_gains_alone(tables):
    plain = measured(replicates=2)
    scaled = measured(replicates=2, unit=50.0)
    for frame, other in zip(plain, scaled, strict=True):
        for column in frame.select_dtypes("number").columns:
            is_score = column == "gain" or column.startswith(
                ("mean_diff", "leaderboard", "resolution", "seen_floor", "honest_", "lag")
                + ("shown_error", "climb_", "answer_error")
            )
            factor = 50.0 if is_score else 1.0
            np.testing.assert_allclose(
                other[column].astype(float), factor * frame[column].astype(float)
            )


def test_a_table_without_signal_gets_noise():
    utility, acceptance = measured(challenge(r2=0), replicates=5)
    assert set(utility.sequence) == {"noise"}
    assert acceptance.gain.max() == pytest.approx(0.95 * 0.75)  # the base explains a quarter
    assert utility.rank_correlation[0] > 0.4


@pytest.mark.parametrize("metric", EVERY_METRIC)
def test_the_gain_over_a_constant_is_that_of_the_last_model(metric):
    """Half of the variance can be predicted: an MSE of .5 is a gain of .5, a correlation .7.

    Under SMAPE the mean, 0, has the largest error that there is: 2.  A linear model's predictions
    of labels lie beyond 0 and 1, too, where the log loss of a wrong one is that of 1e-15.
    """
    gain = measured(challenge(600), LOSSES[:1], metric, 3)[0]["honest_gain"].item()
    least = {"log_loss": -0.2, "ordered_mae": 0.08}.get(metric, 0.15)
    assert least < gain < (1.0 if metric == "smape" else 0.85)
    if metric in ("mse", "r2", "sklearn.metrics.r2_score"):
        assert gain == pytest.approx(0.5, abs=0.15)


def test_a_model_that_is_worse_than_the_intercept_has_a_negative_gain():
    c = challenge()
    some = splits(c, 3)
    bad = [honest.noise(s, correlation=0, rng=np.random.default_rng(1)) for s in some]
    bad = [dataclasses.replace(sequence, final=-9 * sequence.final) for sequence in bad]
    assert module._gain_over_constant(find("mse"), bad, some) < -1
    assert module._gain_over_constant(find("pearson"), bad, some) < 0


def test_the_base_is_as_good_as_the_favourite():
    for r2 in (0.5, 0.8):
        _, acceptance = measured(challenge(n=900, r2=r2), LOSSES[:1], replicates=4)
        left = acceptance.gain.max() / 0.95  # 1 - r0²; models of 225 rows lose little
        assert 1 - r2 - 0.1 < left < 1 - r2 + 0.15


def test_the_sets_have_the_sizes_of_the_official_split(monkeypatch):
    seen = []
    models = honest.models

    def spying(view, metric, *, rng):
        seen.append((len(view.X_train), len(view.X_public), len(view.X_final)))
        return models(view, metric, rng=rng)

    monkeypatch.setattr(honest, "models", spying)
    split = np.array(["train"] * 80 + ["public"] * 20 + ["final"] * 50)
    measured(challenge(split=split), replicates=2)
    measured(challenge(), replicates=1)
    assert seen == [(80, 20, 50), (80, 20, 50), (50, 50, 50)]


def test_a_large_table_gives_each_replicate_a_part_of_its_features(monkeypatch):
    seen = []

    class Spying(Splitter):
        def split(self, replicate):
            split = super().split(replicate)
            seen.append(split.features.tolist())
            return split

    monkeypatch.setattr(module, "CELLS", 900)
    monkeypatch.setattr(module, "Splitter", Spying)
    measured(challenge(n=150), replicates=5)
    assert [len(features) for features in seen] == [6] * 5
    assert len(set(map(tuple, seen))) > 1


def test_every_replicate_has_its_own_luck(monkeypatch):
    named = []

    def spying(seed, *axes):
        named.append(axes)
        return stream(seed, *axes)

    monkeypatch.setattr(module, "stream", spying)
    measured(challenge(r2=0), LOSSES[3:], replicates=3)
    # The truth, for improvements and for teams; of each replicate the models, the noise, the
    # errors, and two noisy boards twice.  In two replicates there are also the errors of teams and
    # twelve times two boards, and the changes of a hill-climber and two boards.
    number = 2 + 3 * (3 + 2 * 2) + 2 * (1 + 12 * 2 + 1 + 2)
    assert len(named) == len(set(named)) == number


def test_results_depend_on_no_order_and_replicates_are_told():
    reported = []
    forwards = measured(replicates=3, progress=reported.append)
    assert reported == [1, 2, 3, 4, 5, 6]
    backwards = measured(some=LOSSES[::-1], replicates=3)
    for frame, other in zip(forwards, backwards, strict=True):
        keys = [c for c in ("setting", "gain") if c in frame]
        a, b = (f.sort_values(keys, ignore_index=True) for f in (frame, other))
        pd.testing.assert_frame_equal(a, b)


def test_one_replicate_has_no_interval_of_its_means():
    utility, acceptance = measured(replicates=1)
    assert utility.rank_correlation_low.isna().all()
    assert utility.leaderboard_error_high.isna().all()
    assert acceptance.accepted_low.notna().all()


def test_a_board_that_never_moves_tells_nothing():
    utility, acceptance = measured(some=[mechanism("constant_board")], replicates=2)
    assert utility.rank_correlation[0] == 0
    assert np.isnan(utility.resolution_floor[0])
    assert (acceptance.accepted == 0).all()


@pytest.mark.parametrize("metric", ["mse", "spearman", "ccc"])
def test_ugly_tables_are_measured(metric):
    rng = np.random.default_rng(2)
    rare = np.zeros(69)
    rare[:4] = [1.0, 2.0, 3.0, 400.0]  # most splits leave a set without any of them
    some = mechanisms(
        [
            {"name": "full_disclosure"},
            {"name": "bayesboot_ladderboot", "posterior_odds": 5.67, "b": 3, "draws": 50},
        ]
    )
    for c in (
        challenge(n=30, p=1),
        challenge(n=69, p=4000),
        challenge(n=90, p=3, y=np.exp(3 * rng.standard_normal(90))),
        challenge(n=69, p=3, y=rare),
    ):
        utility, acceptance = measured(c, some, metric=metric, replicates=4)
        numbers = utility.drop(columns=["resolution_floor", "seen_floor"])
        for column in (*module.MEANS, "rank_correlation_low", "leaderboard_error_high"):
            assert np.isfinite(numbers[column]).all()
        assert acceptance[["accepted_low", "accepted_high", "seen"]].isin([np.nan]).sum().sum() == 0


def test_a_table_whose_splits_are_all_constant_is_refused():
    y = np.zeros(69)
    y[:2] = 1.0
    with pytest.raises(InputError, match="its response is constant"):
        measured(challenge(n=69, y=y), replicates=4)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"replicates": 0}, "`replicates` must be 1 or more, got 0"),
        (
            {"error_correlation": 1.0},
            r"`error_correlation` must be at least 0 and below 1, got 1.0",
        ),
        ({"submissions": 0}, "`submissions` must be 1 or more, got 0"),
        ({"threshold": 0.05}, "`threshold` must be below 0, got 0.05"),
        ({"metric": "pearson"}, "gate 'paired_t_test' tests losses row by row"),
        ({"metric": "rms"}, "metric 'rms' is not known. Did you mean 'rmse'"),
    ],
)
def test_what_does_not_fit_is_refused(kwargs, message):
    with pytest.raises(InputError, match=message):
        measured(**kwargs)

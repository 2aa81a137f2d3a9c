"""The game: the information barrier, controls, invariance, the paper's first-order effects."""

import platform
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.interface import Challenge, FinalModels, InputError
from shakedown.seeding import Streams
from shakedown.simulation import replicate as game
from shakedown.simulation.outcomes import COLUMNS
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.tracing import trace

FREEDMAN = {"name": "freedman", "largest_model": 5}
FORWARD = {"name": "step_forward", "iterations": 3, "iteration_board": "fresh"}
EVERY = [
    {"name": "full_disclosure"},
    {"name": "kaggle"},
    {"name": "general_ladder", "eta": 0.01},
    {"name": "simplified_ladder", "eta": 0.01},
    {"name": "parameter_free_ladder"},
    {"name": "ladder", "alpha": [0.01, 0.5]},
    {"name": "ladderboot", "alpha": [0.15], "b": [10, 100]},
    {"name": "bayesboot_ladder", "posterior_odds": 5.67, "draws": 50},
    {"name": "bayesboot_ladderboot", "posterior_odds": 5.67, "draws": 50, "b": 10},
    {"name": "constant_board"},
    {"name": "fresh_holdout"},
]


def challenge(n=90, p=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, p)) + rng.standard_normal((n, p))
    names = np.array([f"x{j}" for j in range(p)])
    return Challenge("toy", X, rng.standard_normal(n), np.arange(n).astype(str), names)


def experiment(attack=FREEDMAN, mechanisms=EVERY, design="permuted", data=None, seed=1, **more):
    settings = {"metric": "mse", "attack": attack, "mechanisms": mechanisms, **more}
    return Experiment("e", settings, data or challenge(), design, seed=seed)


def without_categories(frame):
    return frame.astype({c: object for c in frame if frame[c].dtype == "category"})


def test_scores_under_a_root_are_roots_and_every_board_plays():
    frame = play(experiment(FREEDMAN, metric="rmse"), range(3))
    assert len(frame) == 3 * 13 * 5
    np.testing.assert_allclose(frame.delta, frame.score_public - frame.score_final)
    # What is shown does not depend on the metric where nothing is held back, so neither does the
    # attack, which ranks what it is shown.
    first = frame[frame.setting == "full_disclosure"]
    squared = play(experiment(FREEDMAN, EVERY[:1]), range(3))
    for score in ("score_public", "score_final", "score_released"):
        np.testing.assert_allclose(first[score] ** 2, squared[score])


@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD], ids=lambda a: a["name"])
@pytest.mark.parametrize("design", ["permuted", "splits"])
def test_one_row_per_replicate_mechanism_and_point(attack, design):
    frame = play(experiment(attack, design=design), range(3))
    points = 5 if attack is FREEDMAN else 3
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 3 * 13 * points
    assert frame.notna()[["score_public", "score_final", "delta", "accepted"]].all(axis=None)
    np.testing.assert_allclose(frame.delta, frame.score_public - frame.score_final)
    assert frame.point.unique().tolist() == list(range(1, points + 1))


@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD], ids=lambda a: a["name"])
def test_numbers_do_not_depend_on_chunks_or_on_the_order_of_mechanisms(attack):
    whole = play(experiment(attack), range(4))
    parts = [play(experiment(attack), chunk) for chunk in ([2, 3], [0], [1])]
    joined = pd.concat([without_categories(p) for p in parts])
    keys = ["replicate", "setting", "point"]
    pd.testing.assert_frame_equal(
        without_categories(whole).sort_values(keys).reset_index(drop=True),
        joined.sort_values(keys).reset_index(drop=True),
    )
    turned = play(experiment(attack, mechanisms=EVERY[::-1]), range(4))
    pd.testing.assert_frame_equal(
        without_categories(whole).sort_values(keys).reset_index(drop=True),
        without_categories(turned).sort_values(keys).reset_index(drop=True),
    )
    alone = play(experiment(attack, mechanisms=EVERY[-4:-2]), range(4))
    same = whole[whole.setting.astype(str).str.startswith("bayesboot_ladder")]
    pd.testing.assert_frame_equal(
        without_categories(same).reset_index(drop=True), without_categories(alone)
    )


def test_another_seed_gives_other_numbers():
    a, b = (play(experiment(seed=s), range(1)) for s in (1, 2))
    assert (a.delta != b.delta).mean() > 0.9


def test_controls_sit_where_they_must():
    """The open board overfits, the constant one leaks nothing, the fresh set shows no gap."""
    controls = [{"name": n} for n in ("full_disclosure", "constant_board", "fresh_holdout")]
    frame = play(experiment(mechanisms=controls, data=challenge(p=60, seed=2)), range(300))
    last = frame[frame.n_selected == 5].set_index("setting").delta
    # One-sample t-tests over 300 replicates, at 1e-6 two-sided.
    z = stats.norm.isf(5e-7)
    t = {name: d.mean() / d.sem() for name, d in last.groupby(level=0, observed=True)}
    assert t["full_disclosure"] < -10
    assert abs(t["constant_board"]) < z
    assert abs(t["fresh_holdout"]) < z


def test_a_constant_board_selects_the_first_features():
    frame = trace(experiment(mechanisms=[{"name": "constant_board"}]), 0)
    assert frame[frame.selected].submission.tolist() == [1, 2, 3, 4, 5]


def test_a_trace_tells_every_submission():
    frame = trace(experiment(FORWARD, mechanisms=[{"name": "ladder", "alpha": 0.5}]), 0)
    assert frame.submission.tolist() == list(range(1, 20 + 19 + 18 + 1))
    assert frame.groupby("iteration").size().tolist() == [20, 19, 18]
    chosen = frame[frame.selected]
    assert chosen.groupby("iteration").size().tolist() == [1, 1, 1]
    assert chosen.feature.nunique() == 3
    for i, feature in zip(chosen.iteration, chosen.feature, strict=True):
        assert feature not in set(frame[frame.iteration > i].feature)
    outcome = play(experiment(FORWARD, mechanisms=[{"name": "ladder", "alpha": 0.5}]), [0])
    boards = frame.groupby("iteration")  # a fresh board for each
    assert list(boards.groups) == [1, 2, 3]
    assert outcome.accepted.tolist() == boards.accepted.sum().cumsum().tolist()
    changes = boards.released.apply(lambda shown: (shown.diff() != 0).sum())  # the first is one
    assert outcome.changed.tolist() == changes.cumsum().tolist()


def test_budgets_are_played_one_by_one():
    budgets = [{"features": 5, "iterations": 1}, {"features": 10, "iterations": 2}]
    attack = {"name": "step_forward", "iteration_board": "fresh", "budgets": budgets}
    frame = play(experiment(attack, mechanisms=EVERY[:1]), [0])
    assert list(zip(frame.n_features, frame.point, frame.submissions, strict=True)) == [
        (5, 1, 5), (10, 1, 10), (10, 2, 19),
    ]  # fmt: skip


def test_freedmans_attack_has_budgets_too():
    sizes = experiment({**FREEDMAN, "budgets": [{"features": 4}, {"features": 12}]})
    frame = play(sizes, [0])
    points = frame.groupby("n_features").n_selected.max()
    assert points.to_dict() == {4: 4, 12: 5}
    assert (frame.submissions == frame.n_features).all()


@pytest.mark.parametrize("attack", [FREEDMAN, FORWARD], ids=lambda a: a["name"])
def test_without_previews_no_board_is_asked_for_the_final_model(attack):
    whole, without = (play(experiment(attack), range(2), previews=p) for p in (True, False))
    assert whole.score_released.notna().any()
    assert without.score_released.isna().all()
    others = [c for c in COLUMNS if c not in ("score_released", "leaderboard_error")]
    pd.testing.assert_frame_equal(whole[others], without[others])
    # The final model then is no submission.
    known = whole.leaderboard_error.notna()
    assert (whole.leaderboard_error[known] >= without.leaderboard_error[known]).all()


def test_budgets_that_the_tables_cannot_tell_apart_are_refused():
    budgets = [{"features": f, "iterations": i} for i, f in enumerate((10, 30, 40), start=1)]
    attack = {"name": "step_forward", "iteration_board": "fresh", "budgets": budgets}
    with pytest.raises(InputError, match=r"wanted budgets with different.*got \[10, 20, 20\]"):
        experiment(attack, mechanisms=EVERY[:1])


def test_a_smaller_budget_takes_features_in_the_order_of_their_columns():
    budgets = [{"features": 8, "iterations": 1}, {"features": 20, "iterations": 1}]
    attack = {"name": "step_forward", "iteration_board": "fresh", "budgets": budgets}
    frame = trace(experiment(attack, mechanisms=EVERY[:1]), 0)
    for size, group in frame.groupby("n_features"):
        numbers = [int(name[1:]) for name in group.feature]
        assert len(numbers) == size
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("subset", ["study", "replicate"])
def test_a_smaller_budget_is_a_random_part_of_the_deal(subset):
    budgets = [{"features": f, "iterations": 1} for f in (8, 10, 16)]
    attack = {"name": "step_forward", "iteration_board": "fresh", "budgets": budgets}
    e = experiment(attack, mechanisms=EVERY[:1], feature_subset=subset)
    whole = [e.splitter.split(r) for r in range(2)]
    assert [len(split.features) for split in whole] == [16, 16]
    parts = [e._restricted(split, 8, r) for r, split in enumerate(whole)]
    for split, part in zip(whole, parts, strict=True):
        at = np.searchsorted(split.features, part.features)
        assert at.tolist() != list(range(8))
        for name in ("X_train", "X_public", "X_final"):
            np.testing.assert_array_equal(
                getattr(split.view, name)[:, at], getattr(part.view, name)
            )
        assert not set(part.features) <= set(e._restricted(split, 10, 0).features)
    of_deal = [
        np.searchsorted(d.features, p.features).tolist() for d, p in zip(whole, parts, strict=True)
    ]
    assert (of_deal[0] == of_deal[1]) == (subset == "study")
    assert np.array_equal(*(d.features for d in whole)) == (subset == "study")


def test_no_board_meets_the_luck_of_another_one(monkeypatch):
    """Streams of one noisy mechanism over replicates, budgets, boards and metrics: all differ."""
    seen = []

    class Spying(Streams):
        def __init__(self, seed, *axes):
            super().__init__(seed, *axes)
            self.begun = axes

        def __call__(self, *axes):
            seen.append((*self.begun, *axes))
            return super().__call__(*axes)

    monkeypatch.setattr(game, "Streams", Spying)
    budgets = [{"features": 6, "iterations": 3}, {"features": 20, "iterations": 2}]
    attack = {"name": "step_forward", "iteration_board": "fresh", "budgets": budgets}
    noisy = [{"name": "ladderboot", "alpha": 0.15, "b": 10}]
    for metric in ("mse", "mae"):
        play(experiment(attack, noisy, metric=metric), range(2))
    assert len(seen) == len(set(seen))
    assert sum("release" in axes for axes in seen) == 2 * 2 * (3 + 2)


def test_the_control_compares_two_halves_of_the_final_rows():
    e = experiment()
    split = e.splitter.split(0)
    even = np.arange(len(split.y_final)) % 2 == 0
    guess = np.where(even, split.y_final, 0.0)[None]
    ones = np.ones(1, int)
    models = FinalModels(np.zeros((1, 30)), guess, n_selected=ones, point=ones, submissions=ones)
    public, final = game.measure(e.metric, split, models, fresh=True)
    assert public == pytest.approx(0)
    assert final == pytest.approx(np.mean(split.y_final[~even] ** 2))


def test_a_data_set_gives_all_the_features_that_it_has():
    frame = play(experiment(mechanisms=EVERY[:1], features=99), [0])
    assert set(frame.n_features) == {20}


def test_every_replicate_is_told_when_it_was_played():
    reported = []
    play(experiment(mechanisms=EVERY[:1]), [5, 3, 4], progress=reported.append)
    assert reported == [1, 2, 3]


def test_the_largest_model_that_the_rows_carry_is_played():
    largest = {"name": "freedman", "largest_model": 28}
    frame = play(experiment(largest, EVERY[:1], data=challenge(p=40)), [0])
    assert frame.n_selected.max() == 28


def test_the_released_score_is_that_after_the_points_own_iteration():
    ladder = [{"name": "ladder", "alpha": 0.5}]
    for board in ("fresh", "carried_on"):
        short, long = (
            play(
                experiment({**FORWARD, "iterations": i, "iteration_board": board}, ladder), range(5)
            )
            for i in (1, 3)
        )
        first = long[long.point == 1]
        np.testing.assert_array_equal(short.score_released, first.score_released)
        assert long.groupby("replicate").score_released.nunique().max() > 1


def test_a_feature_that_is_constant_in_some_splits_does_not_split_the_group():
    data = challenge(p=12)
    data.X[:, 3] = 0.0
    data.X[:4, 3] = 1.0
    frame = play(experiment(mechanisms=EVERY[:1], design="splits", data=data), range(20))
    assert set(frame.n_features) == {12}
    assert set(frame.submissions) == {11, 12}


def test_binary_data_with_a_correlation_is_played_through():
    rng = np.random.default_rng(1)
    names = np.array([f"x{j}" for j in range(30)])
    X, y = rng.integers(0, 2, (60, 30)) * 1.0, rng.integers(0, 2, 60) * 1.0
    data = Challenge("binary", X, y, np.arange(60).astype(str), names)
    lasso = {"class": "sklearn.linear_model.Lasso", "settings": {"alpha": 0.5}}
    for metric in ("pearson", "ccc", "spearman"):
        boards = [
            m for m in EVERY if m["name"] not in ("ladder", "ladderboot", "parameter_free_ladder")
        ]
        settings = {"metric": metric, "attack": FREEDMAN, "mechanisms": boards, "model": lasso}
        frame = play(Experiment("e", settings, data, "permuted", seed=1), range(5))
        assert np.isfinite(frame[["score_public", "score_final", "delta"]]).all(axis=None)


def test_a_participant_without_a_model_has_no_correlation():
    settings = {"metric": "ccc", "attack": FORWARD, "mechanisms": [{"name": "constant_board"}]}
    frame = play(Experiment("e", settings, challenge(), "permuted", seed=1), range(2))
    assert (frame.n_selected == 0).all()
    assert (frame[["score_public", "score_final", "delta"]] == 0).all(axis=None)
    assert frame.score_released.isna().all()


def test_the_final_model_can_be_another_regressor():
    forest = {
        "class": "sklearn.ensemble.RandomForestRegressor",
        "settings": {"n_estimators": 5, "random_state": 1},
    }
    ols, other = (
        play(experiment(mechanisms=EVERY[:1], model=m), [0]).score_public for m in ("ols", forest)
    )
    assert (ols != other).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"attack": {"name": "freedman", "largest_model": 29}},
            "selects up to 29 .* on the 30 training rows",
        ),
        ({"attack": {"name": "nope"}}, r"experiment 'e': attack 'nope' is not known"),
        ({"metric": "ccc"}, "experiment 'e': gate 'paired_t_test' tests losses row by row"),
        ({"metric": "foo"}, "experiment 'e': metric 'foo'"),
        ({"metric": "zero_one"}, "experiment 'e': metric 'zero_one' compares labels"),
        (
            {"metric": "sklearn.metrics.mean_squared_log_error"},
            "experiment 'e': metric 'sklearn.metrics.mean_squared_log_error': wanted one that",
        ),
        (
            {"metric": "sklearn.metrics.accuracy_score"},
            "experiment 'e': metric 'sklearn.metrics.accuracy_score': wanted one that",
        ),
        ({"mechanisms": [{"name": "ladder"}]}, r"experiment 'e': mechanism 'ladder' needs"),
        ({"model": "a.B"}, "experiment 'e': model 'a.B'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        play(experiment(data=challenge(p=40), **change), [0])


#: Page faults of a process that makes and frees arrays of a megabyte, after what it calls first.
PAGES = """
import resource
import numpy as np
from shakedown.simulation.replicate import keep_freed_memory
{first}
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(200):
    made = [np.ones(2**17) for _ in range(4)]
    del made
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries decide otherwise")
def test_plays_keep_memory_that_they_free():
    faults = [
        int(subprocess.check_output([sys.executable, "-c", PAGES.format(first=first)]))
        for first in ("keep_freed_memory()", "")
    ]
    assert 10 * faults[0] < faults[1], faults

"""Safe numbers of submissions: intervals against closed forms, and a study of known answers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.dryrun import frontier as search
from shakedown.dryrun import limits
from shakedown.dryrun.frontier import frontier
from shakedown.dryrun.limits import safe_submissions
from shakedown.interface import InputError
from shakedown.simulation import outcomes
from shakedown.simulation.quantiles import TAIL, bounds, quantile_interval, ranks
from tests.known import make_limits

#: Chance that a test of coverage fails although all is right, each.
FALSE_ALARM = 1e-5


#: Attacks of the experiments that are not called like theirs.
ATTACK = dict.fromkeys(("paper_recipe", "step_forward_carried_on"), "step_forward")


def table(costs, deltas, *, experiment="freedman", boards=None, made=None):
    """Outcomes of candidates, k = 1, 2, ... of one attack; deltas of shape (m, replicates)."""
    m, n = np.shape(deltas)
    iterated = experiment != "freedman"
    point = np.repeat(np.arange(1, m + 1), n)
    columns = outcomes.Columns()
    columns.append(
        m * n, experiment=experiment, dataset="d", design="permuted", metric="mse",
        attack=ATTACK.get(experiment, experiment), iteration_board=boards,
        setting="ladder(alpha=0.15)",
        replicate=np.tile(np.arange(n), m), n_features=np.repeat(np.asarray(costs), n),
        n_selected=np.ones(m * n) if iterated else point, point=point,
        submissions=np.repeat(np.asarray(costs), n) if made is None else np.ravel(made),
        accepted=np.ones(m * n), score_public=np.zeros(m * n), score_final=np.zeros(m * n),
        delta=np.ravel(deltas), score_released=np.full(m * n, np.nan), changed=np.ones(m * n),
        leaderboard_error=np.full(m * n, np.nan),
        score_honest=None,
    )  # fmt: skip
    return columns.frame()


def few_misses(wrong, chance=TAIL):
    """Whether so many errors happen by chance; `wrong`, one bool per independent study."""
    return np.sum(wrong) <= stats.binom.isf(FALSE_ALARM, len(wrong), chance)


# Quantiles


@pytest.mark.parametrize("tau", [0.05, 0.5])
def test_a_quantile_is_covered(tau):
    values = np.sort(np.random.default_rng(1).exponential(size=(4000, 100)), axis=1)
    low, high = bounds(values, tau)
    truth = stats.expon.ppf(tau)
    assert few_misses(low > truth)
    assert few_misses(high < truth)
    assert quantile_interval(values[0], tau)[1:] == (low[0], high[0])


@pytest.mark.parametrize(("tau", "fewest", "times"), [(0.5, 6, 1), (0.25, 13, 1.2), (0.1, 36, 1.9)])
def test_what_a_strict_quantile_takes(tau, fewest, times):
    """The numbers of replicates that the guide names."""
    first = next(n for n in range(1, 100) if ranks(n, tau)[0] > 0)
    assert first == fewest
    # The asymptotic variance of a quantile of normal values.
    variance = tau * (1 - tau) / stats.norm.pdf(stats.norm.ppf(tau)) ** 2
    assert round(variance / (np.pi / 2), 1) == times


# The frontier


def test_the_attacker_takes_the_best_that_is_allowed():
    n = 60
    noise = 1e-6 * np.random.default_rng(0).standard_normal((4, n))
    deltas = np.array([-0.01, -0.05, -0.03, -0.2])[:, None] + noise
    curve = frontier(table([10, 20, 30, 40], deltas), quantile=0.5, unit=3.0)
    curve = curve[curve.threat == "modeller"]
    assert curve.submissions.tolist() == [10, 20, 30, 40]
    assert curve.point.tolist() == [1, 2, 2, 4]
    assert curve.n_features.tolist() == [10, 20, 20, 40]
    np.testing.assert_allclose(curve.delta, [-0.03, -0.15, -0.15, -0.6], atol=1e-5)
    assert (curve.delta_low <= curve.delta).all()
    assert (curve.delta <= curve.delta_high).all()
    assert (curve.replicates == n).all()
    assert list(curve.columns) == search._FRONTIER


def test_low_bounds_are_those_of_a_literal_search():
    rng = np.random.default_rng(5)
    costs = rng.integers(5, 30, 40)
    deltas = rng.standard_normal((40, 40)) * rng.uniform(0.5, 2, (40, 1))
    frame = table(costs, deltas).sample(frac=1, random_state=1)
    curve = frontier(frame, quantile=0.3)
    for row in curve[curve.threat == "freedman"].itertuples():
        allowed = [np.sort(d) for c, d in zip(costs, deltas, strict=True) if c <= row.submissions]
        assert row.delta_low == min(quantile_interval(d, 0.3)[1] for d in allowed)


def test_each_replicate_is_measured_with_what_others_chose():
    """One candidate wins in the first half of the replicates, the other in the second."""
    n = 40
    deltas = np.zeros((2, n))
    deltas[0, : n // 2] = -1.0
    deltas[1, n // 2 :] = -1.0
    last = np.array([1])
    ahead = search._in_order(deltas, last, 0.5)[0]
    starts = [round(share * n) for share in search.RENEWALS]
    assert len(ahead) == n - starts[0]
    # Chosen from the first half alone, the first candidate meets its bad half.
    assert ahead[n // 2 - starts[0] : starts[4] - starts[0]].max() == 0.0
    garbled = deltas.copy()
    garbled[:, starts[3] :] = np.random.default_rng(0).standard_normal((2, n - starts[3]))
    later = search._in_order(garbled, last, 0.5)[0]
    kept = starts[3] - starts[0]
    np.testing.assert_array_equal(later[:kept], ahead[:kept])
    for fold in range(search.FOLDS):
        garbled = deltas.copy()
        garbled[0, np.arange(n) % search.FOLDS == fold] = -99.0
        inside = np.arange(n) % search.FOLDS == fold
        chosen = search._choice(deltas[:, ~inside], last, 0.5)[0]
        turned = search._by_turns(garbled, last, 0.5)[0, inside]
        np.testing.assert_array_equal(turned, garbled[chosen, inside])


def test_curves_fall_and_the_upper_bound_is_the_largest_from_there_on():
    rng = np.random.default_rng(4)
    costs, values = np.arange(20), rng.standard_normal((20, 40))
    curve = search._curve(costs, values, 0.5, ())
    for line in ("delta", "delta_low", "delta_high"):
        assert (np.diff(curve[line]) <= 0).all()
    plain = bounds(np.sort(search._in_order(values, costs, 0.5), axis=1), 0.5)[1]
    assert (np.diff(plain) > 0).any()
    np.testing.assert_array_equal(curve["delta_high"], [plain[i:].max() for i in costs])


@pytest.mark.parametrize("seed", [6, 29, 68, 136])
def test_a_curve_stays_within_its_bounds(seed):
    """Under these seeds the fitted curve would leave them."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((3, 40)) * rng.choice([0.01, 1, 5], (3, 1))
    for tau in (0.25, 0.5):
        curve = search._curve(np.array([10.0, 20.0, 30.0]), values, tau, ())
        assert (curve["delta_low"] <= curve["delta"]).all()
        assert (curve["delta"] <= curve["delta_high"]).all()


def test_of_two_replicates_the_second_measures_what_the_first_chose():
    values = np.array([[-1.0, 5.0], [-2.0, 7.0]])
    np.testing.assert_array_equal(search._in_order(values, np.array([0, 1]), 0.5), [[5.0], [7.0]])


def test_a_candidate_costs_the_most_that_it_ever_needed():
    made = np.full((2, 8), 10)
    made[1, 3] = 17
    curve = frontier(table([10, 20], np.zeros((2, 8)), made=made), quantile=0.5)
    assert curve[curve.threat == "freedman"].submissions.tolist() == [10, 17]


def test_threats_are_told_apart_and_the_modeller_has_them_all():
    worth = {"freedman": -1, "best_of_many": -2, "paper_recipe": -3, "step_forward_carried_on": -4}
    frame = pd.concat(
        [table([10], np.full((1, 8), float(d)), experiment=e) for e, d in worth.items()],
        ignore_index=True,
    )
    curve = frontier(outcomes.typed(frame), quantile=0.5).set_index("threat").delta
    assert curve.to_dict() == {
        "modeller": -4, "step_forward": -4, "freedman": -1, "best_of_many": -2, "paper_recipe": -3,
    }  # fmt: skip


def test_an_attack_of_no_group_lowers_no_limit():
    frame = pd.concat(
        [table([10], np.full((1, 8), d), experiment=e)
         for e, d in (("freedman", -1.0), ("two_accounts", -9.0))],
        ignore_index=True,
    )  # fmt: skip
    curve = frontier(outcomes.typed(frame), quantile=0.5).set_index("threat").delta
    assert curve.to_dict() == {"modeller": -1, "freedman": -1, "two_accounts": -9}


def test_the_recipe_is_its_last_iteration_and_no_choice():
    frames = []
    for features, worth in ((50, [-0.1]), (100, [-0.5, -0.2]), (150, [-0.6, -0.4, -0.3])):
        k = np.arange(1, len(worth) + 1)
        played = table(k * features, np.repeat(np.array(worth)[:, None], 8, 1),
                    experiment="paper_recipe", boards="fresh")  # fmt: skip
        frames.append(played.assign(n_features=features))
    frame = outcomes.typed(pd.concat(frames, ignore_index=True)).astype({"n_features": "Int64"})
    curve = frontier(frame, quantile=0.5)
    recipe = curve[curve.threat == "paper_recipe"]
    assert recipe.submissions.tolist() == [50, 200, 450]
    assert recipe.point.tolist() == [1, 2, 3]
    assert recipe.delta.tolist() == [-0.1, -0.2, -0.3]
    assert curve[curve.threat == "step_forward"].delta.min() == -0.6


def test_replicates_without_all_candidates_are_left_out():
    deltas = np.random.default_rng(2).standard_normal((3, 50))
    whole = table([5, 6, 7], deltas)
    part = whole[~((whole.replicate >= 45) & (whole.n_selected == 2))]
    expected = frontier(whole[whole.replicate < 45], quantile=0.5)
    pd.testing.assert_frame_equal(frontier(part, quantile=0.5), expected)
    assert (expected.replicates == 45).all()


def test_numbers_that_are_asked_for_are_on_the_grid():
    costs = np.arange(10, 2000)
    curve = frontier(table(costs, np.zeros((len(costs), 6))), quantile=0.5, also=(3, 777, 9999))
    grid = curve[curve.threat == "modeller"].submissions.to_numpy()
    assert len(grid) <= search.MOST_POINTS + 1
    assert {10, 777, 1999} <= set(grid)
    assert grid.min() == 10
    assert grid.max() == 1999
    assert (np.diff(np.log(grid[grid > 100])) < 0.12).all()


def test_few_replicates_bound_nothing():
    curve = frontier(table([5, 6], np.full((2, 5), -0.1)), quantile=0.5)
    assert curve[["delta_low", "delta_high"]].isna().all(axis=None)
    limit = safe_submissions(curve, [-0.05]).iloc[0]
    assert (limit.safe_submissions, limit.ci_low) == (2, 0)
    assert pd.isna(limit.ci_high)


def test_what_does_not_fit_is_refused():
    frame = table([5, 6], np.zeros((2, 8)))
    with pytest.raises(InputError, match="attack 'other' is not known"):
        frontier(frame.assign(attack="other"), quantile=0.5)
    with pytest.raises(InputError, match="in every row of delta; 16 are null"):
        frontier(frame.assign(delta=np.nan), quantile=0.5)
    with pytest.raises(
        InputError, match=r"'ladder\(alpha=0.15\)': wanted one row for each .* got several"
    ):
        frontier(pd.concat([frame, frame], ignore_index=True), quantile=0.5)
    halves = ((frame.replicate < 4) & (frame.n_selected == 1)) | (
        (frame.replicate >= 4) & (frame.n_selected == 2)
    )
    with pytest.raises(InputError, match="wanted a replicate with all candidates"):
        frontier(frame[halves], quantile=0.5)
    curve = frontier(frame, quantile=0.5)
    with pytest.raises(InputError, match="below 0"):
        safe_submissions(curve, [-0.1, 0.0])


def test_no_outcomes_no_limits():
    curve = frontier(table([5], np.zeros((1, 8)))[:0], quantile=0.5)
    assert list(safe_submissions(curve, [-0.1]).columns) == limits._LIMITS


# Coverage where the answer is known

COSTS = np.unique(np.geomspace(10, 400, 25).round().astype(int))
DECOYS = 3  # further candidates at each cost


def studies(best, shared, replicates, runs, seed):
    """Simulated studies: Δ normal around `best` at each cost; decoys no better than that.

    `shared` is the correlation between the candidates of a replicate.
    """
    rng = np.random.default_rng(seed)
    centres = np.concatenate([best + 0.1 * k * np.abs(best) for k in range(1 + DECOYS)])
    costs = np.tile(COSTS, 1 + DECOYS)
    common = rng.standard_normal(runs * replicates)
    own = rng.standard_normal((len(costs), runs * replicates))
    noise = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    return cut(table(costs, centres[:, None] + 0.1 * noise), replicates)


def cut(frame, replicates):
    """The frame as studies of so many replicates, one data set each."""
    numbers = (frame["replicate"] // replicates).astype(str)
    return frame.assign(dataset=numbers.astype("category"))


def first_crossing(costs, worth, threshold):
    """The most submissions below those of the first candidate that gets to the threshold."""
    return min((c for c, w in zip(costs, worth, strict=True) if w <= threshold), default=np.inf) - 1


ROOT = -0.01 * np.sqrt(COSTS)
CLIFF = np.where(COSTS < 100, -0.02, -0.12)


@pytest.mark.parametrize(
    ("worth", "shared", "tau"),
    [(ROOT, 0.0, 0.5), (ROOT, 0.8, 0.2), (CLIFF, 0.8, 0.5), (CLIFF, 0.0, 0.2)],
)
def test_the_crossing_is_covered_in_the_closed_form(worth, shared, tau):
    """Candidates that are alike favour the luckiest: the cliff punishes who falls for it."""
    below = 0.1 * stats.norm.ppf(tau)
    threshold = below - 0.07
    curves = frontier(studies(worth, shared, 50, 150, seed=3), quantile=tau)
    assert (curves.groupby("threat", observed=True).size() > 0).all()
    curves = curves[curves.threat == "freedman"]
    truth = first_crossing(COSTS, worth + below, threshold)
    estimates = safe_submissions(curves, [threshold])
    assert len(estimates) == 150
    assert few_misses(estimates.ci_low > truth)
    assert few_misses(estimates.ci_high.fillna(10**9) < truth)
    lowest = np.minimum.accumulate(worth) + below
    for _, part in curves.groupby("submissions"):
        here = lowest[part.submissions.iloc[0] == COSTS][0]
        assert few_misses(part.delta_low > here)
        assert few_misses(part.delta_high < here)


def test_the_winner_s_luck_is_not_taken_for_worth():
    """A hundred candidates that are all alike, and nothing to find among them."""
    alike = table(np.full(100, 10), np.random.default_rng(8).standard_normal((100, 200 * 40)))
    curves = frontier(cut(alike, 40), quantile=0.5)
    curves = curves[curves.threat == "modeller"]
    assert few_misses(curves.delta_high < 0)
    # The median of 40 has a standard error of .2, the mean over 200 studies one of .014.
    error = curves.delta.std() / np.sqrt(len(curves))
    assert abs(curves.delta.mean()) < stats.norm.isf(FALSE_ALARM / 2) * error


# The study of known answers

#: Short runs, of so many replicates each.
RUNS, SHORT = 90, 40
#: Thresholds that lie well between the true Δ of neighbouring candidates, by study and quantile.
THRESHOLDS = {
    "limits": {0.5: [-0.07, -0.14, -0.34, -0.45], 0.2: [-0.18, -0.52, -0.63]},
    "unaided": {0.5: [-0.24, -0.35, -0.6], 0.2: [-0.13, -0.34, -0.6]},
}
#: The files have five digits; an adversary who is done has the same Δ in nearly all replicates.
ROUNDING = 0.5e-5
LONG = {study: pd.read_csv(make_limits.path(study)) for study in make_limits.STUDIES}
CASES = [(study, quantile) for study in make_limits.STUDIES for quantile in make_limits.QUANTILES]


@pytest.fixture(scope="module")
def played():
    return {study: make_limits.outcomes(range(RUNS * SHORT), study) for study in LONG}


EXPERIMENTS = {
    "limits": {
        "modeller": ["step_forward_fresh", "freedman"],
        "step_forward": ["step_forward_fresh"],
        "freedman": ["freedman"],
    },
    "unaided": {
        "modeller": ["step_forward_unaided"],
        "step_forward": ["step_forward_unaided"],
        "staircase": ["staircase"],
    },
}


def known(study, quantile, setting, threat):
    """The long run's candidates of a threat."""
    candidates = LONG[study]
    mine = (candidates["quantile"] == quantile) & (candidates.setting == setting)
    return candidates[mine & candidates.experiment.isin(EXPERIMENTS[study][threat])]


def of_known_threats(study, table):
    return table[table["threat"].isin(EXPERIMENTS[study]).to_numpy(bool)]


@pytest.mark.full
@pytest.mark.parametrize(("study", "quantile"), CASES)
def test_short_runs_recover_the_known_answers(played, study, quantile):
    curves = frontier(cut(played[study], SHORT), quantile=quantile)
    curves = of_known_threats(study, curves)
    points = 0
    for (setting, threat, n), part in curves.groupby(
        ["setting", "threat", "submissions"], observed=True
    ):
        candidates = known(study, quantile, setting, threat)
        allowed = candidates[candidates.submissions <= n]
        assert len(part) == RUNS
        # The long run's own error is a twentieth of a short one's; it is allowed for.
        assert few_misses(part.delta_low > allowed.delta_high.min() + ROUNDING)
        assert few_misses(part.delta_high < allowed.delta_low.min() - ROUNDING)
        points += 1
    assert points == 2 * {"limits": 3 + 15 + 15, "unaided": 10 + 15 + 15}[study]
    estimates = safe_submissions(curves, THRESHOLDS[study][quantile])
    for (setting, threat, threshold), part in estimates.groupby(
        ["setting", "threat", "threshold"], observed=True
    ):
        candidates = known(study, quantile, setting, threat)
        truth = first_crossing(candidates.submissions, candidates.delta, threshold)
        assert few_misses(part.ci_low > truth)
        assert few_misses(part.ci_high.astype(float).fillna(np.inf) < truth)


def last_before(candidates, threshold):
    """The last number of submissions that was tried before the crossing, or of all."""
    truth = first_crossing(candidates.submissions, candidates.delta, threshold)
    if np.isinf(truth):
        return np.inf
    before = candidates.submissions[candidates.submissions <= truth]
    return before.max() if len(before) else 0


@pytest.mark.full
@pytest.mark.parametrize("quantile", make_limits.QUANTILES)
def test_many_replicates_narrow_the_interval_to_the_answer(played, quantile):
    """All replicates as one run: nothing is left between the ends but what was not tried."""
    curves = frontier(played["limits"], quantile=quantile)
    estimates = safe_submissions(curves, THRESHOLDS["limits"][quantile])
    for row in estimates.itertuples():
        candidates = known("limits", quantile, row.setting, row.threat)
        truth = first_crossing(candidates.submissions, candidates.delta, row.threshold)
        # The strongest has tried no more than the others; it is held to their numbers, too.
        threats = (
            [row.threat, "step_forward", "freedman"] if row.threat == "modeller" else [row.threat]
        )
        lower = min(
            last_before(known("limits", quantile, row.setting, threat), row.threshold)
            for threat in threats
        )
        assert min(lower, candidates.submissions.max()) <= row.ci_low <= row.safe_submissions
        high = np.inf if pd.isna(row.ci_high) else row.ci_high
        assert high == truth
        assert row.censored == np.isinf(truth)
        assert row.ci_low <= row.safe_submissions <= high


def test_the_long_run_settles_the_answers():
    """No threshold lies within thrice the long run's interval: about that of the runs joined."""
    for study, quantile in CASES:
        for setting in LONG[study].setting.unique():
            for threat in EXPERIMENTS[study]:
                candidates = known(study, quantile, setting, threat)
                low = candidates.delta - 3 * (candidates.delta - candidates.delta_low)
                high = candidates.delta + 3 * (candidates.delta_high - candidates.delta)
                for threshold in THRESHOLDS[study][quantile]:
                    assert first_crossing(candidates.submissions, low, threshold) == first_crossing(
                        candidates.submissions, high, threshold
                    )


# The curve of a participant with several attacks


def plays_of_three(seed, n=40):
    """Three attacks with different numbers of submissions, about as good as each other."""
    rng = np.random.default_rng(seed)
    frames = []
    for name, costs in (
        ("freedman", [10, 40, 160, 640]),
        ("best_of_many", np.unique(np.geomspace(3, 700, 30).astype(int))),
        ("step_forward_carried_on", [20, 60, 180, 540]),
    ):
        worth = -0.02 * np.log(costs)[:, None]
        frames.append(table(costs, worth + 0.1 * rng.standard_normal((len(costs), n)),
                            experiment=name))  # fmt: skip
    return outcomes.typed(pd.concat(frames, ignore_index=True))


@pytest.mark.parametrize("seed", range(6))
def test_the_limit_of_the_strongest_is_read_off_its_own_curve(seed):
    curves = frontier(plays_of_three(seed), quantile=0.5)
    thresholds = [-0.05, -0.09, -0.12]
    whole = safe_submissions(curves, thresholds).set_index(["threat", "threshold"])
    alone = safe_submissions(curves[curves.threat == "modeller"], thresholds)
    own = whole.loc["modeller"]
    ends = ["safe_submissions", "ci_low", "ci_high", "censored"]
    pd.testing.assert_frame_equal(own[ends], alone.set_index("threshold")[ends])
    # And it is no better off than any of its attacks, at neither end.
    parts = (
        whole.drop("modeller", level="threat")
        .astype({"ci_high": float})
        .fillna({"ci_high": np.inf})
    )
    least = parts[ends[:3]].groupby("threshold").min().loc[own.index]
    assert len(parts) == 9
    assert (own.ci_low <= least.ci_low).all()
    assert (own.ci_high.astype(float).fillna(np.inf) == least.ci_high).all()
    assert (own.safe_submissions <= least.safe_submissions).all()


def test_the_curve_of_the_strongest_is_the_smallest_of_its_attacks():
    curves = frontier(plays_of_three(1), quantile=0.5)
    own = curves[curves.threat == "modeller"]
    parts = {k: c for k, c in curves.groupby("threat", observed=True) if k != "modeller"}
    assert sorted(parts) == ["best_of_many", "freedman", "step_forward"]
    assert set(own.submissions) == set().union(*(c.submissions for c in parts.values()))
    for row in own.itertuples():
        n, reached = (
            row.submissions,
            {k: c[c.submissions <= row.submissions] for k, c in parts.items()},
        )
        there = [np.interp(n, [0, *c.submissions], [0, *c.delta]) for c in parts.values()]
        assert row.delta == pytest.approx(min(there))
        assert row.delta_high == min(c.delta_high.min() for c in reached.values() if len(c))
        # Of the attacks that have played by then, the one that gets furthest.
        best = min((c.delta.iloc[-1], k) for k, c in reached.items() if len(c))[1]
        assert row.attack == best
        later = [c.delta_low[c.submissions >= n] for c in parts.values()]
        assert row.delta_low == min(
            low.iloc[0] if len(low) else c.delta_low.iloc[-1]
            for low, c in zip(later, parts.values(), strict=True)
        )
        assert row.delta_low <= row.delta <= row.delta_high


def test_the_upper_end_holds_although_it_is_the_least_of_several():
    """Three attacks that are all alike: each upper bound would fail as often as it may."""
    worth, n, runs = -0.1, 40, 400
    rng = np.random.default_rng(21)
    frames = [
        table([10], worth + rng.standard_normal((1, n * runs)), experiment=name)
        for name in ("freedman", "best_of_many", "step_forward_carried_on")
    ]
    played = outcomes.typed(pd.concat(frames, ignore_index=True))
    curves = frontier(cut(played, n), quantile=0.5)
    curves = curves[curves.threat == "modeller"]
    assert len(curves) == runs
    assert few_misses(curves.delta_high < worth)

"""The attacks with arbitrary numbers: literal twins, and cases whose success is known."""

import re
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import r2_score

from shakedown.attacks.adversary import Adversary
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.linear_probe import scale_of
from shakedown.attacks.models import LeastSquares
from shakedown.attacks.next_file import Bar, bound_at, bound_of, moments
from shakedown.attacks.on_labels import fair_labels
from shakedown.attacks.posterior import (
    Measurements,
    bounded,
    measure_all,
    measured,
    prior,
    times,
)
from shakedown.attacks.reserve import usual_target
from shakedown.data.scaling import standardised
from shakedown.interface import InputError, ParticipantData
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.replicate import Experiment, play
from shakedown.simulation.session import Session
from shakedown.simulation.tracing import trace
from shakedown.terms import Receipt
from tests.attacks.test_contract import challenge
from tests.reference import mechanisms as boards
from tests.reference import number_attacks as literal

#: Those that read the mean squared error.
ADVERSARIES = [
    name
    for name, kind in ATTACKS.classes.items()
    if issubclass(kind, Adversary) and kind.reads_metric(find("mse"))
]
#: Public mean squared error after these submissions, of 209 rows.
POINTS = [10, 30, 100, 209, 300, 1000]
R2 = "sklearn.metrics.r2_score"
DIGEST = "digest(eta=0.1,floor=0.5,every=100,updates=10)"


def response(seed, n):
    y = np.random.default_rng(seed).standard_normal(n)
    return (y - y.mean()) / y.std(ddof=1)


def attacked(name, setting, seed, submissions, *, n=209, metric="mse", points=None, **options):
    """The game of an attack against a board, and its session."""
    empty = np.empty((n, 0))
    view = ParticipantData(empty, np.empty(n), empty, np.empty((7, 0)))
    attack = ATTACKS.make(
        name, submissions=submissions, points=points or [*range(1, submissions + 1)], **options
    )
    scorer = Scorer(find(metric), response(seed, n), undefined_is_zero=True)
    session = Session(scorer, of_setting(setting), partial(stream, seed))
    return attack.prepare(view, None, stream(seed, "attack")).play(session.open), session


def signs(seed, submissions, n):
    return 2.0 * fair_labels(stream(seed, "attack"), submissions, n) - 1.0


def errors(name, setting, replicates=20, submissions=1000, points=POINTS, **options):
    """Mean public MSE at the points, its standard error, and submissions accepted."""
    losses, accepted = [], []
    for seed in range(replicates):
        game, session = attacked(name, setting, seed, submissions, points=points, **options)
        losses.append(((game.models.public - response(seed, 209)) ** 2).mean(axis=1))
        accepted.append(session.counts.accepted)
    losses = np.array(losses)
    return losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(replicates), np.array(accepted)


def with_baseline(twin, y, *settings):
    """A literal board on which the organiser has submitted zeros first."""
    board = twin(y, "mse", *settings)
    board.submit(np.zeros(len(y)))
    return board


LITERAL = {
    "ladder(alpha=0.15)": lambda y, metric="mse": boards.Ladder(y, metric, 0.15),
    "ladder(alpha=0.5)+baseline": lambda y: with_baseline(boards.Ladder, y, 0.5),
    "ladder(alpha=0.15)+baseline": lambda y: with_baseline(boards.Ladder, y, 0.15),
    "parameter_free_ladder+baseline": lambda y: with_baseline(boards.ParameterFreeLadder, y),
    "general_ladder(eta=0.05)": lambda y, metric="mse": boards.GeneralLadder(y, metric, 0.05),
    "general_ladder(eta=0.05)+baseline": lambda y: with_baseline(boards.GeneralLadder, y, 0.05),
}


def rules(setting, n):
    """Critical value, margin and step, as published."""
    gate, release = of_setting(setting).gate, of_setting(setting).release
    critical = gate.critical(n) if hasattr(gate, "critical") else 0.0
    return {
        "critical": critical,
        "margin": getattr(gate, "margin", 0.0),
        "step": release.step_for(n),
    }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "pearson", "spearman", "ccc"])
def test_the_linear_probe_ends_with_the_literal_one(metric, seed):
    game, _ = attacked("linear_probe", "full_disclosure", seed, 30, n=24, metric=metric)
    board = boards.FullDisclosure(response(seed, 24), metric)
    expected = literal.linear_probe(signs(seed, 30, 24), board.submit, metric)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-6)


def test_the_linear_probe_reads_r2_as_the_literal_one():
    y = response(3, 24)
    game, _ = attacked("linear_probe", "full_disclosure", 3, 30, n=24, metric=R2)
    expected = literal.linear_probe(signs(3, 30, 24), partial(r2_score, y), "r2")
    np.testing.assert_allclose(game.models.public, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["linear_probe", "staircase", "greedy_climb"])
def test_r2_by_its_name_is_that_of_scikit_learn(name):
    ends = [
        attacked(name, "general_ladder(eta=0.05)", 3, 40, n=24, metric=metric)[0].models.public
        for metric in ("r2", R2)
    ]
    np.testing.assert_allclose(*ends, atol=1e-9)
    assert ends[0][-1].any()


@pytest.mark.parametrize("metric", ["mse", "mae"])
@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)", "general_ladder(eta=0.05)"])
@pytest.mark.parametrize("seed", range(3))
def test_the_staircase_ends_with_the_literal_one(setting, seed, metric):
    n, k = 30, 20
    game, session = attacked("staircase", setting, seed, k, n=n, metric=metric)
    board = LITERAL[setting](response(seed, n), metric)
    given = rules(setting, n) | {"metric": metric}
    expected = literal.staircase(signs(seed, k, n), board.submit, **given)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-7)
    assert session.counts.accepted == sum(board.accepted) > k - 4


@pytest.mark.parametrize("seed", range(3))
def test_the_staircase_reads_r2_as_the_literal_one(seed):
    """R² = 1 - n MSE / (n - 1), and multiples of .05 are as many below 1: the same board."""
    n, k, eta = 30, 20, 0.05
    setting = f"general_ladder(eta={eta})"
    game, session = attacked("staircase", setting, seed, k, n=n, metric=R2)
    board = boards.GeneralLadder(response(seed, n) * np.sqrt(n / (n - 1)), "mse", eta)
    expected = literal.staircase(
        signs(seed, k, n), lambda file: 1 - board.submit(file * np.sqrt(n / (n - 1))),
        **rules(setting, n), metric="r2",
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-7)
    assert session.counts.accepted == sum(board.accepted) > k - 4


@pytest.mark.parametrize("setting", LITERAL)
@pytest.mark.parametrize("seed", range(3))
def test_the_greedy_climb_ends_with_the_literal_one(setting, seed):
    n, k = 30, 60
    game, _ = attacked("greedy_climb", setting, seed, k, n=n)
    expected = literal.greedy_climb(signs(seed, k, n), LITERAL[setting](response(seed, n)).submit)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    kept = (np.diff(expected, axis=0, prepend=0.0) != 0.0).any(axis=1).cumsum()
    assert game.models.n_selected.tolist() == kept.tolist()
    moved = setting.startswith(("ladder(alpha=0.5)", "param"))
    assert not moved or kept[-1] > 0


def literal_board(metric, eta, y):
    """Full disclosure, or a General Ladder that begins at zeros, whose correlation counts as 0."""
    if metric == R2:
        return partial(r2_score, y), 0.0
    board = boards.GeneralLadder(y, metric, eta) if eta else boards.FullDisclosure(y, metric)
    if metric == "mae":
        return board.submit, eta
    board.R = 0.0
    return lambda file: board.submit(file) if np.ptp(file) else 0.0, eta


@pytest.mark.parametrize("eta", [0.0, 0.02])
@pytest.mark.parametrize("metric", ["mae", "pearson", "spearman", "ccc", R2])
def test_the_greedy_climb_reads_other_metrics_as_the_literal_one(metric, eta):
    n, k, seed = 30, 80, 2
    setting = "full_disclosure" if metric == R2 or not eta else f"general_ladder(eta={eta})"
    game, _ = attacked("greedy_climb", setting, seed, k, n=n, metric=metric)
    submit, margin = literal_board(metric, eta, response(seed, n))
    name = "r2" if metric == R2 else metric
    given = {"metric": name, "margin": margin}
    expected = literal.greedy_climb(signs(seed, k, n), submit, **given)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert game.models.n_selected[-1] > 2


@pytest.mark.parametrize("metric", ["mae", "pearson", "spearman", "ccc"])
def test_the_greedy_climb_waits_for_the_updates_of_a_digest(metric):
    n, k, seed, every = 40, 60, 2, 3
    setting = f"digest(eta=0.05,floor={0.1 if metric == 'mae' else 0.9},every={every},updates=9)"
    game, session = attacked("greedy_climb", setting, seed, k, n=n, metric=metric)
    scorer = Scorer(find(metric), response(seed, n), undefined_is_zero=True)
    board = Session(scorer, of_setting(setting), partial(stream, seed)).open()
    expected = literal.greedy_climb(
        signs(seed, k, n), lambda file: board.submit(file[None]).released[0], metric=metric,
        margin=0.025, digest=(every, 9), start=board.terms.start,
    )  # fmt: skip
    np.testing.assert_allclose(game.models.public, expected, atol=1e-9)
    assert 1 <= game.models.n_selected[-1] <= 9


def test_one_random_file_for_each_update_is_worth_a_correlation_of_a_tenth():
    """Of 60: 57 % of attackers beyond -.05, the first quartile at -.125 (Lin's coefficient)."""
    n, ends = 200, []
    for seed in range(60):
        game, _ = attacked(
            "greedy_climb", "digest(eta=0.1,floor=0.5,every=50,updates=10)", seed, 500, n=n,
            metric="ccc", points=[500],
        )  # fmt: skip
        file = game.models.public[-1]
        ends.append(find("ccc").score(response(seed, n), file[None])[0] if file.any() else 0.0)
    assert np.quantile(ends, 0.75) > 0.11
    assert np.mean(np.array(ends) > 0.05) > 0.5


def climbed(seed, eta, submissions, n=209):
    """Pearson correlations of a climb on a General Ladder, drawn without files or responses.

    A file of length a, with <y, file> = r a sqrt(n - 1), and a step of length L: the product of
    the step with y is a normal number times L.
    """
    rng = np.random.default_rng(seed)
    shown = own = 0.0
    correlations = []
    for _ in range(submissions - 1):
        a, left = shown * np.sqrt(n), 1 - shown**2
        L = max(np.sqrt(left), np.sqrt(n * (left - max(1 - (shown + eta) ** 2, 0))))
        z = rng.standard_normal() * np.sqrt(1 - own**2) + own * (across := rng.standard_normal())
        r = (own * a + L * z / np.sqrt(n)) / np.sqrt(
            a * a + L * L + 2 * a * L * across / np.sqrt(n)
        )
        if r > shown + eta:
            own, shown = r, round(r / eta) * eta
        correlations.append(own)
    return np.array(correlations)


@pytest.mark.parametrize("eta", [0.05, 0.1])
def test_a_margin_of_a_correlation_is_climbed(eta):
    """From 0, a random file has a correlation of about 1 / sqrt(n), and small ones are cheap."""
    at = [100, 300, 1000]
    correlations = []
    for seed in range(20):
        game, _ = attacked(
            "greedy_climb", f"general_ladder(eta={eta})+baseline", seed, 1000, points=at,
            metric="pearson",
        )  # fmt: skip
        correlations.append(find("pearson").score(response(seed, 209), game.models.public))
    known = np.array([climbed(seed, eta, 1000)[np.array(at) - 2] for seed in range(200)])
    se = np.sqrt(known.var(axis=0, ddof=1) / 20 + known.var(axis=0, ddof=1) / 200)
    assert (abs(np.mean(correlations, axis=0) - known.mean(axis=0)) < 4 * se).all()
    assert np.mean(correlations, axis=0)[-1] > 0.25


@pytest.mark.parametrize("setting", LITERAL)
@pytest.mark.parametrize("seed", range(2))
def test_the_reserve_attack_ends_with_the_literal_one(setting, seed):
    n, k = 30, 70
    options = {"target": 0.2, "size": 0.5, "rounding": 1.5}
    game, _ = attacked("reserve", setting, seed, k, n=n, **options)
    board = LITERAL[setting](response(seed, n))
    expected = literal.reserve(signs(seed, k, n), board.submit, **rules(setting, n), **options)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-6)
    assert setting.startswith("general") or game.models.n_selected[-1] > 3


def holder(seed, n, r2=0.4, n_train=1000, n_final=80):
    """A participant with one feature that explains this share of the response, and the response."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for rows in (n_train, n, n_final):
        y.append(standardised(rng.standard_normal((1, rows)))[0])
        noise = np.sqrt(1 - r2) * rng.standard_normal(rows)
        X.append(standardised((np.sqrt(r2) * y[-1] + noise)[None]).T)
    return ParticipantData(X[0], y[0], X[1], X[2]), y[1]


def held(name, setting, seed, submissions, *, n=209, points=None, **options):
    """The attack of a holder: the prepared attack, its game, and the public response."""
    view, y = holder(seed, n)
    points = points or [*range(1, submissions + 1)]
    attack = ATTACKS.make(name, submissions=submissions, honest=1, points=points, **options)
    prepared = attack.prepare(view, LeastSquares(), stream(seed, "attack"))
    session = Session(Scorer(find("mse"), y), of_setting(setting), partial(stream, seed))
    return prepared, prepared.play(session.open), y


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)+baseline", "ladder(alpha=0.5)+baseline"])
def test_a_holder_ends_with_the_literal_one(setting, seed):
    n, k = 40, 50
    view, y = holder(seed, n)
    slope = view.X_train[:, 0] @ view.y_train / 999  # both are standardised
    honest = slope * view.X_public[:, 0]
    # On one half of the training rows; its means are not 0.
    x, z = view.X_train[::2, 0], view.y_train[::2]
    half = np.sum(x * z) / np.sum(x * x)
    residual = np.mean((view.y_train[1::2] - half * view.X_train[1::2, 0]) ** 2)
    for name, options in (
        ("greedy_climb", {}),
        ("reserve", {"target": 0.2, "size": 0.5, "rounding": 1.5}),
    ):
        prepared, game, _ = held(name, setting, seed, k, n=n, **options)
        assert prepared.residual == pytest.approx(residual, rel=1e-9)
        given = {**options, "honest": honest}
        if name == "reserve":
            given |= {**rules(setting, n), "residual": residual}
        twin = getattr(literal, name)
        expected = twin(signs(seed, k, n), LITERAL[setting](y).submit, **given)
        np.testing.assert_allclose(game.models.public, expected, atol=1e-6)
        np.testing.assert_allclose(game.models.public[0], honest, atol=1e-12)
        final = np.repeat(slope * view.X_final[:, :1].T, k, axis=0)
        np.testing.assert_allclose(game.models.final, final, atol=1e-12)


@pytest.mark.parametrize("k", [30, 50])
@pytest.mark.parametrize(("name", "setting"), [
    ("linear_probe", "full_disclosure"), ("staircase", "ladder(alpha=0.15)"),
    ("staircase", "general_ladder(eta=0.05)"),
])  # fmt: skip
def test_a_holder_probes_about_its_model(name, setting, k):
    """With fewer files than rows, and with more."""
    n = 40
    view, y = holder(1, n)
    honest = (view.X_train[:, 0] @ view.y_train / 999) * view.X_public[:, 0]
    prepared, game, _ = held(name, setting, 1, k, n=n)
    board, given = boards.FullDisclosure(y, "mse"), {}
    if name == "staircase":
        board, given = LITERAL[setting](y), rules(setting, n)
    expected = getattr(literal, name)(
        signs(1, k, n), board.submit, **given, honest=honest, residual=prepared.residual
    )
    np.testing.assert_allclose(game.models.public, expected, atol=1e-5)


@pytest.mark.parametrize("k", [20, 45])
def test_a_probe_weighs_scores_by_their_noise(k):
    """The mean of a normal response given k products with normal errors, for n = 30 rows."""
    n, sd = 30, 0.2
    game, session = attacked("linear_probe", f"gaussian_noise(sd={sd})", 3, k, n=n)
    p = scale_of(session.open().terms, n) * signs(3, k, n)
    shown = session.batches[0].receipt.released
    products = (n - 1 + (p**2).sum(axis=1) - n * shown) / 2.0
    prior = np.eye(n) - 1.0 / n
    spread = p @ prior @ p.T + (n * sd / 2.0) ** 2 * np.eye(k)
    expected = prior @ p.T @ np.linalg.solve(spread, products)
    np.testing.assert_allclose(game.models.public[-1], expected, atol=1e-6)
    assert game.models.n_selected[-1] == k


def test_a_probe_learns_nothing_from_scores_of_resampled_rows():
    """Nobody knows which of them belong to the file just submitted."""
    game, _ = attacked("linear_probe", "ladderboot(alpha=0.15,b=10)", 1, 25, n=30)
    assert (game.models.public == 0.0).all()
    assert (game.models.n_selected == 0).all()


def test_means_of_few_files_are_those_of_the_whole_covariance():
    rng = np.random.default_rng(5)
    n, k = 40, 39
    files = 2.0 * rng.integers(0, 2, (k, n)) - 1.0
    files[3] = -files[1]
    values, use = files @ rng.standard_normal(n), rng.random(k) < 0.8
    for variances in (np.zeros(k), rng.uniform(1.0, 5.0, k)):
        m, S = prior(n)
        measure_all(m, S, files, values, variances, use)
        taken = Measurements(files).taken(values, variances, use)
        np.testing.assert_allclose(taken.mean(int(use.sum())), m, atol=1e-9)


def grouped(signs, groups, honest):
    """An orthonormal basis: groups of rows with signs, and the rest of the honest file."""
    n = len(signs)
    vectors = np.zeros((n, groups))
    for i in range(n):
        vectors[i, i % groups] = signs[i]
    vectors /= np.sqrt((vectors**2).sum(axis=0))
    rest = honest - vectors @ vectors.T @ honest
    return np.column_stack([vectors, rest / np.linalg.norm(rest)]) if rest.any() else vectors


@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)+baseline", "general_ladder(eta=0.05)"])
@pytest.mark.parametrize("groups", [7, 13])
@pytest.mark.parametrize("holds", [False, True])
def test_groups_of_rows_are_a_basis(setting, groups, holds):
    n, k, seed = 30, 50, 4
    options = {"target": 0.2, "size": 0.5, "rounding": 1.5}
    given = {**options, **rules(setting, n)}
    honest = np.zeros(n)
    if holds:
        prepared, game, y = held("reserve", setting, seed, k, n=n, groups=groups, **options)
        honest = prepared.honest
        given |= {"honest": honest, "residual": prepared.residual}
    else:
        game, _ = attacked("reserve", setting, seed, k, n=n, groups=groups, **options)
        y = response(seed, n)
    drawn = signs(seed, k, n)
    basis = grouped(drawn[0], groups, honest)
    expected = literal.reserve(drawn, LITERAL[setting](y).submit, basis=basis, **given)
    np.testing.assert_allclose(game.models.public, expected, atol=1e-6)
    assert basis.shape[1] == groups + holds


def test_few_groups_of_many_rows_lose_little():
    mean, _, _ = errors("reserve", "ladder(alpha=0.15)+baseline", 4, 400, points=[400], groups=150)
    whole, _, _ = errors("reserve", "ladder(alpha=0.15)+baseline", 4, 400, points=[400])
    assert whole[0] < mean[0] < 0.5


@pytest.mark.parametrize(("setting", "known"), [
    ("ladder(alpha=0.15)+baseline", -0.53),
    ("general_ladder(eta=0.05)+baseline", -0.16),
    ("general_ladder(eta=0.1)+baseline", -0.057),
])  # fmt: skip
def test_a_holder_keeps_its_model_as_reserve(setting, known):
    """Gain over the honest file after 1,000 submissions: at least a prototype's, up to 4 errors."""
    gains = []
    for seed in range(20):
        _, game, y = held("reserve", setting, seed, 1000, points=[1])
        errors = ((game.models.public - y) ** 2).mean(axis=1)
        gains.append(errors[-1] - errors[0])
    assert np.mean(gains) < known + 4 * np.std(gains, ddof=1) / np.sqrt(20)
    assert np.mean(gains) > -0.6


@pytest.mark.parametrize(("metric", "setting"), [
    ("mse", "full_disclosure"), ("mse", "kaggle"), ("mse", "kaggle(eta=0.1)"), ("rmse", "kaggle"),
    ("mae", "full_disclosure"), ("mae", "kaggle"), ("pearson", "full_disclosure"),
    ("pearson", "kaggle"), ("ccc", "full_disclosure"), ("ccc", "kaggle"), (R2, "kaggle(eta=0.1)"),
])  # fmt: skip
def test_a_board_that_shows_every_score_is_solved_by_as_many_files_as_rows(metric, setting):
    """Each file takes one dimension: 1 - k / n of the variance is left after k."""
    mean, se, accepted = errors("linear_probe", setting, 10, 209, points=POINTS[:4], metric=metric)
    left = 1 - np.array(POINTS[:3]) / 209
    assert (abs(mean[:3] - left) < 4 * se[:3] + 1 / 209).all()
    assert mean[3] < 1e-4
    assert (accepted == 209).all()


@pytest.mark.parametrize("ties", [False, True])
def test_the_linear_probe_finds_all_ranks(ties):
    """Of 209 responses, or of 209 that take eleven values, from as many Spearman correlations."""
    y = response(5, 209)
    y = y.round() if ties else y
    session = Session(
        Scorer(find("spearman"), y), of_setting("full_disclosure"), partial(stream, 5)
    )
    empty = np.empty((209, 0))
    view = ParticipantData(empty, np.empty(209), empty, np.empty((7, 0)))
    attack = ATTACKS.make("linear_probe", submissions=209, points=[100])
    game = attack.prepare(view, None, stream(5, "attack")).play(session.open)
    shown = find("spearman").score(y, game.models.public)
    # 100 products of 208 show a correlation of about sqrt(100 / 208) = .69.
    assert 0.55 < shown[0] < 0.8
    assert shown[1] == pytest.approx(1.0, abs=1e-12)


def test_a_step_hides_a_part_of_a_mean_absolute_error():
    """Rounding hides n step / sqrt(12) of <y, s>, of variance n, whatever the scale of the file.

    With v the ratio of the variances, n random measurements of n numbers with such noise leave
    e = 1 / (1 + 1 / (v + e)) of the variance (n to infinity; Tse & Hanly 1999).
    """
    mean, se, _ = errors("linear_probe", "kaggle(eta=0.1)", 20, 209, points=[209], metric="mae")
    v = 209 * 0.1**2 / 12
    left = (np.sqrt(v**2 + 4 * v) - v) / 2
    assert abs(mean[0] - left) < 4 * se[0] + 0.01


@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)", "parameter_free_ladder"])
def test_the_staircase_solves_ladders_of_absolute_errors(setting):
    """As the one of squared errors, but for 1 / n of the shown score that rounding hides."""
    mean, se, accepted = errors("staircase", setting, 20, 300, points=POINTS[:5], metric="mae")
    assert (abs(mean[:3] - [0.95, 0.86, 0.53]) < 4 * se[:3] + 0.005).all()
    assert mean[3] < 0.05
    assert mean[4] < 0.005
    assert accepted.min() > 290
    none, _, accepted = errors("staircase", f"{setting}+baseline", 5, 100, points=[1], metric="mae")
    np.testing.assert_allclose(none, 208 / 209)
    assert (accepted == 0).all()


@pytest.mark.parametrize(("metric", "setting"), [
    ("mse", "ladder(alpha=0.15)"), ("mse", "ladder(alpha=0.01)"), ("mse", "parameter_free_ladder"),
    ("mse", "general_ladder(eta=0.05)"), ("mse", "simplified_ladder(eta=0.05)"),
    (R2, "general_ladder(eta=0.05)"),
])  # fmt: skip
def test_the_staircase_solves_every_ladder_without_a_baseline(metric, setting):
    mean, se, accepted = errors("staircase", setting, 20, 300, points=POINTS[:5], metric=metric)
    assert (abs(mean[:3] - [0.95, 0.86, 0.53]) < 4 * se[:3] + 0.005).all()
    assert mean[3] < 0.005
    assert mean[4] < 1e-4
    assert accepted.min() > 290


@pytest.mark.parametrize(("b", "left"), [(10, [0.59, 0.28, 0.15]), (100, [0.54, 0.10, 0.02])])
def test_noise_delays_the_staircase(b, left):
    mean, se, _ = errors("staircase", f"ladderboot(alpha=0.15,b={b})", 20, 1000, points=POINTS)
    assert (abs(mean[2:5] - left) < 4 * se[2:5] + 0.005).all()
    assert mean[5] < 0.05


def test_no_file_of_the_staircase_gets_past_a_baseline():
    mean, _, accepted = errors("staircase", "ladder(alpha=0.15)+baseline", 20, 1000)
    assert (accepted == 0).all()
    np.testing.assert_allclose(mean, 208 / 209)


def test_the_greedy_climb_gets_past_a_baseline_of_absolute_errors():
    """Its normal residual shrinks about as far as under squared errors."""
    mean, se, _ = errors("greedy_climb", "ladder(alpha=0.15)+baseline", points=[1000], metric="mae")
    assert 0.46 - 4 * se[0] < mean[0] < 0.75


def test_the_greedy_climb_gets_past_a_baseline_slowly():
    mean, se, _ = errors("greedy_climb", "ladder(alpha=0.15)+baseline", points=[1000])
    assert abs(mean[0] - 0.46) < 4 * se[0]


@pytest.mark.parametrize(("setting", "known"), [
    ("ladder(alpha=0.15)+baseline", [0.99, 0.95, 0.80, 0.59, 0.43, 0.15]),
    ("ladder(alpha=0.01)+baseline", [0.995, 0.995, 0.995, 0.89, 0.81, 0.40]),
])  # fmt: skip
def test_the_reserve_attack_gets_past_a_baseline(setting, known):
    """At least as far as an independent prototype, up to four standard errors (1 in 30,000)."""
    mean, se, _ = errors("reserve", setting)
    assert (mean < np.array(known) + 4 * se).all()
    # No file gives more than one dimension.
    left = np.maximum(1 - (np.array(POINTS) + 1) / 209, 0)
    assert (mean > left - 4 * se).all()


@pytest.mark.parametrize("name", [name for name in ADVERSARIES if name != "between_updates"])
def test_a_digest_tells_all_but_one_nothing(name):
    mean, _, _ = errors(name, DIGEST, 5)
    np.testing.assert_allclose(mean, 208 / 209)


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("setting", ["full_disclosure", "ladder(alpha=0.5)+baseline", DIGEST])
def test_delta_is_the_public_score_less_that_of_zeros(name, setting):
    """With zeros on the final rows, up to what scaling each set to variance 1 makes of n."""
    entry = {"name": setting} if "(" not in setting else {
        "name": "ladder", "alpha": 0.5, "defences": [{"name": "baseline"}],
    }  # fmt: skip
    if setting == DIGEST:
        entry = {"name": "digest", "eta": 0.1, "floor": 0.5, "every": 4, "updates": 3}
    settings = {
        "metric": "mse", "attack": {"name": name, "submissions": 15, "points": [1, 7]},
        "mechanisms": [entry],
    }  # fmt: skip
    experiment = Experiment("e", settings, challenge(n=60), "permuted", seed=1)
    frame = play(experiment, [0, 1])
    assert frame["submissions"].tolist() == [1, 7, 15] * 2
    assert (frame["n_features"] == 0).all()
    np.testing.assert_allclose(frame["score_final"], 19 / 20)
    np.testing.assert_allclose(frame["delta"], frame["score_public"] - 19 / 20, atol=1e-12)
    listed = trace(experiment, 0)
    assert listed["submission"].tolist() == [*range(1, 16)]


@pytest.mark.parametrize("metric", ["mae", "pearson", "spearman", "ccc"])
def test_honest_zeros_have_the_final_score_of_zeros(metric):
    """That is 0 under a correlation, so Δ is minus the public correlation."""
    settings = {
        "metric": metric, "attack": {"name": "linear_probe", "submissions": 30, "points": [1]},
        "mechanisms": [{"name": "full_disclosure"}],
    }  # fmt: skip
    frame = play(Experiment("e", settings, challenge(n=60), "permuted", seed=1), [0])
    larger = metric != "mae"
    sign = -1 if larger else 1
    np.testing.assert_allclose(
        frame["delta"], sign * (frame["score_public"] - frame["score_final"]), atol=1e-12
    )
    assert not larger or (frame["score_final"] == 0).all()
    assert frame["score_final"].nunique() == 1
    # 20 rows are known after 30 files.
    assert frame["score_public"].iloc[1] == pytest.approx(float(larger), abs=1e-6)
    assert frame["delta"].iloc[1] < -0.5


class Silent:
    """A board that does not say which submissions were accepted."""

    def __init__(self, board):
        self._board = board

    def __getattr__(self, name):
        return getattr(self._board, name)

    def submit(self, predictions, final=None):
        return Receipt(self._board.submit(predictions, final).released, None)


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("setting", ["full_disclosure", "ladder(alpha=0.5)+baseline", DIGEST])
def test_they_learn_from_the_shown_scores_alone(name, setting):
    game, session = attacked(name, setting, 1, 40, n=30)
    view = ParticipantData(np.empty((30, 0)), np.empty(30), np.empty((30, 0)), np.empty((7, 0)))
    attack = ATTACKS.make(name, submissions=40, points=[*range(1, 41)])
    prepared = attack.prepare(view, None, stream(1, "attack"))
    again = prepared.play(lambda: Silent(session.open()))
    np.testing.assert_array_equal(game.models.public, again.models.public)


@pytest.mark.parametrize("name", [name for name in ADVERSARIES if ATTACKS.find(name).metrics])
def test_a_metric_that_they_cannot_read_is_refused(name):
    settings = {
        "metric": "sklearn.metrics.median_absolute_error",
        "attack": {"name": name, "submissions": 5}, "mechanisms": [{"name": "full_disclosure"}],
    }  # fmt: skip
    known = re.escape(", ".join(ATTACKS.find(name).metrics))
    with pytest.raises(
        InputError, match=f"attack '{name}' reads scores of the metrics {known}; got"
    ):
        Experiment("e", settings, challenge(), "permuted", seed=1)


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("setting", ["ladder(alpha=0.15)", "ladder(alpha=0.15)+baseline"])
def test_they_learn_nothing_after_a_cap(name, setting):
    n = 40
    game, session = attacked(name, f"{setting}+cap(improvements=4)", 2, 200, n=n)
    accepted = np.concatenate([batch.receipt.accepted for batch in session.batches])
    assert accepted.sum() <= 4
    if accepted.sum() == 4:
        last = int(np.flatnonzero(accepted)[-1])
        after = game.models.public[last:]
        np.testing.assert_array_equal(after, np.repeat(after[:1], len(after), axis=0))


def test_a_holder_fits_its_model_to_the_features():
    """With a response that has its signal; the first point is the honest file."""
    settings = {
        "metric": "mse", "mechanisms": [{"name": "full_disclosure"}], "features": 3,
        "attack": {"name": "reserve", "submissions": 4, "points": [1], "honest": 2},
    }  # fmt: skip
    frame = play(Experiment("e", settings, challenge(n=90), "splits", seed=1), [0])
    assert (frame["n_features"] == 3).all()
    assert frame["score_final"].nunique() == 1
    assert frame["score_public"].nunique() == 2
    settings["attack"]["honest"] = 29
    with pytest.raises(InputError, match="the attack selects up to 29 features"):
        play(Experiment("e", settings, challenge(n=90), "splits", seed=1), [0])


def test_points_beyond_the_submissions_are_refused():
    with pytest.raises(InputError, match="`points`"):
        ATTACKS.make("reserve", submissions=5, points=[6])


def test_a_half_space_moves_the_posterior_as_simulation_says():
    """Mean and covariance of a normal vector cut off at a bound, from a million draws."""
    rng = np.random.default_rng(1)
    n = 5
    m, S = prior(n)
    p, w = rng.standard_normal(n), np.empty(n)
    times(S, p, w)
    measured(m, S, p, w, 0.7, 0.5)
    q = rng.standard_normal(n)
    times(S, q, w)
    y = rng.multivariate_normal(m, S, 1_000_000)
    below = y[y @ q < 0.4]
    bounded(m, S, q, w, 0.4)
    assert 100_000 < len(below) < 900_000
    np.testing.assert_allclose(m, below.mean(axis=0), atol=6 / np.sqrt(len(below)))
    np.testing.assert_allclose(S, np.cov(below.T), atol=12 / np.sqrt(len(below)))


def test_a_stricter_test_has_a_lower_target():
    targets = [usual_target(critical, 0.0, 1000) for critical in (0.0, 1.04, 2.33)]
    assert targets == sorted(targets, reverse=True)
    assert 0 < targets[-1] < targets[0] < 0.5


@pytest.mark.parametrize("share", [0.0, 2.0**-11, 0.3, 1.0])
@pytest.mark.parametrize("root", [False, True])
def test_the_bound_of_a_share_follows_from_sums_over_the_rows(share, root):
    b, u, d = np.random.default_rng(3).normal(size=(3, 57))
    spread = np.linspace(0.1, 0.9, 57)
    bar = Bar(root=root, step=0.01, margin=0.02, critical=1.7)
    expected = bound_of(b, share * u + d, u, spread, 0.95, bar)
    bound = bound_at(share, moments(b, u, d, spread), 57, 0.95, bar)
    assert bound == pytest.approx(expected, rel=1e-12)

"""The risk probe against the definition of what it measures."""

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.on_labels import fair_labels
from shakedown.attacks.risk_probe import posterior_mean
from shakedown.interface import ParticipantData
from shakedown.leaderboard.mechanism import mechanisms
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import Streams, stream
from shakedown.simulation.session import Session
from tests.reference import survival as literal

NAMES = ("c_index", "uno_c_index", "iauc")
N = 40


def times(seed, n=N, ties=False):
    rng = np.random.default_rng(seed)
    t = rng.integers(1, 12, n).astype(float) if ties else rng.exponential(size=n)
    return np.where(rng.random(n) < 0.6, t, -t)


def slopes(y):
    """b of Harrell's index, from all pairs."""
    n = len(y)
    pairs = [(i, k) for i in range(n) for k in range(n) if literal.comes_first(y, i, k)]
    b = np.zeros(n)
    for i, k in pairs:
        b[i] += 1.0
        b[k] -= 1.0
    return b / (4.0 * len(pairs))


def ended(
    y, files, metric="c_index", attack="risk_probe",
    *, board=None, seed=1, view=None, model=None, **more,
):  # fmt: skip
    """The public file with which the attack ends, and its honest one."""
    (mechanism,) = mechanisms([board or {"name": "full_disclosure"}])
    scorer = Scorer(find(metric), y, undefined_is_zero=True)
    session = Session(scorer, mechanism, Streams(seed))
    if view is None:
        view = ParticipantData(
            np.empty((0, 0)), np.zeros(0), np.empty((len(y), 0)), np.empty((10, 0))
        )
    made = ATTACKS.make(attack, submissions=files, points=[files], **more)
    game = made.prepare(view, model, stream(seed, "attack")).play(session.open)
    return game.models.public[-1], game.honest.public[0]


def score(y, file, metric="c_index"):
    return find(metric).score(y, file[None])[0]


@pytest.mark.parametrize("ties", [False, True])
def test_a_score_is_linear_in_signs(ties):
    y = times(1, ties=ties)
    signs = np.random.default_rng(2).choice([-1.0, 1.0], (50, N))
    np.testing.assert_allclose(
        find("c_index").score(y, signs), 0.5 + signs @ slopes(y), rtol=0, atol=1e-14
    )
    for name in (*NAMES, "0.5*c_index + 0.5*iauc"):
        values = find(name).score(y, np.vstack([signs, 2.0 * np.eye(N) - 1.0])) - 0.5
        single = values[-N:]  # one row has the larger risk
        others = single.sum() / (2.0 - N)  # <b, 1>, which is 0
        assert others == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(values[:50], signs @ single / 2.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_as_many_files_as_rows_tell_all(ties):
    for seed in range(5):
        y = times(seed, ties=ties)
        assert score(y, slopes(y)) == 1.0
        file, honest = ended(y, N + 5, seed=seed)
        assert (honest == 0.0).all()
        assert score(y, file) == 1.0
        np.testing.assert_allclose(
            file / np.linalg.norm(file), slopes(y) / np.linalg.norm(slopes(y)), atol=1e-6
        )


@pytest.mark.parametrize("metric", ["c_index + iauc", "z(c_index, 0.7, 0.1)"])
def test_sums_of_any_size_are_read(metric):
    """A file of equal risks has the score 1 there, or -2, and not 1/2."""
    y = times(1)
    assert score(y, ended(y, N + 5, metric)[0]) > 0.99


@pytest.mark.parametrize("metric", NAMES)
def test_half_the_files_gain_what_finite_differences_gain(metric):
    """These submit each direction twice, and its opposite tells nothing more of such a score."""
    gains = {}
    for attack, files in (("risk_probe", 10), ("risk_probe", 20), ("finite_differences", 20)):
        made = [(times(seed), seed) for seed in range(60)]
        ends = [score(y, ended(y, files, metric, attack, seed=seed)[0], metric) for y, seed in made]
        gains[attack, files] = np.mean(ends) - 0.5
    # Nine pairs and a file of zeros; the standard deviation of a gain is .05, of a mean .007.
    assert gains["finite_differences", 20] == pytest.approx(gains["risk_probe", 10], abs=0.03)
    assert gains["risk_probe", 20] > gains["finite_differences", 20] + 0.05
    # Pairs of known order lie further apart than those of which it is not known.
    assert gains["risk_probe", 10] > np.arcsin(np.sqrt(10 / N)) / np.pi - 0.02


def test_noise_and_rounding_leave_a_gain():
    boards = [{"name": "gaussian_noise", "sd": 0.03}, {"name": "kaggle", "eta": 0.05}]
    for board in boards:
        y = [times(seed) for seed in range(20)]
        ends = [score(own, ended(own, 60, board=board, seed=k)[0]) for k, own in enumerate(y)]
        assert 0.6 < np.mean(ends) < 0.99


def test_it_adds_to_an_honest_model():
    """It begins with the model's file, and ends with a better one than without a model."""
    rng = np.random.default_rng(5)
    gains = []
    for seed in range(20):
        X = rng.standard_normal((3 * N, 2))
        t = np.exp(-X[:, 0]) * rng.exponential(size=3 * N)
        y_train = -np.log(t[:N])
        view = ParticipantData(X[:N], (y_train - y_train.mean()) / y_train.std(), X[N:], X[:5])
        y = t[N:]
        held, honest = ended(y, 20, seed=seed, view=view, model=Best(), honest=1)
        alone, _ = ended(y, 20, seed=seed)
        gains.append([score(y, file) for file in (honest, alone, held)])
    honest, alone, held = np.mean(gains, axis=0)
    assert held > max(honest, alone) + 0.02


class Best:
    """A model that predicts the first feature."""

    sends_classes = False

    def of(self, view, features):
        return 0.6 * view.X_public[:, 0], 0.6 * view.X_final[:, 0]


@pytest.mark.parametrize(("k", "noise"), [(5, 0.0), (5, 0.3), (30, 0.3)])
def test_the_mean_is_that_of_normal_numbers(k, noise):
    """By the usual formula, with the covariance of r and the values."""
    n, variance, rng = 12, 0.7, np.random.default_rng(3)
    files = rng.choice([-1.0, 1.0], (k, n))
    mean, r = 0.5 * rng.standard_normal((2, n))
    values = 0.2 * files @ r + np.sqrt(noise * 0.01) * rng.standard_normal(k)
    g = np.sqrt((np.mean(values**2) - 0.01 * noise) / n)
    of_values = g**2 * variance * files @ files.T + 0.01 * noise * np.eye(k)
    want = (
        mean
        + g
        * variance
        * files.T
        @ np.linalg.lstsq(of_values, values - g * files @ mean, rcond=1e-12)[0]
    )
    got = posterior_mean(files, values, 0.01 * noise, mean, variance)
    np.testing.assert_allclose(got, want, atol=1e-6)


def test_nothing_but_noise_leaves_the_honest_file():
    files, mean = np.ones((3, 4)), np.arange(4.0)
    got = posterior_mean(files, np.full(3, 0.01), 0.1, mean, 1.0)
    np.testing.assert_array_equal(got, mean)
    got = posterior_mean(files, np.zeros(3), 0.0, mean, 1.0)
    np.testing.assert_array_equal(got, mean)


def test_a_step_has_the_noise_of_rounding():
    y, board = times(3), {"name": "kaggle", "eta": 0.1}
    file, honest = ended(y, 15, board=board)
    signs = 2.0 * fair_labels(stream(1, "attack"), 15, N) - 1.0
    shown = np.rint(find("c_index").score(y, signs) / 0.1) * 0.1
    want = posterior_mean(signs, shown - 0.5, 0.1**2 / 12.0, honest, 1.0)
    np.testing.assert_allclose(file, want, atol=1e-12)


def test_it_plays_under_scores_of_times_alone():
    kind = ATTACKS.find("risk_probe")
    for name in (*NAMES, "0.5*c_index + 0.5*iauc", "c_index by group"):
        assert kind.reads_metric(find(name))
        assert set(kind.for_dry_run(Scope(5, 100, 5, 50, metric=name))) == {
            "risk_probe",
            "risk_probe_holder",
        }
    for name in ("mse", "auroc", "kendall"):
        assert not kind.reads_metric(find(name))
        assert kind.for_dry_run(Scope(5, 100, 5, 50, metric=name)) == {}

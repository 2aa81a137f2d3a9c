"""What boards do not publish, estimated from receipts: the step, the noise, and what fits none."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pytest

from shakedown.attacks import estimating
from shakedown.attacks.attack import ATTACKS
from shakedown.attacks.estimating import ALIKE, DIGIT, LEAST, REPEATS, common_step, irregular
from shakedown.interface import ParticipantData
from shakedown.leaderboard.gates import Always, Gate, Margin
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.leaderboard.releases import Release
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from shakedown.terms import Acceptance, Receipt, Terms
from tests.attacks.test_adversaries import ADVERSARIES, response
from tests.own.copies import copy_of

N = 209


def estimate(mechanism, seed, *, metric="mse", n=N, y=None, **options):
    """What is estimated of a board, and how many files that takes."""
    y = response(seed, n) if y is None else y
    board = Session(
        Scorer(find(metric), y, undefined_is_zero=True), mechanism, partial(stream, seed)
    ).open()
    files = []

    def submit(file):
        files.append(file)
        return float(board.submit(file[None]).released[0])

    terms = estimating.estimated(
        board.terms, estimating.signs_for(n), submit, estimating.SCALE, **options
    )
    return terms, len(files)


def literal_step(multiples, step):
    """The step times the greatest common divisor of the differences of some multiples of it."""
    return step * int(np.gcd.reduce(np.diff(multiples)))


@pytest.mark.parametrize("step", [1.0, 0.25, 0.1, 0.03, 1 / 209, 1e-3, 1 / 6007])
def test_the_common_step_is_that_of_the_greatest_common_divisor(step):
    rng = np.random.default_rng(1)
    for k in (2, 3, 5, 8):
        for base in (0.0, 1.0, 1000.0):
            for _ in range(20):
                multiples = round(base / step) + rng.integers(0, 300, k)
                if len(set(multiples.tolist())) > 1:
                    shown, expected = multiples * step, literal_step(multiples, step)
                    error = 8.0 * np.finfo(float).eps * shown.max()
                    assert common_step(shown, LEAST) == pytest.approx(expected, abs=2 * error)


def test_a_common_step_is_the_round_number_that_it_is_near():
    rng = np.random.default_rng(2)
    for step in (0.02, 0.1, 0.25, 0.003, 1 / 209, 1 / 37):
        multiples = np.array([0, 1, *rng.integers(0, 1000, 6)])
        assert common_step(400.0 / step // 1 * step + multiples * step, LEAST) == step


def test_scores_that_are_not_rounded_have_no_common_step():
    rng = np.random.default_rng(3)
    for scale in (1.0, 1e3, 1e6):
        for _ in range(50):
            assert common_step(scale + rng.uniform(0.0, 20.0, 8), LEAST) == 0.0
    # Nor have those whose step is below the least that is looked for.
    assert common_step(0.3e-4 * rng.integers(0, 10**5, 8), LEAST) == 0.0


def test_scores_that_do_not_differ_or_are_no_numbers_tell_no_step():
    assert common_step(np.full(8, 0.3), LEAST) is None
    assert common_step(np.array([1e6, 1e6 * (1 + 1e-16), 1e6]), LEAST) is None
    for bad in (np.nan, np.inf):
        assert common_step(np.array([1.0, 2.0, bad]), LEAST) is None
    # A single difference may be any multiple of the step; no smaller one is known of.
    assert common_step(np.array([1.0, 1.5, 1.0, 1.5]), LEAST) == 0.5


@pytest.mark.parametrize("values", ["normal", "two values"])
@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("n", [20, 209, 5000])
def test_the_step_of_a_silent_release_is_exact(n, metric, values):
    for eta in (0.003, 0.02, 0.05, 0.1, 0.2):
        for name in ("general_ladder", "simplified_ladder"):
            ours = of_setting(f"{name}(eta={eta})")
            silent, truth = copy_of(ours, "release", publishes=False), ours.terms(find(metric), n)
            for seed in range(4):
                y = response(seed, n)
                if values == "two values":
                    y = (y > 0.5).astype(float)
                    y = (y - y.mean()) / y.std(ddof=1)
                terms, files = estimate(silent, seed, metric=metric, n=n, y=y)
                assert terms == truth
                assert files == 11


@pytest.mark.parametrize(("step", "known"), [(1e-5, 1e-5), (1e-6, 1e-6), (0.001, 0.001)])
@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "pearson", "ccc"])
def test_the_step_of_scores_of_their_own_is_exact(metric, step, known):
    silent = copy_of(of_setting(f"kaggle(eta={step})"), "release", publishes=False)
    steps = []
    for seed in range(8):
        terms, files = estimate(silent, seed, metric=metric)
        steps.append(terms.step)
        assert files == 8
        assert terms.acceptance == Acceptance(-np.inf, 0.0)
    # Of eight scores, all are odd or all are even multiples once in 128 estimates.
    assert steps.count(known) >= 7
    assert set(steps) <= {known, 2 * known}
    exact = copy_of(of_setting("full_disclosure"), "release", publishes=False)
    assert estimate(exact, 1, metric=metric)[0].step == 0.0


def test_the_last_irregular_file_is_the_first_ones_negative():
    files = irregular(50)
    assert len(files) == estimating.OWN
    np.testing.assert_array_equal(files[-1], -files[0])
    assert np.linalg.matrix_rank(files) == estimating.OWN - 1


@pytest.mark.parametrize(
    ("setting", "sd", "replications"),
    [
        ("gaussian_noise(sd=0.05)", 0.05, 0),
        ("ladderboot(alpha=0.15,b=10)", 0.0, 10),
        ("ladderboot(alpha=0.15,b=100)", 0.0, 100),
    ],
)
@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_the_noise_of_a_silent_release_is_known_to_a_third(setting, sd, replications, metric):
    """Of 2 x (8 - 1) degrees of freedom: the variance has a relative error of sqrt(2 / 14)."""
    silent = copy_of(of_setting(setting), "release", publishes=False)
    shares = []
    for seed in range(40):
        terms, files = estimate(silent, seed, metric=metric)
        assert files == 16
        assert (terms.noise_sd > 0.0, terms.replications > 0) == (sd > 0.0, replications > 0)
        shares.append(terms.noise_sd**2 / sd**2 if sd else replications / terms.replications)
    error = np.sqrt(2.0 / 14.0)
    assert abs(np.mean(shares) - 1.0) < 4.0 * error / np.sqrt(40) + 0.02
    assert 0.6 * error < np.std(shares) < 1.6 * error


def test_noise_that_is_the_same_for_two_scales_is_seldom_taken_for_another():
    """In 1 of 50,000 estimates, as stated, and never if it grows with the losses."""
    from scipy.stats import f

    assert REPEATS == 8
    assert 2.0 * f.sf(ALIKE, REPEATS - 1, REPEATS - 1) == pytest.approx(1.0 / 50_000, rel=0.05)
    far = (estimating.NOISY[0] / estimating.NOISY[1]) ** 2
    assert f.cdf(ALIKE / far, REPEATS - 1, REPEATS - 1) < 1e-5


class Strange(Mechanism):
    """A board of which nothing is published, with any gate and release."""

    label = "Strange"

    @cached_property
    def gate(self):
        return self._parts[0]

    @cached_property
    def release(self):
        return self._parts[1]

    @classmethod
    def of(cls, gate, release):
        made = cls()
        made.__dict__["gate"], made.__dict__["release"] = gate, release
        return made


@dataclass(frozen=True)
class Shows(Release):
    """Any function of the submission in force, or of the file's own, of its index and the risks."""

    what: object
    name = "shows"

    def show(self, batch, best, standing, metric, y, rng):
        made = int(np.ravel(batch.before)[0])
        force = np.where(standing >= 0, batch.risks[standing], best.risk)
        return np.array([self.what(force[t], batch.risks[t], made + t) for t in range(len(force))])


@dataclass(frozen=True)
class Silently(Gate):
    """A gate that says nothing, and accepts by a function of the new risk and the one in force."""

    what: object
    name = "silently"

    def decide(self, batch, best, metric, y, *, chain, rng):
        standing, last, risk = np.empty(len(batch.risks), int), -1, best.risk
        for t, new in enumerate(batch.risks):
            if self.what(new, risk):
                last, risk = t, new
            standing[t] = last
        return standing


BETTER = Silently(lambda new, best: new < best)
RISK = Shows(lambda force, own, t: force)
STRANGE = {
    "nothing": (BETTER, Shows(lambda force, own, t: 0.0)),
    "no number": (BETTER, Shows(lambda force, own, t: np.nan)),
    "infinity": (BETTER, Shows(lambda force, own, t: np.inf)),
    "huge": (BETTER, Shows(lambda force, own, t: 1e200 * force)),
    "more than the score": (BETTER, Shows(lambda force, own, t: force + 3.0)),
    "twice the score": (BETTER, Shows(lambda force, own, t: 2.0 * force)),
    "the other direction": (BETTER, Shows(lambda force, own, t: -force)),
    "its logarithm": (BETTER, Shows(lambda force, own, t: np.log(force))),
    "the number of files": (BETTER, Shows(lambda force, own, t: float(t))),
    "rounded up": (BETTER, Shows(lambda force, own, t: np.ceil(force / 0.1) * 0.1)),
    "every other score": (BETTER, Shows(lambda force, own, t: force if t % 2 else own + 1.0)),
    "nothing accepted": (Silently(lambda new, best: False), RISK),
    "all but a share": (Silently(lambda new, best: new < 0.99 * best), RISK),
    "a large margin": (Silently(lambda new, best: new < best - 5.0), RISK),
    "a score of its own that is not": (Always(), Shows(lambda force, own, t: own + 0.3)),
    "half of its own": (Always(), Shows(lambda force, own, t: 0.5 * own)),
}


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("what", STRANGE)
def test_what_fits_no_estimate_gives_none(what, metric):
    board = Strange.of(*STRANGE[what])
    if (what, metric) == ("rounded up", "rmse"):
        # Far above the response a root is as much larger as <y, s> / n is smaller.
        assert estimate(board, 1, metric=metric)[0].step == 0.1
        return
    for seed in range(5):
        terms, files = estimate(board, seed, metric=metric)
        assert terms.silent == board.terms(find(metric), N).silent != ()
        assert terms.acceptance is None
        assert files <= estimating.files_of(board.terms(find(metric), N))


@pytest.mark.parametrize("metric", ["mse", "rmse"])
@pytest.mark.parametrize("step", [0.0, 0.05])
def test_own_scores_are_seen_whatever_the_gate_does(step, metric):
    shows = Shows(lambda force, own, t: round(own / step) * step if step else own)
    for gate in (BETTER, Margin(0.02, 0.0)):
        for seed in range(5):
            terms, files = estimate(Strange.of(gate, shows), seed, metric=metric)
            assert (terms.step, terms.replaces_always, files) == (pytest.approx(step), True, 11)
            assert not terms.silent


def test_what_is_not_published_of_a_gate_is_not_known_before_the_release_is():
    terms = copy_of(of_setting("general_ladder(eta=0.02)"), "release", publishes=False).terms(
        find("mse"), N
    )
    assert terms.acceptance is None
    assert terms.gate_acceptance == Acceptance(0.02, 0.0)
    assert not terms.shows_best
    assert Terms("mse").gate_acceptance is None


class Blind:
    """A board as a participant sees it whom nobody tells which files were accepted."""

    def __init__(self, board):
        self._board, self.terms = board, board.terms

    def submit(self, predictions, final=None):
        return Receipt(self._board.submit(predictions, final).released, Unseen())


class Unseen:
    """Fails whoever looks."""

    def _looks(self, *_):
        raise AssertionError("an attack read which files were accepted")

    __iter__ = __getitem__ = __len__ = __array__ = __bool__ = _looks


@pytest.mark.parametrize("parts", [(), ("gate",), ("release",), ("gate", "release")])
@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize(
    "setting",
    ["general_ladder(eta=0.05)", "ladder(alpha=0.15)", "kaggle", "ladderboot(alpha=0.15,b=10)",
     "ladderboot(alpha=0.15,b=10)+sticky", "shaky_ladder(eta=0.05,scale=0.01)"],
)  # fmt: skip
def test_no_adversary_reads_which_files_were_accepted(setting, name, parts):
    """No board of ours shows it but by its scores."""
    board = of_setting(setting)
    board = copy_of(board, *parts, publishes=False) if parts else board
    empty = np.empty((40, 0))
    view = ParticipantData(empty, np.empty(40), empty, np.empty((7, 0)))
    attack = ATTACKS.make(name, submissions=8, points=[8])
    metric = (ATTACKS.find(name).metrics or ("mse",))[0]
    session = Session(
        Scorer(find(metric), response(1, 40), undefined_is_zero=True), board, partial(stream, 1)
    )
    played = attack.prepare(view, None, stream(1, "attack")).play(lambda: Blind(session.open()))
    assert np.isfinite(played.models.public).all()


def test_digits_need_a_finer_step_than_a_descent():
    assert DIGIT < 1e-6 < 1e-5 < LEAST

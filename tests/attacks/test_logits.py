"""Log losses, which attacks on levels read as mean squared errors."""

from functools import partial

import numpy as np
import pytest

from shakedown.attacks.attack import ATTACKS, Scope
from shakedown.attacks.logits import logits_of
from shakedown.metrics import find
from shakedown.terms import Acceptance, Schedule, Terms
from tests.attacks.test_orders import challenge
from tests.attacks.test_orders import gain as gain_of

gain = partial(gain_of, metric="log_loss", n=71)
LOG_LOSS = find("log_loss")


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_log_loss_is_half_of_a_squared_error(share):
    """Of small numbers; what is left is of the third order."""
    y, view = challenge("log_loss", 1, 200, (1.0 - share, share))
    units, rng = logits_of(view)[0], np.random.default_rng(1)
    off = []
    for size in (0.2, 0.1):
        p = size * rng.permutation(np.arange(200) % 2 * 2.0 - 1.0)[None]
        files = units.files(p)
        read = units.read(Terms("log_loss"), files, LOG_LOSS.score(y, files))[0]
        off.append(abs(read - np.mean((p - y) ** 2)))
    assert off[0] < 0.003
    assert off[1] < off[0] / 4.0


def test_zeros_have_the_loss_of_a_constant():
    y, view = challenge("log_loss", 1, 200, (0.7, 0.3))
    units, _ = logits_of(view)
    files = units.files(np.zeros((1, 200)))
    assert not files.any()
    read = units.read(Terms("log_loss"), files, LOG_LOSS.score(y, files))
    assert read == pytest.approx(np.mean(y**2))


@pytest.mark.parametrize("groups", [None, (np.arange(300), np.arange(60) // 3, np.arange(7))])
def test_an_honest_file_stays_what_it_is(groups):
    y, view = challenge("log_loss", 1, 60, groups=groups)
    units, _ = logits_of(view)
    file = np.repeat(np.random.default_rng(1).uniform(-0.8, 0.8, 20), 3)
    np.testing.assert_allclose(units.files(units.numbers(file)[None])[0], file, atol=1e-9)


def test_what_a_board_publishes_is_read_in_the_same_way():
    _, view = challenge("log_loss", 1, 200)
    units, _ = logits_of(view)
    terms = units.seen(
        Terms(
            "log_loss", begins=True, start=np.log(2.0), step=0.02, noise_sd=0.01,
            acceptance=Acceptance(0.03, 0.0), schedule=Schedule(2, 10, 0.3),
        )
    )  # fmt: skip
    assert (terms.metric, terms.step, terms.acceptance.margin) == ("mse", 0.04, 0.06)
    assert terms.start == pytest.approx(1.0 - 1.0 / 200)
    assert terms.schedule.floor == pytest.approx(terms.start - 2.0 * (np.log(2.0) - 0.3))
    assert (terms.schedule.floor - terms.origin) / terms.step == pytest.approx(0.3 / 0.02)


@pytest.mark.parametrize(("name", "setting", "least"), [
    ("level_saving", "general_ladder(eta=0.025)+baseline", 0.35),
    ("level_saving", "general_ladder(eta=0.05)+baseline", 0.17),
    ("between_updates", "digest(eta=0.02,floor=0.35,every=20,updates=25)", 0.03),
])  # fmt: skip
def test_levels_of_log_losses_are_attacked(name, setting, least):
    """Medians of .44, .24 and .04, without a model; random search reaches .20, .04 and .015."""
    reached, searched = (gain(one, setting=setting) for one in (name, "random_search"))
    assert reached > max(least, 1.7 * searched)


def test_dry_runs_play_them():
    given = {"features": 5, "most": 1000, "carried": 5, "train_rows": 30, "wanted": 100}
    scope = Scope(metric="log_loss", values=2, **given)
    wanted = {"level_saving": True, "between_updates": True, "reserve": False, "scan": False}
    assert {name: bool(ATTACKS.find(name).for_dry_run(scope)) for name in wanted} == wanted

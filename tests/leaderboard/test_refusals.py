"""Files that are refused, losses that are clipped, days that are full: against literal twins."""

from functools import partial

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.mechanism import mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.fits import skip_unless_it_takes
from tests.known.refused import refused
from tests.leaderboard.test_defences import EVERY
from tests.leaderboard.test_gates import GAMES, game
from tests.reference import defences as literal

RNG = partial(stream, 7)
DEFENCES = {
    "value_range": {"variance": 1.8},
    "distinct": {"distance": 0.6},
    "clip": {"times": 1.2},
    "cap_per_day": {"improvements": 1, "day": 7},
}


def board(y, metric, mechanism, opening=None):
    return Board(Scorer(find(metric), y, opening), mechanism, RNG)


def entry_with(entry, name, *more):
    return {**entry, "defences": [*more, {"name": name, **DEFENCES[name]}]}


@pytest.mark.parametrize("name", DEFENCES)
@pytest.mark.parametrize(("metric", "mechanism", "settings", "twin", "twin_settings"), GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_same_decisions_and_same_scores(
    name, metric, mechanism, settings, twin, twin_settings, seed
):
    predictions, y = game(seed, metric)
    predictions[5::6] = predictions[4::6]  # repeated files
    (refusing,) = mechanisms([entry_with({"name": mechanism, **settings}, name)])
    if name == "clip" and not find(metric).has_losses:
        with pytest.raises(InputError, match="is not a mean of losses"):
            board(y, metric, refusing)
        return
    theirs = getattr(literal, name)(twin, **DEFENCES[name])(y, metric, **twin_settings)
    ours = board(y, metric, refusing)
    shown, accepted = ours.submit(predictions)
    for prediction in predictions:
        theirs.submit(prediction)
    taken = getattr(theirs, "taken", None)
    if taken is None:
        taken = list(zip(theirs.released, theirs.accepted, strict=True))
    assert accepted.tolist() == [one_accepted for _, one_accepted in taken]
    np.testing.assert_allclose(shown, [number for number, _ in taken], rtol=0, atol=1e-12)
    assert ours.counts.submissions == len(predictions)
    assert ours.counts.accepted == accepted.sum()
    assert ours.state.judged == len(theirs.released)
    if name in ("value_range", "distinct") and metric != "zero_one":
        assert 0 < len(theirs.released) < len(predictions)


@pytest.mark.parametrize("name", DEFENCES)
@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
@pytest.mark.parametrize("more", [[], [{"name": "baseline"}]])
def test_batches_and_openings_are_judged_like_single_files(name, entry, more):
    predictions, y = game(6, "mse")
    predictions[5::6] = predictions[4::6]
    (refusing,) = mechanisms([entry_with(entry, name, *more)])
    skip_unless_it_takes(refusing, find("mse"))
    at_once = board(y, "mse", refusing)
    whole = at_once.submit(predictions)
    opened = board(y, "mse", refusing, predictions)
    np.testing.assert_array_equal(opened.submit_opening(), whole)
    assert opened.counts == at_once.counts
    if not refusing.gate.draws_weights or refusing.gate.one_by_one:
        single = board(y, "mse", refusing)
        parts = [single.submit(p[None]) for p in predictions]
        np.testing.assert_array_equal(np.ravel([r.accepted for r in parts]), whole.accepted)
        assert single.counts.accepted == at_once.counts.accepted
        if not refusing.is_noisy:
            np.testing.assert_array_equal(np.ravel([r.released for r in parts]), whole.released)


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_a_refused_file_draws_no_noise_and_moves_nothing(entry):
    _, y = game(2, "mse", n=40)
    good = y + 0.8 * np.random.default_rng(3).standard_normal((3, 40))
    (refusing,) = mechanisms([entry_with(entry, "value_range", {"name": "distinct"})])
    ours = board(y, "mse", refusing)
    ours.submit(good[:1] / good[:1].std())
    kept, shown = ours.state, ours.shown
    again, accepted = ours.submit(np.concatenate([good[:1] / good[:1].std(), 9.0 * good]))
    assert again.tolist() == [shown] * 4
    assert not accepted.any()
    assert ours.state == kept
    assert ours.counts.submissions == 5
    np.testing.assert_array_equal(ours.preview(ours.scorer.judge(9.0 * good)), [shown] * 3)


def test_a_first_file_that_is_refused_shows_nothing():
    _, y = game(2, "mse")
    ours = board(y, "mse", of_setting("full_disclosure+value_range"))
    shown, accepted = ours.submit(np.stack([9.0 * y, 0.9 * y]))
    assert np.isnan(shown[0])
    assert accepted.tolist() == [False, True]
    assert (ours.counts.submissions, ours.counts.accepted, ours.counts.changed) == (2, 1, 1)
    each = board(y, "mse", of_setting("full_disclosure+value_range"))
    shown, accepted = each.submit_each(np.stack([9.0 * y, 0.9 * y]))
    assert accepted.tolist() == np.isfinite(shown).tolist() == [False, True]
    assert (each.counts.submissions, each.counts.accepted, each.counts.changed) == (2, 1, 1)


def test_the_limit_of_range_refusal_is_the_variance_of_the_response():
    _, y = game(2, "spearman", n=30)
    for metric in ("mse", "spearman", "pearson"):
        ours = board(y, metric, of_setting("full_disclosure+value_range"))
        files = np.stack([y, -y, 1.001 * y, np.roll(y, 1)])
        assert ours.submit(files).accepted.tolist() == [True, True, False, True]
    session = Session(Scorer(find("mse"), y), of_setting("ladder(alpha=0.15)+value_range"), RNG)
    assert session.open().terms.largest_variance == pytest.approx(y.var(ddof=1))
    session = Session(Scorer(find("mse"), y), of_setting("ladder(alpha=0.15)"), RNG)
    assert session.open().terms.largest_variance is None


@pytest.mark.parametrize("metric", ["mse", "pearson"])
def test_a_preview_shows_a_refused_file_what_the_board_shows(metric):
    _, y = game(2, metric)
    ours = board(y, metric, of_setting("full_disclosure+value_range"))
    file = 0.7 * np.roll(y, 1) + 0.2 * y
    shown = ours.submit(file[None]).released[0]
    assert shown == pytest.approx(find(metric).score(y, file[None])[0])
    preview = ours.preview(ours.scorer.judge(np.stack([0.9 * y, 9.0 * y])))
    np.testing.assert_allclose(preview, [find(metric).score(y, 0.9 * y[None])[0], shown])
    assert preview[1] == ours.submit(9.0 * y[None]).released[0]


def test_a_preview_knows_the_files_that_were_judged_before():
    _, y = game(2, "mse")
    ours = board(y, "mse", of_setting("full_disclosure+distinct"))
    ours.submit(0.5 * y[None])
    early = ours.state
    ours.submit(0.6 * y[None])
    assert ours.preview(ours.scorer.judge(0.6 * y[None])) == ours.shown
    assert ours.preview(ours.scorer.judge(0.6 * y[None]), early) == pytest.approx(
        0.16 * np.mean(y**2)
    )


@pytest.mark.parametrize("gate", ["full_disclosure", "shaky_ladder(eta=0.05,scale=0.01)"])
def test_a_file_is_known_although_its_array_was_used_again(gate):
    _, y = game(2, "mse")
    ours = board(y, "mse", of_setting(f"{gate}+distinct"))
    file = 0.5 * y[None]
    ours.submit(file)
    file[:] = 0.1 * y
    assert ours.submit(0.5 * y[None]).accepted.tolist() == [False]
    assert ours.state.judged == 1
    ours.submit(file)
    assert ours.state.judged == 2


def test_files_are_near_by_the_standard_deviation_of_the_response():
    y = np.array([0.0, 1.0, 3.0, 4.0])
    away = 0.1 * y.std(ddof=1) * np.array([1.0, -1.0, 1.0, -1.0])
    ours = board(y, "mse", of_setting("full_disclosure+distinct(distance=0.1)"))
    files = np.stack([y, y + 0.999 * away, y + 1.001 * away])
    assert ours.submit(files).accepted.tolist() == [True, False, True]


def test_a_new_account_may_repeat_a_file():
    _, y = game(2, "mse")
    ours = board(y, "mse", of_setting("full_disclosure+distinct"))
    assert ours.submit_each(np.stack([y, y])).accepted.all()


def test_clipped_losses_bound_every_score():
    _, y = game(2, "mse", n=50)
    y = (y - y.mean()) / y.std()
    ours = board(y, "mse", of_setting("full_disclosure+clip(times=4)+baseline"))
    assert ours.shown == pytest.approx(np.minimum(y**2, 4.0).mean())
    shown = ours.submit(np.stack([1e6 * y, 100.0 + y, y])).released
    np.testing.assert_allclose(shown, [4.0 * 49 / 50, 4.0, 0.0], atol=0.1)


def test_defences_hold_in_a_climb_of_labels():
    y = (np.random.default_rng(3).random(40) < 0.5).astype(float)
    ours = board(y, "zero_one", of_setting("full_disclosure+distinct"))
    labels = 1.0 - y
    ours.submit(labels[None])
    climbed = ours.climb(labels, np.array([[0], [0], [1], [1]]), 1.0)
    assert climbed.kept.tolist() == [True, False, True, False]
    assert climbed.accepted.tolist() == [True, False, True, False]


def test_a_full_day_ends_at_its_end():
    _, y = game(2, "mse")
    files = y * np.linspace(0.1, 0.9, 9)[:, None]
    ours = board(
        y, "mse", of_setting("simplified_ladder(eta=0.001)+cap_per_day(improvements=2,day=3)")
    )
    assert ours.submit(files).accepted.tolist() == [True, True, False] * 3
    capped = of_setting(
        "simplified_ladder(eta=0.001)+cap_per_day(improvements=2,day=3)+cap(improvements=3)"
    )
    assert board(y, "mse", capped).submit(files).accepted.tolist() == [
        True, True, False, True, *[False] * 5,
    ]  # fmt: skip


def test_honest_files_are_rarely_near_repeats():
    """The table in docs/boards_compared.md, of one challenge."""
    for shares in refused(replicates=1).values():
        assert shares[0] == shares[1] == 0.0
        assert shares == sorted(shares)
        assert shares[2] < 0.1 < 0.3 < shares[4]

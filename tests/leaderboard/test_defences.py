"""Defences: the structure around mechanisms, and each of them against its description."""

from functools import partial

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.leaderboard.board import Board
from shakedown.leaderboard.defence import DEFENCES, Defence
from shakedown.leaderboard.mechanism import MECHANISMS, mechanism, mechanisms, of_setting
from shakedown.leaderboard.scorer import Scorer
from shakedown.leaderboard.settings import settings_in, settings_table, with_parameters
from shakedown.metrics import find
from shakedown.seeding import stream
from shakedown.simulation.session import Session
from tests.fits import skip_unless_it_takes
from tests.leaderboard.test_gates import GAMES, game

RNG = partial(stream, 7)
BASELINE = {"defences": [{"name": "baseline"}]}
EVERY = [
    {"name": name, **example}
    for name, kind in MECHANISMS.classes.items()
    for example in kind.examples
]


def defended(name, *, defences=("baseline",), **settings):
    return mechanisms([{"name": name, **settings, "defences": [{"name": d} for d in defences]}])[0]


def board(y, metric, mechanism, opening=None):
    return Board(Scorer(find(metric), y, opening), mechanism, RNG)


def test_defences_are_part_of_id_label_and_tables():
    (ladder,) = mechanisms([{"name": "ladder", "alpha": 0.15, **BASELINE}])
    plain = mechanism("ladder", alpha=0.15)
    assert ladder.setting == "ladder(alpha=0.15)+baseline"
    assert ladder.title == "Ladder (α = 0.15) + baseline start"
    assert (ladder.gate, ladder.gate_id) == (plain.gate, plain.gate_id)
    assert ladder != plain
    table = settings_table([ladder, plain])
    assert table["setting"].tolist() == [plain.setting, ladder.setting]
    assert table["defences"].fillna("none").tolist() == ["none", "baseline"]
    assert "defences" not in settings_table([plain])
    read = with_parameters(table[["setting"]])
    assert read["defences"].fillna("none").tolist() == ["none", "baseline"]
    assert [m.setting for m in settings_in(table)] == table["setting"].tolist()


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_a_setting_with_defences_is_read_back(entry):
    (mechanism,) = mechanisms([{**entry, **BASELINE}])
    again = of_setting(mechanism.setting)
    assert again == mechanism
    assert again.defences == mechanism.defences == (DEFENCES.make("baseline"),)
    assert again.in_unit(2.0).defences == mechanism.defences


def test_a_plus_sign_in_a_parameter_joins_nothing():
    ladder = mechanism("general_ladder", eta=1e20)
    assert "+" in ladder.setting
    assert of_setting(ladder.setting) == ladder
    assert of_setting(f"{ladder.setting}+baseline") == ladder.defended([DEFENCES.make("baseline")])


def test_a_mechanism_takes_the_defences_of_a_configuration():
    for entries in ([BASELINE["defences"][0]], BASELINE["defences"][0]):
        made = mechanism("ladder", alpha=0.15, defences=entries)
        assert made.id == "ladder(alpha=0.15)+baseline"


@pytest.mark.parametrize("given", ["baseline", ["baseline"], [{"defence": "baseline"}]])
def test_a_defence_is_an_entry_with_a_name(given):
    with pytest.raises(InputError, match=r"such as \[\{'name': 'baseline'\}\]; got .*baseline"):
        mechanism("ladder", alpha=0.15, defences=given)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["basline"], "defence 'basline' is not known. Did you mean 'baseline'"),
        (["baseline", "baseline"], "defence 'baseline' is listed twice"),
    ],
)
def test_unknown_and_repeated_defences_are_refused(names, message):
    with pytest.raises(InputError, match=message):
        defended("ladder", alpha=0.15, defences=names)


def test_every_defence_has_its_words():
    for name, defence in DEFENCES.classes.items():
        assert defence.label, name
        assert defence.sentence.endswith("."), name
    assert Defence not in DEFENCES.classes.values()


@pytest.mark.parametrize(("metric", "name", "settings", "twin", "twin_settings"), GAMES)
def test_baseline_start_is_the_organisers_own_first_submission(
    metric, name, settings, twin, twin_settings
):
    predictions, y = game(1, metric)
    ours, theirs = board(y, metric, defended(name, **settings)), twin(y, metric, **twin_settings)
    if metric == "zero_one":
        first = np.full(len(y), float(np.mean(y) > 0.5))
    elif metric in ("pearson", "spearman"):  # without a score for a constant: 0 for the organiser
        pytest.skip("no literal twin accepts a constant")
    else:
        first = np.full(len(y), y.mean())
    before = theirs.submit(first)
    assert ours.shown == pytest.approx(before, abs=1e-12)
    shown, accepted = ours.submit(predictions)
    for prediction in predictions:
        theirs.submit(prediction)
    assert accepted.tolist() == theirs.accepted[1:]
    np.testing.assert_allclose(shown, theirs.released[1:], rtol=0, atol=1e-12)
    changed = np.diff([before, *theirs.released[1:]]) != 0
    assert ours.counts.changed == changed.sum()


def test_on_standardised_data_the_baseline_predicts_zeros():
    y = np.random.default_rng(1).standard_normal(40)
    y = (y - y.mean()) / y.std(ddof=1)
    ours = board(y, "mse", defended("full_disclosure"))
    assert ours.shown == pytest.approx(39 / 40, abs=1e-15)
    np.testing.assert_allclose(ours.state.row, y**2, atol=1e-14)


@pytest.mark.parametrize("metric", ["mse", "mae", "pearson", "spearman", "ccc"])
@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_a_worse_file_leaves_the_baseline_in_force(entry, metric):
    (mechanism,) = mechanisms([{**entry, **BASELINE}])
    skip_unless_it_takes(mechanism, find(metric))
    y = np.random.default_rng(2).standard_normal(60)
    ours = board(y, metric, mechanism)
    accepted = ours.submit(np.stack([-3.0 * y, y, -3.0 * y])).accepted
    replaced = mechanism.replaces_always or getattr(mechanism.gate, "both_ways", False)
    assert accepted.tolist() == [replaced, True, replaced]


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_an_opening_starts_from_the_baseline_too(entry):
    predictions, y = game(3, "mse")
    (with_baseline,), plain = mechanisms([{**entry, **BASELINE}]), mechanisms([entry])[0]
    scorer = Scorer(find("mse"), y, predictions)
    Board(scorer, plain, RNG).submit_opening()
    again = Board(scorer, with_baseline, RNG).submit_opening()
    np.testing.assert_array_equal(again, board(y, "mse", with_baseline).submit(predictions))


def test_each_new_account_starts_from_the_baseline():
    predictions, y = game(4, "mse")
    ladder = defended("ladder", alpha=0.15)
    at_once = board(y, "mse", ladder)
    boards = [board(y, "mse", ladder) for _ in predictions]
    singly = [account.submit(p[None]) for account, p in zip(boards, predictions, strict=True)]
    np.testing.assert_array_equal(at_once.submit_each(predictions), np.array(singly)[:, :, 0].T)
    assert 0 < at_once.counts.accepted == sum(account.counts.accepted for account in boards)
    assert at_once.counts.changed == sum(account.counts.changed for account in boards)
    assert at_once.counts.submissions == len(predictions) > at_once.counts.accepted


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
def test_participants_know_the_score_that_a_board_of_scores_begins_with(entry):
    _, y = game(5, "mse")
    for more in ({}, BASELINE):
        (mechanism,) = mechanisms([{**entry, **more}])
        session = Session(Scorer(find("mse"), y), mechanism, RNG)
        client = session.open()
        if mechanism.every_defence and mechanism.shows == "scores":
            assert client.terms.start == session.boards[0].shown
        else:
            assert client.terms.start is None


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry["name"])
@pytest.mark.parametrize("cap", [1, 3, 99])
@pytest.mark.parametrize("more", [[], [{"name": "baseline"}]])
def test_a_cap_ends_the_improvements(entry, cap, more):
    """The decisions are those of the board without it, up to the last improvement."""
    predictions, y = game(6, "mse")
    (free,) = mechanisms([{**entry, "defences": more}])
    (capped,) = mechanisms([{**entry, "defences": [*more, {"name": "cap", "improvements": cap}]}])
    whole = board(y, "mse", free).submit(predictions).accepted
    ours, opened = board(y, "mse", capped), board(y, "mse", capped, predictions)
    accepted = ours.submit(predictions).accepted
    if capped.gate.one_by_one:  # its decisions depend on the noise of shown scores, which differs
        assert accepted.sum() <= cap
    else:
        assert accepted.tolist() == (whole & (np.cumsum(whole) <= cap)).tolist()
    np.testing.assert_array_equal(opened.submit_opening().accepted, accepted)
    assert ours.state.replaced == ours.counts.accepted == accepted.sum()
    if not capped.gate.draws_weights:  # its random numbers are those of a batch
        single = board(y, "mse", capped)
        singly = [single.submit(p[None]) for p in predictions]
        np.testing.assert_array_equal(np.ravel([r.accepted for r in singly]), accepted)
    if cap == 3 and whole.sum() >= 3:
        before = ours.state.risk
        assert not ours.submit(y[None]).accepted.any()
        assert ours.state.risk == before
        if not (capped.is_noisy or capped.name == "digest"):
            assert ours.preview(ours.scorer.judge(y[None]))[0] == ours.shown


def test_a_cap_holds_in_a_climb_of_labels():
    y = (np.random.default_rng(3).random(40) < 0.5).astype(float)
    entry = {"name": "full_disclosure", "defences": [{"name": "cap", "improvements": 2}]}
    ours = board(y, "zero_one", mechanisms([entry])[0])
    labels = 1.0 - y
    ours.submit(labels[None])
    climbed = ours.climb(labels, np.arange(5)[:, None], 1.0)
    assert climbed.kept.tolist() == [True, False, False, False, False]
    assert ours.counts.accepted == 2

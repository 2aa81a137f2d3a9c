"""Games on labels: invariance, controls, what cannot be played."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown import data
from shakedown.data import splits
from shakedown.data.splits import LabelSplitter
from shakedown.interface import Challenge, InputError
from shakedown.simulation.replicate import Experiment, play

BOOSTING = {"name": "boosting", "submissions": 40}
LOWERED = BOOSTING | {"keep": "lowered"}
ACCOUNTS = BOOSTING | {"keep": "mirrored", "accounts": "many"}
SWAPS = {"name": "enumeration", "submissions": 60, "move": "swap"}
GROUPS = {"name": "enumeration", "submissions": 60, "size": None}
RANKS = {"name": "two_accounts"}
ATTACKS = [BOOSTING, LOWERED, ACCOUNTS, SWAPS, GROUPS, RANKS]
ENTRIES = [
    {"name": "full_disclosure"},
    {"name": "kaggle"},
    {"name": "general_ladder", "eta": 0.05},
    {"name": "simplified_ladder", "eta": 0.05},
    {"name": "parameter_free_ladder"},
    {"name": "ladder", "alpha": [0.01, 0.5]},
    {"name": "ladderboot", "alpha": 0.15, "b": 10},
    {"name": "bayesboot_ladder", "posterior_odds": 5.67, "draws": 50},
    {"name": "bayesboot_ladderboot", "posterior_odds": 5.67, "draws": 50, "b": 5},
    {"name": "constant_board"},
    {"name": "fresh_holdout"},
]
RANKED = [{"name": "rank_board"}, {"name": "rank_board", "eta": 0.1}]
FAIR_LABELS = data.read("fair_labels", {"recipe": "labels", "public": 50, "final": 70}, seed=1)


def experiment(attack, mechanisms=None, data=FAIR_LABELS, design="labels", metric="zero_one"):
    boards = mechanisms or (RANKED if attack is RANKS else ENTRIES)
    settings = {"metric": metric, "attack": attack, "mechanisms": boards}
    return Experiment("e", settings, data, design, seed=1)


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_every_attack_plays_every_board_it_understands(attack):
    frame = play(experiment(attack), range(2))
    assert frame.setting.nunique() == (2 if attack is RANKS else 12)
    np.testing.assert_allclose(frame.delta, frame.score_public - frame.score_final)
    assert frame.submissions.max() == (51 if attack is RANKS else attack["submissions"])
    assert frame.score_released.isna().all() == (attack is RANKS)
    assert (frame.iteration_board == ("fresh" if attack is ACCOUNTS else "carried_on")).all()
    assert (np.diff(frame.accepted.to_numpy()[: frame.point.max()]) >= 0).all()


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_numbers_do_not_depend_on_chunks_or_on_the_order_of_mechanisms(attack):
    def plain(frame):
        frame = frame.astype({c: object for c in frame if frame[c].dtype == "category"})
        keys = ["replicate", "setting", "point"]
        return frame.sort_values(keys).reset_index(drop=True)

    boards = RANKED if attack is RANKS else ENTRIES[6:]
    whole = play(experiment(attack, boards), range(3))
    turned = experiment(attack, boards[::-1])
    parts = pd.concat([play(turned, chunk) for chunk in ([2], [0, 1])])
    pd.testing.assert_frame_equal(plain(whole), plain(parts))


def test_final_labels_stay_fair():
    """No attack moves the final score: its mean over everything that was played is 1/2.

    Standard errors of 30 replicates, 70 labels and one vote each; 5 of them are a false alarm of
    6e-7.
    """
    for attack in ATTACKS:
        boards = RANKED[:1] if attack is RANKS else ENTRIES[:1]
        frame = play(experiment(attack, boards), range(30))
        last = frame[frame.point == frame.point.max()]
        assert abs(last.score_final.mean() - 0.5) < 5 * 0.5 / np.sqrt(30 * 70)


def test_labels_are_dealt_anew():
    splitter = LabelSplitter(FAIR_LABELS, seed=1)
    first, again, second = splitter.split(0), splitter.split(0), splitter.split(1)
    np.testing.assert_array_equal(first.y_public, again.y_public)
    assert (first.y_public != second.y_public).any()
    assert (len(first.y_public), len(first.y_final)) == (50, 70)
    assert first.view.X_public.shape == (50, 0)


def test_labels_are_drawn_anew_in_each_replicate():
    """A share of 1 that is not quite 1/2 must not be the same luck in all of them."""
    splitter = LabelSplitter(FAIR_LABELS, seed=1)
    ones = np.array([splitter.split(r).y_public.sum() for r in range(400)])
    # Binomial(50, 1/2): mean and variance at a false-alarm rate of 1e-6 each.
    assert abs(ones.mean() - 25) < stats.norm.isf(5e-7) * np.sqrt(12.5 / 400)
    assert stats.chi2.cdf(399 * ones.var(ddof=1) / 12.5, 399) == pytest.approx(0.5, abs=0.499999)


def test_real_labels_are_dealt_and_not_tossed():
    y = (np.arange(120) % 3 == 0).astype(float)
    data = Challenge("t", np.ones((120, 1)), y, np.arange(120).astype(str), np.array(["a"]))
    drawn = LabelSplitter(data, seed=1).split(0)
    rest = y.sum() - drawn.y_public.sum() - drawn.y_final.sum()
    assert (len(drawn.y_public), len(drawn.y_final)) == (40, 40)
    assert 0 <= rest <= 40
    assert (drawn.y_public != LabelSplitter(data, seed=1).split(1).y_public).any()


def test_a_vote_of_many_accounts_is_shown_to_a_new_one():
    """So a Ladder shows it its own score, even one that is worse than the account's best."""
    frame = play(experiment(ACCOUNTS | {"points": [1, 2, 3]}, [ENTRIES[4]]), range(20))
    np.testing.assert_allclose(frame.score_released, frame.score_public)


def test_labels_of_a_table_are_attacked_just_as_well():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 90).astype(float)
    names = np.array(["a", "b"])
    table = Challenge("t", rng.standard_normal((90, 2)), y, np.arange(90).astype(str), names)
    frame = play(experiment(SWAPS, ENTRIES[:2], data=table), [0])
    assert frame.score_public.iloc[-1] < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "mse"}, "experiment 'e': attack 'boosting' guesses labels: wanted designs"),
        ({"design": "permuted"}, r"got designs \['permuted'\] and metric 'zero_one'"),
        ({"mechanisms": RANKED}, "mechanism 'rank_board' shows ranks, but the attack reads scores"),
        ({"attack": RANKS, "mechanisms": ENTRIES}, "shows scores, but the attack reads ranks"),
        ({"attack": BOOSTING | {"name": "staircase"}}, "attack 'staircase' selects features, and"),
        ({"attack": BOOSTING | {"points": [5, 90]}}, "numbers of submissions from 1 to 40, got"),
        ({"attack": ACCOUNTS | {"keep": "lowered"}}, "Use keep: mirrored or better_half"),
        ({"attack": SWAPS | {"size": 0}}, "attack 'enumeration': `size` must be a whole"),
        (
            {"attack": {"name": "freedman"}, "metric": "mse", "design": "permuted",
             "mechanisms": RANKED},
            "mechanism 'rank_board' shows ranks, but the attack reads",
        ),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        experiment(**({"attack": BOOSTING} | change))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.arange(60.0) % 3, "needs a response of 0 and 1; got 2. Recode it"),
        (np.arange(24.0) % 2, "public set: wanted at least 10 rows, got 8"),
    ],
)
def test_what_is_no_challenge_of_labels_is_refused(y, message):
    data = Challenge("c", np.empty((len(y), 0)), y, np.arange(len(y)).astype(str), np.empty(0, str))
    with pytest.raises(InputError, match=message):
        splits.LabelSplitter(data, seed=1)

"""Games on labels: the information barrier, invariance, controls, what cannot be played."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown import datasets, splits
from shakedown import replicate as game
from shakedown.interface import Challenge, InputError
from shakedown.replicate import Experiment, play
from shakedown.splits import LabelDealer

BOOSTING = {"name": "boosting", "submissions": 40}
LOWERED = BOOSTING | {"keep": "lowered"}
ACCOUNTS = BOOSTING | {"keep": "mirrored", "accounts": "many"}
SWAPS = {"name": "enumeration", "submissions": 60, "move": "swap"}
GROUPS = {"name": "enumeration", "submissions": 60, "size": None}
RANKS = {"name": "two_accounts"}
ATTACKS = [BOOSTING, LOWERED, ACCOUNTS, SWAPS, GROUPS, RANKS]
BOARDS = [
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
COINS = datasets.read("coins", {"recipe": "labels", "public": 50, "final": 70}, seed=1)


def experiment(attack, mechanisms=None, data=COINS, design="labels", metric="zero_one"):
    boards = mechanisms or (RANKED if attack is RANKS else BOARDS)
    settings = {"metric": metric, "attack": attack, "mechanisms": boards}
    return Experiment("e", settings, data, design, seed=1)


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_every_attack_plays_every_board_it_understands(attack):
    frame = play(experiment(attack), range(2))
    assert frame.groupby(["mechanism", "alpha", "eta"], dropna=False, observed=True).ngroups == (
        2 if attack is RANKS else 12
    )
    np.testing.assert_allclose(frame.delta, frame.score_public - frame.score_final)
    assert frame.submissions.max() == (51 if attack is RANKS else attack["submissions"])
    assert frame.score_released.isna().all() == (attack is RANKS)
    assert (frame.board == ("fresh" if attack is ACCOUNTS else "carried_on")).all()
    assert frame.iterations.notna().all()
    assert (np.diff(frame.accepted.to_numpy()[: frame.iterations.max()]) >= 0).all()


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_garbage_in_the_final_labels_changes_no_choice(attack, monkeypatch):
    honest = play(experiment(attack), range(2))
    real = LabelDealer.deal

    def garbled(self, replicate):
        deal = real(self, replicate)
        return dataclasses.replace(deal, y_final=np.full_like(deal.y_final, 7.0))

    monkeypatch.setattr(game.LabelDealer, "deal", garbled)
    blind = play(experiment(attack), range(2))
    ours = ["n_selected", "submissions", "accepted", "changed", "score_released"]
    pd.testing.assert_frame_equal(honest[ours], blind[ours])
    kept = honest.mechanism != "fresh_holdout"
    np.testing.assert_array_equal(honest.score_public[kept], blind.score_public[kept])
    assert (blind.score_final == 1.0).all()


@pytest.mark.parametrize("attack", ATTACKS[:-1], ids=str)
def test_public_labels_reach_an_attack_through_the_scores_alone(attack, monkeypatch):
    """On a board that shows nothing the public labels cannot matter."""
    seen = []
    kind = game.ATTACKS[attack["name"]]
    real_play, real_deal = kind.play, LabelDealer.deal

    def spying(self, open_board):
        result = real_play(self, open_board)
        seen.append(result.models.public)
        return result

    monkeypatch.setattr(kind, "play", spying)
    constant = [{"name": "constant_board"}]
    play(experiment(attack, constant), [0])
    monkeypatch.setattr(
        game.LabelDealer,
        "deal",
        lambda self, r: dataclasses.replace(
            real_deal(self, r), y_public=1 - real_deal(self, r).y_public
        ),
    )
    play(experiment(attack, constant), [0])
    np.testing.assert_array_equal(*seen)


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_numbers_do_not_depend_on_chunks_or_on_the_order_of_mechanisms(attack):
    def plain(frame):
        frame = frame.astype({c: object for c in frame if frame[c].dtype == "category"})
        keys = ["replicate", "mechanism", "alpha", "eta", "iterations"]
        return frame.sort_values(keys).reset_index(drop=True)

    whole = play(experiment(attack), range(3))
    parts = pd.concat([play(experiment(attack), chunk) for chunk in ([2], [0, 1])])
    pd.testing.assert_frame_equal(plain(whole), plain(parts))
    turned = play(experiment(attack, (RANKED if attack is RANKS else BOARDS)[::-1]), range(3))
    pd.testing.assert_frame_equal(plain(whole), plain(turned))


def test_final_labels_stay_fair_coins():
    """No attack moves the final score: its mean over everything that was played is 1/2.

    Standard errors of 60 replicates, 70 labels and one vote each; 5 of them are a false alarm of
    6e-7.
    """
    for attack in ATTACKS:
        boards = RANKED[:1] if attack is RANKS else BOARDS[:1]
        frame = play(experiment(attack, boards), range(60))
        last = frame[frame.iterations == frame.iterations.max()]
        assert abs(last.score_final.mean() - 0.5) < 5 * 0.5 / np.sqrt(60 * 70)


def test_labels_are_dealt_anew():
    dealer = LabelDealer(COINS, seed=1)
    one, again, two = dealer.deal(0), dealer.deal(0), dealer.deal(1)
    np.testing.assert_array_equal(one.y_public, again.y_public)
    assert (one.y_public != two.y_public).any()
    assert (len(one.y_public), len(one.y_final)) == (50, 70)
    assert one.view.X_public.shape == (50, 0)


def test_coins_are_tossed_anew_in_each_replicate():
    """A share of 1 that is not quite 1/2 must not be the same luck in all of them."""
    dealer = LabelDealer(COINS, seed=1)
    ones = np.array([dealer.deal(r).y_public.sum() for r in range(400)])
    # Binomial(50, 1/2): mean and variance at a false-alarm rate of 1e-6 each.
    assert abs(ones.mean() - 25) < stats.norm.isf(5e-7) * np.sqrt(12.5 / 400)
    assert stats.chi2.cdf(399 * ones.var(ddof=1) / 12.5, 399) == pytest.approx(0.5, abs=0.499999)


def test_real_labels_are_dealt_and_not_tossed():
    y = (np.arange(120) % 3 == 0).astype(float)
    data = Challenge("t", np.ones((120, 1)), y, np.arange(120).astype(str), np.array(["a"]))
    dealt = LabelDealer(data, seed=1).deal(0)
    rest = y.sum() - dealt.y_public.sum() - dealt.y_final.sum()
    assert (len(dealt.y_public), len(dealt.y_final)) == (40, 40)
    assert 0 <= rest <= 40
    assert (dealt.y_public != LabelDealer(data, seed=1).deal(1).y_public).any()


def test_a_vote_of_many_accounts_is_shown_to_a_new_one():
    """So a Ladder shows it its own score, even one that is worse than the account's best."""
    frame = play(experiment(ACCOUNTS | {"points": [1, 2, 3]}, [BOARDS[4]]), range(20))
    np.testing.assert_allclose(frame.score_released, frame.score_public)


def test_labels_of_a_table_are_attacked_just_as_well():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 90).astype(float)
    names = np.array(["a", "b"])
    table = Challenge("t", rng.standard_normal((90, 2)), y, np.arange(90).astype(str), names)
    frame = play(experiment(SWAPS, BOARDS[:2], data=table), [0])
    assert frame.score_public.iloc[-1] < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "mse"}, "experiment 'e': attack 'boosting' guesses labels: wanted designs"),
        ({"design": "permuted"}, r"got designs \['permuted'\] and metric 'zero_one'"),
        ({"mechanisms": RANKED}, "reads scores, and mechanism 'rank_board' shows no such thing"),
        ({"attack": RANKS, "mechanisms": BOARDS}, "reads ranks, and mechanism 'full_disclosure'"),
        ({"attack": {"name": "freedman"}}, "attack 'freedman' goes by features, and the design"),
        ({"attack": BOOSTING | {"points": [5, 90]}}, "numbers of submissions from 1 to 40, got"),
        ({"attack": ACCOUNTS | {"keep": "lowered"}}, "Use keep: mirrored or better_half"),
        ({"attack": SWAPS | {"size": 0}}, "experiment 'e': enumeration: `size` must be 1 or more"),
        (
            {"attack": {"name": "freedman"}, "metric": "mse", "design": "permuted",
             "mechanisms": RANKED},
            "mechanism 'rank_board' shows ranks alone",
        ),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        experiment(**({"attack": BOOSTING} | change))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.arange(60.0) % 3, "wants a response of 0 and 1, got 2. Recode it"),
        (np.arange(24.0) % 2, "public set: wanted at least 10 rows, got 8"),
    ],
)
def test_what_is_no_challenge_of_labels_is_refused(y, message):
    data = Challenge("c", np.empty((len(y), 0)), y, np.arange(len(y)).astype(str), np.empty(0, str))
    with pytest.raises(InputError, match=message):
        splits.LabelDealer(data, seed=1)

"""What `leak` says of a board that charges for files."""

import pytest

import shakedown

MEAN, SELDOM = "metered(gain=0.05,files=300)", "metered(gain=0.05,files=300,chance=0.25)"


def test_a_charge_bounds_the_gain():
    answer = shakedown.leak(209, SELDOM).answer
    assert answer["proved"]
    assert answer["nats"] is None
    # (sqrt(.05 n) - sqrt(2 ln 4))^2, less the known length.
    assert answer["degrees"] == pytest.approx(1.4571, abs=1e-4)
    assert answer["gain_mean"] == pytest.approx(1.4571 / 209, abs=1e-6)
    assert answer["gain_95"] == pytest.approx((1.4571**0.5 + 5.9915**0.5) ** 2 / 209, abs=1e-5)


def test_meters_of_accounts_add_up_unless_they_share_one():
    one = shakedown.leak(209, MEAN).answer["degrees"]
    assert shakedown.leak(209, MEAN, accounts=4).answer["degrees"] == pytest.approx(4 * one)
    assert shakedown.leak(209, f"{MEAN}+one_board", accounts=4).answer["degrees"] == one


def test_the_sentence_says_so():
    text = str(shakedown.leak(209, MEAN))
    assert "tell at most 9.45 degrees of freedom" in text.replace("\n", " ")
    assert "at most 0.0452 on average" in text.replace("\n", " ")
    assert "no bound is proved" not in repr(shakedown.leak(209, MEAN))


@pytest.mark.parametrize(
    "given", [{"metric": "rmse"}, {"metric": "accuracy"}, {"subgaussian": True}]
)
def test_nothing_is_proved_of_other_scores(given):
    answer = shakedown.leak(209, MEAN, **given).answer
    assert not answer["proved"]
    assert "degrees" not in answer
    assert "No bound is proved" in str(shakedown.leak(209, MEAN, **given))

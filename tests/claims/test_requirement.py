"""What a claim asks of a number."""

import math

import numpy as np
import pytest

from shakedown.claims.requirement import Requirement
from shakedown.interface import InputError


@pytest.mark.parametrize(
    ("text", "meets", "fails"),
    [
        ("< 0", [-1e-300, -math.inf], [0.0, 1.0, math.inf, math.nan]),
        ("<= 0.5", [0.5, -3], [0.5000001, math.nan]),
        ("> -0.05", [-0.0499, math.inf], [-0.05, -1, math.nan]),
        (">= 9", [9, 12], [8.999]),
        ("= 447", [447, 447 * (1 + 1e-12)], [446, 448, math.inf, math.nan]),
        ("= 1e12", [1e12 + 900, 1e12 - 900], [1e12 + 1100, 1e12 - 1100]),
        ("=0.9", [0.9, 0.1 * 9], [0.89]),
        ("between 0.3 and 0.5", [0.3, 0.4, 0.5], [0.29, 0.51, math.nan]),
        ("between -1e-3 and +.5", [-0.001, 0.5], [-0.002]),
        ("none", [math.inf], [447, 1e300, -math.inf, math.nan]),
    ],
)
def test_meets(text, meets, fails):
    required = Requirement.parse(text)
    assert required.text == text
    assert all(required.met_by(x) for x in meets)
    assert not any(required.met_by(x) for x in fails)


@pytest.mark.parametrize(
    ("text", "low", "high", "decided"),
    [
        ("< 0", -2, -1, True),
        ("< 0", -1, 0, False),  # 0 itself is no more below 0
        ("< 0", 0, 1, True),
        ("<= 0", 0, 1, False),
        ("> 0", -1, 0, True),
        (">= 0", -1, 0, False),
        ("between 1 and 2", 1, 2, True),
        ("between 1 and 2", 0.5, 1.5, False),
        ("between 1 and 2", 0, 3, False),  # neither end lies inside, the middle does
        ("between 1 and 2", 3, 4, True),
        ("= 447", 447, 447, True),
        ("= 447", 447, 794, False),
        ("= 447", 794, 1240, True),
        ("none", math.inf, math.inf, True),
        ("none", 794, math.inf, False),
        ("none", 447, 794, True),
    ],
)
def test_decided_if_the_whole_interval_gives_one_answer(text, low, high, decided):
    required = Requirement.parse(text)
    assert required.decided_by(low, high) is decided
    if math.isfinite(high):
        inside = np.linspace(low, high, 1001)
        assert decided == (len({required.met_by(x) for x in inside}) == 1)


@pytest.mark.parametrize("text", ["", "small", "0.5", "< ", "== 3", "< 0 or > 1", "between 1"])
def test_refuses_what_it_does_not_understand(text):
    with pytest.raises(InputError, match=r"`required` .* is not understood; wanted one of '< x'"):
        Requirement.parse(text)


def test_refuses_ends_the_wrong_way_round():
    with pytest.raises(InputError, match="wanted the smaller number first, got 0.5 before 0.3"):
        Requirement.parse("between 0.5 and 0.3")

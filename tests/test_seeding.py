import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from shakedown.interface import InputError
from shakedown.seeding import Streams, stream


def on_boards(seed, *axes):
    """The stream of a board: the first names are in common."""
    return Streams(seed, *axes[:1])(*axes[1:])


BOTH = pytest.mark.parametrize("stream", [stream, on_boards])


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ((1607,), [6407901694383395065, 3141453118975561795, 3274324600951636460]),
        (
            (1607, "data", "diabetes"),
            [4509112591667407029, 851132822613823671, 2956739072484107679],
        ),
        (
            (1607, "attack", "diabetes", 12),
            [2986852551294995480, 5524520166600531350, 5449354650460588763],
        ),
        ((0, "é", -1), [7893509060981888132, 6178480592958509329, 5950121266802708706]),
    ],
)
def test_streams_stay_what_they_were(arguments, numbers):
    # Noted down in another process.  If these change, every result of every study changes.
    assert stream(*arguments).integers(0, 2**63, 3).tolist() == numbers


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ((1607, "gate"), [5839645231852950797, 1837911001186198701, 5184057211891087996]),
        (
            (1607, "a", 3, "release", 1),
            [6201759325911067640, 8629215322252372, 4671583055522481403],
        ),
    ],
)
def test_streams_of_boards_stay_what_they_were(arguments, numbers):
    for k in range(1, len(arguments) + 1):  # wherever the names in common end
        rng = Streams(*arguments[:k])(*arguments[k:])
        assert rng.integers(0, 2**63, 3).tolist() == numbers


def test_another_process_draws_the_same():
    code = "from shakedown.seeding import stream; print(stream(5, 'data', 'a', 3).random())"
    for hash_seed in ("1", "2"):
        path = os.pathsep.join(p for p in sys.path if p)
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        out = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert float(out.stdout) == stream(5, "data", "a", 3).random()


@BOTH
def test_names_that_look_alike_are_different_streams(stream):
    names = [
        (),
        ("",),
        ("", ""),
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        ("bc", "a"),
        (1,),
        ("1",),
        (1, 1),
        (11,),
        (-1,),
        (0,),
        (2**64,),
    ]
    drawn = [stream(1, *axes).integers(0, 2**63) for axes in names]
    assert len(set(drawn)) == len(names)
    assert stream(1, "a").random() != stream(2, "a").random()


@BOTH
def test_a_numpy_integer_is_an_integer(stream):
    assert stream(np.int64(7), np.int32(3)).random() == stream(7, 3).random()


@BOTH
def test_streams_are_uncorrelated(stream):
    n, streams = 4000, 12
    drawn = [stream(1607, "attack", "x", replicate).standard_normal(n) for replicate in range(12)]
    pairs = list(combinations(range(streams), 2))
    z = [np.sqrt(n - 3) * np.arctanh(np.corrcoef(drawn[i], drawn[j])[0, 1]) for i, j in pairs]
    # Fisher's z is standard normal; false alarm 1e-6 over all pairs (Bonferroni).
    assert np.max(np.abs(z)) < stats.norm.isf(1e-6 / 2 / len(pairs))


@BOTH
@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_refuses_a_seed_that_is_none(stream, seed):
    with pytest.raises(InputError, match=r"`seed` must be a whole number of at least 0, got "):
        stream(seed)


@BOTH
@pytest.mark.parametrize("axis", [1.0, None, True, b"a"])
def test_refuses_an_axis_without_a_clear_spelling(stream, axis):
    with pytest.raises(TypeError, match="an axis of a stream must be a str or an int, got "):
        stream(1, axis)


@BOTH
@pytest.mark.parametrize("digits", [301, 400, 5000])
def test_refuses_a_seed_that_is_too_long(stream, digits):
    with pytest.raises(InputError, match=r"`seed` must have at most 300 digits\."):
        stream(10 ** (digits - 1))
    stream(10**299)

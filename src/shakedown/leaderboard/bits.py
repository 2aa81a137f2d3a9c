"""Random numbers in compiled loops.

In compiled code, a draw from a NumPy generator takes about 5 ns and a random index 28 ns; the
bootstrap needs hundreds of them for every submission.  So gates and releases use their generator
only to seed xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021), which takes about
1 ns per draw.
"""

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from shakedown.compiled import bits_of, float_of, kernel

_U11, _U12, _U17, _U19, _U23 = (np.uint64(k) for k in (11, 12, 17, 19, 23))
_U32, _U41, _U45, _U52 = (np.uint64(k) for k in (32, 41, 45, 52))
_LOW = np.uint64(0xFFFFFFFF)
_2_53 = 2.0**-53
_ONE = np.float64(1.0).view(np.uint64)
_SQRT_HALF = np.sqrt(0.5).view(np.uint64)
_LOG_2 = np.log(2.0)

#: How many bit generators fill a row of numbers side by side; vectors of any machine divide it.
LANES = 32


def _artanh_coefficients(count: int) -> tuple[float, ...]:
    """2 artanh(s) = s (2 + z (c_0 + c_1 z + ...)) with z = s^2, for every s of `_log`."""
    top = ((np.sqrt(2.0) - 1.0) / (np.sqrt(2.0) + 1.0)) ** 2
    series = Polynomial(2.0 / np.arange(3, 40, 2))
    best = Chebyshev.interpolate(series, count - 1, [0.0, top])
    return tuple(best.convert(kind=Polynomial).coef.tolist())


_ARTANH = _artanh_coefficients(7)


def seeded(rng: np.random.Generator) -> np.ndarray:
    """State of a bit generator, seeded from `rng`; uint64, shape (4,)."""
    state = rng.integers(0, 2**64, size=4, dtype=np.uint64)
    state[0] |= np.uint64(1)  # a state of zeros would yield only zeros
    return state


def side_by_side(rng: np.random.Generator, n: int) -> np.ndarray:
    """States of n bit generators, one per column, seeded from `rng`; uint64, shape (4, n)."""
    states = rng.integers(0, 2**64, size=(4, n), dtype=np.uint64)
    states[0] |= np.uint64(1)
    return states


@kernel
def _advanced(a, b, c, d):
    """64 random bits from a state, and the next state."""
    mixed = a + d
    word = ((mixed << _U23) | (mixed >> _U41)) + a
    shifted = b << _U17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << _U45) | (d >> _U19)
    return word, a, b, c, d


@kernel
def next_word(state):
    """The next 64 random bits."""
    word, a, b, c, d = _advanced(state[0], state[1], state[2], state[3])
    state[0], state[1], state[2], state[3] = a, b, c, d
    return word


@kernel
def draw_exponentials(states, out):
    """Fill `out`, shape (n,), with standard exponentials, one from each of n bit generators.

    Each is -log of the midpoint of one of 2^52 equal parts of (0, 1), with a relative error of
    4e-16.  Parallel generators and a logarithm without branches allow vector instructions: a draw
    takes 0.9 ns, and 2.8 ns with a ziggurat, NumPy's or one on `next_word`.
    """
    for i in range(len(out)):
        word, a, b, c, d = _advanced(states[0, i], states[1, i], states[2, i], states[3, i])
        states[0, i], states[1, i], states[2, i], states[3, i] = a, b, c, d
        out[i] = -_log(float_of(_ONE | (word >> _U12)) - (1.0 - _2_53))


@kernel
def draw_words(states, out):
    """Fill `out`, a multiple of `LANES` long, with words of 64 random bits.

    `states` are those of `LANES` generators.  A word takes half the time of `next_word`.
    """
    for start in range(0, len(out), LANES):
        for k in range(LANES):
            word, a, b, c, d = _advanced(states[0, k], states[1, k], states[2, k], states[3, k])
            states[0, k], states[1, k], states[2, k], states[3, k] = a, b, c, d
            out[start + k] = word


@kernel
def uniform_of(word):
    """A uniform number in [0, 1), in steps of 2^-52, by instructions that vector units have."""
    return float_of(_ONE | (word >> _U12)) - 1.0


@kernel
def draw_indices(states, n, refused, words, out):
    """Fill `out`, a multiple of 2 `LANES` long, with random indices in 0 ... n - 1, without bias.

    As `next_pair`, but if an index is refused, its block is drawn again, so n should be below 2^24.
    A block takes its bits from `words`, whose length is a multiple of `LANES` too.
    """
    # A product of 32 bits each, and one minimum: vector units have those.
    size = np.uint64(np.uint32(n))
    for start in range(0, len(out), 2 * len(words)):
        block = out[start : start + 2 * len(words)]
        some = words[: len(block) // 2]
        halves = some.view(np.uint32)
        while True:
            draw_words(states, some)
            least = _LOW
            for j in range(len(block)):
                product = np.uint64(halves[j]) * size
                block[j] = product >> _U32
                least = min(least, product & _LOW)
            if least >= refused:
                break


@kernel
def _log(u):
    """Logarithm of a number in (0, 1)."""
    # u = 2^exponent x m with m between sqrt(1/2) and sqrt(2).
    exponent = np.int64(bits_of(u) - _SQRT_HALF) >> 52
    m = float_of(bits_of(u) - (np.uint64(exponent) << _U52))
    s = (m - 1.0) / (m + 1.0)
    z = s * s  # log m = 2 artanh s
    c0, c1, c2, c3, c4, c5, c6 = _ARTANH
    series = c0 + z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))))
    return exponent * _LOG_2 + s * (2.0 + z * series)


@kernel
def next_uniform(state):
    """A uniform number in [0, 1), in steps of 2^-53."""
    return np.float64(next_word(state) >> _U11) * _2_53


@kernel
def next_index(state, n):
    """A random index in 0 ... n - 1, exactly uniform; n < 2^32."""
    return next_pair(state, n, refused_below(n))[0]


@kernel
def refused_below(n):
    """The argument `refused` of `next_pair` for n: 2^32 modulo n."""
    size = np.uint64(n)
    return ((_LOW - size) + np.uint64(1)) % size


@kernel
def next_pair(state, n, refused):
    """Two independent indices in 0 ... n - 1 from one word (Lemire 2019), without bias."""
    size = np.uint64(n)
    while True:
        word = next_word(state)
        a = (word >> _U32) * size
        b = (word & _LOW) * size
        if (a & _LOW) >= refused and (b & _LOW) >= refused:
            return np.int64(a >> _U32), np.int64(b >> _U32)

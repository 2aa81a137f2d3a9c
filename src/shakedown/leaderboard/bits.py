"""Random bits inside compiled loops.

A draw from a NumPy generator costs some 5 ns in compiled code, an index 28 ns; the bootstrap
needs hundreds of them for every submission.  So a release takes four words from its generator
once and goes on with xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021),
under 1 ns a draw.
"""

import numpy as np

from shakedown.compiled import kernel

_U11, _U17, _U19, _U23, _U32, _U41, _U45 = (np.uint64(k) for k in (11, 17, 19, 23, 32, 41, 45))
_LOW = np.uint64(0xFFFFFFFF)
_2_53 = 2.0**-53


def seeded(rng: np.random.Generator) -> np.ndarray:
    """State of a bit generator, seeded from `rng`; uint64, shape (4,)."""
    state = rng.integers(0, 2**64, size=4, dtype=np.uint64)
    state[0] |= np.uint64(1)  # all zeros is the one state to avoid
    return state


@kernel
def next_word(state):
    """The next 64 random bits."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    mixed = a + d
    word = ((mixed << _U23) | (mixed >> _U41)) + a
    shifted = b << _U17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << _U45) | (d >> _U19)
    state[0], state[1], state[2], state[3] = a, b, c, d
    return word


@kernel
def next_uniform(state):
    """A uniform number in [0, 1), in steps of 2^-53."""
    return np.float64(next_word(state) >> _U11) * _2_53


@kernel
def next_index(state, n):
    """An index in 0 ... n - 1, each equally likely to the last bit; n < 2^32."""
    return next_pair(state, n, refused_below(n))[0]


@kernel
def refused_below(n):
    """What `next_pair` needs to know of n: 2^32 modulo n."""
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

"""Random numbers for the noisy gates and releases, from generators side by side.

In compiled code, a draw from a NumPy generator takes about 5 ns and a random index 28 ns; the
bootstrap needs hundreds of them for every submission.  So gates and releases use their generator
only to seed eight xoshiro256++ (Blackman and Vigna, ACM Trans. Math. Softw. 47, 2021), which
stay in the processor's registers while a row of numbers is drawn: a random index takes 0.3 ns.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.polynomial import Chebyshev, Polynomial

from shakedown.compiled import kernel, ordered
from shakedown.leaderboard.bootstrap.vectors import WIDTH, Row, Vector, spread, until

#: Most rows whose indices are drawn with 16 bits.
MOST_IN_16_BITS = 1024
LOW = 0xFFFFFFFF  # the lower half of a word
_IN_16_BITS, _IN_32_BITS = np.dtype(np.uint16), np.dtype(np.uint32)
#: Bits of a first word that is not zero: a state of zeros would yield only zeros.
_NOT_ZERO = np.repeat(np.array([1, 0], dtype=np.uint64), [WIDTH, 3 * WIDTH])
_ONE = int(np.float64(1.0).view(np.uint64))
_SQRT_HALF = int(np.sqrt(0.5).view(np.uint64))
_LOG_2 = float(np.log(2.0))


def side_by_side(rng: np.random.Generator) -> np.ndarray:
    """States of eight bit generators, one per column, seeded from `rng`; uint64, shape (4, 8)."""
    words = rng.bit_generator.random_raw(4 * WIDTH)
    words |= _NOT_ZERO
    return words.reshape(4, WIDTH)


class Generators:
    """The generators in registers, while a kernel draws from them."""

    def __init__(self, context, builder: ir.IRBuilder, kind, states) -> None:
        self._builder, self._kept = builder, Row(context, builder, kind, states)
        self._at = [self._kept.size.type(WIDTH * k) for k in range(4)]
        self._now = [
            cgutils.alloca_once_value(builder, self._kept.read(at).value) for at in self._at
        ]

    def word(self) -> Vector:
        """The next 64 random bits of each."""
        a, b, c, d = (Vector(self._builder, self._builder.load(pointer)) for pointer in self._now)
        mixed = a + d
        word = ((mixed << 23) | (mixed >> 41)) + a
        shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = (d << 45) | (d >> 19)
        for pointer, after in zip(self._now, (a, b, c, d), strict=True):
            self._builder.store(after.value, pointer)
        return word

    def put_back(self) -> None:
        """Keep the states for the next row."""
        for at, pointer in zip(self._at, self._now, strict=True):
            self._kept.write(at, Vector(self._builder, self._builder.load(pointer)))


@intrinsic
def _indices(_, states, n, refused, out):
    bits = out.dtype.bitwidth

    def draw(context, builder, signature, arguments):
        generators = Generators(context, builder, signature.args[0], arguments[0])
        row = Row(context, builder, signature.args[3], arguments[3])
        size, least = (spread(builder, argument, bits) for argument in arguments[1:3])
        with until(builder, row.size) as here:
            start = here.index
            upper, lower = generators.word().parts(bits).product(size)
            here.write(row, upper)
            here.go_back((lower < least).any(), start)
        generators.put_back()

    return types.void(states, types.uint64, types.uint64, out), draw


@ordered
def draw_indices(states, n, refused, out):
    """Fill `out`, from `room_for_indices`, with random indices in 0 ... n - 1.

    Each is the upper half of n times a part of a word (Lemire 2019).  They are exactly uniform: the
    indices from the same eight words are drawn again if the lower half of a product is below
    `refused`, of `refused_below`.
    """
    _indices(states, n, refused, out)


@kernel
def refused_below(n, out):
    """The argument `refused` of `draw_indices`: 2 to the power of an index's bits, modulo n."""
    return (np.uint64(1) << np.uint64(8 * out.itemsize)) % np.uint64(n)


def room_for_indices(count: int, n: int) -> np.ndarray:
    """Room for `count` random indices in 0 ... n - 1, and for more that do not count; shape (m,).

    With 16 bits, four come from each word; with many rows, too many would be drawn again.  With 32,
    n should be below 2^24.
    """
    kind = _IN_16_BITS if n <= MOST_IN_16_BITS else _IN_32_BITS
    at_once = WIDTH * 8 // kind.itemsize
    return np.empty(-(-count // at_once) * at_once, kind)


@intrinsic
def _exponentials(_, states, out):
    def draw(context, builder, signature, arguments):
        generators = Generators(context, builder, signature.args[0], arguments[0])
        row = Row(context, builder, signature.args[1], arguments[1])
        with until(builder, row.size) as here:
            word = generators.word()
            here.write(row, _minus_log(_midpoint(word & LOW)))
            here.write(row, _minus_log(_midpoint(word >> 32)))
        generators.put_back()

    return types.void(states, out), draw


@ordered
def draw_exponentials(states, out):
    """Fill `out`, a multiple of 16 long, with standard exponentials.

    Two from each word: -log of the midpoint of one of 2^32 equal parts of (0, 1).  The logarithm
    has a relative error of at most 1e-9.
    """
    _exponentials(states, out)


def _midpoint(half: Vector) -> Vector:
    """The midpoints of some of 2^32 equal parts of (0, 1)."""
    return (half << 20 | _ONE).as_float() - (1.0 - 2.0**-33)


def _log_coefficients(count: int) -> list[float]:
    """log(1 + f) = f (c_0 + c_1 f + ...) for every f of `_minus_log`."""
    ends = [np.sqrt(0.5) - 1.0, np.sqrt(2.0) - 1.0]
    series = Chebyshev.interpolate(lambda f: np.log1p(f) / f, count - 1, ends)
    return series.convert(kind=Polynomial).coef.tolist()


_LOG = _log_coefficients(12)


def _minus_log(u: Vector) -> Vector:
    """-log of numbers in (0, 1); a division would take longer than the products."""
    # u = 2^exponent x m with m between sqrt(1/2) and sqrt(2).
    exponent = (u.as_bits() - _SQRT_HALF).signed_shift(52)
    f = (u.as_bits() - (exponent << 52)).as_float() - 1.0
    *rest, before, last = (-c for c in _LOG)
    series = f.times_plus(last, before)
    for c in reversed(rest):
        series = series.times_plus(f, c)
    return series.times_plus(f, exponent.to_float() * -_LOG_2)

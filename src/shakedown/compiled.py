"""How the core is compiled; ``python -m shakedown.rehearsal`` compiles it ahead.

A kernel is dull: arguments are checked before it is called, and inside there is no check and no
print.  Compiled code is kept on disk, so a job does not pay for compiling again.
"""

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Sums may be re-ordered and multiply-adds fused, which is what lets the loops use vector units;
# infinities keep their meaning (the score of an empty board is infinite).  For the same reason a
# division by zero is infinite, as in NumPy: a loop that could raise uses no vector units.
_OPTIONS = {"cache": True, "fastmath": {"reassoc", "contract"}, "error_model": "numpy"}
kernel = njit(**_OPTIONS)
#: For the body of a loop that stands in two kernels: a call would keep it from vector units.
inlined = njit(**_OPTIONS, inline="always")


@intrinsic
def bits_of(_, number):
    """The 64 bits of a float as an unsigned integer; only inside a kernel."""

    def cast(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), cast


@intrinsic
def float_of(_, bits):
    """The float with these 64 bits; only inside a kernel."""

    def cast(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), cast

"""How the core is compiled; ``python -m shakedown.rehearsal`` compiles it ahead.

A kernel is dull: arguments are checked before it is called, and inside there is no check and no
print.  Compiled code is kept on disk, so a job does not pay for compiling again.
"""

from numba import njit

# Sums may be re-ordered and multiply-adds fused, which is what lets the loops use vector units;
# infinities keep their meaning (the score of an empty board is infinite).
_FLOATS = {"reassoc", "contract"}
kernel = njit(cache=True, fastmath=_FLOATS)
#: For the body of a loop that stands in two kernels: a call would keep it from vector units.
inlined = njit(cache=True, fastmath=_FLOATS, inline="always")

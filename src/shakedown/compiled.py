"""How the core is compiled, and a way to compile it ahead: ``python -m shakedown.compiled``.

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


def warm_up() -> None:
    """Compile every kernel by playing a tiny study in which each of them is called."""
    from shakedown.rehearsal import rehearse

    rehearse()


if __name__ == "__main__":
    warm_up()

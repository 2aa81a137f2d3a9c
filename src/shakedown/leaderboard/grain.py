"""The grid of noisy answers, so that their last digits tell nothing.

Proofs take an answer to be a real number: what is measured, plus noise.  Both are doubles, and some
doubles that are 0 plus noise cannot be 1 plus noise.  So an answer of all digits may tell a label,
however large the noise is (Mironov 2012, "On significance of the least significant bits for
differential privacy").  On a grid far coarser than doubles and far finer than the noise, each
answer is as likely as for real numbers, to many digits.
"""

from __future__ import annotations

from math import frexp, ldexp

import numpy as np

from shakedown.compiled import ordered

#: The grid's step as a share of the noise, at most: rounding adds less than 1e-16 of its variance.
#: A step has millions of doubles, as long as what is measured is not far larger than the noise.
GRAIN = 2.0**-26


@ordered
def on_grid(answer, sd):
    """The nearest multiple of a power of 2, at most `GRAIN` of the noise's standard deviation."""
    step = ldexp(GRAIN, frexp(sd)[1] - 1)
    return np.rint(answer / step) * step

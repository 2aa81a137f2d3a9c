"""Whether the data visibly break what a dry run assumes of them.

A limit that is proved takes the noise of the public responses to be independent, of equal variance
and about Gaussian; measured ones take rows to be independent.  Each module of `checks` looks at one
of these assumptions and says what was found, which number it changes, and whether anything may
still be called proved.  A check finds something in data without fault with a chance of 1 in 1,000.
"""

from shakedown.dryrun.assumptions.checking import findings, why_unproved

__all__ = ["findings", "why_unproved"]

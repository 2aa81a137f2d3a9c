"""What a check of an assumption is."""

from __future__ import annotations

from typing import ClassVar

from shakedown.component import Component, Registry
from shakedown.dryrun.assumptions.finding import Finding
from shakedown.dryrun.assumptions.sample import Sample

#: The chance with which a check finds something in independent Gaussian noise of equal variance.
LEVEL = 1e-3


class Check(Component):
    """A check of an assumption: a class with its words and `look`, in a module of `checks`.

    Attributes
    ----------
    is_of_noise : bool
        Whether it concerns the distribution of the noise.  Bounds for labels assume none, and
        shuffled responses keep theirs.
    """

    kind: ClassVar[str] = "check of an assumption"
    is_of_noise: ClassVar[bool]

    def look(self, sample: Sample) -> Finding | None:
        """What is found in a data set; None if the assumption may hold."""
        raise NotImplementedError


CHECKS = Registry(Check, "shakedown.dryrun.assumptions.checks")

"""Figures: a tidy table goes in, a matplotlib `Figure` comes out.

Two lines in a notebook remake a figure of the report::

    outcomes = pd.read_parquet("results/default/outcomes/freedman.parquet")
    draw("boxes", outcomes, dataset="ad_like", design="permuted")
"""

from shakedown.figures.kind import FIGURE_KINDS, FigureKind, Picture, caption, draw, picture
from shakedown.figures.saving import save

__all__ = ["FIGURE_KINDS", "FigureKind", "Picture", "caption", "draw", "picture", "save"]

"""Figures: a tidy table goes in, a matplotlib `Figure` comes out.

Two lines in a notebook remake a figure of the report::

    outcomes = pd.read_parquet("results/default/outcomes/freedman.parquet")
    draw("boxes", outcomes, dataset="ad_like", design="permuted")
"""

from shakedown.figures.captions import caption
from shakedown.figures.drawing import DRY_RUN_KINDS, KINDS, REPLAY_KINDS, draw, own_settings
from shakedown.figures.saving import save

__all__ = [
    "DRY_RUN_KINDS",
    "KINDS",
    "REPLAY_KINDS",
    "caption",
    "draw",
    "own_settings",
    "save",
]

"""One colour and one name for each mechanism, and the look that all figures share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

from shakedown.interface import InputError


class Mechanism(NamedTuple):
    """How a mechanism is shown: its printable name, its colour and the hatch of its boxes."""

    name: str
    colour: str
    hatch: str


# The colours were searched for: any two differ by at least 6 in lightness (so they stay apart in
# grey) and by a colour distance of at least 20 (CIE Lab), also as people without one of the three
# kinds of cones see them.  Mechanisms with a bootstrapped release are hatched besides.
MECHANISMS: dict[str, Mechanism] = {
    "full_disclosure": Mechanism("Full-disclosure", "#BC0005", ""),
    "kaggle": Mechanism("Kaggle reference", "#611203", ""),
    "general_ladder": Mechanism("General Ladder", "#F6E965", ""),
    "simplified_ladder": Mechanism("Simplified Ladder", "#BDDBA6", ""),
    "parameter_free_ladder": Mechanism("Parameter-free Ladder", "#D579C2", ""),
    "ladder": Mechanism("Ladder", "#FC9507", ""),
    "ladderboot": Mechanism("LadderBoot", "#2B457B", "/////"),
    "bayesboot_ladder": Mechanism("BayesBootLadder", "#00CFFC", ""),
    "bayesboot_ladderboot": Mechanism("BayesBootLadderBoot", "#267F45", "/////"),
    "rank_board": Mechanism("Ranks alone", "#280070", ""),
    "constant_board": Mechanism("Constant board", "#848484", ""),
    "fresh_holdout": Mechanism("Fresh holdout", "#0B0B0B", ""),
}

#: The order in which mechanisms appear everywhere.
ORDER: tuple[str, ...] = tuple(MECHANISMS)

#: Controls show that the measuring works; they are not boards that anyone would run.
CONTROLS = ("constant_board", "fresh_holdout")

# The public score is a filled box, the final score an almost white one with a blue edge: a
# black-and-white print keeps them apart.
PUBLIC = "#D55E00"
FINAL_FACE = "#DCEBF5"
FINAL_EDGE = "#0072B2"

INK = "#222222"
DOT = "#9A9A9A"
CHOSEN = "#C23B00"
BAND = "#EEEEEE"
REFERENCE = "#5A5A5A"

#: Inches: the width of a text page, at which the fonts have the sizes below.
PAGE_WIDTH = 7.2

#: The same for the screen of a phone held upright; below `NARROW` figures have a layout for it.
PHONE_WIDTH = 3.75
NARROW = 5.0

THEME = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it looks the same everywhere
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "text.color": INK,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


@dataclass(frozen=True)
class Setting:
    """One mechanism with its parameters; None where it does not have one.

    Attributes
    ----------
    mechanism : str
        Name in the catalogue, such as "ladder".
    alpha : float or None
        Significance level of the paired t-test.
    posterior_odds : float or None
        Odds that the Bayesian bootstrap must reach.
    eta : float or None
        Step of the released score, in units of the score.
    b : int or None
        Bootstrap replications behind a released score.
    """

    mechanism: str
    alpha: float | None = None
    posterior_odds: float | None = None
    eta: float | None = None
    b: int | None = None

    @property
    def label(self) -> str:
        """Printable name with the parameters."""
        return label(self.mechanism, self.alpha, self.posterior_odds, self.eta, self.b)

    @property
    def stacked(self) -> str:
        """The same in two lines, for narrow panels."""
        name, *parameters = self.label.split(" (")
        return "\n".join([name, *(p.removesuffix(")") for p in parameters)])

    @property
    def sort_key(self) -> tuple[float, ...]:
        """Catalogue order; stricter tests first; from much bootstrapping to little."""
        return (
            list(MECHANISMS).index(self.mechanism),
            self.alpha or 0.0,
            -(self.posterior_odds or 0.0),
            self.eta or 0.0,
            -(self.b or 0),
        )


def look(mechanism: str) -> Mechanism:
    """Name, colour and hatch of a mechanism.

    Raises
    ------
    InputError
        If the mechanism has none.
    """
    try:
        return MECHANISMS[mechanism]
    except KeyError:
        raise InputError(
            f"mechanism {mechanism!r} has no name and colour for figures; known are "
            f"{', '.join(sorted(MECHANISMS))}. Add it to MECHANISMS in shakedown/figures/style.py."
        ) from None


def label(
    mechanism: str,
    alpha: float | None = None,
    posterior_odds: float | None = None,
    eta: float | None = None,
    b: int | None = None,
) -> str:
    """Printable name of a mechanism with its parameters.

    Parameters that do not apply are None.

    Raises
    ------
    InputError
        If the mechanism is unknown.

    Examples
    --------
    >>> label("ladderboot", alpha=0.15, b=100)
    'LadderBoot (α = 0.15, b = 100)'
    """
    parts = []
    if alpha is not None:
        parts.append(f"α = {alpha:g}")
    if posterior_odds is not None:
        parts.append(f"posterior odds ≥ {posterior_odds:g}")
    if eta is not None:
        parts.append(f"η = {Decimal(f'{eta:g}'):f}")  # 0.00001, not 1e-05
    if b is not None:
        parts.append(f"b = {b:,}")
    name = look(mechanism).name
    return f"{name} ({', '.join(parts)})" if parts else name


def themed(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Let a drawing function work in the shared look, and leave the global settings alone."""

    @functools.wraps(draw)
    def wrapper(*args, **kwargs):
        with mpl.rc_context(THEME):
            return draw(*args, **kwargs)

    return wrapper

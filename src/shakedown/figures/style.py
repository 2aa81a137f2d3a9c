"""The look that all figures share, and how a setting looks in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

import numpy as np

from shakedown.leaderboard.mechanism import Mechanism

T = TypeVar("T")

# Any two colours of the package's mechanisms differ by at least 6 in lightness, so they differ in
# grey, and by a distance of at least 20 in CIE Lab, also for the colour-blind.  The colours below
# are for mechanisms that have none.
_SPARE = ("#7A5C00", "#5B7FFF", "#8C4A7E", "#00A087", "#B0651D", "#5E6B2F", "#C77CFF", "#3C5488")

#: Markers and dashes of one mechanism's second, third, ... setting, cycled.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")
DASHES = ((), (5, 1.5), (1.2, 1.2), (6, 1.5, 1.2, 1.5))

INK = "#222222"
DOT = "#9A9A9A"
CHOSEN = "#C23B00"
BAND = "#EEEEEE"
REFERENCE = "#5A5A5A"

#: Inches: the width of a text page, at which the fonts have the sizes below.
PAGE_WIDTH = 7.2

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
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def stacked(setting: Mechanism) -> str:
    """Name and parameters of a setting in two lines, for narrow panels."""
    shown = [text for text in map(setting.shown, setting.parameters) if text]
    around = "".join(f" + {defence.title}" for defence in setting.defences)
    return "\n".join([f"{setting.label}{around}", *([", ".join(shown)] if shown else [])])


def short(setting: Mechanism) -> str:
    """The text of `stacked` with shorter names of parameters."""
    return stacked(setting).replace("posterior odds", "odds")


def by_order(order: int, among: Sequence[T]) -> T:
    """The marker or dashes of a curve by its position; they repeat after the last."""
    return among[order % len(among)]


@dataclass(frozen=True)
class Look:
    """How a series looks, as boxes (face, edge, median) or as a line (line, dashes)."""

    face: str
    edge: str = INK
    line: str = ""
    dashes: tuple[float, ...] = ()

    @property
    def median(self) -> str:
        """Colour of a box's median: white on a dark face."""
        return "white" if luminance(self.face) < 0.25 else INK


#: The public score is dark, the final one light and dashed: a print in grey keeps them apart.
PUBLIC_LOOK = Look(face="#D55E00", edge="#7A3600", line="#D55E00")
FINAL_LOOK = Look(face="#DCEBF5", edge="#0072B2", line="#0072B2", dashes=DASHES[1])
DELTA_LOOK = Look(face="#B0B0B0", line=INK)


def look_of(setting: Mechanism, *, variant: int = 0) -> Look:
    """The look of a mechanism's series; `variant` counts those of one mechanism in a panel."""
    from matplotlib.colors import to_hex

    line = line_colour(setting, variant=variant)
    face = to_hex(_shade(setting, variant))
    return Look(face=face, line=line, dashes=by_order(variant, DASHES))


def line_colour(setting: Mechanism, *, variant: int = 0) -> str:
    """Colour of a mechanism's line: its own, darker where it is too light for white paper."""
    from matplotlib.colors import to_hex

    colour = _shade(setting, variant)
    return to_hex(0.55 * colour if luminance(colour) > 0.3 else colour)


def _shade(setting: Mechanism, variant: int) -> np.ndarray:
    """Red, green and blue of a mechanism's series, lighter for each further `variant`.

    A mechanism without a colour gets one by its name, the same in every figure.
    """
    from matplotlib.colors import to_rgb

    colour = setting.colour or _SPARE[crc32(type(setting).name.encode()) % len(_SPARE)]
    return 1 - 0.65**variant * (1 - np.array(to_rgb(colour)))


def luminance(colour: str | np.ndarray) -> float:
    """Relative luminance, from 0 (black) to 1 (white), after WCAG 2."""
    # Imported here because reading a configuration imports this module and draws nothing.
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))

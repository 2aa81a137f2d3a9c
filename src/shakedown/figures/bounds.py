"""The error that attacks reached below the one that theory guarantees, a panel per board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from shakedown.bounds import FIXED, NONE, TRIVIAL
from shakedown.figures import panels
from shakedown.figures.curves import MARKERS
from shakedown.figures.selection import floats, only, require, rows_of, settings_of
from shakedown.figures.setting_panels import line_colour
from shakedown.figures.style import BAND, INK, PAGE_WIDTH, REFERENCE, Setting, themed
from shakedown.interface import InputError
from shakedown.outcomes import MECHANISM
from shakedown.wording import amount, attack_name, counted, listed

KIND = "bounds"

NEEDED = (
    *("experiment", "dataset", "attack", "board", *MECHANISM, "public_rows", "submissions"),
    *("accounts", "chance", "replicates", "simulated", "simulated_low", "simulated_high"),
    *("theorem", "bound"),
)
_ACROSS = 3
_DASHED = (0, (4, 2))
_WORDS = {"size": 8.5, "color": INK, "zorder": 4}


@themed
def bounds(frame: pd.DataFrame, *, attacks: Mapping[str, str] | None = None) -> Figure:
    """Leaderboard error against submissions: what attacks reached, and what theory guarantees.

    Parameters
    ----------
    frame : DataFrame
        Columns as `shakedown.bounds.compare` has them, of one data set and one chance of a larger
        error; at most four attacks.
    attacks : mapping of str to str, optional
        Words for the attack of each experiment.  By default its name, or the experiment's where a
        mechanism met several attacks of one name.

    Returns
    -------
    Figure
        A panel per mechanism with its settings, both axes logarithmic.  The distance of the two
        lines is told at the largest attack.

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or chances, or there are more
        attacks than markers.
    """
    shown = comparison(frame, attacks)
    across = 2 if len(shown.settings) == 4 else min(_ACROSS, len(shown.settings))
    down = ceil(len(shown.settings) / across)
    figure = Figure(figsize=(PAGE_WIDTH, 0.9 + 2.35 * down), layout="constrained")
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    _scales(axes.flat[0], frame, room=0.38 if across == _ACROSS else 0.22)
    for i, (ax, setting) in enumerate(zip(axes.flat, shown.settings, strict=False)):
        ax.set_title(f"{panels.letter(i)}   {setting.stacked}")
        _panel(ax, rows_of(frame, setting), setting, shown)
    for ax in axes.flat[len(shown.settings) :]:
        ax.set_visible(False)
    for i, ax in enumerate(axes.flat[: len(shown.settings)]):
        if i + across >= len(shown.settings):
            ax.set_xlabel("Submissions (k)")
            ax.tick_params(labelbottom=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("Leaderboard error")
    figure.legend(handles=_handles(frame, shown), loc="outside upper left", ncols=2, handlelength=3)
    return figure


@dataclass(frozen=True)
class Comparison:
    """What a figure shows, for its drawing and its caption.

    Attributes
    ----------
    settings : list of Setting
        The mechanisms.
    attacks : dict of str to str
        Words for the attack of each experiment, the same for attacks that are told as one.
    public_rows : int
    chance : float
    """

    settings: list[Setting]
    attacks: dict[str, str]
    public_rows: int
    chance: float


def comparison(frame: pd.DataFrame, attacks: Mapping[str, str] | None) -> Comparison:
    """Check the table, and find what it compares; see `bounds`."""
    require(frame, NEEDED, kind=KIND)
    only(frame, "dataset", kind=KIND)
    chance = only(frame, "chance", kind=KIND)
    names = frame.drop_duplicates("experiment")
    named = dict(zip(names["experiment"].astype(str), names["attack"].astype(str), strict=True))
    met = frame.groupby([*MECHANISM, "attack"], observed=True, dropna=False)["experiment"].nunique()
    plain = attack_name if met.max() == 1 else None
    words = {e: plain(a) if plain else e.replace("_", " ") for e, a in named.items()}
    words |= {e: w for e, w in (attacks or {}).items() if e in words}
    if len(several := list(dict.fromkeys(words.values()))) > len(MARKERS):
        raise InputError(
            f"figure kind {KIND!r} tells at most {len(MARKERS)} attacks apart, got "
            f"{', '.join(several)}. Choose some experiments in the figure's entry."
        )
    return Comparison(settings_of(frame), words, int(frame["public_rows"].iloc[0]), float(chance))


def _markers(shown: Comparison) -> dict[str, str]:
    """A marker for the words of each attack."""
    return dict(zip(dict.fromkeys(shown.attacks.values()), MARKERS, strict=False))


def _scales(ax: Axes, frame: pd.DataFrame, room: float) -> None:
    """Logarithmic axes, with `room` for the distances at the right, as a share of the rest."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    k, reached = floats(frame["submissions"]), floats(frame["simulated"])
    span = k.max() / k.min()
    ax.set_xlim(k.min() / span**0.04, k.max() * max(span, 10) ** room)
    ax.set_ylim(0.7 * reached[reached > 0].min(initial=TRIVIAL), 1.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda v, _: amount(v)))
        axis.set_minor_formatter(NullFormatter())


def _panel(ax: Axes, rows: pd.DataFrame, setting: Setting, shown: Comparison) -> None:
    ax.axhspan(TRIVIAL, 10, facecolor=BAND, linewidth=0, zorder=0.5)
    ax.grid(visible=True, axis="both")
    colour = line_colour(setting.mechanism)
    markers = _markers(shown)
    for experiment, words in shown.attacks.items():
        part = rows[rows["experiment"] == experiment].drop_duplicates("submissions")
        part = part.sort_values("submissions")
        k, reached = floats(part["submissions"]), floats(part["simulated"])
        low, high = floats(part["simulated_low"]), floats(part["simulated_high"])
        ax.fill_between(
            k, np.fmin(low, reached), np.fmax(high, reached), color=colour, alpha=0.2, linewidth=0
        )
        style = {"color": colour, "linewidth": 1.4, "marker": markers[words], "markersize": 3.5}
        ax.plot(k, reached, markevery=0.15, zorder=2.4, **style)
    lines = sharpest(rows)
    for _, line in lines.groupby("experiment", observed=True, sort=False):
        fixed = (line["theorem"] == FIXED).any()
        style = {"linestyle": _DASHED} if fixed else {}
        ax.plot(
            floats(line["submissions"]), floats(line["bound"]), color=INK, linewidth=1.8, **style
        )
    if lines.empty:
        ax.text(0.04, 0.965, "nothing is proved", transform=ax.transAxes, va="top", **_WORDS)
        return
    _distance(ax, lines)


def sharpest(rows: pd.DataFrame) -> pd.DataFrame:
    """The smallest bound at each point of an attack, where there is a finite one; in order."""
    finite = rows[np.isfinite(floats(rows["bound"])) & (rows["theorem"] != NONE)]
    ordered = finite.sort_values(["experiment", "submissions", "bound"])
    return ordered.drop_duplicates(["experiment", *MECHANISM, "submissions"])


def _distance(ax: Axes, lines: pd.DataFrame) -> None:
    """An arrow from the largest error that was reached up to the bound there, with the ratio."""
    ends = lines[lines["submissions"] == lines["submissions"].max()]
    end = ends.iloc[int(np.argmax(floats(ends["simulated"])))]
    k, bound, reached = float(end["submissions"]), float(end["bound"]), float(end["simulated"])
    low, high = np.log(ax.get_xlim())
    at, beside = k * np.exp(0.03 * (high - low)), k * np.exp(0.055 * (high - low))
    if reached <= 0:
        return
    arrow = {"arrowstyle": "<->", "color": REFERENCE, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (at, bound), (at, reached), arrowprops=arrow, zorder=3)
    broken = floats(ends["simulated_low"]).max() > bound
    words = "broken" if broken else f"× {amount(bound / reached, 2)}"
    ax.text(beside, np.sqrt(bound * reached), words, va="center", ha="left", **_WORDS)


def _handles(frame: pd.DataFrame, shown: Comparison) -> list[Line2D | Patch]:
    handles: list[Line2D | Patch] = []
    for words, marker in _markers(shown).items():
        style = {"color": REFERENCE, "linewidth": 1.4, "marker": marker, "markersize": 4}
        handles.append(Line2D([], [], label=f"reached by {words}", **style))
    theorems = sharpest(frame)["theorem"]
    style = {"color": INK, "linewidth": 1.8}
    if (theorems != FIXED).any():
        handles.append(Line2D([], [], label="theory: no attack gets above", **style))
    if (theorems == FIXED).any():
        words = "theory, if no submission follows a score"
        handles.append(Line2D([], [], linestyle=_DASHED, label=words, **style))
    handles.append(Patch(facecolor=BAND, label="a bound up here says nothing"))
    return handles


def bounds_caption(frame: pd.DataFrame, *, attacks: Mapping[str, str] | None = None) -> str:
    """What the figure shows, for a reader in a hurry; parameters and errors as for `bounds`."""
    shown = comparison(frame, attacks)
    share = f"{100 * (1 - shown.chance):g} %"
    told = sharpest(frame)
    theorems = sorted(set(told["theorem"].astype(str)))
    low, high = (int(end(floats(frame["replicates"]))) for end in (np.min, np.max))
    replicates = counted(high, "replicate") if low == high else f"{low:,} to {high:,} replicates"
    text = [
        "Leaderboard error, how far the board has at most been from the truth so far, against the "
        f"number of submissions. Lines with markers: {share} of the plays of "
        f"{listed(list(dict.fromkeys(shown.attacks.values())))} stayed below; bands: 95 % interval "
        "of that.",
    ]
    if proved := [name for name in theorems if name != FIXED]:
        text.append(
            f"Black lines: no attack whatever gets above, with a chance of {share} "
            f"({'; '.join(proved)}). × says how many times as high that is as what was reached "
            "with the most submissions."
        )
    if FIXED in theorems:
        text.append(
            "Dashed lines: the same for submissions that were fixed before any score was shown "
            "(Blum & Hardt, eq. 2); an attack that follows the scores can break it."
        )
    text.append(
        "Grey: labels are fair coins, so no score is off by more than 1/2, and a bound up there "
        f"says nothing. Data: {only(frame, 'dataset', kind=KIND)}, {shown.public_rows:,} public "
        f"labels; {replicates} per point."
    )
    return " ".join(text)

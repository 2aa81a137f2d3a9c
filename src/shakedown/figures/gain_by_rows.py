"""The largest gain that a board allows, against the number of public rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shakedown.figures.kind import Picture
from shakedown.wording import amount, counted

if TYPE_CHECKING:
    from shakedown.theory.budget import BoardUse
    from shakedown.theory.gains import GainBound

#: Points of a curve, and how far it goes below and above the rows that there are.
POINTS, TIMES = 60, 30


def gain_by_rows(
    plan: BoardUse, bound: GainBound, *, tolerated: float, whole: float, delta: float
) -> Picture:
    """Draw the bound on average and the one that holds with a probability of 1 − `delta`.

    Parameters
    ----------
    plan : BoardUse
        The board; its number of rows is marked.
    bound : GainBound
    tolerated, whole : float
        The gain that is tolerated, and the largest that there is.
    delta : float
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import CHOSEN, INK, PAGE_WIDTH, REFERENCE, THEME

    rows = np.geomspace(max(10, plan.rows // TIMES), plan.rows * TIMES, POINTS).round()
    rows = np.unique(np.append(rows, plan.rows)).astype(int)
    probabilities = {"on average": None}
    if plan.noise is None:
        probabilities[f"with a probability of {1 - delta:.0%}".replace("%", " %")] = delta
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(PAGE_WIDTH, 3.2), layout="constrained")
        ax = figure.subplots()
        for (label, share), colour in zip(probabilities.items(), (INK, REFERENCE), strict=False):
            gains = [bound.bound(replace(plan, rows=int(n)).told, int(n), share) for n in rows]
            dashes = "-" if share is None else "--"
            ax.plot(rows, np.minimum(gains, whole), dashes, color=colour, label=label)
        ax.axhline(tolerated, color=CHOSEN, linewidth=0.8, label="tolerated")
        ax.axvline(plan.rows, color=CHOSEN, linewidth=0.8, linestyle=":")
        ax.annotate(
            counted(plan.rows, "row"), (plan.rows, 1.0), xycoords=("data", "axes fraction"),
            xytext=(4, -10), textcoords="offset points", color=CHOSEN,
        )  # fmt: skip
        ax.set(xscale="log", xlabel="Public rows", ylabel="Gain of the final file, at most")
        ax.set_ylim(0.0, None)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.legend()
    caption = (
        "How far the public score of the final file can be better than that of the best honest one "
        f"at most, whatever is submitted, by the number of public rows. Tolerated: "
        f"{amount(tolerated)}; all that there is to gain: {amount(whole)}."
    )
    return Picture(figure, caption)

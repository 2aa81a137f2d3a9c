"""Overfitting against the number of submissions, and the threshold that it must not cross (S11)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shakedown.figures import panels
from shakedown.figures.delta import by_level
from shakedown.figures.selection import require
from shakedown.figures.style import CHOSEN, themed
from shakedown.wording import signed


@themed
def limits(frame: pd.DataFrame, *, threshold: float = -0.05) -> Figure:
    """Box plots of Δ against the submissions of an attack, one panel per level of the test.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set, design, metric, attack and board.  Where attacks over different
        numbers of features lie in it, each is shown at its end.
    threshold : float
        The Δ that the organisers accept, in units of the metric; a line is drawn there.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If a column or all rows are missing, the table mixes data sets or the like or several b, or
        mechanisms with alpha and with posterior odds meet.

    Notes
    -----
    The layout is that of Fig. S11 of Chaibub Neto et al. (arXiv 1607.00091).
    """
    require(frame, panels.OUTCOMES, kind="limits")
    panels.one_of_each(frame, kind="limits")  # the ends alone may hide a mixture
    ends = budget_ends(frame)
    figure, settings = by_level(ends, "budget", "Submissions", kind="limits", height=3.3)
    budgets = sorted(ends["budget"].unique())
    for ax in figure.axes:
        ax.axhline(threshold, color=CHOSEN, linewidth=1.2, zorder=1.6)
        ax.set_xticks(range(len(budgets)), [f"{b:,.0f}" for b in budgets], rotation=40)
    line = Line2D([], [], color=CHOSEN, linewidth=1.2, label=f"threshold ({signed(threshold)})")
    panels.explain(figure, settings, "delta", line)
    return figure


def budget_ends(frame: pd.DataFrame) -> pd.DataFrame:
    """Outcomes at the end of each budget, with a column `budget` of its submissions.

    An attack that stops early has made fewer submissions than its budget allows; it belongs to
    the same budget all the same, so a budget is known by its features and iterations and is called
    by the largest number of submissions in it.
    """
    ends = frame
    if frame["n_features"].nunique() > 1 and frame["iterations"].notna().any():
        last = frame.groupby("n_features")["iterations"].transform("max")
        ends = frame[(frame["iterations"] == last).to_numpy(dtype=bool)]
    keys = ["n_features", panels.step_column(frame)[0]]
    budget = ends.groupby(keys)["submissions"].transform("max").astype(float)
    return ends.assign(budget=budget)

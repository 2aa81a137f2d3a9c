"""The degrees of freedom of files that were sent, against their number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shakedown.figures.kind import Picture
from shakedown.wording import amount


def degrees_by_file(
    prices: np.ndarray, budgets: Mapping[str, float], *, tolerated: float
) -> Picture:
    """Draw what answers to the first files are worth together, and what is tolerated.

    Parameters
    ----------
    prices : ndarray, shape (m,)
        What each file adds, in their order; in degrees of freedom.
    budgets : mapping of str to float
        Degrees of freedom that keep the gain, by how: on average, with a probability.
    tolerated : float
        The gain that is tolerated.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import CHOSEN, INK, PAGE_WIDTH, THEME

    spent = np.append(0.0, np.cumsum(prices))
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(PAGE_WIDTH, 3.2), layout="constrained")
        ax = figure.subplots()
        ax.plot(np.arange(len(spent)), spent, color=INK, label="answers to the files")
        for (label, budget), dashes in zip(budgets.items(), ("-", "--"), strict=False):
            ax.axhline(budget, color=CHOSEN, linewidth=0.8, linestyle=dashes, label=label)
        ax.set(xlabel="Files", ylabel="Degrees of freedom, at most")
        ax.set_xlim(0, len(prices))
        ax.set_ylim(0.0, None)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.legend()
    caption = (
        "What the answers to the first files are worth together, in degrees of freedom, and how "
        f"many keep the gain within {amount(tolerated)}. A file like earlier ones adds little."
    )
    return Picture(figure, caption)

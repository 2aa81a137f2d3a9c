"""The lag of honest teams on each board against the number of public rows."""

from __future__ import annotations

import pandas as pd

from shakedown.comparison.naming import names, ordered_names
from shakedown.figures.kind import Picture
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import amount, counted


def lag_by_rows(boards: pd.DataFrame, tolerated: float) -> Picture:
    """Draw a panel for each number of submissions, with a line for each board.

    Parameters
    ----------
    boards : DataFrame
        The table `boards.csv`.
    tolerated : float
        The tolerated gain, which the caption names.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from shakedown.figures.style import DASHES, MARKERS, PAGE_WIDTH, THEME, by_order, line_colour

    boards = boards.assign(name=names(boards))
    numbers, order = sorted(boards["submissions"].unique()), ordered_names(boards)
    lines = -(-len(order) // 2)
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(PAGE_WIDTH, 2.7 + 0.2 * lines), layout="constrained")
        panels = figure.subplots(1, len(numbers), sharey=True, squeeze=False)[0]
        for ax, number in zip(panels, numbers, strict=True):
            for k, name in enumerate(order):
                part = boards[boards["name"] == name]
                board, kept = of_setting(part["setting"].iloc[0]), part["kept"].iloc[0]
                own = part[part["submissions"] == number].sort_values("public_rows")
                ax.plot(
                    own["public_rows"], own["lag"], label=name, marker=by_order(k, MARKERS),
                    markersize=4.5, linewidth=1.2, dashes=by_order(k, DASHES) or (None, None),
                    color=line_colour(board, variant=int(kept == "quantile")),
                )  # fmt: skip
            ax.set(xscale="log", yscale="log", title=counted(int(number), "submission"))
            ax.set_xlabel("Public rows")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(lambda value, _: amount(value))
                axis.set_minor_formatter("")
        panels[0].set_ylabel("Lag of honest teams")
        handles, words = panels[0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside lower center", ncols=2)
    caption = (
        "How much worse the file that the board shows as a team's best truly is than its best so "
        "far, in shares of the response's variance, on average over time and 12 teams. Metered "
        f"boards and digests are proved to keep a gain of {amount(tolerated)}, on average or at "
        "the quantile; a line begins where there is such a board."
    )
    return Picture(figure, caption)

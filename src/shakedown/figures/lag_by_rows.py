"""The lag of honest teams on each board against the number of public rows."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from shakedown.comparison.leaders import leaders
from shakedown.comparison.naming import names, ordered_names
from shakedown.figures.curves import tick
from shakedown.figures.kind import Picture
from shakedown.leaderboard.mechanism import of_setting
from shakedown.wording import amount, counted, listed

#: Ticks are at least so many times apart: panels are narrow.
_ROOM = 2.5


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
            tick(ax.yaxis)
            tick(ax.xaxis)
            ax.set_xticks(_apart(sorted(boards["public_rows"].unique())))
        panels[0].set_ylabel("Lag of honest teams")
        handles, words = panels[0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside lower center", ncols=2)
    caption = (
        f"{_finding(boards, tolerated)}"
        "Lag: how much worse the file that the board shows as a team's best truly is than the "
        "team's best so far, as a share of the response's variance; mean over time and 12 teams. "
        'Boards "on average" or "at the quantile" are proved to keep every gain within '
        f"{amount(tolerated)} in this sense; a line begins where there is such a board."
    )
    return Picture(figure, caption)


def _apart(rows: list[int]) -> list[int]:
    """Numbers of rows whose names have room on a logarithmic axis, from the first."""
    shown = rows[:1]
    for n in rows[1:]:
        if n >= _ROOM * shown[-1]:
            shown.append(n)
    return shown


def _finding(boards: pd.DataFrame, tolerated: float) -> str:
    """Which boards that are proved on average have the smallest lag; "" if none is proved."""
    firsts = [cell["first"] for cell in leaders(boards, "mean", tolerated)]
    if not firsts:
        return ""
    counts = Counter(names(pd.DataFrame(firsts)))
    said = listed([f"{name} ({n})" for name, n in counts.most_common()])
    return (
        f"Smallest lag among the boards proved on average, in {len(firsts)} combinations of rows "
        f"and submissions: {said}. "
    )

"""Which final file is better than which other one, with a correction for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from shakedown.figures.final_ranks import LONGEST, left_out
from shakedown.figures.kind import Picture
from shakedown.figures.rank_blobs import NARROW
from shakedown.figures.replay.figure import team_name
from shakedown.wording import counted, percent

if TYPE_CHECKING:
    from shakedown.ranking.final_ranking import FinalRanking

#: Most teams in the figure.
MOST = 40
#: Colours of a team that is worse, not told apart, itself, and better: different in grey.
WORSE, OPEN, ITSELF, BETTER = "#F4B183", "#FFFFFF", "#E0E0E0", "#1F3A5F"


def significance_map(ranking: FinalRanking) -> Picture:
    """Draw a cell for each pair: whether the team of the row is better than that of the column."""
    import matplotlib as mpl
    import seaborn as sns
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from shakedown.figures.style import INK, PAGE_WIDTH, THEME

    better, teams = ranking.better, len(ranking.better)
    level = percent(ranking.rule.level)
    shown = min(teams, MOST)
    states = 1 + 2 * better.astype(int) - better.T
    np.fill_diagonal(states, 2)
    table = ranking.table.head(shown)
    names = [
        f"{place}. {team_name(name, LONGEST)}"
        for place, name in zip(table["place"], table["team"], strict=True)
    ]
    columns = np.arange(1, shown + 1)
    width = PAGE_WIDTH if shown > NARROW else 0.67 * PAGE_WIDTH
    with mpl.rc_context(THEME):
        figure = Figure(figsize=(width, 1.35 + 0.2 * shown), layout="constrained")
        ax = figure.subplots()
        sns.heatmap(
            pd.DataFrame(states[:shown, :shown], index=names, columns=columns), ax=ax, vmin=0,
            vmax=3, cmap=ListedColormap([WORSE, OPEN, ITSELF, BETTER]), cbar=False,
            linewidths=0.5, linecolor="#E3E3E3",
        )  # fmt: skip
        step = max(1, round(shown / 10))
        ax.set_xticks(columns[::step] - 0.5, columns[::step], rotation=0)
        ax.set_yticks(np.arange(shown) + 0.5, names, rotation=0)
        ax.tick_params(length=0)
        ax.grid(visible=False)
        ax.set_xlabel("Other team (its number on the left)")
        colours = {"better": BETTER, "not told apart": OPEN, "worse": WORSE}
        figure.legend(
            handles=[Patch(facecolor=c, edgecolor=INK, label=n) for n, c in colours.items()],
            loc="outside upper center", ncols=len(colours),
            title=f"With a confidence of {level}, the team on the left is",
        )  # fmt: skip
    pairs, found = teams * (teams - 1) // 2, int(better.sum())
    caption = (
        f"{found:,} of {counted(pairs, 'pair')} {'is' if found == 1 else 'are'} told apart by "
        f"{ranking.metric.label}: cells say which team is better than which. With a confidence of "
        f"{level} none of these is wrong (studentised bootstrap differences on the final rows, "
        "with a step-down correction for the number of pairs). The ranks that hold all at once "
        f"follow from this map. Grey: the team itself.{left_out(teams, shown)}"
    )
    return Picture(figure, caption)

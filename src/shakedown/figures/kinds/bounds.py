"""The error that attacks reached below the one that theory guarantees, a panel per board."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from shakedown.attacks.attack import attack_name
from shakedown.component import parameter
from shakedown.figures import captions, facets
from shakedown.figures.curves import tick
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.panels import letter
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.figures.style import BAND, INK, MARKERS, REFERENCE, by_order, line_colour
from shakedown.theory.bounds import FIXED, NONE, TRIVIAL
from shakedown.wording import amount, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SOLID = {"color": INK, "linewidth": 1.8, "linestyle": "solid"}
_DASHED = _SOLID | {"linestyle": (0, (4, 2))}


class Bounds(FigureKind):
    """Leaderboard error against submissions: what attacks reached, and what theory guarantees.

    Its table is what `theory.bounds.compare` returns, of one data set and one chance of a larger
    error.
    """

    name: ClassVar[str] = "bounds"
    label: ClassVar[str] = "Bounds"
    sentence: ClassVar[str] = "The error that theory guarantees above the one that attacks reached."
    order: ClassVar[float] = 9
    table: ClassVar[str] = "bounds"
    several: ClassVar[tuple[str, ...]] = ("experiment", "attack", "board")
    single: ClassVar[tuple[str, ...]] = ("chance",)

    attacks: dict[str, str] | None = parameter(
        None,
        description=(
            "Words for the attack of each experiment, by its id; null for the names of attacks."
        ),
    )

    def picture(self, rows):
        import seaborn as sns

        words = self._words(rows)
        attacks = list(dict.fromkeys(words.values()))
        markers = {one: by_order(i, MARKERS) for i, one in enumerate(attacks)}
        columns = ["submissions", "simulated", "simulated_low", "simulated_high", "bound"]
        numbers = {column: floats(rows[column]) for column in columns}
        rows = rows.assign(attack=rows["experiment"].astype(str).map(words), **numbers)
        rows = rows.sort_values(["experiment", "submissions", "bound"])
        parts = [(one, rows_of(rows, one)) for one in settings_in(rows)]
        parts = [(one, part, sharpest(part)) for one, part in parts]
        figure, axes = facets.panels(
            [
                f"{letter(i)}   {one.title}\n{_verdict(lines)}"
                for i, (one, _, lines) in enumerate(parts)
            ],
            "Submissions (k)", "Leaderboard error (0-1 loss)",
            across=2 if len(parts) == 4 else 3, height=2.4,
        )  # fmt: skip
        reached = rows[["simulated", "simulated_low"]]
        lowest = reached[reached > 0].min().min()
        axes[0].set(xscale="log", yscale="log", ylim=(0.7 * min(lowest, TRIVIAL), 1.5))
        style = {"x": "submissions", "units": "experiment", "estimator": None, "legend": False}
        for ax, (setting, part, lines) in zip(axes, parts, strict=True):
            colour = line_colour(setting)
            reached = part.drop_duplicates(["experiment", "submissions"])
            sns.lineplot(
                reached, y="simulated", style="attack", markers=markers, dashes=False, ax=ax,
                markevery=0.15, color=colour, linewidth=1.4, **style,
            )  # fmt: skip
            for _, one in reached.groupby("experiment", observed=True):
                band = (
                    one[c].fillna(one["simulated"]) for c in ("simulated_low", "simulated_high")
                )
                ax.fill_between(one["submissions"], *band, color=colour, alpha=0.2, linewidth=0)
            if len(lines):
                look = _DASHED if FIXED in set(lines["theorem"]) else _SOLID
                sns.lineplot(lines, y="bound", ax=ax, **look, **style)
            ax.axhspan(TRIVIAL, 10, facecolor=BAND, linewidth=0, zorder=0.5)
            ax.grid(visible=True, axis="both")
            ax.set(xlabel="", ylabel="")
            tick(ax.xaxis)
            tick(ax.yaxis)
        theorems = set(sharpest(rows)["theorem"].astype(str))
        _explain(figure, markers, proved=bool(theorems - {FIXED}), fixed=FIXED in theorems)

        first = rows.iloc[0]
        share = f"{100 * (1 - first['chance']):g} %"
        text = [
            "Leaderboard error, the largest distance so far between what the board shows and the "
            "truth, against the number of submissions. Lines with markers: the error that "
            f"{share} of the replicates of {listed(attacks)} stayed below; bands: its 95 % "
            "interval."
        ]
        if proved := sorted(theorems - {FIXED}):
            text.append(
                f"Solid black lines: with a chance of {share} no attack gets above "
                f"({'; '.join(proved)}). Titles compare bound and error after the most submissions."
            )
        if FIXED in theorems:
            text.append(
                "Dashed lines: the same for submissions that were fixed before any score was shown "
                "(Blum & Hardt, eq. 2); an attack that follows the scores can break it."
            )
        text.append(
            "Grey: labels are 0 or 1 by chance, so no score is off by more than 1/2, and a bound "
            f"up there says nothing. Data: {first['dataset']}, {first['public_rows']:,} public "
            f"labels; {captions.replicates(rows['replicates'])} per point."
        )
        return Picture(figure, " ".join(text))

    def _words(self, rows: pd.DataFrame) -> dict[str, str]:
        """Words for the attack of each experiment; the experiment's where two of an attack meet."""
        attacks = rows.astype({"attack": str}).groupby("experiment", observed=True, sort=False)
        met = rows.groupby(["setting", "attack"], observed=True)["experiment"].nunique().max() > 1
        return {
            experiment: (self.attacks or {}).get(experiment)
            or (experiment.replace("_", " ") if met else attack_name(attack))
            for experiment, attack in attacks["attack"].first().items()
        }


def sharpest(rows: pd.DataFrame) -> pd.DataFrame:
    """The smallest bound at each point of an attack, where there is a finite one; in order."""
    finite = rows[(rows["bound"] < float("inf")) & (rows["theorem"] != NONE)]
    ordered = finite.sort_values(["experiment", "submissions", "bound"])
    return ordered.drop_duplicates(["experiment", "setting", "submissions"])


def _verdict(lines: pd.DataFrame) -> str:
    """What the bound is worth at the largest attack."""
    if lines.empty:
        return "nothing is proved"
    ends = lines[lines["submissions"] == lines["submissions"].max()]
    end = ends.sort_values("simulated").iloc[-1]
    if ends["simulated_low"].max() > end["bound"]:
        return "bound broken"
    if end["bound"] >= TRIVIAL:
        return "bound says nothing"
    if end["simulated"] <= 0:
        return "no error reached"
    return f"bound {amount(end['bound'] / end['simulated'], 2)} times the error"


def _explain(figure: Figure, markers: dict[str, str], *, proved: bool, fixed: bool) -> None:
    """The legend: a marker for each attack, and the bounds that are drawn."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    looks = {
        f"reached by {attack}": {"color": REFERENCE, "marker": marker}
        for attack, marker in markers.items()
    }
    looks |= {"bound for every attack": _SOLID} if proved else {}
    looks |= {"bound for submissions fixed beforehand": _DASHED} if fixed else {}
    handles = [
        *(Line2D([], [], label=words, **look) for words, look in looks.items()),
        Patch(facecolor=BAND, label="a bound up here says nothing"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, handlelength=3)

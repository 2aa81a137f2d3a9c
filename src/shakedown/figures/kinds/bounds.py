"""The error that attacks reached below the one that theory guarantees, a panel per board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shakedown.attacks.attack import attack_name
from shakedown.component import parameter
from shakedown.figures import captions, facets
from shakedown.figures.curves import tick
from shakedown.figures.kind import FigureKind, Picture, note_parameter
from shakedown.figures.panels import letter
from shakedown.figures.selection import rows_of, settings_in
from shakedown.figures.style import BAND, INK, MARKERS, REFERENCE, by_order, line_colour
from shakedown.metrics import find
from shakedown.wording import amount, counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from shakedown.leaderboard.mechanism import Mechanism

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
    several: ClassVar[tuple[str, ...]] = ("experiment", "attack", "iteration_board")
    single: ClassVar[tuple[str, ...]] = ("chance",)

    attacks: dict[str, str] | None = parameter(
        None,
        description=(
            "Words for the attack of each experiment, by its id; null for the names of attacks."
        ),
    )

    note: str = note_parameter()

    def picture(self, rows):
        from shakedown.theory.bounds import FIXED, TRIVIAL

        words = self._words(rows)
        attacks = list(dict.fromkeys(words.values()))
        markers = {attack: by_order(i, MARKERS) for i, attack in enumerate(attacks)}
        numbers = ["submissions", "simulated", "simulated_low", "simulated_high", "bound"]
        rows = rows.astype(dict.fromkeys(numbers, float) | {"experiment": str})
        rows = rows.assign(attack=rows["experiment"].map(words))
        rows = rows.sort_values(["experiment", "submissions", "bound"])
        best, settings = sharpest(rows), settings_in(rows)
        figure, axes = facets.panels(
            [
                f"{letter(i)}   {setting.title}\n{_verdict(rows_of(best, setting))}"
                for i, setting in enumerate(settings)
            ],
            "Submissions", "Leaderboard error (0-1 loss)",
            across=2 if len(settings) == 4 else 3, height=2.6,
        )  # fmt: skip
        reached = rows[["simulated", "simulated_low"]]
        lowest = reached[reached > 0].min().min()
        axes[0].set(xscale="log", yscale="log", ylim=(0.7 * min(lowest, TRIVIAL), 1.5))
        for ax, setting in zip(axes, settings, strict=True):
            _draw(ax, setting, rows_of(rows, setting), rows_of(best, setting), markers)
        theorems = set(best["theorem"].astype(str))
        proved = sorted(theorems - {FIXED})
        _explain(figure, markers, proved=bool(proved), fixed=FIXED in theorems)

        first = rows.iloc[0]
        share = f"{100 * (1 - first['chance']):g} %"
        open_ended = rows[rows["simulated_high"].isna()]
        without_end = [attack for attack in attacks if attack in set(open_ended["attack"])]
        too_few = (
            f" With {captions.replicates(open_ended['replicates'])} ({listed(without_end)}) the "
            "interval has no upper end; only its part below the line is drawn."
            if without_end
            else ""
        )
        has_points = (
            rows["simulated_low"] == rows["simulated_high"].fillna(rows["simulated"])
        ).any()
        unseen = " Where no band is seen, it lies on the line." * bool(has_points)
        reached = rows.groupby(["experiment", "setting"], observed=True)
        if (reached[["simulated", "simulated_high"]].diff() < 0).any(axis=None):
            unseen += (
                " At each number of submissions a separate attack of that length is evaluated, so "
                "a line or a band can fall from one number to the next."
            )
        whose = (
            "an attack's replicates" if len(attacks) > 1 else f"the replicates of {listed(attacks)}"
        )
        text = [
            _finding(best, settings, attacks),
            f"Coloured lines: the leaderboard error that {share} of {whose} stayed below. "
            f"Bands: its 95 % interval.{too_few}{unseen}{_lengths(rows, settings)}",
            self.note,
        ]
        if proved:
            text.append(
                f"Solid black lines: with a chance of {share} no attack gets above them "
                f"({_sources(best, settings, proved)})."
            )
        if FIXED in theorems:
            text.append(
                "Dashed black lines: the same for submissions fixed before any score was shown "
                "(Blum & Hardt, eq. 2); attacks that follow the scores can break it."
            )
        text += [
            "Grey: labels are 0 or 1 by chance, so every true loss is 1/2 and no score is off by "
            "more; a bound up there says nothing.",
            f"Leaderboard error: {captions.leaderboard_error(find('zero_one'))}.",
            f"Data: {first['dataset']}, {first['public_rows']:,} public labels; "
            f"{captions.replicates(rows['replicates'])} per point.",
        ]
        text += captions.parameters(settings)
        return Picture(figure, " ".join(filter(None, text)))

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
    ordered = rows[rows["bound"] < float("inf")].sort_values(["experiment", "submissions", "bound"])
    return ordered.drop_duplicates(["experiment", "setting", "submissions"])


def _sources(best: pd.DataFrame, settings: Sequence[Mechanism], theorems: Sequence[str]) -> str:
    """Which theorem the bound of each panel is from."""
    letters = {
        theorem: [
            letter(i)
            for i, setting in enumerate(settings)
            if (rows_of(best, setting)["theorem"] == theorem).any()
        ]
        for theorem in theorems
    }
    return "; ".join(f"{listed(at)}: {theorem}" for theorem, at in letters.items())


def _draw(
    ax: Axes, setting: Mechanism, rows: pd.DataFrame, best: pd.DataFrame, markers: dict[str, str]
) -> None:
    """Draw what attacks reached on one board, and what is proved."""
    import seaborn as sns

    from shakedown.theory.bounds import FIXED, TRIVIAL

    colour = line_colour(setting)
    style = {"x": "submissions", "units": "experiment", "estimator": None, "legend": False}
    reached = rows.drop_duplicates(["experiment", "submissions"])
    sns.lineplot(
        reached, y="simulated", style="attack", markers=markers, dashes=False, ax=ax,
        markevery=0.15, color=colour, linewidth=1.4, **style,
    )  # fmt: skip
    for _, part in reached.groupby("experiment"):
        low, high = (part[f"simulated_{end}"].fillna(part["simulated"]) for end in ("low", "high"))
        ax.fill_between(part["submissions"], low, high, color=colour, alpha=0.2, linewidth=0)
    if len(best):
        look = _DASHED if FIXED in set(best["theorem"]) else _SOLID
        sns.lineplot(best, y="bound", ax=ax, **look, **style)
    ax.axhspan(TRIVIAL, 10, facecolor=BAND, linewidth=0, zorder=0.5)
    ax.grid(visible=True, axis="both")
    ax.set(xlabel="", ylabel="")
    tick(ax.xaxis)
    tick(ax.yaxis)


def _finding(best: pd.DataFrame, settings: Sequence[Mechanism], attacks: Sequence[str]) -> str:
    """What the titles say, in sentences; ratios are of the largest attack."""
    from shakedown.theory.bounds import TRIVIAL

    parts = {setting.title: rows_of(best, setting) for setting in settings}
    worth = {title: _worth(part) for title, part in parts.items() if not part.empty}
    ends = best.groupby("setting", observed=True)["submissions"].max()
    after = f"After {ends.iloc[0]:,.0f} submissions the" if ends.nunique() == 1 else "The"
    who = f"{attacks[0]} reaches" if len(attacks) == 1 else "attacks reach"
    times = {title: f"{amount(w.times, 2)} ×" for title, w in worth.items() if w.times}
    for title in list(times)[:1]:
        times[title] += f" the error that {who}"
    empty = [f"on {title} {w.empty}" for title, w in worth.items() if w.empty]
    broken = [title for title, w in worth.items() if w.is_broken]
    text = [
        f"{after} bound is {listed([f'{t} on {title}' for title, t in times.items()])}."
        * bool(times),
        f"No score can be off by more than {TRIVIAL:g} here, yet the bound is above that "
        f"{listed(empty)}." * bool(empty),
        f"On {listed(broken)} an attack gets above the dashed bound, which holds only for "
        "submissions fixed before any score is shown." * bool(broken),
    ]
    return " ".join(filter(None, text))


def _lengths(rows: pd.DataFrame, settings: Sequence[Mechanism]) -> str:
    """How far each attack was played, and where, with a blank in front; "" if all are alike."""
    words = []
    for attack, own in rows.groupby("attack", sort=False):
        at = [letter(i) for i, setting in enumerate(settings) if len(rows_of(own, setting))]
        where = f" in {listed(at)}" if len(at) < len(settings) else ""
        words.append(f"{attack} up to {own['submissions'].max():,.0f} submissions{where}")
    alike = rows.groupby("attack")["submissions"].max().nunique() == 1
    return "" if alike else f" Played: {'; '.join(words)}."


@dataclass(frozen=True)
class _Worth:
    """What a bound is worth at the largest attack.

    Whether an attack exceeds it, where it says nothing, and how many times the error it is.
    """

    is_broken: bool = False
    empty: str = ""
    times: float | None = None


def _worth(best: pd.DataFrame) -> _Worth:
    from shakedown.theory.bounds import TRIVIAL

    ends = best[best["submissions"] == best["submissions"].max()]
    end = ends.sort_values("simulated").iloc[-1]
    if ends["simulated_low"].max() > end["bound"]:
        return _Worth(is_broken=True)
    if end["bound"] >= TRIVIAL:
        from_k = best.loc[best["bound"] >= TRIVIAL, "submissions"].min()
        is_all = from_k == best["submissions"].min()
        return _Worth(
            empty="throughout" if is_all else f"from {counted(round(from_k), 'submission')}"
        )
    return _Worth(times=end["bound"] / end["simulated"] if end["simulated"] > 0 else None)


def _verdict(best: pd.DataFrame) -> str:
    """What the bound is worth at the largest attack, for a title."""
    from shakedown.theory.bounds import TRIVIAL

    if best.empty:
        return "no bound is proved"
    worth = _worth(best)
    if worth.is_broken:
        return "attack exceeds the bound for\nfixed submissions"
    if worth.empty:
        return f"bound above {TRIVIAL:g} {worth.empty}"
    if worth.times is None:
        return "the attack reached no error"
    return f"bound {amount(worth.times, 2)} × the error"


def _explain(figure: Figure, markers: dict[str, str], *, proved: bool, fixed: bool) -> None:
    """The legend: a marker for each attack, and the bounds that are drawn."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from shakedown.theory.bounds import TRIVIAL

    looks = {
        f"reached by {attack}": {"color": REFERENCE, "marker": marker}
        for attack, marker in markers.items()
    }
    looks |= {"bound for every attack": _SOLID} if proved else {}
    looks |= {"bound for submissions fixed beforehand": _DASHED} if fixed else {}
    handles = [
        *(Line2D([], [], label=words, **look) for words, look in looks.items()),
        Patch(facecolor=BAND, label=f"{TRIVIAL:g} or more: no information"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, handlelength=3)

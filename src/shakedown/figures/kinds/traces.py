"""Every score that a board releases to one participant (Fig. 1, 3, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shakedown.attacks.attack import ATTACKS, attack_name
from shakedown.figures import captions, panels, trace_findings
from shakedown.figures.curves import tick
from shakedown.figures.kind import FigureKind, Picture
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.figures.style import BAND, CHOSEN, INK, stacked
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.wording import capitalised, count, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes

#: Of a shown score: darker than the bands behind it, lighter than the lines.
_DOT = "#8A8A8A"
#: Lines that are nearer to the edge of a band, as a share of its width, seem to stand there.
_CLOSE = 0.03
#: A first score that is so many standard deviations of the noise from the others is seen.
_APART = 4.0
#: More dots than these are small and clear.
MANY = 2_000
#: Of the line at a submission whose feature is taken, by whether the board accepted it.
_TAKEN = {
    True: {"linestyle": "-", "label": "feature taken (accepted)"},
    False: {"linestyle": (0, (3, 2)), "label": "feature taken (not accepted)"},
}
#: On which boards the iterations of an attack are played.
_BOARDS = {
    "fresh": "each on a fresh board; every submission also holds the features taken before",
    "carried_on": "all on one board",
}


class Traces(FigureKind):
    """Released scores against submissions, one panel per setting and attack.

    Several attacks have one column each.  Marks show the features that an attack took.  Freedman's
    attack has diamonds and, on boards that show exact scores, a line at the last jump; an attack
    with iterations has a line in each, dashed where the submission was not accepted.
    """

    name: ClassVar[str] = "traces"
    label: ClassVar[str] = "Traces"
    sentence: ClassVar[str] = "All scores released in replicate 0."
    source: ClassVar[str] = "[C] Fig. 1, 3, 5"
    order: ClassVar[float] = 1
    table: ClassVar[str] = "traces"
    several: ClassVar[tuple[str, ...]] = ("experiment", "attack", "iteration_board")
    single: ClassVar[tuple[str, ...]] = ("replicate", "n_features")

    def picture(self, rows):
        import seaborn as sns

        from shakedown.figures.facets import panels as grid

        metric, attacks = panels.metric_of(rows), attacks_of(rows)
        parts = [
            (attack, setting, rows_of(part, setting))
            for attack, part in attacks.items()
            for setting in settings_in(part)
        ]
        if len(attacks) > 1:
            # A row for each setting, so that letters run along rows.
            boards = list(dict.fromkeys(setting.title for _, setting, _ in parts))
            parts.sort(key=lambda part: boards.index(part[1].title))
            titles = [f"{ATTACKS.find(attack).label}, {board.title}" for attack, board, _ in parts]
            layout = {"places": [(setting.title, attack) for attack, setting, _ in parts]}
        else:
            fits = [1] if iterated(rows) else [n for n in (3, 2, 1) if len(parts) % n == 0]
            titles = [stacked(setting) if fits[0] > 2 else setting.title for _, setting, _ in parts]
            layout = {"across": fits[0]}
        figure, axes = grid(
            panels.lettered(titles), "Submission", f"Released {metric.axis}", height=2.0,
            sharex="col", **layout,
        )  # fmt: skip
        style = {"x": "submission", "y": "released", "linewidth": 0, "legend": False}
        keys, jumps = {}, {}
        for ax, (attack, setting, part) in zip(axes, parts, strict=True):
            dots = {"color": _DOT, "rasterized": True, "label": "released score"}
            # Thousands of dots lie on each other.
            dots |= {"s": 4, "alpha": 0.3} if len(part) > MANY else {"s": 7}
            sns.scatterplot(part, **style, **dots, ax=ax)
            taken = part[part["selected"] == 1]
            if iterated(part):
                first = part.drop_duplicates("iteration")  # which may stand alone
                sns.scatterplot(first, **style, s=7, color=_DOT, ax=ax)
                _number_iterations(ax, part)
                line = {"color": CHOSEN, "linewidth": 1.2, "zorder": 2.5}
                for submission, accepted in zip(
                    floats(taken["submission"]), taken["accepted"] == 1, strict=True
                ):
                    ax.axvline(submission, **line, **_TAKEN[bool(accepted)])
            else:
                mark = {"s": 18, "color": CHOSEN, "marker": "D"}
                whose = f"({ATTACKS.find(attack).label})" if len(attacks) > 1 else "by the attack"
                sns.scatterplot(taken, **style, **mark, label=f"feature taken {whose}", ax=ax)
                if jump := jump_of(part, setting):
                    jumps[attack, setting.setting] = (jump, setting.title)
                    ax.axvline(jump, color=INK, linewidth=1, ls=(0, (1, 1)), label="last jump")
            keys |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
            # Panels of an attack share their axis, and on some boards it ends early.
            last = max(floats(p["submission"]).max() for a, _, p in parts if a == attack)
            ax.margins(y=0.08)
            ax.set(xlim=(-0.01 * last, 1.01 * last), xlabel="", ylabel="")
            tick(ax.xaxis)
        line_keys, line_words = panels.draw_references(dict.fromkeys(axes, "released"), metric)
        keys |= {words: line for line, words in line_keys}
        place = {"loc": "outside upper center", "ncols": len(keys) if len(keys) <= 4 else 3}
        legend = figure.legend(keys.values(), keys, markerscale=1.3, **place)
        for handle in legend.legend_handles:
            handle.set_alpha(1.0)
        if len(attacks) > 1:  # attack and board take the whole width
            for ax in axes:
                ax.set_title(ax.get_title(loc="left"), fontsize=8)
        places = {
            (attack, setting.setting): f"panel {panels.letter(i)}"
            for i, (attack, setting, _) in enumerate(parts)
            if len(parts) > 1
        }
        return Picture(figure, self._caption(rows, attacks, jumps, line_words, places))

    def _caption(self, rows, attacks, jumps, line_words, places) -> str:
        iterating, others = (
            {s: panel for (a, s), panel in places.items() if iterated(attacks[a]) == is_iterated}
            for is_iterated in (True, False)
        )
        findings = [
            trace_findings.iterations(rows, iterating),
            # Of one attack, the names of boards say enough.
            trace_findings.picks(rows, others if len(attacks) > 1 else None),
        ]
        sides = " (left) or ".join(map(attack_name, attacks)) + " (right)" * (len(attacks) > 1)
        text = [
            *filter(None, findings),
            f"Each dot: the {panels.metric_of(rows).label} released for one submission of {sides}, "
            "in one replicate.",
        ]
        for part in attacks.values():
            taken = part["selected"] == 1
            if not iterated(part):
                text.append(
                    f"Diamonds: the {taken.groupby(part['setting']).sum().max()} features with the "
                    "best released scores, the earliest among equal ones."
                )
                continue
            text.append(_explained(part, iterating))
        if jumps:
            at, only = [f"{jump:,} on {title}" for jump, title in jumps.values()], ""
            if len(attacks) > 1:  # which share boards
                at = [f"{jump:,}" for jump, _ in jumps.values()]
                only = f", only in {listed([places[key] for key in jumps])}"
            text.append(
                f"Dotted line{only}: the last jump, after which the score no longer changes "
                f"(submission {listed(at)})."
            )
        if any(map(iterated, attacks.values())):  # red lines are dashed, too
            line_words = [words.replace("Dashed", "Horizontal dashed") for words in line_words]
        text += [*line_words, f"Data: {captions.data(rows)}."]
        return " ".join([*text, *captions.parameters(settings_in(rows))])


def _explained(rows: pd.DataFrame, places: Mapping[str, str]) -> str:
    """Sentences on the bands and lines of an attack with iterations."""
    taken = rows["selected"] == 1
    boards = rows["iteration_board"].dropna().unique()
    starts = rows.groupby(["setting", "iteration"])["submission"].transform("min")
    exact = [places.get(s.setting, s.title) for s in settings_in(rows) if s.replaces_always]
    best = f" (in {listed(exact)}, where every score is shown, the best one)" if exact else ""
    first = ""
    if (taken & (rows["submission"] == starts)).any():
        always = ", which a fresh board always accepts" if "fresh" in boards else ""
        first = f" or, if it sees no jump, the first of the iteration{always}"
    text = [
        f"White and grey bands: the {count(int(rows['iteration'].max()))} iterations"
        f"{''.join(f', {_BOARDS[board]}' for board in boards)}.",
        "Red lines: the submission whose feature an iteration takes, that is, the one with the "
        f"last jump that the attack sees{best}{first}.",
    ]
    if "fresh" in boards and (apart := _apart(rows)):
        all_do = len(apart) == len(settings_in(rows))
        where = "" if all_do else f"in {listed([places.get(s, s) for s in apart])}, "
        text.append(
            f"{capitalised(f'{where}dots')} that stand apart at the start of a band are the first "
            "score of that band’s board, shown until the first jump."
        )
    if edges := _at_edges(rows, places):
        text.append(edges)
    if _gave_up(rows):
        text.append("An iteration without a line takes nothing and ends the attack.")
    return " ".join(text)


def _apart(rows: pd.DataFrame) -> list[str]:
    """Settings whose first score of some iteration stands apart from the others, for its noise."""
    apart = []
    for setting in settings_in(rows):
        own = rows_of(rows, setting).sort_values("submission")
        shown = own.groupby("iteration")["released"]
        far = (shown.first() - shown.median()).astype(float).abs().max()
        noise = trace_findings.noise_sd(floats(own["released"])) if setting.is_noisy else 0.0
        if not setting.replaces_always and far > _APART * noise:
            apart.append(setting.setting)
    return apart


def _at_edges(rows: pd.DataFrame, places: Mapping[str, str]) -> str:
    """Which iteration a line at the edge of a band belongs to; "" if no line is at an edge."""
    rows = rows.astype({"setting": str})
    of = rows.groupby(["setting", "iteration"])["submission"]
    first, last, submission = of.transform("min"), of.transform("max"), rows["submission"]
    width, taken = _CLOSE * (last - first), rows["selected"] == 1
    left = rows[taken & (last - submission < width)]
    right = taken & (first > 1) & (submission - first < width)
    if left.empty and not right.any():
        return ""
    within = {setting: f" in {panel}" for setting, panel in places.items()}
    but = [
        f", but{within.get(row.setting, '')} the line at submission {row.submission:,} belongs to "
        f"iteration {row.iteration:.0f}, on its left"
        for row in left.itertuples()
    ]
    text = [f"A red line where two bands meet belongs to the band on its right{''.join(but)}."]
    late = [
        f"iteration {row.iteration:.0f}{within.get(row.setting, '')}"
        for row in rows[right & (rows["accepted"] != 1) & (submission > first)].itertuples()
    ]
    if late:
        text.append(
            f"A dashed line at the start of {listed(late)} is a few submissions after the first "
            "of the band."
        )
    return " ".join(text)


def attacks_of(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The traces of each attack by its id, those without iterations first."""
    parts = rows.groupby("attack", observed=True, sort=False)
    return {str(a): part for a, part in sorted(parts, key=lambda item: iterated(item[1]))}


def iterated(rows: pd.DataFrame) -> bool:
    """Whether the attack of a trace has iterations."""
    return bool(rows["iteration"].notna().any())


def _gave_up(rows: pd.DataFrame) -> bool:
    """Whether some iteration of an attack took nothing."""
    taken = rows[rows["selected"] == 1]
    by = ["setting", "iteration"]
    return taken[by].drop_duplicates().shape != rows[by].drop_duplicates().shape


def jump_of(rows: pd.DataFrame, setting: Mechanism) -> int | None:
    """Submission, from 1, at which the score of a setting's trace last changed.

    None if it never did, or if noise or a board that shows every score hides it.
    """
    if not setting.shows_scores or setting.is_noisy or setting.replaces_always:
        return None
    return trace_findings.last_jump(rows)


def _number_iterations(ax: Axes, rows: pd.DataFrame) -> None:
    """Shade every second iteration, and number them above the panel; what they are, to the left."""
    ends = rows.groupby("iteration")["submission"].agg(["min", "max"]).astype(float)
    for first, last in ends.to_numpy()[1::2]:
        ax.axvspan(first - 0.5, last + 0.5, color=BAND, linewidth=0, zorder=0)
    above = ax.secondary_xaxis("top")
    above.set_xticks(ends.mean(axis=1), [f"{i:.0f}" for i in ends.index])
    ax.annotate(
        "Iteration", (0, 1), xytext=(-4, 3), xycoords="axes fraction", textcoords="offset points",
        ha="right", fontsize=8,
    )  # fmt: skip
    above.tick_params(length=0, pad=1, labelsize=8)
    above.spines["top"].set_visible(False)

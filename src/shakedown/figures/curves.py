"""Curves over submissions: the rows of each, its words, and its name beside the line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.attack import ATTACKS, attack_name
from shakedown.figures.selection import choose, floats, rows_of, settings_in
from shakedown.interface import InputError
from shakedown.wording import amount

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


def named_curves(
    rows: pd.DataFrame,
    column: str,
    wanted: Sequence[Mapping[str, object]] | None = None,
    *,
    kind: str,
) -> pd.DataFrame:
    """The rows of the curves, with the words of each in `curve`; one curve after the other.

    Parameters
    ----------
    column : str
        What is to be shown; without `wanted` every setting of an experiment with a value has one.
    wanted : sequence of mapping, optional
        For each curve its `mechanism` or `setting`, those of `experiment` and the mechanism's
        parameters that tell it from others, and its words, `label`.
    kind : str
        The kind of figure, for the messages.

    Raises
    ------
    InputError
        If an entry fits no curve or several, two have the same words, or nothing has a value.
    """
    rows = rows[rows[column].notna()].astype({"experiment": str, "setting": str, "attack": str})
    if rows.empty:
        raise InputError(
            f"figure kind {kind!r}: no mechanism has a value of {column}. Choose another value."
        )
    table = _in_words(rows)
    if wanted is None:
        return table
    import pandas as pd

    parts: dict[str, pd.DataFrame] = {}
    for entry in wanted:
        asked = {key: v for key, v in entry.items() if key != "label" and v is not None}
        part = choose(table, asked, kind=kind)
        if len(fits := list(part["curve"].unique())) > 1:
            raise InputError(
                f"figure kind {kind!r}: wanted one curve with {asked}; {len(fits)} have it: "
                f"{'; '.join(fits)}. Say more in the figure's entry."
            )
        label = str(entry.get("label") or fits[0])
        if label in parts:
            raise InputError(
                f"figure kind {kind!r}: two curves are called {label!r}. Give each a label."
            )
        parts[label] = part.assign(curve=label)
    return pd.concat(parts.values(), ignore_index=True)


def _in_words(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `curve`: the setting, and the attack or else the experiment if several have it.

    Experiments stand in their order, and in each the settings in theirs.
    """
    import pandas as pd

    attacks = rows.groupby("experiment", sort=False)["attack"].first()
    more = {
        name: attack_name(attack) if attacks.is_unique else name.replace("_", " ")
        for name, attack in attacks.items()
    }
    experiments = rows.groupby("setting")["experiment"].nunique()
    return pd.concat(
        rows_of(part, setting).assign(
            curve=f"{setting.title}, {more[name]}"
            if experiments[setting.setting] > 1
            else setting.title
        )
        for name, part in rows.groupby("experiment", sort=False)
        for setting in settings_in(part)
    )


def along(rows: pd.DataFrame, by: Sequence[str], *, kind: str) -> pd.DataFrame:
    """The rows with the column `k`: the median over replicates of the submissions of a point.

    Parameters
    ----------
    by : sequence of str
        The columns that tell curves apart.

    Raises
    ------
    InputError
        If a replicate has several values at one point of a curve.
    """
    # The points of Freedman's attack are models of several sizes after the same submissions.
    sizes = [ATTACKS.find(attack).points_are_sizes for attack in rows["attack"].astype(str)]
    submissions = floats(rows["submissions"])
    rows = rows.assign(
        point=np.where(sizes, submissions, floats(rows["point"])), submissions=submissions
    )
    if rows.duplicated([*by, "replicate", "point"]).any():
        raise InputError(
            f"figure kind {kind!r}: a replicate has several outcomes after as many submissions, "
            "such as models of several sizes. Choose one in the figure's entry, by `point` or "
            "`n_features`."
        )
    points = rows.groupby([*by, "point"], observed=True)
    return rows.assign(k=points["submissions"].transform("median"))


def tick(axis: Axis, *, steps: tuple[int, ...] = (1, 2, 5)) -> None:
    """Ticks that read 1, 20 or 3,000; on a logarithmic axis at 1, 2 and 5 or at decades alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    if axis.get_scale() == "log":
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=steps if high < 300 * low else (1,)))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))


def name_ends(
    ax: Axes,
    ends: Mapping[str, tuple[float, float, str]],
    marks: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> None:
    """Write the name of each line to the right of the panel, with a stroke to where it ends.

    Parameters
    ----------
    ax : Axes
        With its final limits and scales.
    ends : mapping of str to tuple
        By name: x and y of the line's end, and its colour.
    marks : mapping of str to sequence of (str, str), optional
        By name: marker and colour of the line, and of each that shares its name, in a line of text
        that begins with "=" or "≈".
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import ConnectionPatch
    from matplotlib.transforms import ScaledTranslation
    from scipy.optimize import isotonic_regression

    size = 8.5  # points
    ends = dict(sorted(ends.items(), key=lambda item: item[1][1]))
    texts = [_wrapped(name) for name in ends]
    points = [ax.transScale.transform(end[:2]) for end in ends.values()]
    right = ax.transLimits.transform(points)[:, 1]  # shares of the panel's height
    height = 72 * 0.85 * ax.figure.get_figheight()
    room = np.array([1.3 * size * (1 + text.count("\n")) / height for text in texts])
    # The nearest places, in the same order, at which no name stands on another.
    apart = np.cumsum(room) - room / 2
    places = isotonic_regression(right - apart).x + apart
    places -= max(places[-1] + room[-1] / 2 - 1, 0)

    def shifted(x: float, y: float):
        """Shares of the panel, moved by so many points."""
        return ax.transAxes + ScaledTranslation(x / 72, y / 72, ax.figure.dpi_scale_trans)

    beside = size if marks else 0.0
    for (name, (x, y, colour)), text, place in zip(ends.items(), texts, places, strict=True):
        given = list(marks.get(name, ())) if marks else []
        stroke = ConnectionPatch(
            (x, y), (1.04, place), coordsA=ax.transData,
            coordsB=shifted(0.0 if given else beside, 0.0), color=colour, linewidth=0.9,
            shrinkA=1, shrinkB=2, clip_on=False,
        )  # fmt: skip
        stroke.set_in_layout(False)
        ax.add_artist(stroke)
        words = ax.text(
            1.04, place, text, va="center", fontsize=size, linespacing=1.1,
            transform=shifted(beside, 0.0),
        )  # fmt: skip
        lines = text.split("\n")
        line = words.get_window_extent().height * 72 / ax.figure.dpi / len(lines)
        begin = [i for i, said in enumerate(lines) if i == 0 or said[0] in "=≈"]
        for i, (marker, ink) in zip(begin, given, strict=True) if given else ():
            up = line * ((len(lines) - 1) / 2 - i)
            mark = Line2D(
                [1.04], [place], marker=marker, color=ink, markersize=5.5, markeredgewidth=0,
                transform=shifted(size / 2 - 1.0, up),
            )  # fmt: skip
            ax.figure.add_artist(mark)


#: Heights, as shares of a panel: lines that never differ by more are one line for the eye, and
#: lines that end so near each other have no room for a name each.
_EQUAL, _NEAR = 0.004, 0.02


def coinciding(ax: Axes, lines: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Curves that lie on an earlier one: by name, that one's, and "=" or "≈"."""
    curves: dict[str, tuple] = {}
    same = {}
    for label, part in lines.groupby("curve", sort=False, observed=True):
        points = ax.transScale.transform(part[["k", "middle"]].to_numpy(float))
        k, heights = tuple(part["k"]), ax.transLimits.transform(points)[:, 1]
        for other, (there, of_other) in curves.items():
            if k != there:
                continue
            apart = np.abs(heights - of_other)
            if apart[-1] <= _NEAR and np.median(apart) <= _NEAR:
                same[str(label)] = other, "=" if apart.max() <= _EQUAL else "≈"
                break
        else:
            curves[str(label)] = k, heights
    return same


def _wrapped(name: str) -> str:
    """A name in lines of its own and, if they are long, more: parameters in brackets begin one."""
    # Long ones break after a comma, but none in brackets.
    lines = (
        line if len(line) <= 24 else re.sub(r", (?![^(]*\))", ",\n", line.replace(" (", "\n("))
        for line in name.split("\n")
    )
    parts = "\n".join(lines).split("\n")
    return "\n".join(textwrap.fill(part, 24) for part in parts)

"""The curves of a figure over submissions: which rows each shows, its words, colour and dashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from shakedown.figures.selection import PARAMETERS, floats, rows_of, settings_of
from shakedown.figures.setting_panels import line_colour
from shakedown.figures.style import Setting
from shakedown.interface import InputError
from shakedown.wording import attack_name, listed

#: Dashes and markers of the curves of one mechanism, which share its colour.
DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS = ("o", "s", "^", "D")


@dataclass(frozen=True)
class Curve:
    """One line of a figure.

    Attributes
    ----------
    label : str
        Its words in the legend.
    setting : Setting
    rows : DataFrame
        Outcomes of one experiment against one mechanism.
    place : int
        Which one of its mechanism's curves it is, from 0.
    """

    label: str
    setting: Setting
    rows: pd.DataFrame
    place: int

    @property
    def colour(self) -> str:
        return line_colour(self.setting.mechanism)

    @property
    def dashes(self) -> str | tuple:
        return DASHES[self.place % len(DASHES)]

    @property
    def marker(self) -> str:
        return MARKERS[self.place % len(MARKERS)]


def curves_of(
    frame: pd.DataFrame,
    column: str,
    wanted: Sequence[Mapping[str, object]] | None = None,
    *,
    kind: str,
) -> list[Curve]:
    """The curves in a table: all of them, or those that are named.

    Parameters
    ----------
    frame : DataFrame
        Outcomes of one data set and design.
    column : str
        What is to be shown.  A mechanism without any value there has no curve, unless it is named.
    wanted : sequence of mapping, optional
        For each curve its `mechanism`, those of `experiment`, alpha, posterior_odds, eta and b that
        tell it from others, and its words, `label`.
    kind : str
        Kind of figure, for the messages.

    Raises
    ------
    InputError
        If an entry fits no curve or several, nothing has a value, or one mechanism has more curves
        than there are dashes.
    """
    found = _all(frame)
    chosen = found if wanted is None else [_named(entry, found, kind) for entry in wanted]
    have = [item for item in chosen if item[2][column].notna().any()]
    if wanted is not None and len(have) < len(chosen):
        without = next(item for item in chosen if item[2][column].isna().all())
        raise InputError(
            f"figure kind {kind!r}: {without[1].label} of experiment {without[0]} has no value of "
            f"{column}. Take another curve or another value."
        )
    if not have:
        raise InputError(
            f"figure kind {kind!r}: no mechanism has a value of {column}. Choose another value."
        )
    words = [_words(item, have) for item in have]
    if wanted is not None:
        words = [str(entry.get("label") or word) for entry, word in zip(wanted, words, strict=True)]
    seen: Counter[str] = Counter()
    curves = []
    for (_, setting, rows), label in zip(have, words, strict=True):
        curves.append(Curve(label, setting, rows, seen[setting.mechanism]))
        seen[setting.mechanism] += 1
    if max(seen.values()) > len(DASHES):
        most = max(seen, key=seen.__getitem__)
        raise InputError(
            f"figure kind {kind!r} tells at most {len(DASHES)} curves of one mechanism apart, got "
            f"{seen[most]} of {most}. Choose fewer, by its settings or by `curves`."
        )
    return curves


def points(rows: pd.DataFrame, column: str, *, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of one curve as replicates by points.

    Parameters
    ----------
    rows : DataFrame
    column : str
    kind : str
        Kind of figure, for the messages.

    Returns
    -------
    submissions : ndarray of float, shape (points,)
        Rising; the median over replicates where these differ.
    values : ndarray of float, shape (replicates, points)
        nan where a replicate has no such point or no value there.

    Raises
    ------
    InputError
        If a replicate has several values at one point.
    """
    point = "iterations" if rows["iterations"].notna().any() else "submissions"
    table = pd.DataFrame(
        {name: floats(rows[name]) for name in dict.fromkeys((point, "submissions", "replicate"))}
        | {"value": floats(rows[column])}
    )
    if table.duplicated(["replicate", point]).any():
        differ = [c for c in ("n_features", "n_selected") if rows[c].nunique() > 1]
        raise InputError(
            f"figure kind {kind!r}: a replicate has several outcomes after as many submissions"
            f"{f', they differ in {listed(differ)}' if differ else ''}. Choose one in the figure's "
            "entry."
        )
    values = table.pivot(index="replicate", columns=point, values="value")
    submissions = table.groupby(point)["submissions"].median().loc[values.columns].to_numpy()
    order = np.argsort(submissions, kind="stable")
    return submissions[order], values.to_numpy()[:, order]


def _all(frame: pd.DataFrame) -> list[tuple[str, Setting, pd.DataFrame]]:
    names = frame["experiment"].astype(str)
    parts = {name: frame[(names == name).to_numpy(dtype=bool)] for name in dict.fromkeys(names)}
    return [
        (name, setting, rows_of(part, setting))
        for name, part in parts.items()
        for setting in settings_of(part)
    ]


def _named(entry: Mapping[str, object], found: list, kind: str) -> tuple:
    fits = [
        item
        for item in found
        if item[1].mechanism == entry["mechanism"]
        and entry.get("experiment") in (None, item[0])
        and all(_same(getattr(item[1], p), entry.get(p)) for p in PARAMETERS)
    ]
    if len(fits) == 1:
        return fits[0]
    asked = ", ".join(f"{key}: {v}" for key, v in entry.items() if key != "label" and v is not None)
    held = "; ".join(f"{setting.label} of experiment {name}" for name, setting, _ in fits or found)
    raise InputError(
        f"figure kind {kind!r}: wanted one curve with {asked}; "
        + (f"{len(fits)} have it: {held}. Say more." if fits else f"the table holds {held}.")
    )


def _same(value: float | None, wanted: object) -> bool:
    if wanted is None:
        return True
    return value is not None and bool(np.isclose(value, float(wanted), rtol=1e-9, atol=0))


def _words(item: tuple, among: list) -> str:
    """The mechanism, and the attack or else the experiment where several curves have it."""
    name, setting, _ = item
    if sum(other.label == setting.label for _, other, _ in among) == 1:
        return setting.label
    attacks = {other: str(part["attack"].iloc[0]) for other, _, part in among}
    if len(set(attacks.values())) == len(attacks):
        return f"{setting.label}, {attack_name(attacks[name])}"
    return f"{setting.label}, {name.replace('_', ' ')}"

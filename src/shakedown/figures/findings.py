"""What came out: the sentence that a caption opens with, from the numbers that its figure shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.attack import Attack
from shakedown.data.designs import PERMUTED_LABELS, design_label
from shakedown.figures import panels
from shakedown.figures.roles import Roles
from shakedown.figures.selection import rows_of, settings_in
from shakedown.leaderboard.mechanism import Mechanism, of_setting
from shakedown.wording import amount, capitalised, counted, listed, percent, signed

if TYPE_CHECKING:
    import pandas as pd

#: Designs without a signal: what a model seems to gain there is overfit.
WITHOUT_SIGNAL = ("permuted", PERMUTED_LABELS)

#: Of more values than so many, a sentence has the largest and the smallest.
MANY = 4

#: A law fits well if it is off by no more than this share of the values.
WELL = 0.05


#: What is said of a gap that rounds to nothing.
_LEAST = "less than 0.005"


def too_good(rows: pd.DataFrame) -> str:
    """By how much the public score is too good on each mechanism, where most; "" for nan."""
    typed = rows.astype({"delta": float, "point": int, "design": str, "setting": str})
    medians = typed.groupby(["design", "setting", "point"], sort=False)["delta"].median().dropna()
    if medians.empty:
        return ""
    gaps = medians.mul(-1.0).rename("gap").reset_index()
    design_of, label_of = gaps["design"], gaps["setting"].map(lambda s: of_setting(s).label)
    attack, designs = panels.attack_of(rows), list(dict.fromkeys(design_of))
    words = []
    for label in dict.fromkeys(label_of):
        own = {d: gaps[(design_of == d) & (label_of == label)] for d in designs}
        several = sum(map(len, own.values())) > max(map(len, own.values()))
        said = [
            _up_to(part, attack, *([design_label(str(d))] if several else []))
            for d, part in own.items()
            if len(part)
        ]
        words.append(f"{listed(said)} on {label}")
    name = panels.metric_of(rows).label
    return f"In the median the public {name} is too good {listed(words)}."


def _up_to(gaps: pd.DataFrame, attack: Attack, *where: str) -> str:
    """The largest gap, and where it is, in brackets."""
    most = gaps.loc[gaps["gap"].idxmax()]
    point, gap = most["point"], _gap(most["gap"])
    is_one = gaps["setting"].nunique() == 1
    places = [*where, *([] if is_one else _shown(of_setting(most["setting"])))]
    if gap != _LEAST:
        is_size = attack.points_are_sizes
        at = f"{attack.point_name} = {point:,}" if is_size else counted(point, attack.point_name)
        return f"by up to {gap} ({', '.join([*places, at])})"
    return f"by {gap}" + "".join(f" ({place})" for place in places)


def _gap(gap: float) -> str:
    """By how much a public score is too good; one that is not is too good by less than anything."""
    return _LEAST if gap < 0.005 else amount(gap, 2)  # noqa: PLR2004


def at_end(rows: pd.DataFrame) -> str:
    """The last point in words: "With k = 30 features" or "After 5 iterations"."""
    attack, end = panels.attack_of(rows), int(rows["point"].max())
    if attack.points_are_sizes:
        return f"With {attack.point_name} = {end:,} features"
    return f"After {counted(end, attack.point_name)}"


def range_of_medians(rows: pd.DataFrame, value: str) -> str:
    """Smallest and largest median at the last point of each mechanism, and where; "" for nan.

    Those of Δ are what the public score is too good by.
    """
    end = rows[(rows["point"] == rows["point"].max()).to_numpy(dtype=bool)]
    values = end.astype({value: float, "setting": str}).groupby("setting", sort=False)[value]
    is_delta = value == "delta"
    medians = values.median().dropna() * (-1 if is_delta else 1)
    if medians.empty:
        return ""
    by_label: dict[str, dict[Mechanism, float]] = {}
    for setting in settings_in(rows):
        if setting.setting in medians:
            by_label.setdefault(setting.label, {})[setting] = medians[setting.setting]
    say = _gap if is_delta else signed
    words = [f"{_ends(own, say)} on {label}" for label, own in by_label.items()]
    name = panels.metric_of(rows).label
    verb = "is too good by" if is_delta else "is"
    said = f"{at_end(rows)} the public {name} {verb} {listed(words)} (medians)."
    within = (values.quantile(0.75) - values.quantile(0.25)).median()
    if is_delta and 0 < np.ptp(medians) < within / 2:
        draws = "splits" if set(end["design"].astype(str)) == {"splits"} else "replicates"
        said += (
            f" Differences between boards are small beside the spread between {draws}, whose "
            f"quartiles lie {signed(within)} apart."
        )
    return said


def _ends(values: Mapping[Mechanism, float], say: Callable[[float], str]) -> str:
    """The smallest and the largest value, and where they are; one number if they are the same."""
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    if say(values[low]) == say(values[high]):
        return say(values[low])
    return " to ".join(f"{say(values[at])}{_in_brackets(at)}" for at in (low, high))


def _in_brackets(setting: Mechanism) -> str:
    """The parameters of a setting, with a blank before them."""
    shown = ", ".join(_shown(setting))
    return f" ({shown})" if shown else ""


def _shown(setting: Mechanism) -> list[str]:
    """The parameters of a setting, as they are shown."""
    return [text for text in map(setting.shown, setting.parameters) if text]


def passing(ends: pd.DataFrame, threshold: float, *, kind: str) -> str:
    """From how many submissions on the median of each setting lies below a threshold."""
    settings = settings_in(ends)
    roles = Roles(settings, kind=kind)
    series: dict[str, dict[str, float | None]] = {}
    for setting in settings:
        own = rows_of(ends, setting).astype({"delta": float})
        medians = own.groupby("budget")["delta"].median()
        beyond = medians.index[medians < threshold]
        level = roles.shown(roles.level, setting.parameters.get(roles.level))
        series.setdefault(roles.series(setting), {})[level] = min(beyond, default=None)
    passes, never = [], []
    for name, by_level in series.items():
        found = {level: k for level, k in by_level.items() if k is not None}
        if not found:
            never.append(name)
            continue
        at = [f"{k:,.0f}{f' ({level})' if level else ''}" for level, k in found.items()]
        safe = [level for level, k in by_level.items() if k is None]
        rest = f", never with {listed(safe)}" if safe else ""
        passes.append(f"at {listed(at)} submissions on {name}{rest}")
    if not passes:
        return f"The median never passes {signed(threshold)}."
    rest = f"; never on {listed(never)}" if never else ""
    return f"The median passes {signed(threshold)} {'; '.join(passes)}{rest}."


def beside_truth(
    ends: Mapping[str, float], truth: str, where: str, name: str, *, average: str
) -> str:
    """What boards show for a submission, beside its true score, the worst first."""
    true = ends[truth]
    shown = {board: value for board, value in ends.items() if board != truth}
    boards = sorted(shown, key=lambda board: -abs(shown[board] - true))
    first, *others = [f"{board} shows {signed(shown[board])}" for board in boards]
    rest = "".join(f"; {words}" for words in others)
    where = capitalised(where)
    return (
        f"{where} {first} for a submission whose true {name} is {signed(true)}{rest} ({average}s)."
    )


def at_last_submission(
    ends: Mapping[str, float], where: str, name: str, *, number: Callable[[float], str]
) -> str:
    """What several curves have reached, the largest value first; of many, the two extremes."""
    values: dict[str, list[str]] = {}
    for curve, value in sorted(ends.items(), key=lambda item: -item[1]):
        values.setdefault(number(value), []).append(curve)
    what = f"{capitalised(name)} {where}"
    if len(values) > MANY:
        (top, first), *_, (low, last) = values.items()
        return f"{what}: most on {listed(first)}, {top}; least on {listed(last)}, {low}."
    return f"{what}: {'; '.join(f'{listed(curves)} {value}' for value, curves in values.items())}."


def fits(off: Mapping[str, Mapping[str, float]]) -> str:
    """Which curves a law fits well, and which none does; "" without curves.

    Parameters
    ----------
    off : mapping of str to mapping of str to float
        By curve: laws, the best first, and how far each is off, as a share of the values.
    """
    words = []
    for curve, laws in off.items():
        (best, least), *others = laws.items()
        if least <= WELL:
            words.append(f"{best} fits {curve} well (off by {percent(least)})")
            continue
        rest = "".join(f", {law} by {percent(more)}" for law, more in others)
        none = "neither law fits" if others else f"{best} does not fit"
        words.append(f"{none} {curve} well ({best} is off by {percent(least)}{rest})")
    said = "; ".join(words)
    return f"{capitalised(said)}." if said else ""

"""What came out of one attack: the sentences that captions of released scores open with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from shakedown.attacks.attack import attack_name
from shakedown.figures import panels
from shakedown.figures.findings import WITHOUT_SIGNAL
from shakedown.figures.selection import floats, rows_of, settings_in
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.wording import amount, capitalised, counted, listed, signed

if TYPE_CHECKING:
    import pandas as pd

#: So many scores at either end of a trace tell how noisy it is there.
_ENDS = 50
#: Noise that is so many times larger at the end has grown.
_GROWN = 2.0


def picks(rows: pd.DataFrame, places: Mapping[str, str] | None = None) -> str:
    """Which features an attack without iterations takes on each board; "" if there is none.

    `places` are words for the panels of boards by their settings, such as "panel a".
    """
    parts = rows[rows["iteration"].isna().to_numpy(dtype=bool)]
    if parts.empty:
        return ""
    best = "luckiest" if set(parts["design"].astype(str)) <= set(WITHOUT_SIGNAL) else "best"
    name = attack_name(str(parts["attack"].iloc[0]))
    exact: set[str] = set()
    noisy: list[float] = []
    words = []
    for setting, own in _each(parts):
        chosen = own[(own["selected"] == 1).to_numpy(dtype=bool)]
        taken, features = np.sort(floats(chosen["submission"])), set(chosen["feature"])
        jump, many = last_jump(own), f"{taken.size:,}"
        if setting.is_noisy and exact:
            same = len(exact & features)
            words.append(
                f"On {setting.title} noise decides: {same:,} of the {many} taken are among the "
                f"{len(exact):,} {best}."
            )
        elif setting.is_noisy:
            noisy += [*taken[[0, -1]]]
        elif jump and np.array_equal(taken, jump + np.arange(taken.size)):
            levels = counted(own["released"].nunique(), "different score")
            words.append(
                f"{capitalised(_place(setting, places))} {name} sees only {levels}. Every "
                "submission from the last jump on gets the best of them, so the attack takes the "
                f"features of the first {many} from there."
            )
        else:
            words.append(
                f"On {setting.title} {name} takes the {many} {best} of {len(own):,} features."
            )
            exact = features if setting.replaces_always else exact
    if noisy:
        words.append(
            f"On boards with noise {name} takes features from anywhere between submissions "
            f"{min(noisy):,.0f} and {max(noisy):,.0f}."
        )
    return " ".join(words)


def last_jump(rows: pd.DataFrame) -> int | None:
    """Submission, from 1, at which the released score of a trace last changed; None if never."""
    ordered = rows.sort_values("submission")
    changed = ordered["released"].diff().fillna(0) != 0
    return int(ordered.loc[changed, "submission"].iloc[-1]) if changed.any() else None


def iterations(rows: pd.DataFrame, places: Mapping[str, str] | None = None) -> str:
    """How an attack with iterations went: where it ended, or how far the released score improved.

    "" if no attack has iterations, or if there is a signal and all boards saw as many iterations.
    `places` are words for the panels of boards by their settings, such as "panel b".
    """
    parts = rows[rows["iteration"].notna().to_numpy(dtype=bool)]
    if parts.empty:
        return ""
    if parts.groupby("setting")["iteration"].max().nunique() > 1:
        return _endings(parts)
    if set(rows["design"].astype(str)) <= set(WITHOUT_SIGNAL):
        return _falls(parts, places or {})
    return ""


def _endings(rows: pd.DataFrame) -> str:
    """After how many iterations an attack ended on each board, the shortest first."""
    ends = {setting: int(floats(own["iteration"]).max()) for setting, own in _each(rows)}
    noise = {setting: _growth(setting, own) for setting, own in _each(rows)}
    first, *others = sorted(ends, key=ends.__getitem__)
    rest = listed([f"after {ends[s]} on {s.title}{noise[s]}" for s in others])
    name = attack_name(str(rows["attack"].iloc[0]))
    return (
        f"{capitalised(name)} ends after {counted(ends[first], 'iteration')} on "
        f"{first.title}{noise[first]}, {rest}."
    )


def _growth(setting: Mechanism, rows: pd.DataFrame) -> str:
    """How the noise of a board grew, after a comma; "" if it did not."""
    shown = floats(rows.sort_values("submission")["released"])
    begin, end = noise_sd(shown[:_ENDS]), noise_sd(shown[-_ENDS:])
    if not setting.is_noisy or end < _GROWN * begin:
        return ""
    return f", whose noise grows (standard deviation {amount(begin, 2)} to {amount(end, 2)})"


def _each(rows: pd.DataFrame) -> Iterator[tuple[Mechanism, pd.DataFrame]]:
    """Each board with its rows."""
    return ((setting, rows_of(rows, setting)) for setting in settings_in(rows))


def _falls(rows: pd.DataFrame, places: Mapping[str, str]) -> str:
    """How far the mean score of an iteration improves where nothing can be learned.

    "" if nowhere.
    """
    metric, attack = panels.metric_of(rows), attack_name(str(rows["attack"].iloc[0]))
    verb = "rise" if metric.larger_is_better else "fall"
    moves, others, rounding = [], [], ""
    for setting, own in _each(rows):
        mean = own.groupby("iteration")["released"].mean().astype(float)
        improved = metric.sign * (mean.iloc[0] - mean.iloc[-1]) > 0
        first, end = (signed(score) for score in mean.iloc[[0, -1]])
        place = _place(setting, places)
        if improved and first != end:
            moves.append((place, first, end))
        elif improved:
            exactly = " to ".join(signed(score, 3) for score in mean.iloc[[0, -1]])
            others.append(f"hardly {verb}s {place} ({exactly})")
            if setting.release.step_for(1):
                few = counted(own["released"].nunique(), "different score")
                rounding += f" {capitalised(place)} rounding leaves only {few}."
        else:
            others.append(f"does not {verb} {place} ({first} and {end})")
    if not moves:
        return ""
    rest = f" It {listed(others)}.{rounding}" if others else ""
    released = f"the mean {metric.label} released to {attack} {verb}s"
    if len(moves) == 1:
        ((place, first, end),) = moves
        fell = f"{place} {released} from {first} in its first iteration to {end} in its last"
    else:
        ends = listed([f"{place} from {first} to {end}" for place, first, end in moves])
        fell = f"{released} between its first iteration and its last: {ends}"
    missed = _missed(rows, attack, places)
    return f"{missed}The data have no signal, and yet {fell}.{rest}"


def _place(setting: Mechanism, places: Mapping[str, str] | None) -> str:
    """Where a board is seen: "in panel a"; without panels "on" and its name."""
    return f"in {places[setting.setting]}" if places else f"on {setting.title}"


def _missed(rows: pd.DataFrame, attack: str, places: Mapping[str, str]) -> str:
    """Where noise hides jumps: where features are taken that no accepted submission had."""
    seen = []
    for setting, own in _each(rows[(rows["selected"] == 1).to_numpy(dtype=bool)]):
        accepted = int((own["accepted"] == 1).sum())
        if setting.is_noisy and accepted < len(own):
            place = f", {places[setting.setting]}," if setting.setting in places else ""
            seen.append((accepted, len(own), f"on {setting.title}{place}"))
    if not seen:
        return ""
    (least, count, worst), *others = sorted(seen)
    rest = "".join(f"; {board} in {some} of {most}" for some, most, board in others)
    solid = "solid line" if least == 1 else "solid lines"
    # Where every score is shown, a jump is nothing special.
    plain = (s for s, _ in _each(rows) if not s.is_noisy and not s.replaces_always)
    clear = listed([f"in {places[s.setting]}" for s in plain if s.setting in places])
    seen_in = f", as seen {clear}" if clear else ""
    return (
        f"Accepted submissions make the score jump{seen_in}, but noise hides jumps: {worst} "
        f"{attack} takes the feature of an accepted submission in only {least} of "
        f"{counted(count, 'iteration')} ({solid}){rest}. Where it takes noise for a jump, or sees "
        "a jump too late, it takes a wrong feature (dashed lines), which stays in all later "
        "submissions, so that scores can get worse again. "
    )


def noise_sd(shown: np.ndarray) -> float:
    """Standard deviation of the noise: steps from one score to the next have twice its variance.

    The median of the steps leaves out those at jumps.
    """
    return float(np.median(np.abs(np.diff(shown))) / 0.6745 / np.sqrt(2))

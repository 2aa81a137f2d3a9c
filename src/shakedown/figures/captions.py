"""Sentences that the captions of several kinds share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from shakedown.attacks.attack import ATTACKS, attack_name, board_name
from shakedown.data.designs import design_phrase
from shakedown.figures import panels
from shakedown.figures.selection import settings_in
from shakedown.leaderboard.mechanism import Mechanism
from shakedown.metrics import Metric
from shakedown.wording import capitalised, counted, listed

if TYPE_CHECKING:
    import pandas as pd

BOXES = "Boxes: median and quartiles; whiskers: from 10 to 90 % of the values."

#: The percentiles at which whiskers end.
WHISKERS = (10, 90)

LINES = (
    "Lines: medians; bands (an outline around a dashed line): the middle half of the replicates."
)


def attacks_in(rows: pd.DataFrame) -> str:
    """The attacks of a table, in a sentence."""
    return " or ".join(attack_name(a) for a in map(str, rows["attack"].unique()))


def attacks_say(rows: pd.DataFrame) -> list[str]:
    """What each attack of a table does, in a sentence each."""
    said = []
    for name in map(str, rows["attack"].unique()):
        what = ATTACKS.find(name).sentence.rstrip(".")
        called = attack_name(name)
        said.append(f"{capitalised(called)}: {what[0].lower()}{what[1:]}.")
    return said


def data(rows: pd.DataFrame, public: Mapping[str, int] | None = None) -> str:
    """Data sets, with their number of public rows where it is known, and designs."""
    words = [
        f"{name} (n = {public[name]:,} public rows)" if public and name in public else name
        for name in map(str, rows["dataset"].unique())
    ]
    designs = [design_phrase(str(d)) for d in rows["design"].unique()]
    return f"{listed(words)}, {listed(designs)}"


def growth(rows: pd.DataFrame) -> str:
    """The sizes or points of an attack that the rows hold."""
    first, last = int(rows["point"].min()), int(rows["point"].max())
    span = f"{first} to {last}" if last > first else f"{last}"
    return panels.attack_of(rows).made_of(span)


def of_final_model(rows: pd.DataFrame) -> str:
    """Which final model a figure shows."""
    return f"of the model that {attacks_in(rows)} ends with, {growth(rows)}."


def meaning(metric: Metric) -> str:
    """What Δ is, and which way it goes."""
    return (
        f"Δ = {metric.delta_formula}; below 0 the public score is better than the final one: "
        "overfit."
    )


def leaderboard_error(metric: Metric) -> str:
    """What the leaderboard error is."""
    return (
        "the largest distance so far between what the board shows and the "
        f"{'largest' if metric.larger_is_better else 'lowest'} true {metric.label} among the "
        "submissions (Blum & Hardt, 2015, Definition 2.1)"
    )


def replicates(numbers: Sequence[int]) -> str:
    """A number of replicates, or the range of several."""
    low, high = int(min(numbers)), int(max(numbers))
    return counted(high, "replicate") if low == high else f"{low:,} to {high:,} replicates"


def data_of_spread(rows: pd.DataFrame, *, boxes: bool = True) -> str:
    """Data, features, replicates and board of distributions, and what boxes or lines are."""
    number = replicates(rows.groupby("setting", observed=True)["replicate"].nunique())
    features = rows["n_features"].dropna().unique()
    over = f", {features[0]:,.0f} features" if len(features) == 1 else ""
    boards = rows["iteration_board"].dropna().unique()
    board = f", {board_name(boards[0])}" if len(boards) else ""
    each, marks = ("box", BOXES) if boxes else ("point", LINES)
    text = f"Data: {data(rows)}{over}; {number} per {each}{board}. {marks}"
    return " ".join([text, *parameters(settings_in(rows))])


def parameters(settings: Iterable[Mechanism]) -> list[str]:
    """What the symbols in the names of settings mean, such as α."""
    meanings: dict[str, list[str]] = {}
    odds = set()
    for setting in settings:
        for key, field in type(setting).model_fields.items():
            if setting.shown(key) and field.description:
                meaning = field.description.split("; null")[0].rstrip(".")
                meanings.setdefault(setting.symbol(key), []).append(meaning)
                odds |= {setting.parameters[key]} if key == "posterior_odds" else set()
    # Mechanisms may say it differently: as most settings do, or else the last.
    text = [f"{sign}: {max(said[::-1], key=said.count)}." for sign, said in meanings.items()]
    if odds:
        ordered = sorted(odds, reverse=True)
        chances = listed([f"{at / (1 + at):.2f}".removeprefix("0") for at in ordered])
        are = "is a probability of" if len(odds) == 1 else "are probabilities of"
        text.append(f"Odds of {listed([f'{at:g}' for at in ordered])} {are} {chances}.")
    return text


def after(figure: str | None) -> list[str]:
    """The figure of a paper that one follows."""
    return [f"Drawn after {figure}."] if figure else []

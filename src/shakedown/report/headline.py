"""What came out, in sentences made from the summary table."""

from __future__ import annotations

import pandas as pd

from shakedown.figures.selection import settings_of
from shakedown.figures.wording import (
    attack_name,
    board_name,
    count,
    counted,
    design_name,
    metric_name,
    signed,
)
from shakedown.report.results import CONTROLS, QUESTION, largest_budget


def headline(summary: pd.DataFrame, *, at_most: int = 4) -> list[str]:
    """One sentence or two for each question, the strongest overfit first.

    Questions with a permuted response come before those with random splits, in which a real signal
    is mixed in.

    A question is a data set, design, metric, attack and board; its answer names the mechanism
    that overfits most at the largest budget, and the one whose Δ is nearest to zero.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments: for each mechanism and point of the attack the
        median Δ over the replicates with its 95 % interval, and the median scores.
    at_most : int
        Number of questions to tell; the others are counted in a last sentence.

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If a column is missing, there is no row, or a mechanism is not known.
    """
    ends = largest_budget(summary.reset_index(drop=True))
    boards = ends["mechanism"].astype(str)
    tried = ends[~boards.isin(CONTROLS)]
    if tried.empty:  # nothing but controls: tell those
        tried = ends
    answers = []
    for _, group in tried.groupby(list(QUESTION), observed=True, dropna=False, sort=False):
        ranked = group.sort_values("median_delta", kind="stable")
        worst = ranked.iloc[0]
        order = worst["design"] != "permuted", float(worst["median_delta"])
        answers.append((order, _answer(ranked)))
    answers.sort(key=lambda answer: answer[0])
    told = [text for _, text in answers[:at_most]]
    if len(answers) > at_most:
        rest = [worst for (_, worst), _ in answers[at_most:]]
        told.append(
            f"{count(len(rest)).capitalize()} more comparison{'s' * (len(rest) > 1)} with Δ at "
            f"{_delta(min(rest))} or above {'are' if len(rest) > 1 else 'is'} in the table below."
        )
    return told


def _answer(ranked: pd.DataFrame) -> str:
    worst, best = ranked.iloc[0], ranked.iloc[ranked["median_delta"].abs().argmin()]
    metric = metric_name(str(worst["metric"]))
    where = f"On {worst['dataset']} with {design_name(str(worst['design']))}"
    interval = _interval(worst)
    what, plural = _attack(worst)
    if not worst["delta_high"] < 0:  # nor where there are too few replicates for an interval
        return (
            f"{where}, {what} overfit{'' if plural else 's'} no mechanism measurably: the largest "
            f"Δ of {metric}, against {_label(worst)}, is {interval}."
        )
    public, final = _scores(worst["median_score_public"], worst["median_score_final"])
    text = (
        f"{where}, {what} against {_label(worst)} bring{'' if plural else 's'} the public {metric} "
        f"to {public} while the final one is {final}: Δ = {interval}."
    )
    if len(ranked) > 1:
        text += f" {_label(best)} keeps Δ at {_interval(best)}."
    return text


def _attack(row: pd.Series) -> tuple[str, bool]:
    submissions = counted(int(row["submissions"]), "submission")
    if row["attack"] == "step_forward":
        iterations = int(row["iterations"])
        board = "" if pd.isna(row["board"]) else f", {board_name(str(row['board']))}"
        noun = "step-forward iteration" + "s" * (iterations > 1)
        return f"{count(iterations)} {noun} ({submissions}{board})", iterations > 1
    if row["attack"] == "freedman":
        return f"Freedman's attack ({_models(row)}, {submissions})", False
    return f"{attack_name(str(row['attack']))} ({submissions})", False


def _models(row: pd.Series) -> str:
    return f"the {int(row['n_selected']):,} best-scored of {int(row['n_features']):,} features"


def _label(row: pd.Series) -> str:
    (setting,) = settings_of(pd.DataFrame([row]))
    return setting.label


def _scores(public: float, final: float) -> tuple[str, str]:
    for digits in (2, 3, 4):
        texts = signed(public, digits), signed(final, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _delta(value: float, digits: int | None = None) -> str:
    return signed(value, _digits(value) if digits is None else digits)


def _digits(value: float) -> int:
    return 2 if abs(value) >= 0.095 else 3


def _interval(row: pd.Series) -> str:
    digits = _digits(row["median_delta"])
    if pd.isna(row["delta_low"]):
        return f"{signed(row['median_delta'], digits)} (too few replicates for an interval)"
    median, low, high = (
        signed(row[c], digits) for c in ("median_delta", "delta_low", "delta_high")
    )
    return f"{median} [{low}, {high}]"

"""The words and number formats that tables, figures, captions and report share."""

from __future__ import annotations

import math

import pandas as pd

# Name, short name (for Δ), and what an axis says.
_METRICS = {
    "mse": ("MSE", "MSE", "MSE\n(1 = response variance)"),
    "rmse": ("RMSE", "RMSE", "RMSE\n(1 = sd of the response)"),
    "mae": ("MAE", "MAE", "MAE"),
    "zero_one": ("0-1 loss", "0-1 loss", "0-1 loss"),
    "pearson": ("Pearson correlation", "Pearson", "Pearson correlation"),
    "spearman": ("Spearman correlation", "Spearman", "Spearman correlation"),
    "ccc": ("Lin's CCC", "CCC", "Lin's CCC (concordance\ncorrelation coefficient)"),
}
_DESIGNS = {
    "permuted": "permuted response",
    "splits": "random splits",
    "official": "the official split, permuted response",
    "labels": "labels as they are",
}
_ATTACKS = {
    "freedman": "Freedman's attack",
    "step_forward": "the step-forward attack",
    "best_of_many": "the choice of the best of many models",
    "boosting": "the boosting attack",
    "enumeration": "the enumeration attack",
    "two_accounts": "the attack with two accounts",
}
# Ids of the configuration that are no words; how many neighbours is a setting of the model.
_PREDICTIONS = {"knn": "nearest neighbours"}
_BOARDS = {"fresh": "a fresh board for each iteration", "carried_on": "one board carried on"}
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]

#: Where figures draw a line across the scores of a metric, and what it stands for.  The response is
#: scaled to variance 1 (ddof = 1) in each set, so its mean there, as a prediction, has an MSE
#: slightly below: (n - 1) / n of a set with n rows.  The 0-1 loss is that of fair coins alone.
YARDSTICKS = {
    "mse": (1.0, "variance of the response"),
    "rmse": (1.0, "standard deviation of the response"),
    "zero_one": (0.5, "loss of a guess"),
}


def metric_name(metric: str) -> str:
    """Printable name of a metric; the last part of an import path as it is."""
    return _METRICS[metric][0] if metric in _METRICS else metric.rsplit(".", 1)[-1]


def metric_short(metric: str) -> str:
    """Name of a metric that fits behind a Δ."""
    return _METRICS[metric][1] if metric in _METRICS else metric.rsplit(".", 1)[-1]


def metric_axis(metric: str) -> str:
    """What the axis of a score says."""
    return _METRICS[metric][2] if metric in _METRICS else metric.rsplit(".", 1)[-1]


def design_name(design: str) -> str:
    """Printable name of a design."""
    return _DESIGNS.get(design, design.replace("_", " "))


def attack_name(attack: str) -> str:
    """Printable name of an attack, as it stands in a sentence."""
    return _ATTACKS.get(attack, f"the attack {attack.replace('_', ' ')}")


def board_name(board: str) -> str:
    """What happens to the board between the iterations of an attack."""
    return _BOARDS.get(board, board.replace("_", " "))


def prediction_name(prediction: str) -> str:
    """Printable name of the model behind a prediction; its id where there is none."""
    return _PREDICTIONS.get(prediction, prediction.replace("_", " "))


def larger_is_better(frame: pd.DataFrame) -> bool:
    """Whether large scores are good, read off the outcomes themselves.

    Δ is public − final for a loss and final − public for a score that should be large, so the
    table tells which of them its metric is, also for a user's own metric.
    """
    public, final, delta = (
        frame[c].to_numpy(dtype=float, na_value=math.nan)
        for c in ("score_public", "score_final", "delta")
    )
    return float(pd.Series((public - final) * delta).sum()) < 0


def delta_name(metric: str) -> str:
    """Such as ΔMSE."""
    return f"Δ{metric_short(metric)}"


def delta_formula(larger_better: bool) -> str:
    """How Δ comes from the two scores."""
    return "final − public" if larger_better else "public − final"


def delta_axis(metric: str, larger_better: bool) -> str:
    """What the axis of Δ says."""
    return f"{delta_name(metric)} = {delta_formula(larger_better)}\n(below 0: overfit)"


def count(n: int) -> str:
    """A whole number in a sentence: a word up to twelve, else digits."""
    return _SMALL[n] if 0 <= n < len(_SMALL) else f"{n:,}"


def counted(n: int, noun: str) -> str:
    """A whole number with its noun, such as "1 replicate" or "1,000 replicates"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(words: list[str]) -> str:
    """Words in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign and never a negative zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def amount(value: float, digits: int = 3) -> str:
    """A number of any size, to some significant digits: "0.052", "3.1" or "12,300"."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


def signed_amount(value: float) -> str:
    """The same with a true minus sign."""
    return amount(value).replace("-", "−")

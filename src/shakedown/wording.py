"""Words and number formats shared by tables, figures, captions and pages."""

from __future__ import annotations

from collections.abc import Iterable

#: Larger numbers are shown with a power of ten.
LEGIBLE = 1e15

#: The board between iterations of an attack: values of the column `iteration_board`.
ITERATION_BOARDS = {
    "fresh": "a fresh board for each iteration",
    "carried_on": "one board carried on",
}

# Printable names for ids of the configuration; the number of neighbours is a setting of the model.
_PREDICTIONS = {"knn": "nearest neighbours"}
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


#: What public numbers are counted as, with one response and with several.
PUBLIC_ROW, PUBLIC_CELL = "public row", "public cell"


def prediction_name(prediction: str) -> str:
    """Printable name of a prediction's model; by default its id."""
    return _PREDICTIONS.get(prediction, prediction.replace("_", " "))


def count(n: int) -> str:
    """A whole number in a sentence: a word up to twelve, digits above."""
    return _SMALL[n] if 0 <= n < len(_SMALL) else f"{n:,}"


def counted(n: int, noun: str) -> str:
    """A whole number with its noun, such as "1 replicate" or "1,000 replicates"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def some(things: Iterable[object], *, most: int = 5) -> str:
    """Name the first few: 'a', 'b' and 7 more."""
    things = list(things)
    named = ", ".join(f"'{thing}'" for thing in things[:most])
    return named if len(things) <= most else f"{named} and {len(things) - most} more"


def listed(words: list[str]) -> str:
    """Words in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def capitalised(text: str) -> str:
    """A text that begins a sentence; all but its first letter stays."""
    return f"{text[:1].upper()}{text[1:]}"


def percent(share: float) -> str:
    """A share as a whole number of percent, such as "95 %"."""
    return f"{100.0 * share:.0f} %"


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign and no negative zero."""
    text = f"{value:.{digits}f}" if abs(value) < LEGIBLE else f"{value:.{digits}e}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def short(value: float) -> str:
    """`signed` without the zero before the decimals, or a whole number: "−.05", "0"."""
    text = signed(value)
    return text.removesuffix(".00") if text.endswith(".00") else text.replace("0.", ".", 1)


def amount(value: float, digits: int = 3) -> str:
    """A number of any size, to some significant digits: "0.052", "3.1", "12,300" or "1.2e+20"."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if 100 <= abs(rounded) < LEGIBLE else f"{rounded:g}"


def signed_amount(value: float) -> str:
    """`amount` with a true minus sign."""
    return amount(value).replace("-", "−")


def bare(value: float) -> str:
    """A probability that was chosen, such as ".9"."""
    return f"{value:g}".removeprefix("0")


def probability(value: float) -> str:
    """A probability for readers: none is said to be 0 or 1."""
    return "above .99" if value > 0.994 else "below .01" if value < 0.006 else short(value)


def chance(value: float) -> str:
    """`probability` with the zero before its decimals, beside numbers that have one: "0.45"."""
    return probability(value).replace(".", "0.")

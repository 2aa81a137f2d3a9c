"""What a meter says of files, in words and tables."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from shakedown.questions.meter_question import MeterQuestion
from shakedown.wording import amount, counted

WIDTH = 100
#: Teams that the text lists; the page and JSON have all.
LISTED = 12

#: What a row of the table of needs says, by its key.
NEEDS = {
    "degrees": "degrees of freedom, at most",
    "files": "of these files, the first",
    "further": "further files like the last",
    "noise_sd": "noise of each answer, at least",
    "exact": "exact scores of independent files",
}
#: Columns of the tables of teams and of files, and what they say.
TEAMS = {
    "team": "team",
    "files": "files",
    "degrees": "degrees",
    "gain_mean": "gain",
    "independent": "exact",
    "exact_gain_mean": "gain",
    "within_mean": "within",
}
#: What the page calls them, where there is room.
ON_PAGE = {
    "team": "Team",
    "files": "Files",
    "degrees": "Degrees, noisy answers",
    "gain_mean": "Gain, noisy answers",
    "independent": "Degrees, exact scores",
    "exact_gain_mean": "Gain, exact scores",
    "within_mean": "Files within",
    "submission": "File",
    "order": "Number",
}
COSTLY = {"submission": "file", "team": "team", "order": "number", "degrees": "degrees"}

_PUBLIC = {"mse": "public MSE", "pearson": "public correlation"}
_HONEST = {
    "mse": "that of the best honest file",
    "pearson": "that of the best honest file, or of a constant,",
}


def head(question: MeterQuestion) -> str:
    """The files, and the board."""
    files = counted(len(question.files.names), "file")
    of = f" of {counted(len(question.teams), 'team')}" if len(question.teams) > 1 else ""
    return f"{files}{of}, {counted(question.rows, 'public row')}"


def sentence_of(question: MeterQuestion, record: Mapping[str, Any]) -> str:
    """Degrees of freedom, and the gains that they are worth on average."""
    return (
        f"{head(question)}: answers with noise of {amount(question.noise_sd)} are worth at most "
        f"{amount(record['degrees'])} degrees of freedom, and a gain of at most "
        f"{amount(record['gain_mean'])} on average; exact scores "
        f"{amount(record['independent'])}, and {amount(record['exact_gain_mean'])}."
    )


def paragraphs(question: MeterQuestion, record: Mapping[str, Any]) -> list[str]:
    """What the files can reveal, and what can be gained from it."""
    metric = question.metric
    said = [
        f"Answered once each with normal noise of a standard deviation of "
        f"{amount(question.noise_sd)}, the files are worth at most {amount(record['degrees'])} "
        "degrees of freedom together. Whatever anybody does with the answers, the "
        f"{_PUBLIC[metric]} of the final file is better than {_HONEST[metric]} by at most "
        f"{amount(record['gain_mean'])} on average, and by at most {amount(record['gain_95'])} "
        "with a probability of 95 %.",
        f"Exact scores are worth as many degrees of freedom as there are independent files, "
        f"{record['independent']:,}: by at most {amount(record['exact_gain_mean'])} on average, "
        f"and by at most {amount(record['exact_gain_95'])} with a probability of 95 %.",
    ]
    if lost := question.files.left_out:
        said.append(f"{counted(lost, 'file')} left out. {question.files.why}")
    if (given := question.files.predictions.shape[1]) != question.rows:
        said.append(
            f"The files have {counted(given, 'row')}. For {question.rows:,} they are taken to be "
            "as large in each row, and as much alike."
        )
    return said


def conditions(question: MeterQuestion) -> str:
    """When the numbers hold."""
    noise = (
        f" of a variance of at most {amount(question.variance)} in each row (with a probability: "
        "the same in all)"
        if question.metric == "mse"
        else " of the standardised response"
    )
    return (
        f"For a response with independent normal noise{noise}, given all that the participants "
        "know. Its mean counts as known, and its length for one degree of freedom more."
    )


def needs(record: Mapping[str, Any]) -> list[list[str]]:
    """What keeps the gain within the tolerated: each need in words, and its cells."""
    tables = [record["needed_mean"], record["needed_95"]]
    return [[what, *(_need(key, table[key]) for table in tables)] for key, what in NEEDS.items()]


def _need(key: str, value: float | None) -> str:
    if value is None:
        return "none" if key == "noise_sd" else "no limit"
    return amount(value)


def within(question: MeterQuestion) -> str:
    """What the table of needs is for."""
    return f"To keep the gain within {amount(question.tolerated)}, all else unchanged"


def cells(rows: list[dict[str, Any]], columns: Mapping[str, str]) -> list[list[str]]:
    """The texts of a table."""
    return [[_cell(row[key]) for key in columns] for row in rows]


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else amount(value)


def text_of(question: MeterQuestion, record: Mapping[str, Any]) -> str:
    """The answer as the command prints it: sentences and tables."""
    lines = [f"{head(question)}.", ""]
    for text in paragraphs(question, record):
        lines += [fill(text, WIDTH), ""]
    lines += [
        f"{within(question)}:",
        "",
        f"{'':36}{'on average':>12}{'in 95 %':>12}",
        *(f"  {what:34}{mean:>12}{high:>12}" for what, mean, high in needs(record)),
        "",
    ]
    teams = sorted(record["teams"], key=lambda team: -team["degrees"])
    if len(teams) > 1:
        more = f", the first {LISTED} of {len(teams):,}" if len(teams) > LISTED else ""
        lines += [
            f"Each team by itself{more}; within: its first files that keep the gain on average.",
            "",
            *_columns(cells(teams[:LISTED], TEAMS), list(TEAMS.values())),
            "",
        ]
    lines += [
        "The files that cost most, by what each adds to those before it:",
        "",
        *_columns(cells(record["costly"], COSTLY), list(COSTLY.values())),
        "",
        fill(f"{record['conditions']} Proofs: docs/leakage.md.", WIDTH),
    ]
    return "\n".join(lines)


def _columns(rows: list[list[str]], heads: list[str]) -> list[str]:
    """Lines of a table, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    is_text = [head in ("team", "file") for head in heads]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in (heads, *rows)
    ]

"""How much a leaderboard can reveal, and what an attacker can gain from it at most."""

from __future__ import annotations

import json
import math
from functools import cached_property
from textwrap import fill
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from shakedown.component.identity import printed
from shakedown.interface import InputError
from shakedown.questions.answer import Answer
from shakedown.questions.charged import charged, in_words
from shakedown.questions.leak_notes import more_often, sharper
from shakedown.questions.leak_question import Question, asked
from shakedown.theory.budget import Needed, needed
from shakedown.theory.losses import BoundedLoss, fair_labels_accuracy
from shakedown.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from shakedown.figures.kind import Picture
    from shakedown.leaderboard.mechanism import Mechanism

WIDTH = 100
#: Probability with which the second bound may be exceeded.
DELTA = 0.05
#: Of the keys of an answer in JSON.
VERSION = 1


def leak(
    rows: int,
    board: str | Mechanism | None = None,
    *,
    submissions: int | None = None,
    accounts: int | None = None,
    shared: bool = False,
    improvements: int | None = None,
    acceptance: bool = False,
    updates: int | None = None,
    step: float | None = None,
    noise: float | None = None,
    metric: str = "mse",
    start: float | None = None,
    floor: float | None = None,
    tolerated: float | None = None,
    variance: float | None = None,
    sd: float | None = None,
    subgaussian: bool = False,
) -> Leak:
    """How much a leaderboard can reveal, and how far anyone can overfit it at most.

    It is computed without data, for whatever is submitted.  A board is given by `board`, a digest
    by `updates` and `step`, noisy scores by `noise`; for many boards no bound is proved.

    Parameters
    ----------
    rows : int
        Public rows.
    board : str or Mechanism, optional
        A mechanism with its defences, such as ``"general_ladder(eta=0.1)+baseline"``.
    submissions : int, optional
        Of each account.
    accounts : int, optional
        Accounts that work together, each with a board of its own; by default 1.
    shared : bool
        Whether the accounts share one board.
    improvements : int, optional
        Largest number of visible improvements of a board.
    acceptance : bool
        Whether the board also tells which submissions are accepted.
    updates : int, optional
        Of a digest, in the whole challenge.
    step : float, optional
        Of a digest's score.
    noise : float, optional
        Scores with Gaussian noise: the variance of an exact score over that of the noise.
    metric : str
        mse, rmse, pearson, accuracy or other.
    start : float, optional
        The score at which the board starts: that of guessing; by default 1, of labels .5.
    floor : float, optional
        The best score that is shown; by default a perfect one.
    tolerated : float, optional
        The tolerated overfit, below 0; by default 5 % of the variance, or −.05.
    variance : float, optional
        For mse and rmse: the public MSE of the best honest file; by default that of the start.
    sd : float, optional
        For other metrics: the sampling standard deviation of one file's public score.
    subgaussian : bool
        For mse: whether responses are bounded and not Gaussian; `variance` is then a quarter of
        their squared range.

    Returns
    -------
    Leak

    Raises
    ------
    InputError
        If a number is missing or out of its range, or two arguments exclude each other.

    Examples
    --------
    >>> import shakedown
    >>> leak = shakedown.leak(209, "general_ladder(eta=0.1)+baseline", submissions=1000, floor=0.5)
    >>> leak
    General Ladder (η = 0.1) + baseline start, 209 public rows, 1,000 submissions: at most 29.8
    nats, and a gain of at most 0.168 on average (0.183 with a probability of 95 %).
    >>> leak.limits.set_index("limit").loc["rows"]
    on_average       639.0
    in_95_percent    687.0
    Name: rows, dtype: float64
    >>> figure = leak.figure("gain_by_rows")
    """
    return Leak(asked(SimpleNamespace(**locals())))


class Leak(Answer):
    """What a leaderboard can reveal, and what anybody can gain from it at most.

    Printed, it says what ``shakedown leak`` prints.

    Attributes
    ----------
    question : Question
    """

    figures: ClassVar[tuple[str, ...]] = ("gain_by_rows",)

    def __init__(self, question: Question) -> None:
        self.question = question

    @cached_property
    def answer(self) -> dict[str, Any]:
        """The numbers by name, of JSON types; docs/leakage.md explains them."""
        return _record(self.question)

    @property
    def sentence(self) -> str:
        """Nats, and the gain that they allow."""
        record, of = self.answer, _head(self.question)
        if record["nats"] is None and "degrees" not in record:
            return f"{of}: no bound is proved. {record['reason']}"
        if record["nats"] is None:
            return f"{of}. {in_words(self.question, record, _short)}"
        if self.question.shown.updates == 0:
            return f"{of}: it shows nothing about the public rows, so nothing is gained."
        nats = f"{of}: at most {_short(record['nats'])} nats"
        if not record["useful"]:
            return f"{nats}, enough to gain all that there is: nothing useful is proved."
        high = record["gain_95"]
        mostly = "" if high is None else f" ({_short(high)} with a probability of 95 %)"
        at_most = "at most" if self.question.bound.is_exact else "about"
        return f"{nats}, and a gain of {at_most} {_short(record['gain_mean'])} on average{mostly}."

    @property
    def limits(self) -> pd.DataFrame:
        """What keeps the gain within the tolerated, each with all else unchanged.

        Returns
        -------
        DataFrame
            A row per `limit` (nats, rows, submissions, ...), and its value `on_average` and
            `in_95_percent`: infinite if there is no limit, or no number of rows and no step is
            enough; NaN with noise, of which only the average is known.  Empty without a bound.
        """
        import pandas as pd

        tables = [self.answer.get(key) or {} for key in NEEDED]
        rows = [
            [key, *(_number(table.get(key, math.nan)) for table in tables)] for key in tables[0]
        ]
        return pd.DataFrame(rows, columns=["limit", "on_average", "in_95_percent"])

    def picture(self, name: str) -> Picture:
        """`gain_by_rows`: the largest gain against the number of public rows."""
        from shakedown.figures.gain_by_rows import gain_by_rows

        asked = self.question
        if not asked.bounded:
            raise InputError(f"There is nothing to draw. {self.sentence}")
        return gain_by_rows(
            asked.plan, asked.bound, tolerated=asked.tolerated, whole=asked.whole_gain, delta=DELTA
        )

    @property
    def _below(self) -> str:
        """What stands below the table."""
        if not self.question.bounded:
            return ""
        return f"{more_often(self.question, self.answer)} {self.question.bound.conditions}".strip()

    def page(self) -> str:
        """The text of the command, with its figure and its configuration."""
        from shakedown.report.leak import LeakContent, render_leak

        record = self.answer
        picture = self.picture("gain_by_rows") if self.question.bounded else None
        return render_leak(
            LeakContent(
                board=_head(self.question),
                sentence=self.sentence,
                paragraphs=[text for text in _paragraphs(self.question, record) if text],
                within=_within(self.question),
                heads=_heads(record) if self.question.bounded else [],
                needs=_needs(record) if self.question.bounded else [],
                conditions=self._below,
                picture=picture,
            )
        )

    def json(self) -> str:
        """The answer as the command prints it with ``--json``."""
        return json.dumps(self.answer, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        return _text(self.question, self.answer)


def _record(question: Question) -> dict[str, Any]:
    """`Leak.answer`: nats, both bounds of the gain, and what keeps them within the tolerated.

    In `needed_mean` and `needed_95`, null under `rows` and `step` says that none is large enough,
    elsewhere that there is no limit; a key that does not apply is missing.  With noise nothing is
    known of probabilities: `gain_95` and `needed_95` are null.
    """
    plan, bound, gain = question.plan, question.bound, question.tolerated
    nats = plan.nats
    result = {
        "version": VERSION,
        "board": question.board.title,
        "rows": plan.rows,
        "submissions": plan.submissions,
        "accounts": plan.accounts,
        "shared": plan.shared,
        "start": question.start,
        "floor": question.floor,
        "tolerated": -gain,
        "proved": nats is not None and bound.is_exact and not question.assumed,
        "nats": nats,
    }
    if nats is None:
        return result | {"reason": question.shown.reason} | charged(question, DELTA)
    told, noisy = plan.told, plan.noise is not None
    mean = bound.bound(told, plan.rows)
    high = None if noisy else bound.bound(told, plan.rows, DELTA)
    result |= {
        "assumed": question.assumed,
        "useful": (mean if noisy else high) < question.whole_gain,
        "bits": nats / math.log(2.0),
        "gain_mean": mean,
        "gain_95": high,
        "needed_mean": _plain(needed(plan, bound, gain, steps=question.steps)),
        "needed_95": None
        if noisy
        else _plain(needed(plan, bound, gain, delta=DELTA, steps=question.steps)),
        "conditions": bound.conditions,
    }
    if isinstance(bound, BoundedLoss):  # with `LabelLoss` no label is a fair coin
        result["fair_labels_accuracy"] = fair_labels_accuracy(nats, plan.rows)
    return result


def _head(question: Question) -> str:
    """The board, and its use."""
    plan = question.plan
    head = [question.board.title, counted(plan.rows, "public row")]
    if plan.submissions is not None:
        head.append(counted(plan.submissions, "submission"))
    if plan.accounts > 1:
        use = "that share one board" if plan.shared else "that work together, a board for each"
        head.append(f"{plan.accounts:,} accounts {use}")
    if plan.acceptance:
        head.append("which also tells which submissions were accepted")
    return ", ".join(head)


def _paragraphs(question: Question, record: dict[str, Any]) -> list[str]:
    """What can be revealed and gained, in sentences; "" where the text has a blank line."""
    plan, bound = question.plan, question.bound
    if record["nats"] is None:
        if "degrees" in record:
            return [in_words(question, record, _short)]
        return [f"No bound is proved. {question.shown.reason}"]
    if question.shown.updates == 0:
        return ["It shows nothing about the public rows, so nothing is gained."]
    said = [question.assumed, ""] if question.assumed else []
    if plan.noise is None:
        given = (
            f"it starts at a score of {question.start:g}{question.fixed} and shows none better "
            f"than {question.floor:g}{question.lacking}"
        )
    else:
        given = (
            "the noise of every score is new and Gaussian, and an exact score, given those shown "
            f"before, varies at most {plan.noise:g} times as much"
        )
    revealed = f"{_short(record['nats'])} nats ({_short(record['bits'])} bits)"
    said += [f"It can reveal at most {revealed} if {given}.", ""]
    at_most = "at most" if bound.is_exact else "about"
    if record["useful"]:
        gains = f"{at_most} {_short(record['gain_mean'])} on average"
        if record["gain_95"] is not None:
            gains += f", and by {at_most} {_short(record['gain_95'])} with a probability of 95 %"
        said.append(
            f"Whatever is submitted, the {question.scale.public} of the final file is better than "
            f"{question.scale.honest} by {gains}."
        )
    else:
        said.append("That is enough to gain all that there is: nothing useful is proved.")
    if "fair_labels_accuracy" in record:
        said.append(
            "For a participant to whom every label is a fair coin, the mean public accuracy is at "
            f"most {_short(record['fair_labels_accuracy'])}."
        )
    return said


def _needs(record: dict[str, Any]) -> list[list[str]]:
    """What keeps the gain within the tolerated: each need in words, and its cells."""
    tables = [table for key in NEEDED if (table := record.get(key)) is not None]
    return [
        [what, *(_need(key, table[key]) for table in tables)]
        for key, what in NEEDS.items()
        if tables and key in tables[0]
    ]


def _text(question: Question, record: dict[str, Any]) -> str:
    """The answer as the command prints it: sentences and a table."""
    said = [f"{_head(question)}.", *_paragraphs(question, record)]
    lines = [fill(text, WIDTH) for text in said]
    if question.bounded:
        lines += [
            "",
            f"{_within(question)}:",
            "",
            f"{'':26}" + "".join(f"{head:>12}" for head in _heads(record)),
            *(
                f"  {what:24}" + "".join(f"{cell:>12}" for cell in cells)
                for what, *cells in _needs(record)
            ),
            "",
            *([fill(note, WIDTH), ""] if (note := more_often(question, record)) else []),
            fill(f"{question.bound.conditions} Proofs: docs/leakage.md.", WIDTH),
        ]
        if more := sharper(question, DELTA):
            lines += ["", fill(more.sentence, WIDTH, break_on_hyphens=False), f"  {more.arguments}"]
    return "\n".join(lines)


def _heads(record: dict[str, Any]) -> list[str]:
    return ["on average"] if record["needed_95"] is None else ["on average", "in 95 %"]


def _within(question: Question) -> str:
    return f"To keep the gain within {_short(question.tolerated)}, all else unchanged"


#: The keys of a record that say what is needed: on average, and in 95 %.
NEEDED = ("needed_mean", "needed_95")
#: What a row of the table says, by the key of `needed_mean`.
NEEDS = {
    "nats": "by nats alone, at most",
    "rows": "public rows, at least",
    "submissions": "submissions, at most",
    "updates": "updates, at most",
    "accounts": "accounts, at most",
    "step": "step, at least",
}


def _need(key: str, value: float | None) -> str:
    if value is None:
        return "none" if key in ("rows", "step") else "no limit"
    if value <= 0.0:
        return "none"
    return _short(value) if key == "nats" else printed(value)


def _number(value: float | None) -> float:
    return math.inf if value is None else value


def _plain(limits: Needed) -> dict[str, float | None]:
    return {
        key: value if math.isfinite(value) else None
        for key, value in limits._asdict().items()
        if value is not None
    }


def _short(number: float) -> str:
    return printed(float(f"{number:.3g}"))

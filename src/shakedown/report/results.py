"""Rows of the default page's tables: safe submissions, what attacks reached, readings, bounds."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from shakedown.attacks.attack import ATTACKS, board_name
from shakedown.data.designs import design_label
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find
from shakedown.report.templates import firm
from shakedown.theory.bounds import largest_attacks
from shakedown.theory.threats import worst
from shakedown.wording import counted, listed, signed

#: What makes two rows of a summary answers to the same question.
QUESTION = ["experiment", "dataset", "design", "metric", "attack", "iteration_board"]

_MISSING = "–"
_BY_QUESTION = {"by": QUESTION, "observed": True, "dropna": False, "sort": False}


def largest_budget(summary: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """The row of each setting at which its attack is largest.

    That is the row with the most submissions; among those, the last point of the attack.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.
    by : sequence of str
        Further columns of which each value gets a row.
    """
    ordered = summary.reset_index(drop=True).sort_values(["submissions", "point"], kind="stable")
    return ordered.drop_duplicates([*QUESTION, "setting", *by], keep="last").sort_index()


def safe_submissions(summary: pd.DataFrame, *, threshold: float) -> list[dict]:
    """Up to how many submissions the median Δ stays at or above a threshold, board by board.

    An experiment answers this if its attack was played over several numbers of features that end
    with different numbers of submissions.  Of several with the same words, the one with the most
    submissions does.  A number is safe if neither it nor a smaller one that was tried has a median
    Δ below the threshold; between two that were tried nothing is said.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.
    threshold : float
        The Δ that is accepted, in units of the metric.

    Returns
    -------
    list of dict
        For each data set, design, metric, attack and board: its words (`question`), the numbers
        `tried`, and `rows`: board, the largest `safe` number, the smallest one `over` it.
    """
    controls = [mechanism.setting for mechanism in settings_in(summary) if mechanism.is_control]
    largest = largest_budget(summary, by=["n_features"])
    answers, most = {}, {}
    for _, ends in largest[~largest["setting"].isin(controls)].groupby(**_BY_QUESTION):
        tried = sorted(ends["submissions"].unique())
        if ends["n_features"].nunique() < 2 or len(tried) < 2:
            continue
        rows = []
        for setting, own in ends.groupby("setting", observed=True, sort=False):
            over = own.loc[own["median_delta"] < threshold, "submissions"].min()
            safe = [n for n in tried if pd.isna(over) or n < over]
            rows.append(
                {
                    "board": title(setting),
                    "safe": int(safe[-1]) if safe else "none",
                    "over": _MISSING if pd.isna(over) else int(over),
                }
            )
        words = question(ends.iloc[0])
        key = tuple(words.values())
        if tried[-1] > most.get(key, 0):
            most[key] = tried[-1]
            answers[key] = words | {"tried": listed([f"{n:,}" for n in tried]), "rows": rows}
    return list(answers.values())


def reached(summary: pd.DataFrame) -> list[dict[str, str]]:
    """How far each attack got: the boards that it overfits most and least, and one that is silent.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.

    Returns
    -------
    list of dict
        Texts, a row per question in the order of the summary.  Controls stand for themselves
        alone: a board that shows nothing in `silent`, the others nowhere.
    """
    controls = {
        mechanism.setting: mechanism.shows
        for mechanism in settings_in(summary)
        if mechanism.is_control
    }
    rows = []
    for _, group in largest_budget(summary).groupby(**_BY_QUESTION):
        boards = group[~group["setting"].isin(controls)]
        boards = group if boards.empty else boards
        most = boards.loc[boards["median_delta"].idxmin()]
        least = boards.loc[boards["median_delta"].abs().idxmin()]
        silent = group[group["setting"].map(controls) == "nothing"]
        rows.append(
            question(most)
            | {
                "submissions": int(group["submissions"].max()),
                "repeated": counted(group["replicates"].max(), "replicate"),
                "most": interval(most),
                "most_board": title(most["setting"]),
                "least": interval(least),
                "least_board": title(least["setting"]),
                "silent": _MISSING if silent.empty else interval(silent.iloc[0]),
                "table": Markup('<a href="summary/{0}.csv">{0}</a>').format(most["experiment"]),
            }
        )
    return rows


def readings(comparison: pd.DataFrame) -> dict[str, dict]:
    """Each open question: its table, and the board whose median Δ depends most on the reading.

    Parameters
    ----------
    comparison : DataFrame
        The table `sensitivity.csv`: question, variant, setting, median_delta, delta_low,
        delta_high.

    Returns
    -------
    dict
        By question: `columns` and `rows`; `board`, and its `lowest` and `highest` median Δ.
    """
    questions = {}
    for name, rows in comparison.groupby("question", sort=False):
        boards = {setting: {"board": title(setting)} for setting in rows["setting"].unique()}
        for row in rows.to_dict("records"):
            boards[row["setting"]] |= {
                row["variant"]: signed(row["median_delta"], 3),
                f"{row['variant']}, interval": ends(row["delta_low"], row["delta_high"]),
            }
        medians = rows.groupby("setting", sort=False)["median_delta"].agg(["min", "max"])
        most = (medians["max"] - medians["min"]).idxmax()
        questions[name] = {
            "columns": [
                ("Leaderboard", "board"),
                *((v, v, f"{v}, interval") for v in rows["variant"].unique()),
            ],
            "rows": list(boards.values()),
            "board": boards[most]["board"],
            "lowest": signed(medians.loc[most, "min"], 3),
            "highest": signed(medians.loc[most, "max"], 3),
        }
    return questions


def guarantees(comparison: pd.DataFrame) -> list[dict[str, str]]:
    """Leaderboard errors that attacks reached beside those that theory allows.

    Parameters
    ----------
    comparison : DataFrame
        The table `bounds.csv`.
    """
    return [
        row
        | {
            "attack": ATTACKS.find(row["attack"]).label,
            "board": title(row["setting"]),
            "reached": interval(row, "simulated", "simulated_low", "simulated_high"),
            "has_no_interval": pd.isna(row["simulated_low"]) or pd.isna(row["simulated_high"]),
            "bound": _MISSING if row["bound"] == float("inf") else f"{row['bound']:.3f}",
            "bound_class": "missing" * bool(row["vacuous"]),
            "ratio": _MISSING if row["vacuous"] or pd.isna(row["ratio"]) else f"{row['ratio']:.2g}",
        }
        for row in largest_attacks(comparison).to_dict("records")
    ]


def threats(reached: pd.DataFrame) -> dict[str, list]:
    """The table of the map of participants and leaderboards.

    Parameters
    ----------
    reached : DataFrame
        The table `threats.csv`, as `theory.threats.reached` returns it.

    Returns
    -------
    dict
        `columns` and `rows`, one row for each leaderboard and number of public rows: for each
        participant the median Δ, below it from how many submissions it is too much.
    """
    people = list(dict.fromkeys(reached["participant"]))
    rows = []
    furthest = worst(reached)
    for (board, dataset), own in furthest.groupby(["board", "dataset"], sort=False):
        by_person = own.set_index("participant")
        n = by_person["public_rows"].iloc[0]
        row = {"board": firm(board), "public": str(dataset) if pd.isna(n) else int(n)}
        for person in people:
            row[person], row[f"{person}, from"] = _MISSING, ""
            if person in by_person.index:
                cell = by_person.loc[person]
                from_ = "" if pd.isna(cell["too_many"]) else f"from {int(cell['too_many']):,}"
                row[person] = signed(cell["delta"], 3)
                row[f"{person}, from"] = "proved" if cell["is_proved"] else from_
        rows.append(row)
    columns = [("Leaderboard", "board"), ("Public rows", "public")]
    return {"columns": [*columns, *((p, p, f"{p}, from") for p in people)], "rows": rows}


def question(row: pd.Series) -> dict[str, str]:
    """Data and attack of a row, in words."""
    parts = [find(str(row["metric"])).label]
    if not pd.isna(row["iteration_board"]):
        parts.append(board_name(str(row["iteration_board"])))
    return {
        "data": str(row["dataset"]),
        "design": design_label(str(row["design"])),
        "attack": ATTACKS.find(str(row["attack"])).label,
        "how": ", ".join(parts),
    }


def title(setting: str) -> str:
    """What readers call a setting."""
    return firm(of_setting(setting).title)


def interval(row, value="median_delta", low="delta_low", high="delta_high") -> str:
    """A number and its interval: "−0.140 [−0.150, −0.130]"."""
    return f"{signed(row[value], 3)} {ends(row[low], row[high])}".strip()


def ends(low: float, high: float) -> str:
    """The ends of an interval, or "" for none."""
    return "" if pd.isna(low) or pd.isna(high) else f"[{signed(low, 3)}, {signed(high, 3)}]"

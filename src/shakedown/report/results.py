"""Rows of the default page's tables: what attacks reached, readings of the text, guarantees."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from shakedown.attacks.attack import ATTACKS, board_name
from shakedown.data.splits import design_label
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting, settings_in
from shakedown.metrics import find
from shakedown.report.templates import firm
from shakedown.simulation.outcomes import require
from shakedown.theory.bounds import largest_attacks
from shakedown.wording import counted, signed

#: What makes two rows of a summary answers to the same question.
QUESTION = ["experiment", "dataset", "design", "metric", "attack", "board"]

#: The columns of a summary that the page reads.
NEEDS = (
    *QUESTION,
    *("setting", "n_features", "point", "submissions", "replicates"),
    *("median_delta", "delta_low", "delta_high"),
)

_MISSING = "–"


def largest_budget(summary: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """The row of each setting at which its attack is largest.

    That is the row with the most submissions; among those, the last point of the attack.

    Parameters
    ----------
    summary : DataFrame
        Summaries of one or several experiments.
    by : sequence of str
        Further columns of which each value gets a row.

    Raises
    ------
    InputError
        If a column is missing, or there is no row.
    """
    require(summary, NEEDS, "the summaries")
    if summary.empty:
        raise InputError("the summary has no rows; run at least one experiment.")
    ordered = summary.reset_index(drop=True).sort_values(["submissions", "point"], kind="stable")
    return ordered.drop_duplicates([*QUESTION, "setting", *by], keep="last").sort_index()


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
    rows = []
    for _, group in largest_budget(summary).groupby(
        QUESTION, observed=True, dropna=False, sort=False
    ):
        first = group.iloc[0]
        controls = {one.setting: one for one in settings_in(group) if one.is_control}
        boards = group[~group["setting"].isin(controls)]
        boards = group if boards.empty else boards
        most = boards.loc[boards["median_delta"].idxmin()]
        least = boards.loc[boards["median_delta"].abs().idxmin()]
        silent = [setting for setting, one in controls.items() if one.shows == "nothing"]
        rows.append(
            question(first)
            | {
                "submissions": f"{int(group['submissions'].max()):,}",
                "repeated": counted(int(group["replicates"].max()), "replicate"),
                "most": interval(most),
                "most_board": title(most["setting"]),
                "least": interval(least),
                "least_board": title(least["setting"]),
                "silent": interval(group.set_index("setting").loc[silent[0]])
                if silent
                else _MISSING,
                "table": linked(f"summary/{first['experiment']}.csv", str(first["experiment"])),
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
    found = {}
    for name, rows in comparison.groupby("question", sort=False):
        variants = rows["variant"].unique()
        columns = [
            ("Leaderboard", "board"),
            *((name, name, f"{name}, interval") for name in variants),
        ]
        boards = {setting: {"board": title(setting)} for setting in rows["setting"].unique()}
        for _, row in rows.iterrows():
            boards[row["setting"]] |= {
                row["variant"]: signed(row["median_delta"], 3),
                f"{row['variant']}, interval": ends(row["delta_low"], row["delta_high"]),
            }
        medians = rows.groupby("setting", sort=False)["median_delta"].agg(["min", "max"])
        most = (medians["max"] - medians["min"]).idxmax()
        found[name] = {
            "columns": columns,
            "rows": list(boards.values()),
            "board": boards[most]["board"],
            "lowest": signed(medians.loc[most, "min"], 3),
            "highest": signed(medians.loc[most, "max"], 3),
        }
    return found


def guarantees(comparison: pd.DataFrame) -> list[dict[str, str]]:
    """Leaderboard errors that attacks reached beside those that theory allows.

    Parameters
    ----------
    comparison : DataFrame
        The table `bounds.csv`.
    """
    return [
        {
            "attack": ATTACKS.find(row.attack).label,
            "experiment": row.experiment,
            "board": title(row.setting),
            "rows": f"{row.public_rows:,}",
            "submissions": f"{row.submissions:,}",
            "accounts": f"{row.accounts:,}",
            "reached": interval(row._asdict(), "simulated", "simulated_low", "simulated_high"),
            "bound": _MISSING if row.bound == float("inf") else f"{row.bound:.3f}",
            "bound_class": "missing" * bool(row.vacuous),
            "theorem": row.theorem,
            "ratio": _MISSING if row.vacuous or pd.isna(row.ratio) else f"{row.ratio:.2g}",
        }
        for row in largest_attacks(comparison).itertuples()
    ]


def question(row: pd.Series) -> dict[str, str]:
    """Data and attack of a row, in words."""
    parts = [find(str(row["metric"])).label]
    if not pd.isna(row["board"]):
        parts.append(board_name(str(row["board"])))
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


def linked(path: str, text: str) -> Markup:
    """A link to a file of the study, which lies beside the page."""
    return Markup('<a href="{}">{}</a>').format(path, text)

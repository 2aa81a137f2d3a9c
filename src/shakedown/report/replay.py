"""The page of a replay: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from shakedown.figures.replay_panels import direction
from shakedown.figures.selection import settings_of
from shakedown.figures.style import Setting
from shakedown.interface import InputError
from shakedown.replay.grouping import BOARD, OPEN, reference
from shakedown.replay.rules import RULES
from shakedown.report import replay_words
from shakedown.report.dryrun_rows import firm
from shakedown.report.dryrun_words import LEADERBOARDS, PARAMETERS
from shakedown.report.page import FigureCard, environment
from shakedown.report.pictures import picture
from shakedown.report.replay_words import board_label, team_or_teams
from shakedown.wording import amount, counted, metric_name, signed, signed_amount

#: The figures that have a place on the page.
FIGURES = ("replay_ranks", "replay_scores", "replay_error", "replay_splits", "replay_rungs")

#: The tables that the page reads, by the names of `replay.analyses.TABLES`.
READ = (
    "standings", "agreement", "ranks", "rank_intervals", "comparisons", "resolution", "splits",
    "errors", "messages",
)  # fmt: skip

# A p below this is told as such.
_SMALL_P = 0.001
# Messages of a rule that are listed one by one.
_LISTED = 200


@dataclass(frozen=True, eq=False)
class ReplayContent:
    """All that the page holds.  Neither a truth nor a prediction is among it.

    Attributes
    ----------
    study : str
    seed : int
    metric : str
    sizes : mapping of str to int
        How many "public" and "private" rows, "submissions" that were played, and "teams".
    tables : mapping of str to DataFrame
        Those in `READ`: the final standings, the rules' messages, and what `replay.analyses`
        returns.
    figures : mapping of str to FigureCard
        By their names in `FIGURES`; those that are missing are left out.
    narrow : mapping of str to FigureCard
        Some of the same, laid out for phones.
    versions : mapping of str to str
        Package (and Python) to version.
    config_text : str
        The complete configuration.
    """

    study: str
    seed: int
    metric: str
    sizes: Mapping[str, int]
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, FigureCard] = field(default_factory=dict)
    narrow: Mapping[str, FigureCard] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""


def render_replay(content: ReplayContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Parameters
    ----------
    content : ReplayContent

    Returns
    -------
    str

    Raises
    ------
    InputError
        If a table is missing, a figure has no place on the page, or its file is missing or damaged.
    """
    if unknown := sorted({*content.figures, *content.narrow} - set(FIGURES)):
        raise InputError(
            f"the replay's page has no place for the figures {unknown}; wanted some of "
            f"{list(FIGURES)}."
        )
    if missing := sorted(set(READ) - set(content.tables)):
        raise InputError(
            f"the replay's page wants the tables {', '.join(READ)}; {', '.join(missing)} are not "
            "among them. Analyse the replay again."
        )
    tables, metric = _named(content.tables), content.metric
    not_played, gone = _not_played(tables["messages"], tables["standings"])
    sentence, changed = replay_words.winner(tables["agreement"], tables["comparisons"])
    boards = _boards(tables["agreement"], tables["errors"])
    return environment().get_template("replay.html.j2").render(
        content=content,
        metric=metric_name(metric),
        direction=direction(metric),
        firm=firm,
        submissions=counted(content.sizes["submissions"], "submission"),
        teams_played=counted(content.sizes["teams"], "team"),
        shows_all=reference(tables["agreement"])["mechanism"].iloc[0] in OPEN,
        ranks_alone=_ranks_alone(content.tables["agreement"]),
        sentence=firm(sentence),
        changed=changed,
        answers=[
            replay_words.lead(tables["agreement"]),
            replay_words.moves(tables["agreement"], tables["ranks"]),
            replay_words.resolved(tables["resolution"], metric),
            replay_words.told_from(tables["comparisons"], tables["agreement"]),
            replay_words.off(tables["errors"], metric),
        ],
        held=firm(board_label(reference(tables["agreement"]).iloc[0])),
        top=int(tables["agreement"]["top"].max()),
        boards=[board for board in boards if not board["for_ranks"]],
        for_ranks=[board for board in boards if board["for_ranks"]],
        teams=_teams(tables["standings"], tables["rank_intervals"]),
        luck=replay_words.luck(tables["splits"]),
        resolved=[
            replay_words.resolved(tables["resolution"], metric, rows)
            for rows in ("public", "private")
        ],
        tests=[
            (
                firm(replay_words.told_from(tables["comparisons"], tables["agreement"], by)),
                _tests(tables["comparisons"], by),
            )
            for by in ("private", "public")
        ],
        rules=_rules(tables["messages"]),
        not_played=not_played,
        gone=gone,
        not_said=replay_words.not_said(tables["messages"], tables["agreement"]),
        words=[
            (word, firm(meaning))
            for word, meaning in (*replay_words.WORDS, *_board_words(tables["agreement"]))
        ],
        pictures={
            name: picture(content.figures, content.narrow, name, n)
            for n, name in enumerate(FIGURES)
        },
    )  # fmt: skip


def _ranks_alone(agreement: pd.DataFrame) -> bool:
    return bool((agreement["boards"] == "per_rank").all())


def _named(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, pd.DataFrame]:
    """The tables as the page calls their boards.

    Where all of them are for ranks, nothing tells two boards apart by it: the page says so once,
    and names them as the figures do.
    """
    if not _ranks_alone(tables["agreement"]):
        return tables
    return {
        name: table.assign(boards="per_team") if "boards" in table else table
        for name, table in tables.items()
    }


def _boards(agreement: pd.DataFrame, errors: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each board: who wins, who moves, how far it was off."""
    held = reference(agreement).index[0]
    both = agreement.assign(key=_keys(agreement)).merge(
        errors.assign(key=_keys(errors)).drop(columns=BOARD), on="key", how="left"
    )
    rows = []
    for (at, board), (_, row) in zip(agreement.iterrows(), both.iterrows(), strict=True):
        off = row["final_distance"]
        tied = int(row["tied"])
        rows.append(
            {
                "label": firm(board_label(board)),
                "held": at == held,
                "for_ranks": row["boards"] == "per_rank",
                "winner": team_or_teams(row["winner"], row["leaders"]),
                "private_winner": team_or_teams(row["private_winner"], row["winners"]),
                "moved": f"{int(row['moved'])}",
                "tied": f"{tied} share a place" if tied else "",
                "agreement": "–" if pd.isna(row["kendall"]) else signed(row["kendall"]),
                "off": "–" if pd.isna(off) else amount(off, 2),
                "flattered": "–" if pd.isna(off) else f"{100 * row['flattered']:.0f}\u00a0%",
                "error": "–" if pd.isna(off) else amount(row["leaderboard_error"], 2),
            }
        )
    return rows


def _keys(frame: pd.DataFrame) -> list[str]:
    return [" ".join(f"{row[c]}" for c in BOARD) for _, row in frame.astype(object).iterrows()]


def _teams(standings: pd.DataFrame, intervals: pd.DataFrame) -> list[dict[str, str]]:
    """The teams on the reference's board, with their private places."""
    rows = reference(standings).sort_values("place", kind="stable")
    bounds = reference(intervals).set_index("team")
    told = []
    for row in rows.itertuples():
        own = bounds.loc[row.team]
        told.append(
            {
                "team": row.team,
                "submission": row.in_force,
                "place": f"{int(row.place)}",
                "public": amount(row.score_public),
                "private": amount(row.score_private),
                "private_place": f"{int(own['private_place'])}",
                "interval": _span(int(own["place_low"]), int(own["place_high"])),
                "first": f"{100 * own['first']:.0f}\u00a0%",
            }
        )
    return told


def _span(low: int, high: int) -> str:
    return f"{low} to {high}" if low < high else f"{low}"


def _tests(comparisons: pd.DataFrame, by: str) -> list[dict[str, Any]]:
    """The leader against those behind it, on the reference's board."""
    own = reference(comparisons)
    return [
        {
            "rank": f"{int(row.rank)}",
            "team": row.team,
            "advantage": signed_amount(row.advantage),
            "interval": f"{signed_amount(row.low)} to {signed_amount(row.high)}",
            "p": _p(row.p),
            "holm": _p(row.p_holm),
            "bonferroni": _p(row.p_bonferroni),
            "sure": row.p_holm <= replay_words.LEVEL,
        }
        for row in own[(own["by"] == by).to_numpy(bool)].itertuples()
    ]


def _p(value: float) -> str:
    return f"< {_SMALL_P:g}" if value < _SMALL_P else f"{value:.2g}"


def _rules(messages: pd.DataFrame) -> list[dict[str, Any]]:
    """What the rules did, rule by rule in the order of `RULES`."""
    told = []
    for rule, part in messages.groupby("rule", sort=False):
        items = [_message(row) for row in part.itertuples()]
        told.append(
            {
                "rule": str(rule),
                "does": RULES.get(str(rule), ""),
                "messages": counted(len(part), "message"),
                "items": items[:_LISTED],
                "more": max(len(items) - _LISTED, 0),
            }
        )
    order = {rule: k for k, rule in enumerate(RULES)}
    return sorted(told, key=lambda each: order.get(each["rule"], len(order)))


def _message(row) -> dict[str, str]:
    whose = ", ".join(str(v) for v in (row.submission, row.team) if not pd.isna(v))
    told = pd.isna(row.played) or "not played" in row.done
    played = "" if told else "played" if bool(row.played) else "not played"
    return {"whose": whose, "done": row.done, "played": played}


def _not_played(messages: pd.DataFrame, standings: pd.DataFrame) -> tuple[int, int]:
    """How many submissions were not played, and how many teams have no other."""
    left = messages[~messages["played"].astype("boolean").fillna(True).to_numpy(bool)]
    teams = set(left["team"].dropna().astype(str)) - set(standings["team"].astype(str))
    return left["submission"].nunique(), len(teams)


def _board_words(agreement: pd.DataFrame) -> list[tuple[str, str]]:
    settings = settings_of(agreement)
    names = dict.fromkeys(setting.mechanism for setting in settings)
    boards = [(Setting(name).label, LEADERBOARDS[name]) for name in names if name in LEADERBOARDS]
    used = [
        # The scores of a replay are in their own units.
        (word, meaning.partition(", on the scale")[0].rstrip(".") + ".")
        for parameter, (word, meaning) in PARAMETERS.items()
        if any(getattr(setting, parameter) is not None for setting in settings)
    ]
    return [*boards, *used]

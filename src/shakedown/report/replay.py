"""The page of a replay: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from shakedown.figures.pages import titles_of
from shakedown.figures.replay.figure import REPLAY_FIGURES, direction
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.responses import LINEAR
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find
from shakedown.provenance import versions
from shakedown.replay.by_response import single_of
from shakedown.replay.cleaning import RULES
from shakedown.replay.grouping import BOARD, reference, shows_every_score
from shakedown.replay.log import Log, dropped_teams
from shakedown.replay.structure import Structure
from shakedown.replay.winner import decision_of, other_winners
from shakedown.replay.winner_rule import WinnerRule
from shakedown.report.glossary import explained
from shakedown.report.pictures import figure_cards
from shakedown.report.replay_average import average_rows
from shakedown.report.replay_learnt import learnt_rows
from shakedown.report.templates import PageContent, firm, rendered
from shakedown.wording import amount, counted, signed, signed_amount

#: The figures that have a place on the page.
FIGURES = tuple(REPLAY_FIGURES)

#: The tables of the page that are files, by the names of `replay.analyses.TABLES`.
FROM_FILES = (
    "standings", "agreement", "ranks", "rank_intervals", "comparisons", "resolution", "splits",
    "errors", "learnt", "average_ranks", "by_response",
)  # fmt: skip
#: All tables of the page: the log has two more.
READ = (*FROM_FILES, "dropped_teams", "messages")

PACKAGES = ("numpy", "scipy", "numba", "pandas", "matplotlib")

#: Level of the tests.
LEVEL = 0.05
# With fewer teams no other can win.
_TWO = 2
# A smaller p is shown as below it.
_SMALL_P = 0.001
# Messages of a rule that are listed one by one.
_LISTED = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplayContent(PageContent):
    """All that the page holds.  Neither a truth nor a prediction is among it.

    Attributes
    ----------
    metric : str
    sizes : mapping of str to int
        How many "submissions" were played, and of how many "teams".
    rows : str
        The public and the private rows in words.
    structure : Structure
        What is known of the values: how many responses, and which rows belong together.
    tables : mapping of str to DataFrame
        Those in `READ`: the final standings, the rules' messages, the teams that were dropped, and
        what `replay.analyses` returns.
    has_files : bool
        Whether the tables lie beside the page.
    winner : WinnerRule
        How the winner was found.
    """

    metric: str
    sizes: Mapping[str, int]
    rows: str
    structure: Structure
    tables: Mapping[str, pd.DataFrame]
    has_files: bool = True
    winner: WinnerRule = WinnerRule()


def content_of(
    log: Log,
    config: Mapping[str, Any],
    *,
    tables: Mapping[str, pd.DataFrame],
    svgs: Iterable[str | Path],
    command: str = "",
    has_files: bool = True,
) -> ReplayContent:
    """The content of a page from the results of a replay.

    Parameters
    ----------
    log : Log
    config : mapping
        The complete configuration.
    tables : mapping of str to DataFrame
        Those of `FROM_FILES`, as `grouping.read_table` reads them.
    svgs, command
        As in `pictures.figure_cards`.
    has_files : bool
        Whether the tables lie beside the page.
    """
    return ReplayContent(
        study=config["study"],
        seed=config["seed"],
        metric=config["replay"]["metric"],
        sizes={
            "submissions": len(log.submissions),
            "teams": log.submissions["team"].nunique(),
        },
        rows=rows_said(log),
        structure=log.structure,
        tables={
            **{name: tables[name] for name in FROM_FILES},
            "messages": log.messages,
            "dropped_teams": dropped_teams(log),
        },
        figures=figure_cards(svgs, titles_of(REPLAY_FIGURES), command),
        versions=versions(PACKAGES),
        has_files=has_files,
        winner=WinnerRule(**config["replay"]["winner"]),
        config_text=yaml.safe_dump(config, sort_keys=False, allow_unicode=True),
    )


def rows_said(log: Log) -> str:
    """The public and the private rows of a log in words."""
    said, cells = log.structure.said, log.structure.cells
    text = f"{said(log.public, 'public')} and {said(~log.public, 'private')}"
    return text if cells is None else f"{text} of {counted(len(cells.names), 'response')}"


def render_replay(content: ReplayContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Raises
    ------
    InputError
        If a figure has no place on the page.
    """
    tables = content.tables
    said = answer(tables["agreement"], tables["comparisons"])
    ranks_alone = bool((tables["agreement"]["boards"] == "per_rank").all())
    if ranks_alone:
        # Nothing tells two boards apart by it then: the page says so once, and names them as the
        # figures do.
        tables = {
            name: table.assign(boards="per_team") if "boards" in table else table
            for name, table in tables.items()
        }
    agreement = _named(tables["agreement"])
    comparisons, errors, messages = (tables[k] for k in ("comparisons", "errors", "messages"))
    reference_row = reference(agreement).iloc[0]
    same = agreement[agreement["same_leader"].to_numpy(bool)]
    boards = _boards(agreement, errors, reference_row)
    gone = ~messages["played"].astype("boolean").fillna(True)
    settings, metric = settings_in(agreement), find(content.metric)
    return rendered(
        "replay.html.j2",
        content,
        sentence=said,
        metric=metric,
        direction=direction(metric),
        reference=reference_row,
        shows_all=shows_every_score(of_setting(reference_row["setting"])),
        ranks_alone=ranks_alone,
        winners=_other_winners(agreement, comparisons, reference_row),
        decision=decision_of(
            tables["rank_intervals"], metric, content.winner, group=bool(content.structure.group)
        ),
        other_decisions=other_winners(tables["rank_intervals"]),
        rule_draws=int(tables["rank_intervals"]["draws"].iloc[0]),
        leads=len(same),
        leads_shared=(same["leaders"] > reference_row["leaders"]).sum(),
        moves=_moves(agreement, tables["ranks"], reference_row),
        gaps=reference(tables["resolution"]).to_dict("records"),
        tests={by: _tests(comparisons, reference_row, by) for by in ("private", "public")},
        off=reference(errors).iloc[0],
        off_others=errors.drop(index=reference(errors).index)["final_distance"],
        boards=[board for board in boards if board["boards"] != "per_rank"],
        for_ranks=[board for board in boards if board["boards"] == "per_rank"],
        teams=_teams(tables["standings"], tables["rank_intervals"]),
        learnt=learnt_rows(tables["learnt"]),
        linear=metric.name in LINEAR,
        structure=content.structure,
        average=average_rows(tables["average_ranks"]),
        response_metric=single_of(metric),
        responses=_responses(tables["by_response"]),
        splits=tables["splits"],
        rules=_rules(messages),
        not_played=messages.loc[gone.to_numpy(bool), "submission"].nunique(),
        dropped=tables["dropped_teams"],
        drawn_rows=bool((messages["rule"] == "public_drawn").any()),
        noisy=list(dict.fromkeys(mechanism.label for mechanism in settings if mechanism.is_noisy)),
        words=explained([*settings, metric]),
        pictures=content.placed(FIGURES),
    )


def answer(agreement: pd.DataFrame, comparisons: pd.DataFrame) -> str:
    """Whether another leaderboard would have changed the winner, in a sentence.

    Parameters
    ----------
    agreement, comparisons : DataFrame
        The tables of a replay.
    """
    agreement = _named(agreement)
    usual = reference(agreement).iloc[0]
    on_boards = counted(len(agreement), "leaderboard")
    if usual["teams"] < _TWO:
        return "There is only one team, so no other can win."
    if winners := _other_winners(agreement, comparisons, usual):
        changed = sum(other["boards"] for other in winners)
        alone = max(other["number"] for other in winners) == 1
        who = "another team wins" if alone else "others win"
        return f"Yes, on {changed} of {on_boards} {who} in private."
    wins = f"{usual['winning']} {'wins' if usual['winners'] == 1 else 'win'} in private"
    return f"No: {wins}{f' on all {on_boards}' if len(agreement) > 1 else ''}."


def _named(agreement: pd.DataFrame) -> pd.DataFrame:
    """With the name of each board, and the names of who leads and who wins on it."""

    def names(teams: str, number: str) -> list[str]:
        pairs = zip(agreement[teams], agreement[number].astype(int), strict=True)
        return [who if n <= 2 else f"{n} teams" for who, n in pairs]

    kinds = agreement["boards"].map({"per_rank": " for ranks"}).astype(object).fillna("")
    titles = [firm(of_setting(setting).title) for setting in agreement["setting"]]
    return agreement.assign(
        label=titles + kinds,
        leading=names("winner", "leaders"),
        winning=names("private_winner", "winners"),
    )


def _other_winners(
    agreement: pd.DataFrame, comparisons: pd.DataFrame, reference_row: pd.Series
) -> list[dict[str, Any]]:
    """The private winners of boards that change the winner.

    Each with the number of its boards, the label of the first, and the p of a test that holds it
    against the reference's winner (None where there is none, or several share the first place).
    """
    own = reference(comparisons)
    own = own[
        ((own["by"] == "private") & (own["winner"] == reference_row["private_winner"])).to_numpy(
            bool
        )
    ]
    p = {} if reference_row["winners"] > 1 else dict(zip(own["team"], own["p_holm"], strict=True))
    changed = agreement[~agreement["same_winner"].to_numpy(bool)]
    by_winner = changed.groupby(["private_winner", "winning", "winners"], sort=False)
    winners = [
        {"who": who, "number": number, "boards": len(rows), "label": rows["label"].iloc[0],
         "p": p.get(names)}
        for (names, who, number), rows in by_winner
    ]  # fmt: skip
    return sorted(winners, key=lambda winner: -winner["boards"])


def _moves(
    agreement: pd.DataFrame, ranks: pd.DataFrame, reference_row: pd.Series
) -> dict[str, Any]:
    """How many of the reference's top teams have another place elsewhere, and in private."""
    others = agreement.drop(index=reference_row.name)
    own = reference(ranks)
    best = own[(own["reference_place"] <= reference_row["top"]).to_numpy(bool)]
    return {
        "most": others["moved"].max(),
        "board": "" if others.empty else others.loc[others["moved"].idxmax(), "label"],
        "number": len(best),
        "out": (best["private_place"] > reference_row["top"]).sum(),
    }


def _tests(comparisons: pd.DataFrame, reference_row: pd.Series, by: str) -> dict[str, Any]:
    """The leader against those behind it, on the reference's board."""
    own = reference(comparisons)
    own = own[(own["by"] == by).to_numpy(bool)]
    rows = own.assign(
        advantage=own["advantage"].map(signed_amount),
        interval=[
            " to ".join(map(signed_amount, ends)) for ends in own[["low", "high"]].to_numpy()
        ],
        p_holm_class=(own["p_holm"] <= LEVEL).map({True: "sure", False: ""}),
        **{p: own[p].map(_p) for p in ("p", "p_holm", "p_bonferroni")},
    )
    return {
        "first": reference_row["winners" if by == "private" else "leaders"],
        "is_t": (own["test"] == "paired t").all(),
        "separated": (own["p_holm"] <= LEVEL).sum(),
        "rows": rows.to_dict("records"),
    }


def _p(value: float) -> str:
    return f"< {_SMALL_P:g}" if value < _SMALL_P else f"{value:.2g}"


def _boards(
    agreement: pd.DataFrame, errors: pd.DataFrame, reference_row: pd.Series
) -> list[dict[str, Any]]:
    """A row for each board: who wins, who moves, how far it was off."""
    off = ["final_distance", "flattered", "leaderboard_error"]
    rows = agreement.merge(errors[[*BOARD, *off]], on=BOARD, how="left")
    rows[off] = rows[off].where(rows["final_distance"].notna())
    is_reference = (rows[BOARD] == reference_row[BOARD]).all(axis=1)

    def texts(column: str, form: Callable[[float], str]) -> pd.Series:
        return rows[column].map(form, na_action="ignore").astype(object).fillna("–")

    shown = rows.assign(
        **{"class": is_reference.map({True: "chosen", False: ""}), "open": is_reference},
        fold="Wins in private: " + rows["winning"].astype(str),
        moved=rows["moved"].astype(object).mask(is_reference, "–"),
        tied=rows["tied"].map(lambda tied: f"{tied} share a place" if tied else ""),
        kendall=texts("kendall", signed),
        final_distance=texts("final_distance", lambda off: amount(off, 2)),
        flattered=texts("flattered", lambda share: f"{100 * share:.0f}\u00a0%"),
        leaderboard_error=texts("leaderboard_error", lambda error: amount(error, 2)),
    )
    return shown.to_dict("records")


def _teams(standings: pd.DataFrame, intervals: pd.DataFrame) -> list[dict[str, Any]]:
    """The teams on the reference's board, with their private places."""
    places = [
        "team", "private_place", "place_low", "place_high", "first", "k", "final_place", "second",
    ]  # fmt: skip
    rows = reference(standings).drop(columns="private_place")
    rows = rows.merge(reference(intervals)[places], on="team", how="left")
    low, high = (rows[c].astype(int).astype(str) for c in ("place_low", "place_high"))
    rows = rows.assign(
        score_public=rows["score_public"].map(amount),
        score_private=rows["score_private"].map(amount),
        interval=low.where(low == high, low + " to " + high),
        first=rows["first"].map(lambda share: f"{100 * share:.0f}\u00a0%"),
        k=rows["k"].map(lambda k: amount(k) if np.isfinite(k) else "∞"),
        second=rows["second"].map(lambda score: amount(score) if np.isfinite(score) else ""),
    )
    return rows.sort_values("place", kind="stable").to_dict("records")


def _responses(by_response: pd.DataFrame) -> list[dict[str, Any]]:
    """For each response the best team, its private score, and the median of all."""
    rows = []
    for response, part in by_response.groupby("response", sort=False):
        best = part[(part["private_place"] == 1).to_numpy(bool) & part["score_private"].notna()]
        rows.append({
            "response": response,
            "rows": part["rows"].iloc[0],
            "best": " / ".join(best["team"]) if len(best) <= _TWO else f"{len(best)} teams",
            "score": amount(best["score_private"].iloc[0]) if len(best) else "–",
            "median": amount(part["score_private"].median()) if len(best) else "–",
        })  # fmt: skip
    return rows


def _rules(messages: pd.DataFrame) -> list[dict[str, Any]]:
    """What the rules did, rule by rule in the order of `RULES`."""
    whose = messages["submission"].str.cat(messages["team"], sep=", ", na_rep="").str.strip(", ")
    by_rule = dict(iter(messages.assign(whose=whose).groupby("rule", sort=False)))
    return [
        {
            "does": RULES.get(rule, rule),
            "number": len(by_rule[rule]),
            "messages": by_rule[rule][:_LISTED].to_dict("records"),
        }
        for rule in sorted(by_rule, key=[*RULES, *by_rule].index)
    ]

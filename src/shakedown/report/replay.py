"""The page of a replay: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from shakedown.figures.replay.figure import REPLAY_FIGURES, direction
from shakedown.leaderboard.mechanism import of_setting
from shakedown.leaderboard.settings import settings_in
from shakedown.metrics import find
from shakedown.replay.cleaning import RULES
from shakedown.replay.grouping import BOARD, reference, shows_every_score
from shakedown.report.glossary import explained
from shakedown.report.templates import PageContent, firm, rendered
from shakedown.wording import amount, signed, signed_amount

#: The figures that have a place on the page.
FIGURES = tuple(REPLAY_FIGURES)

#: The tables that the page reads, by the names of `replay.analyses.TABLES`.
READ = (
    "standings", "agreement", "ranks", "rank_intervals", "comparisons", "resolution", "splits",
    "errors", "dropped_teams", "messages",
)  # fmt: skip

#: Level of the tests.
LEVEL = 0.05
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
        How many "public" and "private" rows, "submissions" that were played, and "teams".
    tables : mapping of str to DataFrame
        Those in `READ`: the final standings, the rules' messages, the teams that were dropped, and
        what `replay.analyses` returns.
    """

    metric: str
    sizes: Mapping[str, int]
    tables: Mapping[str, pd.DataFrame]


def render_replay(content: ReplayContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Raises
    ------
    InputError
        If a figure has no place on the page.
    """
    tables = content.tables
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
        metric=metric,
        direction=direction(metric),
        reference=reference_row,
        shows_all=shows_every_score(of_setting(reference_row["setting"])),
        ranks_alone=ranks_alone,
        winners=_other_winners(agreement, comparisons, reference_row),
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
        splits=tables["splits"],
        rules=_rules(messages),
        not_played=messages.loc[gone.to_numpy(bool), "submission"].nunique(),
        dropped=tables["dropped_teams"],
        drawn_rows=bool((messages["rule"] == "public_drawn").any()),
        noisy=list(dict.fromkeys(mechanism.label for mechanism in settings if mechanism.is_noisy)),
        words=explained([*settings, metric]),
        pictures=content.placed(FIGURES),
    )


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
        **{"class": is_reference.map({True: "chosen", False: ""})},
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
    places = ["team", "private_place", "place_low", "place_high", "first"]
    rows = reference(standings).drop(columns="private_place")
    rows = rows.merge(reference(intervals)[places], on="team", how="left")
    low, high = (rows[c].astype(int).astype(str) for c in ("place_low", "place_high"))
    rows = rows.assign(
        score_public=rows["score_public"].map(amount),
        score_private=rows["score_private"].map(amount),
        interval=low.where(low == high, low + " to " + high),
        first=rows["first"].map(lambda share: f"{100 * share:.0f}\u00a0%"),
    )
    return rows.sort_values("place", kind="stable").to_dict("records")


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

"""The page of a replay: the answer first, then what it rests on; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from shakedown.figures.replay.figure import REPLAY_FIGURES, direction
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import of_setting, settings_in
from shakedown.metrics import find
from shakedown.replay.grouping import BOARD, reference, shows_every_score
from shakedown.replay.rules import RULES
from shakedown.report.glossary import explained
from shakedown.report.pictures import FigureCard, placed
from shakedown.report.templates import environment, firm
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
        Those in `READ`: the final standings, the rules' messages, the teams that were dropped, and
        what `replay.analyses` returns.
    figures : mapping of str to FigureCard
        By their names in `FIGURES`; those that are missing are left out.
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
    versions: Mapping[str, str] = field(default_factory=dict)
    config_text: str = ""


def render_replay(content: ReplayContent) -> str:
    """The page as HTML.

    The same content gives the same bytes.

    Raises
    ------
    InputError
        If a table is missing, a figure has no place on the page, or its file is missing.
    """
    drawn = placed(content.figures, FIGURES, "replay")
    if missing := sorted(set(READ) - set(content.tables)):
        raise InputError(
            f"the replay's page wants the tables {', '.join(READ)}; {', '.join(missing)} are not "
            "among them. Analyse the replay again."
        )
    ranks_alone = bool((content.tables["agreement"]["boards"] == "per_rank").all())
    tables = _named(content.tables) if ranks_alone else content.tables
    agreement, comparisons, errors = (tables[k] for k in ("agreement", "comparisons", "errors"))
    held = reference(agreement).iloc[0]
    boards = _boards(agreement, errors)
    messages, metric = tables["messages"], find(content.metric)
    gone = ~messages["played"].astype("boolean").fillna(True)
    return environment().get_template("replay.html.j2").render(
        content=content,
        metric=metric,
        direction=direction(metric),
        held={**held, "label": _label(held)},
        shows_all=shows_every_score(of_setting(held["setting"])),
        ranks_alone=ranks_alone,
        winners=_other_winners(agreement, comparisons),
        leads=_leads(agreement),
        moves=_moves(agreement, tables["ranks"]),
        gaps=reference(tables["resolution"]).to_dict("records"),
        tests={by: _tests(comparisons, held, by) for by in ("private", "public")},
        off=reference(errors).iloc[0],
        off_others=errors.drop(index=reference(errors).index)["final_distance"],
        boards=[board for board in boards if not board["for_ranks"]],
        for_ranks=[board for board in boards if board["for_ranks"]],
        teams=_teams(tables["standings"], tables["rank_intervals"]),
        splits=tables["splits"],
        rules=_rules(messages),
        not_played=messages.loc[gone.to_numpy(bool), "submission"].nunique(),
        dropped=tables["dropped_teams"].to_dict("records"),
        drawn_rows=bool((messages["rule"] == "public_drawn").any()),
        noisy=list(dict.fromkeys(one.label for one in settings_in(agreement) if one.is_noisy)),
        words=explained([*settings_in(agreement), metric]),
        pictures=drawn,
    )  # fmt: skip


def _named(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, pd.DataFrame]:
    """The tables as the page calls their boards where all of them are for ranks.

    Nothing tells two boards apart by it then: the page says so once, and names them as the figures
    do.
    """
    return {
        name: table.assign(boards="per_team") if "boards" in table else table
        for name, table in tables.items()
    }


def _label(row: Mapping[str, Any]) -> str:
    """Name of a board: mechanism, settings, and whether its instances are for ranks."""
    kind = " for ranks" if row["boards"] == "per_rank" else ""
    return firm(of_setting(row["setting"]).title) + kind


def _team(names: str, number: int) -> str:
    """The name of a team, or how many teams there are where more than two share a place."""
    return names if number <= 2 else f"{int(number)} teams"


def _other_winners(agreement: pd.DataFrame, comparisons: pd.DataFrame) -> list[dict[str, Any]]:
    """The private winners of boards that change the winner.

    Each with the number of its boards, the label of the first, and the p of a test that holds it
    against the reference's winner (None where there is none, or several share the first place).
    """
    held = reference(agreement).iloc[0]
    own = reference(comparisons)
    own = own[((own["by"] == "private") & (own["winner"] == held["private_winner"])).to_numpy(bool)]
    p = {} if held["winners"] > 1 else dict(zip(own["team"], own["p_holm"], strict=True))
    changed = agreement[~agreement["same_winner"].to_numpy(bool)]
    winners = [
        {
            "who": _team(names, number),
            "number": number,
            "boards": len(rows),
            "label": _label(rows.iloc[0]),
            "p": p.get(names),
        }
        for (names, number), rows in changed.groupby(["private_winner", "winners"], sort=False)
    ]
    return sorted(winners, key=lambda winner: -winner["boards"])


def _leads(agreement: pd.DataFrame) -> dict[str, Any]:
    """Who leads in public on the reference, on how many boards, and on how many with others."""
    held = reference(agreement).iloc[0]
    same = agreement[agreement["same_leader"].to_numpy(bool)]
    return {
        "who": _team(held["winner"], held["leaders"]),
        "number": held["leaders"],
        "boards": len(same),
        "shared": (same["leaders"] > held["leaders"]).sum(),
    }


def _moves(agreement: pd.DataFrame, ranks: pd.DataFrame) -> dict[str, Any]:
    """How many of the reference's top teams have another place elsewhere, and in private."""
    held = reference(agreement).iloc[0]
    others = agreement.drop(index=held.name)
    own = reference(ranks)
    best = own[(own["reference_place"] <= held["top"]).to_numpy(bool)]
    return {
        "most": others["moved"].max(),
        "board": "" if others.empty else _label(others.loc[others["moved"].idxmax()]),
        "number": len(best),
        "out": (best["private_place"] > held["top"]).sum(),
    }


def _tests(comparisons: pd.DataFrame, held: pd.Series, by: str) -> dict[str, Any]:
    """The leader against those behind it, on the reference's board."""
    own = reference(comparisons)
    own = own[(own["by"] == by).to_numpy(bool)]
    rows = own.assign(
        advantage=own["advantage"].map(signed_amount),
        interval=[
            " to ".join(map(signed_amount, ends)) for ends in own[["low", "high"]].to_numpy()
        ],
        sure=(own["p_holm"] <= LEVEL).map({True: "sure", False: ""}),
        **{p: own[p].map(_p) for p in ("p", "p_holm", "p_bonferroni")},
    )
    return {
        "first": held["winners" if by == "private" else "leaders"],
        "is_t": (own["test"] == "paired t").all(),
        "found": (own["p_holm"] <= LEVEL).sum(),
        "rows": rows.rename(columns={"sure": "p_holm_class"}).to_dict("records"),
    }


def _p(value: float) -> str:
    return f"< {_SMALL_P:g}" if value < _SMALL_P else f"{value:.2g}"


def _boards(agreement: pd.DataFrame, errors: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each board: who wins, who moves, how far it was off."""
    held = list(reference(agreement)[BOARD].iloc[0])
    wanted = [*BOARD, "final_distance", "flattered", "leaderboard_error"]
    rows = []
    for row in agreement.merge(errors[wanted], on=BOARD, how="left").to_dict("records"):
        is_held, shown = [row[c] for c in BOARD] == held, pd.notna(row["final_distance"])
        rows.append(
            {
                "label": _label(row),
                "class": "chosen" if is_held else "",
                "for_ranks": row["boards"] == "per_rank",
                "winner": _team(row["winner"], row["leaders"]),
                "private_winner": _team(row["private_winner"], row["winners"]),
                "moved": "–" if is_held else row["moved"],
                "tied": f"{row['tied']} share a place" if row["tied"] else "",
                "agreement": "–" if pd.isna(row["kendall"]) else signed(row["kendall"]),
                "off": amount(row["final_distance"], 2) if shown else "–",
                "flattered": f"{100 * row['flattered']:.0f}\u00a0%" if shown else "–",
                "error": amount(row["leaderboard_error"], 2) if shown else "–",
            }
        )
    return rows


def _teams(standings: pd.DataFrame, intervals: pd.DataFrame) -> list[dict[str, Any]]:
    """The teams on the reference's board, with their private places."""
    places = ["team", "private_place", "place_low", "place_high", "first"]
    rows = reference(standings).drop(columns="private_place")
    rows = rows.merge(reference(intervals)[places], on="team", how="left")
    low, high = (rows[c].astype(int).astype(str) for c in ("place_low", "place_high"))
    return (
        rows.assign(
            score_public=rows["score_public"].map(amount),
            score_private=rows["score_private"].map(amount),
            interval=low.where(low == high, low + " to " + high),
            first=rows["first"].map("{:.0%}".format).str.replace("%", "\u00a0%"),
        )
        .sort_values("place", kind="stable")
        .to_dict("records")
    )


def _rules(messages: pd.DataFrame) -> list[dict[str, Any]]:
    """What the rules did, rule by rule in the order of `RULES`."""
    order = {rule: k for k, rule in enumerate(RULES)}
    whose = messages["submission"].str.cat(messages["team"], sep=", ", na_rep="").str.strip(", ")
    found = [
        {
            "rule": rule,
            "does": RULES.get(rule, rule),
            "number": len(part),
            "messages": part[:_LISTED].to_dict("records"),
        }
        for rule, part in messages.assign(whose=whose).groupby("rule", sort=False)
    ]
    return sorted(found, key=lambda each: order.get(each["rule"], len(order)))

"""The candidates of every attack and setting: what an attacker can choose from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from shakedown.attacks.attack import ANYBODY, ATTACKS, MODELLER
from shakedown.dryrun.chance import beyond_chance
from shakedown.interface import InputError

GROUP = ["dataset", "metric", "setting"]
CANDIDATE = ["experiment", "attack", "iteration_board", "n_features", "point"]


class Part(NamedTuple):
    """The candidates of an attack or recipe in one setting, in order of their submissions."""

    rows: np.ndarray  #: Position of a row of each candidate in the table, shape (m,).
    costs: np.ndarray  #: Submissions that each candidate needs, shape (m,).
    values: np.ndarray  #: Δ beyond chance, shape (m, replicates).
    by_chance: np.ndarray  #: What was subtracted from Δ, shape (m,).
    blind: np.ndarray  #: Δ on the leaderboard that shows nothing, or NaN; shape of `values`.
    widening: np.ndarray  #: See `chance.beyond_chance`; shape (m,).
    fixed: bool  #: Whether it is a recipe.


def prepared(
    outcomes: pd.DataFrame, quantile: float, accounts: int = 1
) -> tuple[pd.DataFrame, dict[str, list[str]], list[dict[str, Part]]]:
    """Outcomes beyond chance, the parts of each threat, and the candidates of each setting.

    Parameters and errors as those of `frontier`.
    """
    if nulls := int(outcomes["delta"].isna().sum()):
        raise InputError(f"frontier: wanted a number in every row of delta; {nulls} are null.")
    outcomes = beyond_chance(outcomes, quantile)
    if accounts > 1:
        made = outcomes["submissions"]
        dealt = outcomes["score_honest"].notna()
        outcomes["submissions"] = made.where(~dealt, -(-made // accounts))
    groups, attacks, recipes = threats_of(outcomes)
    names = outcomes["experiment"].to_numpy(object)
    points = outcomes["point"].to_numpy(float)
    features = outcomes["n_features"].to_numpy(float)
    widening, by_chance = (outcomes[name].to_numpy(float) for name in ("widening", "by_chance"))
    settings = []
    for positions in _settings(outcomes):
        parts = {}
        for threat, experiments in attacks.items():
            own = positions[np.isin(names[positions], experiments)]
            if not len(own):
                continue
            rows, costs, values, blind = _candidates(outcomes, own)
            if fixed := threat in recipes:
                among = _largest(points[rows], features[rows])
                rows, costs, values, blind = (x[among] for x in (rows, costs, values, blind))
            parts[threat] = Part(rows, costs, values, by_chance[rows], blind, widening[rows], fixed)
        settings.append(parts)
    return outcomes, groups, settings


def threats_of(
    outcomes: pd.DataFrame,
) -> tuple[dict[str, list[str]], dict[str, list[str]], set[str]]:
    """The kinds of attackers that limits are computed for.

    Returns
    -------
    groups : dict of str to list of str
        The attacks and recipes that each threat (see `Attack.threat_of`) can choose from.  If
        not all of them are modellers', `ANYBODY` can choose from them all.
    attacks : dict of str to list of str
        The experiments of each attack and recipe.  An experiment that stands for another threat
        than its attack is an attack by itself.
    recipes : set of str
        The recipes: they play the largest budget that fits, without a choice.
    """
    pairs = outcomes[["experiment", "attack"]].astype(str).drop_duplicates()
    played = [(experiment, ATTACKS.find(name)) for experiment, name in pairs.to_numpy()]
    recipes = {experiment for experiment, attack in played if experiment in attack.recipes}
    groups: dict[str, list[str]] = {}
    attacks: dict[str, list[str]] = {}
    for experiment, attack in played:
        threat = attack.threat_of(experiment)
        part = attack.name if threat == attack.threat else experiment
        attacks.setdefault(part, []).append(experiment)
        if threat is not None:
            own = [part, *([experiment] if experiment in recipes else [])]
            members = groups.setdefault(threat, [])
            members += [part for part in own if part not in members]
    attacks |= {recipe: [recipe] for recipe, _ in played if recipe in recipes}
    if len(groups) > 1 or (groups and MODELLER not in groups):
        groups[ANYBODY] = [part for parts in groups.values() for part in parts]
    return groups, attacks, recipes


def _settings(table: pd.DataFrame) -> list[np.ndarray]:
    """The positions of the rows of each data set, metric and setting."""
    group = _codes(table[GROUP])
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(order) else []


def _candidates(table: pd.DataFrame, rows: np.ndarray):
    """The Δ of all candidates among some rows of a setting, in order of their submissions.

    Returns
    -------
    rows : ndarray of int, shape (m,)
        For each candidate, the position of one of its rows in the table.
    costs : ndarray of float, shape (m,)
        Number of submissions that each candidate needs.
    values, blind : ndarray of float, shape (m, replicates)
    """
    own = table.iloc[rows]
    _, first, c = np.unique(_codes(own[CANDIDATE]), return_index=True, return_inverse=True)
    numbers, r = np.unique(own["replicate"].to_numpy(np.int64), return_inverse=True)
    shape = len(first), len(numbers)
    times = np.bincount(c * shape[1] + r, minlength=shape[0] * shape[1]).reshape(shape)
    complete = (times > 0).all(axis=0)
    if times.max() > 1 or not complete.any():
        wanted, got = (
            ("one row for each candidate and replicate", "several")
            if times.max() > 1
            else ("a replicate with all candidates", "none")
        )
        setting = own["setting"].iloc[0]
        raise InputError(f"frontier: setting '{setting}': wanted {wanted}, got {got}.")
    values, made, blind = (np.zeros(shape) for _ in range(3))
    values[c, r] = own["delta"].to_numpy(float)
    made[c, r] = own["submissions"].to_numpy(float)
    blind[c, r] = own["blind"].to_numpy(float)
    costs = made[:, complete].max(axis=1)
    by_cost = np.argsort(costs, kind="stable")
    values, blind = (table[by_cost][:, complete] for table in (values, blind))
    return rows[first[by_cost]], costs[by_cost], values, blind


def _codes(table: pd.DataFrame) -> np.ndarray:
    """A number for each row; equal rows have equal numbers, and nulls are equal."""
    code = np.zeros(len(table), np.int64)
    for name in table:
        codes, labels = pd.factorize(table[name], use_na_sentinel=False)
        code = pd.factorize(code * len(labels) + codes)[0]
    return code


def _largest(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each value is the largest of those with its label."""
    return values == pd.Series(values).groupby(labels).transform("max").to_numpy()

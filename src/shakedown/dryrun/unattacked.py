"""Leaderboards that are not attacked, because attacks cannot play there or learn nothing.

An attack cannot play where a part of a leaderboard publishes nothing that it needs.  It submits
files all the same, but what it reaches says nothing of the leaderboard.  So a limit against it, or
against anybody who can choose it, is not a number: the leaderboard is *not attacked*.  It is not
either if what it publishes (see `published`), or what adversaries estimate of it (see `estimates`),
is not what it shows on simulated responses, if a better file is not shown as better there, or if
adversaries had to estimate and then reached nothing.

An attack that is not made for a leaderboard (`Attack.learns_from`) says nothing of it either, but
others may.  If none is left, this kind of adversary does not attack the leaderboard, and there is
no limit against anybody either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from shakedown.attacks.adversary import Adversary
from shakedown.attacks.attack import ANYBODY, ATTACKS, MODELLER, THREATS
from shakedown.attacks.estimating import files_of
from shakedown.dryrun.candidates import GROUP, threats_of
from shakedown.dryrun.estimates import holds
from shakedown.dryrun.published import follows, shows_it
from shakedown.leaderboard.mechanism import of_setting
from shakedown.metrics import find
from shakedown.simulation.outcomes import typed

#: What the column `status` of limits says.
MEASURED, NOT_ATTACKED = "measured", "not attacked"


def is_idle(outcomes: pd.DataFrame, n_public: int) -> np.ndarray:
    """Which outcomes are those of an attack that cannot play on its leaderboard; shape (rows,)."""
    return _which(outcomes, n_public, _cannot_play)


def is_deaf(outcomes: pd.DataFrame, n_public: int) -> np.ndarray:
    """Which outcomes are those of an attack that learns nothing there; shape (rows,)."""
    return _which(outcomes, n_public, _learns_nothing)


def _which(
    outcomes: pd.DataFrame, n_public: int, holds: Callable[[str, str, str, int], bool]
) -> np.ndarray:
    """For which outcomes something holds of their attack, metric and setting; shape (rows,)."""
    keys = outcomes[["attack", "metric", "setting"]].astype(str)
    which = {
        key
        for key in keys.drop_duplicates().itertuples(index=False, name=None)
        if holds(*key, n_public)
    }
    return np.array([key in which for key in keys.itertuples(index=False, name=None)], bool)


def _learns_nothing(attack: str, metric: str, setting: str, n_public: int) -> bool:
    mechanism = of_setting(setting)
    terms = mechanism.terms(find(metric), n_public)
    if mechanism.is_control or terms.silent:  # what is silent may be estimated
        return False
    return not ATTACKS.find(attack).learns_from(terms)


def _cannot_play(attack: str, metric: str, setting: str, n_public: int) -> bool:
    kind, terms = ATTACKS.find(attack), of_setting(setting).terms(find(metric), n_public)
    if kind.cannot_play(terms):
        return True
    if kind.reads == "scores" and not follows(setting, metric, n_public):
        return True
    plans = issubclass(kind, Adversary) or kind.needs_terms
    if plans and not shows_it(setting, metric, n_public, on_labels=kind.on_labels):
        return True
    if not issubclass(kind, Adversary) or not files_of(terms, needs_margin=kind.needs_margin):
        return False
    return not holds(setting, metric, n_public, needs_margin=kind.needs_margin)


def unattacked(outcomes: pd.DataFrame, idle: np.ndarray, deaf: np.ndarray) -> pd.DataFrame:
    """The threats against which leaderboards are not attacked.

    Parameters
    ----------
    outcomes : DataFrame
        All of a dry run.
    idle, deaf : ndarray of bool, shape (rows,)
        As `is_idle` and `is_deaf` return them.

    Returns
    -------
    DataFrame
        dataset, metric, setting, threat, unplayed (the names of the attacks of this threat that
        cannot play or, if there are no others, learn nothing, joined by commas), and replicates.
    """
    groups, attacks, _ = threats_of(outcomes)
    members = {
        threat: [experiment for part in parts for experiment in attacks[part]]
        for threat, parts in groups.items()
        if threat != ANYBODY
    }
    marked = outcomes.assign(idle=idle, deaf=idle | deaf)
    marked = marked[[*GROUP, "experiment", "attack", "idle", "deaf", "replicate"]]
    rows = []
    for key, part in marked.groupby(GROUP, observed=True, sort=False):
        nobody: dict[str, None] = {}
        for threat, experiments in (attacks | members).items():
            own = part[part["experiment"].isin(experiments).to_numpy(bool)]
            left_out = own["idle"] if own["idle"].any() else own["deaf"]
            if not left_out.any() or not (own["idle"].any() or own["deaf"].all()):
                continue
            names = dict.fromkeys(own.loc[left_out, "attack"].astype(str))
            if threat in members:
                nobody |= names
            rows.append((*map(str, key), threat, ", ".join(names), own["replicate"].nunique()))
        if nobody and ANYBODY in groups:
            names = ", ".join(nobody)
            rows.append((*map(str, key), ANYBODY, names, part["replicate"].nunique()))
    return pd.DataFrame(rows, columns=[*GROUP, "threat", "unplayed", "replicates"])


def attacked_only(table: pd.DataFrame, missing: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frontier or of limits without those that are `unattacked`."""
    keys = [*GROUP, "threat"]
    known = set(missing[keys].itertuples(index=False, name=None))
    pairs = table[keys].astype(str).itertuples(index=False, name=None)
    return table[np.array([pair not in known for pair in pairs], bool)]


def with_unattacked(
    limits: pd.DataFrame,
    missing: pd.DataFrame,
    thresholds: Sequence[float],
    quantile: float,
    n_public: int,
) -> pd.DataFrame:
    """Limits with a row for each that is not attacked, and what is known of the board's terms.

    The columns are status ("measured" or "not attacked"), unplayed (the attacks that cannot play)
    and estimating: the files that the others spend to find out what the board does not publish.
    They are among the safe submissions.

    Parameters
    ----------
    limits : DataFrame
        As `limits.safe_submissions` returns it.
    missing : DataFrame
        As `unattacked` returns it.
    thresholds : sequence of float
        Tolerated Δ, in the unit of `limits`.
    quantile : float
    n_public : int
        Public rows.
    """
    whole = attacked_only(limits, missing).assign(status=MEASURED, unplayed="")
    if not missing.empty:
        whole = _with_rows(whole, missing, thresholds, quantile)
    return _without_failures(_with_files(whole, n_public))


def _with_rows(
    limits: pd.DataFrame, missing: pd.DataFrame, thresholds: Sequence[float], quantile: float
) -> pd.DataFrame:
    """Limits with a row for each that is missing."""
    rows = missing.merge(
        pd.DataFrame({"threshold": [float(threshold) for threshold in thresholds]}), "cross"
    )
    rows = rows.assign(quantile=float(quantile), censored=False, status=NOT_ATTACKED)
    rows = rows.reindex(columns=limits.columns)
    counts = dict.fromkeys(("safe_submissions", "ci_low", "ci_high", "replicates"), "Int64")
    texts = dict.fromkeys(("dataset", "metric", "setting", "threat"), object)
    parts = [limits.astype(texts | counts), rows.astype(counts)]
    return typed(pd.concat(parts, ignore_index=True))


def _without_failures(limits: pd.DataFrame) -> pd.DataFrame:
    """Limits without those of adversaries who had to estimate, and then reached nothing.

    The board may do what no estimate fits; what they did not reach says nothing of it.
    """
    limits, kinds = limits.copy(), [threat for threat in THREATS if threat != MODELLER]
    threats = limits["threat"].astype(str)
    failed = limits["censored"].astype(bool) & (limits["estimating"] > 0) & threats.isin(kinds)
    # Nobody knows of all either what is not known of some.
    keys = [*GROUP, "threshold"]
    pairs = pd.MultiIndex.from_frame(limits[keys].astype(dict.fromkeys(GROUP, str)))
    failed |= pairs.isin(pairs[failed]) & (threats == ANYBODY).to_numpy(bool)
    limits.loc[failed, ["safe_submissions", "ci_low", "ci_high"]] = pd.NA
    limits.loc[failed, "censored"] = False
    limits.loc[failed, "status"] = NOT_ATTACKED
    return limits


def _with_files(limits: pd.DataFrame, n_public: int) -> pd.DataFrame:
    """Limits with the column estimating."""
    pairs = limits[["setting", "metric"]].astype(str)
    files = {
        pair: _files(*pair, n_public)
        for pair in pairs.drop_duplicates().itertuples(index=False, name=None)
    }
    counts = [files[pair] for pair in pairs.itertuples(index=False, name=None)]
    return limits.assign(estimating=np.array(counts, np.int64))


def _files(setting: str, metric: str, n_public: int) -> int:
    """Files of an estimate; 0 if it needs none, or if it is not what the leaderboard does."""
    files = files_of(of_setting(setting).terms(find(metric), n_public))
    return files if files and holds(setting, metric, n_public) else 0

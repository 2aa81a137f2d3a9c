"""What an organiser must know about the data before any answer, and about the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from shakedown.dryrun.resolution import COARSE
from shakedown.wording import PUBLIC_ROW, amount, counted, some


def warnings_of(
    utility: pd.DataFrame,
    *,
    leaks: Sequence[str] = (),
    n_features: int | None = None,
    most: int | None = None,
    unread: str = "",
    scores_alone: str = "",
    is_probed: bool = False,
) -> list[str]:
    """Sentences that come before the answer; none if all is well.

    Parameters
    ----------
    utility : DataFrame
        As `usefulness.measure.measure` returns it; reads `sequence` and `honest_gain`.
    leaks : sequence of str
        Features that give the response away.
    n_features : int, optional
    most : int, optional
        The most submissions that were played, if fewer than wanted.
    unread : str
        What the metric is called, if no attack with arbitrary numbers can read it.
    scores_alone : str
        What the metric is called, if all attacks with arbitrary numbers need nothing but scores.
    is_probed : bool
        Whether the linear probe is played nevertheless.
    """
    sentences = []
    if leaks:
        single = len(leaks) == 1
        sentences.append(
            f"{'Feature' if single else 'Features'} {some(leaks)} {'gives' if single else 'give'} "
            f"the response away: leave {'it' if single else 'them'} out, unless participants may "
            f"know {'it' if single else 'them'}."
        )
    if is_unpredictable(utility):
        sentences.append(
            "Honest models do not predict this response clearly better than a constant does: a "
            "leaderboard on these data ranks noise."
        )
    if most is not None:
        features = f"{counted(n_features, 'feature')} " if n_features else "these features "
        sentences.append(
            f"With {features}the attackers have only {counted(most, 'different model')} to "
            "submit; nothing beyond that was tried."
        )
    if unread:
        sentences.append(
            f"No attack with arbitrary numbers is known here for the {unread}: what follows holds "
            "only against participants who submit fitted models."
        )
    if scores_alone:
        sentences.append(
            f"Under the {scores_alone} the only attacks with arbitrary numbers that were played "
            f"are {'the linear probe and ' if is_probed else ''}those that need nothing but "
            "scores. An attack made for this metric may get further."
        )
    return sentences


def too_fine_to_tell(
    rests: Mapping[str, Any],
    standard_error: float | None,
    n_public: int | None,
    of_rows: str = PUBLIC_ROW,
) -> str:
    """A sentence if the public rows cannot resolve what is tolerated, else "".

    They cannot if the tolerated Δ is smaller than `resolution.COARSE`, a half, of the standard
    error of one public score.

    Parameters
    ----------
    rests : mapping
        threshold, share, spread and unit, as in a recommendation's `rests_on`.
    standard_error : float or None
        As `resolution.standard_error` returns it.
    n_public : int or None
    of_rows : str
        What is counted.
    """
    tolerated = -rests["threshold"]
    if standard_error is None or n_public is None or tolerated >= COARSE * standard_error:
        return ""
    if rests["share"]:
        whole = tolerated / rests["share"]
        own = f"{amount(100 * rests['share'], 2)} % of the {rests['spread']}"
        error = f"{amount(100 * standard_error / whole, 2)} %"
    else:
        own, error = (amount(value, 2) for value in (tolerated, standard_error))
        own = f"an overfit of {own}"
    return (
        f"You tolerate {own}, but a single score on {counted(n_public, of_rows)} has a "
        f"standard error of {error}. A leaderboard that tells such small differences apart is "
        "seldom safe for many submissions. Tolerate about the standard error, or use more public "
        "rows. The table “If you tolerated more” says what you would get."
    )


def is_unpredictable(utility: pd.DataFrame) -> bool:
    """Whether honest models have no signal, or score no better than a constant prediction."""
    if "sequence" in utility and (utility["sequence"] == "noise").any():
        return True
    return "honest_gain" in utility and bool((utility["honest_gain"] <= 0).any())

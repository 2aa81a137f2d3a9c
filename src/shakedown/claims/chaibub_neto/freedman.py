"""What [C] says of Freedman's attack on the Ladder: Fig. 1, 2 and S1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shakedown.claims import claim, largest, median, share, smallest
from shakedown.claims.places import first_pick, last_jump, last_pick, longest_run

_FIG2 = {"figure": "fig2", "on": "ad_like", "also_on": {"diabetes": "diabetes_fig2"}}
_FIGS1 = {"figure": "figS1", "on": "ad_like", "also_on": {"diabetes": "diabetes_figS1"}}

_INTERCEPT = 39 / 40  # MSE of the intercept alone on 40 rows that are scaled with ddof = 1


def _freedman(study, mechanism, design="permuted", **where):
    return study.outcomes("freedman", design=design, mechanism=mechanism, **where)


def _distance(rows):
    """How far public and final scores of the Ladder lie apart: |median Δ|, averaged over k."""
    return abs(rows.median("delta", over=("alpha", "point"))).mean("point")


@claim("[C] Fig. 1a", figure="fig1", chosen="> 0.5", literally="> 0.5", on="illustration")
def fig1_most_above_one(study, *, literally=False):
    """Most univariate models of a permuted response predict worse than the intercept alone (share
    of 1,000 models with an MSE above .975; median over replicates).

    Note: The text says an MSE above 1, and means the intercept alone. We scale with ddof = 1, so
    the intercept alone has an MSE of 39/40 = .975 on the 40 public rows. Word for word: the share
    with an MSE above 1.
    """
    traces = study.traces("illustration_freedman", mechanism="full_disclosure")
    beyond = 1.0 if literally else _INTERCEPT
    return median(traces.each(lambda submissions: np.mean(submissions.released > beyond)))


@claim(
    "[C] Fig. 1a",
    figure="fig1",
    chosen="between 1 and 1.1",
    literally="> 1",
    on="illustration",
)
def fig1_slightly_above_one(study, *, literally=False):
    """A typical univariate model of a permuted response predicts slightly worse than the intercept
    alone (median public MSE of 1,000 models over .975; median over replicates).

    Note: The text says slightly above 1; the intercept alone has 39/40 = .975 here. Word for word:
    the median MSE itself. For slightly we ask for at most a tenth.
    """
    traces = study.traces("illustration_freedman", mechanism="full_disclosure")
    one = 1.0 if literally else _INTERCEPT
    return median(traces.each(lambda submissions: np.median(submissions.released)) / one)


@claim("[C] Fig. 1a", figure="fig1", chosen="> 500", on="illustration")
def fig1_full_scattered(study):
    """Under Full-disclosure the 30 best features are spread over all 1,000 (distance from the first
    to the last of them, in submissions; median over replicates).

    Note: The text has no number; we ask for half of the 1,000.
    """
    traces = study.traces("illustration_freedman", mechanism="full_disclosure")
    return median(traces.each(last_pick) - traces.each(first_pick))


@claim("[C] Fig. 1a", figure="fig1", chosen="< 15", on="illustration")
def fig1_full_not_in_a_row(study):
    """Under Full-disclosure the 30 best features do not follow one another (longest run of them, in
    submissions; median over replicates).

    Note: The text has no number; we ask that fewer than half of the 30 stand in a row.
    """
    traces = study.traces("illustration_freedman", mechanism="full_disclosure")
    return median(traces.each(longest_run))


@claim("[C] Fig. 1b", figure="fig1", chosen="> 0.9", on="illustration")
def fig1_ladder_from_last_jump(study):
    """Under Ladder(.15) the 30 best features are the one of the last jump and the 29 after it
    (share of replicates).

    Note: The paper shows one run, with the last jump at submission 249; we ask for 90 % of the
    replicates. The claim fails in a replicate whose last jump comes, by chance, within the last 29
    submissions.
    """
    traces = study.traces("illustration_freedman", mechanism="ladder", alpha=0.15)
    in_a_row = traces.each(longest_run) == 30
    return share(in_a_row & (traces.each(first_pick) == traces.each(last_jump)))


@claim("[C] Fig. 1, text", figure="fig1", chosen="< 0.5", on="illustration")
def fig1_ladder_withstands(study):
    """The model of the Ladder's 30 best features cannot overfit drastically; that of
    Full-disclosure's can (median Δ of Ladder(.15) over that of Full-disclosure).

    Note: The text has no number for drastically; we ask for less than half of Full-disclosure's
    overfit. 30 features fitted to 40 rows make both scores large and noisy.
    """
    ladder = study.outcomes("illustration_freedman", mechanism="ladder", alpha=0.15, point=30)
    full = study.outcomes("illustration_freedman", mechanism="full_disclosure", point=30)
    return ladder.median("delta") / full.median("delta")


@claim("[C] Fig. 2a, b", required="< 0", **_FIG2)
def fig2_full_public_falls(study):
    """Under Full-disclosure the public MSE falls as k, the number of features, grows (largest step
    of the median from k = 1 to 10 to 20 to 30).

    Note: Whether it falls depends on how features go together, which is unknown for the AD
    Challenge data. With independent features it falls throughout, to .971, .865, .806 and .785 at k
    = 1, 10, 20 and 30 (experiment freedman_independent).

    Seen: It falls up to k = 13. Beyond, the 20 factors behind the features make it rise: more
    coefficients fitted to noise cost as much as the choice of features gains.

    Seen on diabetes: It falls up to k = 6. Beyond, more coefficients fitted to noise cost as much
    as the choice of features gains.
    """
    full = _freedman(study, "full_disclosure", point=[1, 10, 20, 30])
    return largest(full.median("score_public").diff("point"))


@claim("[C] Fig. 2a, b", required="> 0", **_FIG2)
def fig2_full_final_rises(study):
    """Under Full-disclosure the final MSE rises with k (smallest step of the median from k = 1 to
    10 to 20 to 30)."""
    full = _freedman(study, "full_disclosure", point=[1, 10, 20, 30])
    return smallest(full.median("score_final").diff("point"))


@claim("[C] Fig. 2b", chosen="< -0.05", **_FIG2)
def fig2_full_overfits(study):
    """Full-disclosure does not withstand Freedman's attack (median Δ at k = 30)."""
    return median(_freedman(study, "full_disclosure", point=30).each("delta"))


@claim("[C] Fig. 2c, d", chosen="< 0.05", **_FIG2)
def fig2_ladder_tracks(study):
    """Under Freedman's attack the public MSE of Ladder(.01) closely tracks the final one (largest
    |median Δ| over k).

    Seen on diabetes: Most of this Δ does not come from the Ladder. The sets hold the same rows in
    all permutations, and 30 coefficients fitted to 147 rows depend on which rows these are: on a
    board that shows nothing, where the attack takes the first 30 columns, the median Δ is −.055.
    """
    return largest(abs(_freedman(study, "ladder", alpha=0.01).median("delta", over="point")))


@claim("[C] Fig. 2e-h", chosen="> -0.05", **_FIG2)
def fig2_ladder_small(study):
    """Under Freedman's attack the Ladder's overfit stays small for the more relaxed levels .15 and
    .5 (lowest median Δ over both levels and all k).

    Seen on diabetes: Most of this Δ does not come from the Ladder. The sets hold the same rows in
    all permutations, and 30 coefficients fitted to 147 rows depend on which rows these are: on a
    board that shows nothing, where the attack takes the first 30 columns, the median Δ is −.055.
    """
    return smallest(_freedman(study, "ladder", alpha=[0.15, 0.5]).median("delta", over="point"))


@claim("[C] Fig. 2c-h", required="< 0", **_FIG2)
def fig2_grows_with_alpha(study):
    """Under Freedman's attack the Ladder's overfit grows with α (Δ averaged over k: largest step
    from α = .01 to .15 to .5)."""
    delta = _freedman(study, "ladder").median("delta", over=("alpha", "point"))
    return largest(delta.mean("point").diff("alpha"))


@claim("[C] Fig. 2, text", chosen="< 0.05", **_FIG2)
def fig2_robust_to_alpha(study):
    """The result of Freedman's attack is robust to the choice of α (largest distance of two median
    Δ of the Ladder over α, at any k)."""
    delta = _freedman(study, "ladder").median("delta", over=("alpha", "point"))
    return largest(delta.max("alpha") - delta.min("alpha"))


@claim("[C] Fig. 2", required="> 0", **_FIG2)
def fig2_ladder_withstands(study):
    """The Ladder withstands Freedman's attack better than Full-disclosure (Δ averaged over k, minus
    that of Full-disclosure; smallest over α)."""
    ladder = _freedman(study, "ladder").median("delta", over=("alpha", "point"))
    full = _freedman(study, "full_disclosure").median("delta", over="point")
    return smallest((ladder - full).mean("point"))


@claim("[C] Fig. S1; Fig. 2, text", required="< 0", **_FIGS1)
def figS1_full_overfits(study):
    """Full-disclosure is overfit under random splits too (median Δ at k = 30)."""
    return median(_freedman(study, "full_disclosure", "splits", point=30).each("delta"))


@claim("[C] Fig. 2, text", required="> 0", **_FIGS1)
def figS1_less_extreme(study):
    """Under random splits Full-disclosure is overfit less than with permuted responses (median Δ at
    k = 30: random splits minus permuted)."""
    splits = _freedman(study, "full_disclosure", "splits", point=30).median("delta")
    return splits - _freedman(study, "full_disclosure", point=30).median("delta")


@claim("[C] Fig. S1, caption", required="> 0", **_FIGS1)
def figS1_ladder_reduces(study):
    """Under random splits the Ladder reduces the overfit (median Δ at k = 30, minus that of
    Full-disclosure; smallest over α)."""
    ladder = _freedman(study, "ladder", "splits", point=30).median("delta", over="alpha")
    full = _freedman(study, "full_disclosure", "splits", point=30).median("delta")
    return smallest(ladder - full)


@claim("[C] Fig. S1, caption; Fig. S7, second pattern", required="> 0", **_FIGS1)
def figS1_middle_alpha_best(study):
    """Under random splits the Ladder works best with α = .15: public and final scores are closest
    (|median Δ| averaged over k: the better of α = .01 and .5, minus α = .15).

    Note: The paper says slightly better, from the look of the boxes, and does not explain it.

    Seen: The distance grows with α, as with permuted responses: .021, .032 and .034 at α = .01, .15
    and .5, and .01 is closest at every k. A board that shows nothing has .0015, so nearly all of it
    is overfit. A step of .01 in these medians is small beside the boxes, which are .09 high: in a
    single split α = .15 is closest in 29 % of the cases, .01 in 49 %. What random splits change is
    how much α = .01 protects. Some features predict the response, so the strict test is passed more
    often (1.63 acceptances instead of 1.35 with permuted responses), and its distance is two thirds
    of that at .15 instead of a quarter. Why the paper's data turn the order around, its figures do
    not show.

    Seen on diabetes: The distance grows with α, .004, .007 and .015, and .01 is closest at every k,
    but the replicates leave the order of .01 and .15 open.
    """
    distance = _distance(_freedman(study, "ladder", "splits"))
    return smallest(distance.sel(alpha=[0.01, 0.5]) - distance.sel(alpha=0.15, drop=True))


@claim("[C] Fig. S1, caption", required="> 0", **_FIGS1)
def figS1_small_alpha_best_when_permuted(study):
    """With permuted responses the Ladder works best with α = .01 (|median Δ| averaged over k: the
    better of α = .15 and .5, minus α = .01)."""
    distance = _distance(_freedman(study, "ladder"))
    return smallest(distance.sel(alpha=[0.15, 0.5]) - distance.sel(alpha=0.01, drop=True))


def _ranks(study):
    """Rank of each feature by its public MSE, 1 for the lowest."""
    full = study.traces("illustration_freedman", mechanism="full_disclosure")
    return full.each(
        lambda submissions: pd.Series(submissions.released).rank(method="first").to_numpy()
    )


def _rank_of_last_jump(study):
    ladder = study.traces("illustration_freedman", mechanism="ladder", alpha=0.15)
    return _ranks(study).isel(submission=ladder.each(last_jump).astype(int) - 1)


@claim(
    "[C] section on the step-forward attack; Fig. 1b",
    figure="fig1",
    chosen="> 0.5",
    on="illustration",
)
def fig1_last_jump_is_good(study):
    """The feature of the Ladder's last jump predicts the public response well (share of
    replicates in which its public MSE is among the lowest 5 % of 1,000 features, α = .15).

    Note: The text has no number; we ask for the best 5 % in most replicates.
    """
    return share(_rank_of_last_jump(study) <= 0.05 * _ranks(study).sizes["submission"])


@claim(
    "[C] section on the step-forward attack; Fig. 1b",
    figure="fig1",
    required="< 1",
    on="illustration",
)
def fig1_last_jump_not_always_best(study):
    """The feature of the Ladder's last jump is not always the best one (share of replicates in
    which its public MSE is the lowest of 1,000 features, α = .15)."""
    return share(_rank_of_last_jump(study) == 1)


@claim("[C] Fig. 1, text", figure="fig1", chosen="< 10", on="illustration")
def fig1_ladder_few_associated(study):
    """Only a few of the 30 features that Freedman's attack selects on the Ladder are associated
    with the permuted response (number of them with a public MSE among the 50 lowest of 1,000
    features, α = .15; median).

    Note: The text has no number; we count those in the best 5 %, and ask for less than a third of
    the 30. Under Full-disclosure all 30 are in the best 3 %.
    """
    ladder = study.traces("illustration_freedman", mechanism="ladder", alpha=0.15)
    is_selected = ladder.each(lambda submissions: submissions.selected) == 1
    return median((is_selected & (_ranks(study) <= 50)).sum("submission"))


@claim("ours, on independent features", required="< 0", kind="carried over", on="independent")
def fig2_full_public_falls_independent(study):
    """On independent features: Under Full-disclosure the public MSE falls as k, the number of
    features, grows (largest step of the median from k = 1 to 10 to 20 to 30).

    Note: On ad_like, 20 factors make features go together, and the attack selects similar ones.
    """
    rows = study.outcomes(
        "freedman_independent", mechanism="full_disclosure", point=[1, 10, 20, 30]
    )
    return largest(rows.median("score_public").diff("point"))

"""What Zheng ("Toward a Better Understanding of Leaderboard", 2015, [Z]) says that can be checked.

Where the text has no number, these stand for its words:

- small, no difference: less than .05;
- robust: the released accuracy exceeds 1/2 by less than the precision that section 3 gives n
  labels: .1 for 1,000 (a third of what boosting gains where every score is released) and .01 for
  10^6, in proportion to n^(−1/3), so .0368 for 20,000;
- grows quickly: an exponent in k above .25, half of that of √k; insensitive: one below.

Scores are 0/1 losses; the paper speaks of accuracy, which is 1 − loss.  A random list of labels
has a true loss of 1/2, so a bias is 1/2 less the public loss, and no leaderboard error exceeds 1/2.
The final model counts as one submission more, so bounds are those for k + 1.

Not here, because no number of a study of this size can check it:

- sections 1 and 4: no efficient estimator is right on more than n^(2 + o(1)) submissions;
- section 3, Algorithm 2, with which the Simplified Ladder shows the best score so far, rounded: a
  property of single decisions, which the tests compare;
- section 3: brute force does not use all information on the board.  A comparison with boosting on
  other boards says nothing of it, and on the same Ladder enumeration comes further than boosting;
- sections 3 and 6: a precision of .01 takes 10^6 labels.  With its constants the theorem asks for
  15,433,738 (1,000 submissions, probability .95);
- section 4: of two accounts whose released scores differ by more than 2 η* the better one is
  better.  It follows from the errors of both;
- section 4: errors within η* take O(M log k / η*^3) labels.  It bounds from above, and for M
  accounts with M = k the bound is no less than 1 here;
- section 6: whether a better attack or a lower bound exists.
"""

from __future__ import annotations

import numpy as np

from shakedown.claims import claim, largest, median, quantile, share, smallest
from shakedown.claims.curves import exponent
from shakedown.leaderboard.ties import rounded
from shakedown.theory.guarantees import (
    best_display_step,
    best_ladder_step,
    simplified_ladder_error,
)

#: The Ladders with a step of their own, and the submissions over which exponents are taken.
LADDERS = ["general_ladder", "simplified_ladder"]
LATE = [117, 240, 489, 1000]


def outcomes(study, experiment, labels=1000, **where):
    """Outcomes of an experiment with so many public labels."""
    return study.outcomes(experiment, dataset=f"fair_labels_{labels}", design="labels", **where)


# ---- Fig. 1 --------------------------------------------------------------------------------------


@claim("[Z] section 2.1", figure="figZ1", required="between 0.5 and 0.55", kind="arithmetic")
def z_little_better(study):
    """A random submission, inverted if it is worse than chance, has an accuracy only a little above
    .5 (median of the first submission).

    Note: Cannot fail: on 1,000 labels the accuracy of a random submission has a standard deviation
    of .016.
    """
    rows = outcomes(study, "zheng_boosting", mechanism="full_disclosure", submissions=1)
    return median(1 - rows.each("score_public"))


@claim("[Z] Fig. 1, section 2.1", figure="figZ1", required="> 0")
def z_boosting_climbs(study):
    """Where every score is released, the accuracy of the boosting attack climbs (smallest step of
    its median from 1 over 11 and 117 to 1,000 submissions).
    """
    rows = outcomes(
        study, "zheng_boosting", mechanism="full_disclosure", submissions=[1, 11, 117, 1000]
    )
    return smallest((1 - rows.median("score_public")).diff("submissions"))


@claim("[Z] Fig. 1, section 2.1", figure="figZ1", chosen="between 0.75 and 0.85")
def z_boosting_reaches(study):
    """Where every score is released, boosting reaches an accuracy of .8 within 1,000 submissions on
    1,000 labels (median).

    Note: The expected value is .787.
    """
    rows = outcomes(study, "zheng_boosting", mechanism="full_disclosure", submissions=1000)
    return median(1 - rows.each("score_public"))


@claim("[Z] Fig. 1, section 3", figure="figZ1", chosen="< 0.1")
def z_robust_boosting(study):
    """The Ladder is robust against the boosting attack (how far the median released accuracy
    exceeds 1/2 after 1,000 submissions, η = .01; the larger of Ladder and Simplified Ladder).

    Note: Only submissions that lowered the released loss vote, which makes the attack sharper.
    """
    rows = outcomes(study, "zheng_lowered", mechanism=LADDERS, eta=0.01, submissions=1000)
    return largest(0.5 - rows.median("score_released"))


@claim("[Z] Fig. 1, section 3", figure="figZ1", chosen="> 0.75")
def z_swaps_break_parameter_free(study):
    """The parameter-free Ladder can be hacked: start from half 1 and half 0, and swap one of each
    in every submission (median released accuracy after 1,000 submissions).

    Note: The paper does not say how far the attack gets; we ask for half of the way from 1/2 to 1.
    """
    rows = outcomes(study, "zheng_swaps", mechanism="parameter_free_ladder", submissions=1000)
    return median(1 - rows.each("score_released"))


@claim("[Z] section 3", figure="figZ1", required="< 0.05", kind="arithmetic")
def z_ladder_withstands_swaps(study):
    """The Ladder avoids the pitfall because its step hides a swap (how far the median released
    accuracy exceeds 1/2 after 1,000 submissions, η = .01; the larger of Ladder and Simplified
    Ladder).

    Note: Cannot fail: a swap changes the accuracy by .002 at most, and a change that is not shown
    is not kept.
    """
    rows = outcomes(study, "zheng_swaps", mechanism=LADDERS, eta=0.01, submissions=1000)
    return largest(0.5 - rows.median("score_released"))


@claim("[Z] Fig. 1, section 4", figure="figZ1", chosen="< 0.05")
def z_accounts_like_traditional(study):
    """With a new account for each submission the Ladder is no different from the traditional board
    (largest distance between the median losses of the vote, over the Ladders and all k).

    Note: There is no difference at all where a new account sees its exact loss. With a step of .01,
    12.3 % of the submissions, those with a loss from .495 to below .5, are released as .50 and
    inverted. The noise of LadderBoot, which [Z] does not mention, misleads as well.
    """
    ladders = outcomes(study, "zheng_accounts")
    traditional = outcomes(study, "zheng_boosting", mechanism="full_disclosure")
    return largest(
        np.abs(
            ladders.median("score_public", over=("mechanism", "submissions"))
            - traditional.median("score_public", over="submissions")
        )
    )


@claim("[Z] section 6", figure="figZ1", chosen="> 0.05")
def z_accounts_break_ladder(study):
    """With a new account for each submission the boosting attack works on any Ladder (median bias
    after 1,000 submissions, the smallest over the Ladders).
    """
    rows = outcomes(study, "zheng_accounts", submissions=1000)
    return smallest(0.5 - rows.median("score_public", over="mechanism"))


# ---- Ranks ---------------------------------------------------------------------------------------


@claim("[Z] section 2.2", figure="figZ_ranks", required="= 1", kind="arithmetic")
def z_ranks_reach_one(study):
    """On a board that shows only exact ranks, two accounts get all n labels right with a first
    guess and one flip of each label: n + 1 submissions (accuracy in every replicate).

    Note: Follows from the attack: each flip tells whether a label was right.
    """
    rows = outcomes(study, "zheng_ranks", mechanism="rank_board", eta=None, submissions=1001)
    return 1 - rows.value("score_public")


@claim("[Z] section 2.2", figure="figZ_ranks", required="between 0.95 and 1.05", kind="arithmetic")
def z_ranks_linear(study):
    """A flip corrects each label that was wrong, so the loss falls in proportion to the submissions
    (mean loss after 490 of 1,001, over half of the labels that are still to be flipped).

    Note: Follows from the attack: of the labels that it has not flipped yet, half are wrong.
    """
    rows = outcomes(study, "zheng_ranks", mechanism="rank_board", eta=None, submissions=490)
    return rows.mean("score_public") / (0.5 * (1001 - 490) / 1000)


@claim("[Z] section 2.2", figure="figZ_ranks", chosen="< 0.05")
def z_ranks_rounded(study):
    """The attack needs exact ranks: it does not climb where participants with different scores can
    share a rank (median accuracy less 1/2; ranks by scores rounded to a hundredth).

    Note: Only flips of single labels are played, as in the text; the board might show larger ones.
    """
    rows = outcomes(study, "zheng_ranks", mechanism="rank_board", eta=0.01, submissions="last")
    return median(0.5 - rows.each("score_public"))


# ---- The Simplified Ladder -----------------------------------------------------------------------


@claim("[Z] section 3", required="= 0", kind="arithmetic")
def z_not_distinguishable(study):
    """With η = .01, accuracies of .644 and .636 cannot be distinguished (difference between what is
    released).
    """
    return rounded(0.644, 0.01) - rounded(0.636, 0.01)


def simplified_shows_more(rows):
    """How much more accuracy the Simplified Ladder releases than the Ladder; medians."""
    released = rows.median("score_released")
    return released.sel(mechanism="general_ladder") - released.sel(mechanism="simplified_ladder")


@claim("[Z] section 3", figure="figZ1", chosen="< 0.05")
def z_simplified_not_broken(study):
    """Without the margin the Ladder is not broken: under the boosting attack the Simplified Ladder
    releases no more accuracy (difference of the medians, Simplified Ladder less Ladder, after 1,000
    submissions, η = .01).

    Note: We allow a small difference.
    """
    rows = outcomes(study, "zheng_lowered", mechanism=LADDERS, eta=0.01, submissions=1000)
    return simplified_shows_more(rows)


@claim("[Z] section 3", figure="figZ2", chosen="< 0.05")
def z_simplified_not_broken_enumeration(study):
    """Without the margin enumeration does not break the Ladder either (difference of the median
    released accuracies, Simplified Ladder less Ladder, after 20,000 submissions, 1,000 labels, η =
    .01).
    """
    rows = outcomes(study, "zheng_enumeration", mechanism=LADDERS, eta=0.01, submissions=20000)
    return simplified_shows_more(rows)


@claim("[Z] section 3", figure="figZ2", chosen="< 0.0184")
def z_simplified_not_broken_large(study):
    """Without the margin enumeration does not break a Ladder with a finer step (difference of the
    median released accuracies, Simplified Ladder less Ladder, after 20,000 submissions, 20,000
    labels, η = .001).

    Note: We allow half of the precision for 20,000 labels, as for 1,000.
    """
    rows = outcomes(
        study, "zheng_enumeration_large", 20000, mechanism=LADDERS, eta=0.001, submissions=20000
    )
    return simplified_shows_more(rows)


# ---- Fig. 2 and what is proved -------------------------------------------------------------------


@claim("[Z] Fig. 2, section 3", figure="figZ2", chosen="< 0.1")
def z_robust_enumeration(study):
    """The Ladder is robust against enumeration on 1,000 labels with η = .01, fewer labels than the
    theory asks for (how far the median released accuracy exceeds 1/2 after 20,000 submissions; the
    larger of Ladder and Simplified Ladder).

    Note: The paper does not say how many labels Fig. 2 flips at a time, nor how often. Here each
    submission flips the number of labels that has the best chance to climb a step; the text flips
    single labels.

    Seen: Both Ladders are robust for the first 300 submissions. The attack with the best number of
    flips climbs on, ever more slowly: the larger of the two gains .14 after 2,577 submissions and
    .18 after 20,000. The theorems say nothing about so small a step on so few labels: their bound
    is above 1/2.
    """
    rows = outcomes(study, "zheng_enumeration", mechanism=LADDERS, eta=0.01, submissions=20000)
    return largest(0.5 - rows.median("score_released"))


@claim("[Z] Fig. 2, section 3", figure="figZ2", chosen="< 0.0368")
def z_robust_enumeration_large(study):
    """The Ladder is robust against enumeration on 20,000 labels with η = .001, fewer labels than
    the theory asks for (how far the median released accuracy exceeds 1/2 after 20,000 submissions;
    the larger of Ladder and Simplified Ladder).

    Note: The text gives 1,000 labels a precision of .1, and 10^6 one of .01. In proportion to
    n^(−1/3), 20,000 labels have .0368.

    Seen: As on 1,000 labels, the attack with the best number of flips climbs on: the Ladder shows
    .067 too much, the Simplified Ladder .076.
    """
    rows = outcomes(
        study, "zheng_enumeration_large", 20000, mechanism=LADDERS, eta=0.001, submissions=20000
    )
    return largest(0.5 - rows.median("score_released"))


@claim("[Z] sections 2.2 and 3", figure="figZ2", required="< 0.1", kind="arithmetic")
def z_robust_flips(study):
    """The Ladder is robust against enumeration that flips one label after another, all 1,000 of
    them (how far the median released accuracy exceeds 1/2, η = .01; the larger of Ladder and
    Simplified Ladder).

    Note: Cannot fail: a flip changes the accuracy by .001, and a change that is not shown is not
    kept.
    """
    rows = outcomes(study, "zheng_flips", mechanism=LADDERS, eta=0.01, submissions="last")
    return largest(0.5 - rows.median("score_released"))


@claim("[Z] section 3", required="<= 0.1", kind="arithmetic")
def z_tenth_takes_thousand(study):
    """A precision of .1 takes 1,000 labels: with these the leaderboard error stays within it (95 %
    quantile under enumeration, 1,000 submissions to the Simplified Ladder).

    Note: Cannot fail in this study: to be off by more, a score on 1,000 labels must pass the next
    step of .1, and 1,000 submissions of enumeration have no realistic chance to get there.
    """
    rows = outcomes(
        study, "zheng_precision", mechanism="simplified_ladder", eta=0.1, submissions=1000
    )
    return quantile(rows.each("leaderboard_error"), 0.95)


@claim("[Z] section 4, theorem", required="<= 0.05")
def z_theorem(study):
    """With the optimal precision η* the leaderboard error exceeds η* in at most 5 % of the cases,
    so a hacker is unlikely to see an accuracy above 1/2 + η* (share of the replicates; 1,000
    labels, 1,000 submissions of enumeration to the Simplified Ladder).

    Note: By the theorem η* is .287 for this probability; the board releases multiples of .3. The
    error exceeds .3 if the hacker sees an accuracy of 1, so both statements are about the same
    event.

    Seen: It happens in none of 72 replicates, the fewest that rule out a share above .05.
    """
    rows = outcomes(
        study, "zheng_precision", mechanism="simplified_ladder", eta=0.3, submissions=1000
    )
    return share(rows.each("leaderboard_error") > 0.3)


@claim("[Z] section 5", required="<= 1")
def z_proof(study):
    """The proof bounds the leaderboard error for any precision, with probability .95 (95 % quantile
    under enumeration over the bound; 1,000 submissions to the Simplified Ladder with η = .01,
    20,000 labels).

    Note: The proof holds for an error of ε + η/2 with any ε; the theorem sets ε = η/2. The bound is
    .144; with the labels and steps of Fig. 2 it is above 1/2 and says nothing. Section 6 says that
    no known attack reaches the bound.

    Seen: The largest of 72 errors, the fewest that bound a 95 % quantile, is 14 % of the bound.
    """
    where = {"mechanism": "simplified_ladder", "eta": 0.01, "submissions": 1000}
    rows = outcomes(study, "zheng_enumeration_coarse", 20000, **where)
    bound = simplified_ladder_error(0.01, 0.05, 1001, 20000)
    return quantile(rows.each("leaderboard_error") / bound, 0.95)


@claim("[Z] sections 1 and 4", required="< 1", kind="arithmetic")
def z_tighter(study):
    """For one account the bound is slightly tighter than that of [B] (η* over the smallest ε + η of
    [B] Theorem 3.1; 1,000 submissions, 10,000 labels, probability .95).

    Note: .122 over .162. The text speaks of its logarithm, which does not contain n; the released
    score is off by half a step instead of a whole one, which counts too.
    """
    return best_display_step(0.05, 1000, 10000) / best_ladder_step(0.05, 1000, 10000).error


def error_exponent(study, experiment, submissions):
    """Exponent in k of the Simplified Ladder's median leaderboard error."""
    where = {"mechanism": "simplified_ladder", "eta": 0.01, "submissions": submissions}
    return exponent(outcomes(study, experiment, **where).median("leaderboard_error"), "submissions")


@claim("[Z] sections 4 and 6", figure="figZ1", chosen="< 0.25")
def z_one_account_insensitive(study):
    """With one account the leaderboard error is no longer sensitive to the number of submissions
    (exponent of the median in k, Simplified Ladder under the boosting attack, from 117 to 1,000).
    """
    return error_exponent(study, "zheng_lowered", LATE)


@claim("[Z] sections 4 and 6", figure="figZ2", chosen="< 0.25")
def z_one_account_insensitive_enumeration(study):
    """Under enumeration too, the leaderboard error of one account is no longer sensitive to the
    number of submissions (exponent of the median in k, Simplified Ladder, from 925 to 20,000).
    """
    return error_exponent(study, "zheng_enumeration", [925, 2577, 7180, 20000])


@claim("[Z] section 4", figure="figZ1", chosen="> 0.25")
def z_accounts_error_grows(study):
    """With a new account for each submission the leaderboard error grows quickly with the
    submissions (exponent of the median in k, Simplified Ladder under the boosting attack, from 117
    to 1,000).
    """
    return error_exponent(study, "zheng_accounts", LATE)

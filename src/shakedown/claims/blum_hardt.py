"""What Blum & Hardt ("The Ladder", ICML 2015, [B]) say that can be checked.

Where the text has no number, these stand for its words:

- small, no difference: less than .05; close to 1/2: within .01, two standard deviations of a score
  on 8,000 rows;
- at most of the order: at most once that, at every number of submissions k that is named;
- at least of the order: a constant times that, the same within a factor of 2 at these k; or its
  exponent in k, at least;
- as √k: an exponent of .45 to .55 in k, by least squares of the logarithms; grows slowly: one below
  .25, half of that of √k;
- with high probability: in 95 % of the replicates.

Scores are 0/1 losses.  A random list of labels has a true loss of 1/2, so a bias is 1/2 less the
public loss, and no leaderboard error exceeds 1/2.  The final model counts as one submission more,
so bounds are those for k + 1.  That the leaderboard error of the Kaggle mechanism grows as √k
(section 1.1) is not a claim of its own: bh_boosting_sqrt_k measures the same number.

Not here, because no number of a study of this size can check it:

- Theorem 3.3: no estimator whatsoever has an error below the order √(log k / n);
- sections 1.2 and 2: no efficient estimator is right on more than n^(2 + o(1)) submissions, a
  hardness result of others;
- section 2 (2): a union bound on submissions that are fixed, which is proved.  That it fails for
  others is bh_union_bound_fails;
- section 2.1: instances for each rank do not need the assumption that nobody has several accounts.
  As read here they do not stop new accounts, as a new team always meets an empty last rank; tests
  show it;
- section 4: the step of the parameter-free Ladder shrinks as losses fall, and is far larger than
  1/n: properties of its formula.  It is far larger for independent submissions; for a swap of two
  labels it is about √2/n, which z_swaps_break_parameter_free shows;
- section 6: submissions to a Kaggle competition, which cannot be passed on.  The replay of a log
  compares the same boards on any submissions.
"""

from __future__ import annotations

import numpy as np

from shakedown.claims import claim, largest, median, quantile, share
from shakedown.claims.curves import exponent
from shakedown.theory.boosting import largest_deviation, plain_vote_loss
from shakedown.theory.guarantees import ladder_error

#: Submissions over which exponents are taken, and those over which bounds must hold.
LATE = [117, 240, 489, 1000]
MOST = [17, 45, *LATE]


def outcomes(study, experiment, mechanism, submissions=(), labels=4000, **where):
    """Outcomes of an experiment with so many public labels."""
    where |= {"mechanism": mechanism} | ({"submissions": submissions} if submissions else {})
    return study.outcomes(experiment, dataset=f"fair_labels_{labels}", design="labels", **where)


def bias(rows):
    """Median bias of the final model."""
    return 0.5 - rows.median("score_public")


# ---- Introduction and section 2 ------------------------------------------------------------------


@claim("[B] section 1.1", figure="figBH_error", chosen="< 0.25")
def bh_ladder_error_grows_slowly(study):
    """The leaderboard error of the Ladder grows far more slowly with the number of submissions than
    √k (exponent of its median in k, from 117 to 1,000, under the sharper attack; the larger of the
    Ladder with η = .01 and the parameter-free one).

    Note: The text says an exponential improvement in k; √(log k) has an exponent of .09 here. The
    Ladder releases multiples of .01.
    """
    ladders = ["general_ladder", "parameter_free_ladder"]
    rows = outcomes(study, "blum_hardt_lowered", ladders, LATE)
    return largest(exponent(rows.median("leaderboard_error"), "submissions"))


@claim("[B] section 1.1; Theorem 3.1", required="<= 1", kind="arithmetic")
def bh_rate(study):
    """The leaderboard error of the Ladder is at most of the order (log(kn) / n)^(1/3) (95 %
    quantile over that; 1,000 submissions of enumeration, 20,000 labels, η = .01).

    Note: Cannot fail in this study: 1,000 submissions of enumeration have no realistic chance to
    reach an error of .094, a tenth of which they reach. The text promises the order for some step
    of that order, .1 here, against any attack. It gives no constant; we ask for 1.
    """
    rows = outcomes(study, "zheng_enumeration_coarse", "general_ladder", 1000, 20000, eta=0.01)
    return quantile(
        rows.each("leaderboard_error") / (np.log(1001 * 20000) / 20000) ** (1 / 3), 0.95
    )


@claim("[B] section 1.1", figure="figBH1", chosen="< 0.25")
def bh_ladder_bias_small(study):
    """The parameter-free Ladder has only a small bias, even after the sharper attack (bias after
    1,000 submissions, over that of the Kaggle mechanism).

    Note: The text does not put small into numbers; we ask for less than a quarter of the Kaggle
    mechanism's bias.
    """
    ladder = outcomes(study, "blum_hardt_lowered", "parameter_free_ladder", 1000)
    return bias(ladder) / bias(outcomes(study, "blum_hardt_boosting", "kaggle", 1000))


@claim("[B] section 2", figure="figBH1", required="> 0.05")
def bh_union_bound_fails(study):
    """Hoeffding's inequality and the union bound (2) fail for submissions that depend on scores
    released before: the vote of 1,000 submissions is further off than they allow with probability
    .05 (share of the replicates).

    Note: The bound for 1,001 submissions and 4,000 rows is .0364; the last submission is compared
    with it.
    """
    rows = outcomes(study, "blum_hardt_boosting", "kaggle", 1000)
    return share(rows.each("score_public") < 0.4636)


# ---- The Ladder ----------------------------------------------------------------------------------


@claim("[B] Theorem 3.1", figure="figBH_bounds", required="<= 1")
def bh_theorem_ladder(study):
    """The Ladder's leaderboard error exceeds ε + η in at most 5 % of the cases, with the theorem's
    ε for that probability (95 % quantile of the error under the sharper boosting attack over ε + η;
    1,000 submissions, η = .01).

    Note: How far it is below 1 says how much the theorem leaves to other attacks.
    """
    rows = outcomes(study, "blum_hardt_lowered", "general_ladder", 1000)
    return quantile(rows.each("leaderboard_error") / ladder_error(0.01, 0.05, 1001, 4000), 0.95)


@claim("[B] Theorem 3.1", required="<= 1")
def bh_theorem_ladder_enumeration(study):
    """Under an attack that depends on every released score, the Ladder's leaderboard error is at
    most ε + η in 95 % of the cases (95 % quantile under enumeration over ε + η; 1,000 submissions,
    20,000 labels, η = .01).

    Note: ε + η is .192. With the labels and steps of [Z] Fig. 2 it is above 1/2 and says nothing.

    Seen: The largest of 72 errors, the fewest that bound a 95 % quantile, is a twentieth of the
    bound.
    """
    rows = outcomes(study, "zheng_enumeration_coarse", "general_ladder", 1000, 20000, eta=0.01)
    return quantile(rows.each("leaderboard_error") / ladder_error(0.01, 0.05, 1001, 20000), 0.95)


@claim("[B] Claim 3.2", figure="figZ2", required="<= 1", kind="arithmetic")
def bh_changes(study):
    """The Ladder's released score changes at most 1/η + 1 times, whatever is submitted (most
    changes in a replicate over 1/η + 1; 20,000 submissions of enumeration, 1,000 labels, η = .01).

    Note: Cannot fail: each change lowers the score by a step. The first score counts, as there is
    none before it.
    """
    rows = outcomes(study, "zheng_enumeration", "general_ladder", 20000, 1000, eta=0.01)
    return rows.each("changed").max("replicate") / (1 / 0.01 + 1)


@claim("[B] section 4.1", chosen="between 0.1 and 0.2")
def bh_level(study):
    """The test of the parameter-free Ladder has a level of roughly .15 (share of second submissions
    that are accepted; both submissions are random).

    Note: Student's t exceeds 1 with probability .159. Only the second submission meets an incumbent
    that was not selected.
    """
    rows = outcomes(study, "blum_hardt_level", "parameter_free_ladder", 2)
    return share(rows.each("accepted") == 2)


# ---- The boosting attack -------------------------------------------------------------------------


@claim("[B] Theorem 5.1; section 1.1", figure="figBH_growth", chosen="between 0.45 and 0.55")
def bh_boosting_sqrt_k(study):
    """The boosting attack biases its vote by the order √(k/n): on a board that releases every score
    the bias, and with it the leaderboard error, grows as √k (exponent in k, from 117 to 1,000).
    """
    rows = outcomes(study, "blum_hardt_boosting", "full_disclosure", LATE)
    return exponent(bias(rows), "submissions")


def least_over_largest(x, labels=4000):
    """The smallest over the largest constant c of x = c √(k/n), over the submissions k."""
    constants = x / np.sqrt(x["submissions"] / labels)
    return constants.min("submissions") / constants.max("submissions")


@claim("[B] Theorem 5.1", figure="figBH_growth", chosen=">= 0.5")
def bh_boosting_two_thirds(study):
    """With probability 2/3 the bias is at least a constant times √(k/n), the same for all k (what
    two thirds of the replicates exceed, over √(k/n): the smallest of these constants over the
    largest, over k from 17 on).

    Note: The same is read as within a factor of 2. The text gives no constant; for large k and n
    the bias itself has 1/(π√2) = .225.
    """
    rows = outcomes(study, "blum_hardt_boosting", "full_disclosure", MOST)
    return least_over_largest(0.5 - rows.quantile("score_public", 0.666667))


@claim("[B] Theorem 5.1", figure="figBH_growth", chosen="between 0.95 and 1.05")
def bh_boosting_constant(study):
    """The bias comes from the majority of votes that are each right a little more often than not:
    it is what binomial probabilities say (median after 1,000 submissions, over the exact mean).

    Note: The text has the argument and the order; we work out the number.
    """
    rows = outcomes(study, "blum_hardt_boosting", "full_disclosure", 1000)
    return bias(rows) / (0.5 - plain_vote_loss(1000, 4000))


@claim("[B] Theorem 5.1; Algorithm 3", chosen=">= 0.5")
def bh_rounding_no_help(study):
    """Rounding scores more finely than 1/√n does not protect the Kaggle mechanism (its bias after
    1,000 submissions with scores to .01, where 1/√n is .0158, over that of Full-disclosure).

    Note: Not to protect is read as to leave half of the bias. With Kaggle's .00001 nothing is
    rounded here, as every loss is a multiple of .00025.
    """
    rounded = outcomes(study, "blum_hardt_plain", "kaggle", 1000, eta=0.01)
    return bias(rounded) / bias(outcomes(study, "blum_hardt_boosting", "full_disclosure", 1000))


@claim("[B] Theorem 5.1", chosen="between 0.45 and 0.55")
def bh_rounding_sqrt_k(study):
    """The bias of the vote grows as √k even if scores are rounded more finely than 1/√n (exponent
    in k, from 117 to 1,000, Kaggle mechanism with scores to .01).
    """
    rows = outcomes(study, "blum_hardt_plain", "kaggle", LATE, eta=0.01)
    return exponent(bias(rows), "submissions")


@claim("[B] Corollary 5.2", chosen=">= 0.5")
def bh_rounding_two_thirds(study):
    """With probability 2/3 the leaderboard error of the Kaggle mechanism is at least of the order
    √(k/n) with any rounding finer than 1/√n (scores to .01; what two thirds of the replicates
    exceed, over √(k/n): the smallest of these constants over the largest, over k from 117 on).

    Note: The same order is read as constants within a factor of 2. With fewer submissions the error
    is one or two steps of .01, which says nothing about an order.
    """
    rows = outcomes(study, "blum_hardt_plain", "kaggle", LATE, eta=0.01)
    return least_over_largest(rows.quantile("leaderboard_error", 0.333333))


@claim("[B] Corollary 5.2", figure="figBH_error", chosen="> 0.45")
def bh_kaggle_error_two_thirds(study):
    """With probability 2/3 the leaderboard error of the Kaggle mechanism under the boosting attack
    is at least of the order √(k/n) (exponent in k of what two thirds of the replicates exceed, from
    117 to 1,000).

    Note: The vote is the last submission, and R the lowest loss released so far.
    """
    rows = outcomes(study, "blum_hardt_boosting", "kaggle", LATE)
    return exponent(rows.quantile("leaderboard_error", 0.333333), "submissions")


@claim("[B] section 5.1; Fig. 1", figure="figBH1", required="< 0.01", kind="arithmetic")
def bh_independent_test_set(study):
    """The loss of the vote on an independent test set is close to 1/2 for every number of
    submissions (largest distance of the median, over all k).

    Note: Cannot fail: the test set's labels are drawn independently of all submissions.
    """
    rows = outcomes(study, "blum_hardt_boosting", "kaggle")
    return largest(np.abs(rows.median("score_final", over="submissions") - 0.5))


@claim("[B] section 5.1; Fig. 1", figure="figBH1", chosen="> 0.05")
def bh_kaggle_strongly_biased(study):
    """The Kaggle mechanism gives a strongly biased estimate of the vote's loss (bias of its
    released score after 1,000 submissions).

    Note: The text does not put strongly into numbers; we ask for more than small.
    """
    rows = outcomes(study, "blum_hardt_boosting", "kaggle", 1000)
    return median(0.5 - rows.each("score_released"))


@claim("[B] section 5.1", figure="figBH1", required="> 0")
def bh_lowered_sharper(study):
    """Against the Ladder the attack is more effective if only the submissions vote that lowered the
    released score, instead of all with a released loss of at most 1/2 (difference of the biases
    after 1,000 submissions, parameter-free Ladder).
    """
    lowered, plain = (
        outcomes(study, f"blum_hardt_{attack}", "parameter_free_ladder", 1000)
        for attack in ("lowered", "plain")
    )
    return bias(lowered) - bias(plain)


@claim("[B] section 5.1; Fig. 1", figure="figBH1", required="<= 1")
def bh_ladder_within_deviation(study):
    """Even under the sharper attack the released score of the parameter-free Ladder is correct to
    within the expected maximum deviation of the score on k random submissions (distance of the
    median from 1/2, over that deviation; the largest over k from 17 on).
    """
    rows = outcomes(study, "blum_hardt_lowered", "parameter_free_ladder", MOST)
    released = rows.median("score_released")
    return largest((0.5 - released) / [largest_deviation(k, 4000) for k in MOST])


@claim("[B] section 5.1", figure="figBH1", chosen="<= 1")
def bh_steps_log_k(study):
    """At most of the order log k submissions lower the released score of the parameter-free Ladder
    (their mean number over log k; the largest over k from 17 on).

    Note: With the natural logarithm. The first submission counts, as it has none to beat. The
    text's reason is that each of them lowers the chance of another one by a constant factor.
    """
    rows = outcomes(study, "blum_hardt_lowered", "parameter_free_ladder", MOST)
    return largest(rows.mean("n_selected") / np.log(MOST))


@claim("[B] section 5.1", figure="figBH_growth", chosen="<= 1")
def bh_ladder_bias_log(study):
    """Few submissions lower the released score of the parameter-free Ladder, so their vote has a
    bias of at most the order √(log k / n) (median bias over that; the largest over k from 17 on).

    Note: With the natural logarithm.
    """
    rows = outcomes(study, "blum_hardt_lowered", "parameter_free_ladder", MOST)
    return largest(bias(rows) / np.sqrt(np.log(MOST) / 4000))


@claim("[B] section 5.1", figure="figZ1", chosen="< 0.25")
def bh_other_settings(study):
    """Other numbers of labels lead to a similar picture: with 1,000, too, the bias of the
    parameter-free Ladder is small (bias after 1,000 submissions, over that of the same attack where
    every score is released).

    Note: The bias where every score is released is the exact mean, .211; the attack of [Z] Fig. 1,
    which inverts worse submissions, reaches .287.
    """
    rows = outcomes(study, "zheng_lowered", "parameter_free_ladder", 1000, labels=1000)
    return bias(rows) / (0.5 - plain_vote_loss(1000, 1000))

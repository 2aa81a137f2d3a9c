"""Which of a study's experiments has the replicates that a claim needs."""

from __future__ import annotations

from shakedown.claims.study import Study

#: More replicates of the step-forward attack than the figures of [C] show, and on which data.
_MORE, _DATASET = "step_forward_more", "ad_like"


def played(study: Study) -> str:
    """The experiment with the most replicates of the attack of Fig. 4, 6 and S2 to S5."""
    more = study.dataset == _DATASET and _MORE in study.tables.outcomes
    return _MORE if more else "step_forward"

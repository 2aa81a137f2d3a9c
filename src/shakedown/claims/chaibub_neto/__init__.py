"""What Chaibub Neto et al. (arXiv 1607.00091, [C]) say that can be checked.

`required` asks what the text says, not what came out.  A claim that does not hold stays, with its
note.  Where the text has no number, `chosen` marks what we ask, and these stand for its words:

======================  ================================================================
small, close, tracks    a median Δ (or a difference of two) of less than .05 in size: the
                        threshold of the paper's own example in Text S3
rises, falls with ...   every step between the medians named goes up (down)
in all cases            the extreme case over the whole grid.  Where two settings may come to the
                        same in one of the cases, no number of replicates tells which is ahead;
                        there: not behind by more than .01 of the response's variance, a fifth
                        of small, and the step to which the middle one of the paper's Ladders
                        rounds (Algorithm 1).  What the text says word for word stands beside it
spread                  the interquartile range over replicates: the height of a box
======================  ================================================================

Δ is public − final MSE (final − public for correlations): below 0 the public score flatters.

Not here, because no number of a study can check it:

- discussion, Text S2: the Bayesian bootstrap takes more computation.  Seconds depend on the
  machine, and results must not; ``make benchmark`` measures them;
- discussion: most participants will not attack; a very strict α may discourage them.
"""

__all__ = [
    "text",
    "freedman",
    "freedman_ladderboot",
    "step_forward",
    "ladderboot",
    "bayes",
    "safe_submissions",
    "release",
]

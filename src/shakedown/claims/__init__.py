'''The claims of the papers: what each says, and whether a study agrees.

A paper has a module (`blum_hardt`, `zheng`) or a package of modules.  A claim is a function that
measures one number, with a decorator that says what is asked of it::

    from shakedown.claims import claim, smallest


    @claim("[C] Fig. 6", figure="fig6", required="> 0", on="ad_like", also_on="diabetes")
    def fig6_ladderboot_outperforms(study):
        """LadderBoot overfits less than the Ladder in all cases (smallest difference of the median
        Δ over α, b and 2 to 5 iterations).

        Note: All cases are all panels of the figure.

        Seen: At b = 1000 both mechanisms find nearly the same features.
        """
        played = {"design": "permuted", "point": [2, 3, 4, 5]}
        boot = study.outcomes("step_forward", mechanism="ladderboot", **played)
        ladder = study.outcomes("step_forward", mechanism="ladder", **played)
        boots = boot.median("delta", over=("alpha", "b"))
        return smallest(boots - ladder.median("delta", over="alpha"))

The function's name is the claim's id.  The docstring has the statement for readers, then what the
text leaves open and how it is read (Note), then what came out in the study `default` and why
(Seen).  ``also_on`` checks the same on other data sets in the place of ``on``, as claims of their
own; they may have paragraphs ``Seen on diabetes:`` and ``Note on diabetes:``, and a figure
(``also_on={"diabetes": "diabetes_fig6"}``).

``required`` is what the text asks; where it has words and no number, ``chosen`` takes its place,
and the claim is counted apart.  ``literally`` says what the text asks word for word if that is
something else, of the same number or of what the function measures with ``literally=True``; it is
shown beside the claim with a verdict of its own.

``cases`` makes a claim of each of several numbers: by the claim's id, the arguments of the function
and the words that stand in braces in its source, requirement and docstring::

    @claim(
        "[C] Methods, Algorithm 1",
        required="= {shown}",
        kind="arithmetic",
        cases={
            "rounding_to_tenths": {"step": 0.1, "shown": 0.9},
            "rounding_to_hundredths": {"step": 0.01, "shown": 0.88},
        },
    )
    def rounding(study, step):
        """.8763 rounded to steps of {step} is {shown}."""
        return rounded(0.8763, step)

**Rows.**  ``study.outcomes(experiment, ...)`` chooses rows by any key of the table, by the
mechanism and by whatever parameters this has.  A list makes an axis, in its order; ``point="last"``
takes the end of the attack, and ``eta=None`` the rows without a value.  ``over`` names further axes
with all their values.  Each point of the grid must have exactly one setting; where the study has
none, the claim is not run, and its note says why.

**Numbers.**  `mean`, `median`, `quantile`, `iqr` and `sd` of a column are `xarray.DataArray`
objects: in front the axis ``resample`` (the sample, then 200 bootstrap resamples of the
replicates), then the named axes.  Work on them with xarray and NumPy: ``a - b`` (points go together
by name), ``.diff("b")`` (steps), ``.mean("point")``, ``.max("alpha") - .min("alpha")``,
``.sel(alpha=0.5)``, ``np.abs(x)``; `curves` has a slope, an exponent and a crossing.  ``value`` is
a number that all replicates agree on, without resamples.

**What is returned** is one number with its resamples.  Some have intervals of their own, see
`intervals`.  Of replicates return ``share(rows.each("delta") > 0)``, ``median(rows.each("delta"))``
or ``quantile(rows.each("delta"), 0.95)``, whose intervals are exact.  Of several uncertain numbers
return ``largest(x)``, ``smallest(x)`` or ``read_off(x, function)``, such as how many are below 0.

**Traces.**  ``study.traces(experiment, ...)`` takes a function in the place of a column, which
reads a number off each replicate's submissions, see `places`: ``.median(last_jump)``.

**Kinds.**  *statistical* by default; *arithmetic* for counts, roundings and what cannot fail, whose
note says so: these are reported apart, never in the headline; *carried over* to other data, which
``also_on`` makes.

A configuration lists modules under ``claims``; one of your own lies beside it.
'''

from shakedown.claims.claim import Claim, claim, files_of, load

_RETURNED = ("largest", "median", "quantile", "read_off", "share", "smallest")
__all__ = ["Claim", "claim", "files_of", "load", *_RETURNED]


def __getattr__(name: str):
    # Which files hold claims is asked often, and xarray is slow to import.
    if name in _RETURNED:
        from shakedown.claims import intervals

        return getattr(intervals, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

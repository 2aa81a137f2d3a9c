"""What [C] says of Freedman's attack on LadderBoot: Text S1 with Fig. S6 and S7."""

from __future__ import annotations

from shakedown.claims import claim, largest, read_off, smallest

_FIGS6 = {"figure": "figS6", "on": "ad_like", "also_on": "diabetes"}
_FIGS7 = {"figure": "figS7", "on": "ad_like", "also_on": {"diabetes": "diabetes_figS7"}}

_GRID = ("alpha", "b", "point")


def _medians(study, column, design):
    """Medians of the Ladder by α and k, of LadderBoot by α, b and k."""
    rows = [
        study.outcomes("freedman", design=design, mechanism=mechanism)
        for mechanism in ("ladder", "ladderboot")
    ]
    ladder = rows[0].median(column, over=("alpha", "point"))
    return ladder, rows[1].median(column, over=_GRID)


@claim("[C] Fig. S6", chosen=">= 5", **_FIGS6)
def figS6_comparable(study):
    """Ladder and LadderBoot are comparable under Freedman's attack in most cases (number of the 9
    panels of LadderBoot, by α and b, in which its median Δ differs by less than .05 from the
    Ladder's at every k).
    """
    ladder, boot = _medians(study, "delta", "permuted")
    return read_off(abs(boot - ladder).max("point"), lambda worst: (worst < 0.05).sum())


@claim("[C] Fig. S6", required="> 0", **_FIGS6)
def figS6_ladderboot_slightly_better(study):
    """LadderBoot is slightly better than the Ladder for α = .15 and .5 (Δ averaged over k, minus
    that of the Ladder; smallest over both α and all b)."""
    ladder, boot = _medians(study, "delta", "permuted")
    return smallest((boot - ladder).sel(alpha=[0.15, 0.5]).mean("point"))


@claim("[C] Fig. S7, first pattern", chosen="< 0.05", **_FIGS7)
def figS7_ladder_close(study):
    """Under random splits public and final MSE are close for the Ladder (largest |median Δ| over α
    and k)."""
    ladder, _ = _medians(study, "delta", "splits")
    return largest(abs(ladder))


@claim("[C] Fig. S7, first pattern", chosen="< 0.05", **_FIGS7)
def figS7_ladderboot_close(study):
    """Under random splits public and final MSE are close for LadderBoot (largest |median Δ| over α,
    b and k)."""
    _, boot = _medians(study, "delta", "splits")
    return largest(abs(boot))


@claim("[C] Fig. S7, second pattern", required="< 0", **_FIGS7)
def figS7_ladderboot_uniform(study):
    """Under random splits LadderBoot works equally well for all α: its closeness depends less on α
    than the Ladder's (|median Δ| averaged over k, distance of the highest from the lowest over α:
    largest over b, minus that of the Ladder)."""
    distances = [abs(x).mean("point") for x in _medians(study, "delta", "splits")]
    ladder, boot = (x.max("alpha") - x.min("alpha") for x in distances)
    return largest(boot - ladder)


@claim("[C] Fig. S7, third pattern", required="> 0", **_FIGS7)
def figS7_larger_mse(study):
    """Models built from LadderBoot's scores tend to have a larger public MSE than those built from
    the Ladder's (difference of the medians, averaged over α, b and k)."""
    ladder, boot = _medians(study, "score_public", "splits")
    return (boot - ladder).mean(_GRID)


@claim("[C] Fig. S7, third pattern", required="> 0", **_FIGS7)
def figS7_larger_final_mse(study):
    """Models built from LadderBoot's scores tend to have a larger final MSE than those built from
    the Ladder's (difference of the medians, averaged over α, b and k)."""
    ladder, boot = _medians(study, "score_final", "splits")
    return (boot - ladder).mean(_GRID)


@claim("[C] Fig. S7, third pattern", required="> 0", **_FIGS7)
def figS7_more_variable(study):
    """For large k, models built from LadderBoot's scores tend to have a more variable public MSE
    (difference of the interquartile ranges at k = 30, averaged over α and b)."""
    rows = {"design": "splits", "point": 30}
    boot = study.outcomes("freedman", mechanism="ladderboot", **rows)
    ladder = study.outcomes("freedman", mechanism="ladder", **rows)
    more = boot.iqr("score_public", over=("alpha", "b")) - ladder.iqr("score_public", over="alpha")
    return more.mean(("alpha", "b"))

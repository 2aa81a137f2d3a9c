"""What a recommendation says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakedown.wording import amount, counted, listed, metric_name

RULE = (
    "Of the leaderboards whose limit is at least the wanted number of submissions even when "
    "counted cautiously (the lower end of its 95 % interval), the one that shows the smallest true "
    "gains; where these agree to two digits, the one whose shown scores are closest to the final "
    "scores. If the limit of none is large enough, the one with the largest cautious limit, and of "
    "those that agree in it the one with the largest best estimate; and as many submissions as the "
    "cautious limit. If then the interval of any still holds the wanted number, that is undecided; "
    "the likeliest is, among these, the one whose best estimate is enough, or else the largest, "
    "and of several the one for which the fewest plays more would tell."
)

#: What a tolerated Δ is a share of, by the metric's unit.
WHOLE = {
    "units of the response": "standard deviation",
    "squared units of the response": "variance",
}

# Shares of the response's spread outside which another unit was probably meant.
_TOO_SMALL, _TOO_LARGE = 0.005, 1.0


def unit_words(degree: float) -> str:
    """What a metric of a degree is measured in (`Metric.degree`); "" for one without a unit."""
    known = {0: "", **dict(enumerate(WHOLE, start=1))}
    return known.get(degree, f"units of the response to the power of {degree:g}")


def tolerated(threshold: float, unit_name: str = "", share: float | None = None) -> str:
    """Such as "10.1 squared units of the response, 5 % of its variance"."""
    told = f"{amount(-threshold)} {unit_name}".strip()
    return told if share is None else f"{told}, {_share(share)} of its {WHOLE[unit_name]}"


def safe_means(
    settings: Mapping[str, Any], threshold: float, unit_name: str = "", share: float | None = None
) -> str:
    """What "safe" says, in a sentence or two."""
    metric, quantile = metric_name(settings["metric"]), float(settings["quantile"])
    cases = "half" if quantile == 0.5 else _share(1 - quantile)
    return (
        "Safe means: where there is nothing to learn, participants who spend their submissions in "
        "the way that overfits most end, in at least "
        f"{cases} of the cases, with a model whose public score ({metric}) is better than its "
        f"final one by less than {tolerated(threshold, unit_name, share)}."
    )


def warnings(threshold: float, unit_name: str, share: float | None) -> list[str]:
    """What looks like a slip in the units."""
    if share is None or _TOO_SMALL <= share <= _TOO_LARGE:
        return []
    than = "less than 0.5 %" if share < _TOO_SMALL else "more than all"
    return [
        f"You tolerate {amount(-threshold)} {unit_name}, which is {_share(share)} of the "
        f"response's {WHOLE[unit_name]}: {than} of it. Did you mean another unit? `thresholds` "
        f"are in {unit_name}."
    ]


def sentence(
    found: Mapping[str, Any], best: Mapping[str, Any], *, chance: bool, n_public: int | None
) -> str:
    """The answer; `best` is first by the rule, `chance` if the smallest number is too many."""
    wanted, answer = found["wanted"], found["answer"]
    label, count = best["label"], f"{counted(wanted, 'submission')} per participant"
    first = ""
    if chance:
        public = f"only {n_public:,} public rows" if n_public else "so few public rows"
        first = (
            f"With {public}, chance alone moves the public score against the final one by more "
            "than you tolerate, without any overfit to speak of: under most leaderboards even "
            f"{found['smallest_tried']:,} submissions, the fewest that were tried, are too many. "
        )
    if answer == "undecided":
        likeliest = found["likeliest"]
        told = (
            f"Not decided yet: {counted(likeliest['replicates'], 'play')} are too few to call any "
            f"leaderboard safe for {count}. Likeliest: {likeliest['label']}, estimate "
            f"{estimate(likeliest)}."
        )
        if found["submissions"]:
            on = "" if best is likeliest else f", with {label}"
            told += f" Until then allow at most {found['submissions']:,}{on}."
        return first + told
    if answer == "none":
        return first + (
            f"No leaderboard that was tried can be called safe for {count}, nor for any smaller "
            "number that was tried."
        )
    if answer == "fewer":
        return first + (
            f"No leaderboard that was tried can be called safe for {count}. The safest is {label}: "
            f"allow {best['ci_low']:,} at most."
        )
    are = "is" if wanted == 1 else "are"
    if best["ci_low"] == wanted:
        return f"Use {label}: {count} {are} safe, even when counted cautiously."
    most = ", the most that we tried" if _never_crossed(best) else ""
    return (
        f"Use {label}: {count} {are} safe; even when counted cautiously, {best['ci_low']:,} would "
        f"be{most}."
    )


def estimate(option: Mapping[str, Any]) -> str:
    """The best estimate of a limit: "596", "2,000 or more" or "fewer than 8"."""
    first = option.get("smallest_tried")
    if first is not None and option["safe_submissions"] < first:
        return f"fewer than {first:,}"
    return f"{option['safe_submissions']:,}" + (" or more" if option["censored"] else "")


def advice(
    found: Mapping[str, Any], options: list[dict], settings: Mapping[str, Any], *, chance: bool
) -> list[str]:
    """What to do where the wanted number is not safe, or what is safe is of little use."""
    answer, submissions = found["answer"], found["submissions"]
    if answer == "safe":
        return _if_useless(options[0], options)
    last = [
        "Put more rows into the public set: overfit shrinks as it grows.",
        "Tolerate more overfit, if the prize can bear it: lower `thresholds` further below 0.",
    ]
    told = []
    if _never_crossed(options[0]):
        told.append(
            f"Try more: none of the attacks made more than {options[0]['ci_low']:,} submissions. "
            f"Raise `largest_budget`, which is {settings['largest_budget']:,} now, and run again."
        )
    if answer == "undecided":
        told.append(_longer(found, settings))
    if submissions:
        until = "Until then allow" if answer == "undecided" else "Allow"
        told.append(f"{until} {counted(submissions, 'submission')} per participant in all.")
    else:
        told.append(
            "Show no scores while the challenge runs: score once at its end, or in two or three "
            "rounds that you announce."
        )
    return [*last[::-1], *told] if chance else [*told, *last]


def _longer(found: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    likeliest, needed = found["likeliest"], found["plays_needed"]
    told = (
        f"Measure longer: the interval of {likeliest['label']} still holds "
        f"{counted(found['wanted'], 'submission')}. "
    )
    if needed is None:
        return f"{told}Raise `minutes`, which is {settings['minutes']:g} now, and run again."
    most = settings.get("most_replicates")
    raised = f"`minutes`, which is {settings['minutes']:g} now"
    if most is not None and needed > most:
        raised += f", and `most_replicates`, which is {most:,}"
    return (
        f"{told}If its estimate holds, roughly {needed:,} plays instead of "
        f"{likeliest['replicates']:,} would settle it: raise {raised}."
    )


def _if_useless(best: Mapping, options: list[dict]) -> list[str]:
    if best["seen_floor"] is not None:
        return []
    told = [
        "It is safe because it shows so little: no true gain that was tried shows on it reliably. "
        "More rows in the public set would make it more useful."
    ]
    useful = [o for o in options if o["seen_floor"] is not None and o["ci_low"] > 0]
    if useful:
        other = max(useful, key=lambda option: option["ci_low"])
        told.append(
            f"Allow fewer submissions on one that shows more: {other['label']} is safe for "
            f"{other['ci_low']:,}."
        )
    return told


def price(option: Mapping[str, Any] | None, options: list[dict]) -> str:
    """What honest participants lose on a leaderboard, against the usual one."""
    if option is None or option["mean_difference"] is None:
        return ""
    told = f"What {option['label']} costs honest participants: {', '.join(_costs(option))}"
    usual = [o for o in options if o["mechanism"] == "full_disclosure"]
    if not usual or usual[0]["label"] == option["label"] or usual[0]["mean_difference"] is None:
        return f"{told}."
    return f"{told}. With {usual[0]['label']}: {', '.join(_costs(usual[0]))}."


def _costs(option: Mapping[str, Any]) -> list[str]:
    floor, rank = option["seen_floor"], option["rank_correlation"]
    gain = "no true gain that was tried shows"
    if floor is not None:
        gain = f"the smallest true gain that shows is {amount(floor, 2)}"
    told = [gain, f"the shown score is off by {amount(option['mean_difference'], 2)}"]
    if rank is not None:
        told.append(f"order kept {f'{rank:.2f}'.replace('-', '−')}")
    return told


def ties(found: Mapping[str, Any], options: list[dict]) -> str:
    """Which settings reach the same cautious limit as the one that is named."""
    named = found["likeliest"] or found["recommended"]
    if named is None or found["answer"] == "safe":
        return ""
    same = [o["label"] for o in options if o["ci_low"] == named["ci_low"] and o is not named]
    if not same:
        return ""
    count = f"{named['ci_low']:,}" if named["ci_low"] else "0, no number that was tried"
    return (
        f"{listed([named['label'], *same])} have the same cautious limit ({count}): by these plays "
        "they cannot be told apart."
    )


def not_covered(n_public: int | None, wanted: int, quantile: float) -> list[str]:
    """What the limits do not hold for."""
    rows = "there are public rows" + (f" ({n_public:,})" if n_public else "")
    probes = (
        "Whoever submits arbitrary numbers instead of fitted models can do far better: with about "
        f"as many submissions as {rows}, the public answers can be recovered under many "
        "leaderboards. That is not covered"
    )
    if n_public and wanted > n_public:
        probes += f", and the {wanted:,} submissions that you want are more than that"
    told = [
        f"{probes}. Ask winners for the program that made their predictions.",
        "More submissions by several accounts, or by teams that share scores: all submissions of "
        "people who work together count into one limit. So do those of an attacker here who opens "
        "a new account for each round.",
        "Models of other kinds: those that attackers submit here are least-squares fits to some of "
        "the features.",
    ]
    if quantile == 0.5:
        told.append(
            "The luckiest of many participants: the limit is that of the middle one. For one that "
            "is luckier than 19 of 20, set `quantile` to 0.05."
        )
    else:
        told.append(
            f"The luckiest of many participants: the limit is that of one who is luckier than "
            f"{_share(1 - quantile)} of them."
        )
    return told


def _never_crossed(option: Mapping[str, Any]) -> bool:
    """Whether even the most that was tried is safe, counted cautiously."""
    return option["censored"] and option["ci_low"] == option["safe_submissions"]


def _share(share: float) -> str:
    return f"{amount(100 * share)} %"

"""The papers' mechanisms by name, each a gate and a release, and two controls."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import inf

from shakedown.interface import InputError
from shakedown.leaderboard.gates import Always, Gate, Margin, PairedTest, PosteriorOdds
from shakedown.leaderboard.releases import (
    Bootstrap,
    Constant,
    Exact,
    Ranks,
    Release,
    Rounded,
)


@dataclass(frozen=True)
class Mechanism:
    """A leaderboard mechanism: when a submission replaces the best, and what is shown.

    Attributes
    ----------
    name : str
        Key of `CATALOGUE`.
    gate : Gate
    release : Release
    alpha, posterior_odds, eta, b : float or None
        Its settings, None where one does not apply.
    fresh : bool
        Control: the public score is measured on rows that the board never used.
    """

    name: str
    gate: Gate
    release: Release
    alpha: float | None = None
    posterior_odds: float | None = None
    eta: float | None = None
    b: int | None = None
    fresh: bool = False

    @property
    def is_noisy(self) -> bool:
        return self.release.is_noisy

    @property
    def shows_ranks(self) -> bool:
        """Whether accounts see their ranks alone, and no score."""
        return self.release.name == "rank"

    @property
    def shows_scores(self) -> bool:
        """Whether what it shows is a score at all."""
        return self.release.name != "constant" and not self.shows_ranks

    @property
    def gate_id(self) -> str:
        """Names the gate's stream of random numbers: the gate and its settings."""
        return repr(self.gate)

    @property
    def id(self) -> str:
        """Names the release's stream: gate, release and their settings."""
        return f"{self.gate!r} {self.release!r}"


def _full_disclosure() -> Mechanism:
    return Mechanism("full_disclosure", Always(), Exact())


def _kaggle(eta: float = 1e-5) -> Mechanism:  # [B] Algorithm 3, whose alpha is "typically 0.00001"
    return Mechanism("kaggle", Always(), Rounded(eta), eta=eta)


def _general_ladder(eta: float) -> Mechanism:  # [B] Algorithm 1, [C] Algorithm 1
    return Mechanism("general_ladder", Margin(eta, eta), Rounded(eta), eta=eta)


def _simplified_ladder(eta: float) -> Mechanism:  # [Z] Algorithm 2
    return Mechanism("simplified_ladder", Margin(0.0, eta), Rounded(eta), eta=eta)


def _parameter_free_ladder() -> Mechanism:  # [B] Algorithm 2, [C] Algorithm 2
    return Mechanism("parameter_free_ladder", PairedTest(None, rounds_best=True), Rounded(None))


def _ladder(alpha: float) -> Mechanism:  # [C] Algorithm 3
    return Mechanism("ladder", PairedTest(alpha, rounds_best=True), Rounded(None), alpha=alpha)


def _ladderboot(alpha: float, b: int) -> Mechanism:  # [C] Algorithm 4
    return Mechanism(
        "ladderboot", PairedTest(alpha, rounds_best=False), Bootstrap(b), alpha=alpha, b=b
    )


def _bayesboot_ladder(posterior_odds: float, draws: int = 1000) -> Mechanism:  # [C] Algorithm 5
    return Mechanism(
        "bayesboot_ladder",
        PosteriorOdds(posterior_odds, draws),
        Rounded(None),
        posterior_odds=posterior_odds,
    )


def _bayesboot_ladderboot(  # [C] Algorithm 6
    posterior_odds: float, b: int, draws: int = 1000, dirichlet: bool = False
) -> Mechanism:
    return Mechanism(
        "bayesboot_ladderboot",
        PosteriorOdds(posterior_odds, draws),
        Bootstrap(b, dirichlet),
        posterior_odds=posterior_odds,
        b=b,
    )


def _rank_board(eta: float | None = None) -> Mechanism:  # [Z] section 2.2, its minimal leaderboard
    # By exact scores, or by scores to a multiple of eta, as the section advises in the end.
    step = eta or 0.0
    return Mechanism("rank_board", Margin(0.0, step), Ranks(step), eta=eta)


def _constant_board() -> Mechanism:
    return Mechanism("constant_board", Always(), Constant())


def _fresh_holdout() -> Mechanism:
    return Mechanism("fresh_holdout", Always(), Exact(), fresh=True)


#: A mechanism is added by one function above and one line here.
CATALOGUE = {
    "full_disclosure": _full_disclosure,
    "kaggle": _kaggle,
    "general_ladder": _general_ladder,
    "simplified_ladder": _simplified_ladder,
    "parameter_free_ladder": _parameter_free_ladder,
    "ladder": _ladder,
    "ladderboot": _ladderboot,
    "bayesboot_ladder": _bayesboot_ladder,
    "bayesboot_ladderboot": _bayesboot_ladderboot,
    "rank_board": _rank_board,
    "constant_board": _constant_board,
    "fresh_holdout": _fresh_holdout,
}


def mechanism(name: str, **settings) -> Mechanism:
    """The mechanism of that name.

    Parameters
    ----------
    name : str
        Key of `CATALOGUE`.
    **settings
        `alpha` (significance level, in (0, 1)), `posterior_odds` (> 0), `eta` (step, in units of
        the score, > 0), `b` (bootstrap replications per release, >= 1), `draws` (replications
        per Bayesian test, >= 1), `dirichlet` (bool), as the mechanism takes them.

    Raises
    ------
    InputError
        If the name is unknown, or a setting is missing, unknown or out of range.
    """
    if name not in CATALOGUE:
        raise InputError(f"mechanism '{name}': wanted one of {sorted(CATALOGUE)}.")
    build = CATALOGUE[name]
    taken = build.__code__.co_varnames[: build.__code__.co_argcount]
    optional = taken[len(taken) - len(build.__defaults__ or ()) :]
    if unknown := sorted(set(settings) - set(taken)):
        raise InputError(
            f"mechanism '{name}' takes no setting {unknown}; it takes {list(taken) or 'none'}."
        )
    if missing := [key for key in taken if key not in settings and key not in optional]:
        raise InputError(f"mechanism '{name}' needs {missing}. Give each a value, or a list.")
    return build(**{key: _checked(name, key, value) for key, value in settings.items()})


def mechanisms(entries: list[dict]) -> list[Mechanism]:
    """Mechanisms of a configuration: in each entry, lists of settings multiply out.

    Raises
    ------
    InputError
        As `mechanism`, or if two entries give the same mechanism.
    """
    found: dict[tuple, Mechanism] = {}
    for entry in entries:
        settings = {k: v if isinstance(v, list) else [v] for k, v in entry.items() if k != "name"}
        for values in product(*settings.values()):
            one = mechanism(entry["name"], **dict(zip(settings, values, strict=True)))
            shown = (one.name, one.alpha, one.posterior_odds, one.eta, one.b)
            if shown in found:
                raise InputError(
                    f"mechanism '{one.name}' is listed twice with the same settings "
                    f"({dict(zip(settings, values, strict=True))}); the tables tell mechanisms "
                    "apart by alpha, posterior_odds, eta and b. Remove one, or put it into an "
                    "experiment of its own."
                )
            found[shown] = one
    return list(found.values())


_RANGES = {
    "alpha": (lambda v: 0.0 < v < 1.0, "a significance level between 0 and 1", float),
    "posterior_odds": (lambda v: 0.0 < v < inf, "odds above 0", float),
    "eta": (lambda v: 0.0 < v < inf, "a step above 0", float),
    "b": (lambda v: v >= 1 and v == v // 1, "a whole number of replications, 1 or more", int),
    "draws": (lambda v: v >= 1 and v == v // 1, "a whole number of replications, 1 or more", int),
    "dirichlet": (lambda v: isinstance(v, bool), "true or false", bool),
}


def _checked(name: str, key: str, value):
    holds, wanted, kind = _RANGES[key]
    if not isinstance(value, int | float) or not holds(value):
        raise InputError(f"mechanism '{name}': `{key}` must be {wanted}; got {value!r}.")
    return kind(value)

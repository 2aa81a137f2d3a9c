"""Designs: how a challenge is dealt into train, public and final sets, and scaled.

Two designs, as in [C]: *permuted* keeps the sets and permutes the response within each of them, so
that whatever is found is overfit; *splits* draws fresh random sets and keeps the response.  A third
one, *labels*, is for challenges of 0 and 1 whose features nobody looks at, as in [B] and [Z]: it
draws fresh random public and final sets, and scales nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shakedown.interface import Challenge, InputError, View
from shakedown.seeding import stream

SETS = ("train", "public", "final")
SCALED = ("permuted", "splits")
LABELS = "labels"
DESIGNS = (*SCALED, LABELS)
FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Deal:
    """One replicate's data: what the participant sees, and what the organiser keeps.

    Attributes
    ----------
    view : View
    y_public : ndarray, shape (n_public,)
    y_final : ndarray, shape (n_final,)
    features : ndarray of int, shape (p,)
        Columns of the challenge that the view shows.
    """

    view: View
    y_public: np.ndarray
    y_final: np.ndarray
    features: np.ndarray


class Dealer:
    """Deals the replicates of one challenge under one design.

    Parameters
    ----------
    challenge : Challenge
    design : {"permuted", "splits"}
    seed : int
    n_features : int or None
        Size of the random feature subset; None, or more than there are, for all features.
    per_replicate : bool
        Whether each replicate draws its own subset; otherwise the study has one.
    sizes : sequence of int, shape (3,), or None
        Rows of the random train, public and final sets of the splits design, such as
        `official_sizes`; None for sizes that differ by at most one.

    Raises
    ------
    InputError
        If the design is unknown, the sizes do not fit it or the table, a set has fewer than 10
        rows, its response is constant, or no feature varies in every set.

    Notes
    -----
    A feature that is constant within one of the sets cannot be scaled there; the next one of the
    random order takes its place.  The features are dealt in the order of their columns.  Under
    the permuted design an official split is used where the challenge has one.
    """

    def __init__(
        self,
        challenge: Challenge,
        design: str,
        *,
        seed: int,
        n_features: int | None = None,
        per_replicate: bool = False,
        sizes: Sequence[int] | None = None,
    ) -> None:
        if design not in SCALED:
            raise InputError(f"design '{design}': wanted one of {list(SCALED)}.")
        if sizes is not None:
            _check_sizes(challenge, design, sizes)
        self._sizes = sizes
        self._challenge = challenge
        self._columns = np.ascontiguousarray(challenge.X.T)  # (p, n): a feature is one stretch
        self._design, self._seed = design, seed
        self._n_features = min(n_features or len(self._columns), len(self._columns))
        self._per_replicate = per_replicate
        self._rows = self._fixed_sets() if design == "permuted" else None
        self._kept: tuple | None = None

    def deal(self, replicate: int) -> Deal:
        """The data of a replicate; the same whatever was dealt before."""
        rng = stream(self._seed, "data", self._challenge.name, self._design, replicate)
        if self._design == "permuted":
            rows = self._rows
            responses = [rng.permutation(self._challenge.y[r]) for r in rows]
        else:
            rows = _random_sets(len(self._challenge.y), rng, self._sizes)
            responses = [self._challenge.y[r] for r in rows]
        for name, r, y in zip(SETS, rows, responses, strict=True):
            self._check(name, r, y)
        features, (train, public, final) = self._scaled_features(rows, replicate)
        y_train, y_public, y_final = (standardised(y[None])[0] for y in responses)
        return Deal(View(train.T, y_train, public.T, final.T), y_public, y_final, features)

    def _fixed_sets(self) -> list[np.ndarray]:
        split = self._challenge.split
        if split is not None:
            return [np.flatnonzero(split == name) for name in SETS]
        rng = stream(self._seed, "split", self._challenge.name)
        return _random_sets(len(self._challenge.y), rng)

    def _check(self, name: str, rows: np.ndarray, y: np.ndarray) -> None:
        _check_size(self._challenge, name, len(rows))
        if y.min() == y.max():
            raise InputError(
                f"data set '{self._challenge.name}', {name} set: its response is constant "
                f"({y[0]:g}), which no score can be computed for. Give more rows, or another split."
            )

    def _scaled_features(self, rows, replicate):
        """A feature subset and its scaled columns, shape (p, n_set), in each set."""
        fixed = self._design == "permuted" and not self._per_replicate
        if fixed and self._kept is not None:
            return self._kept
        axes = [replicate] if self._per_replicate else []
        order = stream(self._seed, "features", self._challenge.name, *axes).permutation(
            len(self._columns)
        )
        found: list[np.ndarray] = []
        sets: list[list[np.ndarray]] = [[], [], []]
        position, wanted = 0, self._n_features
        while wanted > 0 and position < len(order):
            candidates = order[position : position + wanted]
            position += wanted
            raw = [self._columns[candidates][:, r] for r in rows]
            varies = np.all([c.min(axis=1) < c.max(axis=1) for c in raw], axis=0)
            found.append(candidates[varies])
            for kept, c in zip(sets, raw, strict=True):
                kept.append(standardised(c[varies]))
            wanted -= int(varies.sum())
        features = np.concatenate(found)
        if not len(features):
            raise InputError(
                f"data set '{self._challenge.name}': wanted at least 1 feature that varies in "
                "every set, got none. Give other features, or more rows."
            )
        by_column = np.argsort(features)  # neighbours stay neighbours
        result = features[by_column], [np.concatenate(kept)[by_column] for kept in sets]
        if fixed:
            self._kept = result
        return result


class LabelDealer:
    """Deals the replicates of a challenge of labels.

    Parameters
    ----------
    challenge : Challenge
        With a response of 0 and 1; its features are left aside.
    seed : int

    Raises
    ------
    InputError
        If the response is not of labels, or a set has fewer than 10 rows.

    Notes
    -----
    The sets have the sizes of the official ones where there are such, else each is a third; a
    training set says nothing here and is left aside.  Labels of a challenge without features are
    tosses of a coin, and tossed anew in each replicate: with the same ones a share that is not
    quite 1/2 would be the same luck in all of them.
    """

    def __init__(self, challenge: Challenge, *, seed: int) -> None:
        if other := sorted(set(challenge.y.tolist()) - {0.0, 1.0}):
            raise InputError(
                f"data set '{challenge.name}': the design 'labels' wants a response of 0 and 1, "
                f"got {other[0]:g}. Recode it to 0 and 1, or use another design."
            )
        self._sizes = set_sizes(challenge)
        for name in SETS[1:]:
            _check_size(challenge, name, self._sizes[name])
        self._challenge, self._seed = challenge, seed

    def deal(self, replicate: int) -> Deal:
        """The labels of a replicate; the same whatever was dealt before."""
        rng = stream(self._seed, "data", self._challenge.name, LABELS, replicate)
        n, n_final = (self._sizes[name] for name in SETS[1:])
        if self._challenge.features.size:
            y = rng.permutation(self._challenge.y)
        else:
            y = rng.integers(0, 2, n + n_final).astype(float)
        y_public, y_final = y[:n], y[-n_final:]
        view = View(np.empty((0, 0)), np.empty(0), np.empty((n, 0)), np.empty((n_final, 0)))
        return Deal(view, y_public, y_final, np.empty(0, int))


def standardised(rows: np.ndarray) -> np.ndarray:
    """Each row (a feature or a response) with mean 0 and standard deviation 1 (ddof = 1)."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / centred.std(axis=1, ddof=1, keepdims=True)


def official_sizes(challenge: Challenge) -> tuple[int, ...] | None:
    """Rows of the official train, public and final sets; None where there is no official split."""
    if challenge.split is None:
        return None
    return tuple(int(np.count_nonzero(challenge.split == name)) for name in SETS)


def set_sizes(challenge: Challenge) -> dict[str, int]:
    """Rows of the train, public and final sets, by name: the official ones, or random thirds."""
    n = len(challenge.y)
    thirds = [len(part) for part in np.array_split(np.arange(n), len(SETS))]
    return dict(zip(SETS, official_sizes(challenge) or thirds, strict=True))


def _check_size(challenge: Challenge, name: str, rows: int) -> None:
    if rows < FEWEST_ROWS:
        raise InputError(
            f"data set '{challenge.name}', {name} set: wanted at least {FEWEST_ROWS} rows, got "
            f"{rows}. Give more rows, or another split."
        )


def _check_sizes(challenge: Challenge, design: str, sizes: Sequence[int]) -> None:
    if design != "splits":
        raise InputError(
            f"design '{design}': the sizes of random sets, {list(sizes)}, go with the design "
            "'splits' alone. Leave them out."
        )
    n = len(challenge.y)
    if len(sizes) != len(SETS) or min(sizes) < FEWEST_ROWS or sum(sizes) > n:
        raise InputError(
            f"data set '{challenge.name}': wanted the sizes of the three sets {list(SETS)}, at "
            f"least {FEWEST_ROWS} each and at most {n} in all; got {list(sizes)}. Give others, or "
            "none."
        )


def _random_sets(
    n: int, rng: np.random.Generator, sizes: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Three random sets of rows, of these sizes, or of sizes that differ by at most one."""
    order = rng.permutation(n)
    if sizes is None:
        parts = np.array_split(order, len(SETS))
    else:
        parts = np.split(order[: sum(sizes)], np.cumsum(sizes)[:-1])
    return [np.sort(part) for part in parts]

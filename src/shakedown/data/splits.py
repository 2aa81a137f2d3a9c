"""Split a challenge into train, public and final sets under a design, and scale it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shakedown.data.censored import check_pairs, risk_score, shuffled_times
from shakedown.data.checks import MIN_ROWS_PER_SET, SETS
from shakedown.data.designs import LABELS, PERMUTED_LABELS, SCALED
from shakedown.data.drawing import sets_of, strata_of, thirds
from shakedown.data.grouped import check_set, groups_of, permuted
from shakedown.data.horizons import responses_of
from shakedown.data.scaling import blocks, scale_sets, standardised
from shakedown.data.several import (
    cells_of,
    check_single,
    check_varies,
    shuffled,
    standardised_by,
    with_signs,
)
from shakedown.data.store import let_go
from shakedown.data.weights import on_rows, weights_of
from shakedown.interface import Cells, Challenge, InputError, ParticipantData
from shakedown.metrics import Metric
from shakedown.metrics.classes import CLASSED
from shakedown.seeding import stream


@dataclass(frozen=True, eq=False)
class Split:
    """The data of one replicate: the view of the participant, and the hidden responses.

    Attributes
    ----------
    view : ParticipantData
    y_public : ndarray, shape (n_public,)
        Of censored times, signed.
    y_final : ndarray, shape (n_final,)
    features : ndarray of int, shape (p,)
        Indices of the features in the view.
    """

    view: ParticipantData
    y_public: np.ndarray
    y_final: np.ndarray
    features: np.ndarray

    def on(self, metric: Metric, name: str) -> Metric:
        """A metric on the set of this name."""
        return on_rows(metric, self.view, SETS.index(name))


class Splitter:
    """Splits one challenge under one design, replicate by replicate.

    Parameters
    ----------
    challenge : Challenge
    design : {"permuted", "splits"}
    seed : int
    n_features : int or None
        Size of the random feature subset, 0 for none; None, or more than there are, for all.
    per_replicate : bool
        Whether each replicate draws its own subset; if not, all replicates share one.
    sizes : sequence of int, shape (3,), or None
        Numbers of rows of the train, public and final sets in the design "splits", such as
        `official_sizes`; None for sizes that differ by at most one.
    metric : Metric or None
        What the response is scored by.  If it scores classes, random sets have each class in about
        its share (`drawing.strata_of`), and shuffled responses of groups are values of the
        response; else they are means of groups and differences from these.

    Raises
    ------
    InputError
        If the design is unknown, the sizes do not fit it or the table, a set has fewer than 10
        rows, its response is constant, or no feature varies in every set.

    Notes
    -----
    A feature that is constant within a set cannot be scaled; it is replaced by the next one in the
    random order.  The features keep the order of their columns.  The design "permuted" uses the
    official split of the challenge if there is one.
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
        metric: Metric | None = None,
    ) -> None:
        if design not in SCALED:
            raise InputError(f"design '{design}': wanted one of {list(SCALED)}.")
        if sizes is not None:
            _check_sizes(challenge, design, sizes)
        self._sizes = sizes
        self._strata = None if metric is None else strata_of(challenge, metric)
        self._of_classes = metric is not None and metric.response in CLASSED
        self._challenge = challenge
        # (p, n), so a feature is contiguous; read-only like the mapped file of a data set, so that
        # what scales it is compiled for one type.
        self._columns = np.ascontiguousarray(challenge.X.T).view()
        self._columns.flags.writeable = False
        self._design, self._seed = design, seed
        p = len(self._columns)
        self._n_features = p if n_features is None else min(n_features, p)
        self._per_replicate = per_replicate
        self._rows = self._fixed_sets() if design == "permuted" else None
        self._kept: tuple | None = None

    def split(self, replicate: int) -> Split:
        """The data of a replicate; they do not depend on earlier calls."""
        rng = stream(self._seed, "data", self._challenge.name, self._design, replicate)
        rows = self._rows
        if rows is None:
            rows = sets_of(self._challenge, rng, self._sizes, self._strata)
        groups, responses = groups_of(self._challenge, rows), []
        none = [None] * len(rows)
        for name, r, codes in zip(SETS, rows, groups or none, strict=True):
            self._check(name, r, self._challenge.y[r])
            check_set(self._challenge, name, codes)
        cells, weights = cells_of(self._challenge, rows), weights_of(self._challenge, rows)
        if self._challenge.horizons:
            moves = rng if self._design == "permuted" else None
            made = [
                responses_of(self._challenge, *of, moves)
                for of in zip(rows, groups, cells, strict=True)
            ]
            responses, weights = zip(*made, strict=True)
        else:
            for r, codes, own in zip(rows, groups or none, cells or none, strict=True):
                responses.append(self._responses(self._challenge.y[r], codes, own, rng))
        features, sets = self.scaled_features(rows, replicate)
        if cells is not None:
            sets = with_signs(sets, responses[0], cells)
        train, public, final = sets
        y_train, y_public, y_final = responses
        times = y_train if self._challenge.censored else None
        y_train = y_train if times is None else risk_score(times)
        return Split(
            ParticipantData(train.T, y_train, public.T, final.T, groups, cells, weights, times),
            *(y_public, y_final, features),
        )

    def _responses(
        self, y: np.ndarray, codes: np.ndarray | None, cells: Cells | None, rng: np.random.Generator
    ) -> np.ndarray:
        """Standardised responses of a set under the design; censored times keep their signs."""
        is_permuted = self._design == "permuted"
        if self._challenge.censored:
            return shuffled_times(y, codes, rng) if is_permuted else y
        move = shuffled_times if self._of_classes else permuted
        if cells is None:
            return standardised((move(y, codes, rng) if is_permuted else y)[None])[0]
        y = shuffled(y, cells, codes, rng, move) if is_permuted else y
        return standardised_by(y, cells.responses)

    def _fixed_sets(self) -> list[np.ndarray]:
        split = self._challenge.split
        if split is not None:
            return [np.flatnonzero(split == name) for name in SETS]
        rng = stream(self._seed, "split", self._challenge.name)
        return sets_of(self._challenge, rng, strata=self._strata)

    def _check(self, name: str, rows: np.ndarray, y: np.ndarray) -> None:
        _check_size(self._challenge, name, len(rows))
        if self._challenge.cells is not None:
            check_varies(self._challenge, name, rows)
        if self._challenge.censored:
            check_pairs(y, f"data set '{self._challenge.name}', {name} set")
        if y.min() == y.max():
            raise InputError(
                f"data set '{self._challenge.name}', {name} set: its response is constant "
                f"({y[0]:g}), so it has no score. Give more rows, or another split."
            )

    def scaled_features(self, rows, replicate):
        """A feature subset and its scaled columns, shape (p, n_set), in each set."""
        fixed = self._design == "permuted" and not self._per_replicate
        if fixed and self._kept is not None:
            return self._kept
        axes = [replicate] if self._per_replicate else []
        order = stream(self._seed, "features", self._challenge.name, *axes).permutation(
            len(self._columns)
        )
        sets = tuple(np.empty((self._n_features, len(r))) for r in rows)
        added = tuple(blocks(len(r)) for r in rows)
        features = np.empty(self._n_features, int)
        count = position = 0
        while count < self._n_features and position < len(order):
            stop = position + self._n_features - count
            candidates = np.sort(order[position:stop])  # in the order of the columns
            position = stop
            count, usual = scale_sets(
                self._columns, candidates, tuple(rows), added, features, sets, count
            )
            for at in np.flatnonzero(~usual):
                for scaled, r in zip(sets, rows, strict=True):
                    scaled[at] = standardised(self._columns[features[at]][r][None])[0]
        features, sets = features[:count], [scaled[:count] for scaled in sets]
        if not count and self._n_features:
            raise InputError(
                f"data set '{self._challenge.name}': wanted at least 1 feature that varies in "
                "every set, got none. Give other features, or more rows."
            )
        if (features[1:] < features[:-1]).any():  # some have been replaced by later ones
            sorted_by_column = np.argsort(features)
            features = features[sorted_by_column]
            sets = [scaled[sorted_by_column] for scaled in sets]
        let_go(self._columns)
        result = features, sets
        if fixed:
            self._kept = result
        return result


class LabelSplitter:
    """Splits a challenge of labels, replicate by replicate.

    Parameters
    ----------
    challenge : Challenge
        With a response of 0 and 1.
    seed : int
    n_features : int
        Size of the random feature subset; 0 for none.
    per_replicate : bool
        As in `Splitter`.
    design : {"labels", "permuted_labels"}

    Raises
    ------
    InputError
        If the response is not of labels, a set has fewer than 10 rows, or the public labels of a
        table are all equal.

    Notes
    -----
    If the challenge has no features, each replicate draws new labels, because a share that is not
    exactly 1/2 would otherwise affect all replicates.  There is no training set then.

    The labels of a table are permuted within each of its sets, as responses are under the design
    "permuted": the official sets, or random thirds in which the labels are about equally frequent
    (their numbers differ by at most one row).  So the number of ones in each set is the same in all
    replicates, as the mean of a standardised response is, and a file with the same label in every
    row has the same score in all of them.  The participant sees the training labels.

    With features, labels keep their rows in the design "labels", so that a model can predict them,
    and each replicate draws new sets with the same number of rows of each label.  In the design
    "permuted_labels" they are permuted within each set, as without features.
    """

    def __init__(
        self,
        challenge: Challenge,
        *,
        seed: int,
        n_features: int = 0,
        per_replicate: bool = False,
        design: str = LABELS,
    ) -> None:
        check_single(challenge)
        if challenge.group is not None:
            raise InputError(
                f"data set '{challenge.name}': labels in groups ('{challenge.group.name}') are not "
                "played yet; wanted independent rows. Keep one row of each group, or predict a "
                "number."
            )
        if other := sorted(set(challenge.y.tolist()) - {0.0, 1.0}):
            raise InputError(
                f"data set '{challenge.name}': the design 'labels' needs a response of 0 and 1; "
                f"got {other[0]:g}. Recode it to 0 and 1, or use another design."
            )
        self._sizes = set_sizes(challenge)
        for name in SETS[1:]:
            _check_size(challenge, name, self._sizes[name])
        self._challenge, self._seed, self._design = challenge, seed, design
        self._sets = self._fixed_sets() if challenge.features.size else None
        if self._sets is not None and np.ptp(y := challenge.y[self._sets[1]]) == 0:
            raise InputError(
                f"data set '{challenge.name}', public set: all labels are {y[0]:g}, so there is "
                "nothing to tell apart. Give more rows, or another split."
            )
        self._features = None
        if self._sets is not None and n_features:
            fixed = design == PERMUTED_LABELS
            self._features = Splitter(
                *(challenge, "permuted" if fixed else "splits"),
                seed=seed,
                n_features=n_features,
                per_replicate=per_replicate,
            )

    def split(self, replicate: int) -> Split:
        """The labels of a replicate; they do not depend on earlier calls."""
        rng = stream(self._seed, "data", self._challenge.name, self._design, replicate)
        if self._features is not None:
            return self._with_features(rng, replicate)
        n, n_final = (self._sizes[name] for name in SETS[1:])
        if self._sets is not None:
            parts = [rng.permutation(self._challenge.y[rows]) for rows in self._sets]
        else:
            y = rng.integers(0, 2, n + n_final).astype(float)
            parts = [y[:0], y[:n], y[n:]]
        y_train, y_public, y_final = parts
        view = ParticipantData(
            np.empty((len(y_train), 0)), y_train, np.empty((n, 0)), np.empty((n_final, 0))
        )
        return Split(view, y_public, y_final, np.empty(0, int))

    def _with_features(self, rng: np.random.Generator, replicate: int) -> Split:
        """The sets with their features, and the labels that this replicate gives them."""
        y, sets = self._challenge.y, self._sets
        if self._design == PERMUTED_LABELS:
            labels = [rng.permutation(y[rows]) for rows in sets]
        else:
            sets = self._drawn_sets(rng)
            labels = [y[rows] for rows in sets]
        features, (train, public, final) = self._features.scaled_features(sets, replicate)
        view = ParticipantData(train.T, labels[0], public.T, final.T)
        return Split(view, labels[1], labels[2], features)

    def _drawn_sets(self, rng: np.random.Generator) -> list[np.ndarray]:
        """New sets of rows, with as many of each label as the fixed ones."""
        y = self._challenge.y
        drawn: list[list[np.ndarray]] = [[] for _ in SETS]
        for label in (0.0, 1.0):
            rows = rng.permutation(np.flatnonzero(y == label))
            counts = [np.count_nonzero(y[fixed] == label) for fixed in self._sets]
            ends = np.cumsum(counts)
            for part, end, count in zip(drawn, ends, counts, strict=True):
                part.append(rows[end - count : end])
        return [np.sort(np.concatenate(parts)) for parts in drawn]

    def _fixed_sets(self) -> list[np.ndarray]:
        """The rows of each set of a table."""
        split, y = self._challenge.split, self._challenge.y
        if split is not None:
            return [np.flatnonzero(split == name) for name in SETS]
        order = stream(self._seed, "split", self._challenge.name, LABELS).permutation(len(y))
        sorted_by_label = order[np.argsort(y[order], kind="stable")]
        return [np.sort(sorted_by_label[k :: len(SETS)]) for k in range(len(SETS))]


def official_sizes(challenge: Challenge) -> tuple[int, ...] | None:
    """Rows of the official train, public and final sets; None without an official split."""
    if challenge.split is None:
        return None
    return tuple(int(np.count_nonzero(challenge.split == name)) for name in SETS)


def set_sizes(challenge: Challenge) -> dict[str, int]:
    """Rows of the train, public and final sets, by name: the official ones, or random thirds.

    Thirds of whole groups are as near to these as groups allow.
    """
    sizes = official_sizes(challenge) or thirds(len(challenge.y))
    return dict(zip(SETS, sizes, strict=True))


def _check_size(challenge: Challenge, name: str, rows: int) -> None:
    if rows < MIN_ROWS_PER_SET:
        raise InputError(
            f"data set '{challenge.name}', {name} set: wanted at least {MIN_ROWS_PER_SET} rows, "
            f"got {rows}. Give more rows, or another split."
        )


def _check_sizes(challenge: Challenge, design: str, sizes: Sequence[int]) -> None:
    if design != "splits":
        raise InputError(
            f"design '{design}': only the design 'splits' has sizes of random sets; got "
            f"{list(sizes)}. Remove them."
        )
    n = len(challenge.y)
    if len(sizes) != len(SETS) or min(sizes) < MIN_ROWS_PER_SET or sum(sizes) > n:
        raise InputError(
            f"data set '{challenge.name}': wanted sizes of the three sets {list(SETS)}, at least "
            f"{MIN_ROWS_PER_SET} each and at most {n} in total; got {list(sizes)}. Change or "
            "remove them."
        )

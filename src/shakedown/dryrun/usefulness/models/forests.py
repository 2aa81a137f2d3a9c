"""Random forests of growing size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

#: Trees of each forest.  A tree takes a millisecond, so the smaller ones are part of the largest.
TREES = (5, 10, 20)
#: Fewest rows in a leaf: with one, forests of few trees say 0 or 1.
LEAF = 3
#: Number of models.
MODELS = len(TREES)


def fitted(
    X: np.ndarray,
    codes: np.ndarray,
    targets: np.ndarray,
    count: int,
    *,
    seed: int,
    weights: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, int]]:
    """Probabilities of each class, shape (n, count), by each forest, and the features it uses.

    Parameters
    ----------
    X : ndarray, shape (m, p)
    codes : ndarray of int, shape (m,)
        Classes from 0, of which at least two occur.
    targets : ndarray, shape (n, p)
    count : int
        Number of classes.
    seed : int
        The `random_state`.
    weights : ndarray, shape (m,), optional
    """
    from sklearn.ensemble import RandomForestClassifier  # slow to import

    forest = RandomForestClassifier(
        max(TREES), min_samples_leaf=LEAF, random_state=seed, n_jobs=1
    ).fit(X, codes, weights)
    total = np.zeros((len(targets), count))
    for size, tree in enumerate(forest.estimators_, start=1):
        total[:, forest.classes_] += tree.predict_proba(targets)
        if size in TREES:
            yield total / size, X.shape[1]

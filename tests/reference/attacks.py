"""Freedman's attack and its step-forward variation, one statsmodels fit per submission."""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm

from .changepoints import last_jump, last_jump_of_at_most


def fit_and_predict(X_train, y_train, columns, *others):
    """Least squares with a constant on `columns`; predictions for each of the `others`.

    Parameters
    ----------
    X_train : ndarray of float, shape (n_train, p)
    y_train : ndarray of float, shape (n_train,)
    columns : list of int
        Features in the model; none leaves the constant alone.
    *others : ndarray of float, shape (n_other, p)

    Returns
    -------
    list of ndarray of float, shape (n_other,)
    """

    def design(X):
        return np.column_stack([np.ones(len(X)), X[:, columns]])

    fit = sm.OLS(y_train, design(X_train)).fit()
    return [fit.predict(design(X)) for X in others]


def freedman(X_train, y_train, X_public, X_final, submit, ks, larger_is_better=False):
    """[C], section "Freedman's attack".

    Parameters
    ----------
    X_train, X_public, X_final : ndarray of float, shape (rows of the set, p)
    y_train : ndarray of float, shape (n_train,)
    submit : callable
        ``submit(prediction)``, shape (n_public,), returns the released score.
    ks : iterable of int
        Sizes of the final models.
    larger_is_better : bool
        Direction of the released scores.

    Returns
    -------
    list of dict
        For each k: `k`, `features` (list of int, best first), `public_predictions`,
        `final_predictions`.
    """
    p = X_train.shape[1]
    released = []
    for j in range(p):  # "fit separate univariate regression models [...] then submit all p"
        (prediction,) = fit_and_predict(X_train, y_train, [j], X_public)
        released.append(submit(prediction))

    # "rank the univariate models according to the public leaderboard scores"; among ties "the
    # first k consecutive features": Python's sort is stable.
    sign = -1 if larger_is_better else 1
    ranked = sorted(range(p), key=lambda j: sign * released[j])

    models = []
    for k in ks:  # "train a multiple linear regression model using the top k features"
        top = ranked[:k]
        public, final = fit_and_predict(X_train, y_train, top, X_public, X_final)
        models.append(
            {"k": k, "features": top, "public_predictions": public, "final_predictions": final}
        )
    return models


def step_forward(
    X_train,
    y_train,
    X_public,
    X_final,
    open_board,
    iterations,
    iteration_board="fresh",
    detector="exact",
    min_size=2,
    larger_is_better=False,
    start=None,
):
    """[C] Algorithm 7 without line 5, which would submit all univariate models again each time.

    Parameters
    ----------
    X_train, X_public, X_final : ndarray of float, shape (rows of the set, p)
    y_train : ndarray of float, shape (n_train,)
    open_board : callable
        ``open_board()`` returns a new leaderboard: something with ``submit(prediction)`` and, for
        the detector "known_number", the list `accepted`.
    iterations : int
    iteration_board : {"fresh", "carried_on"}
        Whether each iteration opens a new leaderboard or goes on with the first one.
    detector : {"exact", "known_number", "maximum", "best"}
        "exact": a jump is any change of the released score.  "known_number": binary segmentation
        that knows how many submissions of this iteration the board accepted.  "maximum": the same
        number is the most that it may find.  On a new board the first score is a jump, from
        R_0 = infinity, and the only one if no other is found.  "best": the best released score,
        first among ties, for boards that show the score of every submission.
    min_size : int
        Smallest segment of the binary segmentation.
    larger_is_better : bool
        Direction of the released scores; only "best" asks.
    start : float, optional
        What a new board shows before any submission; the first score is a jump only from there.

    Returns
    -------
    list of dict
        One for each iteration played: `iteration` (from 1), `submissions` (so far), `released`
        (list of this iteration), `remaining` (list of int: what was tried, in order), `chosen`
        (int, or None if there was no jump: then this is the last iteration), `selected` (list of
        int), `public_predictions` and `final_predictions` of the model on `selected`.
    """
    selected = []  # line 1
    remaining = list(range(X_train.shape[1]))  # line 2
    the_board = None
    before = []  # what the detector sees of earlier iterations on the same board
    accepted_before = []
    submissions = 0
    records = []
    for iteration in range(1, iterations + 1):  # line 3
        if not remaining:
            break
        new_board = the_board is None or iteration_board == "fresh"
        if new_board:
            the_board = open_board()
            before = [] if start is None else [start]
            accepted_before = [] if start is None else [True]

        tried = list(remaining)
        released = []
        for j in tried:  # line 4
            (prediction,) = fit_and_predict(X_train, y_train, [*selected, j], X_public)
            released.append(the_board.submit(prediction))
        submissions += len(tried)

        # line 6
        signal = before + released
        if detector == "exact":
            jump = last_change(signal)
        elif detector in ("known_number", "maximum"):
            accepted = list(the_board.accepted[-len(tried) :])
            # The signal's own jumps: what was accepted after its first score.
            n_jumps = sum((accepted_before + accepted)[1:])
            search = last_jump if detector == "known_number" else last_jump_of_at_most
            jump = search(signal, n_jumps, min_size) if n_jumps else None
        elif detector == "best":
            sign = -1 if larger_is_better else 1
            jump = min(range(len(tried)), key=lambda t: sign * released[t])
            if len(set(released)) == 1 < len(released):
                jump = None  # nothing to tell them apart
        else:
            raise ValueError(
                f"detector must be exact, known_number, maximum or best, got {detector!r}"
            )
        if jump is not None and jump < len(before):
            jump = None  # a jump of an earlier iteration is none of this one
        if jump is None and new_board and detector != "best" and start is None:
            jump = 0  # R_0 = infinity: the first score that a new board shows is a jump

        chosen = None
        if jump is not None:
            chosen = tried[jump - len(before)]
            selected = [*selected, chosen]  # line 7
            remaining.remove(chosen)  # line 8
            if detector == "exact":
                before = released[-1:]
            elif detector in ("known_number", "maximum"):
                accepted_before = (accepted_before + accepted)[jump:]
                before = signal[jump:]

        public, final = fit_and_predict(X_train, y_train, selected, X_public, X_final)
        records.append(
            {
                "iteration": iteration,
                "submissions": submissions,
                "released": released,
                "remaining": tried,
                "chosen": chosen,
                "selected": selected,
                "public_predictions": public,
                "final_predictions": final,
            }
        )
        if chosen is None:  # not said in the paper: an iteration without a jump ends the attack
            break
    return records


def last_change(signal):
    """Index of the last entry that differs from the one before it; None if there is none."""
    for t in range(len(signal) - 1, 0, -1):
        if signal[t] != signal[t - 1]:
            return t
    return None


def best_of_many(
    X_train,
    y_train,
    X_public,
    X_final,
    sets,
    rounds,
    board,
    detector="exact",
    min_size=2,
    larger_is_better=False,
):
    """The careless participant: a model for each set of features, all on one board.

    Parameters
    ----------
    X_train, X_public, X_final : ndarray of float, shape (rows of the set, p)
    y_train : ndarray of float, shape (n_train,)
    sets : list of list of int
        The features of each model.
    rounds : list of int
        Submissions at which a round ends.
    board
        Something with ``submit(prediction)`` and, for the detector "known_number", the list
        `accepted`.
    detector, min_size, larger_is_better
        As in `step_forward`; "best" is the best of all scores so far.

    Returns
    -------
    list of dict
        For each round: `kept` (number of the model, from 0, or None), `public_predictions` and
        `final_predictions` of that model, 0 without one.
    """
    released = []
    kept, since = None, 0  # `since`: where the signal begins that is searched for a jump
    records = []
    for start, stop in zip([0, *rounds], rounds, strict=False):
        for features in sets[start:stop]:
            (prediction,) = fit_and_predict(X_train, y_train, features, X_public)
            released.append(board.submit(prediction))

        signal = released[since:]
        if detector == "best":
            sign = -1 if larger_is_better else 1
            kept = min(range(len(released)), key=lambda t: sign * released[t])
            if len(set(released)) == 1 < len(released):
                kept = None
        else:
            if detector == "exact":
                jump = last_change(signal)
            else:
                n_jumps = sum(board.accepted[since + 1 :])
                jump = last_jump(signal, n_jumps, min_size) if n_jumps else None
            # A jump of an earlier round is none of this one.
            if jump is not None and since + jump >= start:
                kept = since = since + jump
            elif start == 0:
                kept = 0  # R_0 = infinity: the first score that a new board shows is a jump

        public = final = 0.0
        if kept is not None:
            public, final = fit_and_predict(X_train, y_train, sets[kept], X_public, X_final)
        records.append({"kept": kept, "public_predictions": public, "final_predictions": final})
    return records

"""The functions of the ledger's expressions.

Four families: statistics of a column, or of numbers read off traces, over the replicates; places in
a trace; reductions of a grid of numbers; and plain functions of numbers.
"""

from __future__ import annotations

import numpy as np

from shakedown.claims import resampling
from shakedown.claims.quantity import NotAnswered, Quantity, combine
from shakedown.claims.theory import THEORY

# Statistics: (sample of shape (n,), counts of shape (1 + resamples, n), options) -> one number for
# each row of the counts.


def value(x: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The value that all replicates agree on: an exact number, shape (1,)."""
    if x.min() != x.max():
        raise NotAnswered(f"its value differs between replicates, from {x.min():g} to {x.max():g}")
    return x[:1]


STATISTICS = {
    "mean": (resampling.mean, ()),
    "median": (lambda x, counts: resampling.quantile(x, counts, 0.5), ()),
    "quantile": (resampling.quantile, ("at",)),
    "iqr": (
        lambda x, counts: (
            resampling.quantile(x, counts, 0.75) - resampling.quantile(x, counts, 0.25)
        ),
        (),
    ),
    "sd": (resampling.sd, ()),
    "share": (resampling.share, ("below", "above")),
    "value": (value, ()),
}

# Places in a trace: (shown scores, whether each submission replaced the best, whether the attack
# took its feature), each of shape (m,) in the order of submission -> a number.  Submissions of a
# batch are counted from 1.


def last_jump(released, accepted, selected) -> float:
    """Submission at which the shown score last changed; the first one comes after none."""
    return _last(np.diff(released, prepend=np.inf) != 0)


def last_accepted(released, accepted, selected) -> float:
    """Submission that last replaced the best; NaN if none did."""
    return _last(accepted == 1)


def found_jump(released, accepted, selected) -> float:
    """Submission of the last jump, by binary segmentation told the true number of jumps."""
    from shakedown.attacks.jumps import last_of_told

    # The first submission on a board is accepted, but its score comes after no other.
    found = last_of_told(released, int(accepted[1:].sum()))
    return np.nan if found is None else found + 1.0


def first_pick(released, accepted, selected) -> float:
    """First submission whose feature the attack took; NaN if it took none."""
    taken = np.flatnonzero(selected == 1)
    return taken[0] + 1.0 if len(taken) else np.nan


def last_pick(released, accepted, selected) -> float:
    """Last submission whose feature the attack took; NaN if it took none."""
    return _last(selected == 1)


def longest_run(released, accepted, selected) -> float:
    """Most submissions in a row whose features the attack took."""
    edges = np.diff(np.concatenate([[0], selected == 1, [0]]).astype(int))
    return float((np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)).max(initial=0))


def jump_size(released, accepted, selected) -> float:
    """Mean size of the jumps in the shown score; NaN for none."""
    jumps = np.abs(np.diff(released))
    return float(jumps[jumps > 0].mean()) if (jumps > 0).any() else np.nan


def _last(marked: np.ndarray) -> float:
    places = np.flatnonzero(marked)
    return places[-1] + 1.0 if len(places) else np.nan


PLACES = {
    f.__name__: f
    for f in (last_jump, last_accepted, found_jump, first_pick, last_pick, longest_run, jump_size)
}

# Reductions: (quantity, names of the axes to reduce, options) -> quantity.


def largest(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Largest number along some axes."""
    return x.without(over, x.values.max(axis=_places(x, over)))


def smallest(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Smallest number along some axes."""
    return x.without(over, x.values.min(axis=_places(x, over)))


def span(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Distance from the smallest to the largest number along some axes."""
    return x.without(over, np.ptp(x.values, axis=_places(x, over)))


def average(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Mean along some axes."""
    return x.without(over, x.values.mean(axis=_places(x, over)))


def count(x: Quantity, over: tuple[str, ...], *, below=None, above=None, equal=None) -> Quantity:
    """How many numbers along some axes are below, above or equal to a bound."""
    if equal is not None:
        hit = np.isclose(x.values, equal, rtol=0, atol=1e-9)
    else:
        hit = x.values < below if above is None else x.values > above
    return x.without(over, hit.sum(axis=_places(x, over)).astype(float))


def steps(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """From each point of an axis to the next: the difference.  The axis loses its first point."""
    (axis,) = over
    if len(x.axes[axis]) < 2:
        raise NotAnswered(f"there is only one {axis} to step along")
    axes = {name: labels[1:] if name == axis else labels for name, labels in x.axes.items()}
    return Quantity(np.diff(x.values, axis=x.place(axis)), axes, x.replicates)


def slope(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Slope of the least-squares line along an axis; text counts 0, 1, 2, ..."""
    (axis,) = over
    labels = x.axes[axis]
    if len(labels) < 2:
        raise NotAnswered(f"there is only one {axis} to have a slope along")
    at = np.arange(len(labels)) if isinstance(labels[0], str) else np.array(labels, float)
    at = at - at.mean()
    return x.without(over, np.moveaxis(x.values, x.place(axis), -1) @ at / (at @ at))


def exponent(x: Quantity, over: tuple[str, ...]) -> Quantity:
    """Exponent b of the power law a v^b of an axis' values v, by least squares of the logarithms.

    NaN where a number is not positive: no power law gives it.
    """
    (axis,) = over
    labels = x.axes[axis]
    if len(labels) < 2 or isinstance(labels[0], str) or min(labels) <= 0:
        raise NotAnswered(f"{axis} has no two positive numbers to have an exponent along")
    logs = dict(x.axes) | {axis: tuple(np.log(labels).tolist())}
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(x.values > 0, np.log(x.values), np.nan)
    return slope(Quantity(values, logs, x.replicates), over)


def crossing(
    x: Quantity, over: tuple[str, ...], *, below=None, above=None, read: Quantity | None = None
) -> Quantity:
    """Where along an axis a number first lies beyond a bound; infinite where it never does.

    The place is given by the axis' value, or by what `read` says there.
    """
    (axis,) = over
    if isinstance(x.axes[axis][0], str) and read is None:
        raise NotAnswered(f"{axis} is text; a crossing along it needs `read`")
    if read is None:
        read = Quantity(np.array([x.axes[axis]], float), {axis: x.axes[axis]})

    def place(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
        beyond = values < below if above is None else values > above
        return np.where(beyond, labels, np.inf)

    both = combine(place, x, read)
    places = np.moveaxis(both.values, both.place(axis), -1)
    # The first one along the axis, not the smallest: `read` need not rise with it.
    first = np.isfinite(places).argmax(axis=-1)
    return both.without(over, np.take_along_axis(places, first[..., None], -1)[..., 0])


def _places(x: Quantity, over: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(x.place(axis) for axis in over)


#: Name -> function, options, whether `over` must name one axis.
REDUCTIONS = {
    "largest": (largest, (), False),
    "smallest": (smallest, (), False),
    "span": (span, (), False),
    "average": (average, (), False),
    "count": (count, ("below", "above", "equal"), False),
    "steps": (steps, (), True),
    "slope": (slope, (), True),
    "exponent": (exponent, (), True),
    "crossing": (crossing, ("below", "above", "read"), True),
}

# Plain functions of numbers, point by point.


def rounded(x: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Nearest multiple of a step, as the boards round."""
    from shakedown.leaderboard.gates import rounded as round_one

    return np.vectorize(round_one, otypes=[float])(x, step)


def t_tail(x: np.ndarray, df: np.ndarray) -> np.ndarray:
    """Probability that t with `df` degrees of freedom exceeds x."""
    from scipy.stats import t

    return t.sf(x, df)


def t_quantile(p: np.ndarray, df: np.ndarray) -> np.ndarray:
    """Quantile of t with `df` degrees of freedom."""
    from scipy.stats import t

    return t.ppf(p, df)


#: Name -> function, number of arguments.
PLAIN = {
    "abs": (np.abs, 1),
    "log": (np.log, 1),
    "sqrt": (np.sqrt, 1),
    "power": (np.power, 2),
    "rounded": (rounded, 2),
    "t_tail": (t_tail, 2),
    "t_quantile": (t_quantile, 2),
    **THEORY,
}

"""Responses that are classes or censored times, and what a metric of them takes for a prediction.

A dry run standardises numeric responses, also those that stand for classes.  So a metric of classes
does not ask for 0 and 1: the values that the response takes are the classes, in their order, and a
prediction is read on the same scale.  Its score is then the same for labels and for standardised
ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shakedown.interface import InputError
from shakedown.wording import counted

#: Kinds of responses: what `Metric.response` can be.
NUMBERS, TWO_CLASSES, CLASSES = "numbers", "two classes", "classes"
ORDERED_CLASSES, TIMES = "ordered classes", "censored times"
#: Those of them that are classes.
CLASSED = (TWO_CLASSES, CLASSES, ORDERED_CLASSES)
#: What a metric takes for a prediction: what `Metric.predicts` can be.  Of two risks, the larger
#: one means the earlier event.
SCORES, PROBABILITIES, RISKS = "scores", "probabilities", "risks"
#: Largest number of classes; a response with more values is one of numbers.
MOST_CLASSES = 30
#: ASSUME: the smallest probability that an honest participant dares to send.
LEAST_PROBABLE = 0.01
#: Metrics to name where a response has the wrong kind.
USUAL = "auroc for two classes, balanced_accuracy for more, mse for numbers"


def positive_rows(y: np.ndarray) -> np.ndarray:
    """Which rows have the larger of two values, such as 0 and 1; bool, shape (n,).

    Raises
    ------
    ValueError
        If there are more than two values.
    """
    positive = y == y.max()
    if not (positive | (y == y.min())).all():
        raise ValueError("wanted a response with two values, got more")
    return positive


def classes_of(y: np.ndarray, wanted: str = CLASSES) -> np.ndarray:
    """The values that a response of classes takes, in their order, shape (k,).

    Raises
    ------
    ValueError
        If there are more than two for TWO_CLASSES, or than `MOST_CLASSES`.
    """
    values = np.unique(y)
    if len(values) > (most := most_of(wanted)):
        number = "two values" if most == 2 else f"at most {most} values"
        raise ValueError(f"wanted a response with {number}, got {len(values)}")
    return values


def most_of(wanted: str) -> int:
    """The most classes of a response of this kind, a `Metric.response` of classes."""
    return 2 if wanted == TWO_CLASSES else MOST_CLASSES


def kind_of(kinds: Iterable[str]) -> str:
    """The kind of the responses that metrics of all these kinds take: the narrowest."""
    order = (TIMES, TWO_CLASSES, ORDERED_CLASSES, CLASSES, NUMBERS)
    return min(kinds, key=order.index)


def cuts(classes: np.ndarray) -> np.ndarray:
    """The middles between neighbouring classes, shape (k - 1,)."""
    return 0.5 * classes[1:] + 0.5 * classes[:-1]


def nearest(classes: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """The number of the class nearest to each prediction, from 0; the lower one in the middle.

    Parameters
    ----------
    classes : ndarray, shape (k,)
        In their order.
    predictions : ndarray of any shape
    """
    return np.searchsorted(cuts(classes), predictions, side="left")


def check_response(name: str, wanted: str, values: np.ndarray, what: str) -> None:
    """Check that a response fits a metric of classes.

    Parameters
    ----------
    name : str
        Of the metric.
    wanted : str
        A `Metric.response`.
    values : ndarray
        Of the response.
    what : str
        The response's name in a message, such as "data set 'mine'".

    Raises
    ------
    InputError
        If the response takes too many values, or just one.
    """
    if wanted not in CLASSED:
        return
    number = len(np.unique(values))
    most = most_of(wanted)
    if 2 <= number <= most:
        return
    many = "two classes" if most == 2 else f"2 to {most} classes"
    raise InputError(
        f"{what}: metric '{name}' wants a response of {many}; got {counted(number, 'value')}. "
        f"Use another response or metric, such as {USUAL}."
    )


def simulated(wanted: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """A response of a kind (`Metric.response`), in n rows: numbers, or equally frequent classes.

    ASSUME: three classes, if a metric takes any number of them.  Numbers also serve as signed
    times, of which about half are censored.
    """
    if wanted not in CLASSED:
        return rng.standard_normal(n)
    classes = 2 if wanted == TWO_CLASSES else 3
    return rng.permutation(np.arange(n) % classes).astype(float)


def unfit(predicts: str, predictions: np.ndarray, truth: np.ndarray) -> str:
    """What is wrong with predictions for a metric of classes; "" if they fit.

    Files of simulations are not checked: values beyond the classes do not help them.

    Parameters
    ----------
    predicts : str
        A `Metric.predicts`.
    predictions : ndarray, shape (n,)
    truth : ndarray
        Its classes.  A class that it happens to lack may be predicted.
    """
    if predicts == PROBABILITIES:
        low, high = truth.min(), truth.max()
        wrong = predictions[(predictions < low) | (predictions > high)]
        if len(wrong):
            return f"wanted probabilities from {low:g} to {high:g}, got {wrong[0]:g}"
    if predicts == CLASSES and (truth == np.round(truth)).all():
        wrong = predictions[predictions != np.round(predictions)]
        if len(wrong):
            return f"wanted classes, which are whole numbers here, got {wrong[0]:g}"
    return ""


def probable(
    predictions: np.ndarray,
    training: np.ndarray,
    responses: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """The predictions of a regression on two classes as probabilities that nobody regrets.

    A linear model predicts values beyond both classes, and under the log loss one such value in a
    wrong row is very expensive.  So no probability is below `LEAST_PROBABLE`, or that near to 1.

    Parameters
    ----------
    predictions : ndarray, shape (..., n)
        On the scale of the response.
    training : ndarray, shape (n_train,)
        Responses, of both classes.
    responses : tuple of ndarray of int, optional
        The response of each training cell, shape (n_train,), and of each cell that is predicted,
        shape (n,); None if there is one response.  Each has a scale of its own.
    """
    if responses is None:
        low, high = float(training.min()), float(training.max())
    else:
        of_training, of_cells = responses
        own = [training[of_training == k] for k in range(int(of_training.max()) + 1)]
        low, high = np.array([(part.min(), part.max()) for part in own])[of_cells].T
    room = LEAST_PROBABLE * (high - low)
    return np.clip(predictions, low + room, high - room)

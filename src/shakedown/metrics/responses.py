"""Check that responses have the classes that a metric, or a term of it, scores."""

from __future__ import annotations

import numpy as np

from shakedown.interface import Cells
from shakedown.metrics.classes import check_response
from shakedown.metrics.composite_names import MEANS
from shakedown.metrics.metric import Metric


def scored(metric: Metric) -> list[tuple[Metric, str]]:
    """The metrics of a score's terms, and what each is over (`Term.over`)."""
    return [(term.metric, term.over) for term in metric.terms] or [(metric, "")]


def check_responses(metric: Metric, y: np.ndarray, cells: Cells | None, what: str) -> None:
    """Check that each response has the classes that a metric scores there.

    Parameters
    ----------
    metric : Metric
    y : ndarray, shape (n,)
    cells : Cells or None
        None if there is one response.
    what : str
        The name of the values in a message, such as "data set 'mine'".

    Raises
    ------
    InputError
        If a response takes too many values, or a single one.
    """
    parts = {"": y}
    if cells is not None:
        parts = {name: y[cells.responses == k] for k, name in enumerate(cells.names)}
    for kind, over in scored(metric):
        for name, values in parts.items():
            if not name or over in (*MEANS, "", name):
                own = f"{what}, '{name}'" if name else what
                check_response(kind.name, kind.response, values, own)

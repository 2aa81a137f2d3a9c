"""What can be read off numbers along an axis: a slope, an exponent, a crossing."""

from __future__ import annotations

import numpy as np
from xarray import DataArray


def slope(x: DataArray, along: str) -> DataArray:
    """Slope of the least-squares line along an axis; NaN for a single point."""
    at = x[along] - x[along].mean()
    return (x * at).sum(along, skipna=False) / (at**2).sum()


def exponent(x: DataArray, along: str) -> DataArray:
    """Exponent b of the power law a v^b of an axis' values v, by least squares of the logarithms.

    NaN where a number is not positive: no power law gives it.
    """
    logs = np.log(x.where(x > 0))
    return slope(logs.assign_coords({along: np.log(x[along])}), along)


def crossing(beyond: DataArray, along: str, read: DataArray | None = None) -> DataArray:
    """The first place along an axis at which something is true; infinite where it never is.

    `read` tells the place, such as the submissions made there; without it, the axis' values do.
    """
    places = (beyond[along] if read is None else read).broadcast_like(beyond)
    first = beyond.argmax(along)  # not the smallest place: `read` need not rise along the axis
    place = places.isel({along: first}, drop=True)
    return place.where(beyond.any(along), np.inf)

"""Whether a mean that is measured is as expected."""

from math import sqrt


def is_near(found, expected, deviations=4.0):
    """False alarms: 1 in 16,000."""
    error = found.std(ddof=1) / sqrt(len(found))
    return abs(found.mean() - expected) < deviations * error

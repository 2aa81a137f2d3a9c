"""A table of boards as a comparison makes it, with numbers that are easy to read."""

import pandas as pd

from shakedown.comparison.cell import COLUMNS

METERED, DIGEST = "metered(gain=0.05,files={})", "digest(eta=0.1,floor=0.5,every=10,updates=10)"


def boards() -> pd.DataFrame:
    """Two numbers of rows and two of submissions; at 50 rows no meter is proved at the quantile."""
    rows = []
    for n in (50, 1000):
        for files in (300, 1000):
            sharper = METERED.format(files).replace(")", ",chance=0.25)")
            lag = 1.0 / n
            rows += [
                (n, files, "metered", METERED.format(files), "mean", 0.05, 0.2,
                 "posterior_mean", 0.041, 0.012, lag, lag / 50, 0.94),
                (n, files, "metered", sharper, "quantile", 0.03, 0.05,
                 "posterior_mean", 0.011, 0.004, 2 * lag, lag / 50, 0.9),
                (n, files, "digest", DIGEST, "mean", 0.047, 0.06,
                 None, 0.0, 0.0, 4 * lag, lag / 50, 0.8),
                (n, files, "digest", DIGEST, "quantile", 0.047, 0.05,
                 None, 0.0, 0.0, 4 * lag, lag / 50, 0.8),
                (n, files, "full_disclosure", "full_disclosure", None, 0.3, None,
                 "linear_probe", 0.297, 0.002, 0.5 * lag, lag / 50, 0.98),
            ]  # fmt: skip
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table[~((table["public_rows"] == 50) & table["setting"].str.contains("chance"))]

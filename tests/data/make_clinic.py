"""Writes clinic.csv: a small table of made-up patients, with the traps that real tables set.

    python tests/data/make_clinic.py

A constant column, a column that repeats another one, missing cells, a column that must not be used,
an official split with the words of a challenge, and ids that look like numbers.
"""

from pathlib import Path

import numpy as np
import pandas as pd

ROWS, MARKERS = 96, 20


def clinic() -> pd.DataFrame:
    rng = np.random.default_rng(20)
    markers = rng.normal(50, 10, (ROWS, MARKERS)).round(2)
    score = 0.3 * markers[:, 0] - 0.2 * markers[:, 1] + rng.normal(0, 5, ROWS)
    table = pd.DataFrame(markers, columns=[f"marker {j + 1}" for j in range(MARKERS)])
    table.insert(0, "patient", [f"{i:04d}" for i in range(1, ROWS + 1)])
    table.insert(1, "set", np.resize(["train", "leaderboard", "test"], ROWS))
    table.insert(2, "score", score.round(2))
    table["site"] = 7
    table["marker 1 again"] = table["marker 1"]
    table["score next year"] = (score + rng.normal(0, 1, ROWS)).round(2)
    table.loc[[5, 40], "marker 3"] = np.nan
    return table


if __name__ == "__main__":
    clinic().to_csv(Path(__file__).with_name("clinic.csv"), index=False)

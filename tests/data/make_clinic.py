"""Writes clinic.csv, a small table of made-up patients with the traps that real tables set, and
responders.csv, the same patients with a response of 0 and 1.

    python tests/data/make_clinic.py

In the first: a constant column, a column that repeats another one, missing cells, a column that
must not be used, an official split with the words of a challenge, and ids that look like numbers.
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


def responders(table: pd.DataFrame) -> pd.DataFrame:
    """Whose score is above the median, and ten markers without gaps."""
    kept = table[["patient", "set", *(f"marker {j}" for j in (1, 2, *range(4, 12)))]].copy()
    kept.insert(2, "responder", (table["score"] > table["score"].median()).astype(int))
    return kept


if __name__ == "__main__":
    table = clinic()
    table.to_csv(Path(__file__).with_name("clinic.csv"), index=False)
    responders(table).to_csv(Path(__file__).with_name("responders.csv"), index=False)

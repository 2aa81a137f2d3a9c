"""Writes log.csv and log_submissions.csv: a small submission log, with the traps of real ones.

    python tests/data/make_log.py

Half of scikit-learn's diabetes data was to be predicted; the other half trained the models of eight
made-up teams.  One of them submits the same forest with many seeds and hopes.  In the log are a
submission with missing predictions, one with predictions that are no numbers, one that is the same
in every row, one that another team submitted already, one that the list does not name, and one
without predictions.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

HERE = Path(__file__).parent


def models() -> dict[str, list]:
    """Team -> the models that it submits, one after the other."""
    return {
        "Ash": [Ridge(alpha) for alpha in (10, 3, 1, 0.3, 0.1, 0.03, 0.01)],
        "Birch": [Lasso(alpha) for alpha in (5, 2, 1, 0.5, 0.2, 0.1, 0.05)],
        "Cedar": [KNeighborsRegressor(k) for k in (1, 2, 4, 8, 12, 16, 24)],
        "Elm": [DecisionTreeRegressor(max_depth=d, random_state=0) for d in (8, 6, 5, 4, 3, 2)],
        "Fir": [
            RandomForestRegressor(60, min_samples_leaf=4, max_features=3, random_state=seed)
            for seed in range(16)
        ],
        "Hazel": [SVR(C=c) for c in (1, 3, 10, 30, 100, 300)],
        "Larch": [
            ExtraTreesRegressor(60, min_samples_leaf=leaf, random_state=0)
            for leaf in (1, 2, 4, 6, 9)
        ],
    }


def log() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table of rows and predictions, and the list of submissions."""
    rng = np.random.default_rng(4)
    X, y = load_diabetes(return_X_y=True)
    order = rng.permutation(len(y))
    train, test = order[:221], np.sort(order[221:])
    table = pd.DataFrame(
        {"patient": [f"p{i:03d}" for i in test], "progression": y[test].astype(int)}
    )
    table["set"] = np.where(rng.permutation(len(test)) < 66, "public", "private")

    columns, entries = {}, []
    for team, own in models().items():
        # A team submits at times of its own, in the order of its models.
        for model, hour in zip(own, np.sort(rng.uniform(0, 30 * 24, len(own))), strict=True):
            entries.append((hour, team, model.fit(X[train], y[train]).predict(X[test]).round(1)))
    entries.append((300.0, "Maple", np.full(len(test), y[train].mean().round(1))))
    entries.append((520.0, "Maple", entries[3][2]))
    entries.sort(key=lambda entry: entry[0])
    for k, (_, _, prediction) in enumerate(entries, start=1):
        columns[f"s{k:02d}"] = prediction
    table = pd.concat([table, pd.DataFrame(columns, dtype=object)], axis=1)
    table.loc[[10, 20, 30], "s09"] = None
    table.loc[[3, 4], "s17"] = ["n.d.", "inf"]
    table["late"] = table["s20"]
    listed = pd.DataFrame(
        {
            "submission": list(columns),
            "team": [team for _, team, _ in entries],
            "time": pd.Timestamp("2025-03-01")
            + pd.to_timedelta([round(hour * 60) for hour, _, _ in entries], unit="min"),
        }
    )
    lost = pd.DataFrame({"submission": ["lost"], "team": ["Elm"], "time": ["2025-03-09 12:00"]})
    return table, pd.concat([listed.astype({"time": str}), lost], ignore_index=True)


if __name__ == "__main__":
    table, listed = log()
    table.to_csv(HERE / "log.csv", index=False)
    listed.to_csv(HERE / "log_submissions.csv", index=False)

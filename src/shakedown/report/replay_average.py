"""The section of a replay's page on the order by average ranks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from shakedown.metrics import find
from shakedown.replay.grouping import reference
from shakedown.wording import amount


def average_rows(averages: pd.DataFrame) -> dict[str, Any]:
    """The order by average ranks on the reference's board, by private rows and by all."""
    if averages.empty:
        return {}
    own = reference(averages)
    metrics = [find(name) for name in own["metric"].unique()]
    orders = {}
    for rows_of in ("private", "all"):
        part = own[(own["rows_of"] == rows_of).to_numpy(bool)]
        rows = []
        for (team, submission), ranks in part.groupby(["team", "submission"], sort=False):
            by_metric = ranks.set_index("metric")
            row = {"team": team, "submission": submission, "place": ranks["place"].iloc[0]}
            row["average"] = amount(ranks["average_rank"].iloc[0])
            for k, metric in enumerate(metrics):
                score, rank = by_metric.loc[metric.name, ["score", "rank"]]
                row |= {f"rank{k}": f"{rank:g}", f"score{k}": amount(score, 6)}
            rows.append(row)
        orders[rows_of] = sorted(rows, key=lambda row: row["place"])
    columns = [(metric.label, f"rank{k}", f"score{k}") for k, metric in enumerate(metrics)]
    return {"columns": columns, "orders": orders}

"""Settings of mechanisms in tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shakedown.leaderboard.mechanism import Mechanism, of_setting

if TYPE_CHECKING:
    import pandas as pd

#: Columns in every table for readers, even if no mechanism in the table has such a parameter.
USUAL_COLUMNS = ("mechanism", "alpha", "posterior_odds", "eta", "b")


def settings_in(frame: pd.DataFrame) -> list[Mechanism]:
    """The settings in a table's column `setting`, in the order of legends."""
    settings = frame["setting"].dropna().unique()
    return sorted(map(of_setting, settings), key=lambda mechanism: mechanism.sort_key)


def settings_table(mechanisms: Iterable[Mechanism]) -> pd.DataFrame:
    """One row for each setting: setting, mechanism, label, and a column for each parameter."""
    import pandas as pd  # slow to import, and reading a configuration needs no tables

    rows = [
        {
            "setting": mechanism.setting,
            "mechanism": type(mechanism).name,
            "label": mechanism.title,
            **mechanism.columns,
        }
        for mechanism in sorted(mechanisms, key=lambda mechanism: mechanism.sort_key)
    ]
    usual = ["setting", "mechanism", "label", *USUAL_COLUMNS[1:]]
    frame = pd.DataFrame(rows)
    return frame.reindex(columns=[*usual, *(c for c in frame.columns if c not in usual)])


def with_parameters(frame: pd.DataFrame) -> pd.DataFrame:
    """A table for readers, with columns for the parameters of its settings after `setting`.

    The columns are mechanism, alpha, posterior_odds, eta and b, and all other parameters of the
    mechanisms in the table; null if a mechanism does not have the parameter.  If the table already
    has a column of that name, the parameter's column is called ``mechanism_<name>``.
    """
    rows = {setting: of_setting(setting).columns for setting in frame["setting"].dropna().unique()}
    frame = frame.drop(columns=[c for c in USUAL_COLUMNS if c in frame.columns])
    names = dict.fromkeys([*USUAL_COLUMNS, *(key for row in rows.values() for key in row)])
    named = {key: f"mechanism_{key}" if key in frame.columns else key for key in names}
    settings = frame["setting"].astype(object)
    for at, (key, column) in enumerate(named.items(), frame.columns.get_loc("setting") + 1):
        values = settings.map({setting: row.get(key) for setting, row in rows.items()})
        frame.insert(at, column, values.convert_dtypes() if key != "mechanism" else values)
    return frame

"""Tables for readers: the parameters of each row's setting."""

import pandas as pd

from shakedown.component import parameter
from shakedown.leaderboard.mechanism import Mechanism, mechanism
from shakedown.leaderboard.settings import with_parameters


class Rungs(Mechanism):
    name = "rungs"
    label = "Rungs"

    heights: list[float] = parameter(unit="score", description="Where its rungs are.")
    eta: float | None = parameter(None, unit="score", description="Step.")


def test_every_parameter_in_units_of_the_score_is_scaled():
    assert Rungs(heights=[0.5, 2.0]).in_unit(4.0) == Rungs(heights=[2.0, 8.0])
    assert Rungs(heights=[], eta=0.1).in_unit(3.0).eta == 0.3
    assert mechanism("ladder", alpha=0.1).in_unit(4.0) == mechanism("ladder", alpha=0.1)


def test_parameters_stand_behind_the_setting_and_never_replace_a_column_of_the_table():
    settings = ["ladder(alpha=0.15)", "bayesboot_ladder(posterior_odds=5.67)", "ladder(alpha=0.15)"]
    table = pd.DataFrame({"n": [1, 2, 3], "setting": settings, "alpha": [9, 9, 9], "draws": 80})
    joined = with_parameters(table)
    columns = ["mechanism", "alpha", "posterior_odds", "eta", "b", "mechanism_draws"]
    assert list(joined.columns) == ["n", "setting", *columns, "draws"]
    assert joined["draws"].tolist() == [80, 80, 80]
    assert joined["mechanism"].tolist() == ["ladder", "bayesboot_ladder", "ladder"]
    assert joined["alpha"].fillna(0).tolist() == [0.15, 0, 0.15]
    assert joined["mechanism_draws"].fillna(0).tolist() == [0, 1000, 0]

"""Readings of the text side by side."""

import pandas as pd

from shakedown.outcomes import typed
from shakedown.sensitivity import compare, side_by_side
from tests.report.summaries import row, summary


def summaries():
    fresh = summary(
        row(-0.10, iterations=4, alpha=0.5),
        row(-0.14, iterations=5, alpha=0.5),
        row(-0.30, n_features=100, iterations=9, alpha=0.5),
        row(-0.02, iterations=3, mechanism="ladderboot", alpha=0.5, b=10),
        row(-0.50, mechanism="kaggle"),
        row(-0.90, alpha=0.5, dataset="other"),
    )
    carried = summary(
        row(-0.07, alpha=0.5),
        row(-0.01, mechanism="ladderboot", alpha=0.5, b=10, delta_low=float("nan")),
    )
    return {"fresh": typed(fresh), "carried": typed(carried)}


VARIANTS = {
    "a new board": {"experiment": "fresh", "dataset": "ad_like", "design": "permuted"},
    "one board": {"experiment": "carried", "dataset": "ad_like", "design": "permuted"},
}


def test_the_largest_attack_of_what_all_readings_have():
    table = compare(summaries(), VARIANTS)
    assert table.variant.tolist() == ["a new board"] * 2 + ["one board"] * 2
    assert table.mechanism.tolist() == ["ladder", "ladderboot"] * 2
    assert table.median_delta.tolist() == [-0.14, -0.02, -0.07, -0.01]


def test_the_largest_model_where_an_attack_has_no_iterations():
    rows = [row(-0.1 * k, n_selected=k, iterations=None, alpha=0.5) for k in (1, 3, 2)]
    table = compare({"fresh": typed(summary(*rows)), "carried": typed(summary(*rows))}, VARIANTS)
    assert table.median_delta.tolist() == [-0.1 * 3] * 2


def test_side_by_side():
    table = side_by_side(compare(summaries(), VARIANTS))
    assert list(table) == ["mechanism", "alpha", "b", "a new board", "one board"]
    assert table["mechanism"].tolist() == ["ladder", "ladderboot"]
    assert table["a new board"].tolist() == ["−0.140 [−0.150, −0.130]", "−0.020 [−0.030, −0.010]"]
    assert table["one board"].tolist() == ["−0.070 [−0.080, −0.060]", "−0.010"]
    assert pd.isna(table["b"][0])
    assert table["b"][1] == 10


def test_a_null_setting_is_kept_and_so_is_the_order():
    both = summary(row(-0.0002, mechanism="kaggle"), row(-0.3, alpha=0.5, b=2))
    comparison = compare({"fresh": typed(both), "carried": typed(both)}, VARIANTS)
    table = side_by_side(comparison)
    assert table["mechanism"].tolist() == ["kaggle", "ladder"]
    assert table["one board"].tolist() == ["0.000 [−0.010, 0.010]", "−0.300 [−0.310, −0.290]"]
    turned = side_by_side(comparison[::-1])
    assert turned["mechanism"].tolist() == ["ladder", "kaggle"]
    assert list(turned)[-2:] == ["one board", "a new board"]

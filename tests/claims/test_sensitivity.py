"""The same attack under each reading of the text."""

from shakedown.claims.sensitivity import compare
from shakedown.simulation.outcomes import typed
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
    assert table.setting.tolist() == ["ladder(alpha=0.5)", "ladderboot(alpha=0.5,b=10)"] * 2
    assert table.point.tolist() == [5, 3, 5, 5]
    assert table.median_delta.tolist() == [-0.14, -0.02, -0.07, -0.01]


def test_the_largest_model_where_an_attack_has_no_iterations():
    rows = [row(-0.1 * k, n_selected=k, iterations=None, alpha=0.5) for k in (1, 3, 2)]
    table = compare({"fresh": typed(summary(*rows)), "carried": typed(summary(*rows))}, VARIANTS)
    assert table.median_delta.tolist() == [-0.1 * 3] * 2

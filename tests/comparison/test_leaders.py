"""Which proved board is first."""

import pandas as pd

from shakedown.comparison.leaders import leaders


def boards(*rows):
    names = ["setting", "proved_mean", "proved_quantile", "lag", "lag_se"]
    table = pd.DataFrame(rows, columns=names)
    return table.assign(public_rows=50, submissions=300, kept="mean")


TABLE = boards(
    ("late", 0.03, 0.05, 0.2, 0.01),
    ("soon", 0.05, 0.11, 0.1, 0.01),
    ("as soon", 0.04, 0.05, 0.12, 0.01),
    ("unsafe", 0.3, 0.4, 0.01, 0.001),
    ("unknown", None, None, 0.01, 0.001),
)


def named(found):
    return [(one["first"]["setting"], [row["setting"] for row in one["level"]]) for one in found]


def test_it_is_proved_and_has_the_smallest_lag():
    assert named(leaders(TABLE, "mean", 0.05)) == [("soon", ["as soon"])]
    assert named(leaders(TABLE, "quantile", 0.05)) == [("as soon", [])]


def test_a_cell_without_a_proved_board_has_no_leader():
    cells = pd.concat([TABLE[3:].assign(public_rows=20), TABLE])
    (only,) = leaders(cells, "mean", 0.05)
    assert (only["public_rows"], only["submissions"]) == (50, 300)


def test_one_setting_counts_once():
    twice = boards(("same", 0.04, 0.05, 0.1, 0.01), ("same", 0.04, 0.05, 0.1, 0.01))
    twice["kept"] = ["mean", "quantile"]
    for kept in ("mean", "quantile"):
        (only,) = found = leaders(twice, kept, 0.05)
        assert named(found) == [("same", [])]
        assert only["first"]["kept"] == kept


def test_the_last_digit_of_a_proof_may_be_rounded():
    assert named(leaders(boards(("it", 0.05 + 1e-15, 1.0, 0.1, 0.0)), "mean", 0.05))

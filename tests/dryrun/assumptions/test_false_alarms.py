"""Nothing is found in data without fault."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from shakedown.dryrun.assumptions.check import CHECKS, LEVEL
from shakedown.interface import Grouping
from tests.data.test_several import several
from tests.dryrun.assumptions.tables import challenge, clean, found

TABLES = 200


@pytest.mark.parametrize(("n", "p"), [(60, 100), (150, 8)])
def test_a_check_finds_nothing_in_999_of_1000_clean_tables(n, p):
    # At most 1 in 1,000 each: more than 3 of 200 tables with a chance of 5e-5 for each check.
    times = Counter(check for seed in range(TABLES) for check in found(clean(seed, n, p)))
    assert LEVEL == 1e-3
    assert max(times.values(), default=0) <= 3


@pytest.mark.parametrize(
    ("q", "alike", "missing", "patients"),
    [(10, 0.9, 0, None), (4, 0.5, 60, None), (6, 0.7, 0, 40), (1, 0.9, 0, 40)],
)
def test_rows_that_belong_together_are_no_fault_of_their_noise(q, alike, missing, patients):
    """Cells of a row, and rows of a patient, vary together: their spread is that of few numbers.

    At most 1 in 1,000 each: more than 2 of 100 tables with a chance of 1.5e-4 for each check.
    """
    times = Counter()
    for seed in range(100):
        group = None if patients is None else np.resize(np.arange(patients), 120)
        if q > 1:
            given = {"missing": missing, "group": group, "features": 6}
            table = several(rows=120, q=q, alike=alike, seed=seed, **given)
        else:
            rng = np.random.default_rng(seed)
            X = rng.standard_normal((patients, 6))[group] + 0.1 * rng.standard_normal((120, 6))
            y = np.sqrt(alike) * rng.standard_normal(patients)[group]
            y += np.sqrt(1.0 - alike) * rng.standard_normal(120)
            table = replace(challenge(y, X), group=Grouping("patient", group, True))
        times.update(set(found(table)) - {"stated_groups"})
    assert max(times.values(), default=0) <= 2


@pytest.mark.parametrize("seed", range(5))
def test_no_check_minds_a_response_without_signal_or_light_tails(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 5))
    assert not found(challenge(rng.standard_normal(200), X))
    assert not found(challenge(rng.uniform(-1.0, 1.0, 200), X))


def test_a_table_that_is_sorted_by_its_response_has_no_order_of_its_own():
    rng = np.random.default_rng(1)
    y = np.sort(rng.standard_normal(200))
    assert not found(challenge(y, rng.standard_normal((200, 5))))


def test_equal_rows_of_categories_are_no_duplicates():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (200, 3)).astype(float)
    assert not found(challenge(X[:, 0] * X[:, 1] + rng.standard_normal(200), X))


def test_labels_and_ranks_assume_nothing_of_the_noise():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((200, 4)), rng.integers(0, 2, 200)
    assert set(found(challenge(y, X))) == {"few_values"}
    assert not found(challenge(y, X), metric="zero_one")
    heavy = challenge(rng.standard_t(2, 200), X)
    assert set(found(heavy)) == {"heavy_tails"}
    assert not found(heavy, metric="spearman")
    assert {name for name, check in CHECKS.classes.items() if not check.is_of_noise} == {
        *("groups", "near_duplicates", "serial_order")
    }

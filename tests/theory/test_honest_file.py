"""From which score an attacker's gain counts."""

import numpy as np
import pandas as pd
import pytest

from shakedown.metrics import find
from shakedown.theory.threats import from_the_honest_file


@pytest.mark.parametrize("metric", ["pearson", "spearman", "ccc"])
def test_a_correlation_below_0_is_no_baseline(metric):
    outcomes = pd.DataFrame(
        {
            "delta": [-0.5, -0.5, -0.4],
            "score_public": [0.3, 0.3, 0.3],
            "score_honest": [-0.2, 0.1, np.nan],
        }
    )
    counted = from_the_honest_file(outcomes, find(metric))
    assert counted == pytest.approx([-0.3, -0.2, -0.4])


def test_a_loss_counts_from_the_honest_one():
    outcomes = pd.DataFrame({"delta": [-9.0], "score_public": [0.9], "score_honest": [1.1]})
    assert from_the_honest_file(outcomes, find("mse")) == pytest.approx([-0.2])

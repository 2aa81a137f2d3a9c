"""Exact scores of k files are worth k/n of the variance of a normal response: no more, no less."""

import numpy as np
import pytest

from tests.attacks.test_adversaries import attacked, response


@pytest.mark.parametrize(("rows", "replicates"), [(20, 300), (50, 200), (209, 60), (1000, 8)])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_the_linear_probe_on_full_disclosure_gains_its_files_over_the_rows(rows, replicates, share):
    """A standardised response has n - 1 dimensions, of which random signs measure one each.

    The mean of the replicates is beyond five standard errors once in a million; the known mean and
    length make a difference of a file or two.
    """
    files = round(share * rows)
    gains = np.empty(replicates)
    for seed in range(replicates):
        game, _ = attacked("linear_probe", "full_disclosure", seed, files, n=rows, points=[files])
        y = response(seed, rows)
        gains[seed] = (y**2).mean() - ((game.models.public[-1] - y) ** 2).mean()
    error = gains.std(ddof=1) / np.sqrt(replicates)
    assert gains.mean() == pytest.approx(files / rows, abs=5.0 * error + 2.0 / rows)
    assert error < 0.05

"""Fresh splits: halves of the private rows, and a spread that has a closed form."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from shakedown.interface import InputError
from shakedown.metrics import METRICS, find
from shakedown.replay.fresh_splits import SPLITS, fresh_splits
from shakedown.seeding import stream
from tests.kinds import fitting_log
from tests.replay import frames

LOG = frames.log()
RNG = partial(stream, 9)
PRIVATE = np.flatnonzero(~LOG.public)
LOSSES = (LOG.predictions - LOG.truth) ** 2


def test_halves_are_disjoint_and_together_all_private_rows():
    table = fresh_splits(LOG, find("mse"), rng_factory=RNG, repeats=2, top=60)
    assert list(table.columns) == SPLITS
    private = LOSSES[:, PRIVATE].mean(axis=1)
    # With an even number of rows the two halves' means add up to twice the whole.
    assert len(PRIVATE) == 280
    assert np.allclose(table["mean_half"], np.sort(private))
    assert np.allclose(table["score_private"], np.sort(private))
    assert table["private_place"].tolist() == list(range(1, 61))
    ids = LOG.submissions["submission"].to_numpy()[np.argsort(private)]
    assert table["submission"].tolist() == ids.tolist()
    public = LOSSES[np.argsort(private)][:, LOG.public].mean(axis=1)
    assert np.allclose(table["gap"], public - np.sort(private))


def test_the_spread_is_that_of_random_halves():
    """Two halves of n rows: the variance of their difference is 4 s**2 / n exactly.

    Over 400 splits the sd of an sd is 1 / sqrt(800) = 3.5 %, of which five: one false alarm in a
    million per submission.
    """
    table = fresh_splits(LOG, find("mse"), rng_factory=RNG, repeats=400, top=5)
    at = [LOG.submissions["submission"].tolist().index(s) for s in table["submission"]]
    sd = LOSSES[at][:, PRIVATE].std(axis=1, ddof=1)
    n, n_public = len(PRIVATE), LOG.public.sum()
    assert np.allclose(table["sd_gap"], 2 * sd / np.sqrt(n), rtol=5 * 0.035)
    assert np.allclose(table["expected_sd"], sd * np.sqrt(1 / n + 1 / n_public), rtol=5 * 0.035)
    scale = np.sqrt(n / 4 * (1 / n + 1 / n_public))
    assert np.allclose(table["expected_sd"], table["sd_gap"] * scale)
    assert np.allclose(table["sd_gap"], 2 * table["sd_half"])  # n even: mirror images
    assert (table["within"] == (table["gap"].abs() <= table["sd_gap"])).all()


def test_each_split_counts_both_ways():
    """With two splits of six rows: the four differences by hand, as many above 0 as below."""
    rows = np.arange(400) >= 394
    log = replace(LOG, public=~rows)
    table = fresh_splits(log, find("mse"), rng_factory=RNG, repeats=2, top=60)
    order = np.argsort(LOSSES[:, rows].mean(axis=1), kind="stable")
    rng = RNG("replay", "splits")
    split = [rng.permutation(np.flatnonzero(rows)) for _ in range(2)]
    first = np.array([LOSSES[order][:, each[:3]].mean(axis=1) for each in split])
    second = np.array([LOSSES[order][:, each[3:]].mean(axis=1) for each in split])
    public, private = np.concatenate([first, second]), np.concatenate([second, first])
    assert np.allclose(public.mean(axis=0), table["mean_half"])
    assert np.allclose(private.mean(axis=0), table["mean_half"])
    assert np.allclose((public - private).std(axis=0), table["sd_gap"])
    assert np.allclose(public.std(axis=0), table["sd_half"])


def test_splits_with_an_undefined_score_do_not_count():
    """A correlation of a constant is undefined: here in the halves without row 394."""
    rows = np.arange(400) >= 394
    predictions = LOG.predictions.copy()
    predictions[0, rows] = np.arange(6) == 0
    log = replace(LOG, public=~rows, predictions=predictions)
    table = fresh_splits(log, find("pearson"), rng_factory=RNG, repeats=5, top=60)
    own = table[table["submission"] == "s001"].iloc[0]
    assert own["repeats"] == 0
    assert np.isnan(own[["mean_half", "sd_half", "sd_gap"]].astype(float)).all()
    assert not own["within"]


def test_public_rows_that_are_harder_are_not_within():
    rows = LOG.public.copy()
    harder = LOG.predictions + 3.0 * rows
    table = fresh_splits(replace(LOG, predictions=harder), find("mse"), rng_factory=RNG)
    assert not table["within"].any()
    assert (table["gap"] > 0).all()
    assert len(table) == 50
    assert set(table["repeats"]) == {20}


@pytest.mark.parametrize("name", [*METRICS, "sklearn.metrics.r2_score"])
def test_every_metric_best_first(name):
    metric = find(name)
    log = fitting_log(metric, LOG)
    table = fresh_splits(log, metric, rng_factory=RNG, repeats=3, top=4)
    assert (np.diff(metric.sign * table["score_private"]) >= 0).all()
    assert table["sd_gap"].notna().all()


def test_the_stream_alone_decides():
    table = fresh_splits(LOG, find("ccc"), rng_factory=RNG)
    assert table.equals(fresh_splits(LOG, find("ccc"), rng_factory=RNG))
    assert not table.equals(fresh_splits(LOG, find("ccc"), rng_factory=partial(stream, 10)))


def test_errors_are_told():
    with pytest.raises(InputError, match="`repeats` must be 2 or more, got 1"):
        fresh_splits(LOG, find("mse"), rng_factory=RNG, repeats=1)
    with pytest.raises(InputError, match="`top` must be 1 or more"):
        fresh_splits(LOG, find("mse"), rng_factory=RNG, top=0)
    few = replace(LOG, public=np.arange(400) < 397)
    with pytest.raises(InputError, match="at least 4 private rows, to halve them; got 3"):
        fresh_splits(few, find("mse"), rng_factory=RNG)

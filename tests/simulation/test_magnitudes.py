"""A study of a table: the same in all units, and finite with ties, collinear features, few rows."""

import warnings

import numpy as np
import pandas as pd
import pytest

from shakedown import data
from shakedown.simulation.replicate import Experiment, play

ENTRIES = [
    {"name": "full_disclosure"},
    {"name": "ladder", "alpha": 0.3},
    {"name": "ladderboot", "alpha": 0.3, "b": 5},
    {"name": "bayesboot_ladderboot", "posterior_odds": 2.0, "draws": 20, "b": 5},
]
ATTACKS = [
    {"name": "freedman", "largest_model": 3},
    {"name": "step_forward", "iterations": 2},
]
SCORES = ["score_public", "score_final", "delta", "score_released"]
ROWS = 30  # the fewest


def normal(p=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((ROWS, p)), rng.standard_normal(ROWS)


def played(folder, X, y, metric="mse"):
    """The outcomes of both attacks, in both designs, on a table."""
    frame = pd.DataFrame({"y": y, **{f"x{j}": X[:, j] for j in range(X.shape[1])}})
    frame.to_csv(folder / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dropped columns
        challenge = data.read(
            "t", {"recipe": "table", "path": str(folder / "t.csv"), "response": "y"}, seed=1
        )
    frames = []
    for attack in ATTACKS:
        for design in ("permuted", "splits"):
            settings = {"metric": metric, "attack": attack, "mechanisms": ENTRIES}
            frames.append(play(Experiment("e", settings, challenge, design, seed=1), range(3)))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize(
    ("features", "response"),
    [
        ([-300, -250, -160, -100, 0, 49], -40),
        ([-307, 48, 20, -20, -200, -307], 49),
        ([49] * 6, -49),
        ([-307] * 6, 0),
    ],
)
def test_outcomes_do_not_depend_on_units(tmp_path, features, response):
    X, y = normal()
    usual = played(tmp_path, X, y)
    scales = np.array([float(f"1e{e}") for e in features])
    scaled = played(tmp_path, X * scales, y * float(f"1e{response}"))
    pd.testing.assert_frame_equal(usual.drop(columns=SCORES), scaled.drop(columns=SCORES))
    np.testing.assert_allclose(scaled[SCORES], usual[SCORES], rtol=1e-8, atol=1e-8)
    assert usual["accepted"].max() > 1


@pytest.mark.parametrize("level", [1e12, -1e13])
def test_nor_on_where_zero_is(tmp_path, level):
    X, y = (np.round(values * 16) for values in normal())
    usual, shifted = played(tmp_path, X, y), played(tmp_path, X + level, y + level)
    pd.testing.assert_frame_equal(usual.drop(columns=SCORES), shifted.drop(columns=SCORES))
    np.testing.assert_allclose(shifted[SCORES], usual[SCORES], rtol=1e-9, atol=1e-9)


def tied():
    X, y = normal(8)
    return (X > 0.5).astype(float), np.clip(np.round(y), -1, 1)


def collinear():
    X, y = normal(8)
    distances = 10.0 ** -np.array([0, 2, 4, 5, 6, 8, 10, 14])
    return X[:, :1] + X * distances, y


def rare():
    """Features that vary in some sets by next to nothing."""
    X, y = normal(8)
    X[5:] *= 1e-280
    X[:, 7] = np.where(np.arange(ROWS) % 3 == 0, 1e-300, 0.0)
    y[3:] *= 1e-30
    return X, y


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae"])
@pytest.mark.parametrize("case", [tied, collinear, rare])
def test_awkward_tables_have_finite_outcomes(tmp_path, case, metric):
    frame = played(tmp_path, *case(), metric)
    assert np.isfinite(frame[SCORES].drop(columns="score_released")).all(axis=None)
    # Without a feature all scores are (n - 1) / n or less, and least squares adds no wild numbers
    # but where features are nearly collinear.
    largest = 1e3 if case is not collinear else 1e12
    assert frame["score_public"].between(0, largest).all()

"""Numbers of any size: scaled as exact arithmetic would, or refused by name."""

from fractions import Fraction

import numpy as np
import pytest

from shakedown import data
from shakedown.data.scaling import standardised
from shakedown.data.splits import Splitter
from shakedown.interface import LARGEST, SMALLEST_SPREAD, Challenge, InputError
from tests.data.tables import HEADER, read, rows, text, write

rng = np.random.default_rng(5)
#: Values before a scale: normal, tied, of two kinds, with one that stands out, and shares.
SHAPES = {
    "normal": rng.standard_normal(10),
    "tied": rng.integers(0, 3, 10).astype(float),
    "two": np.repeat([0.0, 1.0], [9, 1]),
    "outlier": np.append(rng.standard_normal(9), 1e6),
    "positive": rng.random(40),
    "smallest": np.array([0.0, 1.0]),
}
EXPONENTS = (-322, -300, -200, -160, -100, -50, 0, 50, 100, 150, 154, 200, 300, 307)


def exactly(values):
    """Mean 0 and standard deviation 1, by exact arithmetic up to the root."""
    exact = [Fraction(float(v)) for v in values]
    mean = sum(exact) / len(exact)
    centred = [v - mean for v in exact]
    variance = sum(v * v for v in centred) / (len(exact) - 1)
    return np.array([(1 if v > 0 else -1) * float(v * v / variance) ** 0.5 for v in centred])


def sized():
    """The shapes at each size, if there are floats that tell their values apart."""
    for shape, values in SHAPES.items():
        for exponent in EXPONENTS:
            if np.log10(np.abs(values).max()) + exponent < 308:
                scaled = values * float(f"1e{exponent}")
                if np.ptp(scaled) > 0:
                    yield pytest.param(scaled, id=f"{shape}-{exponent}")


@pytest.mark.parametrize("values", list(sized()))
def test_rows_of_any_size_are_scaled(values):
    (scaled,) = standardised(values[None])
    np.testing.assert_allclose(scaled, exactly(values), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("level", [1.0, -3.0, 1e15, 1e-200, 1e200, 1e300])
def test_values_that_differ_in_their_last_digits_are_scaled(level):
    steps = np.array([0, 1, 5, 2, 2, 0, 3, 1, 4, 2])
    values = np.array([level + k * np.spacing(level) for k in steps])
    (scaled,) = standardised(values[None])
    np.testing.assert_allclose(scaled, exactly(values), rtol=1e-12, atol=1e-12)


def test_the_largest_floats_of_both_signs_are_scaled():
    values = np.where(np.arange(10) % 3 == 0, 1.0, -1.0) * np.finfo(float).max
    (scaled,) = standardised(values[None])
    np.testing.assert_allclose(scaled, exactly(values), rtol=1e-12)


def test_the_usual_numbers_keep_every_bit():
    columns = rng.standard_normal((200, 30)) * 10.0 ** rng.integers(-40, 40, (200, 1)) + 7
    columns[:100] += rng.standard_normal((100, 1)) * np.abs(columns[:100]).max(axis=1)[:, None]
    centred = columns - columns.mean(axis=1, keepdims=True)
    sd = centred.std(axis=1, ddof=1, keepdims=True)
    usual = (sd * 1e7 > np.abs(columns.mean(axis=1, keepdims=True)))[:, 0]
    assert 100 < usual.sum() < 200
    columns, centred, sd = columns[usual], centred[usual], sd[usual]
    np.testing.assert_array_equal(standardised(columns), centred / sd)
    odd = np.vstack([columns[:3], np.arange(30) * 1e200, columns[3:]])
    np.testing.assert_array_equal(np.delete(standardised(odd), 3, 0), standardised(columns))


BODY = rows(40)
COLUMN = dict(zip(HEADER, range(5), strict=True))


def spoiled(cells):
    body = [list(line) for line in BODY]
    for (i, column), cell in cells.items():
        body[i][COLUMN[column]] = cell
    return text(HEADER, body)


@pytest.mark.parametrize("column", ["y", "a"])
@pytest.mark.parametrize("cell", ["1e308", "-1e200", "1.1e50"])
def test_a_cell_that_is_too_large_is_refused(tmp_path, column, cell):
    path = write(tmp_path / "t.csv", spoiled({(3, column): cell}))
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"Data set mine ({path}): column '{column}', row 'r4' is {float(cell):g}; wanted at most "
        "1e+50 in size. Correct it, leave it empty if missing, or use a larger unit."
    )
    path = write(tmp_path / "t.csv", spoiled({(3, column): cell, (5, "c"): "1e99"}))
    with pytest.raises(InputError, match=r"in size \(2 such cells in all\)\. Correct it"):
        read(path)


def test_a_column_of_such_cells_is_refused(tmp_path):
    big = {(i, "y"): f"{1 + i % 7}e200" for i in range(40)}
    with pytest.raises(InputError, match=r"'y', row 'r1' is 1e\+200.*\(40 such cells in all\)"):
        read(write(tmp_path / "t.csv", spoiled(big)))


@pytest.mark.parametrize("scale", ["e-200", "e-300", "e-51"])
def test_a_response_that_hardly_varies_is_refused(tmp_path, scale):
    small = {(i, "y"): f"{1 + i % 7}{scale}" for i in range(40)}
    path = write(tmp_path / "t.csv", spoiled(small))
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"Data set mine ({path}): values of the response differ by 6{scale} at most; wanted at "
        "least 1e-50, or all equal. Use a smaller unit."
    )


def test_numbers_at_the_limits_are_taken(tmp_path):
    cells = {(i, "y"): f"{'-' * (i % 2)}1e50" for i in range(40)}
    cells |= {(i, "a"): f"{1 + i % 5}e-320" for i in range(40)}
    challenge = read(write(tmp_path / "t.csv", spoiled(cells)))
    assert np.abs(challenge.y).max() == LARGEST
    split = Splitter(challenge, "splits", seed=1).split(0)
    for values in (split.y_public, split.view.X_public[:, 0]):
        assert values.std(ddof=1) == pytest.approx(1)
    small = {(i, "y"): f"{i % 2 * SMALLEST_SPREAD:g}" for i in range(40)}
    assert np.ptp(read(write(tmp_path / "t.csv", spoiled(small))).y) == SMALLEST_SPREAD


OWN = """
import numpy as np

from shakedown.component import parameter
from shakedown.data import Recipe
from shakedown.interface import Challenge


class Own(Recipe):
    label = "Own"

    feature: float = parameter(0.0, description="Value of a cell.", allow_inf_nan=True)
    response: float = parameter(0.0, description="Value of a response.", allow_inf_nan=True)
    scale: float = parameter(1.0, description="Unit of the responses.")

    def read(self, name, *, rng, folder):
        X, y = rng.standard_normal((40, 3)), rng.standard_normal(40) * self.scale
        X[4, 1] += self.feature
        y[2] += self.response
        ids = np.array([f"r{i}" for i in range(40)])
        return Challenge(name, X, y, ids, np.array(["a", "b", "c"]))
"""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"feature": 1e300}, "feature 'b', row 'r4' is 1e+300; wanted at most 1e+50 in size."),
        ({"feature": -1e60}, "feature 'b', row 'r4' is -1e+60; wanted at most 1e+50 in size."),
        ({"response": -1e200}, "the response, row 'r2' is -1e+200; wanted at most 1e+50 in size."),
        ({"scale": 1e-200}, "values of the response differ by "),
    ],
)
def test_so_are_those_of_a_recipe_of_ones_own(tmp_path, monkeypatch, settings, message):
    (tmp_path / "my_sizes.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    data.read("mine", {"recipe": "my_sizes.Own"}, seed=1)
    with pytest.raises(InputError) as caught:
        data.read("mine", {"recipe": "my_sizes.Own", **settings}, seed=1)
    assert str(caught.value).startswith(f"Data set mine: recipe 'my_sizes.Own': {message}")


def test_nan_of_a_recipe_of_ones_own_is_refused(tmp_path, monkeypatch):
    code = OWN.replace("X[4, 1] += self.feature", "X[4, 1] = np.nan")
    (tmp_path / "my_gaps.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="feature 'b', row 'r4' is missing; wanted"):
        data.read("mine", {"recipe": "my_gaps.Own"}, seed=1)


def test_splits_do_not_depend_on_units():
    X, y = rng.standard_normal((30, 5)), rng.standard_normal(30)
    names = np.array([f"x{j}" for j in range(5)])

    def sets(scale, unit):
        made = Challenge("c", X * scale, y * unit, np.arange(30).astype(str), names)
        split = Splitter(made, "splits", seed=1).split(0)
        return [split.view.X_train, split.view.X_final, split.view.y_train, split.y_public]

    usual = sets(1.0, 1.0)
    for scale, unit in ((1e-300, 1e-50), (1e50, 1e50), (1e300, 1e300), (1e-290, 1e-290)):
        for expected, scaled in zip(usual, sets(scale, unit), strict=True):
            np.testing.assert_allclose(expected, scaled, rtol=1e-9, atol=1e-9)

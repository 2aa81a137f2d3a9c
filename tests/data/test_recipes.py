"""What every recipe keeps to, and a recipe of a user's own."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import yaml

from shakedown import data
from shakedown.component import Parameters, parameter
from shakedown.data import RECIPES, Recipe
from shakedown.interface import Challenge, InputError
from tests.data.tables import HEADER, recipe, rows, text, write


class Waves(Recipe):
    """A recipe of one's own, with a group of parameters."""

    label = "Waves"
    sentence = "Sines."

    class Shape(Parameters):
        height: float = parameter(1.0, gt=0, description="Height of a wave.")

    rows: int = parameter(ge=30, description="Number of rows.")
    shape: Shape = parameter(Shape(), description="Shape of the waves.")

    def read(self, name, *, rng, folder):
        X = self.shape.height * np.sin(
            rng.random((self.rows, 3))
        )  # rows first; `data.read` turns it
        rows = np.array([str(i + 1) for i in range(self.rows)])
        return Challenge(name, X, X.sum(axis=1), rows, np.array(["a", "b", "c"]))


OWN = {"recipe": f"{__name__}.Waves", "rows": 40}


#: Recipes without examples need a file: their own tests make it.
HAVE_EXAMPLES = [name for name, maker in RECIPES.classes.items() if maker.examples]


@pytest.fixture(params=[*HAVE_EXAMPLES, "table", OWN["recipe"]])
def recipes(request, tmp_path):
    """Examples of a recipe, as a configuration has them."""
    if request.param == "table":
        return [recipe(write(tmp_path / "t.csv", text(HEADER, rows())))]
    if request.param == OWN["recipe"]:
        return [OWN]
    return [
        {"recipe": request.param, **example} for example in RECIPES.find(request.param).examples
    ]


def test_a_challenge_has_the_shape_that_it_says(recipes):
    assert recipes
    for entry in recipes:
        assert data.check("a", entry) is None
        challenge = data.read("a", entry, seed=1)
        n, p = challenge.X.shape
        assert challenge.name == "a"
        assert challenge.X.dtype == challenge.y.dtype == np.float64
        assert challenge.X.flags.f_contiguous
        assert np.isfinite(challenge.X).all()
        assert (challenge.y.shape, challenge.rows.shape) == ((n,), (n,))
        assert challenge.features.shape == (p,)
        assert challenge.split is None or set(challenge.split) <= {"train", "public", "final"}
        assert challenge.rows.dtype.kind == challenge.features.dtype.kind == "U"
        assert all(note.endswith(".") for note in challenge.notes)


def test_the_same_seed_and_name_give_the_same_data(recipes):
    for entry in recipes:
        first, again = (data.read("a", dict(entry), seed=5) for _ in range(2))
        for field in fields(Challenge):
            np.testing.assert_array_equal(getattr(first, field.name), getattr(again, field.name))


@pytest.mark.parametrize("name", RECIPES)
def test_words_and_descriptions_for_readers(name):
    maker = RECIPES.find(name)
    assert maker.label
    assert maker.sentence.endswith(".")
    for key, field in maker.model_fields.items():
        assert field.description.endswith("."), key


def test_a_recipe_of_ones_own_draws_from_its_own_stream():
    first, other = (data.read(name, OWN, seed=1).X for name in "ab")
    assert not (first == other).any()
    higher = data.read("a", OWN | {"shape": {"height": 2.0}}, seed=1).X
    np.testing.assert_array_equal(higher, 2 * first)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 3}, "Waves': `rows` must be a whole number of at least 30; got 3."),
        ({"shape": {"height": 0}}, "`shape.height` must be a number above 0; got 0."),
        ({"recipe": f"{__name__}.Missing"}, "Missing' cannot be imported"),
        ({"recipe": f"{__name__}.np"}, "wanted a class derived from shakedown.data.recipe.Recipe"),
    ],
)
def test_what_is_wrong_with_it_is_said_in_the_same_words(change, message):
    with pytest.raises(InputError, match=f"Data set a: recipe .*{re.escape(message)}"):
        data.check("a", OWN | change)


def test_the_recipe_of_the_readme_works_as_it_stands(tmp_path, monkeypatch):
    readme = (Path(__file__).parents[2] / "data" / "README.md").read_text("utf-8")
    code, settings = re.findall(r"```(?:python\n# my_data.py|yaml)\n(.*?)```", readme, re.S)[1:3]
    (tmp_path / "my_data.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    challenge = data.read("mine", yaml.safe_load(settings)["datasets"]["mine"], seed=1)
    assert challenge.X.shape == (300, 50)

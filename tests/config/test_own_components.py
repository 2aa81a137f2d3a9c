"""A component of a user's own, named by its import path, is held against its own class."""

import pytest

from shakedown.config import complete
from shakedown.interface import InputError

from .studies import study


def with_board(figure=None, **entry):
    config = study(experiments__free__mechanisms=[{"name": "stairs.Stairs", **entry}])
    config["figures"]["picture"] |= figure or {}
    return config


def test_it_is_taken_with_its_defaults(own):
    config = complete(with_board(gamma=[0.1, 0.2], figure={"gamma": 0.2}))
    (entry,) = config["experiments"]["free"]["mechanisms"]
    assert entry == {"name": "stairs.Stairs", "gamma": [0.1, 0.2], "least": 0.0, "draws": 1.0}


@pytest.mark.parametrize(
    ("figure", "entry", "message"),
    [
        ({}, {"gamma": 1}, "mechanisms[0].gamma: wanted a number above 0 and below 1 or a list"),
        ({}, {"gamme": 9}, "mechanisms[0]: 'gamme' is not known. Did you mean 'gamma'?"),
        ({}, {}, "mechanisms[0]: 'gamma' is missing. Meaning: Height of a step."),
        ({}, {"name": "stairs.Satirs"}, "mechanism 'stairs.Satirs' cannot be imported"),
        ({}, {"name": "no_boards.Stairs"}, "'no_boards.Stairs' cannot be imported"),
        ({"gamma": 3}, {"gamma": 0.9}, "picture.gamma: no mechanism of the experiment has 3. Want"),
        ({"gamme": 9}, {"gamma": 0.9}, "picture: 'gamme' is not known. Did you mean 'gamma'?"),
    ],
)
def test_each_mistake_gives_one_message(own, figure, entry, message):
    with pytest.raises(InputError) as caught:
        complete(with_board(figure, **entry))
    assert message in str(caught.value)


def test_a_file_that_is_no_python_is_said_with_its_line(own, tmp_path):
    (tmp_path / "my_slip.py").write_text("class Tilted\n    pass\n")
    config = study(experiments__free__mechanisms=[{"name": "my_slip.Tilted"}])
    with pytest.raises(InputError, match=r"cannot be imported \(.*my_slip\.py, line 1\)"):
        complete(config)


RECIPE = '''
from typing import ClassVar

from shakedown.component import parameter
from shakedown.data.recipe import Recipe


class Panel(Recipe):
    """Repeated measurements."""

    label: ClassVar[str] = "Panel"
    sentence: ClassVar[str] = "People, each measured several times."

    people: int = parameter(ge=30, description="Number of people.")

    def read(self, name, *, rng, folder):
        raise AssertionError("no data are made while a configuration is read")
'''


def test_a_recipe_is_held_against_its_own_class(own, tmp_path):
    (tmp_path / "my_panels.py").write_text(RECIPE)
    complete(study(datasets={"sim": {"recipe": "my_panels.Panel", "people": 40}}))
    with pytest.raises(InputError, match=r"sim\.people: wanted a whole number of at least 30; got"):
        complete(study(datasets={"sim": {"recipe": "my_panels.Panel", "people": 4}}))
    with pytest.raises(InputError, match=r"sim: 'peple' is not known\. Did you mean 'people'\?"):
        complete(study(datasets={"sim": {"recipe": "my_panels.Panel", "peple": 40}}))


def echo(**attack):
    return study(experiments__free__attack={"name": "stairs.Echo", **attack})


def test_an_attack_is_held_against_its_own_class(own):
    attack = complete(echo(rounds=3.0))["experiments"]["free"]["attack"]
    assert repr(attack["rounds"]) == "3"
    sizes = [{"features": 3, "rounds": 1}, {"features": 5}]
    attack = complete(echo(budgets=sizes))["experiments"]["free"]["attack"]
    assert attack["budgets"] == sizes  # a default of the class is none of a size
    for change, message in (
        ({"rounds": 0}, r"attack\.rounds: wanted a whole number of at least 1; got 0"),
        ({"ruonds": 3}, r"attack: 'ruonds' is not known\. Did you mean 'rounds'"),
        ({"budgets": [{"rounds": 0}]}, r"budgets\[0\]\.rounds: wanted a whole number of at least"),
        ({"budgets": [{"ruonds": 1}]}, r"budgets\[0\]: 'ruonds' is not known\. Did you mean"),
    ):
        with pytest.raises(InputError, match=message):
            complete(echo(**change))


FIGURE = '''
from typing import ClassVar

from shakedown.component import parameter
from shakedown.figures.kind import FigureKind


class Violin(FigureKind):
    """Densities."""

    label: ClassVar[str] = "Violins"
    sentence: ClassVar[str] = "The density of the scores."
    several: ClassVar[tuple[str, ...]] = ("dataset",)

    width: float = parameter(0.8, gt=0, le=1, description="Width of a violin.")

    def picture(self, rows):
        raise AssertionError("nothing is drawn while a configuration is read")
'''


def violins(**figure):
    config = study()
    config["datasets"]["other"] = config["datasets"]["sim"]
    config["experiments"]["free"]["datasets"] = ["sim", "other"]
    config["figures"]["picture"] |= {"kind": "my_violins.Violin"} | figure
    return config


def test_a_figure_is_held_against_its_own_class(own, tmp_path):
    (tmp_path / "my_violins.py").write_text(FIGURE)
    figure = complete(violins(dataset=["sim", "other"], alpha=0.5))["figures"]["picture"]
    assert figure["width"] == 0.8
    for change, message in (
        ({"width": 2}, r"picture\.width: wanted a number above 0 and at most 1; got 2"),
        ({"widht": 1}, r"picture: 'widht' is not known\. Did you mean 'width'"),
        ({"design": ["permuted", "splits"]}, r"design: kind my_violins\.Violin shows"),
        (
            {"kind": "my_violins.Violins"},
            r"kind: figure kind 'my_violins\.Violins' cannot",
        ),
    ):
        with pytest.raises(InputError, match=message):
            complete(violins(**change))


def test_a_metric_is_found_by_its_import_path(own):
    boards = {"experiments__free__mechanisms": [{"name": "full_disclosure"}]}
    complete(study(experiments__free__metric="stairs.Halving", **boards))
    with pytest.raises(InputError, match=r"experiments\.free: .*metric 'stairs\.Havling'"):
        complete(study(experiments__free__metric="stairs.Havling", **boards))

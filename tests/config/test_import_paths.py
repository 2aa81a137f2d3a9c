"""An import path is checked before it is called, and nothing is called while one is read."""

import pytest

from shakedown.attacks.models import check_model, final_model
from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.metrics import find
from tests.attacks.regressors import regressor

from .studies import study

#: Places of a model in a configuration.
PLACES = ("experiments.free.model", "dryrun.model", "release_variability.steady.models.one")


def modelled(place, path, settings):
    """A configuration with this model at a place."""
    entry = {"class": path, "settings": settings}
    if place.startswith("experiments"):
        return study(experiments__free__model=entry)
    if place.startswith("dryrun"):
        return study(experiments={}, figures={}, dryrun={"model": entry})
    return study(release_variability={"steady": {"dataset": "sim", "models": {"one": entry}}})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("path", "argument"),
    [
        ("subprocess.Popen", {"args": ["touch", "made"]}),
        ("subprocess.run", {"args": ["touch", "made"]}),
        ("os.system", {"command": "touch made"}),
        ("builtins.open", {"file": "made", "mode": "w"}),
        ("functools.partial", {"func": "made"}),
    ],
)
def test_what_is_no_regressor_is_never_called(place, path, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        complete(modelled(place, path, argument))
    assert str(caught.value).startswith(f"Configuration key {place.partition('.')[0]}")
    assert (
        f"model '{path}': wanted the import path of a class with `fit` and `predict`, such as "
        "sklearn.linear_model.Ridge; got " in str(caught.value)
    )
    assert not list(tmp_path.iterdir())


OWN = '''
from pathlib import Path

from shakedown.metrics import Metric


class Noisy:
    """A regressor that leaves a trace when it is made."""

    def __init__(self, path, depth=1):
        Path(path).touch()
        if depth > 9:
            raise TypeError("too deep")

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X.sum(axis=1)


def touching_loss(y, prediction, sample_weight=None):
    Path("called").touch()
    return abs(y - prediction).mean()


class Touching(Metric):
    label = "Touching"
    larger_is_better = False

    def function(self, y, prediction, sample_weight=None):
        return touching_loss(y, prediction)


no_score = 3
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "my_noise.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("place", PLACES)
def test_a_regressor_of_the_users_is_checked_and_not_made(own, place):
    complete(modelled(place, "my_noise.Noisy", {"path": "made"}))
    for settings, what in (({}, "path"), ({"path": "made", "dept": 2}, "dept")):
        with pytest.raises(InputError, match=f"does not accept the settings .*'{what}'"):
            complete(modelled(place, "my_noise.Noisy", settings))
    assert not (own / "made").exists()


def test_a_regressor_that_refuses_its_settings_when_made_is_named(own):
    model = final_model(regressor("my_noise.Noisy", path="made", depth=10))
    with pytest.raises(InputError, match=r"'my_noise.Noisy' does not accept .*: too deep\."):
        model.made()


@pytest.mark.parametrize("name", ["touching_loss", "Touching"])
@pytest.mark.parametrize("place", ["experiments", "dryrun"])
def test_a_metric_of_the_users_is_not_called(own, place, name):
    metric = f"my_noise.{name}"
    if place == "dryrun":
        complete(study(experiments={}, figures={}, dryrun={"metric": metric}))
    else:
        boards = [{"name": "full_disclosure"}]
        complete(study(experiments__free__metric=metric, experiments__free__mechanisms=boards))
    assert not (own / "called").exists()


@pytest.mark.parametrize("path", ["my_noise.no_score", "my_noise.__name__"])
def test_a_metric_that_is_no_function_is_refused(own, path):
    with pytest.raises(InputError, match=f"metric '{path}': wanted a function, or a class derived"):
        find(path)


def test_a_module_is_no_model():
    with pytest.raises(InputError, match="got an object of type module"):
        check_model("sklearn.linear_model")

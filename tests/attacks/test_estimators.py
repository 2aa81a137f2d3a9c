"""What the sources of scikit-learn tell is what its classes do."""

import inspect
import subprocess
import sys

import pytest
from sklearn.utils import all_estimators

from shakedown.attacks.estimators import is_regressor
from shakedown.attacks.models import check_model
from shakedown.interface import InputError
from tests.attacks.regressors import regressor

#: By import path as one writes it, such as sklearn.linear_model.Ridge.
ESTIMATORS = {
    f"{estimator.__module__.rpartition('.')[0]}.{name}": estimator
    for name, estimator in all_estimators()
    if estimator.__module__.count(".") == 2
    and estimator.__module__.rpartition(".")[2].startswith("_")
}


def test_regressors_are_found_and_others_are_not():
    answers = {
        path: is_regressor(path, needed(estimator)) for path, estimator in ESTIMATORS.items()
    }
    assert answers == {
        path: hasattr(estimator, "fit") and hasattr(estimator, "predict")
        for path, estimator in ESTIMATORS.items()
    }
    assert sum(answers.values()) > 50
    assert not all(answers.values())


def needed(estimator):
    arguments = inspect.signature(estimator).parameters.values()
    return [argument.name for argument in arguments if argument.default is argument.empty]


@pytest.mark.parametrize(
    ("path", "settings", "fits"),
    [
        ("sklearn.ensemble.RandomForestRegressor", ["n_estimators", "max_depth"], True),
        ("sklearn.ensemble.RandomForestRegressor", ["trees"], False),
        ("sklearn.multioutput.MultiOutputRegressor", ["estimator"], True),
        ("sklearn.multioutput.MultiOutputRegressor", [], False),  # it needs one
        ("sklearn.linear_model.Rige", [], False),
        ("sklearn.no_such_module.Ridge", [], False),
        ("sklearn.Ridge", [], False),
        ("numpy.ndarray", [], False),
        ("ols", [], False),
    ],
)
def test_settings_and_names_must_fit(path, settings, fits):
    assert is_regressor(path, settings) == fits


def test_a_model_is_refused_as_if_it_were_imported():
    with pytest.raises(InputError, match="does not accept the settings {'alfa': 1}: .*alfa"):
        check_model(regressor("sklearn.linear_model.Ridge", alfa=1))
    with pytest.raises(InputError, match="'sklearn.linear_model.Rige' cannot be imported"):
        check_model("sklearn.linear_model.Rige")
    check_model(regressor("sklearn.linear_model.Ridge", alpha=1))
    check_model("ols")


def test_a_configuration_is_read_without_scikit_learn():
    code = (
        "import sys; from shakedown.config import complete; from shakedown.reading import read; "
        "config = complete(read('config/test.yaml')); "
        "assert 'sklearn.linear_model.Ridge' in str(config); print('sklearn' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "False\n", run.stderr

"""Parts of a configuration that do not fit together, and what the package itself refuses."""

import pytest

from shakedown.configuration import complete
from shakedown.interface import InputError

from .studies import ROOT, SCHEMA, study


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"experiments__free__datasets": ["simm"]},
            r"experiments\.free\.datasets: 'simm' is not known\. Did you mean 'sim'\?",
        ),
        (
            {"figures__picture__experiment": "fre"},
            r"figures\.picture\.experiment: 'fre' is not known\. Did you mean 'free'",
        ),
        (
            {"figures__picture__dataset": "diabetes"},
            r"figures\.picture\.dataset: 'diabetes' is not known\. Known here: sim",
        ),
        (
            {"experiments__free__designs": ["splits"]},
            r"figures\.picture\.design: 'permuted' is not known",
        ),
        (
            {"figures__picture__mechanism": ["ladder", "kaggle"]},
            r"figures\.picture\.mechanism: no mechanism of its experiment has 'kaggle'; they have "
            r"ladder\.",
        ),
        (
            {"figures__picture__alpha": 0.01},
            r"figures\.picture\.alpha: no mechanism of its experiment has 0\.01; they have "
            r"0\.15, 0\.5\.",
        ),
        (
            {
                "experiments__free__features": 10,
                "experiments__free__attack": {
                    "name": "step_forward",
                    "budgets": [{"features": 5, "iterations": 1}],
                },
            },
            r"experiments\.free\.features: 10 would not be used",
        ),
        (
            {"datasets__sim__correlation": {"structure": "ar1"}},
            r"datasets\.sim: .*'rho' is missing",
        ),
        (
            {"datasets__sim": {"recipe": "table", "path": "no.csv", "response": "y"}},
            r"datasets\.sim: .*no\.csv.*no such file",
        ),
        (
            {"experiments__free__metric": "msee"},
            r"experiments\.free: .*metric 'msee'",
        ),
        (
            {"experiments__free__metric": "pearson"},
            r"experiments\.free: ",  # a paired t-test needs a mean loss
        ),
        (
            {"experiments__free__mechanisms": [{"name": "ladder", "b": 3}]},
            r"experiments\.free: .*mechanism 'ladder' takes no setting \['b'\]",
        ),
        (
            {"experiments__free__model": "sklearn.linear_model.Rigde"},
            r"experiments\.free: .*model 'sklearn\.linear_model\.Rigde'",
        ),
    ],
)
def test_the_first_misfit_is_refused_with_its_key(change, message):
    with pytest.raises(InputError, match=f"^Configuration key {message}"):
        complete(study(**change), SCHEMA, base=ROOT)

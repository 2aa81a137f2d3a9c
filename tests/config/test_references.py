"""Parts of a configuration that do not fit together, and what the package itself refuses."""

import pytest

from shakedown.config import complete
from shakedown.interface import InputError

from .studies import ROOT, study


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
            {"figures__picture": {"kind": "release_variability", "experiment": "free"}},
            r"figures\.picture\.experiment: 'free' is not known: the study defines none\.",
        ),
        (
            {"experiments__free__designs": ["splits"]},
            r"figures\.picture\.design: 'permuted' is not known",
        ),
        (
            {"figures__picture__mechanism": ["ladder", "kaggle"]},
            r"figures\.picture\.mechanism: no mechanism .* has 'kaggle'\. Wanted one of: "
            r"ladder\.",
        ),
        (
            {"figures__picture__alpha": 0.01},
            r"figures\.picture\.alpha: no mechanism .* has 0\.01\. Wanted one of: "
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
            {"experiments__free__metric": "msee"},
            r"experiments\.free: metric 'msee' is not known",
        ),
        (
            {"experiments__free__metric": "pearson"},
            r"experiments\.free: gate 'paired_t_test'",  # a paired t-test needs a mean loss
        ),
        (
            {"experiments__free__mechanisms": [{"name": "ladder", "b": 3}]},
            r"experiments\.free\.mechanisms\[0\]: 'b' is not known\. .*: alpha, defences, name\.",
        ),
        (
            {"claims": ["shakedown.claims.zhang"]},
            r"claims\[0\]: module 'shakedown\.claims\.zhang' is not found\. Wanted the import path",
        ),
        (
            {"experiments__free__model": "sklearn.linear_model.Rigde"},
            r"experiments\.free: .*model 'sklearn\.linear_model\.Rigde'",
        ),
    ],
)
def test_the_first_misfit_is_refused_with_its_key(change, message):
    with pytest.raises(InputError, match=f"^Configuration key {message}"):
        complete(study(**change), base=ROOT)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            {
                "recipe": "simulated",
                "rows": 60,
                "features": 10,
                "correlation": {"structure": "ar1"},
            },
            r"Data set sim: recipe 'simulated': the correlation 'ar1' needs rho; got none\.",
        ),
        (
            {"recipe": "table", "path": "no.csv", "response": "y"},
            r"Data set sim \(no\.csv\): no such file in ",
        ),
    ],
)
def test_a_data_set_is_named_once(recipe, message):
    with pytest.raises(InputError, match=f"^{message}"):
        complete(study(datasets__sim=recipe), base=ROOT)


FAIR_LABELS = {
    "fair_labels": {
        "datasets": ["fair_labels"],
        "designs": ["labels"],
        "metric": "zero_one",
        "attack": {"name": "boosting", "submissions": 20},
        "mechanisms": [{"name": "kaggle"}],
    }
}


def with_labels(**changes):
    """A study with an experiment on labels, a comparison with bounds, and their figure."""
    config = study()
    config["datasets"]["fair_labels"] = {"recipe": "labels", "public": 20, "final": 20}
    config["experiments"] |= FAIR_LABELS
    config["bounds"] = {"experiments": ["fair_labels"]}
    config["figures"]["bounds"] = {
        "kind": "bounds", "experiment": ["fair_labels"], "dataset": "fair_labels",
        "design": "labels",
    }  # fmt: skip
    return config | changes


def test_bounds_are_held_against_experiments_on_labels():
    config = complete(with_labels(), base=ROOT)
    assert config["bounds"] == {"experiments": ["fair_labels"], "delta": 0.05}
    assert config["figures"]["bounds"]["attacks"] is None
    assert complete(study(), base=ROOT)["bounds"] is None


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (
            {"experiments": ["fair_label"]},
            r"bounds\.experiments: 'fair_label' is not known\. Did you mean",
        ),
        (
            {"experiments": ["fair_labels", "free"]},
            r"bounds\.experiments: wanted experiments with an attack on labels.*'free' plays "
            r"freedman\. Remove it",
        ),
        (
            None,
            r"figures\.bounds\.experiment: a figure of bounds needs experiments that are listed "
            r"in bounds\.experiments; got 'fair_labels'\. Add it",
        ),
        ({"experiments": ["fair_labels"], "delta": 1}, r"bounds\.delta"),
        ({"experiments": []}, r"bounds\.experiments"),
    ],
)
def test_other_bounds_are_refused(bounds, message):
    with pytest.raises(InputError, match=f"^Configuration key {message}"):
        complete(with_labels(bounds=bounds), base=ROOT)

"""Every default of the models and of the components is filled in, and nothing else is touched."""

from shakedown.config import complete
from shakedown.config.completing import checked, completed

from .studies import ROOT, study


def test_defaults_are_filled_in_at_every_level():
    config = complete(study(), base=ROOT)
    assert config["seed"] == 1607
    assert config["datasets"]["sim"]["correlation"]["structure"] == "independent"
    assert config["datasets"]["sim"]["signal"] == {"r2": 0, "features": 10}
    experiment = config["experiments"]["free"]
    assert experiment["attack"] == {"name": "freedman", "largest_model": 30, "budgets": None}
    assert experiment["model"] == "ols"
    assert experiment["designs"] == ["permuted", "splits"]
    assert config["figures"]["picture"]["layout"] == "rows"
    assert "threshold" not in config["figures"]["picture"]


def test_a_default_is_not_shared_between_entries():
    config = study()
    config["datasets"]["other"] = dict(config["datasets"]["sim"])
    sim, other = complete(config, base=ROOT)["datasets"].values()
    sim["correlation"]["structure"] = "changed"
    assert other["correlation"]["structure"] == "independent"


def test_the_order_of_keys_does_not_count():
    config = study()
    experiment = config["experiments"]["free"]
    turned = {**config, "experiments": {"free": dict(reversed(experiment.items()))}}
    one, other = (completed(given, checked(given)) for given in (turned, config))
    assert repr(one) == repr(other)


def test_whole_numbers_with_a_point_become_whole():
    config = complete(study(seed=7.0, experiments__free__replicates=10.0), base=ROOT)
    assert repr(config["seed"]) == "7"
    assert repr(config["experiments"]["free"]["replicates"]) == "10"
    boot = [{"name": "ladderboot", "alpha": 0.5, "b": [10.0, 100]}]
    config = complete(study(experiments__free__mechanisms=boot), base=ROOT)
    assert repr(config["experiments"]["free"]["mechanisms"][0]["b"]) == "[10, 100]"


def test_other_numbers_stay_as_they_were_written():
    config = complete(
        study(
            experiments__free__mechanisms=[
                {"name": "digest", "eta": 1, "floor": 2.0, "every": 1, "updates": 2}
            ]
        ),
        base=ROOT,
    )
    (entry,) = config["experiments"]["free"]["mechanisms"]
    assert repr(entry) == "{'name': 'digest', 'eta': 1, 'floor': 2.0, 'every': 1, 'updates': 2}"


def test_a_column_that_yaml_reads_as_a_number_is_a_name(tmp_path):
    (tmp_path / "years.csv").write_text("2019,2020\n" + "1,2\n3,4\n" * 20)
    table = {"recipe": "table", "path": "years.csv", "response": 2020, "ignore": []}
    config = complete(study(datasets={"sim": table}), base=ROOT, folder=tmp_path)
    assert config["datasets"]["sim"]["response"] == "2020"

"""Each mistake in a configuration gives one message that says where it is and how to cure it."""

import re

import pytest

from shakedown.config import complete
from shakedown.interface import InputError

from .studies import ROOT, study


def refused(config):
    with pytest.raises(InputError) as caught:
        complete(config, base=ROOT)
    return str(caught.value)


def test_the_starting_point_is_valid():
    complete(study(), base=ROOT)


@pytest.mark.parametrize(
    ("place", "right"),
    [
        ("studdy", "study"),
        ("datasets__sim__row", "rows"),
        ("datasets__sim__correlation", {"struture": "ar1"}),
        ("experiments__free__replicats", "replicates"),
        ("experiments__free__attack__largest_modl", "largest_model"),
        ("experiments__free__mechanisms__0__aplha", "alpha"),
        ("figures__picture__layuot", "layout"),
    ],
)
def test_a_misspelt_key_is_named_with_the_right_one(place, right):
    if isinstance(right, dict):
        (wrong,), right = right, "structure"
        message = refused(study(**{place: {wrong: "ar1"}}))
    else:
        wrong = place.rpartition("__")[2]
        message = refused(study(**{place: 1}))
    assert f"'{wrong}' is not known. Did you mean '{right}'?" in message


def test_a_misspelt_key_that_is_needed_counts_as_misspelt_and_not_as_missing():
    config = study(experiments__free__attack=..., experiments__free__attck={"name": "freedman"})
    assert refused(config).startswith(
        "Configuration key experiments.free: 'attck' is not known. Did you mean 'attack'?"
    )


def test_a_misspelt_key_that_decides_on_others_is_named_first():
    config = study(datasets__sim__recipe=..., datasets__sim__recipee="simulated")
    assert "'recipee' is not known. Did you mean 'recipe'?" in refused(config)


def test_a_key_of_another_kind_is_refused_with_those_of_this_kind():
    message = refused(study(figures__picture__threshold=-0.1))
    assert "figures.picture: 'threshold' is not known" in message
    assert "layout" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"experiments__free__replicates": -5},
            "experiments.free.replicates: wanted a whole number of at least 1 and at most "
            "1,000,000; got -5.",
        ),
        (
            {"experiments__free__features": [10, 20]},
            "experiments.free.features: wanted a whole number of at least 2 or null; got [10, 20].",
        ),
        (
            {"experiments__free__mechanisms__0__name": "laddr"},
            "experiments.free.mechanisms[0].name: mechanism 'laddr' is not known. Did you mean "
            "'ladder'? Wanted one of ['adaptive_ladderboot', 'bayesboot_ladder', ",
        ),
        (
            {"experiments__free__mechanisms__0__alpha": 1.5},
            "experiments.free.mechanisms[0].alpha: wanted a number above 0 and below 1 or a list "
            "of these; got 1.5.",
        ),
        (
            {"experiments__free__mechanisms__0__alpha": [0.1, -2]},
            "experiments.free.mechanisms[0].alpha[1]: wanted a number above 0 and below 1; got -2.",
        ),
        (
            {"experiments__free__mechanisms__0__alpha": "1e-2"},
            "experiments.free.mechanisms[0].alpha: wanted a number above 0 and below 1 or a list "
            'of these; got "1e-2". YAML reads this as text; write 0.01 without quotes.',
        ),
        (
            {"datasets__sim__recipe": "simulatd"},
            "datasets.sim.recipe: recipe 'simulatd' is not known. Did you mean 'simulated'?",
        ),
        (
            {"datasets__sim__signal": {"r2": 1.2}},
            "datasets.sim.signal.r2: wanted a number of at least 0 and at most 1; got 1.2.",
        ),
        (
            {"study": "mine\n"},
            "study: wanted a name of letters, digits and underscores, starting with a letter, of "
            "at most 100 characters; "
            'got "mine\\n".',
        ),
        (
            {"experiments__free__datasets": []},
            "experiments.free.datasets: wanted at least one entry, got none.",
        ),
        (
            {"experiments__free__designs": ["splits", "splits"]},
            'experiments.free.designs: "splits" is listed twice.',
        ),
        (
            {"datasets": {"my-data": {"recipe": "diabetes"}}},
            'datasets: the id "my-data" is not allowed; wanted a name of letters, digits and '
            "underscores, starting with a letter, of at most 100 characters.",
        ),
        (
            {"experiments__free__attack": "freedman"},
            'experiments.free.attack: wanted settings (key: value); got "freedman".',
        ),
        (
            {
                "experiments__free__mechanisms": [
                    {"name": "bayesboot_ladderboot", "posterior_odds": 1, "b": 3, "dirichlet": 1}
                ]
            },
            "experiments.free.mechanisms[0].dirichlet: wanted true or false or a list of these; "
            "got 1.",
        ),
        (
            {"datasets__sim__rows": ...},
            "datasets.sim: 'rows' is missing. Meaning: Number of rows n; each of the train, "
            "public and final sets has a third.",
        ),
        (
            {"figures__picture__kind": ...},
            "figures.picture: 'kind' is missing. Meaning: The kind of figure",
        ),
    ],
)
def test_what_does_not_fit_is_shown_with_what_was_wanted(change, message):
    assert refused(study(**change)).startswith(f"Configuration key {message}")


def test_a_missing_key_at_the_top_hints_at_extending():
    message = refused(study(study=...))
    assert message.startswith("Configuration: 'study' is missing. Meaning: Name of the study")
    assert "'extends'" in message


def test_a_long_value_is_cut():
    message = refused(study(seed="x" * 500))
    assert len(message) < 150
    assert re.search(r"x\.\.\.\.$", message)


def test_the_first_mistake_in_the_file_is_told_each_time():
    config = study()
    entry = config["experiments"]["free"]
    config["experiments"]["again"] = {**entry, "mechanisms": [{"name": "laddr"}]}
    entry["mechanisms"] = [{"name": "laddr"}]
    for _ in range(20):
        with pytest.raises(InputError, match=r"experiments\.free\.mechanisms\[0\]\.name"):
            complete(config, base=ROOT)


def test_a_message_shows_what_a_terminal_would_obey():
    message = refused(study(**{"\x1b[31mred\u202e": 1}))
    assert message.startswith(r"Configuration: '\x1b[31mred\u202e' is not known.")


def test_a_message_cuts_a_word_that_fills_the_screen():
    message = refused(study(**{"x" * 3000: 1}))
    assert message.startswith("Configuration: 'xxx")
    assert "xxx... is not known." in message
    assert len(message) < 600

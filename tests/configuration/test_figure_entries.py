"""Figures of several experiments, data sets and named curves: what goes together."""

import pytest

from shakedown.configuration import complete
from shakedown.interface import InputError

from .studies import ROOT, SCHEMA, study

COINS = {"recipe": "labels", "public": 20, "final": 20}


def attacked(datasets, mechanisms, **attack):
    return {
        "datasets": datasets,
        "designs": ["labels"],
        "metric": "zero_one",
        "attack": {"submissions": 10, **attack},
        "mechanisms": mechanisms,
    }


def with_figure(**figure):
    """A study of two experiments on labels, and one figure of them."""
    entry = {
        "kind": "growth",
        "experiment": ["boost", "swap"],
        "dataset": "coins",
        "design": "labels",
    } | figure
    return study(
        datasets={"coins": COINS, "more": COINS, "other": COINS},
        experiments={
            "boost": attacked(["coins", "more"], [{"name": "kaggle"}], name="boosting"),
            "swap": attacked(
                ["coins", "other"],
                [{"name": "general_ladder", "eta": [0.1, 0.2]}],
                name="enumeration",
            ),
        },
        figures={"picture": entry},
    )


@pytest.mark.parametrize(
    "figure",
    [
        {},
        {"kind": "trajectories"},
        {"kind": "trajectories", "dataset": ["coins", "more"]},
        {"kind": "trajectories", "dataset": ["more", "other"]},
        {"curves": [{"mechanism": "kaggle"}, {"mechanism": "general_ladder", "eta": 0.2}]},
        {"curves": [{"experiment": "boost", "mechanism": "kaggle", "label": "words"}]},
        {"value": "bias", "fits": ["sqrt_k"], "rows": {"coins": 20}, "after": "Fig. 1"},
    ],
)
def test_what_goes_together_is_taken(figure):
    filled = complete(with_figure(**figure), SCHEMA, base=ROOT)["figures"]["picture"]
    assert filled["rows"] == figure.get("rows")
    assert filled["accuracy"] is False


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"dataset": ["coins", "more"]}, r"dataset: a figure of kind growth shows one, got \['coi"),
        ({"dataset": "more"}, r"dataset: experiment swap is played on coins, other, got more\."),
        ({"dataset": "moer"}, r"dataset: 'moer' is not known\. Did you mean 'more'"),
        (
            {"kind": "trajectories", "experiment": ["swap"], "dataset": ["coins", "more"]},
            r"dataset: 'more' is not known\.",
        ),
        ({"kind": "delta"}, r"experiment: a figure of kind delta shows one, got \['boost', 'swap'"),
        ({"design": ["labels", "splits"]}, r"design: a figure of kind growth shows one"),
        ({"experiment": ["boost", "swop"]}, r"experiment: 'swop' is not known\. Did you mean"),
        ({"curves": [{"label": "words"}]}, r"curves.*'mechanism' is missing"),
        ({"curves": []}, r"curves"),
        (
            {"curves": [{"mechanism": "kaggle"}, {"mechanism": "ladder"}]},
            r"curves, entry 2, mechanism: no mechanism of its experiment has 'ladder'; they have "
            r"general_ladder, kaggle",
        ),
        (
            {"curves": [{"experiment": "swap", "mechanism": "kaggle"}]},
            r"curves, entry 1, mechanism: .* 'kaggle'; they have general_ladder\.",
        ),
        (
            {"curves": [{"experiment": "bost", "mechanism": "kaggle"}]},
            r"curves, entry 1, experiment: 'bost' is not known\. Did you mean 'boost'",
        ),
        (
            {"curves": [{"mechanism": "general_ladder", "eta": 0.3}]},
            r"curves, entry 1, eta: no mechanism of its experiment has 0\.3; they have 0\.1, 0\.2",
        ),
        (
            {"curves": [{"mechanism": "kaggle", "eta": 0.1}]},
            r"curves, entry 1, eta: no mechanism of its experiment has 0\.1; they have none",
        ),
        ({"fits": ["cubic"]}, r"fits"),
        ({"value": "gap"}, r"value"),
        ({"lines": 3}, r"'lines'"),
        ({"rows": {"coin": 20}}, r"rows: 'coin' is not known\. Did you mean 'coins'"),
    ],
)
def test_what_does_not_is_refused_with_its_key(figure, message):
    with pytest.raises(InputError, match=rf"^Configuration.*figures\.picture.*{message}"):
        complete(with_figure(**figure), SCHEMA, base=ROOT)


def test_a_law_needs_public_rows_that_are_known():
    config = study(
        figures__picture__kind="growth",
        figures__picture__value="bias",
        figures__picture__fits=["sqrt_k"],
    )
    with pytest.raises(
        InputError, match=r"fits: .* not known of sim\. Add it: rows: \{sim: <number"
    ):
        complete(config, SCHEMA, base=ROOT)
    config["figures"]["picture"]["rows"] = {"sim": 20}
    assert complete(config, SCHEMA, base=ROOT)

"""Figures of several experiments, data sets and named curves: what goes together."""

import pytest

from shakedown.config import complete
from shakedown.interface import InputError

from .studies import ROOT, study

FAIR_LABELS = {"recipe": "labels", "public": 20, "final": 20}


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
        "dataset": "fair_labels",
        "design": "labels",
    } | figure
    return study(
        datasets={"fair_labels": FAIR_LABELS, "more": FAIR_LABELS, "other": FAIR_LABELS},
        experiments={
            "boost": attacked(["fair_labels", "more"], [{"name": "kaggle"}], name="boosting"),
            "swap": attacked(
                ["fair_labels", "other"],
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
        {"kind": "trajectories", "dataset": ["fair_labels", "more"]},
        {"kind": "trajectories", "dataset": ["more", "other"]},
        {"curves": [{"mechanism": "kaggle"}, {"mechanism": "general_ladder", "eta": 0.2}]},
        {"curves": [{"experiment": "boost", "mechanism": "kaggle", "label": "words"}]},
        {"value": "bias", "fits": ["sqrt_k"], "rows": {"fair_labels": 20}, "after": "Fig. 1"},
    ],
)
def test_what_goes_together_is_taken(figure):
    filled = complete(with_figure(**figure), base=ROOT)["figures"]["picture"]
    assert filled["rows"] == figure.get("rows")
    assert filled["accuracy"] is False


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"dataset": ["fair_labels", "more"]}, r"dataset: kind growth shows only one; got \['fair"),
        ({"dataset": "more"}, r"dataset: experiment swap uses fair_labels, other; got more\."),
        ({"dataset": "moer"}, r"dataset: 'moer' is not known\. Did you mean 'more'"),
        (
            {"kind": "trajectories", "experiment": ["swap"], "dataset": ["fair_labels", "more"]},
            r"dataset: 'more' is not known\.",
        ),
        ({"kind": "grid"}, r"experiment: kind grid shows only one; got \['boost', 'swap'"),
        ({"design": ["labels", "splits"]}, r"design: kind growth shows only one"),
        ({"experiment": ["boost", "swop"]}, r"experiment: 'swop' is not known\. Did you mean"),
        ({"curves": [{"label": "words"}]}, r"a curve needs its `mechanism` or its `setting`"),
        ({"curves": []}, r"curves"),
        (
            {"curves": [{"mechanism": "kaggle"}, {"mechanism": "ladder"}]},
            r"curves\[1\]\.mechanism: no mechanism of the experiment has 'ladder'\. Wanted one of: "
            r"general_ladder, kaggle",
        ),
        (
            {"curves": [{"experiment": "swap", "mechanism": "kaggle"}]},
            r"curves\[0\]\.mechanism: .* 'kaggle'\. Wanted one of: general_ladder\.",
        ),
        (
            {"curves": [{"experiment": "bost", "mechanism": "kaggle"}]},
            r"curves\[0\]\.experiment: 'bost' is not known\. Did you mean 'boost'",
        ),
        (
            {"curves": [{"mechanism": "general_ladder", "eta": 0.3}]},
            r"curves\[0\]\.eta: no mechanism .* has 0\.3\. Wanted one of: 0\.1, 0\.2",
        ),
        (
            {"curves": [{"mechanism": "kaggle", "eta": 0.1}]},
            r"curves\[0\]\.eta: no mechanism of the experiment has 0\.1\. Wanted one of: 1e-05",
        ),
        ({"fits": ["cubic"]}, r"fits"),
        ({"value": "gap"}, r"value"),
        ({"lines": 3}, r"'lines'"),
        (
            {"rows": {"fair_label": 20}},
            r"rows: 'fair_label' is not known\. Did you mean 'fair_labels'",
        ),
    ],
)
def test_what_does_not_is_refused_with_its_key(figure, message):
    with pytest.raises(InputError, match=rf"^Configuration.*figures\.picture.*{message}"):
        complete(with_figure(**figure), base=ROOT)


def test_a_law_needs_public_rows_that_are_known():
    config = study(
        figures__picture__kind="growth",
        figures__picture__value="bias",
        figures__picture__fits=["sqrt_k"],
    )
    with pytest.raises(
        InputError, match=r"figures.picture: .* laws need .* of sim\..* rows: \{sim: <number"
    ):
        complete(config, base=ROOT)
    config["figures"]["picture"]["rows"] = {"sim": 20}
    assert complete(config, base=ROOT)


def test_a_figure_of_released_scores_shows_one_entry():
    released = {"dataset": "sim", "correlations": [0.5]}
    config = study(
        release_variability={"steady": released, "noisy": released},
        figures__picture={"kind": "release_variability", "experiment": ["steady"], "b": [10, 100]},
    )
    assert complete(config, base=ROOT)["figures"]["picture"]["experiment"] == ["steady"]
    config["figures"]["picture"]["experiment"].append("noisy")
    with pytest.raises(InputError, match=r"picture\.experiment: kind release_variability shows on"):
        complete(config, base=ROOT)

"""What every metric of the package keeps to."""

import numpy as np
import pytest

from shakedown.metrics import METRICS, find
from tests.kinds import fitting
from tests.reference.metrics import METRICS as LITERAL

EVERY = [*METRICS, "sklearn.metrics.r2_score"]


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = rng.standard_normal(30)
    return y, y + rng.standard_normal((4, 30))


@pytest.mark.parametrize("name", EVERY)
def test_scores_are_floats_and_inputs_stay_as_they_are(name, data):
    y, predictions = fitting(find(name), *data)
    kept = y.copy(), predictions.copy()
    scores = find(name).score(y, predictions)
    assert (scores.shape, scores.dtype) == ((4,), np.dtype(float))
    np.testing.assert_array_equal(y, kept[0])
    np.testing.assert_array_equal(predictions, kept[1])


@pytest.mark.parametrize("name", EVERY)
def test_a_submission_is_scored_as_if_it_were_alone(name, data):
    y, predictions = fitting(find(name), *data)
    alone = [find(name).score(y, prediction[None])[0] for prediction in predictions]
    np.testing.assert_array_equal(find(name).score(y, predictions), alone)


@pytest.mark.parametrize("name", EVERY)
def test_a_risk_is_the_score_with_its_sign(name, data):
    metric, (y, predictions) = find(name), fitting(find(name), *data)
    rows, risks = metric.judge(metric.prepare(y), predictions)
    assert rows.shape == predictions.shape
    np.testing.assert_array_equal(metric.sign * risks, metric.score(y, predictions))


@pytest.mark.parametrize("name", EVERY)
def test_words_for_readers(name):
    metric = find(name)
    assert metric.name == metric.id == name
    for text in (metric.label, metric.short, metric.axis, metric.sentence):
        assert text.strip()
    assert metric.sentence.endswith(".")
    assert metric.delta_name == f"Δ{metric.short}"


def test_every_formula_stands_in_the_reference_too():
    assert {name for name in METRICS if find(name).formula is not None} <= set(LITERAL)


@pytest.mark.parametrize("name", [name for name in EVERY if find(name).formula is None])
def test_whole_number_weights_of_a_function_repeat_rows(name, data):
    y, predictions = fitting(find(name), *data)
    counts = np.random.default_rng(4).integers(0, 4, size=30)
    for p in predictions:
        repeated = find(name).function(np.repeat(y, counts), np.repeat(p, counts))
        weighted = find(name).function(y, p, sample_weight=counts.astype(float))
        assert weighted == pytest.approx(repeated)


def test_a_function_is_called_by_the_last_part_of_its_path():
    assert find("sklearn.metrics.r2_score").label == "r2_score"


def test_labels_tell_metrics_apart():
    assert len({find(name).label for name in METRICS}) == len(METRICS)

"""What a study's tables cannot answer, and why."""

import numpy as np
import pytest

from shakedown.claims import Tables
from shakedown.claims.quantity import NotAnswered
from tests.claims import studies
from tests.claims.studies import work_out
from tests.figures import frames


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    uneven = frames.outcomes(frames.LADDERS, replicates=6, largest_model=2)
    moving = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=6)
    moving["submissions"] = moving["submissions"] - moving["replicate"]
    return Tables(
        outcomes=studies.write(
            folder,
            freedman=studies.freedman(replicates=6),
            uneven=uneven.drop(index=3),
            empty=uneven.head(0),
            moving=moving,
            repeated=uneven.assign(replicate=0),
        ),
        traces=studies.write(folder, traced=frames.traces(n_features=20)),
    )


FREEDMAN = {"experiment": "freedman", "design": "permuted", "mechanism": "ladder", "alpha": 0.15}


@pytest.mark.parametrize(
    ("expression", "of", "why"),
    [
        ('median("delta")', {"experiment": "limits"}, "no outcomes of experiment 'limits'"),
        ("median(last_jump())", {"trace": "limits"}, "has no trace of experiment 'limits'"),
        ('sd("released")', {"spread": "s"}, "the study has no spread table 's'"),
        ('median("delta", dataset="diabetes")', FREEDMAN, "no rows with .*dataset = diabetes"),
        ('median("delta", alpha=0.2)', FREEDMAN, "has no rows with .*alpha = 0.2"),
        ('median("delta", metric="ccc")', FREEDMAN, "has no rows with .*metric = ccc"),
        ('median("delta", n_selected=30)', FREEDMAN, "has no rows with .*n_selected = 30"),
        (
            'largest(median("delta", n_selected=[1, 30]))',
            FREEDMAN,
            "experiment 'freedman' has no rows with .*n_selected = 30",
        ),
        (
            'median("delta")',
            FREEDMAN,
            r"'freedman' has 5 settings \(they differ in n_selected\) with .*alpha = 0.15",
        ),
        (
            'largest(median("delta", n_selected=last, mechanism="ladderboot", design=each))',
            FREEDMAN,
            r"has 3 settings \(they differ in b\)",
        ),
        ('largest(median("delta", iterations=each))', FREEDMAN, "has no iterations there"),
        ('median("delta", iterations=last)', FREEDMAN, "has no rows with"),
        (
            'largest(median("delta", n_selected=[1, 2]) - median("delta", n_selected=[1, 3]))',
            FREEDMAN,
            "the sides of a comparison have different n_selected: 1, 2 and 1, 3",
        ),
        ('median("delta")', {"experiment": "uneven"}, "do not have the same replicates .uneven"),
        ('median("delta")', {"experiment": "repeated"}, "do not have the same replicates"),
        ('median("delta")', {"experiment": "empty"}, "experiment 'empty' has no rows"),
        (
            'value("submissions", iterations=2, alpha=0.5)',
            {"experiment": "moving"},
            "its value differs between replicates, from 594 to 599",
        ),
    ],
)  # fmt: skip
def test_says_why_it_has_no_answer(tables, expression, of, why):
    with pytest.raises(NotAnswered, match=why):
        work_out(expression, tables, **of)


def test_a_setting_is_found_whatever_its_last_bit(tmp_path):
    frame = frames.outcomes(frames.BAYES, metric="ccc", replicates=5, largest_model=1)
    frame["posterior_odds"] = np.where(
        frame["posterior_odds"] == 5.67, np.nextafter(5.67, 6), frame["posterior_odds"]
    )
    tables = Tables(outcomes=studies.write(tmp_path, bayes=frame))
    of = {"experiment": "bayes", "mechanism": "bayesboot_ladder", "n_selected": 1}
    assert work_out('median("delta", posterior_odds=5.67)', tables, **of).replicates == 5


def test_only_what_is_asked_for_is_read(tables, monkeypatch):
    """One part of the table, and of its columns the keys and the one that is measured."""
    import pyarrow.parquet as pq

    read, whole = [], pq.read_table

    def spy(path, *, columns, filters):
        read.append((tuple(columns), filters))
        return whole(path, columns=columns, filters=filters)

    monkeypatch.setattr(pq, "read_table", spy)
    fresh = Tables(outcomes=tables.outcomes)
    work_out('median("delta", dataset="ad_like", n_selected=1)', fresh, **FREEDMAN)
    part = [("dataset", "==", "ad_like"), ("design", "==", "permuted")]
    assert all(filters == part for _, filters in read)
    columns = {column for columns, _ in read for column in columns}
    assert "delta" in columns
    assert not {"score_public", "score_final", "score_released", "accepted"} & columns

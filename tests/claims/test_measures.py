"""What the language measures, against pandas on the same rows."""

import numpy as np
import pandas as pd
import pytest

from shakedown.claims import Tables, resampling
from shakedown.claims.functions import REDUCTIONS
from shakedown.claims.quantity import NotAnswered, Quantity
from tests.claims import studies
from tests.claims.studies import measured, work_out
from tests.figures import frames

LADDER = {"experiment": "freedman", "dataset": "ad_like", "design": "permuted"}


@pytest.fixture(scope="module")
def outcomes():
    return studies.freedman()


@pytest.fixture(scope="module")
def tables(outcomes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    spread = frames.releases(predictions=4, draws=60)
    spread["replicate"] = spread.groupby(["prediction", "b"]).cumcount()
    # The table's order says nothing of the predictions' quality.
    spread = spread.sort_values("prediction", key=lambda p: p.map({"p2": 0}).fillna(1))
    return Tables(
        outcomes=studies.write(
            folder, freedman=studies.shuffled(outcomes), limits=studies.shuffled(frames.budgets())
        ),
        spreads=studies.write(folder, quality=studies.shuffled(spread)),
    )


def rows(frame, **where):
    for column, value in where.items():
        frame = frame[(frame[column] == value).to_numpy(dtype=bool)]
    return frame


@pytest.mark.parametrize(
    ("call", "literal"),
    [
        ('median("delta"{})', lambda f: f.delta.median()),
        ('mean("score_final"{})', lambda f: f.score_final.mean()),
        ('sd("score_public"{})', lambda f: f.score_public.std()),
        ('iqr("delta"{})', lambda f: f.delta.quantile(0.75) - f.delta.quantile(0.25)),
        ('quantile("delta", at=0.9{})', lambda f: f.delta.quantile(0.9)),
        ('share("delta", below=-0.01{})', lambda f: (f.delta < -0.01).mean()),
        ('share("delta", above=-0.01{})', lambda f: (f.delta > -0.01).mean()),
        ('value("submissions"{})', lambda f: f.submissions.unique().item()),
        ('median("accepted"{})', lambda f: f.accepted.median()),
    ],
)
@pytest.mark.parametrize(
    "where",
    [
        {"mechanism": "ladder", "alpha": 0.15, "n_selected": 3, "design": "splits"},
        {"mechanism": "ladderboot", "alpha": 0.5, "b": 1000, "n_selected": 1, "design": "permuted"},
    ],
)
def test_statistics_of_one_setting(outcomes, tables, call, literal, where):
    expression = call.format("".join(f", {k}={v!r}" for k, v in where.items()))
    assert measured(expression, tables, experiment="freedman") == literal(rows(outcomes, **where))


def test_axes_go_by_name(outcomes, tables):
    found = work_out(
        'largest(abs(median("delta", mechanism="ladderboot", b=each, alpha=each)'
        ' - median("delta", mechanism="ladder", alpha=each)))',
        tables,
        **LADDER,
        n_selected=4,
    )
    chosen = rows(outcomes, design="permuted", n_selected=4)
    boot = rows(chosen, mechanism="ladderboot").groupby(["alpha", "b"]).delta.median().unstack()
    ladder = rows(chosen, mechanism="ladder").groupby("alpha").delta.median()
    assert found.values[0] == pytest.approx(boot.sub(ladder, axis=0).abs().max(axis=None))
    assert found.replicates == 31


def test_resamples_are_of_whole_replicates(outcomes, tables):
    """All settings of a resample have the same replicates, so what they share cancels out."""
    one = 'mean("delta", mechanism="ladder", alpha=0.15, n_selected=3)'
    public, final = one.replace("delta", "score_public"), one.replace("delta", "score_final")
    found = work_out(f"{one} - ({public} - {final})", tables, **LADDER, resamples=50)
    np.testing.assert_allclose(found.values, 0, atol=1e-12)
    assert np.ptp(work_out(one, tables, **LADDER, resamples=50).values) > 0.001


def test_last_is_the_end_of_each_attack(tables):
    """Attacks on more features go on for longer."""
    of = {"experiment": "limits", "mechanism": "ladder", "alpha": 0.15}
    for features, submissions in ((50, 50), (100, 199), (150, 447), (200, 794), (250, 1240)):
        expression = f'value("submissions", n_features={features}, iterations=last)'
        assert measured(expression, tables, **of) == submissions
    found = work_out('span(value("submissions", n_features=each, iterations=last))', tables, **of)
    assert found.values == [1785 - 50]
    assert found.replicates is None


def test_predictions_go_from_the_worst_to_the_best(tables):
    of = {"spread": "quality", "b": 10}
    quality = 'value("quality", prediction=each)'
    assert work_out(f'largest(steps({quality}, over="prediction"))', tables, **of).values < 0
    wanted = (0.15 - 1.64) / 3
    assert measured(f'slope({quality}, over="prediction")', tables, **of) == wanted


def test_spread_of_releases(tables):
    frame = frames.releases(predictions=4, draws=60)
    wanted = frame.groupby(["prediction", "b"]).released.std()
    expression = 'largest(sd("released", prediction=each, b=each))'
    assert measured(expression, tables, spread="quality") == wanted.max()


def test_an_attack_that_stopped_early_belongs_to_its_iteration(tmp_path):
    """It then holds fewer features than iterations, in some replicates."""
    frame = frames.outcomes(frames.LADDERS, attack="step_forward", replicates=9)
    frame["n_selected"] = np.minimum(frame["n_selected"], 1 + frame["replicate"] % 4).astype(
        "Int64"
    )
    tables = Tables(outcomes=studies.write(tmp_path, step_forward=frame))
    of = {"experiment": "step_forward", "alpha": 0.5}
    chosen = rows(frame, alpha=0.5, iterations=4)
    for column in ("delta", "n_selected"):
        expression = f'median("{column}", iterations=4)'
        assert measured(expression, tables, **of) == chosen[column].median()


def test_replicates_are_the_fewest_of_all(tmp_path):
    few, many = (frames.outcomes(frames.FULL, replicates=n, largest_model=1) for n in (5, 9))
    tables = Tables(outcomes=studies.write(tmp_path, few=few, many=many))
    one = 'median("delta", experiment="{}", n_selected=1)'
    both = f"{one.format('many')} - {one.format('few')} + 1"
    assert work_out(both, tables).replicates == 5


def test_nulls_do_not_count(tmp_path):
    frame = frames.outcomes(frames.LADDERS, replicates=8, largest_model=1)
    frame.loc[::3, "score_released"] = np.nan
    tables = Tables(outcomes=studies.write(tmp_path, freedman=frame))
    for alpha in frames.LEVELS:
        wanted = frame[frame.alpha == alpha].score_released.median()
        expression = f'median("score_released", alpha={alpha}, n_selected=1)'
        assert measured(expression, tables, experiment="freedman") == wanted


def line(*values, axis="k", labels=None):
    """A quantity along one axis."""
    return Quantity(np.array([values], float), {axis: labels or tuple(range(1, len(values) + 1))})


def reduced(name, x, **options):
    return REDUCTIONS[name][0](x, ("k",), **options).values


@pytest.mark.parametrize(
    ("values", "smallest_step", "rises"),
    [
        ((1, 2, 4), 1, True),
        ((1, 1, 4), 0, False),  # level is not rising
        ((1, 2, 1.5), -0.5, False),
        ((4, 2, 1), -2, False),
    ],
)
def test_steps_tell_whether_a_line_is_monotone(values, smallest_step, rises):
    found = reduced("steps", line(*values))
    assert found.min() == smallest_step
    assert (found.min() > 0) == rises


@pytest.mark.parametrize(
    ("values", "options", "place"),
    [
        ((0.1, -0.04, -0.06, -0.07), {"below": -0.05}, 3),
        ((-0.06, 0.0, 0.0), {"below": -0.05}, 1),  # at once
        ((0.0, -0.06, 0.0), {"below": -0.05}, 2),  # it need not stay there
        ((0.0, -0.05, -0.05), {"below": -0.05}, np.inf),  # on the threshold is not below it
        ((0.0, 0.1, 0.2), {"below": -0.05}, np.inf),  # never
        ((0.0, 0.1, 0.2), {"above": 0.1}, 3),
    ],
)
def test_crossing_is_the_first_point_beyond(values, options, place):
    assert reduced("crossing", line(*values), **options) == [place]


def test_crossing_reads_another_quantity_at_that_point():
    read = line(50, 199, 447)
    assert reduced("crossing", line(0, -1, -1), below=-0.5, read=read) == [199]
    assert reduced("crossing", line(0, 0, 0), below=-0.5, read=read) == [np.inf]
    # The first point along the axis, even where what is read there falls.
    assert reduced("crossing", line(0, -1, -1), below=-0.5, read=line(3, 2, 1)) == [2]


def test_slope_is_that_of_the_least_squares_line():
    labels, values = (1, 10, 20, 30), (0.2, 0.1, 0.15, -0.3)
    wanted = np.polyfit(labels, values, 1)[0]
    np.testing.assert_allclose(reduced("slope", line(*values, labels=labels)), [wanted])
    np.testing.assert_allclose(reduced("slope", line(1, 3, 5, labels=("a", "b", "c"))), [2])


def test_other_reductions():
    x = line(3, 1, 2)
    assert reduced("largest", x) == [3]
    assert reduced("smallest", x) == [1]
    assert reduced("span", x) == [2]
    assert reduced("average", x) == [2]
    # On the bound is neither below nor above it.
    assert reduced("count", x, below=2) == [1]
    assert reduced("count", x, above=2) == [1]
    assert reduced("count", x, equal=2) == [1]


def test_reductions_go_along_the_axes_they_are_told():
    values = np.arange(24.0).reshape(2, 3, 4)
    x = Quantity(values, {"alpha": (1, 2, 3), "b": (10, 100, 1000, 10000)}, 9)
    for name, numpy in (("largest", np.max), ("smallest", np.min), ("average", np.mean)):
        found = REDUCTIONS[name][0](x, ("alpha",))
        np.testing.assert_array_equal(found.values, numpy(values, axis=1))
        assert (list(found.axes), found.replicates) == (["b"], 9)
        assert REDUCTIONS[name][0](x, ("b", "alpha")).axes == {}
    stepped = REDUCTIONS["steps"][0](x, ("b",))
    assert stepped.axes["b"] == (100, 1000, 10000)


@pytest.mark.parametrize(
    ("name", "x", "options", "message"),
    [
        ("steps", line(1), {}, "there is only one k to step along"),
        ("slope", line(1), {}, "there is only one k to have a slope along"),
        ("crossing", line(1, 2, labels=("a", "b")), {"below": 0}, "k is text; a crossing along"),
    ],
)
def test_reductions_that_need_more(name, x, options, message):
    with pytest.raises(NotAnswered, match=message):
        reduced(name, x, **options)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("2 + 3 * -4 / (5 - 1)", -1),
        ("rounded(0.8763, 0.01)", 0.88),
        ("rounded(0.125, 0.25)", 0.0),  # halves to the even multiple, as the boards do
        ("abs(-3)", 3),
        ("t_tail(1, 208) + t_tail(-1, 208)", 1),
        ("t_quantile(0.5, 7)", 0),
        ("t_quantile(0.975, 1000000)", 1.959966),
    ],
)
def test_numbers(expression, wanted):
    found = work_out(expression, Tables())
    assert found.values[0] == pytest.approx(wanted, abs=1e-6)
    assert found.replicates is None


def test_division_by_zero_is_no_error():
    assert work_out("1 / 0", Tables()).values[0] == np.inf
    assert np.isnan(work_out("0 / 0", Tables()).values[0])


def trace(released, accepted, selected, iteration=None):
    """A trace of one board, of one iteration or of several."""
    m = len(released)
    frame = frames.traces(frames.FULL, n_features=m, iterations=1).head(m)
    columns = {"released": released, "accepted": accepted, "selected": selected}
    frame = frame.assign(**{c: np.asarray(v, type(frame[c][0])) for c, v in columns.items()})
    return frame if iteration is None else frame.assign(iteration=np.asarray(iteration))


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("last_jump()", 5),
        ("last_accepted()", 6),
        ("first_pick()", 2),
        ("last_pick()", 8),
        ("longest_run()", 3),
        ("jump_size()", 0.3),
        ('share("released", above=0.9)', 2 / 8),
        ('median("released")', 0.5),
    ],
)
def test_places_in_a_trace(tmp_path, expression, wanted):
    released = [1, 1, 0.8, 0.8, 0.4, 0.4, 0.4, 0.4]
    accepted = [1, 0, 1, 0, 1, 1, 0, 0]  # the last one changed nothing that was shown
    selected = [0, 1, 0, 1, 1, 1, 0, 1]
    frame = trace(released, accepted, selected)
    if expression.startswith("median"):
        frame["released"] = [1, 1, 0.8, 0.6, 0.4, 0.4, 0.4, 0.4]
    paths = studies.write(tmp_path, freedman=studies.shuffled(frame))
    found = work_out(expression, Tables(traces=paths), trace="freedman", replicate=0)
    assert found.values == pytest.approx([wanted])
    assert found.replicates == 1


def test_places_that_are_not_there(tmp_path):
    frame = trace([1, 1, 1], [0, 0, 0], [0, 0, 0])
    tables = Tables(traces=studies.write(tmp_path, freedman=frame))
    of = {"trace": "freedman", "replicate": 0}
    for place in ("last_accepted", "first_pick", "last_pick", "jump_size", "found_jump"):
        assert np.isnan(work_out(f"{place}()", tables, **of).values).all()
    # The first score comes after none, so it is a jump; and no run is as long as 1.
    assert work_out("last_jump()", tables, **of).values == [1]
    assert work_out("longest_run()", tables, **of).values == [0]


def test_found_jump_is_the_last_of_the_true_number_of_jumps(tmp_path):
    level = np.repeat([1.0, 0.8, 0.7], [10, 20, 30])
    # What noise there is lies in the last stretch: one break too many would fall there.
    noise = np.random.default_rng(2).normal(size=60) * np.repeat([0.01, 0.01, 1], [10, 20, 30])
    accepted = np.isin(np.arange(60), [0, 10, 30])
    for sd, found in ((1e-3, True), (1.0, False)):
        frame = trace(level + sd * noise, accepted, accepted)
        tables = Tables(traces=studies.write(tmp_path, freedman=frame))
        place = work_out("found_jump()", tables, trace="freedman", replicate=0).values[0]
        assert (place == 31) == found


def test_submissions_count_from_one_in_each_iteration(tmp_path):
    frame = trace(
        [1, 0.5, 0.5, 2, 2, 1.5], [1, 1, 0, 1, 0, 1], [0, 1, 0, 0, 1, 0], [1, 1, 1, 2, 2, 2]
    )
    tables = Tables(traces=studies.write(tmp_path, step_forward=frame))
    of = {"trace": "step_forward", "replicate": 0}
    misses = "abs(first_pick(iteration=each) - last_accepted(iteration=each))"
    assert measured(f"count({misses}, below=0.5)", tables, **of) == 1
    assert measured(f"largest({misses})", tables, **of) == 1


def jumping_at(*places):
    """A trace of several replicates, each with its last jump at one of the places."""
    return pd.concat(
        [
            trace(at := np.arange(1, 9) < place, ~at, ~at).assign(replicate=r)
            for r, place in enumerate(places)
        ]
    )


def test_a_statistic_of_several_traces_goes_over_their_replicates(tmp_path):
    paths = studies.write(tmp_path, freedman=studies.shuffled(jumping_at(3, 8, 4, 2, 6)))
    tables, of = Tables(traces=paths), {"trace": "freedman"}
    found = work_out("median(last_jump() - 1)", tables, resamples=50, **of)
    assert (found.values[0], found.values.shape, found.replicates) == (3, (51,), 5)
    # As for a column of five outcomes, resample by resample.
    wanted = resampling.quantile(np.array([2, 7, 3, 1, 5]), resampling.draw_counts(5, 50, 7), 0.5)
    np.testing.assert_array_equal(found.values, wanted)
    assert measured("share(abs(last_jump() - 4), above=1.5)", tables, **of) == 3 / 5
    assert measured("median(share('released', above=0.5))", tables, **of) == 3 / 8


def test_a_statistic_of_traces_leaves_the_other_axes(tmp_path):
    frame = pd.concat(
        [jumping_at(3, 5, 7).assign(iteration=1), jumping_at(2, 8, 6).assign(iteration=2)]
    )
    tables = Tables(traces=studies.write(tmp_path, step_forward=frame))
    of = {"trace": "step_forward"}
    assert measured("largest(median(last_jump(iteration=each)))", tables, **of) == 6
    per_replicate = 'count(last_jump(iteration=each), above=5.5, over="iteration")'
    assert measured(f"mean({per_replicate})", tables, **of) == 1


def test_one_traced_replicate_is_not_resampled(tmp_path):
    tables = Tables(traces=studies.write(tmp_path, freedman=jumping_at(3)))
    found = work_out("median(last_jump())", tables, resamples=50, trace="freedman")
    assert (found.values, found.replicates) == ([3], 1)


def test_tables_of_any_text_type(tmp_path, outcomes):
    paths = studies.write(tmp_path, freedman=frames.nullable(outcomes))
    expression = 'smallest(median("delta", alpha=each, b=each, mechanism="ladderboot"))'
    of = {**LADDER, "n_selected": 2}
    plain = studies.write(tmp_path, other=outcomes)
    wanted = work_out(expression, Tables(outcomes={"freedman": plain["other"]}), **of)
    found = work_out(expression, Tables(outcomes=paths), **of)
    np.testing.assert_array_equal(found.values, wanted.values)


def test_parts_in_several_row_groups(tmp_path, outcomes):
    """A data set's rows need not lie together in the file."""
    path = tmp_path / "freedman.parquet"
    studies.shuffled(outcomes).to_parquet(path, index=False, row_group_size=100)
    found = measured(
        'median("delta", design="splits", mechanism="ladder", alpha=0.01, n_selected=2)',
        Tables(outcomes={"freedman": path}),
        experiment="freedman",
    )
    where = {"design": "splits", "mechanism": "ladder", "alpha": 0.01, "n_selected": 2}
    assert found == rows(outcomes, **where).delta.median()

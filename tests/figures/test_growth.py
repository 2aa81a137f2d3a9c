"""Curves over submissions: what they show, how they are told apart, and what is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from shakedown.figures import caption, draw
from shakedown.figures.curves import along
from shakedown.figures.findings import WELL
from shakedown.figures.kinds.growth import COLOURS
from shakedown.figures.style import line_colour
from shakedown.interface import InputError
from shakedown.leaderboard.mechanism import mechanism
from shakedown.seeding import stream
from shakedown.theory.growth import fit_growth
from tests.figures import frames
from tests.figures import label_frames as made

COINS = made.outcomes()
BOTH = made.outcomes((made.FULL, made.FREE))
ZHENG = made.zheng_1()
ROWS = {"binary": 4000, "fair_labels_1000": 1000, "fair_labels_20000": 20000}
LAWS_OF = {"sqrt_k": lambda k: np.sqrt(k / 4000), "sqrt_log_k": lambda k: np.sqrt(np.log(k) / 4000)}
LAWS = [*LAWS_OF]
FITTED = {"value": "bias", "fits": LAWS, "rows": ROWS}
CURVES = [
    {"mechanism": "full_disclosure", "label": "every score"},
    {"mechanism": "general_ladder", "experiment": "boosting", "label": "one account"},
    {"mechanism": "general_ladder", "experiment": "many_accounts", "label": "many accounts"},
]


def lines(figure):
    (ax,) = figure.axes
    return {line.get_label(): line for line in ax.lines}


def names(figure):
    """The words beside the ends of the lines, from the bottom up."""
    (ax,) = figure.axes
    return [text.get_text().replace("\n", " ") for text in ax.texts]


def said(frame, **settings):
    return caption("growth", frame, study="s", seed=1, **settings)


def of(frame, mechanism, column):
    rows = frame[(frame["mechanism"] == mechanism).to_numpy(dtype=bool)]
    return rows.pivot(index="replicate", columns="submissions", values=column).to_numpy(float)


@pytest.mark.parametrize("value", ["score_released", "score_public", "score_final", "delta"])
def test_a_curve_is_the_median_over_replicates(value):
    line = lines(draw("growth", COINS, value=value))["Parameter-free Ladder"]
    wanted = np.median(of(COINS, "parameter_free_ladder", value), axis=0)
    assert line.get_xdata().tolist() == list(made.POINTS)
    assert line.get_ydata() == pytest.approx(wanted)


def test_the_band_lies_between_the_quartiles():
    (ax,) = draw("growth", COINS, mechanism="kaggle").axes
    (band,) = ax.collections
    low, high = np.quantile(of(COINS, "kaggle", "score_released"), [0.25, 0.75], axis=0)
    x, y = band.get_paths()[0].vertices.T
    for k, bottom, top in zip(made.POINTS, low, high, strict=True):
        assert y[x == k].min() == pytest.approx(bottom)
        assert y[x == k].max() == pytest.approx(top)


def test_scores_have_one_line_of_the_test_set_over_all_mechanisms():
    figure = draw("growth", COINS, value="scores")
    assert names(figure) == [
        "Kaggle reference (η = 0.00001)", "Parameter-free Ladder", "0.5: loss of a guess",
        "Independent test set",
    ]  # fmt: skip
    final = np.concatenate([of(COINS, m, "score_final") for m in COINS["mechanism"].unique()])
    drawn = lines(figure)["Independent test set"].get_ydata()
    assert drawn == pytest.approx(np.median(final, axis=0))


def test_the_test_set_is_pooled_where_curves_have_other_points():
    some = made.outcomes((made.FULL,), points=(10, 100), experiment="a", seed=1)
    more = made.outcomes((made.FREE,), points=(10, 50), experiment="b", seed=2)
    figure = draw("growth", pd.concat([some, more], ignore_index=True), value="scores")
    line = lines(figure)["Independent test set"]
    assert line.get_xdata().tolist() == [10, 50, 100]
    ten = np.concatenate([
        of(some, "full_disclosure", "score_final")[:, 0],
        of(more, "parameter_free_ladder", "score_final")[:, 0],
    ])  # fmt: skip
    lonely = of(some, "full_disclosure", "score_final")[:, 1]
    assert line.get_ydata()[[0, 2]] == pytest.approx([np.median(ten), np.median(lonely)])


def test_an_accuracy_is_one_minus_the_loss():
    loss = lines(draw("growth", COINS))["Parameter-free Ladder"].get_ydata()
    figure = draw("growth", COINS, accuracy=True)
    assert lines(figure)["Parameter-free Ladder"].get_ydata() == pytest.approx(1 - loss)
    assert figure.axes[0].get_ylabel() == "Accuracy that the board shows"
    assert names(figure)[0] == "0.5: accuracy of a guess"
    assert figure.axes[0].lines[-1].get_ydata() == [0.5, 0.5]


def test_bias_is_minus_delta():
    delta = lines(draw("growth", BOTH, value="delta"))["Full-disclosure"].get_ydata()
    bias = lines(draw("growth", BOTH, value="bias"))["Full-disclosure"].get_ydata()
    assert bias == pytest.approx(-delta)
    assert (bias > 0).all()
    assert draw("growth", BOTH, value="bias").axes[0].get_ylabel().endswith("(final − public)")
    correlation = BOTH.assign(metric="pearson")
    label = draw("growth", correlation, value="bias").axes[0].get_ylabel()
    assert label == "Bias of the Pearson correlation\n(public − final)"


def test_a_mechanism_without_values_has_no_curve():
    frame = made.outcomes((made.FREE, made.RANKS))
    assert "Ranks alone" not in names(draw("growth", frame, value="leaderboard_error"))
    assert "Ranks alone" in names(draw("growth", frame, value="score_public"))
    ranks = made.outcomes((made.RANKS,))
    with pytest.raises(InputError, match="no mechanism has a value of score_released"):
        draw("growth", ranks)
    with pytest.raises(InputError, match="no row has mechanism = rank_board"):
        draw("growth", frame, curves=[{"mechanism": "rank_board"}])


# which curves


def test_each_experiment_and_mechanism_has_a_curve_with_words_of_its_own():
    assert sorted(lines(draw("growth", ZHENG)))[:4] == [
        "Full-disclosure",
        "General Ladder (η = 0.01), boosting",
        "General Ladder (η = 0.01), many accounts",
        "Parameter-free Ladder",
    ]


def test_attacks_are_named_where_they_tell_curves_apart():
    frame = pd.concat(
        [made.outcomes((made.FREE,), attack=a) for a in ("boosting", "enumeration")],
        ignore_index=True,
    )
    assert list(lines(draw("growth", frame)))[:2] == [
        "Parameter-free Ladder, the boosting attack",
        "Parameter-free Ladder, the enumeration attack",
    ]


def test_no_two_curves_look_the_same_without_their_colour():
    drawn = lines(draw("growth", ZHENG, curves=CURVES))
    alone, many = drawn["one account"], drawn["many accounts"]
    colour = line_colour(mechanism("general_ladder", eta=0.01))
    assert to_hex(alone.get_color()) == to_hex(many.get_color()) == colour
    shown = [drawn[curve["label"]] for curve in CURVES]
    assert len({line.get_marker() for line in shown}) == 3
    assert len({line._dash_pattern[1] and tuple(line._dash_pattern[1]) for line in shown}) == 3


def test_lines_have_the_colours_that_a_paper_gives_them():
    colours = {"every score": "blue", "many accounts": "red"}
    drawn = lines(draw("growth", ZHENG, curves=CURVES, colours=colours))
    assert to_hex(drawn["every score"].get_color()).upper() == COLOURS["blue"]
    assert to_hex(drawn["many accounts"].get_color()).upper() == COLOURS["red"]
    with pytest.raises(InputError, match="names the line 'nobody'; its lines are every score, one"):
        draw("growth", ZHENG, curves=CURVES, colours={"nobody": "red"})


def test_two_curves_with_the_same_words_are_refused():
    twice = [curve | {"label": "same"} for curve in CURVES]
    with pytest.raises(InputError, match="two curves are called 'same'"):
        draw("growth", ZHENG, curves=twice)


def test_named_curves_show_the_rows_of_their_experiment():
    drawn = lines(draw("growth", ZHENG, curves=CURVES))
    shift = drawn["one account"].get_ydata() - drawn["many accounts"].get_ydata()
    assert shift == pytest.approx(np.full(len(made.POINTS), 0.1))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"mechanism": "ladder"},
            "no row has mechanism = ladder. The table holds mechanism: full_d",
        ),
        (
            {"mechanism": "general_ladder", "label": "x"},
            r"'general_ladder'}; 2 have it: .*boosting; .*many accounts\. Say more",
        ),
        (
            {"mechanism": "general_ladder", "experiment": "boosting", "eta": 0.1},
            r"no row has .*experiment = boosting; eta = 0\.1",
        ),
    ],
)
def test_a_curve_that_cannot_be_told_is_refused(entry, message):
    with pytest.raises(InputError, match=message):
        draw("growth", ZHENG, curves=[entry])


def test_two_outcomes_of_a_replicate_at_one_point_are_refused():
    with pytest.raises(InputError, match="several outcomes .* Choose one in the"):
        draw("growth", frames.outcomes(frames.FULL), value="delta")


def test_the_axis_has_the_median_of_unequal_submissions():
    step = frames.outcomes(frames.FULL, attack="step_forward", replicates=3)
    early = (step["replicate"] == 0).to_numpy(dtype=bool)
    step.loc[early, "submissions"] -= 50
    assert along(step, ["setting"], kind="growth")["k"].unique().tolist() == [
        300,
        599,
        897,
        1194,
        1490,
    ]


def test_a_mean_is_drawn_where_it_is_asked_for():
    line = lines(draw("growth", COINS, average="mean"))["Parameter-free Ladder"]
    wanted = of(COINS, "parameter_free_ladder", "score_released").mean(axis=0)
    assert line.get_ydata() == pytest.approx(wanted)
    assert f"Parameter-free Ladder {wanted[-1]:.3f}" in said(COINS, average="mean")


# laws


def test_fitted_laws_are_drawn_with_their_constants():
    figure = draw("growth", BOTH, scale="log", **FITTED)
    values = -of(BOTH, "full_disclosure", "delta")
    fit = fit_growth(values, np.array(made.POINTS), 4000, rng=stream(0, "growth"))
    constant = fit.constants["sqrt_k"].value
    (ax,) = figure.axes
    # Each curve has the one that leaves least; the other stands in the caption.
    root, _ = ax.lines
    x, y = root.get_data()
    assert y == pytest.approx(constant * np.sqrt(x / 4000))
    assert (x.min(), x.max()) == pytest.approx((1, 500))
    assert f"Full-disclosure line: {constant:.2g} √(k/n)" in names(figure)
    assert len(names(figure)) == 2
    # Medians are markers then: a line through them would hide the laws.
    markers = ax.collections[0].get_offsets().data
    assert pytest.approx([500, np.median(values[:, -1])]) in markers.tolist()


def test_the_logarithm_of_1_has_no_place_on_a_logarithmic_axis():
    alone = FITTED | {"fits": ["sqrt_log_k"]}
    for scale, first in (("log", 2), ("linear", 1)):
        (ax,) = draw("growth", BOTH, scale=scale, **alone).axes
        assert ax.lines[-1].get_xdata().min() == pytest.approx(first)


def test_the_caption_says_which_law_fits():
    text = said(BOTH, scale="log", **FITTED)
    assert "n = 4,000 public rows" in text
    off = {}
    for board in ("full_disclosure", "parameter_free_ladder"):
        values = -of(BOTH, board, "delta")
        fit = fit_growth(values, np.array(made.POINTS), 4000, rng=stream(0, "growth"))
        medians = np.median(values, axis=0)
        for law, curve in LAWS_OF.items():
            apart = medians - fit.constants[law].value * curve(np.array(made.POINTS) / 1.0)
            off[board, law] = np.sqrt((apart**2).mean() / (medians**2).mean())
    assert off["full_disclosure", "sqrt_k"] < WELL < off["parameter_free_ladder", "sqrt_log_k"]
    assert off["parameter_free_ladder", "sqrt_k"] > off["parameter_free_ladder", "sqrt_log_k"]
    full, root, log = (
        f"{off[key]:.0%}".replace("%", " %")
        for key in (
            ("full_disclosure", "sqrt_k"),
            ("parameter_free_ladder", "sqrt_k"),
            ("parameter_free_ladder", "sqrt_log_k"),
        )
    )
    assert (
        f"√(k/n) fits Full-disclosure well (off by {full}); neither law fits Parameter-free Ladder "
        f"well (√(log k / n) is off by {log}, √(k/n) by {root})."
    ) in text


@pytest.mark.parametrize("value", ["bias", "leaderboard_error"])
def test_logarithmic_axes_hold_every_median_above_0(value):
    figure = draw("growth", BOTH, value=value, scale="log")
    (ax,) = figure.axes
    assert ax.get_xscale() == ax.get_yscale() == "log"
    low, high = ax.get_ylim()
    for label in ("Full-disclosure", "Parameter-free Ladder"):
        y = lines(figure)[label].get_ydata()
        assert low < y[y > 0].min()
        assert y.max() < high


def test_nothing_above_0_has_no_logarithm():
    with pytest.raises(InputError, match="no median of Kaggle reference .* is above 0"):
        draw("growth", COINS, value="delta", scale="log")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"value": "gap"}, "`value` must be one of scores, score_released, .* got 'gap'"),
        ({"scale": "cubic"}, "`scale` must be one of linear, log; got 'cubic'"),
        ({**FITTED, "fits": ["sqrt"]}, "`fits.*` must be one of sqrt_k, sqrt_log_k; got 'sqrt'"),
        (
            {**FITTED, "value": "delta"},
            "fitted to medians of bias or .*, got the median of delta",
        ),
        ({**FITTED, "rows": None}, r"number of public rows of binary\. .* rows: \{binary: <number"),
        ({**FITTED, "rows": {"other": 3}}, "number of public rows of binary"),
        ({"value": "bias", "accuracy": True}, "an accuracy is 1 - a score, got bias"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        draw("growth", COINS, **settings)
    with pytest.raises(InputError, match=message):
        said(COINS, **settings) if "scale" not in settings else draw("growth", COINS, **settings)


def test_an_accuracy_needs_the_0_1_loss():
    step = frames.outcomes(frames.FULL, attack="step_forward")
    with pytest.raises(InputError, match="under the metric zero_one; got mse"):
        draw("growth", step, accuracy=True)


def test_the_leaderboard_error_needs_its_column():
    with pytest.raises(InputError, match="needs the column leaderboard_error"):
        draw("growth", COINS.drop(columns="leaderboard_error"), value="leaderboard_error")
    assert draw("growth", COINS.drop(columns="leaderboard_error"))


def test_bands_of_many_curves_are_left_out_and_not_spoken_of():
    etas = [{"mechanism": m, "eta": e} for m in ("general_ladder", "simplified_ladder")
            for e in (0.01, 0.02, 0.05)]  # fmt: skip
    for mechanisms, bands in ((etas, 0), (etas[:5], 5)):
        frame = made.outcomes(tuple(mechanisms))
        assert len(draw("growth", frame, value="score_public").axes[0].collections) == bands
        assert ("quartiles" in said(frame, value="score_public")) == bool(bands)


@pytest.mark.parametrize(
    ("frame", "settings"),
    [
        (COINS, {"value": "scores"}),
        (BOTH, {"scale": "log", **FITTED}),
        (ZHENG, {"accuracy": True}),
        (ZHENG, {"curves": CURVES, "value": "leaderboard_error"}),
    ],
)
def test_names_cover_neither_each_other_nor_the_data_and_stay_on_the_page(frame, settings):
    figure = draw("growth", frame, **settings)
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts]
    for below, above in itertools.pairwise(boxes):
        assert below.y1 <= above.y0 + 1
    panel = figure.axes[0].get_window_extent()
    for box in boxes:
        assert panel.x1 < box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1


# captions


def test_the_caption_says_what_is_seen_at_the_end():
    text = said(COINS, value="scores", rows=ROWS, after="Fig. 1 of a paper")
    assert "of the submission" not in text.split(".")[0]
    ends = [np.median(of(COINS, m, "score_released")[:, -1]) for m in COINS["mechanism"].unique()]
    assert f"After 500 submissions Kaggle reference (η = 0.00001) shows {ends[0]:.2f} for a" in text
    assert f"; Parameter-free Ladder shows {ends[1]:.2f} (medians)" in text
    assert (
        "Lines (medians of 30 replicates): the 0-1 loss that the board shows if the attack ends "
        "after so many submissions; Independent test set: the true 0-1 loss of the same "
        "submissions, all boards together. Bands: between the quartiles."
    ) in text
    assert (
        "Drawn after Fig. 1 of a paper. Data: binary (n = 4,000 public rows), labels as they are"
        in text
    )


def test_the_caption_names_all_attacks_and_each_end():
    text = said(
        pd.concat(
            [ZHENG, made.outcomes((made.KAGGLE,), dataset="fair_labels_1000", points=(10, 20))]
        ),
        accuracy=True,
    )
    assert text.startswith("Median shown accuracy at the lines' ends: most on Full-disclosure, 0.")
    assert (
        "The boosting attack: submits random labels, then ends with the majority vote of those "
        "with good released scores. The enumeration attack: changes a few labels"
    ) in text


def test_lines_that_coincide_share_a_name():
    full = made.outcomes((made.FULL,))
    far = made.outcomes((made.FREE,)).assign(score_public=0.2)
    twin = made.outcomes((made.KAGGLE,)).assign(score_public=full["score_public"].to_numpy())
    near = twin.assign(score_public=full["score_public"].to_numpy() + 0.002)
    for other, sign in ((twin, "="), (near, "≈")):
        shown = names(draw("growth", pd.concat([full, other, far]), value="score_public"))
        assert any(f"Full-disclosure {sign} Kaggle reference" in name for name in shown), shown
        assert "Parameter-free Ladder" in shown


def test_each_name_has_the_marker_of_its_line():
    full = made.outcomes((made.FULL,))
    twin = made.outcomes((made.KAGGLE,)).assign(score_public=full["score_public"].to_numpy())
    far = made.outcomes((made.FREE,)).assign(score_public=0.2)
    figure = draw("growth", pd.concat([full, twin, far]), value="score_public")
    figure.draw_without_rendering()
    drawn = lines(figure)
    texts = {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts}
    (shared,) = [box for text, box in texts.items() if "= Kaggle" in text]
    (alone,) = [box for text, box in texts.items() if text == "Parameter-free Ladder"]
    wanted = [
        (shared, "Full-disclosure"), (shared, "Kaggle reference (η = 0.00001)"),
        (alone, "Parameter-free Ladder"),
    ]  # fmt: skip
    marks = {mark.get_marker(): mark for mark in figure.artists}
    heights = []
    for box, label in wanted:
        mark = marks[drawn[label].get_marker()]
        assert mark.get_color() == drawn[label].get_color()
        ((x, y),) = mark.get_transform().transform(np.transpose(mark.get_data()))
        assert x < box.x0
        assert box.y0 < y < box.y1
        heights.append(y)
    assert heights[0] > heights[1]  # in the order of the words
    # Neither line hides the other's markers.
    begins = {drawn[label].get_markevery()[0] for _, label in wanted}
    assert len(begins) == len(wanted)

"""The map of participants and leaderboards: the furthest attack, and what is proved."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from shakedown.figures import FIGURE_KINDS, draw, picture
from shakedown.figures.cells import Cell
from shakedown.figures.facets import narrow
from shakedown.figures.kinds.threat_map import LOOKS
from shakedown.figures.style import luminance
from shakedown.interface import InputError
from shakedown.theory.proved import proved_submissions
from shakedown.theory.threats import worst
from shakedown.wording import short, signed
from tests.figures import frames

FULL, LADDER = "full_disclosure", "general_ladder(eta=0.1)+baseline"
WEEKLY = "digest(eta=0.1,floor=0.5,every=100,updates=10)"
#: The same ten updates, for one of ten accounts.
OFTEN = "digest(eta=0.1,floor=0.5,every=10,updates=10)"
NAMES = {WEEKLY: "Digest", OFTEN: "Digest"}
PEOPLE = [
    {"label": "modeller", "experiments": ["steps"]},
    {"label": "holder", "experiments": ["probe", "reserve"]},
    {"label": "10 accounts", "experiments": ["many"], "accounts": 10},
]
ROWS = {"small": 209, "large": 5000}


def played(experiment, setting, dataset, ends, *, honest=None, final=1.0):
    """Rows of three replicates that end with these public scores at 10, 100 and 1,000 files."""
    base = frames.of_settings(setting).iloc[:1].astype({"setting": str})
    rows = [
        base.assign(
            experiment=experiment, dataset=dataset, setting=setting, replicate=replicate,
            point=point, submissions=submissions, score_public=score + spread,
            score_final=final, delta=score + spread - final,
            score_honest=np.nan if honest is None else honest,
        )
        for point, (submissions, score) in enumerate(zip((10, 100, 1000), ends, strict=True), 1)
        for replicate, spread in enumerate((-0.2, 0.0, 0.3))
    ]  # fmt: skip
    return pd.concat(rows)


def study():
    parts = []
    for dataset in ROWS:
        parts += [played("steps", setting, dataset, (1.0, 0.98, 0.9)) for setting in (FULL, WEEKLY)]
        parts.append(played("steps", LADDER, dataset, (1.0, 1.0, 1.0)))
        # The honest model has a public score of .6 and a final one of .5: a Δ of +.1 by luck.
        given = {"honest": 0.6, "final": 0.5}
        parts.append(played("probe", FULL, dataset, (0.58, 0.5, 0.0), **given))
        parts.append(played("reserve", FULL, dataset, (0.54, 0.53, 0.2), **given))
        parts.append(played("reserve", LADDER, dataset, (0.6, 0.6, 0.57), **given))
        parts.append(played("reserve", WEEKLY, dataset, (0.6, 0.6, 0.6), **given))
        parts.append(played("many", OFTEN, dataset, (0.6, 0.6, 0.3), **given))
    return pd.concat(parts, ignore_index=True)


def numbers(**settings):
    given = {"participants": PEOPLE, "rows": ROWS, "labels": NAMES, **settings}
    return FIGURE_KINDS.make("threat_map", **given).numbers(study())


def row(table, **wanted):
    keep = np.logical_and.reduce([table[key] == value for key, value in wanted.items()])
    (chosen,) = table[keep].to_dict("records")
    return chosen


def test_an_adversary_is_counted_from_its_honest_file():
    reached = row(numbers(), dataset="small", setting=FULL, experiment="reserve")
    assert reached["delta"] == pytest.approx(0.2 - 0.6)
    assert reached["too_many"] == 10  # .54 is .06 below .6
    assert reached["submissions"] == 1000
    assert reached["replicates"] == 3
    other = row(numbers(), dataset="small", setting=FULL, experiment="probe")
    assert other["too_many"] == 100
    assert pd.isna(
        row(numbers(), dataset="small", setting=LADDER, experiment="reserve")["too_many"]
    )


def test_a_modeller_is_counted_from_its_final_score():
    reached = row(numbers(), dataset="small", setting=FULL, experiment="steps")
    assert reached["delta"] == pytest.approx(-0.1)
    assert reached["too_many"] == 1000


def test_fewer_submissions_end_at_an_earlier_point():
    reached = row(numbers(submissions=500), dataset="small", setting=FULL, experiment="probe")
    assert reached["submissions"] == 100
    assert reached["delta"] == pytest.approx(-0.1)


@pytest.mark.parametrize("dataset", sorted(ROWS))
def test_what_is_proved_is_that_of_the_theory(dataset):
    table = numbers()
    for setting, experiment in ((LADDER, "reserve"), (WEEKLY, "reserve"), (FULL, "probe")):
        reached = row(table, dataset=dataset, setting=setting, experiment=experiment)
        proved = proved_submissions(setting, "mse", ROWS[dataset], -0.05, 20_000, quantile=0.25)
        assert reached["is_proved"] == bool(proved is not None and proved >= 1000)
        assert pd.isna(reached["proved"]) if proved is None else reached["proved"] == proved
    # Ten accounts share the nats: 100 files each.
    reached = row(table, dataset=dataset, setting=OFTEN, experiment="many")
    each = proved_submissions(OFTEN, "mse", ROWS[dataset], -0.05, 20_000, 10, quantile=0.25)
    assert reached["proved"] == 10 * each
    assert reached["is_proved"] == (each >= 100)


def test_more_is_proved_of_more_attackers_at_a_larger_quantile():
    at_least = [
        row(numbers(quantile=quantile), dataset="small", setting=LADDER, experiment="reserve")
        for quantile in (0.05, 0.25)
    ]
    assert at_least[0]["proved"] < at_least[1]["proved"]
    caption = picture("threat_map", study(), participants=PEOPLE, rows=ROWS, quantile=0.1)[1]
    assert "and so does the ΔMSE of 90 % of attackers." in caption


def test_a_modeller_who_stops_early_is_held_against_all_submissions():
    rows = study()
    few = rows[(rows["experiment"] != "steps") | (rows["submissions"] <= 10)]
    table = FIGURE_KINDS.make("threat_map", participants=PEOPLE, rows={"small": 209}).numbers(few)
    assert not row(table, dataset="small", setting=LADDER, experiment="steps")["is_proved"]


def boards_of(figure):
    return [label.get_text().replace("\n", " ") for label in figure.axes[0].get_yticklabels()]


def cells(figure):
    """Numbers by panel, row and column."""
    boards = boards_of(figure)
    numbers = {}
    for ax in figure.axes:
        people = [label.get_text() for label in ax.get_xticklabels()]
        texts = iter(text.get_text() for text in ax.texts)
        for board in boards:
            for person in people:
                numbers[ax.get_xlabel(), board, person] = next(texts)
    return numbers


def test_a_cell_shows_the_attack_that_gets_furthest():
    shown = cells(draw("threat_map", study(), participants=PEOPLE, rows=ROWS, labels=NAMES))
    assert shown["209 rows", "Full-disclosure", "holder"] == "−.60"
    assert shown["209 rows", "Full-disclosure", "modeller"] == "−.10"
    assert shown["209 rows", "Full-disclosure", "10 accounts"] == ""  # not played
    assert shown["5,000 rows", "Digest", "10 accounts"] == "−.30"
    assert shown["5,000 rows", "Digest", "holder"] == "0"


def test_a_cell_says_what_it_shows():
    figure = draw("threat_map", study(), participants=PEOPLE, rows=ROWS, labels=NAMES)
    drawn = cells(figure)
    table = worst(numbers())
    said = figure.findobj(Cell)
    assert len(said) == len(table) == sum(text != "" for text in drawn.values())
    for cell in said:
        place, attack, delta, interval, made, *more = cell.lines
        board, panel = place.rsplit(", ", 1)
        person = attack.split(":")[0]
        reached = row(table, board=board, participant=person, dataset=_dataset(panel))
        assert delta == f"Δ {signed(reached['delta'], 3)}"
        assert interval == "too few replicates for an interval"
        assert made == f"after {reached['submissions']:,} submissions; 3 replicates"
        beyond = (
            "" if pd.isna(reached["too_many"]) else f"beyond −0.05 from {reached['too_many']:,}"
        )
        proof = "proved, whatever is submitted" if reached["is_proved"] else ""
        assert more == [text for text in (beyond, proof) if text]
        # It lies where the number is drawn.
        (text,) = [t for t in cell.axes.texts if t.get_position() == tuple(cell.get_center())]
        assert text.get_text() == drawn[panel, board, person] == short(reached["delta"])


def _dataset(panel):
    return {f"{n:,} rows": name for name, n in ROWS.items()}[panel]


def test_the_median_has_its_interval_where_there_are_replicates_for_it():
    rows = study()
    more = pd.concat(
        [rows.assign(replicate=rows["replicate"] + 3 * k, delta=rows["delta"] + 0.01 * k,
                     score_public=rows["score_public"] + 0.01 * k) for k in range(4)]
    )  # fmt: skip
    kind = FIGURE_KINDS.make("threat_map", participants=PEOPLE, rows=ROWS, labels=NAMES)
    table = kind.numbers(more)
    reached = row(table, dataset="small", setting=FULL, experiment="steps")
    modeller = more.query("experiment == 'steps' and dataset == 'small' and point == 3")
    modeller = modeller[modeller["setting"] == FULL]["delta"].to_numpy()
    assert len(modeller) == 12
    known = stats.quantile_test(modeller, q=np.median(modeller)).confidence_interval(0.95)
    assert (reached["delta_low"], reached["delta_high"]) == pytest.approx((known.low, known.high))
    assert table["delta_low"].notna().all()
    figure = draw("threat_map", more, participants=PEOPLE, rows=ROWS, labels=NAMES)
    ends = f"{signed(known.low, 3)} to {signed(known.high, 3)}"
    assert any(f"95 % interval {ends}" in cell.lines for cell in figure.findobj(Cell))
    assert numbers()["delta_low"].isna().all()


def test_the_named_rows_come_first_and_two_settings_share_one():
    figure = draw("threat_map", study(), participants=PEOPLE, rows=ROWS, labels=NAMES)
    boards = boards_of(figure)
    assert boards == ["Digest", "Full-disclosure", "General Ladder (η = 0.1) + baseline start"]


def test_the_caption_says_what_participants_are():
    frame = study()
    name = str(frame["experiment"].iloc[0])
    for meaning, said in (("sends noise", f"Participants: {name} (sends noise). "), ("", "")):
        who = [{"label": name, "experiments": [name], "meaning": meaning}]
        text = picture("threat_map", frame, participants=who).caption
        assert said in text
        assert ("Participants" in text) == bool(meaning)


def test_colours_differ_in_grey_and_numbers_stand_out():
    greys = sorted(luminance(face) for face, _ in LOOKS.values())
    steps = [(b + 0.05) / (a + 0.05) for a, b in itertools.pairwise(greys)]
    assert min(steps) > 1.5
    for face, ink in LOOKS.values():
        dark, light = sorted((luminance(face), luminance(ink)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_empty_cells_are_explained():
    frame = study()
    both = frame[frame["experiment"].astype(str).isin(["steps", "probe"]).to_numpy(bool)]
    assert (
        "participant that was played within" in picture("threat_map", both).caption
    )  # probe: one board
    alone = both[(both["experiment"].astype(str) == "steps").to_numpy(bool)]
    assert "that was played" not in picture("threat_map", alone).caption
    for rows, said in ((both, True), (alone, False)):
        (legend,) = draw("threat_map", rows).legends
        assert ("blank: not played" in [text.get_text() for text in legend.texts]) == said


def test_without_public_rows_nothing_is_proved():
    figure, caption = picture("threat_map", study(), participants=PEOPLE, labels=NAMES)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(words) == 4
    assert not any("proved" in text for text in words)
    assert "proved" not in caption


def test_refuses_fewer_submissions_than_any_attack_made():
    with pytest.raises(InputError, match="no participant has an attack with a point of 5 subm"):
        numbers(submissions=5)


@pytest.mark.parametrize(
    ("delta", "proved", "look"),
    [
        (0.01, False, "holds"), (-0.05, False, "holds"), (-0.051, False, "some"),
        (-0.25, False, "some"), (-0.251, False, "much"), (-0.251, True, "proved"),
    ],
)  # fmt: skip
def test_a_cell_is_coloured_by_the_threshold_and_five_times_it(delta, proved, look):
    kind = FIGURE_KINDS.make("threat_map", threshold=-0.05)
    assert kind._look(delta, proved) == look


def test_numbers_have_room_in_their_cells():
    settings = {"participants": PEOPLE, "rows": ROWS, "labels": NAMES}
    rows = pd.concat([study().assign(dataset=name) for name in ("a", "b", "c", "d")])
    people = [*PEOPLE, {"label": "a fourth", "experiments": ["probe"]}]
    figure = draw("threat_map", rows, **settings | {"participants": people})
    figure.draw_without_rendering()
    for ax in figure.axes:
        left, right = ax.transData.transform([(0, 0), (1, 0)])[:, 0]
        for text in ax.texts:
            assert text.get_fontsize() >= 8
            # The widest number, "−.60", leaves a tenth of the cell free.
            assert text.get_window_extent().width < 0.9 * (right - left)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Full-disclosure", "Full-disclosure"),
        ("General Ladder (η = 0.05) + baseline", "General Ladder\n(η = 0.05) + baseline"),
        ("Ladder (α = 0.15) + baseline", "Ladder (α = 0.15)\n+ baseline"),
        ("Digest (1 update, step 0.25)", "Digest (1 update,\nstep 0.25)"),
        ("A board with a name of many words", "A board with a name of many words"),
    ],
)
def test_names_of_boards_stand_in_narrow_lines(name, lines):
    assert narrow(name, 22) == lines


def test_the_caption_counts_the_boards_that_keep_everybody():
    table = worst(numbers())
    kept = table.groupby(["dataset", "board"])["delta"].min() >= -0.05
    small, large = (int(kept[dataset].sum()) for dataset in ("small", "large"))
    text = picture("threat_map", study(), participants=PEOPLE, rows=ROWS, labels=NAMES).caption
    assert text.startswith(
        f"Of 3 leaderboards, {small or 'none'} at 209 and {large or 'none'} at 5,000 public rows "
        "keep every participant that was played within −0.05. "
    )

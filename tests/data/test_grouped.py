"""Rows that belong together: tables, sets and permutations."""

from dataclasses import replace

import numpy as np
import pytest

from shakedown import data
from shakedown.attacks.models import half_of
from shakedown.data.grouped import drawn_sets, in_groups, means, of_groups, permuted
from shakedown.data.splits import LabelSplitter, Splitter
from shakedown.data.store import load, save
from shakedown.dryrun.usefulness import honest
from shakedown.interface import Challenge, Grouping, InputError
from shakedown.metrics import find
from tests.data.test_several import several


def challenge(groups=60, rows=8, alike=0.9, seed=0, **changes):
    """Responses with this correlation within groups, and features that tell nothing."""
    rng = np.random.default_rng(seed)
    n = groups * rows
    codes = rng.permutation(np.repeat(np.arange(groups), rows))
    y = np.sqrt(alike) * rng.standard_normal(groups)[codes]
    y += np.sqrt(1 - alike) * rng.standard_normal(n)
    table = Challenge(
        "g", rng.standard_normal((n, 4)), y, np.arange(n).astype(str),
        np.array(list("abcd")), group=Grouping("patient", codes, True),
    )  # fmt: skip
    return replace(table, **changes)


def alike(y, codes):
    """The intraclass correlation of groups of equal size, by an analysis of variance."""
    of_each = means(y, codes)
    size = len(y) / len(of_each)
    between = size * of_each.var(ddof=1)
    within = np.sum((y - of_each[codes]) ** 2) / (len(y) - len(of_each))
    return (between - within) / (between + (size - 1) * within)


def table(tmp_path, lines):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    return path


def read(path, **options):
    given = {"recipe": "table", "path": str(path), "response": "y", "group": "patient"}
    return data.read("mine", given | options, seed=1)


def lines(split=lambda patient, i: ("train", "public", "final")[patient % 3]):
    rng = np.random.default_rng(1)
    rows = [
        f"{rng.normal():.6f},{rng.normal():.6f},P{i // 4},{split(i // 4, i)}" for i in range(160)
    ]
    return ["y,x,patient,set", *rows]


def test_a_column_of_groups_is_no_feature_and_is_kept(tmp_path):
    mine = read(table(tmp_path, lines()), ignore=["set"])
    assert mine.features.tolist() == ["x"]
    assert mine.group.name == "patient"
    assert len(set(mine.group.codes.tolist())) == 40
    assert any("40 groups of 4 rows; no set cuts one" in note for note in mine.notes)
    save(mine, tmp_path / "t.npz")
    again = load(tmp_path / "t.npz").group
    assert (again.name, again.is_text) == ("patient", True)
    np.testing.assert_array_equal(again.codes, mine.group.codes)


def test_rows_that_are_dropped_leave_groups_without_gaps(tmp_path):
    rows = lines()
    for i in range(1, 5):  # the first patient
        rows[i] = rows[i].replace(rows[i].split(",")[1], "", 1)
    codes = read(table(tmp_path, rows), ignore=["set"], missing="drop_rows").group.codes
    assert sorted(set(codes.tolist())) == list(range(39))


def test_a_row_without_a_group_is_refused(tmp_path):
    rows = lines()
    rows[3] = rows[3].replace("P0", "")
    with pytest.raises(InputError, match=r"column 'patient' .* 1 row has no value there, .* '3'"):
        read(table(tmp_path, rows), ignore=["set"])


def test_an_official_split_that_cuts_a_group_is_refused(tmp_path):
    assert read(table(tmp_path, lines()), split="set").split is not None
    cut = table(tmp_path, lines(lambda patient, i: ("train", "public", "final")[i % 3]))
    with pytest.raises(InputError, match=r"cuts 40 groups of column 'patient': rows '1', '2'"):
        read(cut, split="set")


def test_the_one_group_that_is_cut_is_named(tmp_path):
    """The last of 40; its third row is in another set."""
    rows = lines()
    rows[159] = rows[159].replace("train", "final")
    message = "cuts 1 group of column 'patient': rows '157', '158', '159', '160' belong together"
    with pytest.raises(InputError, match=message):
        read(table(tmp_path, rows), split="set")


def test_sizes_of_unequal_groups_are_noted(tmp_path):
    mine = read(table(tmp_path, lines()[:-1]), ignore=["set"])
    assert any("40 groups of 3 to 4 rows" in note for note in mine.notes)


@pytest.mark.parametrize("design", ["permuted", "splits"])
def test_no_set_cuts_a_group(design):
    mine = challenge()
    splitter = Splitter(mine, design, seed=1)
    for replicate in range(3):
        split = splitter.split(replicate)
        assert [len(set(codes.tolist())) for codes in split.view.groups] == [20, 20, 20]
        for codes, X in zip(
            split.view.groups, (split.view.X_train, split.view.X_public), strict=False
        ):
            assert len(codes) == len(X) == 160


def test_sets_of_unequal_groups_are_as_near_to_the_sizes_as_groups_allow():
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(50), rng.integers(1, 10, 50))
    for _ in range(20):
        sets = drawn_sets(codes, rng, [100, 60, 60])
        for rows, wanted in zip(sets, (100, 60, 60), strict=True):
            assert abs(len(rows) - wanted) <= 9
        of_sets = [set(codes[rows].tolist()) for rows in sets]
        assert sum(map(len, of_sets)) == len(set.union(*of_sets))


def test_all_orders_of_the_groups_are_equally_likely():
    """Chi-square over the 6 orders of 3 groups; the quantile of a false alarm in 10,000."""
    rng, codes = np.random.default_rng(3), np.array([2, 0, 1, 1, 0])
    counts = {}
    for _ in range(6000):
        rows, ends = in_groups(codes, rng)
        order = tuple(dict.fromkeys(codes[rows].tolist()))
        assert ends.tolist() == np.cumsum([np.sum(codes == g) for g in order]).tolist()
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 25.7


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_permuted_responses_stay_as_alike_within_groups(correlation):
    mine = challenge(groups=200, alike=correlation)
    codes, rng = mine.group.codes, np.random.default_rng(4)
    kept = [alike(permuted(mine.y, codes, rng), codes) for _ in range(20)]
    assert np.mean(kept) == pytest.approx(alike(mine.y, codes), abs=0.02)
    np.testing.assert_array_equal(
        permuted(mine.y, None, np.random.default_rng(5)),
        np.random.default_rng(5).permutation(mine.y),
    )


def test_permuted_responses_vary_as_much_where_some_rows_are_alone():
    codes = np.append(np.repeat(np.arange(30), 4), [30, 31])
    y = np.random.default_rng(7).standard_normal(122)
    again = permuted(y, codes, np.random.default_rng(8))
    rest, moved = y - means(y, codes)[codes], again - means(again, codes)[codes]
    assert moved @ moved == pytest.approx(rest @ rest)
    np.testing.assert_allclose(np.sort(means(again, codes)), np.sort(means(y, codes)))


def test_the_means_of_groups_are_a_table_of_their_own():
    mine = challenge(groups=30, rows=3)
    site = Grouping("site", mine.group.codes // 10, False)
    visit = Grouping("visit", np.arange(90) % 7, False)
    pooled = of_groups(replace(mine, groupings=(site, visit)))
    for g in (0, 7, 29):
        np.testing.assert_allclose(pooled.X[g], mine.X[mine.group.codes == g].mean(axis=0))
        assert pooled.y[g] == pytest.approx(mine.y[mine.group.codes == g].mean())
    assert [column.name for column in pooled.groupings] == ["site"]
    assert pooled.group is None


def test_half_of_the_training_rows_has_whole_groups():
    view = Splitter(challenge(), "splits", seed=1).split(0).view
    half, rest = half_of(view)
    assert len(half.X_train) == len(rest) == 80
    groups = view.groups[0]
    np.testing.assert_array_equal(half.y_train, view.y_train[groups % 2 == 0])


def test_honest_models_are_validated_on_other_groups(monkeypatch):
    view, seen = Splitter(challenge(), "splits", seed=1).split(0).view, []
    order_of = honest.in_groups

    def noted(codes, rng):
        rows, ends = order_of(codes, rng)
        seen.append((codes, rows, ends))
        return rows, ends

    monkeypatch.setattr(honest, "in_groups", noted)
    honest.models(view, find("mse"), rng=np.random.default_rng(6))
    ((codes, rows, ends),) = seen
    held = ends[ends <= round(honest.HELD_BACK * len(codes))].max()
    assert held == 40  # five patients
    assert not set(codes[rows[:held]].tolist()) & set(codes[rows[held:]].tolist())


def test_labels_in_groups_and_few_groups_are_refused():
    mine = challenge()
    labels = replace(mine, y=(mine.y > 0).astype(float))
    with pytest.raises(InputError, match=r"labels in groups \('patient'\) are not played yet"):
        LabelSplitter(labels, seed=1)
    cells = replace(several(), y=labels.y[:1].repeat(len(several().y)))
    with pytest.raises(InputError, match="labels of several responses are not played yet.*got 3"):
        LabelSplitter(cells, seed=1)
    with pytest.raises(InputError, match="at least 10 groups of 'patient', got 8"):
        Splitter(challenge(groups=24), "splits", seed=1).split(0)

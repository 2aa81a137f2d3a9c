"""Boards of challenges with several responses, and with rows in groups."""

import json

import httpx
import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from shakedown.cli import main
from shakedown.interface import InputError
from shakedown.live import audit
from shakedown.live.alerts import alerts_of
from shakedown.live.alike import noise_factor, notes_of
from shakedown.live.backup import backup
from shakedown.live.export import export
from shakedown.live.leak import leak_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.predictions import size_limit
from shakedown.live.proposal import Proposal
from shakedown.live.rules import Rules
from shakedown.live.showing import of_board
from shakedown.live.submission_file import Refused
from shakedown.live.truth import RowGroups, Truth, sha256
from shakedown.live.truth_file import read_truth
from shakedown.live.web import Server, app
from shakedown.replay.settings import ReplayEntry
from shakedown.seeding import stream
from tests.live.surfing import FREE, signed_in
from tests.live.test_pages import text_of

ROWS, PUBLIC, NAMES = 60, 36, ("sweet", "sour", "bitter", "salty")
IDS = [f"r{k:02}" for k in range(ROWS)]
BOARDS = (
    "full_disclosure", "ladder(alpha=0.15)", "ladderboot(alpha=0.15,b=10)+baseline",
    "digest(eta=0.1,updates=4,every=3,floor=0.0)", "gaussian_noise(sd=0.1)",
    "bayesboot_ladderboot(posterior_odds=2,b=5,draws=50)+distinct",
)  # fmt: skip
CREATE = ["board", "create", "--board", "full_disclosure", "--metric", "mse"]
BY_RESPONSE, MIXED = "pearson by response", "0.5*pearson by row + -0.5*nrmse by response"


def table(seed=0):
    """True values in four units, a tenth of them missing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(ROWS, 4)) * [1.0, 2.0, 3.0, 4.0] + [0.0, 5.0, -5.0, 50.0]
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


def truth(group=False, values=None):
    groups = RowGroups("mixture", np.arange(ROWS) // 3) if group else None
    of = table() if values is None else values
    return Truth.of(IDS, of, np.arange(ROWS) < PUBLIC, NAMES, groups)


def board(path, setting="full_disclosure", metric="mse", of=None, **rules):
    made = Rules.of(setting, metric, **({"seed": 3, "by_count": True} | rules))
    return LiveBoard.create(f"sqlite:///{path}/board.db", made, of or truth())[0]


def files(number=8, seed=1):
    """Files that come nearer to the truth."""
    rng, of = np.random.default_rng(seed), np.nan_to_num(table())
    noise = rng.normal(size=(number, ROWS, 4)) * [1.0, 2.0, 3.0, 4.0]
    return of + np.linspace(2.0, 0.5, number)[:, None, None] * noise


def wide(file, order=(2, 0, 3, 1)):
    columns = {NAMES[j]: file[:, j] for j in order}
    return pd.DataFrame({**columns, "id": IDS}).to_csv(index=False).encode()


def long(file):
    frame = pd.DataFrame(file, columns=NAMES).assign(id=IDS).melt("id", None, "target")
    return frame.rename(columns={"value": "prediction"}).to_csv(index=False).encode()


def by_hand(metric, file, rows):
    """The score of a file on some rows, from the definition."""
    y, p = table()[rows], file[rows]
    given = ~np.isnan(y)
    if metric == "mse":
        return ((y - p)[given] ** 2).mean()
    if metric == "mae":
        return np.abs(y - p)[given].mean()
    if metric == "pearson":
        return np.corrcoef(y[given], p[given])[0, 1]
    columns = [(y[g, j], p[g, j]) for j, g in enumerate(given.T)]
    if metric == BY_RESPONSE:
        return np.mean([np.corrcoef(a, b)[0, 1] for a, b in columns])
    if metric == "spearman of sour":
        return stats.spearmanr(*columns[1])[0]
    lines = [(y[k, g], p[k, g]) for k, g in enumerate(given) if g.sum() > 1]
    of_rows = np.mean([np.corrcoef(a, b)[0, 1] for a, b in lines])
    errors = [((a - b) ** 2).mean() ** 0.5 / a.std() for a, b in columns]
    return 0.5 * of_rows - 0.5 * np.mean(errors)


@pytest.mark.parametrize(
    "metric", ["mse", "mae", "pearson", BY_RESPONSE, "spearman of sour", MIXED]
)
@pytest.mark.parametrize("group", [False, True])
def test_scores_are_those_by_hand_in_both_formats(metric, group, tmp_path):
    live = board(tmp_path, metric=metric, of=truth(group))
    for k, file in enumerate(files(3)):
        cells = {i: dict(zip(NAMES, row, strict=True)) for i, row in zip(IDS, file, strict=True)}
        sent = (wide(file), long(file), file, cells)
        answers = [live.submit("a", form, f"{k}-{n}") for n, form in enumerate(sent)]
        assert len({answer.score for answer in answers}) == 1
        of_set = [by_hand(metric, file, np.arange(ROWS) < PUBLIC),
                  by_hand(metric, file, np.arange(ROWS) >= PUBLIC)]  # fmt: skip
        assert answers[0].score == pytest.approx(of_set[0], rel=1e-5)
        stored = live.log()[["score_public", "score_final"]].to_numpy()[-4:]
        np.testing.assert_allclose(stored, [of_set] * 4, rtol=1e-9)
    assert live.audit() == []


@pytest.mark.parametrize(
    ("setting", "metric"),
    [(setting, metric) for setting in BOARDS for metric in ("mse", BY_RESPONSE)
     if metric == "mse" or not setting.startswith("ladder")],
)  # fmt: skip
@pytest.mark.parametrize("group", [False, True])
def test_a_board_opened_anew_each_time_goes_on_as_one_that_stays_open(
    setting, metric, group, tmp_path
):
    answers = []
    for part in ("one", "many"):
        (tmp_path / part).mkdir()
        live = board(tmp_path / part, setting, metric, truth(group))
        url, shown = f"sqlite:///{tmp_path}/{part}/board.db", []
        for k, file in enumerate(files()):
            live = LiveBoard.open(url) if part == "many" else live
            shown.append(live.submit("ab"[k % 2], file, f"k{k}").score)
        answers.append((shown, live.log()["accepted"].tolist()))
        assert live.audit() == []
    assert answers[0] == answers[1]


def test_a_process_that_dies_in_a_submission_loses_nothing(tmp_path, monkeypatch):
    setting, url, shown = BOARDS[2], f"sqlite:///{tmp_path}/board.db", []
    (tmp_path / "whole").mkdir()
    whole = board(tmp_path / "whole", setting)
    live = board(tmp_path, setting)
    for k, file in enumerate(files()):
        with monkeypatch.context() as broken:
            broken.setattr(audit, "append", lambda *_: (_ for _ in ()).throw(OSError("killed")))
            with pytest.raises(OSError, match="killed"):
                live.submit("a", wide(file), f"k{k}")
        live = LiveBoard.open(url) if k % 2 else live
        shown.append(live.submit("a", (wide if k % 3 else long)(file), f"k{k}").score)
    assert shown == [whole.submit("a", file, f"k{k}").score for k, file in enumerate(files())]
    assert live.audit() == []
    columns = ["submission", "accepted", "released", "score_public", "score_final", "content"]
    pd.testing.assert_frame_equal(live.log()[columns], whole.log()[columns])


def test_a_backup_and_a_copy_are_the_same_board(tmp_path):
    live = board(tmp_path, "ladderboot(alpha=0.15,b=10)", of=truth(True))
    for file in files(4):
        live.submit("a", wide(file))
    assert live.copy_to(f"sqlite:///{tmp_path}/copy.db") == []
    backup(f"sqlite:///{tmp_path}/board.db", tmp_path / "backup.db")
    for name in ("copy", "backup"):
        again = LiveBoard.open(f"sqlite:///{tmp_path}/{name}.db")
        assert again.audit() == []
        assert again.truth.content == live.truth.content
        assert again.sentences == live.sentences
        assert (
            again.submit("a", files(5)[4]).score == again.log()["released"].iloc[-1].round(4) or 1
        )


def test_a_gate_compares_rows_and_groups_and_not_cells(tmp_path):
    """Three files in which each row, or group, is better or worse as a whole, by half of its sd."""
    values = table() * 0.0
    values[:] = np.random.default_rng(2).normal(size=values.shape)
    rng = np.random.default_rng(5)
    of_rows = rng.normal(size=ROWS)
    of_groups = np.repeat(rng.normal(size=ROWS // 3), 3)

    def accepted(of, better, folder):
        """Whether a second file is, whose squared errors are smaller by `better`."""
        (tmp_path / folder).mkdir()
        live = board(tmp_path / folder, "ladder(alpha=0.05)", of=of)
        first = values + 3.0
        second = values + np.sqrt(9.0 - better)[:, None]
        for file in (first, second):
            live.submit("a", file if of.responses else file.ravel())
        return bool(live.log()["accepted"].iloc[1])

    def gain(shape, count):
        """A gain of each, whose t statistic over so many units is 1.2: p is .12."""
        units = shape[: PUBLIC : PUBLIC // count]
        shape = (shape - units.mean()) / units.std(ddof=1)
        return shape + 1.2 / np.sqrt(count)

    cells = Truth.of(
        [f"{i}{j}" for i in IDS for j in range(4)], values.ravel(),
        np.repeat(np.arange(ROWS) < PUBLIC, 4),
    )  # fmt: skip
    rows, grouped = truth(values=values), truth(True, values)
    by_row, by_group = gain(of_rows, PUBLIC), gain(of_groups, PUBLIC // 3)
    assert accepted(cells, by_row, "cells")  # t is 2.4
    assert not accepted(rows, by_row, "rows")
    assert accepted(rows, by_group, "rows of groups")  # t is 2.1
    assert not accepted(grouped, by_group, "groups")


def test_rows_of_one_response_in_groups_are_compared_by_group(tmp_path):
    values = np.random.default_rng(2).normal(size=ROWS)
    shape = np.repeat(np.random.default_rng(5).normal(size=ROWS // 3), 3)
    units = shape[:PUBLIC:3]
    better = (shape - units.mean()) / units.std(ddof=1) + 1.2 / np.sqrt(PUBLIC // 3)
    taken = []
    for name, group in (("alone", None), ("grouped", RowGroups("p", np.arange(ROWS) // 3))):
        (tmp_path / name).mkdir()
        of = Truth.of(IDS, values, np.arange(ROWS) < PUBLIC, group=group)
        live = board(tmp_path / name, "ladder(alpha=0.05)", of=of)
        for file in (values + 3.0, values + np.sqrt(9.0 - better)):
            live.submit("a", file)
        taken.append(live.log()["accepted"].tolist())
        assert live.audit() == []
    assert taken == [[True, True], [True, False]]


@pytest.mark.parametrize("metric", ["mse", "pearson", BY_RESPONSE])
def test_what_is_asked_for_does_not_depend_on_which_truth_is_missing(metric, tmp_path):
    """A file lacks one cell; whether its truth is missing or not, all boards say the same."""
    file, said, shown = files(1)[0], set(), set()
    other = table(7)
    cells = [*np.argwhere(np.isnan(table()))[:2], *np.argwhere(~np.isnan(table()))[:2]]
    for number, values in enumerate((table(), other)):
        (tmp_path / str(number)).mkdir()
        live = board(tmp_path / str(number), metric=metric, of=truth(values=values))
        for i, j in cells:
            frame = pd.DataFrame(file, columns=NAMES).assign(id=IDS)
            for bad in ("", "x", "inf", "1e60"):
                changed = frame.astype(object)
                changed.loc[i, NAMES[j]] = bad
                with pytest.raises(Refused) as refused:
                    live.submit("a", changed.to_csv(index=False).encode())
                said.add((int(i), int(j), bad, str(refused.value)))
        constant = np.full((ROWS, 4), 2.0)
        try:
            shown.add(live.submit("a", constant).score if metric == BY_RESPONSE else None)
        except Refused as e:
            shown.add(str(e))
    assert len(said) == 16
    assert len(shown) == 1


def test_cells_without_truth_change_nothing(tmp_path):
    live, file = board(tmp_path), files(1)[0]
    first = live.submit("a", file).score
    file[np.isnan(table())] = 1e9
    assert live.submit("a", file).score == first
    assert live.log()["score_final"].nunique() == 1


def test_constant_files_are_refused_or_scored_as_the_score_says(tmp_path):
    for part, metric in enumerate(("pearson", "spearman", BY_RESPONSE, "mse")):
        (tmp_path / str(part)).mkdir()
        live = board(tmp_path / str(part), metric=metric)
        if metric in ("pearson", "spearman"):
            with pytest.raises(Refused, match="All predictions are 2"):
                live.submit("a", np.full((ROWS, 4), 2.0))
            assert live.log().empty
        else:
            score = live.submit("a", np.full((ROWS, 4), 2.0)).score
            assert metric == "mse" or score == 0.0
        half = files(1)[0]
        half[:, 1] = 3.0
        assert np.isfinite(live.submit("a", half).score)


def alike(rho, n=300, seed=0, **given):
    """A truth of four responses with this correlation, standardised on its public rows."""
    rng = np.random.default_rng(seed)
    values = rho**0.5 * rng.normal(size=(n, 1)) + (1.0 - rho) ** 0.5 * rng.normal(size=(n, 4))
    public = np.arange(n) < 2 * n // 3
    values = (values - values[public].mean(axis=0)) / values[public].std(axis=0, ddof=1)
    return Truth.of([f"r{k}" for k in range(n)], values, public, NAMES, **given)


METERED = "metered(gain=0.05,files=20)"


def test_a_metered_board_charges_cells_and_its_errors_are_those_of_its_scores(tmp_path):
    """Of 20 scores, two thirds within one standard error, all within four."""
    of, rng = alike(0.3), np.random.default_rng(3)
    live = board(tmp_path, METERED, of=of)
    noise, off = rng.normal(size=of.values.shape), []
    for k in range(20):
        noise += 0.3 * rng.normal(size=noise.shape)
        file = 0.4 * of.values + 0.3 * noise
        quote = live.quote("a", file)
        live = LiveBoard.open(f"sqlite:///{tmp_path}/board.db") if k % 5 == 4 else live
        assert live.quote("a", file) == quote
        answer = live.submit("a", file)
        kept = file.astype(np.float32)
        mse = ((of.values - kept)[of.public] ** 2).mean()
        off.append(abs(answer.score - mse) / answer.standard_error)
    assert max(off) < 4.0
    assert 0.35 < np.mean(np.array(off) < 1.0) < 0.98
    assert live.audit() == []


@pytest.mark.parametrize("rho", [0.1, 0.5])
def test_the_factor_of_a_meter_is_the_largest_eigenvalue(rho):
    """1 + 3 rho of four equally correlated responses; of 3,000 rows to a tenth."""
    of = alike(rho, n=3000)
    own = np.linalg.eigvalsh(np.cov(of.values.T))[-1] / of.values[of.public].var(ddof=1)
    assert noise_factor(of) == pytest.approx(own, rel=1e-3)
    assert noise_factor(of) == pytest.approx(1.0 + 3.0 * rho, rel=0.1)
    grouped = alike(rho, n=3000, group=RowGroups("p", np.arange(3000) // 5))
    assert noise_factor(grouped) == pytest.approx(5.0 * own, rel=1e-3)
    (said,) = notes_of(Rules.of(METERED, "mse", seed=1).for_truth(of).mechanism, of)
    assert f"gains at most {0.05 * noise_factor(of) ** 2:.3g} on average" in said
    assert notes_of(Rules.of("full_disclosure", "mse", seed=1).mechanism, of) == []


def test_a_metered_board_is_refused_where_nothing_is_proved_of_it(tmp_path):
    several = alike(0.3)
    one = Truth.of(several.ids, several.values[:, 0], several.public,
                   group=RowGroups("p", np.arange(300) // 2))  # fmt: skip
    for of, said in ((several, "cells of a row"), (one, r"rows of a group \('p'\)")):
        for setting, metric in (
            ("metered(gain=0.5,files=20,chance=0.2)", "mse"), (METERED, "pearson"),
        ):  # fmt: skip
            with pytest.raises(InputError, match=rf"no `chance`, because {said} are alike"):
                board(tmp_path, setting, metric, of)
        with pytest.raises(InputError, match=r"worth 1 degree of freedom or more; got 0\."):
            board(tmp_path, "metered(gain=0.001,files=20)", of=of)
    values = several.values.copy()
    values[:, 2] = values[:, 2] > 0
    labels = Truth.of(several.ids, values, several.public, NAMES)
    with pytest.raises(InputError, match=r"response 'bitter' of 10 kinds or more; got 2\."):
        board(tmp_path, METERED, of=labels)
    values[several.public, 2] = several.values[several.public, 2]
    (tmp_path / "final").mkdir()
    board(tmp_path / "final", METERED, of=Truth.of(several.ids, values, several.public, NAMES))
    values[:, 2] = several.values[:, 2]
    values[:, 2] = several.values[:, 2] + 1e6
    far = Truth.of(several.ids, values, several.public, NAMES)
    with pytest.raises(InputError, match="single precision, which would round"):
        board(tmp_path, "metered(gain=1e10,files=20)", of=far)
    live = board(tmp_path, METERED, of=several)
    assert "But cells of a row are alike, so that more can be gained" in " ".join(live.sentences)


def test_an_old_truth_has_the_same_bytes(tmp_path):
    old = Truth.of(["a", "b", "ü", "d", "e", "f"], [1, 2.5, 1e-7, 3, 4, 1e50], [1, 1, 1, 0, 0, 0])
    assert (
        old.content
        == (
            '{"ids":["a","b","ü","d","e","f"],"values":[1.0,2.5,1e-07,3.0,4.0,1e+50],'
            '"public":[true,true,true,false,false,false]}'
        ).encode()
    )
    assert Truth.stored(old.content).content == old.content
    assert Truth.stored(old.content).part(True).groups is None
    for own in (truth(), truth(True)):
        again = Truth.stored(own.content)
        assert sha256(again.content) == sha256(own.content)
        np.testing.assert_array_equal(again.values, own.values)
        assert again.responses == NAMES


def test_a_truth_from_python_is_checked_too():
    values, public = table(), np.arange(ROWS) < PUBLIC
    with pytest.raises(InputError, match="1 of them are cut, such as rows 'r35', 'r36'"):
        Truth.of(IDS, values, public, NAMES, RowGroups("m", (np.arange(ROWS) + 1) // 2))
    values[2:PUBLIC] = np.nan  # rows without any true value are asked for, and do not count
    with pytest.raises(InputError, match="wanted at least 3 public rows; got 2"):
        Truth.of(IDS, values, public, NAMES)
    with pytest.raises(InputError, match=r"wanted a value of each of 4 .* of shape \(60,\)"):
        Truth.of(IDS, values[:, 0], public, NAMES)
    with pytest.raises(InputError, match="wanted each response named once; got 'a', 'a'"):
        Truth.of(IDS, values[:, :2], public, ("a", "a"))


def written(folder, name="truth.csv", **columns):
    """A table of the truth."""
    frame = pd.DataFrame({"id": IDS, **dict(zip(NAMES, table().T, strict=True))})
    frame["set"] = np.where(np.arange(ROWS) < PUBLIC, "public", "final")
    frame["mixture"] = [f"m{k // 3}" for k in range(ROWS)]
    frame.assign(**columns).to_csv(folder / name, index=False)
    return name


@pytest.mark.parametrize(
    "response", ["sweet,sour,bitter,salty", ["sweet", "sour", "bitter", "salty"], ["s*", "bitter"]]
)
def test_several_columns_and_patterns_are_read(response, tmp_path):
    path = written(tmp_path)
    of, notes = read_truth(path, seed=1, response=response, split="set", folder=tmp_path)
    assert sorted(of.responses) == sorted(NAMES)
    order = [of.responses.index(name) for name in NAMES]
    np.testing.assert_array_equal(of.values[:, order], table())
    missing = int(np.isnan(table()).sum())
    assert f"4 responses of 60 rows: {240 - missing} cells; {missing} missing cells left out." in (
        notes
    )
    (said,) = [note for note in notes if "does not standardise" in note]
    assert said.index("'salty'") < said.index("'sweet'")


def test_a_name_with_commas_is_a_name(tmp_path):
    path = written(tmp_path, **{"sweet,sour": np.arange(ROWS)})
    of, _ = read_truth(path, seed=1, response="sweet,sour", split="set", folder=tmp_path)
    assert of.responses == ()
    np.testing.assert_array_equal(of.values, np.arange(ROWS))


def test_random_rows_are_drawn_in_whole_groups_and_as_before_without(tmp_path):
    path = written(tmp_path)
    given = {"seed": 5, "response": ["sweet", "sour"], "public_share": 0.5, "folder": tmp_path}
    alone, _ = read_truth(path, **given)
    order = stream(5, "live", "public").permutation(np.sort(IDS))
    np.testing.assert_array_equal(alone.public, np.isin(IDS, order[:30]))
    of, notes = read_truth(path, **given, group="mixture")
    assert (of.public.reshape(-1, 3).sum(axis=1) % 3 == 0).all()
    assert of.public.sum() == 30
    assert "30 of 60 rows drawn at random to be public, in whole groups." in notes
    assert "By 'mixture', the rows are 20 groups; no set cuts one." in notes
    shuffled = pd.read_csv(tmp_path / path).sample(frac=1.0, random_state=1)
    shuffled.to_csv(tmp_path / "other.csv", index=False)
    other, _ = read_truth("other.csv", **given, group="mixture")
    assert {i for i, p in zip(other.ids, other.public, strict=True) if p} == {
        i for i, p in zip(of.ids, of.public, strict=True) if p
    }


@pytest.mark.parametrize(
    ("changes", "options", "said"),
    [
        ({"set": ["public", "final"] * 30}, {}, r"each group of 'mixture' in one set; 20 of them"),
        ({"set": ["public", "train"] * 15 + ["final"] * 30}, {}, "10 of them are cut"),
        ({"mixture": [""] + ["m"] * 59}, {}, r"without a value there, first row 1\. Wanted a"),
        ({"sour": 3.0}, {}, r"response 'sour' wanted two .* in the public rows; it has 3 in all"),
        ({"sour": [1.0, 2.0] * 18 + [np.nan] * 24}, {}, "in the final rows; it has no value"),
        ({"sour": ["x"] + ["1"] * 59}, {}, "wanted a number in column 'sour'; got 'x'. Correct"),
        ({"sour": ["1e60"] + ["1"] * 59}, {}, "number up to 1e.50 in size .* not so in 'r00'"),
        ({}, {"response": ["sweet", "swt"]}, "no column 'swt'|'swt'"),
        ({}, {"response": ["sweet", "mixture"]}, "'mixture' is set as 'response', and has another"),
        ({}, {"response": ["sweet", "s*"]}, "names 'sweet' more than once"),
        ({}, {"group": "mixtur"}, "Did you mean 'mixture'"),
        ({"target": range(60), "prediction": range(60)},
         {"response": ["target", "prediction"]}, "called 'target' and 'prediction', which name"),
    ],
)  # fmt: skip
def test_a_truth_that_cannot_be_used_is_named(changes, options, said, tmp_path):
    path = written(tmp_path, **changes)
    given = {"response": list(NAMES), "group": "mixture", "split": "set"} | options
    with pytest.raises(InputError, match=said):
        read_truth(path, seed=1, folder=tmp_path, **given)


def test_a_score_that_needs_several_responses_is_refused_for_one(tmp_path):
    one = Truth.of(IDS, np.arange(ROWS), np.arange(ROWS) < PUBLIC)
    with pytest.raises(InputError, match="a score by row needs several responses"):
        board(tmp_path, metric="pearson by row", of=one)
    with pytest.raises(InputError, match="'umami' is none of the responses"):
        board(tmp_path, metric="pearson of umami")


def test_an_export_has_every_file_and_the_configuration_of_a_replay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    live = board(tmp_path, of=truth(True))
    sent = files(4)
    for k, file in enumerate(sent):
        live.submit("ab"[k % 2], file)
    live.close()
    export(live, "final")
    config = yaml.safe_load((tmp_path / "final/replay.yaml").read_text("utf-8"))["replay"]
    assert config == {
        "table": "final/rows.parquet", "id": "id", "truth": list(NAMES), "public": "set",
        "group": "group", "folder": "final/files", "submissions": "final/submissions.csv",
        "metric": "mse",
    }  # fmt: skip
    rows = pd.read_parquet("final/rows.parquet")
    assert list(rows) == ["id", *NAMES, "set", "group"]
    np.testing.assert_array_equal(rows[list(NAMES)], table())
    assert rows["group"].tolist() == [k // 3 for k in range(ROWS)]
    listed = pd.read_csv("final/submissions.csv")
    for k, name in enumerate(listed["submission"]):
        file = pd.read_parquet(f"final/files/{name}.parquet")
        assert list(file) == ["id", *NAMES]
        np.testing.assert_array_equal(file[list(NAMES)], sent[k])
        given = (rows["set"] == "public").to_numpy()[:, None] & ~np.isnan(table())
        score = ((rows[list(NAMES)] - file[list(NAMES)]).to_numpy()[given] ** 2).mean()
        assert score == pytest.approx(listed["score_public"][k], rel=1e-12)
    tests = pd.read_csv("final/comparisons.csv")
    assert set(tests["rows"]) == {len(set(rows["group"][rows["set"] == "private"]))}
    final = pd.read_csv("final/final.csv")
    best = listed.groupby("team")["score_public"].idxmin()  # as all scores are shown
    of_team = final.set_index("team")["score_final"].sort_index()
    np.testing.assert_allclose(of_team, listed["score_final"][best].to_numpy(), rtol=1e-12)


@pytest.mark.parametrize("metric", ["mse", BY_RESPONSE])
def test_a_replay_of_the_log_releases_what_the_board_did(metric, tmp_path, monkeypatch):
    from shakedown.config import complete
    from shakedown.leaderboard.mechanism import of_setting
    from shakedown.metrics import find
    from shakedown.replay.games import play
    from shakedown.replay.reading import read

    monkeypatch.chdir(tmp_path)
    setting = "bayesboot_ladderboot(posterior_odds=2,b=5,draws=50)"
    live = board(tmp_path, setting, metric, truth(True))
    for k, file in enumerate(files()):
        live.submit("ab"[k % 2], file)
    live.close()
    export(live, "final")
    config = complete(yaml.safe_load((tmp_path / "final/replay.yaml").read_text("utf-8")))
    log = read(config["study"], ReplayEntry(**config["replay"]), seed=config["seed"])
    seen = play(log, find(metric), [of_setting(setting)], ["per_team"], seed=config["seed"])
    np.testing.assert_array_equal(seen["released"], live.log()["released"])


def test_a_response_called_as_a_column_of_the_export_leaves_it_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ("set", "group", "set_", "truth")
    of = Truth.of(IDS, table(), np.arange(ROWS) < PUBLIC, names, RowGroups("m", np.arange(ROWS)))
    live = board(tmp_path, of=of)
    live.submit("a", files(1)[0])
    live.close()
    export(live, "final")
    assert list(pd.read_parquet("final/rows.parquet")) == ["id", *names, "set__", "group_"]
    config = yaml.safe_load((tmp_path / "final/replay.yaml").read_text("utf-8"))["replay"]
    assert (config["public"], config["group"]) == ("set__", "group_")


def test_an_export_of_one_response_in_groups_names_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    group = RowGroups("patient", np.arange(ROWS) // 3)
    live = board(tmp_path, of=Truth.of(IDS, np.arange(ROWS), np.arange(ROWS) < PUBLIC, group=group))
    for team in "ab":
        live.submit(team, np.arange(ROWS) * 0.5 + (team == "a"))
    live.close()
    export(live, "final")
    rows = pd.read_parquet("final/rows.parquet")
    assert list(rows) == ["id", "truth", "set", "group", "s1", "s2"]
    config = yaml.safe_load((tmp_path / "final/replay.yaml").read_text("utf-8"))["replay"]
    assert (config["group"], config.get("folder")) == ("group", None)
    final = set(rows["group"][rows["set"] == "private"])
    assert set(pd.read_csv("final/comparisons.csv")["rows"]) == {len(final)}


def test_the_rules_say_the_shape_the_score_and_the_format(tmp_path):
    live = board(tmp_path, "ladder(alpha=0.15)", of=truth(True))
    said = of_board(live)["rules"]
    assert said[0].startswith("60 rows x 4 responses: 240 cells. A file is wide")
    assert "The score is the MSE of all cells together. Responses stay in their own" in said[1]
    assert said[2].startswith("Rows with the same 'mixture' belong together")
    (tmp_path / "other").mkdir()
    said = board(tmp_path / "other", metric=BY_RESPONSE).sentences
    assert said[1].startswith("The score is mean Pearson correlation over responses.")
    assert "all equal have the correlation 0" in said[1]
    (tmp_path / "one").mkdir()
    one = Truth.of(IDS, np.arange(ROWS), np.arange(ROWS) < PUBLIC)
    live = board(tmp_path / "one", of=one)
    assert live.sentences == live.rules.sentences


def test_pages_say_what_a_file_holds_and_take_it(tmp_path):
    live = board(tmp_path, of=truth(True))
    token, file = live.register("ours"), files(1)[0]
    with Server(app(live, limits=FREE)) as url:
        with signed_in(url, token) as visitor:
            assert "column id and one for each of the 4 responses, such as bitter" in text_of(
                visitor.get("/team")
            )
            assert "60 rows x 4 responses: 240 cells" in text_of(visitor.get("/rules"))
        with httpx.Client(base_url=url) as program:
            headers = {"authorization": f"Bearer {token}"}
            for content in (wide(file), long(file)):
                answer = program.post("/api/submissions", content=content, headers=headers)
                expected = by_hand("mse", file, np.arange(ROWS) < PUBLIC)
                assert answer.json()["score"] == pytest.approx(expected, rel=1e-5)
            answer = program.post("/api/submissions", content=b"id,prediction\n", headers=headers)
            assert "such as 'bitter'" in answer.json()["error"]
    assert size_limit(live.truth) == 2**20 + 240 * 2**8


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    options = ["--truth", "truth.csv", "--response", "s*,bitter", "--group", "mixture"]
    assert main([*CREATE, *options]) == 0
    seen = capsys.readouterr()
    assert "60 rows x 4 responses: 240 cells" in seen.out
    assert "missing cells left out" in seen.err
    (tmp_path / "wide.csv").write_bytes(wide(files(1)[0]))
    (tmp_path / "long.csv").write_bytes(long(files(1)[0]))
    for name in ("wide", "long"):
        assert main(["board", "submit", "Ada", f"{name}.csv"]) == 0
        score = json.loads(capsys.readouterr().out)["score"]
        expected = by_hand("mse", files(1)[0], np.arange(ROWS) < PUBLIC)
        assert score == pytest.approx(expected, rel=1e-5)
    (tmp_path / "bad.csv").write_text("id,sweet\nr00,1\n")
    assert main(["board", "submit", "Ada", "bad.csv"]) == 2
    assert "3 responses have no column, such as 'bitter'" in capsys.readouterr().out
    assert main(["board", "status"]) == 0
    assert "60 rows x 4 responses: 240 cells" in capsys.readouterr().out
    assert main(["board", "audit"]) == 0


def recommended(folder, **rests):
    rests = {"metric": "mse", "public_rows": 100, "responses": 4, "group": "mixture",
             "threshold": -0.05, "share": 0.05, "spread": "variance"} | rests  # fmt: skip
    given = {"version": 2, "rests_on": rests, "submissions": 7, "proved": True,
             "recommended": {"setting": "ladder(alpha=0.15)"}}  # fmt: skip
    (folder / "recommendation.json").write_text(json.dumps(given))


@pytest.mark.parametrize(
    ("group", "expected"), [("mixture", "'mixture' belong together"), ("", "")]
)
def test_a_recommendation_gives_its_groups(group, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    recommended(tmp_path, group=group)
    options = ["--truth", "truth.csv", "--response", ",".join(NAMES)]
    assert main(["board", "create", "recommendation.json", *options]) == 0
    seen = capsys.readouterr()
    assert ("belong together" in seen.out) == bool(expected)
    assert expected in seen.out
    assert "At most 7 submissions of each team." in seen.out
    # Cells are counted, and not rows: more than 100 of the 144 public ones have a true value.
    assert "its limit is too high" not in seen.err


def test_the_command_of_the_page_reads_a_pattern(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/my").mkdir(parents=True)
    recommended(tmp_path / "results/my", group="id", responses=3)
    written(tmp_path, att_1=table()[:, 0], att_2=table()[:, 1], att_3=table()[:, 2])
    command = (
        "board create results/my/recommendation.json --truth truth.csv --response att_* "
        "--group mixture --public-share 0.3 --json"
    )
    assert main(command.split()) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["responses"] == ["att_1", "att_2", "att_3"]
    assert (said["public_rows"], said["final_rows"]) == (18, 42)


def test_groups_of_a_recommendation_of_one_response_must_be_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, truth=np.arange(ROWS))
    recommended(tmp_path, group="patient", responses=1, share=None)
    create = ["board", "create", "recommendation.json", "--truth", "truth.csv"]
    assert main(create) == 2
    assert (
        "in groups by 'patient', a column that the truth does not have. Add it"
        in capsys.readouterr().err
    )
    assert main([*create, "--group", ""]) == 0
    assert "belong together" not in capsys.readouterr().out


def test_doubts_count_cells_and_know_that_a_board_does_not_standardise():
    cells = len(truth().part(True).y)
    rests = {"responses": 4, "public_rows": cells, "metric": "mse"}
    assert Proposal({}, rests).doubts(truth()) == []
    (said,) = Proposal({}, rests | {"public_rows": cells + 1}).doubts(truth())
    assert said.startswith(f"The dry run had {cells + 1} public cells, this board has {cells}")
    (said,) = Proposal({}, rests | {"responses": 3}).doubts(truth())
    assert said.startswith("The dry run had 3 responses, this board has 4")
    scored = rests | {"share": 0.05, "threshold": -0.05, "spread": "variance"}
    (said,) = Proposal({}, scored).doubts(truth())
    assert "a board does not: the standard deviation of 'salty' is" in said
    values = (table() - np.nanmean(table(), axis=0)) / np.nanstd(table(), axis=0, ddof=1)
    assert Proposal({}, scored).doubts(truth(values=values)) == []
    for metric, mixes in (
        ("pearson", True), ("pearson by row", True), ("rmse by response", True),
        ("pearson by response", False), ("pearson of salty", False),
        ("0.5*pearson by response + 0.5*cosine by row", True),
    ):  # fmt: skip
        assert bool(Proposal({}, rests | {"metric": metric}).doubts(truth())) == mixes


def test_a_weighted_score_is_refused_because_boards_have_no_weights(tmp_path):
    with pytest.raises(InputError, match=r"'weighted rmse': a running board has no weights of row"):
        board(tmp_path, metric="weighted rmse")


def test_alerts_see_random_numbers_although_responses_have_their_own_units(tmp_path):
    """Files in different units resemble each other: each response has a mean of its own."""
    live, rng = board(tmp_path), np.random.default_rng(3)
    scale, centre = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 5.0, -5.0, 50.0])
    for team in ("a", "b", "c"):
        for file in files(10, seed=ord(team)):
            live.submit(team, file)
    for _ in range(10):
        live.submit("probe", rng.normal(size=(ROWS, 4)) * scale + centre)
    with live.reading() as (connection, board_id, _):
        raised = alerts_of(connection, board_id, live.rules, None, 4)
        pooled = alerts_of(connection, board_id, live.rules)
    assert {"probe"} == {alert.team for alert in raised if alert.kind == "unrelated_files"}
    assert "unrelated_files" not in {alert.kind for alert in pooled}


def test_no_gain_is_told_where_rows_are_not_independent(tmp_path):
    live = board(tmp_path, "general_ladder(eta=0.1)+baseline", per_team=5)
    live.submit("a", files(1)[0])
    with live.reading() as (connection, board_id, at):
        of = (connection, board_id, live.rules, 100, live.start, at)
        assert leak_of(*of).gain is not None
        alike = leak_of(*of, False)
    assert alike.gain is None
    assert alike.told == leak_of_told(live)


def leak_of_told(live):
    with live.reading() as (connection, board_id, at):
        return leak_of(connection, board_id, live.rules, 100, live.start, at).told

"""A metered board of labels that runs: what it shows, what it charges, and what it keeps."""

import shutil
from contextlib import closing
from html import unescape

import numpy as np
import pytest
import yaml

from shakedown.config import complete
from shakedown.interface import InputError
from shakedown.leaderboard import label_meter
from shakedown.leaderboard.label_account import LabelAccount
from shakedown.leaderboard.label_scores import Labels
from shakedown.leaderboard.row_precision import precise_gain, precision_within
from shakedown.live import audit
from shakedown.live.backup import backup
from shakedown.live.export import export
from shakedown.live.leak import leak_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.of_labels import notes_of_labels
from shakedown.live.prices import left_of, price_of
from shakedown.live.rules import Rules
from shakedown.live.showing import of_team
from shakedown.live.submission_file import Refused
from shakedown.live.truth import RowGroups, Truth
from shakedown.live.web import Server, app
from shakedown.metrics import find
from shakedown.replay.games import play
from shakedown.replay.reading import read
from shakedown.replay.settings import ReplayEntry
from tests.live.at_once import scores_at_once
from tests.live.surfing import FREE, bearer, form_token, signed_in, unprotected
from tests.live.test_pages import text_of

ROWS, PUBLIC, FILES = 400, 300, 20
METRICS = ("zero_one", "brier", "log_loss", "auroc")
GAINS = {"zero_one": 0.2, "brier": 0.05, "log_loss": 0.1, "auroc": 0.2}
IDS, IS_PUBLIC = [f"r{k:03}" for k in range(ROWS)], np.arange(ROWS) < PUBLIC
CLASSES = ("control", "case")
Y = (np.random.default_rng(0).random(ROWS) < 0.4).astype(float)


def truth(y=Y, **named):
    return Truth.of(IDS, y, IS_PUBLIC, **({"classes": CLASSES} | named))


def setting(metric, files=FILES):
    return f"metered(files={files},gain={GAINS[metric]})"


def board(path, metric="brier", own=None, of=None, **rules):
    """A new board in a folder."""
    path.mkdir(exist_ok=True)
    made = Rules.of(own or setting(metric), metric, **({"seed": 3} | rules))
    return LiveBoard.create(f"sqlite:///{path}/board.db", made, of or truth())[0]


def opened(path, name="board"):
    return LiveBoard.open(f"sqlite:///{path}/{name}.db")


def files(metric, number, seed=1):
    """Files of models that resemble each other."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 0.7, ROWS) + np.cumsum(rng.normal(0, 0.15, (number, ROWS)), axis=0)
    chances = 1.0 / (1.0 + np.exp(-1.5 * (1.2 * (Y - 0.5) + noise)))
    return np.round(chances) if metric == "zero_one" else chances


def of_all_kinds(metric):
    """Files of models, random, constant, repeated ones and one that differs in a row."""
    own = files(metric, 12)
    own[3] = np.random.default_rng(2).permutation(own[3])
    own[5], own[6], own[8] = 1.0, own[4], own[7]
    own[8, 0] = 1.0 - own[8, 0]
    return own


def csv(file, order=None):
    """The content of a file, its rows in an order."""
    order = range(ROWS) if order is None else order
    lines = [f"{IDS[k]},{file[k]!r}" for k in order]
    return "\n".join(["id,prediction", *lines, ""]).replace("np.float64(", "").replace(
        ")", ""
    ).encode()  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
def test_scores_lie_within_their_standard_errors(metric, tmp_path):
    """Of files beyond the meter too, and as they are known in the end: within four errors."""
    live = board(tmp_path, metric)
    answers = [live.submit("a", file) for file in files(metric, FILES + 4)]
    scores, errors = (
        np.array([getattr(a, x) for a in answers]) for x in ("score", "standard_error")
    )
    public = live.log()["score_public"].to_numpy()
    off = np.abs(scores - public) / errors
    assert (errors > 0).all()
    assert off.max() < 4.0
    assert 0.3 < (off < 1.0).mean() < 1.0
    with live.reading() as (connection, _, _):
        now = live.meter(connection, "a", range(1, FILES + 5)).now
    score, error = np.array([now[k + 1] for k in range(FILES + 4)]).T
    assert (np.abs(score - public) / error).max() < 4.0
    # It says more of early files than was shown.
    assert (error[:3] <= 1.05 * errors[:3]).all()


@pytest.mark.parametrize("metric", METRICS)
def test_a_board_decides_as_the_account_of_a_simulation(metric, tmp_path):
    """By the literal rule, with the noise that the released scores have."""
    live = board(tmp_path, metric)
    sent = of_all_kinds(metric).astype(np.float32).astype(float)
    released = [live.submit("a", file) and live.log()["released"].iloc[-1] for file in sent]
    kind, y = live.rules.judged_by, Y[IS_PUBLIC]
    account = LabelAccount.opened(
        PUBLIC, live.rules.mechanism.release.of_labels(), kind, Labels.of(y)
    )
    noise = []
    for file, shown in zip(sent[:, IS_PUBLIC], released, strict=True):
        (u,), (rest,) = account.measured(file[None])
        asked, answer, sd, account = account.read(u, rest - kind.sign * shown)
        if sd < np.inf:
            noise.append((answer - asked @ y) / sd)
    (ours,) = (b.state.memory for b in live._judge._boards.values())
    np.testing.assert_allclose(ours.meter.of_rows, account.meter.of_rows, rtol=1e-12)
    assert len(noise) == ours.made >= 11
    assert np.abs(noise).max() < 4.0
    assert np.std(noise) > 0.4


@pytest.mark.parametrize("metric", METRICS)
def test_a_quote_is_what_a_file_costs_and_counts_nothing(metric, tmp_path):
    live, spent = board(tmp_path, metric), 0.0
    for k, file in enumerate(files(metric, 5)):
        quote = live.quote("a", file)
        assert quote == live.quote("a", file)
        assert quote.files_left == FILES - k
        assert quote.left == pytest.approx(1.0 - spent, rel=1e-12)
        spent += quote.cost
        answer = live.submit("a", file)
        assert answer.standard_error == pytest.approx(quote.error, rel=1e-5)
        assert answer.number == k + 1
    assert 0.1 < spent < 0.4
    assert live.quote("another", files(metric, 1)[0]).left == 1.0


@pytest.mark.parametrize("metric", METRICS)
def test_prices_and_errors_depend_on_the_files_alone(metric, tmp_path):
    """Not on labels, nor on the noise; under the AUROC on the number of ones."""
    told = []
    for seed in range(2):
        y = np.random.default_rng(seed).permutation(Y[IS_PUBLIC])
        if seed and metric != "auroc":
            y[:40] = 1.0
        of = truth(np.append(y, Y[PUBLIC:]))
        live = board(tmp_path / str(seed), metric, of=of, seed=seed)
        errors = [live.submit("a", file).standard_error for file in of_all_kinds(metric)]
        quote = live.quote("a", files(metric, 13)[-1])
        told.append([*errors, quote.cost, quote.left, quote.files_left, quote.error])
    assert told[0] == told[1]


@pytest.mark.parametrize("metric", METRICS)
def test_a_board_goes_on_from_its_database_whichever_process_judges(metric, tmp_path):
    """Two boards that take turns, each restored from the other's files, answer as one does."""
    alone, first = board(tmp_path / "one", metric), board(tmp_path / "two", metric)
    second = opened(tmp_path / "two")
    for k, file in enumerate(of_all_kinds(metric)):
        answers = [live.submit("a", file, f"k{k}") for live in (alone, (first, second)[k % 2])]
        assert answers[0].score == answers[1].score
        assert answers[0].standard_error == answers[1].standard_error
    assert first.audit() == second.audit() == alone.audit() == []
    ours, others = (live.log()["released"].to_numpy().tobytes() for live in (alone, second))
    assert ours == others


def memories(live, metric):
    """What the boards of all teams remember, once they are restored."""
    for team in "abc":
        live.quote(team, files(metric, 1)[0])
    return {team: b.state.memory for team, b in live._judge._boards.items()}


def assert_same_accounts(ours, others):
    assert ours.keys() == others.keys()
    for team, account in ours.items():
        assert (account.made, account.meter.count) == (others[team].made, others[team].meter.count)
        for part in ("directions", "products", "variances", "answers", "of_rows"):
            one, other = (getattr(own.meter, part) for own in (account, others[team]))
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("metric", "own"),
    [
        ("zero_one", ""), ("log_loss", ""), ("brier", "+one_board"), ("auroc", "+distinct"),
        ("brier", "+cap(improvements=3)"), ("log_loss", "+sticky"),
    ],
)  # fmt: skip
def test_a_restored_board_is_one_that_ran_on(metric, own, tmp_path, monkeypatch):
    """With the weights that are stored, and without them."""
    live = board(tmp_path, metric, setting(metric) + own)
    for k, file in enumerate(of_all_kinds(metric)):
        live.submit("abc"[k % 5 % 3], file, f"k{k}")
    assert_same_accounts(memories(live, metric), memories(opened(tmp_path), metric))
    with monkeypatch.context() as without:
        without.setattr("shakedown.live.judging.products_of", lambda _: None)
        assert_same_accounts(memories(live, metric), memories(opened(tmp_path), metric))
    with monkeypatch.context() as stored:
        stored.setattr(label_meter, "best_weights", lambda *_: pytest.fail("computed again"))
        again = opened(tmp_path)
        with again.reading() as (connection, _, _):
            for team in {again._judge.account(team) for team in "abc"}:
                again._judge._board(connection, team)
    assert live.copy_to(f"sqlite:///{tmp_path}/copy.db") == []
    assert_same_accounts(memories(live, metric), memories(opened(tmp_path, "copy"), metric))
    with closing(unprotected(tmp_path / "board.db")) as tables, tables:
        tables.execute("UPDATE products SET products = x'01020304' WHERE submission_id = 6")
    assert_same_accounts(memories(live, metric), memories(opened(tmp_path), metric))
    assert any("table products" in said for said in opened(tmp_path).audit())


@pytest.mark.parametrize("metric", METRICS)
def test_a_log_replays_to_the_last_bit(metric, tmp_path):
    live = board(tmp_path / "live", metric)
    for k, file in enumerate(of_all_kinds(metric)):
        live.submit("ab"[k % 2], csv(file))
    live.close()
    export(live, tmp_path / "out")
    config = complete(yaml.safe_load((tmp_path / "out" / "replay.yaml").read_text("utf-8")))
    log = read(config["study"], ReplayEntry(**config["replay"]), seed=config["seed"])
    seen = play(log, find(metric), [live.rules.mechanism], ["per_team"], seed=config["seed"])
    np.testing.assert_array_equal(live.log()["released"].astype(float), seen["released"])


@pytest.mark.parametrize("metric", METRICS)
def test_the_order_of_a_file_and_names_of_classes_change_nothing(metric, tmp_path):
    lives = [board(tmp_path / str(k), metric) for k in range(3)]
    rng = np.random.default_rng(1)
    for file in of_all_kinds(metric):
        sent = [csv(file), csv(file, rng.permutation(ROWS)), dict(zip(IDS, file, strict=True))]
        if metric == "zero_one":
            sent[2] = {name: CLASSES[int(v)] for name, v in zip(IDS, file, strict=True)}
        answers = [live.submit("a", own) for live, own in zip(lives, sent, strict=True)]
        assert len({(a.score, a.standard_error) for a in answers}) == 1


@pytest.mark.parametrize("metric", METRICS)
def test_a_file_beyond_the_meter_counts_and_tells_nothing_new(metric, tmp_path):
    live = board(tmp_path, metric, setting(metric, 3))
    for file in files(metric, 3):
        live.submit("a", file)
    extra = np.round(np.random.default_rng(7).random((2, ROWS)))
    before = live.quote("a", extra[0])
    assert (before.cost, before.files_left) == (0.0, 0)
    assert "used up" in price_of(before)
    answer = live.submit("a", extra[0])
    assert answer.number == 4
    assert answer.standard_error == pytest.approx(before.error_now, rel=1e-5)
    again = live.quote("a", extra[0])
    assert (again.left, again.error_now) == (before.left, before.error_now)
    assert live.submit("a", extra[0]).score == answer.score
    assert "used up" in left_of(again)


@pytest.mark.parametrize("metric", METRICS)
def test_a_constant_costs_nothing_only_where_it_measures_nothing(metric, tmp_path):
    """Under the AUROC; else it tells how many labels are 1, and is charged."""
    live, sent = board(tmp_path, metric), np.ones(ROWS)
    quote, answer = live.quote("a", sent), live.submit("a", sent)
    if metric == "auroc":
        assert (quote.cost, answer.score, answer.standard_error) == (0.0, 0.5, 0.0)
        assert live.quote("a", sent).files_left == FILES
    else:
        assert quote.cost > 0.1
        assert answer.score != live.log()["score_public"].iloc[0]
        assert live.quote("a", sent).files_left == FILES - 1


@pytest.mark.parametrize("metric", METRICS)
def test_a_repeated_file_is_averaged_and_each_time_with_new_noise(metric, tmp_path):
    own, (file,) = f"metered(files=40,gain={GAINS[metric]},sd=1e-6)", files(metric, 1)
    live = board(tmp_path, metric, own)
    answers = [live.submit("a", file) for _ in range(40)]
    errors = np.array([a.standard_error for a in answers])
    assert errors[-1] < 0.55 * errors[0]  # all of B instead of an eighth
    assert len({a.score for a in answers}) == 40
    (memory,) = (b.state.memory for b in live._judge._boards.values())
    # As precise as one answer that has all of what a row may be measured with.
    u, _ = memory.measured(file.astype(np.float32).astype(float)[None, IS_PUBLIC])
    whole = np.abs(u).max() / np.sqrt(memory.meter.precision)
    assert errors[-1] > 0.999 * memory.labels.of_scores(find(metric)) * whole


@pytest.mark.parametrize("metric", METRICS)
def test_files_that_differ_in_the_last_bit_are_one_file(metric, tmp_path):
    """In doubles they are rounded to the same; in single precision they cost what a copy costs."""
    live, file = board(tmp_path, metric), files(metric, 1)[0].astype(np.float32)
    step = np.nextafter(file, np.float32(0.5))
    for k in range(6):
        sent = file.astype(float) if k % 2 else step.astype(float)
        if metric != "zero_one":
            live.submit("a", np.nextafter(sent, 0.5))
            assert live.submit("a", sent).number == 2 * k + 2
            contents = live.log()["content"]
            assert contents.iloc[-1] == contents.iloc[-2]
        else:
            live.submit("a", np.round(sent))
    (memory,) = (b.state.memory for b in live._judge._boards.values())
    spent = (memory.meter.directions**2 / memory.meter.variances[:, None]).sum(axis=0)
    np.testing.assert_allclose(spent[:PUBLIC], memory.meter.of_rows, rtol=1e-9)
    assert spent.max() <= memory.meter.precision * (1.0 + 1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_two_teams_that_send_the_same_files_get_noise_and_accounts_of_their_own(metric, tmp_path):
    first, sent, second = board(tmp_path, metric), files(metric, 5), opened(tmp_path)
    got = scores_at_once([(first, "a"), (second, "b"), (first, "c")], sent)
    assert all(len(set(scores)) == 3 for scores in zip(*got.values(), strict=True))
    assert first.audit() == second.audit() == []


def test_two_boards_of_one_challenge_have_accounts_and_noise_of_their_own(tmp_path):
    made = []
    for name, metric in (("a", "brier"), ("b", "auroc"), ("c", "brier")):
        rules = Rules.of(setting(metric), metric)
        made.append(LiveBoard.create(
            f"sqlite:///{tmp_path}/board.db", rules, truth(), name=name, challenge="both"
        )[0])  # fmt: skip
    (file,) = files("brier", 1)
    scores = [live.submit("ada", file).score for live in made]
    assert scores[0] != scores[2]
    assert [live.quote("ada", file).files_left for live in made] == [FILES - 1] * 3
    assert [live.audit() for live in made] == [[], [], []]


def test_one_board_shares_one_account(tmp_path):
    live, sent = board(tmp_path, "brier", setting("brier") + "+one_board"), files("brier", 6)
    for k, file in enumerate(sent):
        live.submit("ab"[k % 2], file)
    assert live.quote("c", sent[0]).files_left == FILES - 6
    with live.reading() as (connection, board_id, at):
        leak = leak_of(connection, board_id, live.rules, PUBLIC, live.start, at)
    assert leak.told == leak.teams[0].told == leak.teams[1].told
    assert "All answers to all accounts together" in " ".join(live.sentences)
    token = live.register("a")
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        assert "What would it cost?" not in client.get("/team").text
        answer = client.post("/api/price", content=csv(sent[0]), headers=bearer(token))
        assert "prices would tell you what others have sent" in answer.json()["error"]


@pytest.mark.parametrize("metric", METRICS)
def test_the_leak_is_what_the_meters_read_and_the_gain_is_the_one_that_is_proved(metric, tmp_path):
    live, spent = board(tmp_path, metric), {"a": 0.0, "b": 0.0}
    for k, file in enumerate(files(metric, 5)):
        spent["ab"[k % 2]] += 100.0 * live.quote("ab"[k % 2], file).cost
        live.submit("ab"[k % 2], file)
    with live.reading() as (connection, board_id, at):
        leak = leak_of(connection, board_id, live.rules, PUBLIC, live.start, at)
    assert {team.team: team.told for team in leak.teams} == pytest.approx(spent)
    assert leak.told == pytest.approx(sum(spent.values()))
    assert (leak.budget, leak.gain, leak.reason) == (100.0, GAINS[metric], "")
    assert leak.unit == "% of a row's precision"
    assert ("nobody knows how many" in leak.condition) == (metric != "auroc")
    (memory,) = (b.state.memory for team, b in live._judge._boards.items() if team == "a")
    assert memory.meter.precision == precision_within(metric, GAINS[metric])
    assert precise_gain(metric, memory.meter.precision) <= GAINS[metric]


@pytest.mark.parametrize("metric", METRICS)
def test_pages_show_errors_prices_and_what_is_left(metric, tmp_path):
    rules = Rules.of(setting(metric), metric, seed=3)
    live, organiser = LiveBoard.create(f"sqlite:///{tmp_path}/board.db", rules, truth())
    token = live.register("a")
    sent = [csv(file) for file in files(metric, 2)]
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        form = {"form_token": form_token(client.get("/team"))}
        priced = client.post("/team/price", data=form, files={"file": ("f.csv", sent[0])})
        assert "of the precision with which a public row may be measured, 100% is left" in (
            text_of(priced)
        )
        assert "Nothing was counted." in text_of(priced)
        answer = client.post("/api/submissions", content=sent[0], headers=bearer(token)).json()
        quote = client.post("/api/price", content=sent[1], headers=bearer(token)).json()
        assert (quote["files_left"], quote["unit"]) == (19, "share of a row's precision")
        page = client.get("/team")
        error = f"{answer['standard_error']:.2g}"
        places = len(error.partition(".")[2])
        assert f"{answer['score']:.{places}f} ± {error}" in text_of(page)
        assert "19 files will still be answered" in text_of(page)
        assert "degrees of freedom" not in text_of(page)
        rules_page = text_of(client.get("/rules"))
        assert "one look at its label with normal noise of the standard deviation" in rules_page
        assert ("Two classes have nothing in common" in rules_page) == (metric == "zero_one")
        assert "have the mean" not in rules_page
    with Server(app(live, limits=FREE)) as url, signed_in(url, organiser) as client:
        page = unescape(text_of(client.get("/organiser")))
        assert "% of a row's precision" in page
        assert f"by at most {GAINS[metric]:.3g} on average, if labels are independent" in page
        assert "responses are normal" not in page
    assert of_team(live, "a")["submissions"][0]["standard_error"] == answer["standard_error"]


@pytest.mark.parametrize("metric", ["zero_one", "auroc"])
def test_the_organiser_is_told_whose_files_cost_as_much_as_random_numbers(metric, tmp_path):
    rules = Rules.of(setting(metric), metric, seed=3)
    live, token = LiveBoard.create(f"sqlite:///{tmp_path}/board.db", rules, truth())
    rng = np.random.default_rng(4)
    for file in files(metric, 10):
        live.submit("ada", file)
        guess = rng.random(ROWS)
        live.submit("eve", np.round(guess) if metric == "zero_one" else guess)
    said = "% of what random numbers cost on a meter"
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        rows = [row for row in client.get("/organiser/alerts").text.split("<tr>") if said in row]
    assert ["<bdi>eve</bdi>" in row for row in rows] == [True]


def test_the_organiser_is_told_what_the_proof_rests_on():
    for metric in METRICS:
        rules = Rules.of(setting(metric), metric, seed=1)
        (note,) = notes_of_labels(rules.mechanism, rules.judged_by)
        assert "independent given all that participants know" in note
        assert ("tell nobody how many of them are 1" in note) == (metric != "auroc")
    other = Rules.of("metered(files=9,gain=0.1)", "mse", seed=1)
    assert notes_of_labels(other.mechanism, other.judged_by) == []


def test_a_submission_that_fails_between_judging_and_storing_leaves_no_trace(tmp_path, monkeypatch):
    """As if the process had been killed there: another file, or the same one, comes next."""
    live, alone, sent = board(tmp_path / "1"), board(tmp_path / "2"), files("brier", 5)
    for b in (live, alone):
        b.submit("a", sent[0], "k0")
    with monkeypatch.context() as broken:
        broken.setattr(audit, "append", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            live.submit("a", sent[4], "k1")
    assert live.quote("a", sent[1]) == alone.quote("a", sent[1])
    for k in (1, 2, 3):
        assert live.submit("a", sent[k], f"k{k}").score == alone.submit("a", sent[k], f"k{k}").score
    assert live.submit("a", sent[2], "k2").number == 3
    assert live.audit() == []


def test_a_board_put_back_to_a_backup_does_not_give_its_noise_away(tmp_path):
    """Another file gets the number of one that was answered after the backup, and its noise."""
    live, told = board(tmp_path), []
    backup(f"sqlite:///{tmp_path}/board.db", tmp_path / "old.db")
    rng, kind = np.random.default_rng(6), live.rules.judged_by
    for b in (live, opened(tmp_path, "old")):
        file = rng.random(ROWS).astype(np.float32).astype(float)
        b.submit("a", file)
        account = LabelAccount.opened(
            PUBLIC, b.rules.mechanism.release.of_labels(), kind, Labels.of(Y[IS_PUBLIC])
        )
        (u,), (rest,) = account.measured(file[None, IS_PUBLIC])
        asked, answer, sd, _ = account.read(u, rest - kind.sign * b.log()["released"].iloc[0])
        told.append((answer - asked @ Y[IS_PUBLIC]) / sd)
    assert abs(told[0] - told[1]) > 0.01


@pytest.mark.parametrize(
    ("metric", "value", "message"),
    [
        ("brier", 1.5, "Brier score: wanted probabilities from 0 to 1, got 1.5"),
        ("log_loss", -1e-3, "wanted probabilities from 0 to 1, got -0.001"),
        ("zero_one", 0.5, "wanted classes, which are whole numbers here, got 0.5"),
        ("auroc", np.nan, "wanted finite numbers|not a number|nan"),
        ("brier", np.inf, "finite|inf"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_costs_nothing(metric, value, message, tmp_path):
    """Whether the row is public or not, and a price of it is refused, too."""
    live, (good,) = board(tmp_path, metric), files(metric, 1)
    for row in (3, ROWS - 1):
        bad = good.copy()
        bad[row] = value
        with pytest.raises(Refused, match=message):
            live.submit("a", bad)
        with pytest.raises(InputError, match=message):
            live.quote("a", bad)
    assert live.quote("a", good).files_left == FILES
    assert live.submit("a", good).number == 1


def test_a_truth_that_has_no_two_labels_in_independent_rows_is_refused(tmp_path):
    numbers, three = np.random.default_rng(0).normal(size=ROWS), np.arange(ROWS) % 3
    groups = RowGroups("patient", np.arange(ROWS) // 100)
    several = Truth.of(IDS, np.column_stack([Y, 1.0 - Y]), IS_PUBLIC, ("one", "two"))
    cases = (
        (
            truth(numbers, classes=()),
            "wanted a truth of two labels, such as 0.* got 400 values",
        ),
        (truth(three, classes="abc"), "wanted a truth of two labels.* got 3 values"),
        (truth(classes="abc"), "wanted a truth of two labels.* got 3 values"),
        (truth(np.where(IS_PUBLIC, 1.0, Y)), "all public labels are 1"),
        (truth(np.where(Y, 0.7, -0.1), classes=()), "single precision does not round"),
        (truth(group=groups), r"independent rows .* got rows in groups \('patient'\)"),
        (several, "independent rows .* got several responses"),
    )
    for metric in METRICS:
        for of, message in cases:
            with pytest.raises(InputError, match=message):
                board(tmp_path, metric, of=of)
    assert not (tmp_path / "board.db").exists()


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("metered(files=9,gain=0.1,chance=0.2)", "chance: wanted none"),
        ("metered(files=9,gain=0.1,share=0.2)+one_board", "share: wanted none"),
        ("metered(files=9,gain=0.1,centre=0.4,scale=0.5)", "centre: wanted none .* labels are 1"),
        ("metered(files=9,gain=0.1,scale=0.5)", "scale: wanted none .* labels are 1"),
        ("metered(files=9,gain=0.1)+clip", "Remove it"),
        ("metered(files=9,gain=0.1)+baseline", "wanted no start"),
        ("metered(files=9,gain=0.1)+value_range", "wanted no limit .* got 'value_range'"),
        ("metered(files=9,gain=0.1)+distinct(distance=0.1)", "wanted no limit .* got 'distinct'"),
    ],
)
def test_what_is_not_proved_of_labels_is_refused(own, message, tmp_path):
    with pytest.raises(InputError, match=message):
        board(tmp_path, "zero_one", own)


def test_labels_of_other_values_have_scores_in_their_unit(tmp_path):
    """The Brier score of labels -1 and 2 is nine times that of 0 and 1, noise and all."""
    usual = board(tmp_path / "1", "brier")
    wide = board(
        tmp_path / "9", "brier", "metered(files=20,gain=0.45,sd=0.045)",
        of=truth(3.0 * Y - 1.0, classes=()),
    )  # fmt: skip
    file = np.round(files("brier", 1)[0] * 64.0) / 64.0
    ours, others = usual.submit("a", file), wide.submit("a", 3.0 * file - 1.0)
    assert others.standard_error == pytest.approx(9.0 * ours.standard_error, rel=1e-4)
    for live, answer in ((usual, ours), (wide, others)):
        score = live.log()["score_public"].iloc[0]
        assert abs(answer.score - score) < 4.0 * answer.standard_error


def test_a_killed_server_leaves_a_board_that_answers_as_one_that_ran_on(tmp_path):
    """A copy of the files on the disk, taken between submissions, goes on as the board does."""
    live, sent = board(tmp_path), files("brier", 8)
    for k in range(4):
        live.submit("a", sent[k], f"k{k}")
    for end in ("", "-wal", "-shm"):
        if (left := tmp_path / f"board.db{end}").exists():
            shutil.copy(left, tmp_path / f"left.db{end}")
    after = opened(tmp_path, "left")
    for k in range(4, 8):
        ours, others = (b.submit("a", sent[k], f"k{k}") for b in (live, after))
        assert (ours.score, ours.standard_error) == (others.score, others.standard_error)
    assert after.audit() == []

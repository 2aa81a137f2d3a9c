"""A metered board that runs: what it shows, what files cost, and what it keeps."""

import httpx
import numpy as np
import pytest

from shakedown.attacks.posterior_mean import MeteredAnswers
from shakedown.interface import InputError
from shakedown.leaderboard.account import Account
from shakedown.leaderboard.responses import measured_by
from shakedown.live import audit
from shakedown.live.backup import backup
from shakedown.live.leak import leak_of
from shakedown.live.live_board import LiveBoard
from shakedown.live.rules import Rules
from shakedown.live.showing import of_team
from shakedown.live.submission_file import Refused
from shakedown.live.truth import Truth
from shakedown.live.web import Server, app
from shakedown.metrics import find
from tests.live.at_once import scores_at_once
from tests.live.surfing import FREE, bearer, form_token, signed_in
from tests.live.test_pages import text_of

ROWS, PUBLIC, CENTRE, SCALE = 400, 300, 50.0, 7.0
#: A tenth of the variance: 29 degrees of freedom.
SETTING = "metered(files=40,gain=4.9)"


def truth(seed=0):
    values = CENTRE + SCALE * np.random.default_rng(seed).normal(size=ROWS)
    return Truth.of([f"r{k:03}" for k in range(ROWS)], values, np.arange(ROWS) < PUBLIC)


def board(path, setting=SETTING, metric="mse", of=None, **rules):
    made = Rules.of(setting, metric, **({"seed": 3} | rules))
    return LiveBoard.create(f"sqlite:///{path}/board.db", made, of or truth())[0]


def files(number, seed=1):
    """Files of models that resemble each other, in the unit of the truth."""
    rng = np.random.default_rng(seed)
    steps = np.cumsum(rng.normal(0, 0.1, (number, ROWS)), axis=0)
    return CENTRE + 0.4 * (truth().values - CENTRE) + SCALE * steps


def csv(file):
    """The content of a file."""
    lines = [f"{name},{value}" for name, value in zip(truth().ids, file, strict=True)]
    return "\n".join(["id,prediction", *lines, ""]).encode()


def public_mse(file):
    of = truth()
    return ((of.values - file)[of.public] ** 2).mean()


@pytest.mark.parametrize(("metric", "gain"), [("mse", 4.9), ("pearson", 0.3), ("ccc", 0.3)])
def test_scores_lie_within_their_standard_errors(metric, gain, tmp_path):
    """In the unit of the response: of 40 scores, two thirds within one error, all within four."""
    live = board(tmp_path, f"metered(files=40,gain={gain})", metric)
    answers = [live.submit("a", file) for file in files(40)]
    scores, errors = (
        np.array([getattr(a, x) for a in answers]) for x in ("score", "standard_error")
    )
    off = np.abs(scores - live.log()["score_public"].to_numpy()) / errors
    assert (errors > 0).all()
    assert off.max() < 4.0
    assert 0.45 < (off < 1.0).mean() < 0.95


def test_the_board_states_centre_and_spread_of_the_public_rows(tmp_path):
    live, public = board(tmp_path), truth().values[:PUBLIC]
    release = live.rules.mechanism.release
    assert release.unit == pytest.approx((public.mean(), public.std(ddof=1)), rel=1e-12)
    said = " ".join(live.rules.sentences)
    assert f"have the mean {release.unit.centre:.6g} and the standard deviation" in said
    assert "Of each account 40 files are answered" in said


def test_another_centre_is_refused_and_so_is_a_constant_truth(tmp_path):
    with pytest.raises(InputError, match=r"centre: wanted 49\.\d+, that of the public .* got 3\.0"):
        board(tmp_path, "metered(files=40,gain=4.9,centre=3)")
    same = Truth.of(["a", "b", "c", "d", "e", "f"], [1, 1, 1, 2, 3, 4], [True] * 3 + [False] * 3)
    with pytest.raises(InputError, match="all public responses are 1"):
        board(tmp_path, of=same)
    labels = Truth.of(truth().ids, np.arange(ROWS) % 2, truth().public)
    with pytest.raises(InputError, match="of 10 values or more; got 2.* such as a digest"):
        board(tmp_path, of=labels)
    with pytest.raises(InputError, match=r"linear in the response; 'clip' changes them. Remove it"):
        board(tmp_path, SETTING + "+clip")


def test_a_quote_is_what_a_file_costs_and_counts_nothing(tmp_path):
    live, sent = board(tmp_path), files(5)
    spent, errors = 0.0, []
    for k, file in enumerate(sent):
        quote = live.quote("a", file)
        assert quote == live.quote("a", file)
        assert quote.files_left == 40 - k
        assert quote.left == pytest.approx(quote.budget - spent, rel=1e-12)
        spent += quote.cost
        answer = live.submit("a", file)
        errors.append(answer.standard_error / quote.error)  # which depends on the answer, too
        assert answer.number == k + 1
    assert 0.5 < np.mean(errors) < 1.5
    assert live.quote("another", sent[0]).left == quote.budget


def test_the_price_depends_on_the_files_alone(tmp_path):
    """Not on the truth, nor on the seed of the noise."""
    quotes = []
    for seed in range(2):
        (tmp_path / str(seed)).mkdir()
        values = np.random.default_rng(seed).normal(size=ROWS)
        values[:PUBLIC] -= values[:PUBLIC].mean()
        values[:PUBLIC] /= values[:PUBLIC].std(ddof=1)
        of = Truth.of(truth().ids, CENTRE + SCALE * values, truth().public)
        live = board(tmp_path / str(seed), of=of, seed=seed)
        for file in files(6):
            live.submit("a", file)
        quotes.append(live.quote("a", files(9)[-1])[:4])
    np.testing.assert_allclose(*quotes, rtol=1e-9)


def test_a_quote_needs_a_metered_board_and_a_file_without_errors(tmp_path):
    live = board(tmp_path, "full_disclosure")
    assert live.quote("a", files(1)[0]) is None
    assert live.submit("a", files(1)[0]).standard_error is None
    (tmp_path / "metered").mkdir()
    with pytest.raises(Refused, match="wanted one for each of the 400 rows"):
        board(tmp_path / "metered").quote("a", np.zeros(3))


def test_a_file_beyond_the_meter_counts_and_tells_nothing_new(tmp_path):
    live = board(tmp_path, "metered(files=3,gain=4.9)")
    for file in files(3):
        live.submit("a", file)
    extra = SCALE * np.random.default_rng(7).normal(size=(2, ROWS)) + CENTRE
    before = live.quote("a", extra[0])
    assert (before.cost, before.files_left) == (0.0, 0)
    answer = live.submit("a", extra[0])
    assert answer.number == 4
    assert answer.standard_error == pytest.approx(before.error_now, rel=1e-5)
    again = live.quote("a", extra[1])
    assert (again.left, again.error_now) == (before.left, live.quote("a", extra[1]).error_now)
    made = live.log().iloc[-1]
    assert made["score_public"] == pytest.approx(public_mse(extra[0]))
    assert np.isfinite(made["score_final"])


def test_later_answers_tell_more_of_earlier_files(tmp_path):
    live, sent = board(tmp_path), files(40)
    for file in sent:
        live.submit("a", file)
    with live.reading() as (connection, _, _):
        now = live.meter(connection, "a", range(1, 41)).now
    then = of_team(live, "a")["submissions"]
    errors = np.array([[now[k + 1][1], then[k]["standard_error"]] for k in range(40)])
    assert errors[0, 0] < 0.8 * errors[0, 1]
    assert (errors[:, 0] < errors[:, 1] * (1 + 1e-5)).mean() > 0.95
    off = [abs(now[k + 1][0] - public_mse(file)) / now[k + 1][1] for k, file in enumerate(sent)]
    assert max(off) < 4.0


def test_a_board_goes_on_from_its_database_whichever_process_judges(tmp_path):
    """Two boards that take turns, each restored from the other's files, answer as one does."""
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
    alone, sent = board(tmp_path / "one"), files(10)
    first = board(tmp_path / "two")
    second = LiveBoard.open(f"sqlite:///{tmp_path}/two/board.db")
    for k, file in enumerate(sent):
        answers = [live.submit("a", file, f"k{k}") for live in (alone, (first, second)[k % 2])]
        assert answers[0].score == answers[1].score
        assert answers[0].standard_error == answers[1].standard_error
    assert first.audit() == second.audit() == alone.audit() == []
    released = [live.log()["released"].to_numpy() for live in (alone, second)]
    np.testing.assert_array_equal(*released)


def test_one_board_shares_one_meter(tmp_path):
    live, sent = board(tmp_path, SETTING + "+one_board"), files(4)
    for k, file in enumerate(sent):
        live.submit("ab"[k % 2], file)
    assert live.quote("c", sent[0]).files_left == 36


def test_the_leak_is_what_the_meters_read(tmp_path):
    live, sent = board(tmp_path), files(4)
    spent = {"a": 0.0, "b": 0.0}
    for k, file in enumerate(sent):
        spent["ab"[k % 2]] += live.quote("ab"[k % 2], file).cost
        live.submit("ab"[k % 2], file)
    with live.reading() as (connection, board_id, at):
        leak = leak_of(connection, board_id, live.rules, PUBLIC, live.start, at)
    assert {team.team: team.told for team in leak.teams} == pytest.approx(spent)
    assert leak.told == pytest.approx(sum(spent.values()))
    assert leak.unit == "degrees of freedom"
    assert leak.gain == pytest.approx(4.9)
    assert leak.budget == pytest.approx(4.9 * PUBLIC / truth().values[:PUBLIC].var(ddof=1) - 1)


def test_the_page_shows_errors_prices_and_what_is_left(tmp_path):
    live = board(tmp_path)
    token = live.register("a")
    sent = [csv(file) for file in files(2)]
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        page = client.get("/team")
        form = {"form_token": form_token(page)}
        priced = client.post("/team/price", data=form, files={"file": ("f.csv", sent[0])})
        assert "degrees of freedom that are left" in text_of(priced)
        assert "Nothing was counted." in text_of(priced)
        answer = client.post("/api/submissions", content=sent[0], headers=bearer(token)).json()
        quote = client.post("/api/price", content=sent[1], headers=bearer(token)).json()
        assert quote["files_left"] == 39
        page = client.get("/team")
        error = f"{answer['standard_error']:.2g}"
        places = len(error.partition(".")[2])
        assert f"{answer['score']:.{places}f} ± {error}" in text_of(page)
        assert "39 files will still be answered" in text_of(page)
        assert "As known now" in text_of(page)
        missing = client.post("/team/price", data=form)
        assert (missing.status_code, "Choose a file." in text_of(missing)) == (422, True)
        assert "/api/price" in text_of(client.get("/rules"))
    assert len(live.log()) == 1


@pytest.mark.parametrize("setting", [SETTING, SETTING + "+one_board"])
def test_the_organiser_is_told_whose_files_cost_as_much_as_random_numbers(setting, tmp_path):
    """By the public rows alone: those that the meter measures."""
    rules = Rules.of(setting, "mse", seed=3)
    live, token = LiveBoard.create(f"sqlite:///{tmp_path}/board.db", rules, truth())
    rng = np.random.default_rng(4)
    for file in files(10):
        live.submit("ada", file)
        live.submit("eve", CENTRE + SCALE * rng.normal(size=ROWS))
        live.submit(
            "bob", np.where(np.arange(ROWS) < PUBLIC, file, CENTRE + SCALE * rng.normal(size=ROWS))
        )
    said = "% of what random numbers cost on a meter"
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        rows = [row for row in client.get("/organiser/alerts").text.split("<tr>") if said in row]
    assert ["<bdi>eve</bdi>" in row for row in rows] == [True]


def test_boards_without_prices_say_so(tmp_path):
    live = board(tmp_path, "full_disclosure")
    token = live.register("a")
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        page = client.get("/team")
        assert "What would it cost?" not in page.text
        assert "/api/price" not in client.get("/rules").text
        sent = csv(files(1)[0])
        answer = httpx.post(f"{url}/api/price", content=sent, headers=bearer(token))
        assert answer.status_code == 422
        assert "This board has no prices" in answer.json()["error"]


def test_teams_that_share_a_meter_are_told_no_prices(tmp_path):
    live = board(tmp_path, SETTING + "+one_board")
    token = live.register("a")
    with Server(app(live, limits=FREE)) as url, signed_in(url, token) as client:
        assert "What would it cost?" not in client.get("/team").text
        assert "/api/price" not in client.get("/rules").text
        sent = csv(files(1)[0])
        answer = httpx.post(f"{url}/api/price", content=sent, headers=bearer(token))
        assert answer.status_code == 422
        assert "prices would tell you what others have sent" in answer.json()["error"]


def test_one_account_cannot_drain_a_meter_that_all_share(tmp_path):
    """Random numbers cost most; a quarter is all that an account may use."""
    live, sent = board(tmp_path, "metered(files=40,gain=4.9,share=0.25)+one_board"), files(8)
    rng, spent = np.random.default_rng(5), 0.0
    for k in range(16):
        file = CENTRE + SCALE * rng.normal(size=ROWS)
        quote = live.quote("eve", file)
        assert quote.files_left == max(10 - k, 0)
        spent += quote.cost
        live.submit("eve", file)
    quote = live.quote("eve", sent[0])
    assert (quote.cost, quote.files_left) == (0.0, 0)
    assert quote.left == pytest.approx(quote.budget - spent)
    variance = truth().values[:PUBLIC].var(ddof=1)
    assert quote.budget == pytest.approx(0.25 * (4.9 * PUBLIC / variance - 1))
    ours = LiveBoard.open(f"sqlite:///{tmp_path}/board.db")  # restored: each team's use, too
    assert ours.quote("eve", sent[0]).files_left == 0
    (memory,) = (board.state.memory for board in ours._judge._boards.values())
    assert memory.files_left == 30
    for file in sent:
        quote = ours.quote("ada", file)
        assert quote.cost > 0.0
        assert ours.submit("ada", file).standard_error < 3.0 * quote.error
    assert ours.audit() == []


def test_a_submission_that_fails_between_judging_and_storing_leaves_no_trace(tmp_path, monkeypatch):
    """As if the process had been killed there: another file, or the same one, comes next."""
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
    live, alone, sent = board(tmp_path / "one"), board(tmp_path / "two"), files(5)
    for b in (live, alone):
        b.submit("a", sent[0], "k0")
    with monkeypatch.context() as broken:
        broken.setattr(audit, "append", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            live.submit("a", sent[4], "k1")
    assert live.quote("a", sent[1]) == alone.quote("a", sent[1])
    for k in (1, 2, 3):
        assert live.submit("a", sent[k], f"k{k}").score == alone.submit("a", sent[k], f"k{k}").score
    again = live.submit("a", sent[2], "k2")
    assert (again.number, again.score) == (3, live.submit("a", sent[2], "k2").score)
    assert live.quote("a", sent[4]) == alone.quote("a", sent[4])
    assert live.audit() == []


def test_teams_that_send_the_same_files_at_once_get_noise_of_their_own(tmp_path):
    first = board(tmp_path)
    second, sent = LiveBoard.open(f"sqlite:///{tmp_path}/board.db"), files(6)
    got = scores_at_once([(first, "a"), (second, "b"), (first, "c")], sent)
    assert all(len(set(scores)) == 3 for scores in zip(*got.values(), strict=True))
    assert first.audit() == second.audit() == []


def read(live, file, shown):
    """The answer to the first file of a team, its noise, and what it measures."""
    release, public = live.rules.mechanism.release, truth().public
    (u,), (rest,) = measured_by(find("mse"), release.unit.without(file[public][None]))
    account = Account.opened(PUBLIC, release.metering(PUBLIC, False))
    answer, sd, _ = MeteredAnswers(account).read(u, rest - shown / release.unit.variance)
    return answer, sd, u


def test_a_board_put_back_to_a_backup_does_not_give_its_noise_away(tmp_path):
    """Another file gets the number of one that was answered after the backup, and its noise."""
    live, rng = board(tmp_path, "metered(files=40,gain=1)"), np.random.default_rng(6)
    backup(f"sqlite:///{tmp_path}/board.db", tmp_path / "old.db")
    old, told = LiveBoard.open(f"sqlite:///{tmp_path}/old.db"), []
    for b in (live, old):
        file = CENTRE + SCALE * rng.normal(size=ROWS)
        answer, sd, u = read(live, file, b.submit("a", file).score)
        told.append((answer / sd, u / sd))
    y = live.rules.mechanism.release.unit.without(truth().values[truth().public][None])[0]
    off = (told[0][0] - told[1][0]) - y @ (told[0][1] - told[1][1])
    assert abs(off) > 0.01  # with the same noise 1e-5, by the digits of the scores


def test_prices_on_one_board_tell_a_team_what_another_has_sent(tmp_path):
    """Squares of standard errors are quadratic in the file, so 2 n prices give a column away.

    The change of the column is a combination of the other file and one's own, and of the first row,
    because the odds of the scales change.
    """
    live, rows = board(tmp_path, SETTING + "+one_board"), np.flatnonzero(truth().public)
    rng, of = np.random.default_rng(8), live.rules.mechanism.release.unit
    mine, theirs = CENTRE + SCALE * rng.normal(size=(2, ROWS))
    live.submit("eve", mine)

    def variance(*changed):
        file = np.full(ROWS, CENTRE)
        file[list(changed)] += 300.0 * SCALE
        return live.quote("eve", file).error_now ** 2

    def column():
        alone = np.array([variance(k) for k in rows])
        pairs = np.array([variance(k, rows[0]) for k in rows[1:]])
        return np.append(alone[0], 0.5 * (pairs - alone[1:] - alone[0]))

    before = column()
    live.submit("ada", theirs)
    fell = before - column()
    own, secret = (of.without(file[rows][None])[0] for file in (mine, theirs))
    known = np.column_stack([fell, own, np.ones(PUBLIC), np.eye(PUBLIC)[0]])
    guess = known @ np.linalg.lstsq(known, secret, rcond=None)[0]
    assert np.corrcoef(guess, secret)[0, 1] > 0.999
    assert len(live.log()) == 2  # all for nothing


def test_files_that_tell_nothing_use_up_nothing_of_a_shared_meter(tmp_path):
    """Constant files cost no degrees of freedom, and do not count as files."""
    live = board(tmp_path, "metered(files=6,gain=4.9,share=0.34)+one_board")
    for k in range(9):
        live.submit(f"eve{k // 3}", np.full(ROWS, CENTRE))
    quote = live.quote("ada", files(1)[0])
    assert quote.cost > 0.0
    assert quote.files_left == 3  # ada's part of six
    assert quote.left == pytest.approx(quote.budget)

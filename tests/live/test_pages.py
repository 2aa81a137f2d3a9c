"""What pages say of the board's state, of what is left, of final files and of times."""

import re

import httpx
import pytest
from sqlalchemy import select

from shakedown.live.answers import shown_to
from shakedown.live.standings import standings
from shakedown.live.tables import TEAMS
from shakedown.live.web import Server, app
from tests.live.surfing import FREE, bearer, csv, form_token, made, signed_in
from tests.live.test_live_board import submissions
from tests.live.test_quotas import DIGEST, HOUR, Clock

ZONE = {"zone": "Europe/Berlin", "opens": "2026-03-28T12:00", "closes": "2026-03-30T12:00"}


def text_of(page):
    return " ".join(re.sub("<[^>]+>", " ", page.text).split())


def test_before_the_start_while_it_runs_and_after_the_end(tmp_path):
    now = Clock("2026-03-28T10:59:59")  # 11:59:59 in Berlin
    board, tokens = made(tmp_path, now=now, per_team=5, per_day=2, **ZONE)
    head = bearer(tokens["team"])
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["team"]) as client:
        assert "Not open yet: the board opens 2026-03-28 12:00:00 CET" in text_of(client.get("/"))
        page = client.get("/team")
        assert "files are accepted from 2026-03-28 12:00:00 CET on" in text_of(page)
        assert 'type="file"' not in page.text
        assert client.get("/api/board").json()["state"] == "before the start"
        now.at += 10**6
        assert "Open until 2026-03-30 12:00:00 CEST" in text_of(client.get("/"))
        assert "You have 5 submissions left, 2 of them today." in text_of(client.get("/team"))
        client.post("/api/submissions", content=csv(), headers=head)
        page = client.get("/team")
        assert "You have 4 submissions left, 1 of them today." in text_of(page)
        assert 'type="file"' in page.text
        assert "Received (Europe/Berlin)" in text_of(page)
        assert "2026-03-28 12:00:00" in text_of(page)
        assert 'datetime="2026-03-28T11:00:00Z"' in page.text
        told = client.get("/api/history", headers=head).json()
        assert (told["left"], told["left_today"], told["state"]) == (4, 1, "open")
        assert told["answers"][0]["received"] == "2026-03-28T11:00:00Z"
        assert "Opens 2026-03-28 12:00:00 CET." in text_of(client.get("/rules"))
        now.at += 13 * HOUR
        assert "You have 4 submissions left, 2 of them today." in text_of(client.get("/team"))
        now.at += 40 * HOUR
        page = client.get("/team")
        assert 'type="file"' not in page.text
        assert "Closed since 2026-03-30 12:00:00 CEST: no more files" in text_of(page)
        assert "The final table is not published yet" in text_of(client.get("/"))
        said = client.get("/api/board").json()
        assert (said["state"], said["closes"]) == ("closed", "2026-03-30T10:00:00Z")
        assert said["final"] is None


def test_what_others_have_left_is_told_to_nobody(tmp_path):
    board, tokens = made(tmp_path, in_total=3)
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["team"]) as client:
        pages = []
        for k, file in enumerate(submissions(2)):
            pages.append(text_of(client.get("/team")))
            board.submit("theirs", file, f"k{k}")
        assert pages[0] == pages[1] == text_of(client.get("/team"))
        board.submit("theirs", submissions(3)[2], "k2")
        assert "All teams together have made all" in text_of(client.get("/team"))


def test_the_final_table_is_shown_when_it_is_published(tmp_path):
    board, tokens = made(tmp_path)
    files = submissions(6)
    for k, file in enumerate(files):
        board.submit(("ours", "theirs")[k % 2], file, f"k{k}")
    with (
        Server(app(board, limits=FREE)) as url,
        signed_in(url, tokens["team"]) as client,
        signed_in(url, tokens["organiser"]) as organiser,
    ):
        form = {"form_token": form_token(organiser.get("/organiser")), "sure": "yes"}
        assert organiser.post("/organiser/publish", data=form).status_code == 422
        assert organiser.post("/organiser/close", data=form).status_code == 200
        assert "Final table" not in client.get("/").text
        assert client.post("/organiser/publish", data=form).status_code == 403
        unsure = organiser.post("/organiser/publish", data=form | {"sure": "no"})
        assert "still secret" in unsure.text
        assert client.get("/api/board").json()["final"] is None
        organiser.post("/organiser/publish", data=form)
        page = client.get("/")
        assert "Final table" in page.text
        assert page.text.count('<tr class="own">') == 2
        final = client.get("/api/board").json()["final"]
        assert [row["place"] for row in final] == [1, 2]
        assert {row["team"] for row in final} == {"ours", "theirs"}
        for row in final:
            assert f"{row['score']:.6g}" in page.text
        assert "is published" in text_of(client.get("/team"))


def test_a_team_names_its_final_file_on_its_page_and_by_program(tmp_path):
    board, tokens = made(tmp_path)
    for k, file in enumerate(submissions(6)):
        board.submit(("ours", "theirs")[k % 2], file, f"k{k}")
    head = bearer(tokens["team"])
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["team"]) as client:
        page = client.get("/team")
        assert "You have named none" in page.text
        form = {"form_token": form_token(page)}
        for wrong in ("", "0", "9", "x", "1" * 30):
            assert client.post("/team/final", data=form | {"number": wrong}).status_code == 422
        assert client.post("/team/final", data={"number": "2"}).status_code == 403
        page = client.post("/team/final", data=form | {"number": "2"})
        assert "It is submission 2 ." in text_of(page)
        assert client.get("/api/history", headers=head).json()["final"] == "k2"
        answer = httpx.post(f"{url}/api/final", content=b"k4", headers=head)
        assert answer.json() == {"version": 1, "team": "ours", "final": "k4", "number": 3}
        for wrong in (b"k1", b"", b"\xff", b"a\x00"):
            answer = httpx.post(f"{url}/api/final", content=wrong, headers=head)
            assert answer.status_code == 422, wrong
            assert "No final file was named" in answer.json()["error"]
        assert httpx.post(f"{url}/api/final", content=b"k4").status_code == 401
        with signed_in(url, tokens["other team"]) as other:
            assert "You have named none" in other.get("/team").text
        board.close()
        assert httpx.post(f"{url}/api/final", content=b"k0", headers=head).status_code == 422
        assert client.post("/team/final", data=form | {"number": "1"}).status_code == 422
        page = client.get("/team")
        assert "It is submission 3 ." in text_of(page)
        assert 'name="number"' not in page.text
    assert board.audit() == []


def test_the_organiser_is_asked_before_a_token_ends(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["organiser"]) as client:
        form = {"form_token": form_token(client.get("/organiser")), "team": "ours"}
        asked = client.post("/organiser/teams", data=form)
        assert asked.status_code == 409
        assert 'id="token"' not in asked.text
        assert 'id="again"' in asked.text
        assert httpx.get(f"{url}/api/history", headers=bearer(tokens["team"])).status_code == 200
        given = client.post("/organiser/teams", data=form | {"again": "yes"})
        token = re.search('id="token">(.+?)<', given.text)[1]
        assert httpx.get(f"{url}/api/history", headers=bearer(tokens["team"])).status_code == 401
        assert httpx.get(f"{url}/api/history", headers=bearer(token)).status_code == 200


def test_receipts_and_the_organisers_head_stand_for_the_log(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=FREE)) as url, signed_in(url, tokens["organiser"]) as client:
        answer = httpx.post(f"{url}/api/submissions", content=csv(), headers=bearer(tokens["team"]))
        board.register("third")
        head = re.search(
            'Head of the log: <code class="head">(.+?)<', client.get("/organiser").text
        )
        assert head[1] == board.head()[0] != answer.json()["head"]
        assert board.audit([head[1], answer.json()["head"]]) == []


@pytest.mark.parametrize("setting", ["full_disclosure", "ladder(alpha=0.15)+baseline", DIGEST])
def test_the_public_board_shows_each_team_what_it_sees(setting, tmp_path):
    """One query for all teams gives what `shown_to` gives for each."""
    now = Clock("2026-03-28T12:00")
    board, _ = made(tmp_path, setting, now=now, **ZONE)
    for k, file in enumerate(submissions(24)):
        board.submit("abcde"[k * k % 5], file, f"k{k}")
        now.at += 2 * HOUR
        with board.reading() as (connection, board_id, at):
            rows = standings(connection, board_id, board.rules, board.start, at)
            of_name = select(TEAMS.c.name, TEAMS.c.id)
            teams = dict(connection.execute(of_name).tuples().all())
            for row in rows:
                wanted = shown_to(connection, board.rules, board.start, teams[row.team], at)
                assert row.score == wanted
        if now.at >= board.rules.closes:
            break
    assert len(rows) >= 3


def test_the_kept_board_follows_each_change(tmp_path):
    """From the page's own process and from others, by files and by the clock."""
    now = Clock("2026-03-28T12:00")
    board, _ = made(tmp_path, DIGEST, now=now, **ZONE)
    other = type(board).open(f"sqlite:///{tmp_path}/board.db", now=now)
    made_app = app(board, limits=FREE)
    public = made_app.state.desk.public
    first = public.view()
    assert public.view() is first
    other.submit("ours", board.truth.values * 0.9)
    second = public.view()
    assert [row.team for row in second.rows] == ["ours"]
    before = second.rows[0].score
    now.at += 24 * HOUR
    assert public.view().rows[0].score < before
    kept = public.view()
    now.at += 1
    assert public.view() is kept
    other.close()
    assert public.view().moment.state == "closed"
    assert public.view().fields["closes"] == "2026-03-29T12:00:00Z"  # a day before its rules say
    other.publish()
    assert public.view().final[0].team == "ours"

"""The page of a board: what each role sees, and what it keeps to itself."""

import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest
from sqlalchemy import select

from shakedown.interface import InputError
from shakedown.live.live_board import LiveBoard
from shakedown.live.tables import DECISIONS
from shakedown.live.version import VERSION
from shakedown.live.web import Limits, Server, app, serve
from shakedown.live.web.desk import DIGIT, POINT, decimals_of, shown_score
from shakedown.live.web.guard import EACH, RateLimit, Sessions
from tests.live.surfing import FREE, bearer, csv, form_token, made, signed_in, unprotected

ROLES = (None, "team", "other team", "organiser")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture
def served(tmp_path):
    board, tokens = made(tmp_path, per_team=50)
    with Server(app(board, limits=FREE)) as url:
        yield board, tokens, url


def test_a_team_submits_by_form_and_by_program_and_sees_its_answers(database_url):
    board, tokens = made(database_url, per_team=50)
    with Server(app(board, limits=FREE)) as url:
        _use(board, tokens, url)


def _use(board, tokens, url):
    with signed_in(url, tokens["team"]) as client:
        page = client.get("/team")
        form = {
            "form_token": form_token(page),
            "key": re.search('"key" value="(.+?)"', page.text)[1],
        }
        for _ in range(2):  # a second click
            page = client.post("/team", data=form, files={"file": ("a.csv", csv(0))})
        assert page.url.query == b"done=1"
        assert "Submission 1 was received" in page.text
        sent = [
            client.post("/api/submissions", content=csv(1), headers=bearer(tokens["team"]) | key)
            for key in [{"idempotency-key": "one"}, {"idempotency-key": "one"}, {}]
        ]
        assert [answer.json()["number"] for answer in sent] == [2, 2, 3]
        assert sent[0].json()["left"] == 48
        history = client.get("/api/history", headers=bearer(tokens["team"])).json()
        assert history["made"] == 3
        assert {"version": VERSION} | history["answers"][1] == sent[0].json()
        older = client.get("/api/history?before=2", headers=bearer(tokens["team"])).json()
        assert [answer["number"] for answer in older["answers"]] == [1]
        shown = client.get("/api/board").json()
        assert shown["next_update"] is None
        assert shown["teams"] == [{"place": 1, "team": "ours", "score": sent[2].json()["score"]}]
        assert '<tr class="own">' in client.get("/").text
    # The other team may use the same name for a submission, and sees nothing of the first.
    with signed_in(url, tokens["other team"]) as client:
        key = {"idempotency-key": "one"}
        first = client.post(
            "/api/submissions", content=csv(2), headers=bearer(tokens["other team"]) | key
        )
        assert first.json()["number"] == 1
        assert "ours" not in client.get("/team").text
        assert "ours" in client.get("/").text
    with signed_in(url, tokens["organiser"]) as client:
        assert "nats</b> so far" in client.get("/organiser").text
        assert client.get("/organiser/alerts").status_code == 200
        form = {"form_token": form_token(client.get("/organiser"))}
        assert "the board is the same" in client.post("/organiser/audit", data=form).text


def test_a_file_with_an_error_is_not_counted(served):
    board, tokens, url = served
    with signed_in(url, tokens["team"]) as client:
        form = {"form_token": form_token(client.get("/team"))}
        bad = re.sub(b"r3,.*", b"r3,nan", csv(0))
        page = client.post("/team", data=form, files={"file": ("a.csv", bad)})
        assert page.status_code == 422
        assert 'id="error"' in page.text
        script = csv(0).replace(b"r3,", b"<script>r3</script>,")
        page = client.post("/team", data=form, files={"file": ("a.csv", script)})
        assert page.status_code == 422
        assert "is not known" in page.text
        assert "<script" not in page.text
        page = client.post("/team", data=form)
        assert "Choose a file." in page.text
        answer = client.post("/api/submissions", content=bad, headers=bearer(tokens["team"]))
        assert answer.status_code == 422
        assert set(answer.json()) == {"version", "error"}
        long = bearer(tokens["team"]) | {"idempotency-key": "x" * 101}
        assert "1 to 100" in client.post("/api/submissions", content=csv(), headers=long).text
        assert client.get("/api/history", headers=bearer(tokens["team"])).json()["made"] == 0


def test_every_answer_to_a_program_has_a_version(tmp_path):
    board, tokens = made(tmp_path)
    limits = replace(FREE, submissions=2, failures=2, largest=10_000)
    with Server(app(board, limits=limits)) as url, httpx.Client(base_url=url) as client:
        head, path = bearer(tokens["team"]), "/api/submissions"
        answers = [
            client.get("/api/board"),
            client.get("/api/history", headers=head),
            client.post(path, content=csv(), headers=head),
            client.get("/api/history"),
            client.get("/api/history", headers=bearer(tokens["organiser"])),
            client.get("/api/nothing"),
            client.get(path),
            client.post(path, content=iter([b"r0,1"]), headers=head),
            client.post(path, content=b"0" * 100_000, headers=head),
            client.post(path, content=b"id", headers=head),
            client.post(path, content=csv(), headers=head),
            client.post(path, content=csv(), headers=head | {"sec-fetch-site": "cross-site"}),
        ]
    codes = [200, 200, 200, 401, 403, 404, 405, 411, 413, 422, 429, 403]
    assert [answer.status_code for answer in answers] == codes
    for answer in answers:
        assert next(iter(answer.json().items())) == ("version", VERSION)
        assert ("error" in answer.json()) == (answer.status_code != 200)


def test_the_organiser_registers_audits_and_closes(served, tmp_path):
    board, tokens, url = served
    with signed_in(url, tokens["organiser"]) as client:
        form = {"form_token": form_token(client.get("/organiser"))}
        page = client.post("/organiser/teams", data=form | {"team": "new <team>"})
        token = re.search('id="token">(.+?)<', page.text)[1]
        assert "new &lt;team&gt;" in page.text
        assert token not in client.get("/organiser").text
        board.submit("ours", board.truth.values * 0.5)
        assert "4.7 nats" not in page.text
        assert "nats</b> so far" in client.get("/organiser").text
        assert "printable" in client.post("/organiser/teams", data=form | {"team": "a\u202eb"}).text
        assert "the board is the same" in client.post("/organiser/audit", data=form).text
        assert "Tick the box" in client.post("/organiser/close", data=form).text
        log = client.get("/organiser/log").text
        assert "register" in log
        older = client.get("/organiser/log?before=2").text
        assert "create" in older
        assert "register" not in older
        assert client.get("/organiser/alerts").status_code == 200
        assert "Closed 20" in client.post("/organiser/close", data=form | {"sure": "yes"}).text
    answer = httpx.post(f"{url}/api/submissions", content=csv(), headers=bearer(token))
    assert answer.status_code == 422
    assert "The board closed" in answer.json()["error"]
    with unprotected(tmp_path / "board.db") as tables:
        tables.execute("update releases set released = 0.123")
    with signed_in(url, tokens["organiser"]) as client:
        form = {"form_token": form_token(client.get("/organiser"))}
        assert "differs from its log" in client.post("/organiser/audit", data=form).text


def digits(number: float) -> str:
    return f"{abs(number):.4g}"


def secrets_of(board) -> set[str]:
    """The secret numbers of a board to 4 digits, except those that are shown anyway."""
    with board.reading() as (connection, _, _):
        rows = connection.execute(select(DECISIONS.c.score_public, DECISIONS.c.score_final)).all()
    numbers = [*board.truth.values, *(score for row in rows for score in row), board.rules.seed]
    return {
        digits(number)
        for number in numbers
        if len(digits(number).replace(".", "").lstrip("0")) == 4
    }


def paths_of(routes):
    """The paths of all routes; newer versions of FastAPI keep included routers whole."""
    for route in routes:
        if hasattr(route, "path"):
            yield route.path
        else:
            yield from paths_of(route.original_router.routes)


def walked(board, tokens, url):
    """All answers of all routes to all roles: (role, method, path, form), and the answer."""
    paths = set(paths_of(app(board).routes))
    assert {"/", "/team", "/organiser/log", "/api/submissions"} <= paths
    paths |= {"/docs", "/openapi.json", "/team?before=2&done=1", "/organiser/log?before=3",
              "/api/history?before=2", "/api/board?full=1", "/board.db", "/../board.db",
              "/static/../board.db", "/team/theirs", "/nothing"}  # fmt: skip
    # Signing out comes last, and audits and closing change the board.
    paths = sorted(paths - {"/logout", "/organiser/close", "/organiser/audit"})
    for role in ROLES:
        with signed_in(url, tokens.get(role)) as client:
            head = bearer(tokens[role]) if role else {}
            for path in [*paths, "/organiser/close", "/organiser/audit", "/logout"]:
                for method in METHODS:
                    for given in (None, "form") if method == "POST" else (None,):
                        data = None
                        if given:
                            token = form_token(client.get("/login"))
                            data = {"form_token": token, "team": "x", "token": "y", "key": "z"}
                        yield (
                            (role, method, path, given),
                            client.request(method, path, headers=head, data=data),
                        )


def test_no_route_tells_any_role_a_secret(tmp_path):
    board, tokens = made(tmp_path)
    for k in range(6):
        board.submit(("ours", "theirs")[k % 2], board.truth.values * 0.1 * k)
    wanted = secrets_of(board)
    assert len(wanted) > 40
    statuses = {}
    with Server(app(board, limits=FREE)) as url:
        for what, answer in walked(board, tokens, url):
            statuses[what] = answer.status_code
            text = answer.text + str(answer.headers)
            assert not [secret for secret in wanted if secret in text], what
            for word in ("score_public", "score_final", "in_force", "accepted\"", "Traceback",
                         "sqlite", str(tmp_path), *tokens.values()):  # fmt: skip
                assert word not in text, (what, word)
            assert answer.status_code < 500, what
    for (role, method, path, _), status in statuses.items():
        if path.startswith("/organiser") and role != "organiser":
            assert status in (403, 405, 411), (role, method, path)
        if path == "/team" and role in (None, "organiser"):
            assert status in (403, 405, 411), (role, method, path)
    assert statuses["team", "GET", "/team", None] == 200
    assert statuses["organiser", "GET", "/organiser/log", None] == 200
    assert {status for (*_, p, _), status in statuses.items() if p in ("/board.db", "/docs")} <= {
        404, 411}  # fmt: skip


def test_what_is_shown_does_not_depend_on_decisions_and_scores(tmp_path):
    board, tokens = made(tmp_path)
    for k in range(6):
        board.submit(("ours", "theirs")[k % 2], board.truth.values * 0.1 * k)
    pages = ("/", "/rules", "/team", "/organiser", "/organiser/log", "/organiser/alerts",
             "/api/board", "/api/history")  # fmt: skip

    def seen():
        with Server(app(LiveBoard.open(f"sqlite:///{tmp_path}/board.db"), limits=FREE)) as url:
            for role in ROLES:
                with signed_in(url, tokens.get(role)) as client:
                    head = bearer(tokens[role]) if role else {}
                    for page in pages:
                        text = client.get(page, headers=head).text.replace(url, "")
                        yield re.sub('name="(form_token|key)" value=".+?"', "", text)

    before = list(seen())
    with unprotected(tmp_path / "board.db") as tables:
        tables.execute(
            "update decisions set accepted = 1 - accepted, refused = 1 - refused,"
            " in_force = in_force + 1, score_public = 7.0, score_final = 8.0"
        )
    assert list(seen()) == before


def test_a_failure_says_nothing(served, monkeypatch):
    board, tokens, url = served

    def fail(*_):
        raise RuntimeError("truth 1.2345")

    monkeypatch.setattr(board, "submit", fail)
    answer = httpx.post(f"{url}/api/submissions", content=csv(), headers=bearer(tokens["team"]))
    assert answer.status_code == 500
    assert "1.2345" not in answer.text
    assert "counted once" in answer.json()["error"]
    assert "frame-ancestors" in answer.headers["content-security-policy"]


def test_forms_need_their_token_and_come_from_this_site(served):
    board, tokens, url = served
    with signed_in(url, tokens["organiser"]) as client, signed_in(url, tokens["team"]) as other:
        for wrong in (None, "", "é", "0" * 64, form_token(other.get("/team"))):
            data = {"sure": "yes"} | ({} if wrong is None else {"form_token": wrong})
            assert client.post("/organiser/close", data=data).status_code == 403
        data = {"sure": "yes", "form_token": form_token(client.get("/organiser"))}
        for site in ("cross-site", "same-site"):
            answer = client.post("/organiser/close", data=data, headers={"sec-fetch-site": site})
            assert answer.status_code == 403
        assert "Close the board" in client.get("/organiser").text
        assert "Closed" not in client.get("/organiser").text
        # A token that was on a page before somebody signed in is worth nothing afterwards.
        early = form_token(httpx.get(f"{url}/login"))
        assert client.post("/logout", data={"form_token": early}).status_code == 403
        client.post("/logout", data=data)
        assert client.get("/organiser").status_code == 403


def test_sessions_end_with_their_token(served):
    board, tokens, url = served
    with signed_in(url, tokens["team"]) as client:
        assert client.get("/team").status_code == 200
        board.register("ours")
        assert client.get("/team").status_code == 403
    answer = httpx.get(f"{url}/api/history", headers=bearer(tokens["team"]))
    assert answer.status_code == 401
    assert httpx.get(f"{url}/api/history").status_code == 401
    assert httpx.get(f"{url}/api/history", headers=bearer(tokens["organiser"])).status_code == 403


def test_headers_and_cookies_protect_each_answer(served):
    _, tokens, url = served
    for path in ("/", "/login", "/style.css", "/api/board", "/nothing", "/team"):
        answer = httpx.get(url + path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        assert "<script" not in answer.text
        assert "style=" not in answer.text
    page = httpx.get(f"{url}/login")
    data = {"token": tokens["team"], "form_token": form_token(page)}
    answer = httpx.post(f"{url}/login", data=data, cookies=page.cookies)
    for cookie in answer.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie


def test_large_requests_are_refused_before_they_are_read(tmp_path):
    board, tokens = made(tmp_path)
    limits = replace(FREE, largest=10_000)
    with Server(app(board, limits=limits)) as url:
        head = bearer(tokens["team"])

        def endless():
            while True:
                yield b"r0,1\n" * 1000

        answer = httpx.post(f"{url}/api/submissions", content=endless(), headers=head)
        assert answer.status_code == 411
        # The server answers although the body never comes.
        import socket

        with socket.create_connection(tuple(url[7:].split(":"))) as line:
            line.sendall(b"POST /api/submissions HTTP/1.1\r\nHost: x\r\n"
                         b"Content-Length: 1000000000\r\n\r\n")  # fmt: skip
            assert b" 413 " in line.recv(1000)
        big = httpx.post(f"{url}/login", data={"token": "x" * 100_000})
        assert big.status_code == 413


def test_rates_are_limited(tmp_path):
    board, tokens = made(tmp_path)
    limits = Limits(requests=60, failures=3, submissions=2, pace=0.0)
    with Server(app(board, limits=limits)) as url:
        head = bearer(tokens["team"])
        sent = [
            httpx.post(f"{url}/api/submissions", content=csv(k), headers=head) for k in range(3)
        ]
        assert [answer.status_code for answer in sent] == [200, 200, 429]
        assert sent[2].headers["retry-after"] == "60"
        wrong = [httpx.get(f"{url}/api/history", headers=bearer("x")) for _ in range(4)]
        assert [answer.status_code for answer in wrong] == [401, 401, 401, 429]
        # One more is allowed with each second that they take.
        with httpx.Client() as client:
            statuses = [200]
            while statuses[-1] == 200 and len(statuses) < 2000:
                statuses.append(client.get(f"{url}/style.css").status_code)
        assert len(statuses) > 60 - len(sent + wrong)
        assert statuses[-1] == 429


def test_a_rate_recovers_and_forgets_the_oldest():
    at = [0.0]
    limit = RateLimit(2, lambda: at[0])
    assert [limit.take("a") for _ in range(3)] == [True, True, False]
    assert limit.take("b")
    at[0] = 30.0
    assert [limit.take("a") for _ in range(2)] == [True, False]


def test_a_session_ends_by_itself():
    at = [0.0]
    sessions = Sessions(lambda: at[0])
    name = sessions.start("hash")
    assert sessions.token_hash(name) == "hash"
    assert sessions.token_hash("other") is None
    at[0] = 13 * 3600.0
    assert sessions.token_hash(name) is None


@pytest.mark.parametrize("name", [
    "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "שלום עליכם",
    "\"'><img src=x onerror=alert(1)>", "{{ 7*7 }}",
])  # fmt: skip
def test_hostile_names_are_text(name, tmp_path):
    board, tokens = made(tmp_path)
    token = board.register(name)
    board.submit(name, board.truth.values * 0.5, "<i>key</i>")
    with Server(app(board, limits=FREE)) as url:
        for own, paths in ((token, ["/", "/team"]),
                           (tokens["organiser"], ["/organiser", "/organiser/log"])):  # fmt: skip
            with signed_in(url, own) as client:
                for path in paths:
                    text = client.get(path).text
                    assert "<script" not in text
                    assert "<img" not in text
                    assert "<i>" not in text
                    assert "49" not in re.findall("<bdi>(.*?)</bdi>", text)
        assert httpx.get(f"{url}/api/board").json()["teams"][0]["team"] == name


def test_many_visitors_at_once_are_all_answered(database_url):
    board, _ = made(database_url)
    tokens = [board.register(f"team {k}") for k in range(20)]

    def visit(token):
        with httpx.Client(base_url=url, timeout=60, headers=bearer(token)) as client:
            for k in range(3):
                sent = client.post("/api/submissions", content=csv(k))
                yield sent.status_code, sent.json().get("number") == k + 1
                yield client.get("/").status_code, True
                history = client.get("/api/history")
                yield history.status_code, history.json()["made"] == k + 1

    with Server(app(board, limits=FREE)) as url, ThreadPoolExecutor(20) as pool:
        seen = [
            result for team in pool.map(lambda token: list(visit(token)), tokens) for result in team
        ]
    assert seen == [(200, True)] * 180
    assert len(board.log()) == 60


def test_scores_line_up_and_have_no_decimals_of_others():
    scores = [0.5, -12.25, None, 3.0]
    assert decimals_of(scores) == 2
    wanted = [f"0.5{DIGIT}", "−12.25", "–", f"3{POINT}{DIGIT}{DIGIT}"]
    assert [shown_score(score, 2) for score in scores] == wanted
    assert shown_score(3.0, 0) == "3"
    assert shown_score(0.3, decimals_of([0.3, 0.123456])).strip(DIGIT) == "0.3"
    assert decimals_of([0.5, 1e-9]) is None
    assert shown_score(1e-9, None) == "1e−09"
    assert decimals_of([None]) is None


def test_answers_wait_for_the_pace(tmp_path):
    """Only that it waits: no time is asserted from above."""
    board, tokens = made(tmp_path)
    with Server(app(board, limits=replace(FREE, pace=0.4))) as url:
        began = time.monotonic()
        sent = httpx.post(f"{url}/api/submissions", content=csv(), headers=bearer(tokens["team"]))
        assert sent.status_code == 200
        assert time.monotonic() - began >= 0.4


def test_a_digest_moves_on_its_clock_on_the_page(tmp_path):
    at = [10**15]
    opens, closes = "2001-09-09T01:46:40", "2001-09-11T01:46:40"
    board, tokens = made(tmp_path, "digest(eta=0.05,every=5,updates=2,floor=0.3)", lambda: at[0],
                         opens=opens, closes=closes)  # fmt: skip
    start = board.start
    board.submit("ours", board.truth.values * 0.9)
    with Server(app(board, limits=FREE)) as url:
        shown = [httpx.get(f"{url}/api/board").json()["teams"][0]["score"]]
        assert shown[0] == pytest.approx(start, rel=1e-5)
        at[0] += 86_400 * 10**6 + 1
        assert httpx.get(f"{url}/api/board").json()["teams"][0]["score"] < shown[0]
        with signed_in(url, tokens["team"]) as client:
            # The history keeps what was shown at the time.
            assert "Next update: 2001-09-11" in client.get("/").text
            answers = client.get("/api/history", headers=bearer(tokens["team"])).json()["answers"]
            assert answers[0]["score"] == shown[0]


def test_a_port_that_is_taken_is_said(tmp_path):
    board, _ = made(tmp_path)
    with Server(app(board)) as url, pytest.raises(InputError, match="wanted a free one"):
        serve(f"sqlite:///{tmp_path}/board.db", port=int(url.rsplit(":", 1)[1]))


def test_nobody_ends_the_sessions_of_others():
    sessions = Sessions()
    first = sessions.start("ada")
    names = [sessions.start("eve") for _ in range(30)]
    assert sessions.token_hash(first) == "ada"
    assert sum(sessions.token_hash(name) is not None for name in names) == EACH
    assert sessions.token_hash(names[-1]) == "eve"


def test_wrong_tokens_do_not_keep_out_others_at_the_same_address(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=replace(FREE, failures=2))) as url:
        wrong = [httpx.get(f"{url}/api/history", headers=bearer("x")) for _ in range(4)]
        assert [answer.status_code for answer in wrong] == [401, 401, 429, 429]
        right = httpx.get(f"{url}/api/history", headers=bearer(tokens["team"]))
        assert right.status_code == 200


def test_long_fields_of_forms_are_refused_before_they_are_decoded(served):
    # The sender names the encoding; punycode takes a time that grows with the square.
    _, tokens, url = served
    with signed_in(url, tokens["team"]) as client:
        body = b'--x\r\nContent-Disposition: form-data; name="key"\r\n\r\n' + b"9" * 8000
        head = {"content-type": "multipart/form-data; boundary=x; charset=punycode"}
        for path in ("/login", "/team"):
            sent = client.post(path, content=body + b"\r\n--x--\r\n", headers=head)
            assert sent.status_code == 400
            assert "exceeded maximum size" in sent.text


def test_a_client_that_stops_sending_is_given_up(tmp_path):
    board, tokens = made(tmp_path)
    with Server(app(board, limits=replace(FREE, patience=0.2))) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as slow:
            head = f"POST /api/submissions HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n"
            head += f"Authorization: Bearer {tokens['team']}\r\n\r\nid,pred"
            slow.sendall(head.encode())
            answered = slow.recv(100)
        assert not answered or b" 200 " not in answered.split(b"\r\n")[0]
        assert httpx.get(url).status_code == 200
    assert not len(board.log())


def test_parts_of_an_answer_do_not_wait_for_each_other(tmp_path):
    server = Server(app(made(tmp_path)[0], limits=FREE))
    with server:
        assert server.listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

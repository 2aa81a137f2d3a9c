"""A server with the routes of Grand Challenge that an external evaluation uses, and their rules."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN, PHASE = "t0ken", "11111111-1111-1111-1111-111111111111"
API = "/api/v1/evaluations/"


class GrandChallenge:
    """The evaluations of a phase.

    Attributes
    ----------
    evaluations : dict
        By id: the answer of the API, with `state`, and what was reported.
    images : dict
        Content of images by name; they lie on another server, to which this one redirects.
    broken : list of str
        Ends of routes: the next request to each is carried out, and its answer is lost.
    asked : list of str
        Requests.
    sent : list
        What the other server was sent as authorization.
    """

    def __init__(self):
        self.evaluations, self.images, self.broken, self.asked, self.sent = {}, {}, [], [], []
        self.evaluator = "evaluator"

    def add(self, number, username, image=b"image", **other):
        pk = f"00000000-0000-0000-0000-{number:012}"
        self.images[pk] = image
        self.evaluations[pk] = {
            "pk": pk, "created": f"2026-01-01T00:00:{number:02}Z", "state": "Queued",
            "submission": {
                "pk": pk.replace("0", "a", 1), "comment": "",
                "creator": None if username is None else {"username": username},
            },
            "algorithm_image": {"pk": pk, "image": f"{self.url}/media/{pk}.tar.gz"},
            "algorithm_model": None, "phase_pk": PHASE, "claimed_by": None, "report": None,
        } | other  # fmt: skip
        return pk

    def answer(self, method, route, report, token):
        """Status and answer to a request."""
        if token != f"Bearer {TOKEN}":
            return 401, {"detail": "Invalid token."}
        if (method, route) == ("GET", f"claimable_evaluations/?submission__phase={PHASE}"):
            waiting = [
                evaluation
                for evaluation in self.evaluations.values()
                if evaluation["state"] == "Queued"
            ]
            return 200, waiting[::-1]
        pk, action = route.strip("/").split("/")
        evaluation = self.evaluations[pk]
        claimed = evaluation["state"] == "External Execution In Progress"
        if (method, action) == ("PATCH", "claim"):
            if evaluation["state"] != "Queued":
                return 400, {"status": "You can only claim pending evaluations."}
            if any(
                other["claimed_by"] == self.evaluator and other["report"] is None
                for other in self.evaluations.values()
            ):
                return 400, {"status": "You can only claim one evaluation at a time."}
            evaluation |= {"state": "External Execution In Progress", "claimed_by": self.evaluator}
            return 200, evaluation
        assert (method, action) == ("PATCH", "update_external_evaluation")
        if not claimed:
            return 400, {"status": "You need to claim an evaluation before you can update it."}
        if evaluation["claimed_by"] != self.evaluator:
            return 403, {"status": "You do not have permission to update this evaluation."}
        if report["status"] not in ("Succeeded", "Failed"):
            return 400, {"status": ["Not a valid choice."]}
        if report["status"] == "Succeeded" and "metrics" not in report:
            return 400, {"non_field_errors": ["Metrics are required."]}
        if report["status"] == "Failed" and "error_message" not in report:
            return 400, {"non_field_errors": ["An error_message is required."]}
        evaluation |= {"state": report["status"], "report": report}
        return 200, report


def _handler(platform, media_of):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            if self.path.startswith("/media/"):
                return self._send(302, b"", Location=media_of() + self.path)
            return self._answer("GET")

        def do_PATCH(self):  # noqa: N802
            return self._answer("PATCH")

        def _answer(self, method):
            sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
            assert self.path.startswith(API)
            route = self.path.removeprefix(API)
            platform.asked.append(f"{method} {route}")
            code, answer = platform.answer(method, route, sent, self.headers.get("Authorization"))
            for end in platform.broken:
                if route.endswith(end):
                    platform.broken.remove(end)
                    self.close_connection = True
                    return
            self._send(code, json.dumps(answer).encode(), **{"Content-Type": "application/json"})

        def _send(self, code, body, **headers):
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    class Media(Handler):
        def do_GET(self):  # noqa: N802
            platform.sent.append(self.headers.get("Authorization"))
            self._send(200, platform.images[self.path.split("/")[-1].removesuffix(".tar.gz")])

    return Handler, Media


@contextmanager
def serving():
    """A `GrandChallenge` with its `url`."""
    platform = GrandChallenge()
    handler, media = _handler(platform, lambda: platform.media)
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for handler in (handler, media)]
    platform.url, platform.media = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    threads = [threading.Thread(target=server.serve_forever, args=(0.02,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield platform
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()

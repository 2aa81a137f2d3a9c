"""A fake EvalAI: the routes that a remote worker calls, with their checks, in this process."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TOKEN, QUEUE, CHALLENGE, PHASE = "t0ken", "my-queue", "41", 7
LABELS, SPLITS = {"mse"}, {"public_split"}


class FakeEvalAI:
    """The state of the platform.

    Attributes
    ----------
    submissions : dict
        By id.
    waiting : list of int
        Ids in the queue; a message stays there until it is deleted.
    updates : list of dict
        What was sent to update_submission.
    """

    def __init__(self):
        self.submissions, self.files, self.waiting, self.updates = {}, {}, [], []
        self.url = ""

    def add(self, pk, team, content, at="2026-03-01T10:00:00.000001Z"):
        """A submission, as EvalAI stores it; returns it."""
        self.files[f"/media/submission_{pk}.csv"] = content
        self.submissions[pk] = {
            "id": pk, "participant_team": team, "participant_team_name": f"Team {team}",
            "challenge_phase": PHASE, "created_by": 3, "status": "submitted",
            "input_file": f"{self.url}/media/submission_{pk}.csv", "submitted_at": at,
            "is_public": False, "submission_metadata": None,
        }  # fmt: skip
        self.waiting.append(pk)
        return self.submissions[pk]

    def rerun(self, pk, new):
        """A host's rerun: the old one is cancelled, a new one has the time of the old."""
        old = self.submissions[pk]
        self.add(new, old["participant_team"], self.files[f"/media/submission_{pk}.csv"])
        self.submissions[new]["submitted_at"] = old["submitted_at"]
        old["status"] = "cancelled"

    def answer(self, method, path, data):
        """Status and content of a response."""
        if method == "GET" and path == f"/api/jobs/challenge/queues/{QUEUE}/":
            if not self.waiting:
                return 200, {"body": None, "receipt_handle": None}
            body = {"submission_pk": self.waiting[0], "challenge_pk": 41, "phase_pk": PHASE}
            return 200, {"body": body, "receipt_handle": f"handle {self.waiting[0]}"}
        if method == "GET" and path.startswith("/api/jobs/submission/"):
            return 200, self.submissions[int(path.rsplit("/", 1)[1])]
        if method == "GET" and path == f"/api/challenges/challenge/phase/{PHASE}":
            return 200, {"id": PHASE, "codename": "dev"}
        if method == "POST" and path == f"/api/jobs/queues/{QUEUE}/":
            done = int(data["receipt_handle"].split()[1])
            self.waiting = [pk for pk in self.waiting if pk != done]
            return 200, {"success": "Message deleted successfully"}
        if path == f"/api/jobs/challenge/{CHALLENGE}/update_submission/":
            return self._update(method, data)
        return 404, {"detail": "Not found."}

    def _update(self, method, data):
        self.updates.append({"method": method} | data)
        status = data["submission_status"]
        if method == "PUT" and status == "FINISHED":
            for result in json.loads(data["result"]):
                if result["split"] not in SPLITS or set(result["accuracies"]) != LABELS:
                    return 400, {"error": "Following metrics are missing or invalid"}
                if not all(isinstance(v, int | float) for v in result["accuracies"].values()):
                    return 400, {"error": "Values for following metrics are not of float or int"}
        elif (method, status) not in {("PUT", "FAILED"), ("PATCH", "RUNNING")}:
            return 400, {"error": "Sorry, submission status is invalid"}
        self.submissions[int(data["submission"])]["status"] = status.lower()
        return 200, {"success": "Submission result has been successfully updated"}


@contextmanager
def serving():
    """A `FakeEvalAI` that answers at its `url`."""
    platform = FakeEvalAI()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self):
            length = int(self.headers.get("Content-Length") or 0)
            sent = parse_qs(self.rfile.read(length).decode(), keep_blank_values=True)
            data = {key: values[0] for key, values in sent.items()}
            if self.path in platform.files:
                # The store of files is another server, which must not see the token.
                status = 200 if self.headers["Authorization"] is None else 400
                content = platform.files[self.path]
            elif self.headers["Authorization"] != f"Bearer {TOKEN}":
                status, content = 401, b'{"detail": "Invalid token"}'
            else:
                status, answer = platform.answer(self.command, self.path, data)
                content = json.dumps(answer).encode()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = _serve

        def log_message(self, *_):
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    platform.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

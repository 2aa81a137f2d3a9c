"""What each answer carries, at the gate itself."""

import asyncio

import pytest

from shakedown.live.web.guard import HEADERS, Gatekeeper, Limits


def answered(scheme, method="GET"):
    """The headers and the body of an answer that passes the gate."""
    sent = []

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"page"})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "scheme": scheme, "method": method, "path": "/", "headers": []}
    gate = Gatekeeper(application, Limits(), frozenset(), "/health")
    asyncio.run(gate(scope, None, send))
    return {key.decode(): value.decode() for key, value in sent[0]["headers"]}, sent[1]["body"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_only_where_there_is_a_certificate_browsers_are_told_to_insist_on_it(scheme):
    headers, body = answered(scheme)
    assert ("strict-transport-security" in headers) == (scheme == "https")
    assert HEADERS.items() <= headers.items()
    assert body == b"page"
    assert answered(scheme, "HEAD") == (headers, b"")

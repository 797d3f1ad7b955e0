"""What the proxy does when something goes wrong inside, and what it counts and logs of a request."""

from __future__ import annotations

import logging
import socket
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.units.proxy.completions import CALL, EXPECTED, REQUEST, chunks, events, joined, parsed
from tests.units.proxy.completions import read as message_of
from tests.units.proxy.servers import PATIENCE, Model, get, post, proxied, serving, wait_for
from toolgrammar import SalvagePolicy
from toolgrammar.proxy.answer import AnswerReader
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules

CHAT = "/v1/chat/completions"
RULE = ModelRule("hermes")
LEFT = "toolgrammar_proxy_client_disconnects_total"
STREAM = {**REQUEST, "stream": True}


def counters(address: str) -> dict[str, float]:
    lines = get(f"{address}/metrics").text.splitlines()
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"
    }


def requests_of(address: str) -> float:
    return sum(value for name, value in counters(address).items() if "_requests_total" in name)


def test_a_client_that_leaves_between_requests_is_no_disconnect() -> None:
    with proxied(Model(CALL), RULE) as address:
        with httpx.Client(timeout=PATIENCE) as client:
            for body in (REQUEST, STREAM, REQUEST):
                client.post(address + CHAT, json=body).raise_for_status()
        # One more, behind its leaving.
        post(address + CHAT, json=REQUEST)
        wait_for(lambda: requests_of(address) == 4)
        assert counters(address)[LEFT] == 0


def test_a_client_that_leaves_at_the_last_event_is_no_disconnect() -> None:
    """As OpenAI's client does; here the server keeps the connection open behind it."""
    body = events(chunks(CALL, 9)) + b": bye\n\n"
    model = Model(raw=body, stops_at=body.count(b"\n\n") - 1)
    with proxied(model, RULE) as address:
        options: Any = {"json": STREAM, "timeout": PATIENCE}
        with httpx.stream("POST", address + CHAT, **options) as answer:
            found = b""
            for part in answer.iter_bytes():
                found += part
                if b"[DONE]" in found:
                    break
        wait_for(lambda: requests_of(address) == 1)
        wait_for(lambda: model.open == 0)
        assert counters(address)[LEFT] == 0
    assert joined(parsed(found)[:-1])["calls"] == EXPECTED


@pytest.mark.parametrize("path", ["/health", "/v1/models", CHAT])
def test_an_answer_has_one_date(path: str) -> None:
    with proxied(Model(CALL)) as address:
        parts = urlsplit(address)
        with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as connection:
            word = "POST" if path == CHAT else "GET"
            body = b'{"messages": []}' if path == CHAT else b""
            head = f"{word} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
            head += f"content-length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            found = b""
            while part := connection.recv(65536):
                found += part
    assert found.lower().partition(b"\r\n\r\n")[0].count(b"\r\ndate:") == 1


def _breaks(*_: Any, **__: Any) -> Any:
    raise KeyError("sk-secret")


@pytest.mark.parametrize("part", ["read_body", "reading_of"])
def test_a_whole_answer_that_the_proxy_fails_at_is_an_error(
    part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with proxied(Model(CALL), RULE) as address:
        monkeypatch.setattr(f"toolgrammar.proxy.relay.{part}", _breaks)
        answer = post(address + CHAT, json=REQUEST)
        monkeypatch.undo()
        again = post(address + CHAT, json=REQUEST)
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "proxy_failed"
    assert "sk-secret" not in answer.text + caplog.text
    assert message_of(again.json())["calls"] == EXPECTED


@pytest.mark.parametrize("broken", [["take"], ["take", "cut"]])
def test_a_stream_that_the_proxy_fails_at_ends_and_frees_the_upstream(
    broken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(CALL, stops_at=4)
    with proxied(model, RULE) as address:
        for name in broken:
            monkeypatch.setattr(f"toolgrammar.proxy.stream.StreamedChoice.{name}", _breaks)
        answer = post(address + CHAT, json=STREAM)
        wait_for(lambda: model.open == 0)
    assert answer.status_code == 200
    *_, error, last = parsed(answer.content)
    assert error["error"]["code"] == "proxy_failed"
    assert last == "[DONE]"
    assert "sk-secret" not in answer.text


def test_the_log_has_the_model_and_how_many_calls_were_handed_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with proxied(Model(f"{CALL}\n{CALL.replace('Oslo', 'Bergen')}")) as address:
        for body in (REQUEST, STREAM):
            post(address + CHAT, json={**body, "model": "org/two-calls"})
        wait_for(lambda: caplog.text.count('200 rewritten model="org/two-calls" calls=2 ') == 2)


def test_the_policy_that_is_given_counts() -> None:
    request = {**REQUEST, "messages": [{"role": "user", "content": CALL}]}
    model = Model(CALL)
    with proxied(model) as address:
        assert message_of(post(address + CHAT, json=request).json())["calls"] == []
    with proxied(model, policy=SalvagePolicy(echoes=True)) as address:
        assert message_of(post(address + CHAT, json=request).json())["calls"] == EXPECTED


class Flood:
    """Sends as much as its reader takes."""

    PIECE = b": " + b"x" * 65533 + b"\n\n"
    COUNT = 1024

    def __init__(self) -> None:
        self.sent = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(self.COUNT):
            more = number < self.COUNT - 1
            await send({"type": "http.response.body", "body": self.PIECE, "more_body": more})
            self.sent += len(self.PIECE)


@pytest.mark.heavy
def test_a_client_that_reads_slowly_slows_the_upstream_down() -> None:
    """Nothing piles up in the proxy: what it had to keep, the upstream would have sent."""
    flood = Flood()
    whole = len(Flood.PIECE) * Flood.COUNT
    rules = ModelRules({}, RULE)
    with (
        serving(flood, lifespan="off") as upstream,
        serving(create_app(upstream, rules)) as address,
        httpx.stream("POST", address + CHAT, json=STREAM, timeout=PATIENCE) as answer,
    ):
        parts = answer.iter_raw()
        read = len(next(parts))
        before = -1
        # Until the upstream has come to a stand.
        while flood.sent > before:
            before = flood.sent
            time.sleep(0.3)
        # The buffers of two connections, which are the system's, hold some megabytes.
        assert flood.sent < whole / 2
        read += sum(map(len, parts))
    # Of the events nothing is lost; the stream has no answer, which is told behind them.
    assert read > whole


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("long", ["answer", "conversation"])
def test_a_long_answer_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, long: str, *, streamed: bool
) -> None:
    """Of a megabyte; its reading goes on when another request has been answered, not before."""
    reads, answered = threading.Event(), threading.Event()
    feed = AnswerReader.feed

    def slow_feed(reader: AnswerReader, text: str) -> Any:
        reads.set()
        assert answered.wait(PATIENCE)
        return feed(reader, text)

    monkeypatch.setattr(AnswerReader, "feed", slow_feed)
    text = CALL + " word" * (200_000 if long == "answer" else 1)
    said = {"role": "user", "content": "word " * (200_000 if long == "conversation" else 1)}
    body = {**REQUEST, "stream": streamed, "messages": [said]}
    found: list[httpx.Response] = []
    with proxied(Model(text, size=len(text))) as address:
        asking = threading.Thread(
            target=lambda: found.append(post(address + CHAT, json=body)), daemon=True
        )
        asking.start()
        assert reads.wait(PATIENCE)
        assert get(f"{address}/health", timeout=5).json() == {"status": "ok"}
        answered.set()
        asking.join(PATIENCE)
    message = joined(parsed(found[0].content)[:-1]) if streamed else message_of(found[0].json())
    assert message["calls"] == EXPECTED

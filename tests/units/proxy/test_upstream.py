"""What a proxy asks: one server alone, and for each client by itself."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.units.proxy.completions import REQUEST
from tests.units.proxy.servers import PATIENCE, Model, get, post, proxied, serving
from toolgrammar.proxy import upstream as upstream_module
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules
from toolgrammar.proxy.upstream import (
    Upstream,
    UpstreamError,
    request_headers,
    response_headers,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from starlette.requests import Request


def raw(address: str, target: str) -> bytes:
    """Returns the answer to a request line as no library would write it."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as connection:
        line = f"GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        connection.sendall(line.encode("latin-1"))
        found = b""
        while part := connection.recv(65536):
            found += part
        return found


@pytest.mark.parametrize(
    "target",
    [
        "%2F@{other}/x",
        "@{other}/x",
        ".{other}/x",
        "0/x",
        "/v1/../../admin",
        "/v1/%2e%2E/admin",
        "/v1/.%2e%2fadmin",
        "/v1%2f..",
        "/v1/%252e%252e/admin",
        "/v1/..;/admin",
        "/v1/..\\admin",
        "/./admin",
    ],
)
def test_a_path_of_another_server_or_outside_of_the_base_is_refused(target: str) -> None:
    model, other = Model(), Model()
    with serving(other.app()) as elsewhere, proxied(model) as address:
        answer = raw(address, target.format(other=urlsplit(elsewhere).netloc))
    # The router refuses some before the relay sees them.
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 "))
    assert (model.paths, other.paths) == ([], [])


@pytest.mark.parametrize("path", ["", "x", "0/x", "@other/x", "http://other/", "/%2e./x", "/\x00"])
def test_what_is_no_path_of_the_upstream_has_no_address(path: str) -> None:
    with pytest.raises(ValueError, match="the path"):
        Upstream("http://localhost:8000", timeout=1).address(path, "")


def test_the_address_of_another_server_in_a_request_line_is_not_asked() -> None:
    """Some servers take its path, others refuse it."""
    model, other = Model(), Model()
    with serving(other.app()) as elsewhere, proxied(model) as address:
        raw(address, f"{elsewhere}/x")
    assert other.paths == []
    assert model.paths in ([], ["x"])


def test_a_refused_path_is_an_error_of_the_api() -> None:
    with proxied(Model()) as address:
        answer = raw(address, "/v1/../x")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code":"invalid_path"' in answer


@pytest.mark.parametrize("path", ["//169.254.169.254/x", "/@169.254.169.254/", "/:80/", "/..a/b."])
def test_every_address_is_one_of_the_upstream(path: str) -> None:
    found = Upstream("http://u:p@localhost:8000/base", timeout=1).address(path, "a=@b")
    # The keys go out as a header.
    assert (found.scheme, found.user, found.host, found.port) == ("http", None, "localhost", 8000)
    assert found.raw_path_qs == f"/base{path}?a=@b"


def test_the_cookies_of_a_client_are_its_own() -> None:
    seen = []

    async def answer(request: Request) -> Response:
        seen.append(request.headers.get("cookie"))
        return JSONResponse({}, headers={"set-cookie": "session=first; Path=/"})

    app = Starlette(routes=[Route("/{path:path}", answer)])
    with serving(app) as upstream, serving(create_app(upstream, ModelRules({}))) as address:
        first = get(address + "/a")
        get(address + "/b")
        get(address + "/c", headers={"cookie": "own=1"})
    assert first.headers["set-cookie"] == "session=first; Path=/"
    assert seen == [None, None, "own=1"]


def test_connections_that_were_idle_are_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that meets the closing of its connection is lost, so servers must not be first."""
    # vLLM, llama.cpp and all servers on uvicorn or Node close theirs after 5 seconds.
    assert upstream_module._IDLE < 5
    monkeypatch.setattr(upstream_module, "_IDLE", 0.01)
    ports = []

    async def answer(request: Request) -> Response:
        assert request.client is not None
        ports.append(request.client.port)
        return JSONResponse({})

    app = Starlette(routes=[Route("/{path:path}", answer)])
    with serving(app) as upstream, serving(create_app(upstream, ModelRules({}))) as address:
        for _ in range(3):
            get(address + "/a")
            time.sleep(0.1)
    assert len({*ports}) == 3


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_closes_the_connection_unasked_is_an_error_of_the_api(
    *, stream: bool
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def close() -> None:
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.close()

        thread = threading.Thread(target=close, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with serving(create_app(url, ModelRules({}, ModelRule("hermes")))) as address:
            request = {**REQUEST, "stream": stream}
            found = post(f"{address}/v1/chat/completions", json=request)
        thread.join(PATIENCE)
    assert found.status_code == 502
    assert found.json()["error"]["code"] == "upstream_ended"


@contextlib.asynccontextmanager
async def scripted(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """Gives the address of a server that does with a connection what it is told to."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@contextlib.asynccontextmanager
async def asked(address: str, timeout: float = PATIENCE) -> AsyncIterator[Upstream]:
    """Gives what asks a server, and closes it."""
    server = Upstream(address, timeout=timeout)
    yield server
    await server.close()


def in_a_loop(scene: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Returns a test that runs in an event loop."""

    @functools.wraps(scene)
    def run() -> None:
        asyncio.run(scene())

    return run


HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@in_a_loop
async def test_the_end_of_a_connection_does_not_overtake_what_came_before_it() -> None:
    """A client that reads slowly gets all that an upstream sent before it broke off."""
    slow, ended = asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"5\r\nfirst\r\n")
        await slow.wait()
        writer.write(b"6\r\nsecond\r\n")
        ended.set()

    found = []

    async def ask_slowly(server: Upstream) -> None:
        async with server.ask("GET", server.address("/x", ""), [], b"") as response:
            async for part in response.content.iter_any():
                found.append(part)
                slow.set()
                await ended.wait()
                # Long enough for the end to arrive, if it is looked at.
                await asyncio.sleep(0.05)

    async with scripted(answer) as address, asked(address) as server:
        with pytest.raises(UpstreamError) as problem:
            await ask_slowly(server)
    assert b"".join(found) == b"firstsecond"
    assert problem.value.code == "upstream_ended"


@in_a_loop
async def test_an_upstream_that_does_not_read_a_request_is_given_up() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The connection's buffers are full long before a request of that length has gone out.
        await anyio.sleep_forever()

    async with scripted(answer) as address, asked(address, timeout=0.2) as server:
        with pytest.raises(UpstreamError) as problem:
            async with server.ask("POST", server.address("/x", ""), [], b" " * 30_000_000):
                pass
    assert (problem.value.status, problem.value.code) == (504, "upstream_timeout")


@in_a_loop
async def test_headers_that_a_connection_names_are_its_own() -> None:
    """But for those that a message needs: whose it is, and how its body is read."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        own = b"Connection: X-Hop\r\nconnection: Content-Type\r\ncontent-type: a/b\r\nX-Hop: 1\r\nX-End: 2\r\n"
        writer.write(HEAD.removesuffix(b"\r\n") + own + b"\r\n0\r\n\r\n")

    async with (
        scripted(answer) as address,
        asked(address) as server,
        server.ask("GET", server.address("/x", ""), [], b"") as response,
    ):
        got = dict(response_headers(response, rewritten=False))
    assert got[b"x-end"] == b"2"
    assert b"content-type" in got
    assert not {b"x-hop", b"connection"} & got.keys()
    sent = [(b"Connection", b"close, X-Hop ,authorization"), (b"x-hop", b"1"), (b"x-end", b"2")]
    sent.append((b"authorization", b"k"))
    assert request_headers(sent, rewritten=False) == sent[2:]


@in_a_loop
async def test_headers_go_out_as_they_came_and_no_others() -> None:
    seen = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(HEAD + b"0\r\n\r\n")

    headers = [(b"x-name", "Zoë".encode()), (b"authorization", b"Bearer k"), (b"x", b"\xff")]
    async with scripted(answer) as address:
        for url in (address, address.replace("//", "//me:p%40ss@")):
            async with asked(url) as server:
                address_of_x = server.address("/x", "q=1")
                async with server.ask("GET", address_of_x, headers, b""):
                    pass
    [own, of_the_address] = [sorted(each.decode().split("\r\n")[1:-2]) for each in seen]
    host = f"Host: {urlsplit(address).netloc}"
    # What is no UTF-8 can't be said to the upstream.
    assert own == [host, "authorization: Bearer k", "x-name: Zoë", "x: \ufffd"]
    assert of_the_address == [host, "authorization: Basic bWU6cEBzcw==", *own[2:]]

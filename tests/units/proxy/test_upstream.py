"""What a proxy asks: one server alone, and for each client by itself."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.units.proxy.completions import REQUEST
from tests.units.proxy.servers import PATIENCE, Model, get, post, proxied, serving
from toolgrammar.proxy import upstream as upstream_module
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules
from toolgrammar.proxy.upstream import Upstream

if TYPE_CHECKING:
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
        "http://{other}/x",
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


def test_a_refused_path_is_an_error_of_the_api() -> None:
    with proxied(Model()) as address:
        answer = raw(address, "%2F@other/x")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "invalid_path"' in answer


@pytest.mark.parametrize("path", ["//169.254.169.254/x", "/@169.254.169.254/", "/:80/", "/..a/b."])
def test_every_address_is_one_of_the_upstream(path: str) -> None:
    found = Upstream("http://u:p@localhost:8000/base", timeout=1).address(path, "a=@b")
    assert (found.scheme, found.userinfo, found.host, found.port) == (
        *("http", b"u:p", "localhost"),
        8000,
    )
    assert found.raw_path == f"/base{path}?a=@b".encode()


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

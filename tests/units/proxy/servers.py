"""Real servers on this machine: an upstream that answers as it is told to, and a proxy before it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.units.proxy.completions import chunks, completion, events
from toolgrammar.proxy.app import create_app
from toolgrammar.proxy.models import ModelRule, ModelRules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp


PATIENCE = 120.0
"""Seconds after which a test gives up; one that holds never waits so long, on no machine."""
get = functools.partial(httpx.get, timeout=PATIENCE)
post = functools.partial(httpx.post, timeout=PATIENCE)
delete = functools.partial(httpx.delete, timeout=PATIENCE)


@contextlib.contextmanager
def serving(app: ASGIApp, **options: Any) -> Iterator[str]:
    """Serves an application in a thread; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        # Not waited for: it ends by itself, within a tenth of a second.
        server.should_exit = True


def wait_for(condition: Any) -> None:
    """Waits until something is so; a test that waits in vain fails."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


@dataclass
class Model:
    """A server of OpenAI's API that answers as a test tells it."""

    text: str = ""
    reason: str = "stop"
    size: int = 5
    status: int = 200
    breaks_at: int | None = None
    """How many chunks come before the connection breaks."""
    stops_at: int | None = None
    """How many chunks come before nothing more comes."""
    raw: bytes | None = None
    """The whole body, in place of the text."""
    extra: list[dict[str, Any]] = field(default_factory=list)
    """Chunks at the end."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    sent: bytes = b""
    open: int = 0
    """Streams that are being sent."""

    def app(self) -> Starlette:
        """Returns it as an application."""
        return Starlette(
            routes=[Route("/{path:path}", self.answer, methods=["GET", "POST", "DELETE"])]
        )

    async def answer(self, request: Request) -> Response:
        """Answers a request."""
        body = await request.body()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        query = request.scope["query_string"]
        path = request.scope["raw_path"] + (b"?" + query if query else b"")
        self.paths.append(path.decode()[1:])
        if request.method != "POST":
            return JSONResponse({"path": request.url.path}, headers={"x-own": "1"})
        said = json.loads(body) if body else {}
        self.requests.append(said)
        if self.status != 200:
            return JSONResponse({"error": {"message": "no", "code": "x"}}, self.status)
        if not said.get("stream"):
            whole = json.dumps(completion(self.text, self.reason)).encode()
            return Response(self.raw or whole, media_type="application/json")
        return StreamingResponse(self.stream(), media_type="text/event-stream")

    async def stream(self) -> AsyncIterator[bytes]:
        """Gives the body of a stream, event by event."""
        self.open += 1
        self.sent = b""
        found = [*chunks(self.text, self.size, self.reason), *self.extra]
        body = self.raw or events(found)
        try:
            for at, event in enumerate(body.split(b"\n\n")[:-1]):
                if at == self.breaks_at:
                    raise ConnectionResetError
                if at == self.stops_at:
                    await asyncio.sleep(1000)
                self.sent += event + b"\n\n"
                yield event + b"\n\n"
        finally:
            self.open -= 1


@contextlib.contextmanager
def proxied(model: Model, rule: ModelRule | None = None, **options: Any) -> Iterator[str]:
    """Serves a model and a proxy before it; gives the address of the proxy.

    Without a rule and options it is one proxy for all tests, so that not each waits for servers.
    """
    if rule is None and not options:
        _STAGE.model = model
        yield _common_proxy()
        return
    rules = ModelRules({}, ModelRule("hermes") if rule is None else rule)
    with (
        serving(model.app()) as upstream,
        serving(create_app(upstream, rules, **options)) as address,
    ):
        yield address


class _Stage:
    """An upstream that is another model in each test."""

    model = Model()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.model.app()(scope, receive, send)


_STAGE = _Stage()
_OPEN = contextlib.ExitStack()


@functools.cache
def _common_proxy() -> str:
    # Daemon threads serve them to the end of the tests.
    upstream = _OPEN.enter_context(serving(_STAGE, lifespan="off"))
    app = create_app(upstream, ModelRules({}, ModelRule("hermes")))
    return _OPEN.enter_context(serving(app))

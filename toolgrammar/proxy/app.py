"""Builds the proxy as an application for any ASGI server.

Example: `create_app("http://127.0.0.1:8000", ModelRules({}, ModelRule("my.lark")))` answers
`/health` and `/metrics`, and passes everything else to the upstream.
"""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import TYPE_CHECKING, Final

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Mount, Route

    from toolgrammar.proxy.metrics import Metrics
    from toolgrammar.proxy.relay import Relay
    from toolgrammar.proxy.upstream import Upstream
except ImportError as problem:  # pragma: no cover - the tests have all of them
    message = f"the proxy needs {problem.name}: pip install 'toolgrammar[proxy]'"
    raise ImportError(message, name=problem.name) from problem

from toolgrammar.proxy.models import ModelRules
from toolgrammar.salvage.policy import SalvagePolicy
from toolgrammar.values.errors import check_type

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

MAX_BODY: Final = 32_000_000
"""The maximal size in bytes of a request, of a whole answer and of an event of a stream."""
TIMEOUT: Final = 600.0
"""Seconds without a byte after which an answer is abandoned: a model may think for long."""
_POLICY: Final = SalvagePolicy()
_BACKLOG: Final = 1024
"""The number of clients that may wait for their connection: many open their streams at once."""
_KEPT: Final = 75
"""Seconds that an unused connection of a client is kept. Clients close theirs sooner: otherwise
a request may be sent while the proxy closes the connection, and is lost."""
_METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"


def create_app(
    upstream: str,
    rules: ModelRules,
    *,
    policy: SalvagePolicy = _POLICY,
    max_body: int = MAX_BODY,
    timeout: float = TIMEOUT,
) -> Starlette:
    """Returns the proxy as an ASGI application.

    Args:
        upstream: the address of the server behind the proxy.
        rules: the format in which each model writes its calls.
        policy: decides which calls may run.
        max_body: the maximal size in bytes of a request, an answer (the text of a stream) and an event.
        timeout: the seconds without a byte after which an answer of the upstream is abandoned.

    Raises:
        TypeError: an argument is of another type.
        ValueError: the upstream's address is not an HTTP address, or a number is not above 0.
    """
    check_type("upstream", upstream, str)
    check_type("rules", rules, ModelRules, "ModelRules({}, ModelRule(format)) makes them")
    check_type("policy", policy, SalvagePolicy)
    check_type("max_body", max_body, int)
    check_type("timeout", timeout, (int, float))
    for name, value in (("max_body", max_body), ("timeout", timeout)):
        if value <= 0:
            raise ValueError(f"{name} must be above 0, got {value}")
    metrics = Metrics()
    server = Upstream(upstream, timeout=timeout)
    relay = Relay(server, rules, metrics, policy=policy, max_body=max_body)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def counters(_: Request) -> Response:
        return Response(metrics.text(), headers={"content-type": _METRICS})

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await server.close()

    routes = [Route("/health", health), Route("/metrics", counters), Mount("/", app=relay)]
    return Starlette(routes=routes, lifespan=lifespan)


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket; port 0 chooses a free one.

    Raises:
        ValueError: the port is invalid or in use, or listening at the host fails.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"a port is a number from 0 to 65535, got {port}")
    try:
        # Only addresses of IPv6 contain a colon: a host name has none, and the port is a separate
        # argument.
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            said = f"port {port} is taken by another program; choose one with --port"
            raise ValueError(said) from None
        reason = problem.strerror or problem
        raise ValueError(f"can't listen at {host}, port {port}: {reason}") from None


def run(app: Starlette, listener: socket.socket) -> None:
    """Serves a proxy until it is interrupted."""
    config = uvicorn.Config(
        app,
        # Without uvicorn's own lines for each request, which contain the query, where keys may be.
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=_KEPT,
    )
    # An interrupt is the regular end: uvicorn lets answers finish, and raises it then.
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])

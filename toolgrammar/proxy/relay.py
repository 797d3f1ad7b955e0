"""Answers one request by asking the upstream, as an ASGI application.

A request for `/v1/chat/completions` with tools is answered with tool calls; everything else goes
through byte for byte.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import anyio

from toolgrammar.proxy.answer import Reading, reading_of
from toolgrammar.proxy.errors import error_body
from toolgrammar.proxy.prompted import rewrite_request
from toolgrammar.proxy.response import read_response
from toolgrammar.proxy.stream import TOO_LONG, StreamRewriter, error_events
from toolgrammar.proxy.upstream import UpstreamError, request_headers, response_headers
from toolgrammar.values.errors import RenderError
from toolgrammar.values.feedback import shown_name

if TYPE_CHECKING:
    import aiohttp
    from starlette.types import Receive, Scope, Send
    from yarl import URL

    from toolgrammar.proxy.metrics import Metrics
    from toolgrammar.proxy.models import ModelRule, ModelRules
    from toolgrammar.proxy.upstream import Upstream
    from toolgrammar.salvage.policy import SalvagePolicy
    from toolgrammar.salvage.refusals import Refusal
    from toolgrammar.values.calls import ToolCall

LOG: Final = logging.getLogger("toolgrammar.proxy")
_PATHS: Final = ("/chat/completions", "/completions")
_JSON: Final = [(b"content-type", b"application/json")]


class BadRequestError(Exception):
    """A request that can't be passed on."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class _Gone(Exception):  # noqa: N818 - no error: the client has left
    """The client has left before its answer had ended."""


_LAST_EVENT: Final = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]\s*$")
"""The end of a stream, for a client: most leave here, before the body has ended."""


@dataclass
class _Answering:
    """One request, and what has gone out of its answer."""

    scope: Scope
    send: Send
    body: bytes = b""
    reading: Reading | None = None
    rewriter: StreamRewriter | None = None
    started: bool = False
    ended: bool = False
    left: int | None = None
    """Bytes of the body that are still to come; None where its length was not said."""
    tail: bytes = b""
    """The last bytes that went out."""
    model: object = None
    calls: int = 0
    status: int = 0
    started_at: float = field(default_factory=perf_counter)

    def take_body(self, body: bytes) -> None:
        """Takes the request's body."""
        self.body = body

    def read_by(self, reading: Reading | None) -> None:
        """Takes how the answer is read, where it is."""
        self.reading = reading

    def asks(self, model: object) -> None:
        """Takes the model that is asked."""
        self.model = model

    def count_call(self) -> None:
        """Counts a call that was handed out."""
        self.calls += 1

    def pass_on(self) -> None:
        """Lets the answer pass unread."""
        self.reading = None

    def rewrite_by(self, rewriter: StreamRewriter) -> None:
        """Takes what rewrites the answer while it streams."""
        self.rewriter = rewriter

    async def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Sends status and headers."""
        self.status = status
        self.started = True
        length = dict(headers).get(b"content-length", b"")
        if length.isdigit():
            self.left = int(length)
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, body: bytes, *, more: bool = True) -> None:
        """Sends a part of the body; waits where the client reads more slowly than the model writes."""
        self.ended = self.ended or not more
        # So much holds `data: [DONE]` with its line ends, however the parts were cut.
        self.tail = (self.tail + body)[-32:]
        if self.left is not None:
            self.left -= len(body)
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    def has_all(self) -> bool:
        """Whether the client has all that it waits for, and may leave without missing anything."""
        return self.ended or self.left == 0 or _LAST_EVENT.search(self.tail) is not None

    async def error(self, status: int, code: str, message: str, kind: str) -> None:
        """Sends an error as the whole answer."""
        body = json.dumps(error_body(message, code, kind)).encode("ascii")
        await self.start(status, [*_JSON, (b"content-length", str(len(body)).encode())])
        await self.write(body, more=False)


class Relay:
    """The proxy's answers; an ASGI application."""

    def __init__(
        self,
        upstream: Upstream,
        rules: ModelRules,
        metrics: Metrics,
        *,
        policy: SalvagePolicy,
        max_body: int,
    ) -> None:
        """Sets up the answers.

        Args:
            upstream: who is asked.
            rules: in which format each model writes.
            metrics: where is counted.
            policy: which calls may run.
            max_body: bytes of the longest request, whole answer and event of a stream.
        """
        self._upstream = upstream
        self._rules = rules
        self._metrics = metrics
        self._policy = policy
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        # No answer to websockets: OpenAI's API for chat has none.
        if scope["type"] != "http":
            return
        answering = _Answering(scope, send)
        with self._metrics.open.track_inprogress():
            try:
                answering.take_body(await self._body(receive))
                await self._until_gone(answering, receive)
            except BadRequestError as problem:
                await answering.error(
                    problem.status, problem.code, problem.message, "invalid_request_error"
                )
            except _Gone:
                self._metrics.disconnects.inc()
            finally:
                self._note(answering)

    async def _body(self, receive: Receive) -> bytes:
        parts, size = [], 0
        while True:
            message = await receive()
            # Nobody waits for the answer to half a request.
            if message["type"] == "http.disconnect":
                raise _Gone
            part = message.get("body", b"")
            size += len(part)
            # While it comes in, and not behind it: a request without end would fill the memory.
            if size > self._max_body:
                text = f"the request has more than {self._max_body} bytes"
                raise BadRequestError(413, "request_too_large", text)
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)

    async def _until_gone(self, answering: _Answering, receive: Receive) -> None:
        """Answers until all is sent, or the client leaves: then the upstream's connection is freed."""
        gone = False
        problems: list[BadRequestError] = []
        async with anyio.create_task_group() as group:

            async def answer() -> None:
                try:
                    await self._answer(answering)
                except BadRequestError as problem:
                    # Carried out by hand: a group would wrap it.
                    problems.append(problem)
                group.cancel_scope.cancel()

            group.start_soon(answer)
            while (await receive())["type"] != "http.disconnect":
                pass
            # A server says the same of a client whose answer has ended: it may finish.
            if not answering.ended:
                gone = not answering.has_all()
                group.cancel_scope.cancel()
        if problems:
            raise problems[0]
        if gone:
            raise _Gone

    async def _answer(self, answering: _Answering) -> None:
        scope = answering.scope
        try:
            address = self._address(scope)
            body = self._prepared(answering)
            headers = request_headers(scope["headers"], rewritten=answering.reading is not None)
            async with self._upstream.ask(scope["method"], address, headers, body) as response:
                await self._relayed(answering, response)
        except UpstreamError as problem:
            await self._broken(answering, problem)
        # Carried to `__call__`, where the answer is in the client's words and no failure of the
        # upstream is counted.
        except BadRequestError:
            raise
        # The last resort: a client gets an end, and the log no content.
        except Exception as problem:
            LOG.error("an answer could not be read: %s", type(problem).__name__)  # noqa: TRY400 - a traceback may hold content
            text = "the proxy could not read the answer"
            await self._broken(answering, UpstreamError(502, "proxy_failed", text))

    def _address(self, scope: Scope) -> URL:
        # As the client wrote it: a decoded path may be another one.
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        query = scope.get("query_string", b"").decode("latin-1")
        try:
            return self._upstream.address(path, query)
        except ValueError as problem:
            raise BadRequestError(400, "invalid_path", str(problem)) from None

    def _prepared(self, answering: _Answering) -> bytes:
        """Returns the body for the upstream; sets up the reading of its answer, where it is read."""
        scope, body = answering.scope, answering.body
        if scope["method"] != "POST" or not scope["path"].endswith(_PATHS):
            return body
        try:
            request = json.loads(body)
        # The upstream has its own words for it.
        except (ValueError, RecursionError):
            return body
        # A list or a number: the upstream says what is wrong with it.
        if not isinstance(request, dict):
            return body
        answering.asks(request.get("model"))
        # What a model that no rule names writes is passed on as it is.
        rule = self._rules[request.get("model")]
        if rule is None:
            return body
        try:
            report = partial(self._report, answering, rule)
            reading = reading_of(
                request, rule.format, self._policy, rule.prefix, report, repair=rule.repair
            )
            answering.read_by(reading)
            if not (rule.prompt or rule.body):
                return body
            new = rewrite_request(request, format=rule.format, prompt=rule.prompt)
            return json.dumps({**new, **rule.body}).encode("ascii")
        except (TypeError, ValueError, RecursionError, RenderError) as problem:
            raise BadRequestError(400, "invalid_request", f"{problem}"[:500]) from None

    async def _relayed(self, answering: _Answering, response: aiohttp.ClientResponse) -> None:
        """Sends the upstream's answer on."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_stream = kind == "text/event-stream"
        rewritten = answering.reading is not None and response.status == 200
        # An answer that is packed all the same is passed on unread.
        rewritten = rewritten and response.headers.get("content-encoding", "identity") == "identity"
        headers = response_headers(response, rewritten=rewritten)
        if not rewritten:
            answering.pass_on()
            await answering.start(response.status, headers)
            async for part in response.content.iter_any():
                await answering.write(part)
            await answering.write(b"", more=False)
        elif is_stream:
            rewriter = StreamRewriter(answering.reading, longest_event=self._max_body)
            answering.rewrite_by(rewriter)
            rewriter.start_bytes()
            await answering.start(200, headers)
            async for part in response.content.iter_any():
                if out := b"".join(rewriter.feed(part)):
                    await answering.write(out)
                if rewriter.failed:
                    break
            await answering.write(b"".join(rewriter.close()), more=False)
            if rewriter.failed:
                self._count_failure(rewriter.failed)
        else:
            await self._whole(answering, response, headers)

    async def _whole(
        self,
        answering: _Answering,
        response: aiohttp.ClientResponse,
        headers: list[tuple[bytes, bytes]],
    ) -> None:
        parts, size = [], 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > self._max_body:
                text = f"the upstream's answer has more than {self._max_body} bytes"
                raise UpstreamError(502, TOO_LONG, text)
            parts.append(part)
        body = _rewritten(b"".join(parts), answering.reading)
        await answering.start(200, [*headers, (b"content-length", str(len(body)).encode())])
        await answering.write(body, more=False)

    def _count_failure(self, code: str) -> None:
        self._metrics.upstream_errors.labels(code).inc()
        LOG.warning("the upstream failed: %s", code)

    async def _broken(self, answering: _Answering, problem: UpstreamError) -> None:
        """Ends an answer that the upstream did not end."""
        code = problem.code
        self._count_failure(code)
        if not answering.started:
            await answering.error(problem.status, code, problem.message, "upstream_error")
        elif answering.rewriter is not None and not answering.ended:
            try:
                end = b"".join(answering.rewriter.fail(problem.message, code))
            # What broke the reading may break its end, too.
            except Exception:
                end = error_events(problem.message, code)
            await answering.write(end, more=False)
        # Else nothing can be added to bytes that were not read. The answer is left without its end,
        # so that the server closes the connection, as the upstream did.

    def _report(
        self, answering: _Answering, rule: ModelRule, call: ToolCall, refusal: Refusal | None
    ) -> None:
        self._metrics.count(rule.format, refusal)
        if refusal is None:
            answering.count_call()
        else:
            # A model can't write lines into the log. Never its arguments.
            LOG.info("refused a call of %s: %s", shown_name(call.name), refusal.code)

    def _note(self, answering: _Answering) -> None:
        kind = "passed" if answering.reading is None else "rewritten"
        seconds = perf_counter() - answering.started_at
        self._metrics.requests.labels(kind, str(answering.status)).inc()
        self._metrics.seconds.observe(seconds)
        # Neither query nor headers: keys stand there.
        path = json.dumps(answering.scope["path"][:200])
        method, status = answering.scope["method"], answering.status
        model = answering.model if isinstance(answering.model, str) else ""
        said = (json.dumps(model[:80]), answering.calls)
        LOG.info("%s %s %s %s model=%s calls=%d %.3fs", method, path, status, kind, *said, seconds)


def _rewritten(body: bytes, reading: Reading | None) -> bytes:
    """Returns a whole answer, rewritten where that changes it."""
    assert reading is not None
    try:
        # An error page of something between: passed on as it came.
        response: Any = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(response, dict):
        return body
    found = read_response(response, reading)
    return body if found is response else json.dumps(found).encode("ascii")
